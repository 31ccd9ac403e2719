# Falling sequence kept in a preallocated list with head and tail marks.
import sys


def main():
    n, k = map(int, sys.stdin.readline().split())
    a = list(map(int, sys.stdin.readline().split()))
    vals = [0] * (n + 1)
    pos = [0] * (n + 1)
    head = 0
    tail = 0
    res = []
    for i in range(n):
        x = a[i]
        while tail > head and vals[tail - 1] <= x:
            tail -= 1
        vals[tail] = x
        pos[tail] = i
        tail += 1
        if pos[head] + k <= i:
            head += 1
        if i + 1 >= k:
            res.append(vals[head])
    sys.stdout.write(" ".join(map(str, res)) + "\n")


main()
