# Bottom-up segment tree over the whole array, one range query for each window.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    tree = [0] * n + [int(t) for t in data[2:2 + n]]
    for i in range(n - 1, 0, -1):
        x = tree[2 * i]
        y = tree[2 * i + 1]
        tree[i] = x if x > y else y
    out = []
    for s in range(n - k + 1):
        lo = s + n
        hi = lo + k
        best = tree[lo]
        while lo < hi:
            if lo & 1:
                if tree[lo] > best:
                    best = tree[lo]
                lo += 1
            if hi & 1:
                hi -= 1
                if tree[hi] > best:
                    best = tree[hi]
            lo >>= 1
            hi >>= 1
        out.append(best)
    sys.stdout.write(" ".join(map(str, out)) + "\n")


main()
