# Carry the maximum along; when it leaves, look it up again among a table of short piece maxima.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    a = list(map(int, data[2:2 + n]))
    levels = [a]
    while len(levels[-1]) > 8:
        p = levels[-1]
        levels.append([max(p[i:i + 8]) for i in range(0, len(p), 8)])

    def query(lo, hi):
        best = a[lo]
        for row in levels:
            if hi - lo <= 16:
                return max(best, max(row[lo:hi], default=best))
            nl = (lo + 7) >> 3
            nh = hi >> 3
            for x in row[lo:nl << 3]:
                if x > best:
                    best = x
            for x in row[nh << 3:hi]:
                if x > best:
                    best = x
            lo = nl
            hi = nh
        return best

    cur = query(0, k)
    out = [cur]
    for i in range(k, n):
        x = a[i]
        if x >= cur:
            cur = x
        elif a[i - k] == cur:
            cur = query(i - k + 1, i + 1)
        out.append(cur)
    sys.stdout.write(" ".join(map(str, out)) + "\n")


main()
