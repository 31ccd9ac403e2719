# MSD radix sort with an explicit stack; small groups go to the built-in sort.
import sys


def sort_order(scores):
    keys = [1000000000 - s for s in scores]
    order = []
    stack = [(24, list(range(len(keys))))]
    while stack:
        shift, group = stack.pop()
        if shift < 0 or len(group) == 1:
            order += group
        elif len(group) < 40:
            group.sort(key=keys.__getitem__)
            order += group
        else:
            boxes = {}
            for i in group:
                boxes.setdefault(keys[i] >> shift & 255, []).append(i)
            for digit in sorted(boxes, reverse=True):
                stack.append((shift - 8, boxes[digit]))
    return order


def main():
    data = sys.stdin.buffer.read().split()
    n = int(data[0])
    names = [w.decode() for w in data[1:2 * n + 1:2]]
    scores = list(map(int, data[2:2 * n + 1:2]))
    order = sort_order(scores)
    for position, i in enumerate(order, 1):
        print(position, names[i], scores[i])


main()
