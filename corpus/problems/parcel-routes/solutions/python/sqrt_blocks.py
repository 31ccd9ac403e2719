# Dijkstra without a heap: tentative distances in blocks of about sqrt(n), with the minimum of each block kept.
import sys


def main():
    lines = sys.stdin.read().split("\n")
    n, m = map(int, lines[0].split())
    roads = [[] for _ in range(n)]
    for i in range(1, m + 1):
        a, b, w = lines[i].split()
        roads[int(a) - 1].append((int(b) - 1, int(w)))
    size = 1
    while size * size < n:
        size += 1
    count = (n + size - 1) // size
    infinity = float("inf")
    blocks = [[infinity] * size for _ in range(count)]
    least = [infinity] * count
    final = [-1] * n
    blocks[0][0] = least[0] = 0
    while True:
        d = min(least)
        if d == infinity:
            break
        k = least.index(d)
        block = blocks[k]
        i = block.index(d)
        v = k * size + i
        final[v] = d
        block[i] = infinity
        least[k] = min(block)
        for u, w in roads[v]:
            if final[u] < 0:
                q, r = divmod(u, size)
                t = d + w
                if t < blocks[q][r]:
                    blocks[q][r] = t
                    if t < least[q]:
                        least[q] = t
    print(" ".join(map(str, final)))


main()
