# Group the indices by score in a dictionary, then walk the distinct scores from the top.
import io
import sys


def sort_order(scores):
    groups = {}
    for i, s in enumerate(scores):
        groups.setdefault(s, []).append(i)
    order = []
    for s in sorted(groups, reverse=True):
        order.extend(groups[s])
    return order


def main():
    data = sys.stdin.read().split()
    n = int(data[0])
    names = data[1:2 * n + 1:2]
    scores = [int(word) for word in data[2:2 * n + 1:2]]
    order = sort_order(scores)
    out = io.StringIO()
    for position, i in enumerate(order):
        out.write("{} {} {}\n".format(position + 1, names[i], scores[i]))
    print(out.getvalue(), end="")


main()
