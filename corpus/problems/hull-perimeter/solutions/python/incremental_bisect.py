# Insert the points in input order into sorted lower and upper chains found by bisection.
import bisect
import math
import sys


def add(xs, ys, x, y):
    at = bisect.bisect_left(xs, x)
    if at < len(xs) and xs[at] == x:
        if ys[at] <= y:
            return
        ys[at] = y
    else:
        if 0 < at < len(xs):
            ax, ay = xs[at - 1], ys[at - 1]
            if (xs[at] - ax) * (y - ay) >= (ys[at] - ay) * (x - ax):
                return
        xs.insert(at, x)
        ys.insert(at, y)
    stop = at + 1
    while stop + 1 < len(xs) and (xs[stop] - x) * (ys[stop + 1] - y) <= (ys[stop] - y) * (xs[stop + 1] - x):
        stop += 1
    del xs[at + 1:stop], ys[at + 1:stop]
    start = at
    while start > 1 and (xs[start - 1] - xs[start - 2]) * (y - ys[start - 2]) <= (ys[start - 1] - ys[start - 2]) * (x - xs[start - 2]):
        start -= 1
    del xs[start:at], ys[start:at]


def perimeter(points):
    lower, upper = ([], []), ([], [])
    for x, y in points:
        add(*lower, x, y)
        add(*upper, x, -y)
    total = -upper[1][0] - lower[1][0] - upper[1][-1] - lower[1][-1]
    for xs, ys in (lower, upper):
        for i in range(1, len(xs)):
            total += math.hypot(xs[i] - xs[i - 1], ys[i] - ys[i - 1])
    return total


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    points = list(zip(data[1::2], data[2::2]))
    print("%.9f" % perimeter(points))


main()
