import random

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LIMIT = 10 ** 9
MAX_N = 40000
SIZES = {"": 40000}  # records


def _name(rng, low, high):
    return "".join(rng.choices(LETTERS, k=rng.randint(low, high)))


def _render(rows):
    return "%d\n" % len(rows) + "".join("%s %d\n" % row for row in rows)


def _boundary(rng, case):
    if case == 0:
        return [(_name(rng, 1, 12), rng.randint(-LIMIT, LIMIT))]
    if case == 1:
        return [(_name(rng, 1, 3), 0) for _ in range(rng.randint(2, 60))]
    if case == 2:
        return [(_name(rng, 12, 12), rng.choice((-LIMIT, LIMIT))) for _ in range(80)]
    if case == 3:
        return [(_name(rng, 1, 12), 100 - i // 2) for i in range(200)]
    if case == 4:
        return [(_name(rng, 1, 12), i // 3 - 40) for i in range(240)]
    if case == 5:
        return [("same", rng.randint(-3, 3)) for _ in range(100)]
    if case == 6:
        return [(LETTERS[i], -5) for i in range(2)]
    if case == 7:
        return [(_name(rng, 1, 12), rng.choice((-LIMIT, -1, 0, 1, LIMIT))) for _ in range(300)]
    if case == 8:
        return [(_name(rng, 1, 12), i % 2) for i in range(257)]
    scores = [-LIMIT, LIMIT, -LIMIT + 1, LIMIT - 1, 9, 10, -9, -10, 99, 100, 65535, 65536, -65536]
    return [(_name(rng, 1, 12), s) for s in scores]


def generate(seed: int, size: str) -> str:
    if size.isdigit():
        rng = random.Random(seed)
        return _render([(_name(rng, 10, 12), rng.randint(-LIMIT, LIMIT)) for _ in range(int(size))])
    rng = random.Random(f"{seed}-{size}")
    if size == "small":
        n = rng.randint(2, 8)
        return _render([(_name(rng, 1, 4), rng.randint(-4, 4)) for _ in range(n)])
    if size == "boundary":
        return _render(_boundary(rng, seed % 10))
    if size == "random":
        n = rng.randint(200, 1000)
        span = rng.choice((20, 100, 300))
        scale = rng.choice((1, 1000, LIMIT // 300))
        return _render([(_name(rng, 1, 12), rng.randint(-span, span) * scale) for _ in range(n)])
    n = MAX_N - rng.randint(0, 100)
    kind = seed % 4
    if kind == 0:
        scores = [rng.randint(-LIMIT, LIMIT) for _ in range(n)]
    elif kind == 1:
        values = [rng.randint(-LIMIT, LIMIT) for _ in range(3000)]
        scores = rng.choices(values, k=n)
    elif kind == 2:
        scores = []
        while len(scores) < n:
            length = min(n - len(scores), rng.randint(1, 400))
            run = sorted(rng.randint(-LIMIT, LIMIT) for _ in range(length))
            if rng.random() < 0.5:
                run.reverse()
            scores += run
    else:
        scores = [int(max(-1.0, min(1.0, rng.gauss(0, 0.25))) * LIMIT) for _ in range(n)]
    return _render([(_name(rng, 10, 12), s) for s in scores])
