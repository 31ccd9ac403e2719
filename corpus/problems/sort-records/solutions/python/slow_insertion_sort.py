# Insertion sort that shifts the records one place at a time.
import sys


def main():
    data = sys.stdin.read().split()
    n = int(data[0])
    rows = []
    for k in range(n):
        name, score = data[2 * k + 1], int(data[2 * k + 2])
        rows.append((name, score))
        p = k
        while p > 0 and rows[p - 1][1] < score:
            rows[p] = rows[p - 1]
            p -= 1
        rows[p] = (name, score)
    for position, (name, score) in enumerate(rows, 1):
        print(position, name, score)


main()
