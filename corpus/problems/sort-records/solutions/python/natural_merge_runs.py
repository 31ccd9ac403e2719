# Natural merge sort: collect the falling and rising runs, merge neighbours until one is left.
import sys


def find_runs(scores):
    n = len(scores)
    runs = []
    i = 0
    while i < n:
        j = i + 1
        if j < n and scores[j] > scores[i]:
            while j < n and scores[j] > scores[j - 1]:
                j += 1
            runs.append(list(range(j - 1, i - 1, -1)))
        else:
            while j < n and scores[j] <= scores[j - 1]:
                j += 1
            runs.append(list(range(i, j)))
        i = j
    return runs


def merge(a, b, scores):
    result = []
    i = j = 0
    x, y = scores[a[0]], scores[b[0]]
    try:
        while True:
            if x >= y:
                result.append(a[i])
                i += 1
                x = scores[a[i]]
            else:
                result.append(b[j])
                j += 1
                y = scores[b[j]]
    except IndexError:
        return result + a[i:] + b[j:]


def sort_order(scores):
    runs = find_runs(scores)
    while len(runs) > 1:
        joined = [merge(runs[k], runs[k + 1], scores) for k in range(0, len(runs) - 1, 2)]
        if len(runs) % 2:
            joined.append(runs[-1])
        runs = joined
    return runs[0]


def main():
    readline = sys.stdin.readline
    n = int(readline())
    names, scores = [""] * n, [0] * n
    for i in range(n):
        names[i], score = readline().split()
        scores[i] = int(score)
    order = sort_order(scores)
    sys.stdout.write("".join(["%d %s %d\n" % (p, names[i], scores[i]) for p, i in enumerate(order, 1)]))


main()
