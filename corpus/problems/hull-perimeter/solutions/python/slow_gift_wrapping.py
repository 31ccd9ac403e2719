# Gift wrapping: every step looks through all points for the next corner.
import math
import sys


def perimeter(points):
    points = list(dict.fromkeys(points))
    start = min(points)
    if len(points) == 1:
        return 0.0
    total = 0.0
    at = start
    while True:
        ax, ay = at
        best = None
        for p in points:
            if p == at:
                continue
            if best is None:
                best, ux, uy = p, p[0] - ax, p[1] - ay
                continue
            vx, vy = p[0] - ax, p[1] - ay
            turn = ux * vy - uy * vx
            if turn < 0 or turn == 0 and vx * vx + vy * vy > ux * ux + uy * uy:
                best, ux, uy = p, vx, vy
        total += math.hypot(ux, uy)
        at = best
        if at == start:
            return total


def main():
    data = list(map(int, sys.stdin.buffer.read().split()))
    points = list(zip(data[1::2], data[2::2]))
    print("%.9f" % perimeter(points))


main()
