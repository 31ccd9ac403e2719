# Previous and current row, conditional subtraction instead of a remainder.
import sys


def main():
    n, amount = map(int, sys.stdin.readline().split())
    coins = list(map(int, sys.stdin.readline().split()))
    mod = 10 ** 9 + 7
    prev = [1] + [0] * amount
    for c in coins:
        cur = []
        for s in range(amount + 1):
            v = prev[s]
            if s >= c:
                v += cur[s - c]
                if v >= mod:
                    v -= mod
            cur.append(v)
        prev = cur
    print(prev[-1])


main()
