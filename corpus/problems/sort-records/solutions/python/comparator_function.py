# The built-in sort driven by a three-way comparison function.
import functools
import sys


def compare(a, b):
    if a[1] == b[1]:
        return 0
    return -1 if a[1] > b[1] else 1


def main():
    rows = []
    for line in sys.stdin.readlines()[1:]:
        name, score = line.split()
        rows.append((name, int(score)))
    rows.sort(key=functools.cmp_to_key(compare))
    for i in range(len(rows)):
        rows[i] = "%d %s %d" % (i + 1, rows[i][0], rows[i][1])
    print(*rows, sep="\n")


main()
