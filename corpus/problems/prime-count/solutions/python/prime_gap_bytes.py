# Primes stored as one byte per gap, built segment by segment, with a checkpoint
# every 32 primes: search the checkpoints, then walk over at most 32 gaps.
import sys
from array import array
from bisect import bisect_right
from itertools import compress

N = 2000000
STEP = 32


def main():
    base = [p for p in range(3, 1415, 2) if all(p % d for d in range(3, int(p ** 0.5) + 1, 2))]
    gaps = bytearray()
    marks = array("i")
    last = 2
    count = 1
    marks.append(2)
    gaps.append(0)
    width = 40000
    for low in range(1, N, width):
        seg = bytearray(b"\x01") * (width // 2)
        high = low + width
        for p in base:
            s = p * p
            if s >= high:
                break
            if s < low:
                s = low + (-low) % p
                if s % 2 == 0:
                    s += p
            s = (s - low) // 2
            if s < len(seg):
                seg[s::p] = bytes((len(seg) - 1 - s) // p + 1)
        if low == 1:
            seg[0] = 0
        for v in compress(range(low, high, 2), seg):
            gaps.append(v - last)
            last = v
            if count % STEP == 0:
                marks.append(v)
            count += 1

    def pi(x):
        if x < 2:
            return 0
        b = bisect_right(marks, x) - 1
        v = marks[b]
        k = b * STEP + 1
        for g in gaps[k:k + STEP]:
            v += g
            if v > x:
                break
            k += 1
        return k

    sys.stdin.readline()
    out = []
    for line in sys.stdin:
        l, r = line.split()
        out.append(pi(int(r)) - pi(int(l) - 1))
    print("\n".join(map(str, out)))


main()
