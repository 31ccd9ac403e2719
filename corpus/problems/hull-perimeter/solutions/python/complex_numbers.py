# Points as complex numbers: monotone chain with products of conjugates.
import sys


def half(points):
    hull = []
    for z in points:
        while len(hull) > 1 and ((hull[-1] - hull[-2]).conjugate() * (z - hull[-2])).imag <= 0:
            hull.pop()
        hull.append(z)
    return sum(abs(hull[i] - hull[i - 1]) for i in range(1, len(hull)))


def perimeter(points):
    zs = [complex(x, y) for x, y in sorted(points)]
    return half(zs) + half(zs[::-1])


def main():
    sys.stdin.readline()
    points = []
    for line in sys.stdin:
        x, _, y = line.partition(" ")
        points.append((int(x), int(y)))
    print("%.9f" % perimeter(points))


main()
