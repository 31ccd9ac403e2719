# pi(x) for every x in a compact array of 32-bit integers.
import sys
from array import array
from itertools import accumulate

LIMIT = 2000000


def build():
    flags = bytearray(b"\x01") * (LIMIT + 1)
    flags[:2] = b"\0\0"
    flags[4::2] = bytes(len(flags[4::2]))
    for p in range(3, 1415, 2):
        if flags[p]:
            flags[p * p::2 * p] = bytes((LIMIT - p * p) // (2 * p) + 1)
    return array("i", accumulate(flags))


def main():
    read = sys.stdin.buffer.readline
    q = int(read())
    pi = build()
    lines = []
    for _ in range(q):
        l, r = read().split()
        lines.append("%d\n" % (pi[int(r)] - pi[int(l) - 1]))
    sys.stdout.write("".join(lines))


main()
