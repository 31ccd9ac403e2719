# Lazy heap whose entries are one integer: value and index packed together.
import sys
from heapq import heappush, heappop, heapreplace


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    mask = (1 << 17) - 1
    heap = []
    out = []
    for i in range(n):
        e = (-int(data[i + 2]) << 17) | (mask - i)
        if heap and mask - (heap[0] & mask) <= i - k:
            heapreplace(heap, e)
            while mask - (heap[0] & mask) <= i - k:
                heappop(heap)
        else:
            heappush(heap, e)
        if i >= k - 1:
            out.append(-(heap[0] >> 17))
    sys.stdout.write(" ".join(map(str, out)) + "\n")


main()
