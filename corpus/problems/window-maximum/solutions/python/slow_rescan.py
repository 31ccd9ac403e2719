# Scans every window from scratch.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    a = list(map(int, data[2:2 + n]))
    out = []
    for s in range(n - k + 1):
        best = a[s]
        for j in range(s + 1, s + k):
            if a[j] > best:
                best = a[j]
        out.append(best)
    print(*out)


main()
