# Two independent tables for two halves of the coins, joined by one scalar product.
import sys


def table(coins, amount, mod):
    ways = [1] + [0] * amount
    for c in coins:
        for s in range(c, amount + 1):
            v = ways[s] + ways[s - c]
            ways[s] = v - mod if v >= mod else v
    return ways


def main():
    n, amount = map(int, sys.stdin.readline().split())
    coins = sorted(map(int, sys.stdin.readline().split()))
    mod = 1000000007
    one = table(coins[0::2], amount, mod)
    two = table(coins[1::2], amount, mod)
    two.reverse()
    print(sum(x * y for x, y in zip(one, two)) % mod)


main()
