# Bottom-up merge sort on packed integer keys with generators of pairs.
import sys


def merge(a, b):
    result = []
    append = result.append
    a.reverse()
    b.reverse()
    while a and b:
        append(a.pop() if a[-1] < b[-1] else b.pop())
    a.reverse()
    b.reverse()
    return result + a + b


def sort_order(scores):
    runs = [[(1000000000 - s) << 16 | i] for i, s in enumerate(scores)]
    while len(runs) > 1:
        odd = runs.pop() if len(runs) % 2 else None
        runs = [merge(runs[r], runs[r + 1]) for r in range(0, len(runs), 2)]
        if odd is not None:
            runs.append(odd)
    return [key & 65535 for key in runs[0]]


def main():
    data = sys.stdin.buffer.read().split()
    n = int(data[0])
    names = [w.decode() for w in data[1:2 * n + 1:2]]
    scores = list(map(int, data[2:2 * n + 1:2]))
    order = sort_order(scores)
    write = sys.stdout.write
    place = 0
    for i in order:
        place += 1
        write(str(place) + " " + names[i] + " " + str(scores[i]) + "\n")


main()
