# Sort the records by score and number them.
import sys


def main():
    data = sys.stdin.read().split()
    rows = sorted(zip(map(int, data[2::2]), range(len(data)), data[1::2]))
    print("\n".join(f"{p} {name} {score}" for p, (score, _, name) in enumerate(rows, 1)))


main()
