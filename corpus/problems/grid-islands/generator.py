import math
import random

SIDE = 600
SIZES = {"": 360000}  # cells


def noise(rng, rows, cols, p):
    return [[1 if rng.random() < p else 0 for _ in range(cols)] for _ in range(rows)]


def snake(rng, rows, cols):
    """Corridors row by row, joined at alternating ends, with a few cuts near the end."""
    g = [[0] * cols for _ in range(rows)]
    right = rng.random() < 0.5
    for r in range(rows):
        if r % 2 == 0:
            g[r] = [1] * cols
        else:
            g[r][cols - 1 if right else 0] = 1
            right = not right
    for _ in range(rng.randint(0, 6)):
        r = rng.randrange(rows * 4 // 5, rows) if rows > 5 else rng.randrange(rows)
        g[r][rng.randrange(cols)] = 0
    return g


def spiral(rng, rows, cols):
    g = [[0] * cols for _ in range(rows)]
    r, c = 0, 0
    g[0][0] = 1
    steps = ((0, 1), (1, 0), (0, -1), (-1, 0))
    d = 0
    stuck = 0

    def free(y, x):
        return 0 <= y < rows and 0 <= x < cols and not g[y][x]

    while stuck < 2:
        dr, dc = steps[d]
        y, x = r + dr, c + dc
        beyond_y, beyond_x = y + dr, x + dc
        inside = 0 <= beyond_y < rows and 0 <= beyond_x < cols
        if free(y, x) and not (inside and g[beyond_y][beyond_x]):
            g[y][x] = 1
            r, c = y, x
            stuck = 0
        else:
            d = (d + 1) % 4
            stuck += 1
    for _ in range(rng.randint(0, 4)):
        y = rng.randrange(rows * 2 // 5, rows * 3 // 5 + 1)
        x = rng.randrange(cols * 2 // 5, cols * 3 // 5 + 1)
        if y < rows and x < cols:
            g[y][x] = 0
    return g


def maze(rng, rows, cols):
    """Depth-first maze: rooms at even coordinates, long winding corridors, a few walls too many."""
    g = [[0] * cols for _ in range(rows)]
    g[0][0] = 1
    path = [(0, 0)]
    steps = [(0, 1), (1, 0), (0, -1), (-1, 0)]
    while path:
        r, c = path[-1]
        rng.shuffle(steps)
        for dr, dc in steps:
            y, x = r + 2 * dr, c + 2 * dc
            if 0 <= y < rows and 0 <= x < cols and not g[y][x]:
                g[r + dr][c + dc] = g[y][x] = 1
                path.append((y, x))
                break
        else:
            path.pop()
    for _ in range(rng.randint(0, 3)):
        g[rng.randrange(rows)][rng.randrange(cols)] = 0
    return g


def blobs(rng, rows, cols):
    g = [[0] * cols for _ in range(rows)]
    for _ in range(rows * cols // 40 + 1):
        h, w = rng.randint(1, 5), rng.randint(1, 5)
        r, c = rng.randrange(rows), rng.randrange(cols)
        for y in range(r, min(rows, r + h)):
            for x in range(c, min(cols, c + w)):
                g[y][x] ^= 1
    return g


def rings(rows, cols):
    return [[(min(r, c, rows - 1 - r, cols - 1 - c) + 1) % 2 for c in range(cols)] for r in range(rows)]


def transpose(g):
    return [list(row) for row in zip(*g)]


def turn(rng, g):
    if rng.random() < 0.5:
        g = g[::-1]
    if rng.random() < 0.5:
        g = [row[::-1] for row in g]
    return g


def boundary(seed, rng):
    cases = [
        lambda: [[1]],
        lambda: [[0]],
        lambda: [[0, 1, 1], [1, 0, 0]],
        lambda: [[(r + c) % 2 for c in range(9)] for r in range(9)],
        lambda: [[1] * 7 for _ in range(7)],
        lambda: [[1, 0, 1, 0, 1], [1, 0, 1, 0, 1], [1, 1, 1, 1, 1]],
        lambda: [[0] * 6 for _ in range(5)],
        lambda: [[1, 0, 1, 1, 0, 1, 0]],
        lambda: [[1], [0], [1], [1], [0], [0], [1]],
        lambda: [[1, 1, 1, 1, 1], [1, 0, 0, 0, 1], [1, 0, 1, 0, 1], [1, 0, 0, 0, 1], [1, 1, 1, 1, 1]],
        lambda: rings(17, 23),
        lambda: spiral(rng, 15, 15),
        lambda: snake(rng, 12, 13),
        lambda: [[1 if c % 2 == 0 or r == 19 else 0 for c in range(21)] for r in range(20)],
        lambda: [[1 if r % 2 == 0 or c == 0 else 0 for c in range(20)] for r in range(21)],
        lambda: [[1 if c == r else 0 for c in range(10)] for r in range(10)],
        lambda: [[1 if c in (r, r + 1) else 0 for c in range(12)] for r in range(10)],
        lambda: [[1 if c == 0 or c == 9 else 0 for c in range(10)] for r in range(10)],
        lambda: [[1] * SIDE],
        lambda: [[1] for _ in range(SIDE)],
    ]
    return cases[seed % len(cases)]()


def render(g):
    return "[" + ",".join("[" + ",".join(map(str, row)) + "]" for row in g) + "]\n"


def generate(seed: int, size: str) -> str:
    if size.isdigit():
        side = math.isqrt(int(size))
        return render(snake(random.Random(seed), side, int(size) // side))
    rng = random.Random(f"{seed}-{size}")
    if size == "small":
        g = noise(rng, rng.randint(1, 5), rng.randint(1, 5), rng.choice([0.4, 0.5, 0.6, 0.7]))
    elif size == "boundary":
        g = boundary(seed, rng)
    elif size == "random":
        rows, cols = rng.randint(10, 30), rng.randint(10, 30)
        kind = seed % 4
        if kind == 0:
            g = noise(rng, rows, cols, rng.choice([0.45, 0.55, 0.62]))
        elif kind == 1:
            g = blobs(rng, rows, cols)
        elif kind == 2:
            g = turn(rng, maze(rng, rows, cols))
        else:
            g = turn(rng, spiral(rng, rows, cols))
    else:
        rows, cols = SIDE - rng.randint(0, 8), SIDE - rng.randint(0, 8)
        kind = seed % 6
        if kind == 0:
            g = turn(rng, snake(rng, rows, cols))
        elif kind == 1:
            g = noise(rng, SIDE, SIDE, rng.choice([0.5, 0.6, 0.65]))
        elif kind == 2:
            g = turn(rng, spiral(rng, rows, cols))
        elif kind == 3:
            g = turn(rng, maze(rng, rows, cols))
        elif kind == 4:
            g = turn(rng, transpose(snake(rng, cols, rows)))
        else:
            g = rng.choice([
                lambda: [[1] * SIDE for _ in range(SIDE)],
                lambda: [[(r + c) % 2 for c in range(SIDE)] for r in range(SIDE)],
                lambda: rings(SIDE, SIDE),
                lambda: blobs(rng, SIDE, SIDE),
            ])()
    return render(g)
