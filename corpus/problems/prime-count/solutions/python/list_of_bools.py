# Plain list of booleans as the sieve and a list of running totals per 16 numbers.
import sys

N = 2000000


def main():
    is_prime = [True] * (N + 1)
    is_prime[0] = is_prime[1] = False
    for p in range(2, int(N ** 0.5) + 1):
        if is_prime[p]:
            is_prime[p * p::p] = [False] * ((N - p * p) // p + 1)
    totals = [0]
    running = 0
    for s in range(0, N + 1, 16):
        running += sum(is_prime[s:s + 16])
        totals.append(running)

    def count(x):
        b = (x + 1) // 16
        return totals[b] + sum(is_prime[16 * b:x + 1])

    lines = sys.stdin.readlines()
    for line in lines[1:]:
        l, r = map(int, line.split())
        print(count(r) - count(l - 1))


main()
