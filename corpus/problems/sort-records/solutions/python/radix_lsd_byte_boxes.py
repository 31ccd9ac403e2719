# LSD radix sort, four passes with 256 boxes.
import sys


def sort_order(scores):
    keys = [1000000000 - s for s in scores]
    order = list(range(len(keys)))
    for shift in (0, 8, 16, 24):
        boxes = [[] for _ in range(256)]
        for i in order:
            boxes[keys[i] >> shift & 255].append(i)
        order = []
        for box in boxes:
            order += box
    return order


def main():
    data = sys.stdin.read().split()
    n = int(data[0])
    names = data[1:2 * n + 1:2]
    scores = [int(word) for word in data[2:2 * n + 1:2]]
    order = sort_order(scores)
    print("\n".join(f"{p} {names[i]} {scores[i]}" for p, i in enumerate(order, 1)))


main()
