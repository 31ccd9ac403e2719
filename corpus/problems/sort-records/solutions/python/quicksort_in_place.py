# In-place quicksort on packed keys with an explicit stack and a final insertion pass.
import sys


def sort_order(scores):
    a = [(1000000000 - s) << 16 | i for i, s in enumerate(scores)]
    stack = [(0, len(a) - 1)]
    while stack:
        lo, hi = stack.pop()
        while hi - lo > 12:
            pivot = sorted((a[lo], a[(lo + hi) >> 1], a[hi]))[1]
            i, j = lo, hi
            while i <= j:
                while a[i] < pivot:
                    i += 1
                while a[j] > pivot:
                    j -= 1
                if i <= j:
                    a[i], a[j] = a[j], a[i]
                    i += 1
                    j -= 1
            stack.append((lo, j))
            lo = i
    for p in range(1, len(a)):
        key = a[p]
        while p and a[p - 1] > key:
            a[p] = a[p - 1]
            p -= 1
        a[p] = key
    return [key & 65535 for key in a]


def main():
    data = sys.stdin.buffer.read().split()
    n = int(data[0])
    names = [w.decode() for w in data[1:2 * n + 1:2]]
    scores = list(map(int, data[2:2 * n + 1:2]))
    order = sort_order(scores)
    sys.stdout.write("".join(["%d %s %d\n" % (p, names[i], scores[i]) for p, i in enumerate(order, 1)]))


main()
