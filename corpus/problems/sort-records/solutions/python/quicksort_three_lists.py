# Functional quicksort: a stable split into larger, equal and smaller scores.
import sys


def quick(part, scores):
    if len(part) < 2:
        return part
    pivot = scores[part[len(part) // 2]]
    larger = [i for i in part if scores[i] > pivot]
    equal = [i for i in part if scores[i] == pivot]
    smaller = [i for i in part if scores[i] < pivot]
    return quick(larger, scores) + equal + quick(smaller, scores)


def sort_order(scores):
    return quick(list(range(len(scores))), scores)


def main():
    readline = sys.stdin.readline
    n = int(readline())
    names, scores = [""] * n, [0] * n
    for i in range(n):
        names[i], score = readline().split()
        scores[i] = int(score)
    order = sort_order(scores)
    print("\n".join(f"{p} {names[i]} {scores[i]}" for p, i in enumerate(order, 1)))


main()
