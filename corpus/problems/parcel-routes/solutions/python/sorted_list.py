# Dijkstra whose queue is one sorted list: binary search to insert, a moving head index to extract.
import sys
from bisect import insort


def main():
    values = iter(sys.stdin.read().split())
    n = int(next(values))
    m = int(next(values))
    roads = {}
    for a, b, w in zip(values, values, values):
        roads.setdefault(int(a), []).append((int(w), int(b)))
    dist = {1: 0}
    queue = [(0, 1)]
    head = 0
    closed = set()
    while head < len(queue):
        d, v = queue[head]
        head += 1
        if v in closed:
            continue
        closed.add(v)
        for w, u in roads.get(v, ()):
            t = d + w
            old = dist.get(u)
            if old is None or t < old:
                dist[u] = t
                insort(queue, (t, u), head)
    print(" ".join(str(dist.get(v, -1)) for v in range(1, n + 1)))


main()
