# Cartesian tree: the root of a span answers all windows that contain it; short spans are cut off.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    a = [int(t) for t in data[2:2 + n]]
    left = [-1] * n
    right = [-1] * n
    stack = []
    for i in range(n):
        last = -1
        while stack and a[stack[-1]] < a[i]:
            last = stack.pop()
        left[i] = last
        if stack:
            right[stack[-1]] = i
        stack.append(i)
    res = [0] * (n - k + 1)
    work = [(stack[0], 0, n)]
    while work:
        v, lo, hi = work.pop()
        first = max(lo, v - k + 1)
        last = min(v, hi - k)
        res[first:last + 1] = [a[v]] * (last - first + 1)
        if v - lo >= k:
            work.append((left[v], lo, v))
        if hi - v - 1 >= k:
            work.append((right[v], v + 1, hi))
    sys.stdout.write(" ".join(map(str, res)) + "\n")


main()
