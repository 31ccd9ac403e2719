# Looks through all rules again for every task that is placed.
import sys


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    n, m = data[0], data[1]
    edges = [(data[2 * i + 2], data[2 * i + 3]) for i in range(m)]
    done = [False] * (n + 1)
    order = []
    while len(order) < n:
        blocked = done[:]
        for a, b in edges:
            if not done[a]:
                blocked[b] = True
        free = 1
        while free <= n and blocked[free]:
            free += 1
        if free > n:
            print("IMPOSSIBLE")
            return
        done[free] = True
        order.append(free)
    print(*order)


main()
