# Depth-first search with an explicit stack; the reverse of the finishing order.
import sys


def main():
    data = sys.stdin.buffer.read().split()
    n, m = int(data[0]), int(data[1])
    after = [[] for _ in range(n + 1)]
    for i in range(2, 2 * m + 2, 2):
        after[int(data[i])].append(int(data[i + 1]))
    state = bytearray(n + 1)               # 0 new, 1 open, 2 finished
    finished = []
    for root in range(1, n + 1):
        if state[root]:
            continue
        stack = [root]
        while stack:
            v = stack[-1]
            if state[v] == 0:
                state[v] = 1
                for w in after[v]:
                    if state[w] == 1:
                        print("IMPOSSIBLE")
                        return
                    if state[w] == 0:
                        stack.append(w)
            else:
                stack.pop()
                if state[v] == 1:
                    state[v] = 2
                    finished.append(v)
    print(" ".join(map(str, reversed(finished))))


main()
