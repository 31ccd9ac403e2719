# Tournament tree over packed keys: take the winner, replay its path.
import sys


def sort_order(scores):
    n = len(scores)
    size = 1
    while size < n:
        size *= 2
    nothing = 1 << 60
    tree = [nothing] * (2 * size)
    tree[size:size + n] = [(1000000000 - s) << 16 | i for i, s in enumerate(scores)]
    for v in range(size - 1, 0, -1):
        tree[v] = min(tree[2 * v], tree[2 * v + 1])
    order = []
    for _ in range(n):
        i = tree[1] & 65535
        order.append(i)
        v = size + i
        tree[v] = nothing
        while v > 1:
            x, y = tree[v], tree[v ^ 1]
            v >>= 1
            tree[v] = x if x < y else y
    return order


def main():
    data = sys.stdin.read().split()
    n = int(data[0])
    names = data[1:2 * n + 1:2]
    scores = [int(word) for word in data[2:2 * n + 1:2]]
    order = sort_order(scores)
    print("\n".join(f"{p} {names[i]} {scores[i]}" for p, i in enumerate(order, 1)))


main()
