# Block maxima whose running value starts from zero.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    a = [int(t) for t in data[2:2 + n]]
    pre = []
    m = 0
    for i in range(n):
        m = a[i] if i % k == 0 and a[i] > 0 else (0 if i % k == 0 else max(m, a[i]))
        pre.append(m)
    suf = [0] * n
    m = 0
    for i in range(n - 1, -1, -1):
        if (i + 1) % k == 0:
            m = 0
        m = max(m, a[i])
        suf[i] = m
    print(*[max(suf[i], pre[i + k - 1]) for i in range(n - k + 1)])


main()
