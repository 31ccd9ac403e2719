# Linear sieve on odd numbers: every composite is struck once, by its smallest
# prime factor.
import sys
from bisect import bisect_right


def linear(n):
    comp = bytearray(n + 1)
    primes = []
    add = primes.append
    for v in range(3, n + 1, 2):
        if not comp[v]:
            add(v)
        top = n // v
        for p in primes:
            if p > top:
                break
            comp[p * v] = 1
            if v % p == 0:
                break
    return [2] + primes


def main():
    data = sys.stdin.buffer.read().split()
    n = max(map(int, data[1:]))
    primes = linear(n) if n > 1 else []
    out = []
    for i in range(1, len(data), 2):
        out.append(bisect_right(primes, int(data[i + 1])) - bisect_right(primes, int(data[i]) - 1))
    print("\n".join(map(str, out)))


main()
