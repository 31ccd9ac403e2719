# Pack score and index into one integer and sort plain integers.
import sys
from array import array


def sort_order(scores):
    keys = [(-s << 16) + i for i, s in enumerate(scores)]
    keys.sort()
    return [key & 65535 for key in keys]


def main():
    lines = sys.stdin.read().splitlines()
    n = int(lines[0])
    names = []
    scores = array("q")
    for line in lines[1:n + 1]:
        name, _, score = line.partition(" ")
        names.append(name)
        scores.append(int(score))
    order = sort_order(scores)
    print("\n".join(f"{p} {names[i]} {scores[i]}" for p, i in enumerate(order, 1)))


main()
