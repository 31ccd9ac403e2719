# Graham scan: sort by atan2 around the lowest point, keep the farthest point of each direction.
import math
import sys


def perimeter(points):
    px, py = min(points, key=lambda p: (p[1], p[0]))
    rays = []
    for x, y in set(points):
        if (x, y) != (px, py):
            dx, dy = x - px, y - py
            rays.append((math.atan2(dy, dx), dx, dy))
    rays.sort()
    front = []
    for _, dx, dy in rays:
        if front and front[-1][0] * dy == front[-1][1] * dx:
            if dx * dx + dy * dy > front[-1][0] ** 2 + front[-1][1] ** 2:
                front[-1] = (dx, dy)
        else:
            front.append((dx, dy))
    hull = [(0, 0)]
    for cx, cy in front:
        while len(hull) > 1:
            ax, ay = hull[-2]
            bx, by = hull[-1]
            if (bx - ax) * (cy - ay) > (by - ay) * (cx - ax):
                break
            hull.pop()
        hull.append((cx, cy))
    total = 0.0
    for i in range(len(hull)):
        total += math.hypot(hull[i][0] - hull[i - 1][0], hull[i][1] - hull[i - 1][1])
    return total


def main():
    sys.stdin.readline()
    points = []
    for line in sys.stdin:
        x, _, y = line.partition(" ")
        points.append((int(x), int(y)))
    print("%.9f" % perimeter(points))


main()
