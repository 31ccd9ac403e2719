# Reverse finishing order of a depth-first search.
import sys


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    n, m = data[0], data[1]
    after = [[] for _ in range(n + 1)]
    for i in range(m):
        after[data[2 * i + 2]].append(data[2 * i + 3])
    seen = bytearray(n + 1)
    done = []
    for root in range(1, n + 1):
        if seen[root]:
            continue
        seen[root] = 1
        stack = [(root, iter(after[root]))]
        while stack:
            v, it = stack[-1]
            for w in it:
                if not seen[w]:
                    seen[w] = 1
                    stack.append((w, iter(after[w])))
                    break
            else:
                done.append(v)
                stack.pop()
    print(*done[::-1])


main()
