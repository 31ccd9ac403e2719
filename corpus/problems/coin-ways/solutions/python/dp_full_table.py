# The complete table of coins by sums.
import sys


def main():
    data = sys.stdin.read().split()
    n, amount = int(data[0]), int(data[1])
    coins = [int(t) for t in data[2:2 + n]]
    mod = 1000000007
    table = [[0] * (amount + 1) for _ in range(n + 1)]
    table[0][0] = 1
    for i in range(1, n + 1):
        c = coins[i - 1]
        above = table[i - 1]
        row = table[i]
        for s in range(amount + 1):
            if s < c:
                row[s] = above[s]
            else:
                row[s] = (above[s] + row[s - c]) % mod
    print(table[n][amount])


main()
