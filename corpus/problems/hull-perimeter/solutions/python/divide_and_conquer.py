# Divide and conquer on the sorted points: join the chains of the two halves.
import math
import sys


def join(chain, tail, sign):
    for p in tail:
        while len(chain) > 1:
            a, b = chain[-2], chain[-1]
            if sign * ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])) > 0:
                break
            chain.pop()
        chain.append(p)
    return chain


def solve(points, lo, hi):
    if hi - lo < 3:
        return points[lo:hi], points[lo:hi]
    mid = (lo + hi) // 2
    lower, upper = solve(points, lo, mid)
    right_lower, right_upper = solve(points, mid, hi)
    return join(lower, right_lower, 1), join(upper, right_upper, -1)


def perimeter(points):
    points = sorted(set(points))
    total = 0.0
    for chain in solve(points, 0, len(points)):
        for a, b in zip(chain, chain[1:]):
            total += math.hypot(a[0] - b[0], a[1] - b[1])
    return total


def main():
    sys.stdin.readline()
    points = []
    for line in sys.stdin:
        x, _, y = line.partition(" ")
        points.append((int(x), int(y)))
    print("%.9f" % perimeter(points))


main()
