# Tournament tree with k leaves used as a ring: every new value overwrites the oldest.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    a = [int(t) for t in data[2:2 + n]]
    size = 1
    while size < k:
        size *= 2
    low = -10 ** 10
    tree = [low] * size + a[:k] + [low] * (size - k)
    for i in range(size - 1, 0, -1):
        tree[i] = max(tree[2 * i], tree[2 * i + 1])
    out = [tree[1]]
    slot = size
    for i in range(k, n):
        x = a[i]
        p = slot
        tree[p] = x
        while p > 1:
            y = tree[p ^ 1]
            if y > x:
                x = y
            p >>= 1
            if tree[p] == x:
                break
            tree[p] = x
        out.append(tree[1])
        slot += 1
        if slot == size + k:
            slot = size
    sys.stdout.write(" ".join(map(str, out)) + "\n")


main()
