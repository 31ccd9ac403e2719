# Sieve of the odd numbers only; primes kept in an array of unsigned ints.
import sys
from array import array
from bisect import bisect_right
from itertools import compress


def main():
    tokens = sys.stdin.buffer.read().split()
    n = 2000000
    half = n // 2
    odd = bytearray(b"\x01") * half        # odd[i] stands for 2i + 1
    odd[0] = 0
    for i in range(1, 707):
        if odd[i]:
            p = 2 * i + 1
            start = 2 * i * (i + 1)
            odd[start::p] = bytes((half - 1 - start) // p + 1)
    primes = array("I", [2])
    primes.extend(compress(range(1, n, 2), odd))
    del odd
    answers = []
    it = iter(tokens)
    next(it)
    for a, b in zip(it, it):
        hi = bisect_right(primes, int(b))
        answers.append(hi - bisect_right(primes, int(a) - 1, 0, hi))
    print(*answers, sep="\n")


main()
