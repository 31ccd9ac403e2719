# Largest values first: paint all still empty window starts they reach, skipping with union-find.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    a = list(map(int, data[2:2 + n]))
    m = n - k + 1
    free = list(range(m + 1))
    res = [0] * m
    for i in sorted(range(n), key=a.__getitem__, reverse=True):
        p = i - k + 1
        if p < 0:
            p = 0
        while free[p] != p:
            free[p] = free[free[p]]
            p = free[p]
        while p <= i and p < m:
            res[p] = a[i]
            free[p] = p + 1
            p += 1
            while free[p] != p:
                free[p] = free[free[p]]
                p = free[p]
    sys.stdout.write(" ".join(map(str, res)) + "\n")


main()
