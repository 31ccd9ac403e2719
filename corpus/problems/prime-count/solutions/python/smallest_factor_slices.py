# Table of smallest prime factors in 16 bits per number, filled from the largest
# base prime down to 2; a zero entry marks a prime.
import sys
from array import array
from itertools import accumulate
from operator import not_

N = 2000000


def main():
    low = array("H", bytes(2 * (N + 1)))
    small = [p for p in range(2, 1415) if all(p % d for d in range(2, int(p ** 0.5) + 1))]
    for p in reversed(small):
        low[p * p::p] = array("H", [p]) * ((N - p * p) // p + 1)
    low[0] = low[1] = 1
    pi = array("l", accumulate(map(not_, low)))
    data = sys.stdin.buffer.read().split()
    res = []
    for k in range(int(data[0])):
        l = int(data[2 * k + 1])
        r = int(data[2 * k + 2])
        res.append(pi[r] - pi[l - 1])
    print("\n".join(map(str, res)))


main()
