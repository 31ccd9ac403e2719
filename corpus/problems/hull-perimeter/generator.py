import math
import random

LIMIT = 10 ** 6
MAX_N = 40000
SIZES = {"": 40000}  # points, all of them corners of the hull but for a rest of 3


def _render(points):
    return "%d\n" % len(points) + "".join("%d %d\n" % p for p in points)


def _convex(rng, count, stretch):
    """At most count points in strictly convex position: steps along coprime vectors, ordered by angle."""
    quarter = count // 4
    reach = int(math.sqrt(quarter * stretch / 0.477)) + 4
    steps = []
    for a in range(1, reach):
        for b in range(1, reach // stretch + 2):
            if math.gcd(a, b) == 1:
                steps.append((a * a + stretch * stretch * b * b, a, b))
    steps.sort()
    steps = [(a, b) for _, a, b in steps[:quarter]]
    full = [(sa * a, sb * b) for a, b in steps for sa in (1, -1) for sb in (1, -1)]
    full.sort(key=lambda v: math.atan2(v[1], v[0]))
    points = []
    x = y = 0
    for dx, dy in full:
        points.append((x, y))
        x += dx
        y += dy
    x0, x1 = min(p[0] for p in points), max(p[0] for p in points)
    y0, y1 = min(p[1] for p in points), max(p[1] for p in points)
    tx = rng.randint(-LIMIT - x0, LIMIT - x1)
    ty = rng.randint(-LIMIT - y0, LIMIT - y1)
    return [(px + tx, py + ty) for px, py in points]


def _disc(rng, count, radius):
    points = []
    while len(points) < count:
        x, y = rng.randint(-radius, radius), rng.randint(-radius, radius)
        if x * x + y * y <= radius * radius:
            points.append((x, y))
    return points


def _boundary(rng, case):
    if case == 0:
        return [(rng.randint(-LIMIT, LIMIT), rng.randint(-LIMIT, LIMIT))]
    if case == 1:
        return [(7, -3)] * 9
    if case == 2:
        return [(-LIMIT, -LIMIT), (LIMIT, LIMIT)]
    if case == 3:
        points = [(3 * k - 50, 2 * k + 11) for k in range(60)] * 2
        rng.shuffle(points)
        return points
    if case == 4:
        corner = [(-LIMIT, -LIMIT), (LIMIT, -LIMIT), (LIMIT, LIMIT), (-LIMIT, LIMIT)]
        edge = [(rng.randint(-LIMIT, LIMIT), LIMIT) for _ in range(20)] + [(-LIMIT, rng.randint(-LIMIT, LIMIT)) for _ in range(20)]
        points = corner + edge
        rng.shuffle(points)
        return points
    if case == 5:
        points = [(x, y) for x in range(-6, 7) for y in range(-5, 6)]
        rng.shuffle(points)
        return points
    if case == 6:
        return [(5, rng.randint(-LIMIT, LIMIT)) for _ in range(50)]
    if case == 7:
        return [(rng.randint(-LIMIT, LIMIT), -9) for _ in range(50)]
    if case == 8:
        return [(0, 0), (1, 0), (0, 1)]
    if case == 9:
        return [(rng.choice((-2, 3)), 4) for _ in range(30)] + [(-2, 4), (3, 4)]
    if case == 10:
        return [(k - LIMIT, 0) for k in range(100)] + [(LIMIT, 1), (LIMIT, -1)]
    points = [(k, k * k) for k in range(-300, 300)]
    rng.shuffle(points)
    return points


def generate(seed: int, size: str) -> str:
    if size.isdigit():
        rng, n = random.Random(seed), int(size)
        points = _convex(rng, n, 1) if n > 3 else _disc(rng, n, LIMIT)
        points += rng.choices(points, k=n - len(points))
        rng.shuffle(points)
        return _render(points)
    rng = random.Random(f"{seed}-{size}")
    if size == "small":
        n = rng.randint(2, 8)
        return _render([(rng.randint(-4, 4), rng.randint(-4, 4)) for _ in range(n)])
    if size == "boundary":
        return _render(_boundary(rng, seed % 12))
    if size == "random":
        n = rng.randint(100, 1000)
        kind = rng.randrange(4)
        if kind == 0:
            points = [(rng.randint(-LIMIT, LIMIT), rng.randint(-LIMIT, LIMIT)) for _ in range(n)]
        elif kind == 1:
            points = [(rng.randint(-20, 20), rng.randint(-20, 20)) for _ in range(n)]
        elif kind == 2:
            points = _convex(rng, n, 1)
        else:
            points = [(int(rng.gauss(0, 100000)), int(rng.gauss(0, 30000))) for _ in range(n)]
            points = [(max(-LIMIT, min(LIMIT, x)), max(-LIMIT, min(LIMIT, y))) for x, y in points]
        rng.shuffle(points)
        return _render(points)
    n = MAX_N - rng.randint(0, 100)
    kind = seed % 4
    if kind == 0:
        points = _convex(rng, n, 1)
    elif kind == 1:
        points = _disc(rng, n - 500, LIMIT)
        points += rng.choices(points, k=500)
    elif kind == 2:
        points = _convex(rng, 6 * n // 10, 1)
        cx = sum(p[0] for p in points) // len(points)
        cy = sum(p[1] for p in points) // len(points)
        points += [(cx + x, cy + y) for x, y in _disc(rng, n - len(points), 150000)]
    else:
        points = _convex(rng, n, 2)
    rng.shuffle(points)
    return _render(points)
