# Drop the points strictly inside the quadrilateral of extreme points, then monotone chain.
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
    west = min(points)
    east = max(points)
    south = min(points, key=lambda p: p[1])
    north = max(points, key=lambda p: p[1])
    kept = {west, south, east, north}
    for (ax, ay), (bx, by) in ((west, south), (south, east), (east, north), (north, west)):
        ux, uy = bx - ax, by - ay
        bound = ux * ay - uy * ax
        kept.update([p for p in points if ux * p[1] - uy * p[0] < bound])
    kept = sorted(kept)
    return length(half_hull(kept)) + length(half_hull(kept[::-1]))


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    points = list(zip(data[1::2], data[2::2]))
    print("%.9f" % perimeter(points))


main()
