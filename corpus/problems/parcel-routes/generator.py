"""Test inputs for "Parcel routes"."""
import random

MAX_N = 10000
MAX_M = 40000
MAX_W = 1000000
SIZES = {"": 10000}  # nodes, with four roads each


def render(n, edges):
    lines = ["%d %d" % (n, len(edges))]
    lines.extend("%d %d %d" % e for e in edges)
    return "\n".join(lines) + "\n"


def relabelled(rng, n, edges):
    """Random new names for all nodes but node 1, random road order."""
    names = list(range(2, n + 1))
    rng.shuffle(names)
    names = [0, 1] + names
    edges = [(names[a], names[b], w) for a, b, w in edges]
    rng.shuffle(edges)
    return edges


def random_graph(rng, n, m, top, stranded):
    """Nodes 1..n-stranded are reachable; the others only have roads leading out of them."""
    k = max(1, n - stranded)
    edges = []
    for v in range(2, k + 1):
        if len(edges) < m:
            edges.append((rng.randint(max(1, v - 60), v - 1), v, rng.randint(1, top)))
    while len(edges) < m:
        edges.append((rng.randint(1, n), rng.randint(1, k), rng.randint(1, top)))
    return relabelled(rng, n, edges)


def reversed_chain(rng, n, m):
    """A cheap chain 1, n, n-1, ..., 2 whose roads are listed last to first, and shortcuts that each look good at first."""
    order = [1] + list(range(n, 1, -1))
    edges = []
    for i in range(n - 1):
        edges.append((order[i], order[i + 1], rng.randint(1, 40)))
    while len(edges) < m:
        i = rng.randrange(n - 1)
        j = min(n - 1, i + rng.randint(2, 3000))
        edges.append((order[i], order[j], min(MAX_W, (j - i) * rng.randint(41, 60) + rng.randint(0, 2000))))
    place = [0] * (n + 1)
    for i, v in enumerate(order):
        place[v] = i
    edges.sort(key=lambda e: (-place[e[0]], place[e[1]]))
    return edges


def grid(rng, rows, cols, top):
    edges = []
    for r in range(rows):
        for c in range(cols):
            v = r * cols + c + 1
            if c + 1 < cols:
                edges.append((v, v + 1, rng.randint(1, top)))
                edges.append((v + 1, v, rng.randint(1, top)))
            if r + 1 < rows:
                edges.append((v, v + cols, rng.randint(1, top)))
                edges.append((v + cols, v, rng.randint(1, top)))
    return relabelled(rng, rows * cols, edges)


def heavy_chain(rng, n, m):
    """A chain of long roads (the sums leave 32 bits) with a few hops over it and many roads back."""
    edges = [(v, v + 1, rng.randint(MAX_W - 1000, MAX_W)) for v in range(1, n)]
    while len(edges) < m:
        a = rng.randint(1, n)
        if rng.random() < 0.2:
            b = min(n, a + rng.randint(1, 2))
        else:
            b = rng.randint(1, a)
        edges.append((a, b, rng.randint(MAX_W // 2, MAX_W)))
    return relabelled(rng, n, edges)


def layers(rng, n, m, width):
    """Layers of equal width, roads only from one layer to the next."""
    edges = []
    depth = (n - 2) // width
    for d in range(depth + 1):
        first = 2 + d * width
        last = min(n, first + width - 1)
        for v in range(first, last + 1):
            a = 1 if d == 0 else rng.randint(first - width, first - 1)
            edges.append((a, v, rng.randint(1, MAX_W)))
    while len(edges) < m:
        d = rng.randint(1, depth)
        first = 2 + d * width
        last = min(n, first + width - 1)
        edges.append((rng.randint(first - width, first - 1), rng.randint(first, last), rng.randint(1, MAX_W)))
    return relabelled(rng, n, edges)


def boundary(rng, case):
    if case == 0:
        return render(1, [])
    if case == 1:
        return render(2, [])
    if case == 2:
        n = MAX_N
        edges = [(v, v + 1, MAX_W) for v in range(n - 1, 0, -1)]
        return render(n, edges)
    if case == 3:
        edges = [(1, 1, rng.randint(1, 9)), (2, 2, 1), (3, 1, 1)]
        for _ in range(30):
            edges.append((1, 2, rng.randint(5, MAX_W)))
            edges.append((2, 3, rng.randint(5, MAX_W)))
            edges.append((1, 3, rng.randint(10, MAX_W)))
        rng.shuffle(edges)
        return render(4, edges)
    if case == 4:
        n = 2000
        edges = [(v, rng.randint(1, v - 1), rng.randint(1, MAX_W)) for v in range(2, n + 1)]
        return render(n, edges)
    n = 300
    edges = [(rng.randint(1, n), rng.randint(1, n), 1) for _ in range(1500)]
    return render(n, edges)


def generate(seed, size):
    if size.isdigit():
        n = int(size)
        return render(n, reversed_chain(random.Random(seed), n, 4 * n if n > 1 else 0))
    rng = random.Random(f"{seed}-{size}")
    if size == "small":
        n = rng.randint(2, 8)
        m = rng.randint(n, 2 * n + 2)
        top = rng.choice([9, 50, MAX_W])
        return render(n, [(rng.randint(1, n), rng.randint(1, n), rng.randint(1, top)) for _ in range(m)])
    if size == "boundary":
        return boundary(rng, seed % 6)
    if size == "random":
        kind = seed % 4
        n = rng.randint(100, 900)
        if kind == 0:
            return render(n, random_graph(rng, n, 3 * n, 1000, n // 10))
        if kind == 1:
            return render(n, reversed_chain(rng, n, 4 * n))
        if kind == 2:
            rows = rng.randint(8, 25)
            cols = rng.randint(8, 25)
            return render(rows * cols, grid(rng, rows, cols, 100))
        return render(n, heavy_chain(rng, n, 3 * n))
    kind = seed % 5
    if kind == 0:
        return render(MAX_N, random_graph(rng, MAX_N, MAX_M, MAX_W, 150))
    if kind == 1:
        return render(MAX_N, reversed_chain(rng, MAX_N, MAX_M))
    if kind == 2:
        return render(MAX_N, heavy_chain(rng, MAX_N, MAX_M))
    if kind == 3:
        return render(MAX_N, grid(rng, 100, 100, MAX_W))
    return render(MAX_N, layers(rng, MAX_N, MAX_M, 400))
