# Sorted multiset of the window held as short sorted buckets.
import sys
from bisect import bisect_left, insort


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    a = list(map(int, data[2:2 + n]))
    first = sorted(a[:k])
    step = 500
    buckets = [first[i:i + step] for i in range(0, k, step)]
    tops = [b[-1] for b in buckets]
    out = [tops[-1]]
    for i in range(k, n):
        x = a[i]
        p = bisect_left(tops, x)
        if p == len(tops):
            p -= 1
        b = buckets[p]
        insort(b, x)
        tops[p] = b[-1]
        if len(b) > 2 * step:
            buckets[p:p + 1] = [b[:step], b[step:]]
            tops[p:p + 1] = [b[step - 1], b[-1]]
        y = a[i - k]
        p = bisect_left(tops, y)
        b = buckets[p]
        del b[bisect_left(b, y)]
        if b:
            tops[p] = b[-1]
        else:
            del buckets[p]
            del tops[p]
        out.append(tops[-1])
    sys.stdout.write(" ".join(map(str, out)) + "\n")


main()
