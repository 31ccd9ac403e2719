# Cut the array in blocks of k: each window is a block suffix plus a block prefix.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    a = [int(t) for t in data[2:2 + n]]
    pre = a[:]
    suf = a[:]
    for i in range(1, n):
        if i % k and pre[i - 1] > pre[i]:
            pre[i] = pre[i - 1]
    for i in range(n - 2, -1, -1):
        if (i + 1) % k and suf[i + 1] > suf[i]:
            suf[i] = suf[i + 1]
    out = []
    for i in range(n - k + 1):
        s = suf[i]
        p = pre[i + k - 1]
        out.append(s if s > p else p)
    sys.stdout.write(" ".join(map(str, out)) + "\n")


main()
