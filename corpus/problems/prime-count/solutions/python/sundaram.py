# Sieve of Sundaram: 2k + 1 is composite exactly if k = i + j + 2ij.
import sys
from itertools import accumulate


def main():
    m = 1000000
    keep = bytearray(b"\x01") * m
    keep[0] = 0
    i = 1
    while 2 * i * (i + 1) < m:
        start = 2 * i * (i + 1)
        step = 2 * i + 1
        keep[start::step] = bytes(len(range(start, m, step)))
        i += 1
    keep[0] = 1                            # stands in for the prime 2
    pi = list(accumulate(keep))
    sys.stdin.readline()
    for line in sys.stdin:
        l, r = map(int, line.split())
        hi = pi[(r - 1) // 2] if r > 1 else 0
        lo = pi[(l - 2) // 2] if l > 2 else 0
        sys.stdout.write(str(hi - lo) + "\n")


main()
