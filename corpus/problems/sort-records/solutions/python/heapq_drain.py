# Heapify pairs (-score, index) and pop them one by one.
import heapq
import sys


def sort_order(scores):
    heap = [(-s, i) for i, s in enumerate(scores)]
    heapq.heapify(heap)
    return [heapq.heappop(heap)[1] for _ in range(len(heap))]


def main():
    n = int(input())
    names = []
    scores = []
    for _ in range(n):
        name, score = input().split()
        names.append(name)
        scores.append(int(score))
    order = sort_order(scores)
    sys.stdout.write("".join(["%d %s %d\n" % (p, names[i], scores[i]) for p, i in enumerate(order, 1)]))


main()
