# Dijkstra with a radix heap: extracted keys never decrease, so entries live in buckets by the highest bit
# in which they differ from the last extracted key.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, m = int(data[0]), int(data[1])
    roads = [[] for _ in range(n + 1)]
    p = 2
    for _ in range(m):
        roads[int(data[p])].append((int(data[p + 1]), int(data[p + 2])))
        p += 3
    infinity = 10 ** 15
    dist = [infinity] * (n + 1)
    dist[1] = 0
    buckets = [[] for _ in range(64)]
    last = 0
    buckets[0].append((0, 1))
    size = 1
    while size:
        if not buckets[0]:
            k = 1
            while not buckets[k]:
                k += 1
            moved = buckets[k]
            buckets[k] = []
            last = min(moved)[0]
            for entry in moved:
                buckets[(entry[0] ^ last).bit_length()].append(entry)
        d, v = buckets[0].pop()
        size -= 1
        if d > dist[v]:
            continue
        for u, w in roads[v]:
            t = d + w
            if t < dist[u]:
                dist[u] = t
                buckets[(t ^ last).bit_length()].append((t, u))
                size += 1
    print(" ".join(["-1" if d == infinity else str(d) for d in dist[1:]]))


main()
