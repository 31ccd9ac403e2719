# Byte sieve over all numbers, then one Python list with pi(x) for every x.
import sys
from itertools import accumulate


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    n = 2000000
    sieve = bytearray([1]) * (n + 1)
    sieve[0] = sieve[1] = 0
    i = 2
    while i * i <= n:
        if sieve[i]:
            sieve[i * i::i] = bytes(len(range(i * i, n + 1, i)))
        i += 1
    pi = list(accumulate(sieve))
    out = []
    for k in range(1, 2 * data[0] + 1, 2):
        out.append(pi[data[k + 1]] - pi[data[k] - 1])
    print("\n".join(map(str, out)))


main()
