# Block prefix and suffix maxima with accumulate, joined with one map(max).
import sys
from itertools import accumulate, islice


def main():
    n, k = map(int, sys.stdin.buffer.readline().split())
    a = list(map(int, sys.stdin.buffer.readline().split()))
    pre = []
    suf = []
    for s in range(0, n, k):
        block = a[s:s + k]
        pre.extend(accumulate(block, max))
        block.reverse()
        block = list(accumulate(block, max))
        block.reverse()
        suf += block
    best = map(max, suf, islice(pre, k - 1, None))
    sys.stdout.write(" ".join(map(str, best)) + "\n")


main()
