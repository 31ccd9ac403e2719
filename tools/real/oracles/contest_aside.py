"""Oracles of contest tasks that the authors of the readers have not seen."""

from tools.real.oracles.reading import (
    DIGITS,
    LOWER,
    UPPER,
    Lines,
    acyclic,
    connected,
    distinct,
    increasing,
    prime,
    require,
    simple,
    tree,
)


def abc277_b(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 1, 52)
    for _ in range(n):
        lines.text(UPPER + DIGITS, 2, 2)
    lines.end()


def abc313_b(stdin):
    lines = Lines(stdin)
    n, m = lines.mixed((2, 50), (0, 1225))
    require(m <= n * (n - 1) // 2, "m is too large")
    pairs = lines.edges(m, n)
    distinct(pairs, "pairs")
    acyclic(n, pairs)
    lines.end()


def abc253_e(stdin):
    lines = Lines(stdin)
    _, m, k = lines.mixed((2, 1000), (1, 5000), (0, 4999))
    require(k < m, "k is not below m")
    lines.end()


def agc062_a(stdin):
    lines = Lines(stdin)
    (t,) = lines.ints(1, 1, 10**5)
    total = 0
    for _ in range(t):
        (n,) = lines.ints(1, 2, 3 * 10**5)
        lines.text("AB", n, n)
        total += n
    require(total <= 3 * 10**5, "too long together")
    lines.end()


def arc156_a(stdin):
    lines = Lines(stdin)
    (t,) = lines.ints(1, 1, 2 * 10**5)
    total = 0
    for _ in range(t):
        (n,) = lines.ints(1, 3, 2 * 10**5)
        lines.text("01", n, n)
        total += n
    require(total <= 2 * 10**5, "too long together")
    lines.end()


def abc343_b(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 2, 100)
    cells = [lines.ints(n, 0, 1) for _ in range(n)]
    require(cells == [list(column) for column in zip(*cells, strict=True)], "not symmetric")
    require(not any(cells[i][i] for i in range(n)), "a loop")
    lines.end()


def arc131_d(stdin):
    lines = Lines(stdin)
    _, m, _ = lines.mixed((1, 10**5), (1, 10**5), (1, 10**6))
    radii = lines.ints(m + 1, 0, 10**11)
    require(radii[0] == 0, "the first radius is not 0")
    increasing(radii)
    increasing(lines.ints(m, 1, 10**11)[::-1])
    lines.end()


def abc331_e(stdin):
    lines = Lines(stdin)
    n, m, left_out = lines.mixed((1, 10**5), (1, 10**5), (0, 10**5))
    require(left_out < n * m, "nothing is offered")
    lines.ints(n, 1, 10**9)
    lines.ints(m, 1, 10**9)
    distinct([lines.mixed((1, n), (1, m)) for _ in range(left_out)], "pairs")
    lines.end()


def abc341_e(stdin):
    lines = Lines(stdin)
    n, q = lines.ints(2, 1, 5 * 10**5)
    lines.text("01", n, n)
    queries = [lines.mixed((1, 2), (1, n), (1, n)) for _ in range(q)]
    require(all(left <= right for _, left, right in queries), "l is above r")
    require(any(kind == 2 for kind, *_ in queries), "no query of type 2")
    lines.end()


def abc347_d(stdin):
    lines = Lines(stdin)
    lines.mixed((0, 60), (0, 60), (0, 2**60 - 1))
    lines.end()


def abc345_d(stdin):
    lines = Lines(stdin)
    n, *_ = lines.mixed((1, 7), (1, 10), (1, 10))
    for _ in range(n):
        lines.ints(2, 1, 10)
    lines.end()


def arc173_b(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 3, 300)
    distinct([lines.ints(2, -(10**9), 10**9) for _ in range(n)], "points")
    lines.end()


def abc355_d(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 2, 5 * 10**5)
    require(
        all(low < high for low, high in [lines.ints(2, 0, 10**9) for _ in range(n)]),
        "l is not below r",
    )
    lines.end()


def abc331_d(stdin):
    lines = Lines(stdin)
    n, q = lines.mixed((1, 1000), (1, 2 * 10**5))
    for _ in range(n):
        lines.text("WB", n, n)
    for _ in range(q):
        a, b, c, d = lines.ints(4, 0, 10**9 - 1)
        require(a <= c and b <= d, "not a rectangle")
    lines.end()


def abc303_f(stdin):
    lines = Lines(stdin)
    n, _ = lines.mixed((1, 3 * 10**5), (1, 10**18))
    for _ in range(n):
        lines.ints(2, 1, 10**9)
    lines.end()


def arc146_b(stdin):
    lines = Lines(stdin)
    n, _, k = lines.mixed((1, 2 * 10**5), (0, 2**30 - 1), (1, 2 * 10**5))
    require(k <= n, "k is above n")
    lines.ints(n, 0, 2**30 - 1)
    lines.end()


def abc291_d(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 1, 2 * 10**5)
    for _ in range(n):
        lines.ints(2, 1, 10**9)
    lines.end()


def abc319_a(stdin):
    lines = Lines(stdin)
    names = [
        "tourist",
        "ksun48",
        "Benq",
        "Um_nik",
        "apiad",
        "Stonefeang",
        "ecnerwala",
        "mnbvmar",
        "newbiedmy",
        "semiexp",
    ]
    require(lines.line() in names, "not a name")
    lines.end()


def arc131_a(stdin):
    lines = Lines(stdin)
    lines.ints(1, 1, 10**8 - 1)
    lines.ints(1, 1, 10**8 - 1)
    lines.end()


def abc257_c(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 1, 2 * 10**5)
    lines.text("01", n, n)
    lines.ints(n, 1, 10**9)
    lines.end()


def abc261_a(stdin):
    lines = Lines(stdin)
    a, b, c, d = lines.ints(4, 0, 100)
    require(a < b and c < d, "l is not below r")
    lines.end()


def arc157_a(stdin):
    lines = Lines(stdin)
    n, *counts = lines.ints(5, 0, 2 * 10**5)
    require(n >= 1 and sum(counts) == n - 1, "a wrong sum")
    lines.end()


def abc321_a(stdin):
    lines = Lines(stdin)
    lines.ints(1, 1, 99999)
    lines.end()


def arc132_b(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 2, 10**5)
    order = lines.ints(n, 1, n)
    steps = {(b - a) % n for a, b in zip(order, order[1:] + order[:1], strict=True)}
    require(steps in ({1}, {n - 1}), "cannot be sorted")
    lines.end()


def abc335_e(stdin):
    lines = Lines(stdin)
    n, m = lines.mixed((2, 2 * 10**5), (1, 2 * 10**5))
    lines.ints(n, 1, 2 * 10**5)
    edges = lines.edges(m, n)
    require(all(u < v for u, v in edges), "u is not below v")
    distinct(edges, "edges")
    connected(n, edges)
    lines.end()


def abc287_c(stdin):
    lines = Lines(stdin)
    n, m = lines.mixed((2, 2 * 10**5), (0, 2 * 10**5))
    simple(lines.edges(m, n))
    lines.end()


def arc175_d(stdin):
    lines = Lines(stdin)
    n, _ = lines.mixed((2, 2 * 10**5), (1, 10**11))
    tree(n, lines.edges(n - 1, n))
    lines.end()


def abc286_g(stdin):
    lines = Lines(stdin)
    n, m = lines.mixed((2, 2 * 10**5), (1, 2 * 10**5))
    edges = lines.edges(m, n)
    require(all(u < v for u, v in edges), "u is not below v")
    distinct(edges, "edges")
    connected(n, edges)
    (k,) = lines.ints(1, 1, m)
    increasing(lines.ints(k, 1, m))
    lines.end()


def abc304_d(stdin):
    lines = Lines(stdin)
    w, h = lines.ints(2, 3, 10**9)
    (n,) = lines.ints(1, 1, 2 * 10**5)
    points = [lines.mixed((1, w - 1), (1, h - 1)) for _ in range(n)]
    distinct(points, "points")
    for side, size in enumerate((w, h)):
        (count,) = lines.ints(1, 1, 2 * 10**5)
        cuts = lines.ints(count, 1, size - 1)
        increasing(cuts)
        require({point[side] for point in points}.isdisjoint(cuts), "a point is on a line")
    lines.end()


def abc226_c(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 1, 2 * 10**5)
    total = 0
    for number in range(1, n + 1):
        time, count, *before = lines.ints(None, 0, 10**9)
        require(time >= 1 and count == len(before), "a wrong number of moves")
        require(all(1 <= move < number for move in before), "a move that is not before")
        distinct(before)
        total += count
    require(total <= 2 * 10**5, "too long together")
    lines.end()


def abc276_d(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 2, 1000)
    lines.ints(n, 1, 10**9)
    lines.end()


def abc224_g(stdin):
    lines = Lines(stdin)
    n, s, t, *_ = lines.ints(5, 1, 10**9)
    require(s <= n and t <= n, "not a face")
    lines.end()


def abc270_g(stdin):
    lines = Lines(stdin)
    (t,) = lines.ints(1, 1, 100)
    for _ in range(t):
        p, *others = lines.ints(5, 0, 10**9)
        prime(p)
        require(max(others) < p, "not below p")
    lines.end()


def abc358_g(stdin):
    lines = Lines(stdin)
    h, w, _ = lines.mixed((1, 50), (1, 50), (1, 10**9))
    lines.mixed((1, h), (1, w))
    for _ in range(h):
        lines.ints(w, 1, 10**9)
    lines.end()


def abc226_g(stdin):
    lines = Lines(stdin)
    (t,) = lines.ints(1, 1, 5 * 10**4)
    for _ in range(2 * t):
        require(sum(lines.ints(5, 0, 10**16)) >= 1, "nothing")
    lines.end()


def abc358_b(stdin):
    lines = Lines(stdin)
    n, _ = lines.mixed((1, 100), (1, 10**6))
    increasing(lines.ints(n, 0, 10**6))
    lines.end()


def abc352_f(stdin):
    lines = Lines(stdin)
    n, m = lines.mixed((2, 16), (0, 120))
    require(m <= n * (n - 1) // 2, "m is too large")
    facts = [lines.mixed((1, n), (1, n), (1, n - 1)) for _ in range(m)]
    distinct([fact[:2] for fact in facts], "pairs")
    lines.end()
    # Ranks within a group linked by facts, then groups on free ranks.
    links = [(a, b, c) for a, b, c in facts] + [(b, a, -c) for a, b, c in facts]
    left, masks = set(range(1, n + 1)), {0}
    while left:
        ranks = {left.pop(): 0}
        group = list(ranks)
        for person in group:
            for a, b, c in links:
                if b == person and a not in ranks:
                    ranks[a] = ranks[b] + c
                    group.append(a)
        left -= set(group)
        require(all(ranks[a] - ranks[b] == c for a, b, c in facts if a in ranks), "a contradiction")
        distinct(list(ranks.values()), "ranks")
        least = min(ranks.values())
        shape = sum(1 << rank - least for rank in ranks.values())
        shapes = [shape << shift for shift in range(n) if shape << shift < 1 << n]
        masks = {mask | placed for mask in masks for placed in shapes if not mask & placed}
    require(masks, "no ranking")


def abc338_f(stdin):
    lines = Lines(stdin)
    n, m = lines.mixed((2, 20), (1, 380))
    require(m <= n * (n - 1), "m is too large")
    arcs = [lines.mixed((1, n), (1, n), (-(10**6), 10**6)) for _ in range(m)]
    require(all(u != v for u, v, _ in arcs), "a loop")
    distinct([arc[:2] for arc in arcs], "arcs")
    lines.end()
    least = [0] * (n + 1)  # distances from a virtual vertex with an arc of weight 0 to each
    for _ in range(n):
        for u, v, weight in arcs:
            least[v] = min(least[v], least[u] + weight)
    require(all(least[v] <= least[u] + weight for u, v, weight in arcs), "a negative cycle")


def abc256_d(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 1, 2 * 10**5)
    for _ in range(n):
        low, high = lines.ints(2, 1, 2 * 10**5)
        require(low < high, "l is not below r")
    lines.end()


def abc252_b(stdin):
    lines = Lines(stdin)
    n, k = lines.ints(2, 1, 100)
    require(k <= n, "k is above n")
    lines.ints(n, 1, 100)
    distinct(lines.ints(k, 1, n))
    lines.end()


def abc224_b(stdin):
    lines = Lines(stdin)
    h, w = lines.ints(2, 2, 50)
    for _ in range(h):
        lines.ints(w, 1, 10**9)
    lines.end()


def abc348_b(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 2, 100)
    distinct([lines.ints(2, -1000, 1000) for _ in range(n)], "points")
    lines.end()


def abc278_a(stdin):
    lines = Lines(stdin)
    n, _ = lines.ints(2, 1, 100)
    lines.ints(n, 1, 100)
    lines.end()


def abc270_a(stdin):
    lines = Lines(stdin)
    lines.ints(2, 0, 7)
    lines.end()


def abc274_a(stdin):
    lines = Lines(stdin)
    a, b = lines.mixed((1, 10), (0, 10))
    require(b <= a, "b is above a")
    lines.end()


def abc334_b(stdin):
    lines = Lines(stdin)
    *_, low, high = lines.mixed((-(10**18), 10**18), (1, 10**9), *[(-(10**18), 10**18)] * 2)
    require(low <= high, "l is above r")
    lines.end()


def abc276_c(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 2, 100)
    order = lines.ints(n, 1, n)
    distinct(order)
    require(order != sorted(order), "the first permutation")
    lines.end()


def abc324_d(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 1, 13)
    lines.text(DIGITS, n, n)
    lines.end()


def abc336_a(stdin):
    lines = Lines(stdin)
    lines.ints(1, 1, 2024)
    lines.end()


def abc354_d(stdin):
    lines = Lines(stdin)
    a, b, c, d = lines.ints(4, -(10**9), 10**9)
    require(a < c and b < d, "not a rectangle")
    lines.end()


def abc326_b(stdin):
    lines = Lines(stdin)
    lines.ints(1, 100, 919)
    lines.end()


def abc280_c(stdin):
    lines = Lines(stdin)
    shorter = lines.text(LOWER, 1, 5 * 10**5)
    longer = lines.text(LOWER, len(shorter) + 1, len(shorter) + 1)
    pairs = zip(shorter, longer, strict=False)
    place = next((i for i, (a, b) in enumerate(pairs) if a != b), len(shorter))
    require(shorter[place:] == longer[place + 1 :], "more than one letter is inserted")
    lines.end()


def abc282_a(stdin):
    lines = Lines(stdin)
    lines.ints(1, 1, 26)
    lines.end()


def abc298_b(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 1, 100)
    for _ in range(2 * n):
        lines.ints(n, 0, 1)
    lines.end()
