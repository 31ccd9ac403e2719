# Max heap of (value, index) pairs; stale tops are dropped when they surface.
import sys
from heapq import heapify, heappush, heappop


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    a = list(map(int, data[2:2 + n]))
    heap = [(-a[i], -i) for i in range(k)]
    heapify(heap)
    out = [-heap[0][0]]
    for i in range(k, n):
        heappush(heap, (-a[i], -i))
        while -heap[0][1] <= i - k:
            heappop(heap)
        out.append(-heap[0][0])
    print(" ".join(map(str, out)))


main()
