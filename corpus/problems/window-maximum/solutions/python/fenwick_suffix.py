# Fenwick tree over reversed positions: maximum of everything inserted at or after the window start.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    tree = [-10 ** 10] * (n + 1)
    out = []
    for i in range(n):
        x = int(data[i + 2])
        p = n - i
        while p <= n:
            if tree[p] < x:
                tree[p] = x
            p += p & -p
        if i >= k - 1:
            p = n - (i - k + 1)
            best = x
            while p > 0:
                if tree[p] > best:
                    best = tree[p]
                p &= p - 1
            out.append(best)
    sys.stdout.write(" ".join(map(str, out)) + "\n")


main()
