# Kahn's algorithm with a deque and adjacency lists.
import sys
from collections import deque


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    n, m = data[0], data[1]
    after = [[] for _ in range(n + 1)]
    need = [0] * (n + 1)
    for i in range(2, 2 + 2 * m, 2):
        after[data[i]].append(data[i + 1])
        need[data[i + 1]] += 1
    ready = deque(v for v in range(1, n + 1) if need[v] == 0)
    order = []
    while ready:
        v = ready.popleft()
        order.append(v)
        for w in after[v]:
            need[w] -= 1
            if need[w] == 0:
                ready.append(w)
    print(*order) if len(order) == n else print("IMPOSSIBLE")


main()
