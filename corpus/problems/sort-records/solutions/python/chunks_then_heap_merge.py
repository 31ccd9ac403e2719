# Sort chunks of a thousand records and join them with a k-way heap merge.
import heapq
import sys
from array import array


def sort_order(scores):
    chunks = []
    for lo in range(0, len(scores), 1000):
        chunks.append(sorted((-s, lo + i) for i, s in enumerate(scores[lo:lo + 1000])))
    return [i for _, i in heapq.merge(*chunks)]


def main():
    lines = sys.stdin.read().splitlines()
    n = int(lines[0])
    names = []
    scores = array("q")
    for line in lines[1:n + 1]:
        name, _, score = line.partition(" ")
        names.append(name)
        scores.append(int(score))
    order = sort_order(scores)
    for position, i in enumerate(order, 1):
        print(position, names[i], scores[i])


main()
