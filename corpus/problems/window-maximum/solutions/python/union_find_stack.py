# Offline range maximum by Tarjan: popped stack elements are linked to what beat them.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    a = list(map(int, data[2:2 + n]))
    up = list(range(n))
    stack = []
    out = []
    for i in range(n):
        x = a[i]
        while stack and a[stack[-1]] <= x:
            up[stack.pop()] = i
        stack.append(i)
        s = i - k + 1
        if s >= 0:
            root = s
            while up[root] != root:
                root = up[root]
            while up[s] != root:
                up[s], s = root, up[s]
            out.append(a[root])
    sys.stdout.write(" ".join(map(str, out)) + "\n")


main()
