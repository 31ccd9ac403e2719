# The smallest free task first, from a heap.
import sys
from heapq import heapify, heappop, heappush


def solve(n, pairs):
    after = {}
    need = [0] * (n + 1)
    for a, b in pairs:
        after.setdefault(a, []).append(b)
        need[b] += 1
    heap = [v for v in range(1, n + 1) if need[v] == 0]
    heapify(heap)
    order = []
    while heap:
        v = heappop(heap)
        order.append(v)
        for w in after.pop(v, ()):
            need[w] -= 1
            if need[w] == 0:
                heappush(heap, w)
    return order


def main():
    lines = sys.stdin.read().splitlines()
    n, m = map(int, lines[0].split())
    order = solve(n, [tuple(map(int, s.split())) for s in lines[1:m + 1]])
    print(" ".join(map(str, order)) if len(order) == n else "IMPOSSIBLE")


main()
