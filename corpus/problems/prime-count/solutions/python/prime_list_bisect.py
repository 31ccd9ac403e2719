# List of all primes; every query is two binary searches.
import sys
from bisect import bisect_left, bisect_right
from itertools import compress


def primes_up_to(n):
    sieve = bytearray([True]) * (n + 1)
    sieve[0:2] = bytes(2)
    for p in range(2, int(n ** 0.5) + 1):
        if sieve[p]:
            sieve[p * p::p] = bytearray((n - p * p) // p + 1)
    return list(compress(range(n + 1), sieve))


primes = primes_up_to(2000000)
rows = sys.stdin.read().split("\n")
for row in rows[1:int(rows[0]) + 1]:
    l, r = map(int, row.split())
    print(bisect_right(primes, r) - bisect_left(primes, l))
