# Multiplies dense polynomials, one for every coin.
import sys


def main():
    data = list(map(int, sys.stdin.read().split()))
    n, amount = data[0], data[1]
    mod = 1000000007
    total = [0] * (amount + 1)
    total[0] = 1
    for c in data[2:2 + n]:
        factor = [1 if s % c == 0 else 0 for s in range(amount + 1)]
        product = [0] * (amount + 1)
        for i in range(amount + 1):
            for j in range(amount + 1 - i):
                product[i + j] = (product[i + j] + total[i] * factor[j]) % mod
        total = product
    print(total[amount])


main()
