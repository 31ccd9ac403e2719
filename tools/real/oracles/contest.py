"""Oracles of contest tasks in the development data, named after the tasks."""

from tools.real.oracles.reading import LOWER, UPPER, Lines, distinct, increasing, pairwise, require


def abc229_a(stdin):
    lines = Lines(stdin)
    rows = lines.text("#.", 2, 2) + lines.text("#.", 2, 2)
    require(rows.count("#") >= 2, "fewer than two marks")
    lines.end()


def abc233_h(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 1, 10**5)
    distinct([lines.ints(2, 0, 10**5) for _ in range(n)], "points")
    (q,) = lines.ints(1, 1, 10**5)
    for _ in range(q):
        lines.mixed((0, 10**5), (0, 10**5), (1, n))
    lines.end()


def abc243_c(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 2, 2 * 10**5)
    distinct([lines.ints(2, 0, 10**9) for _ in range(n)], "points")
    lines.text("LR", n, n)
    lines.end()


def abc247_b(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 2, 100)
    for _ in range(n):
        words = lines.line().split(" ")
        require(len(words) == 2, "not two names")
        require(
            all(1 <= len(word) <= 10 and set(word) <= set(LOWER) for word in words), "not a name"
        )
    lines.end()


def abc249_a(stdin):
    lines = Lines(stdin)
    lines.ints(7, 1, 100)
    lines.end()


def abc251_g(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 3, 50)
    points = [lines.ints(2, -(10**8), 10**8) for _ in range(n)]
    for (ax, ay), (bx, by), (cx, cy) in zip(
        points, points[1:] + points[:1], points[2:] + points[:2], strict=False
    ):
        require((bx - ax) * (cy - by) > (by - ay) * (cx - bx), "not a left turn")
    # A star turns left everywhere, too, but not when seen from one of its corners.
    (x, y), rest = points[0], points[1:]
    require(
        all((a - x) * (d - y) > (b - y) * (c - x) for (a, b), (c, d) in pairwise(rest)),
        "winds more than once",
    )
    (m,) = lines.ints(1, 1, 2 * 10**5)
    for _ in range(m):
        lines.ints(2, -(10**8), 10**8)
    (q,) = lines.ints(1, 1, 2 * 10**5)
    for _ in range(q):
        lines.ints(2, -(10**8), 10**8)
    lines.end()


def abc257_f(stdin):
    lines = Lines(stdin)
    n, m = lines.mixed((2, 3 * 10**5), (1, 3 * 10**5))
    pairs = [lines.ints(2, 0, n) for _ in range(m)]
    require(all(u < v for u, v in pairs), "u is not below v")
    distinct(pairs, "pairs")
    lines.end()


def abc263_a(stdin):
    lines = Lines(stdin)
    require(len(set(lines.ints(5, 1, 13))) > 1, "all the same")
    lines.end()


def abc265_d(stdin):
    lines = Lines(stdin)
    n, *_ = lines.mixed((3, 2 * 10**5), *[(1, 10**15)] * 3)
    lines.ints(n, 1, 10**9)
    lines.end()


def abc267_d(stdin):
    lines = Lines(stdin)
    n, m = lines.ints(2, 1, 2000)
    require(m <= n, "m is above n")
    lines.ints(n, -2 * 10**5, 2 * 10**5)
    lines.end()


def abc277_d(stdin):
    lines = Lines(stdin)
    n, m = lines.mixed((1, 2 * 10**5), (2, 10**9))
    lines.ints(n, 0, m - 1)
    lines.end()


def abc281_d(stdin):
    lines = Lines(stdin)
    n, k, _ = lines.ints(3, 1, 100)
    require(k <= n, "k is above n")
    lines.ints(n, 0, 10**9)
    lines.end()


def abc287_d(stdin):
    lines = Lines(stdin)
    s = lines.text(LOWER + "?", 2, 3 * 10**5)
    lines.text(LOWER + "?", 1, len(s) - 1)
    lines.end()


def abc301_d(stdin):
    lines = Lines(stdin)
    lines.text("01?", 1, 60)
    lines.ints(1, 1, 10**18)
    lines.end()


