# Sort by rising score, then turn the whole list around.
import sys


def main():
    rows = [line.split() for line in sys.stdin.read().splitlines()[1:]]
    rows.sort(key=lambda row: int(row[1]))
    rows.reverse()
    for position, row in enumerate(rows, 1):
        print(position, row[0], row[1])


main()
