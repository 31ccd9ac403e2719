# Follow links to the next greater element while they stay inside the window.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, k = int(data[0]), int(data[1])
    a = list(map(int, data[2:2 + n]))
    nxt = [n] * n
    stack = []
    for i in range(n):
        while stack and a[stack[-1]] < a[i]:
            nxt[stack.pop()] = i
        stack.append(i)
    out = []
    j = 0
    for s in range(n - k + 1):
        if j < s:
            j = s
        end = s + k
        while nxt[j] < end:
            j = nxt[j]
        out.append(a[j])
    sys.stdout.write(" ".join(map(str, out)) + "\n")


main()
