# Offline: the end points are sorted and a small window of odd numbers moves
# over the range, so only one segment of the sieve is alive at a time.
import sys
from array import array

SEG = 1 << 15


def main():
    ends = array("i")
    read = sys.stdin.buffer.readline
    q = int(read())
    for _ in range(q):
        l, r = read().split()
        ends.append(int(l) - 1)
        ends.append(int(r))
    order = sorted(range(2 * q), key=ends.__getitem__)
    base = [p for p in range(3, 1415, 2) if all(p % d for d in range(3, int(p ** 0.5) + 1, 2))]
    pos = 0
    while pos < 2 * q and ends[order[pos]] < 2:
        ends[order[pos]] = 0
        pos += 1
    total = 1
    low = 0                                # index i stands for 2i + 1
    while pos < 2 * q:
        seg = bytearray(b"\x01") * SEG
        if low == 0:
            seg[0] = 0
        high = low + SEG
        for p in base:
            s = p * p >> 1
            if s >= high:
                break
            s = s - low if s >= low else (p - 1 - (low - (p >> 1) - 1) % p) % p
            if s < SEG:
                seg[s::p] = bytes((SEG - 1 - s) // p + 1)
        done = 0
        while pos < 2 * q:
            k = order[pos]
            stop = ((ends[k] + 1) >> 1) - low
            if stop > SEG:
                break
            total += seg.count(1, done, stop)
            done = stop
            ends[k] = total
            pos += 1
        total += seg.count(1, done)
        low = high
    write = sys.stdout.write
    for k in range(0, 2 * q, 2):
        write("%d\n" % (ends[k + 1] - ends[k]))


main()
