# One row of doubled windows, replaced in place by mapping max over shifted copies.
import sys
from itertools import islice


def main():
    n, k = map(int, sys.stdin.buffer.readline().split())
    row = list(map(int, sys.stdin.buffer.readline().split()))
    w = 1
    while w < k:
        step = min(w, k - w)
        row = list(map(max, row, islice(row, step, None)))
        w += step
    print(*row)


main()
