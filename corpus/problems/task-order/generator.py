import random

MAX_N = 50000
MAX_M = 120000
SIZES = {"": 50000}  # tasks, with two rules each: one chain, told from its end


def render(n, edges):
    return "%d %d\n" % (n, len(edges)) + "".join("%d %d\n" % e for e in edges)


def permutation(rng, n):
    order = list(range(1, n + 1))
    rng.shuffle(order)
    return order


def forward_edges(rng, order, count, reach=None):
    n = len(order)
    edges = []
    if n < 2:
        return edges
    for _ in range(count):
        i = rng.randrange(n - 1)
        top = n - 1 if reach is None else min(n - 1, i + reach)
        j = rng.randint(i + 1, top)
        edges.append((order[i], order[j]))
    return edges


def boundary(seed, rng):
    case = seed % 12
    if case == 0:
        return 1, []
    if case == 1:
        return 1, [(1, 1)]
    if case == 2:
        return 5, [(1, 2), (1, 2), (5, 1), (5, 1), (5, 1), (2, 4)]
    if case == 3:
        return 6, [(1, 2), (2, 3), (5, 6), (6, 5)]
    if case == 4:
        n = 200
        return n, [(i + 1, i) for i in range(1, n)]
    if case == 5:
        return 6, [(6, 3), (3, 2), (4, 4), (2, 1)]
    if case == 6:
        return 300, []
    if case == 7:
        return 2, [(1, 2), (2, 1)]
    if case == 8:
        n = 60
        order = permutation(rng, n)
        edges = [(order[i], order[j]) for i in range(n) for j in range(i + 1, n)]
        rng.shuffle(edges)
        return n, edges
    if case == 9:
        n = 100
        return n, [(i, i % n + 1) for i in range(1, n + 1)]
    if case == 10:
        n = 101
        return n, [(50, v) for v in range(1, n + 1) if v != 50] + [(50, 51)] * 5
    n = 100
    return n, [(v, n) for v in range(1, n)]


def generate(seed: int, size: str) -> str:
    if size.isdigit():
        n = int(size)
        edges = [(v + 1, v) for v in range(n - 1, 0, -1)]
        edges += forward_edges(random.Random(seed), list(range(n, 0, -1)), n, 50)
        return render(n, edges[::-1])
    rng = random.Random(f"{seed}-{size}")
    if size == "small":
        n = rng.randint(1, 8)
        m = rng.randint(0, 10)
        if seed % 3 == 1:
            edges = [(rng.randint(1, n), rng.randint(1, n)) for _ in range(m)]
        else:
            edges = forward_edges(rng, permutation(rng, n), m)
        return render(n, edges)
    if size == "boundary":
        return render(*boundary(seed, rng))
    if size == "random":
        n = rng.randint(100, 1000)
        order = permutation(rng, n)
        edges = forward_edges(rng, order, rng.randint(n // 2, 3 * n), rng.choice([None, 5, 40]))
        edges += [rng.choice(edges) for _ in range(rng.randint(0, 10))]
        if seed % 3 == 1:
            i = rng.randrange(n // 2)
            j = rng.randrange(n // 2, n)
            edges += [(order[i], order[j]), (order[j], order[i])]
        rng.shuffle(edges)
        return render(n, edges)
    kind = seed % 5
    n = MAX_N
    if kind == 0:
        order = permutation(rng, n)
        edges = forward_edges(rng, order, MAX_M)
    elif kind == 1:
        order = list(range(n, 0, -1))
        edges = [(order[i], order[i + 1]) for i in range(n - 1)]
        edges += forward_edges(rng, order, MAX_M - len(edges), 50)
        edges.reverse()
        return render(n, edges)
    elif kind == 2:
        order = permutation(rng, n)
        edges = [(order[i], order[i + 1]) for i in range(n - 1)]
        edges += forward_edges(rng, order, MAX_M - 2 - len(edges), 1000)
        edges += [(order[n - 2], order[n - 1]), (order[n - 1], order[n - 2])]
    elif kind == 3:
        order = permutation(rng, n)
        width = 500
        edges = []
        for _ in range(MAX_M):
            layer = rng.randrange(n // width - 1)
            a = order[layer * width + rng.randrange(width)]
            b = order[(layer + 1) * width + rng.randrange(width)]
            edges.append((a, b))
    else:
        order = permutation(rng, n)
        hubs = 20
        edges = []
        for _ in range(MAX_M - 1000):
            i = rng.randrange(hubs)
            j = rng.randrange(hubs, n - 100)
            edges.append((order[i], order[j]))
        edges += [rng.choice(edges) for _ in range(1000)]
    rng.shuffle(edges)
    return render(n, edges)
