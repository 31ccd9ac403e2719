# The built-in stable sort of whole records with a key.
import sys


def main():
    data = sys.stdin.read().split()
    n = int(data[0])
    records = list(zip(data[1:2 * n + 1:2], map(int, data[2:2 * n + 1:2])))
    records.sort(key=lambda record: record[1], reverse=True)
    print("\n".join([f"{p} {name} {score}" for p, (name, score) in enumerate(records, 1)]))


main()
