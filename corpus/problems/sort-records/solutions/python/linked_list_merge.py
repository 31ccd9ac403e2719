# Merge sort of a linked list that is kept as an array of successors.
import sys


def merge(a, b, scores, link):
    head = tail = -1
    while a >= 0 and b >= 0:
        if scores[a] >= scores[b]:
            taken, a = a, link[a]
        else:
            taken, b = b, link[b]
        if tail < 0:
            head = taken
        else:
            link[tail] = taken
        tail = taken
    link[tail] = a if a >= 0 else b
    return head


def sort_order(scores):
    n = len(scores)
    link = [-1] * n
    heads = []
    for i in range(n):
        size, head = 1, i
        while heads and heads[-1][0] == size:
            head = merge(heads.pop()[1], head, scores, link)
            size *= 2
        heads.append((size, head))
    head = heads.pop()[1]
    while heads:
        head = merge(heads.pop()[1], head, scores, link)
    order = []
    while head >= 0:
        order.append(head)
        head = link[head]
    return order


def main():
    data = sys.stdin.buffer.read().split()
    n = int(data[0])
    names = [w.decode() for w in data[1:2 * n + 1:2]]
    scores = list(map(int, data[2:2 * n + 1:2]))
    order = sort_order(scores)
    sys.stdout.write("".join(["%d %s %d\n" % (p, names[i], scores[i]) for p, i in enumerate(order, 1)]))


main()
