# Dijkstra with a lazy binary heap of (distance, node) tuples over adjacency lists.
import heapq
import sys


def main():
    read = sys.stdin.readline
    n, m = map(int, read().split())
    roads = [[] for _ in range(n + 1)]
    for _ in range(m):
        a, b, w = map(int, read().split())
        roads[a].append((b, w))
    dist = [-1] * (n + 1)
    heap = [(0, 1)]
    while heap:
        d, v = heapq.heappop(heap)
        if dist[v] >= 0:
            continue
        dist[v] = d
        for u, w in roads[v]:
            if dist[u] < 0:
                heapq.heappush(heap, (d + w, u))
    print(*dist[1:])


main()
