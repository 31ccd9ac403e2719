# Sort a permutation of the indices by score.
import sys


def sort_order(scores):
    return sorted(range(len(scores)), key=scores.__getitem__, reverse=True)


def main():
    data = sys.stdin.buffer.read().split()
    n = int(data[0])
    names = [w.decode() for w in data[1:2 * n + 1:2]]
    scores = list(map(int, data[2:2 * n + 1:2]))
    order = sort_order(scores)
    sys.stdout.write("".join(["%d %s %d\n" % (p, names[i], scores[i]) for p, i in enumerate(order, 1)]))


main()
