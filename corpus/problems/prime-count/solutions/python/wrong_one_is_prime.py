# Prefix counts of a sieve.
import sys
from itertools import accumulate


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    n = max(data[1:])
    sieve = bytearray(b"\x01") * (n + 1)
    sieve[0] = 0
    for p in range(2, int(n ** 0.5) + 1):
        if sieve[p]:
            sieve[p * p::p] = bytes((n - p * p) // p + 1)
    pi = list(accumulate(sieve))
    for i in range(data[0]):
        print(pi[data[2 * i + 2]] - pi[data[2 * i + 1] - 1])


main()
