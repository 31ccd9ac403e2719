# Sums outside, coins inside: counts sequences.
import sys


def main():
    data = list(map(int, sys.stdin.read().split()))
    n, amount = data[0], data[1]
    coins = data[2:2 + n]
    ways = [0] * (amount + 1)
    ways[0] = 1
    for s in range(1, amount + 1):
        total = 0
        for c in coins:
            if c <= s:
                total += ways[s - c]
        ways[s] = total % 1000000007
    print(ways[amount])


main()
