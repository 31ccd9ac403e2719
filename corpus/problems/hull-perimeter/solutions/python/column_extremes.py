# Keep the lowest and highest point of every x in dictionaries, then scan the columns.
import math


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
    low, high = {}, {}
    for x, y in points:
        if x not in low:
            low[x] = high[x] = y
        elif y < low[x]:
            low[x] = y
        elif y > high[x]:
            high[x] = y
    columns = sorted(low)
    bottom = half_hull([(x, low[x]) for x in columns])
    top = half_hull([(x, high[x]) for x in reversed(columns)])
    return length(bottom + top + bottom[:1])


def main():
    points = []
    for _ in range(int(input())):
        x, y = map(int, input().split())
        points.append((x, y))
    print("%.9f" % perimeter(points))


main()
