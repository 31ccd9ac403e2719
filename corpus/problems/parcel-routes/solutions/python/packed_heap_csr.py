# Dijkstra over compressed rows; one integer distance * 2^14 + node per heap entry.
import sys
from heapq import heappop, heappush


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    n, m = data[0], data[1]
    tails = data[2::3]
    start = [0] * (n + 2)
    for a in tails:
        start[a + 1] += 1
    for v in range(1, n + 2):
        start[v] += start[v - 1]
    order = sorted(range(m), key=tails.__getitem__)
    heads = data[3::3]
    weights = data[4::3]
    head = [heads[e] for e in order]
    # Adding this step to a key that was stripped of its node gives the key of the neighbour.
    step = [(weights[e] << 14) | heads[e] for e in order]
    infinity = 1 << 60
    best = [infinity] * (n + 1)
    best[1] = 1
    heap = [1]
    while heap:
        key = heappop(heap)
        v = key & 16383
        if key != best[v]:
            continue
        base = key - v
        for e in range(start[v], start[v + 1]):
            key = base + step[e]
            u = head[e]
            if key < best[u]:
                best[u] = key
                heappush(heap, key)
    sys.stdout.write(" ".join(["-1" if b == infinity else str(b >> 14) for b in best[1:]]) + "\n")


main()
