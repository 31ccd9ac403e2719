# Blocks of bounded length kept in order; bisect finds the block and the place in it.
import bisect
import sys
from array import array


def sort_order(scores):
    blocks = [[]]
    firsts = [-1]
    for i, s in enumerate(scores):
        key = (1000000000 - s) << 16 | i
        b = bisect.bisect_right(firsts, key) - 1
        block = blocks[b]
        bisect.insort(block, key)
        if len(block) > 600:
            tail = block[300:]
            del block[300:]
            blocks.insert(b + 1, tail)
            firsts.insert(b + 1, tail[0])
    return [key & 65535 for block in blocks for key in block]


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
    sys.stdout.write("".join(["%d %s %d\n" % (p, names[i], scores[i]) for p, i in enumerate(order, 1)]))


main()