def abc305_a(stdin):
    lines = Lines(stdin)
    lines.ints(1, 0, 100)
    lines.end()


def abc309_a(stdin):
    lines = Lines(stdin)
    a, b = lines.ints(2, 1, 9)
    require(a < b, "a is not below b")
    lines.end()


def abc309_c(stdin):
    lines = Lines(stdin)
    n, _ = lines.mixed((1, 3 * 10**5), (0, 10**9))
    for _ in range(n):
        lines.ints(2, 1, 10**9)
    lines.end()


def abc317_a(stdin):
    lines = Lines(stdin)
    n, h, x = lines.mixed((2, 100), (1, 999), (1, 999))
    require(h < x, "h is not below x")
    numbers = lines.ints(n, 1, 999)
    increasing(numbers)
    require(numbers[-1] == 999, "the last is not 999")
    lines.end()


def abc317_c(stdin):
    lines = Lines(stdin)
    n, m = lines.mixed((2, 10), (1, 45))
    require(m <= n * (n - 1) // 2, "too many roads")
    roads = [lines.mixed((1, n), (1, n), (1, 10**8)) for _ in range(m)]
    require(all(a < b for a, b, _ in roads), "a is not below b")
    distinct([road[:2] for road in roads], "roads")
    lines.end()


def abc323_f(stdin):
    lines = Lines(stdin)
    ax, ay, bx, by, cx, cy = lines.ints(6, -(10**17), 10**17)
    require((ax, ay) != (bx, by) != (cx, cy), "two in one place")
    lines.end()


def abc325_f(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 1, 100)
    lines.ints(n, 1, 10**5)
    for _ in range(2):
        lines.mixed((1, 10**5), (1, 10**9), (1, 10**3))
    lines.end()


def abc327_a(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 2, 100)
    lines.text(LOWER, n, n)
    lines.end()


def abc327_b(stdin):
    lines = Lines(stdin)
    lines.ints(1, 1, 10**18)
    lines.end()


def abc329_b(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 2, 100)
    require(len(set(lines.ints(n, 1, 100))) > 1, "all the same")
    lines.end()


def abc329_e(stdin):
    lines = Lines(stdin)
    n, m = lines.mixed((1, 2 * 10**5), (1, 5))
    require(m <= n, "m is above n")
    lines.text(UPPER, n, n)
    lines.text(UPPER, m, m)
    lines.end()


def abc337_b(stdin):
    lines = Lines(stdin)
    lines.text("ABC", 1, 100)
    lines.end()


def abc339_f(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 1, 1000)
    for _ in range(n):
        lines.ints(1, 1, 10**1000 - 1)
    lines.end()


def abc341_d(stdin):
    lines = Lines(stdin)
    n, m, _ = lines.mixed((1, 10**8), (1, 10**8), (1, 10**10))
    require(n != m, "n and m are equal")
    lines.end()


def abc347_a(stdin):
    lines = Lines(stdin)
    n, k = lines.ints(2, 1, 100)
    numbers = lines.ints(n, 1, 100)
    increasing(numbers)
    require(any(value % k == 0 for value in numbers), "no multiple of k")
    lines.end()


def abc349_b(stdin):
    lines = Lines(stdin)
    lines.text(LOWER, 1, 100)
    lines.end()


def agc057_a(stdin):
    lines = Lines(stdin)
    (t,) = lines.ints(1, 1, 10**4)
    for _ in range(t):
        low, high = lines.ints(2, 1, 10**9)
        require(low <= high, "l is above r")
    lines.end()


def agc058_a(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 1, 10**5)
    distinct(lines.ints(2 * n, 1, 2 * n))
    lines.end()


def agc058_b(stdin):
    lines = Lines(stdin)
    (n,) = lines.ints(1, 2, 5000)
    distinct(lines.ints(n, 1, n))
    lines.end()


def arc128_c(stdin):
    lines = Lines(stdin)
    n, m, s = lines.mixed((1, 5000), (1, 10**6), (1, 10**6))
    require(s <= n * m, "s is above n m")
    lines.ints(n, 1, 10**6)
    lines.end()
