# Monotone chain; the lengths of the sides of the polygon are added up.
import math
import sys


def half_hull(points):
    hull = []
    for x, y in points:
        while len(hull) > 1:
            (ax, ay), (bx, by) = hull[-2:]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                break
            hull.pop()
        hull.append((x, y))
    return hull


def length(chain):
    return sum(map(math.dist, chain, chain[1:]))


def perimeter(points):
    points = sorted(set(points))
    hull = half_hull(points)[:-1] + half_hull(points[::-1])[:-1]
    return length(hull)


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    points = list(zip(data[1::2], data[2::2]))
    print("%.9f" % perimeter(points))


main()
