# Compress the scores to ranks, then one stable counting pass.
import sys


def sort_order(scores):
    distinct = sorted(set(scores), reverse=True)
    rank = {s: r for r, s in enumerate(distinct)}
    start = [0] * (len(distinct) + 1)
    for s in scores:
        start[rank[s] + 1] += 1
    for r in range(len(distinct)):
        start[r + 1] += start[r]
    order = [0] * len(scores)
    for i, s in enumerate(scores):
        r = rank[s]
        order[start[r]] = i
        start[r] += 1
    return order


def main():
    n = int(input())
    names = []
    scores = []
    for _ in range(n):
        name, score = input().split()
        names.append(name)
        scores.append(int(score))
    order = sort_order(scores)
    write = sys.stdout.write
    place = 0
    for i in order:
        place += 1
        write(str(place) + " " + names[i] + " " + str(scores[i]) + "\n")


main()
