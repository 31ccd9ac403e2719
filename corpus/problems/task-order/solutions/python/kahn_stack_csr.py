# Edges in compressed rows (two flat arrays); free tasks are kept on a stack.
import sys
from array import array


def main():
    read = sys.stdin.buffer.readline
    n, m = map(int, read().split())
    src = array("i")
    dst = array("i")
    start = array("i", bytes(4 * (n + 2)))
    need = array("i", bytes(4 * (n + 1)))
    for _ in range(m):
        a, b = map(int, read().split())
        src.append(a)
        dst.append(b)
        start[a] += 1
        need[b] += 1
    for v in range(1, n + 2):
        start[v] += start[v - 1]
    to = array("i", bytes(4 * m))
    for a, b in zip(src, dst):
        start[a] -= 1
        to[start[a]] = b
    stack = array("i", [v for v in range(n, 0, -1) if not need[v]])
    order = array("i")
    while stack:
        v = stack.pop()
        order.append(v)
        for w in to[start[v]:start[v + 1]]:
            need[w] -= 1
            if not need[w]:
                stack.append(w)
    sys.stdout.write(" ".join(map(str, order)) if len(order) == n else "IMPOSSIBLE")
    sys.stdout.write("\n")


main()
