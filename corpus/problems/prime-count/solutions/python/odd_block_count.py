# Odd-only sieve and a count per block of 1024; the rest of a block is counted
# by bytearray.count.
import sys

LIMIT = 2000000
SHIFT = 10


def main():
    half = LIMIT // 2
    odd = bytearray(b"\x01") * half
    odd[0] = 0
    for p in range(3, 1415, 2):
        if odd[p >> 1]:
            s = p * p >> 1
            odd[s::p] = bytes((half - 1 - s) // p + 1)
    before = [0]
    total = 0
    for s in range(0, half, 1 << SHIFT):
        total += odd.count(1, s, s + (1 << SHIFT))
        before.append(total)

    def pi(x):
        if x < 2:
            return 0
        end = (x + 1) >> 1
        b = end >> SHIFT
        return 1 + before[b] + odd.count(1, b << SHIFT, end)

    q = int(sys.stdin.buffer.readline())
    out = []
    for line in sys.stdin.buffer:
        l, r = line.split()
        out.append(pi(int(r)) - pi(int(l) - 1))
    print("\n".join(map(str, out[:q])))


main()
