# LSD radix sort with radix 2048: counts, prefix sums and three scatter passes.
import io
import sys
from array import array


def sort_order(scores):
    keys = [1000000000 - s for s in scores]
    n = len(keys)
    order = list(range(n))
    for shift in (0, 11, 22):
        digits = [key >> shift & 2047 for key in keys]
        start = [0] * 2049
        for d in digits:
            start[d + 1] += 1
        for d in range(2048):
            start[d + 1] += start[d]
        target = [0] * n
        for i in order:
            d = digits[i]
            target[start[d]] = i
            start[d] += 1
        order = target
    return order


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
    out = io.StringIO()
    for position, i in enumerate(order):
        out.write("{} {} {}\n".format(position + 1, names[i], scores[i]))
    print(out.getvalue(), end="")


main()
