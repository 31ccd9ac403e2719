# Bottom-up heap sort by hand on packed keys.
import sys


def sift(heap, root, size):
    value = heap[root]
    start = root
    child = 2 * root + 1
    while child + 1 < size:
        if heap[child + 1] > heap[child]:
            child += 1
        heap[root] = heap[child]
        root = child
        child = 2 * root + 1
    if child < size:
        heap[root] = heap[child]
        root = child
    while root > start:
        parent = (root - 1) >> 1
        if heap[parent] >= value:
            break
        heap[root] = heap[parent]
        root = parent
    heap[root] = value


def sort_order(scores):
    heap = [(1000000000 - s) << 16 | i for i, s in enumerate(scores)]
    for root in range(len(heap) // 2 - 1, -1, -1):
        sift(heap, root, len(heap))
    for end in range(len(heap) - 1, 0, -1):
        heap[0], heap[end] = heap[end], heap[0]
        sift(heap, 0, end)
    return [key & 65535 for key in heap]


def main():
    data = sys.stdin.read().split()
    n = int(data[0])
    names = data[1:2 * n + 1:2]
    scores = [int(word) for word in data[2:2 * n + 1:2]]
    order = sort_order(scores)
    sys.stdout.write("".join(["%d %s %d\n" % (p, names[i], scores[i]) for p, i in enumerate(order, 1)]))


main()
