# Record objects with their own ordering, sorted directly.
import sys


class Record:
    __slots__ = ("name", "score")

    def __init__(self, line):
        self.name, score = line.split()
        self.score = int(score)

    def __lt__(self, other):
        return self.score > other.score


def main():
    sys.stdin.readline()
    for position, record in enumerate(sorted(map(Record, sys.stdin)), 1):
        sys.stdout.write(f"{position} {record.name} {record.score}\n")


main()
