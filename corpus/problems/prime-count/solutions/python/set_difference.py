# A hash set of all odd numbers from which the multiples are removed; what is
# left is sorted and searched.
import sys
from bisect import bisect_left, bisect_right


def main():
    data = sys.stdin.buffer.read().split()
    values = list(map(int, data[1:]))
    n = max(values)
    left = set(range(3, n + 1, 2))
    p = 3
    while p * p <= n:
        if p in left:
            left.difference_update(range(p * p, n + 1, 2 * p))
        p += 2
    if n >= 2:
        left.add(2)
    primes = sorted(left)
    for i in range(0, len(values), 2):
        print(bisect_right(primes, values[i + 1]) - bisect_left(primes, values[i]))


main()
