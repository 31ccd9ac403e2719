# Small coins: running sums over each residue class. Large coins: block by block addition of slices.
import sys
from itertools import accumulate
from operator import add


def main():
    n, amount = map(int, sys.stdin.readline().split())
    coins = sorted(map(int, sys.stdin.readline().split()))
    mod = 1000000007
    ways = [1] + [0] * amount
    for c in coins:
        if c > amount:
            break
        if c < 150:
            for r in range(c):
                ways[r::c] = accumulate(ways[r::c])
        else:
            for s in range(c, amount + 1, c):
                ways[s:s + c] = map(add, ways[s:s + c], ways[s - c:s])
        ways = [v % mod for v in ways]
    print(ways[amount])


main()
