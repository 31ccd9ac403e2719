# Segment tree over the prime counts of blocks of 256 numbers; both ragged ends
# of a query are counted in the byte sieve.
import sys

N = 2000000
W = 256


def main():
    sieve = bytearray(b"\x01") * (N + 1)
    sieve[0] = sieve[1] = 0
    sieve[4::2] = bytes((N - 4) // 2 + 1)
    for p in range(3, 1415, 2):
        if sieve[p]:
            sieve[p * p::2 * p] = bytes((N - p * p) // (2 * p) + 1)
    blocks = N // W + 1
    tree = [0] * blocks + [sieve.count(1, i * W, i * W + W) for i in range(blocks)]
    for i in range(blocks - 1, 0, -1):
        tree[i] = tree[2 * i] + tree[2 * i + 1]
    count = sieve.count
    out = []
    data = iter(map(int, sys.stdin.buffer.read().split()[1:]))
    for l in data:
        r = next(data) + 1
        a = -(-l // W)
        b = r // W
        if a >= b:
            out.append(count(1, l, r))
            continue
        total = count(1, l, a * W) + count(1, b * W, r)
        a += blocks
        b += blocks
        while a < b:
            if a & 1:
                total += tree[a]
                a += 1
            if b & 1:
                b -= 1
                total += tree[b]
            a >>= 1
            b >>= 1
        out.append(total)
    print("\n".join(map(str, out)))


main()
