# Sieve of Atkin with quadratic forms, then a list of primes and bisect.
import sys
from bisect import bisect_right


def atkin(n):
    f = bytearray(n + 1)
    ok1 = bytes(1 if r in (1, 5) else 0 for r in range(12))
    x = 1
    while 4 * x * x < n:
        a = 4 * x * x
        top = int((n - a) ** 0.5)
        for y in range(1, top + 1, 2):
            v = a + y * y
            if ok1[v % 12]:
                f[v] ^= 1
        x += 1
    x = 1
    while 3 * x * x < n:
        a = 3 * x * x
        top = int((n - a) ** 0.5)
        for y in range(2, top + 1, 2):
            if y % 3:
                f[a + y * y] ^= 1
        x += 2
    x = 1
    while 2 * x * x <= n + 2 * x:
        a = 3 * x * x
        for y in range(x - 1, 0, -2):
            v = a - y * y
            if v > n:
                break
            if y % 3:
                f[v] ^= 1
        x += 1
    for p in range(5, int(n ** 0.5) + 1, 2):
        if f[p]:
            f[p * p::p * p] = bytes(n // (p * p))
    f[2] = f[3] = 1
    return [i for i, b in enumerate(f) if b]


def main():
    primes = atkin(2000000)
    data = list(map(int, sys.stdin.buffer.read().split()))
    out = []
    for i in range(data[0]):
        out.append(bisect_right(primes, data[2 * i + 2]) - bisect_right(primes, data[2 * i + 1] - 1))
    print("\n".join(map(str, out)))


main()
