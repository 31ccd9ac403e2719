# Square root blocks: partial maxima inside blocks, whole blocks between them remembered for each pair.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    a = list(map(int, data[2:2 + n]))
    size = max(1, int(n ** 0.5))
    tops = []
    pre = []
    suf = []
    for s in range(0, n, size):
        part = a[s:s + size]
        m = part[0]
        for x in part:
            if x > m:
                m = x
            pre.append(m)
        tops.append(m)
        tail = []
        m = part[-1]
        for x in reversed(part):
            if x > m:
                m = x
            tail.append(m)
        suf.extend(reversed(tail))
    out = []
    known = (-1, -1)
    middle = 0
    for lo in range(n - k + 1):
        hi = lo + k - 1
        p = lo // size
        q = hi // size
        if p == q:
            out.append(max(a[lo:hi + 1]))
            continue
        if known != (p, q):
            known = (p, q)
            middle = max(tops[p + 1:q], default=-10 ** 10)
        out.append(max(suf[lo], middle, pre[hi]))
    sys.stdout.write(" ".join(map(str, out)) + "\n")


main()
