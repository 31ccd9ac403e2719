# The whole sieve is one big integer: bit i stands for 2i + 1. The multiples of
# a prime are a bit pattern made by doubling; counting uses int.bit_count.
import sys

M = 1000000
CHUNK = 64


def build():
    comp = 1
    for i in range(1, 707):
        if comp >> i & 1:
            continue
        p = 2 * i + 1
        s = 2 * i * (i + 1)
        mask = 1
        width = p
        while width < M - s:
            mask |= mask << width
            width *= 2
        comp |= mask << s
        if comp.bit_length() > M + 4096:
            comp &= (1 << M) - 1
    comp &= (1 << M) - 1
    return (comp ^ ((1 << M) - 1)).to_bytes(M // 8, "little")


def main():
    bits = build()
    before = [1]
    for s in range(0, len(bits), CHUNK):
        before.append(before[-1] + int.from_bytes(bits[s:s + CHUNK], "little").bit_count())

    def pi(x):
        if x < 2:
            return 0
        end = (x + 1) // 2
        b, rest = divmod(end, 8 * CHUNK)
        word = int.from_bytes(bits[b * CHUNK:b * CHUNK + (rest + 7) // 8], "little")
        return before[b] + (word & ((1 << rest) - 1)).bit_count()

    data = list(map(int, sys.stdin.buffer.read().split()))
    print("\n".join([str(pi(r) - pi(l - 1)) for l, r in zip(data[1::2], data[2::2])]))


main()
