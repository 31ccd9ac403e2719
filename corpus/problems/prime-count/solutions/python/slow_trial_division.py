# Tests every number of every query by trial division.
import sys


def is_prime(v):
    if v < 2:
        return False
    d = 2
    while d * d <= v:
        if v % d == 0:
            return False
        d += 1
    return True


def main():
    q = int(sys.stdin.readline())
    for _ in range(q):
        l, r = map(int, sys.stdin.readline().split())
        print(sum(1 for v in range(l, r + 1) if is_prime(v)))


main()
