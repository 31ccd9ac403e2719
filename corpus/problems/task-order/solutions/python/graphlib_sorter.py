# The standard library's topological sorter.
import sys
from graphlib import CycleError, TopologicalSorter


def main():
    n, m, *rest = map(int, sys.stdin.buffer.read().split())
    sorter = TopologicalSorter()
    for v in range(1, n + 1):
        sorter.add(v)
    it = iter(rest)
    for a, b in zip(it, it):
        sorter.add(b, a)
    try:
        print(*sorter.static_order())
    except CycleError:
        print("IMPOSSIBLE")


main()
