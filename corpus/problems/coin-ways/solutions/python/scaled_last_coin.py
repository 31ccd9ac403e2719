# Values divided by their common divisor, the largest coin only summed along one progression at the end.
import sys
from functools import reduce
from math import gcd


def main():
    n, amount = map(int, sys.stdin.readline().split())
    coins = list(map(int, sys.stdin.readline().split()))
    mod = 1000000007
    g = reduce(gcd, coins)
    if amount % g:
        print(0)
        return
    amount //= g
    coins = sorted(c // g for c in coins)
    last = coins.pop()
    ways = [1] + [0] * amount
    for c in coins:
        if c > amount:
            break
        if c == 1:
            ways = [1] * (amount + 1)
            continue
        for s in range(c, amount + 1):
            v = ways[s] + ways[s - c]
            if v >= mod:
                v -= mod
            ways[s] = v
    print(sum(ways[amount::-last]) % mod)


main()
