# Full byte sieve without any prefix table: sorted end points are swept once and
# the bytes between neighbours are counted.
import sys


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    q = data[0]
    n = 2000000
    sieve = bytearray(b"\x01") * (n + 1)
    sieve[0] = sieve[1] = 0
    for p in range(2, 1415):
        if sieve[p]:
            sieve[p * p::p] = bytes((n - p * p) // p + 1)
    points = set(data[2::2])
    points.update(v - 1 for v in data[1::2])
    known = {}
    prev = 0
    total = 0
    for x in sorted(points):
        total += sieve.count(1, prev, x + 1)
        known[x] = total
        prev = x + 1
    out = [known[data[2 * i + 2]] - known[data[2 * i + 1] - 1] for i in range(q)]
    print("\n".join(map(str, out)))


main()
