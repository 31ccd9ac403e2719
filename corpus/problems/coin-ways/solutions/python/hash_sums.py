# Only the sums that can be reached are stored, in a dictionary.
import sys


def main():
    data = list(map(int, sys.stdin.read().split()))
    amount = data[1]
    mod = 1000000007
    ways = {0: 1}
    for c in sorted(data[2:], reverse=True):
        for s in range(c, amount + 1):
            v = ways.get(s - c)
            if v is not None:
                ways[s] = (ways.get(s, 0) + v) % mod
    print(ways.get(amount, 0))


main()
