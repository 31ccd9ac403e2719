# Backwards pass finds which remainders each level can ask for (as bit masks); only those are counted.
import sys


def main():
    n, amount = map(int, sys.stdin.readline().split())
    coins = sorted((c for c in map(int, sys.stdin.readline().split()) if c <= amount), reverse=True)
    mod = 1000000007
    need = [1 << amount]
    for c in coins:
        m = need[-1]
        step = c
        while step <= amount:
            m |= m >> step
            step *= 2
        need.append(m)
    ways = [0] * (amount + 1)
    ways[0] = 1
    for level in range(len(coins) - 1, -1, -1):
        c = coins[level]
        asked = bin(need[level + 1])[:1:-1]
        s = asked.find("1", c)
        while s >= 0:
            ways[s] = (ways[s] + ways[s - c]) % mod
            s = asked.find("1", s + 1)
    print(ways[amount])


main()
