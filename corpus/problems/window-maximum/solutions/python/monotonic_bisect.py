# The falling sequence is sorted, so the cut for a new value is found by bisection.
import sys
from bisect import bisect_left


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    neg = [-int(t) for t in data[2:2 + n]]
    keys = []
    idx = []
    head = 0
    out = []
    for i, x in enumerate(neg):
        p = bisect_left(keys, x, head)
        del keys[p:]
        del idx[p:]
        keys.append(x)
        idx.append(i)
        if idx[head] <= i - k:
            head += 1
        if i >= k - 1:
            out.append(-keys[head])
    sys.stdout.write(" ".join(map(str, out)) + "\n")


main()
