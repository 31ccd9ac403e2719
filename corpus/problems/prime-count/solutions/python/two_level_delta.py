# Two-level prefix: a 16-bit running count inside blocks of 65536 numbers and one
# base per block.
import sys
from array import array
from itertools import accumulate

N = 2000000


def main():
    sieve = bytearray(b"\x01") * (N + 1)
    sieve[0] = sieve[1] = 0
    for p in range(2, 1415):
        if sieve[p]:
            sieve[p * p::p] = bytes((N - p * p) // p + 1)
    base = []
    inner = array("H")
    total = 0
    for s in range(0, N + 1, 65536):
        base.append(total)
        inner.extend(array("H", accumulate(sieve[s:s + 65536])))
        total += inner[-1]
    del sieve
    data = list(map(int, sys.stdin.buffer.read().split()))
    out = []
    for i in range(1, 2 * data[0], 2):
        a = data[i] - 1
        b = data[i + 1]
        out.append(base[b >> 16] + inner[b] - base[a >> 16] - inner[a])
    sys.stdout.write("\n".join(map(str, out)) + "\n")


main()
