# Quickhull with an explicit stack of edges and the points outside them.
import math
import sys


def perimeter(points):
    a, b = min(points), max(points)
    if a == b:
        return 0.0
    stack = [(a, b, points), (b, a, points)]
    total = 0.0
    while stack:
        a, b, candidates = stack.pop()
        ax, ay = a
        ux, uy = b[0] - ax, b[1] - ay
        best, far, outside = 0, None, []
        for p in candidates:
            side = ux * (p[1] - ay) - uy * (p[0] - ax)
            if side > 0:
                outside.append(p)
                if side > best:
                    best, far = side, p
        if far is None:
            total += math.hypot(ux, uy)
        else:
            stack.append((a, far, outside))
            stack.append((far, b, outside))
    return total


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    points = list(zip(data[1::2], data[2::2]))
    print("%.9f" % perimeter(points))


main()
