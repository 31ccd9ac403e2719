import random

LIMIT = 2000000
MAX_Q = 20000
SIZES = {"": 2000000}  # the largest number that is asked for, a query for each hundred


def render(queries):
    return "%d\n" % len(queries) + "".join("%d %d\n" % p for p in queries)


def pair(rng, low, high):
    a = rng.randint(low, high)
    b = rng.randint(low, high)
    return (a, b) if a <= b else (b, a)


def boundary(seed, rng):
    case = seed % 10
    if case == 0:
        return [(1, 1)]
    if case == 1:
        return [(1, LIMIT), (LIMIT, LIMIT), (LIMIT - 1, LIMIT), (1, LIMIT - 1)]
    if case == 2:
        return [(a, b) for a in range(1, 14) for b in range(a, 14)]
    if case == 3:
        squares = [4, 9, 25, 49, 121, 169, 961, 1409 * 1409, 1373 * 1373]
        return [(s, s) for s in squares] + [(s - 1, s + 1) for s in squares]
    if case == 4:
        primes = [2, 3, 5, 7, 11, 13, 31, 97, 1999993, 1999979, 65537, 32749]
        return ([(p, p) for p in primes] + [(1, p) for p in primes] + [(p, LIMIT) for p in primes[8:10]]
                + [(p - 1, p) for p in primes] + [(p, p + 1) for p in primes])
    if case == 5:
        return [(1, 2), (2, 2), (2, 3), (3, 3), (1, 3), (4, 4)]
    if case == 6:
        edges = []
        for step in (30, 64, 128, 1024, 32768, 65536, 131072):
            for k in (1, 2, 3):
                c = step * k
                edges += [(c - 1, c + 1), (c, c), (1, c), (1, c - 1), (c + 1, c + 200)]
        return edges
    if case == 7:
        return [(1, 2)] * 50 + [(1999993, 1999993)] * 50
    if case == 8:
        return [(370262, 370372), (370261, 370373), (1357202, 1357332), (1357201, 1357333)]
    return [(LIMIT, LIMIT)]


def generate(seed: int, size: str) -> str:
    if size.isdigit():
        rng, n = random.Random(seed), int(size)
        return render([(1, n)] + [pair(rng, 1, n) for _ in range(n // 100 - 1)])
    rng = random.Random(f"{seed}-{size}")
    if size == "small":
        top = rng.choice([10, 30, 100, 500])
        return render([pair(rng, 1, top) for _ in range(rng.randint(1, 8))])
    if size == "boundary":
        return render(boundary(seed, rng))
    if size == "random":
        q = rng.randint(100, 300)
        kind = seed % 3
        if kind == 0:
            return render([pair(rng, 1, 2000) for _ in range(q)])
        if kind == 1:
            out = []
            for _ in range(q):
                a = rng.randint(1, LIMIT - 200)
                out.append((a, a + rng.randint(0, 200)))
            return render(out)
        return render([pair(rng, 1, 10 ** rng.randint(1, 4)) for _ in range(q)])
    kind = seed % 4
    out = []
    for i in range(MAX_Q):
        if kind == 0:
            out.append(pair(rng, 1, LIMIT))
        elif kind == 1:
            out.append((rng.randint(1, LIMIT // 10), rng.randint(LIMIT - LIMIT // 10, LIMIT)))
        elif kind == 2:
            out.append((1 + i * 40, LIMIT - i * 40 - rng.randint(0, 30)))
        elif i % 2:
            a = rng.randint(1, LIMIT - 1000)
            out.append((a, a + rng.randint(0, 1000)))
        else:
            out.append(pair(rng, 1, LIMIT))
    return render(out)
