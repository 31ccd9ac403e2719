# Monotonic deque that lets the front live one step too long.
import sys
from collections import deque


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    a = list(map(int, data[2:2 + n]))
    q = deque()
    out = []
    for i, x in enumerate(a):
        while q and a[q[-1]] <= x:
            q.pop()
        q.append(i)
        if q[0] < i - k:
            q.popleft()
        if i >= k - 1:
            out.append(a[q[0]])
    print(*out)


main()
