# One row of counts, coins outside, sums inside.
import sys


def main():
    data = list(map(int, sys.stdin.read().split()))
    n, amount = data[0], data[1]
    mod = 1000000007
    ways = [0] * (amount + 1)
    ways[0] = 1
    for c in data[2:2 + n]:
        for s in range(c, amount + 1):
            ways[s] = (ways[s] + ways[s - c]) % mod
    print(ways[amount])


main()
