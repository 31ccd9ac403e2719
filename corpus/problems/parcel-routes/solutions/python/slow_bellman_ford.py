# Bellman-Ford with all n - 1 rounds over all roads.
import sys


def main():
    read = sys.stdin.readline
    n, m = map(int, read().split())
    roads = [tuple(map(int, read().split())) for _ in range(m)]
    infinity = float("inf")
    dist = [infinity] * (n + 1)
    dist[1] = 0
    for _ in range(n - 1):
        for a, b, w in roads:
            if dist[a] + w < dist[b]:
                dist[b] = dist[a] + w
    print(*[-1 if d == infinity else d for d in dist[1:]])


main()
