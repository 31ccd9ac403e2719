# Sets of open prerequisites, peeled level by level.
import sys


def main():
    read = sys.stdin.readline
    n, m = map(int, read().split())
    before = {v: set() for v in range(1, n + 1)}
    after = {v: set() for v in range(1, n + 1)}
    for _ in range(m):
        a, b = map(int, read().split())
        before[b].add(a)
        after[a].add(b)
    level = [v for v in before if not before[v]]
    order = []
    while level:
        order += level
        upcoming = []
        for v in level:
            for w in after[v]:
                before[w].discard(v)
                if not before[w]:
                    upcoming.append(w)
        level = upcoming
    if len(order) < n:
        order = ["IMPOSSIBLE"]
    print(" ".join(map(str, order)))


main()
