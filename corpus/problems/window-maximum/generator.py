import random

LIM = 10 ** 9
SIZES = {"": 100000}  # numbers, in windows of half of them


def _fmt(a, k):
    return "%d %d\n%s\n" % (len(a), k, " ".join(map(str, a)))


def _pattern(r, n, kind):
    if kind == 0:
        return [r.randint(-LIM, LIM) for _ in range(n)]
    if kind == 1:  # mostly falling
        step = max(1, 2 * LIM // (n + 1))
        return [max(-LIM, min(LIM, LIM - i * step + r.randint(-3 * step, 3 * step))) for i in range(n)]
    if kind == 2:  # few distinct values
        v = [r.randint(-LIM, LIM) for _ in range(r.randint(2, 20))]
        return [r.choice(v) for _ in range(n)]
    if kind == 3:  # mostly rising
        step = max(1, 2 * LIM // (n + 1))
        return [max(-LIM, min(LIM, -LIM + i * step + r.randint(-3 * step, 3 * step))) for i in range(n)]
    if kind == 4:  # saw teeth
        p = r.randint(2, max(2, n // 3))
        return [LIM - (i % p) * (LIM // p) - r.randint(0, 1000) for i in range(n)]
    # all negative walk
    x = -LIM // 2
    out = []
    for _ in range(n):
        x = max(-LIM, min(-1, x + r.randint(-50000, 50000)))
        out.append(x)
    return out


def _boundary(r, c):
    if c == 0:
        return _fmt([r.choice([-LIM, LIM, 0, -1])], 1)
    if c == 1:  # strictly falling, negative
        n = 300
        return _fmt([-5 - 7 * i for i in range(n)], 17)
    if c == 2:  # one single window
        return _fmt(_pattern(r, 257, 5), 257)
    if c == 3:  # windows of one element
        return _fmt(_pattern(r, 200, 0), 1)
    if c == 4:  # extremes only
        return _fmt([r.choice([-LIM, LIM, -LIM, -LIM, -LIM]) for _ in range(128)], 4)
    if c == 5:  # saw teeth, power of two lengths
        return _fmt([1000 - (i % 64) for i in range(256)], 64)
    if c == 6:  # all equal
        return _fmt([r.randint(-LIM, LIM)] * 150, 50)
    if c == 7:  # strictly rising
        return _fmt([-LIM + 3 * i for i in range(300)], 100)
    if c == 8:
        return _fmt([-1, -2], 2)
    if c == 9:  # two windows
        return _fmt(_pattern(r, 255, 1), 254)
    if c == 10:  # maximum exactly at the edges
        a = [-10] * 101
        a[0] = a[50] = a[100] = -9
        return _fmt(a, 50)
    return _fmt(_pattern(r, 200, 2), 2)


def generate(seed, size):
    if size.isdigit():
        r, n = random.Random(seed), int(size)
        return _fmt(_pattern(r, n, 0), max(1, n // 2))
    r = random.Random(f"{seed}-{size}")
    if size == "small":
        n = r.randint(1, 8)
        m = r.choice([3, 10, LIM])
        return _fmt([r.randint(-m, m) for _ in range(n)], r.randint(1, n))
    if size == "boundary":
        return _boundary(r, seed % 12)
    if size == "random":
        n = r.randint(100, 1000)
        return _fmt(_pattern(r, n, r.randint(0, 5)), r.randint(1, n) if seed % 2 else r.randint(2, 40))
    n = r.randint(97000, 100000)
    if seed % 4 == 3:
        k = r.randint(2, 2000)
        kind = r.choice([0, 0, 1, 4])
    else:
        k = n // 2 + r.randint(-2000, 2000)
        kind = (0, 1, 2, 0, 5, 4, 0, 1, 3)[seed % 9]
    return _fmt(_pattern(r, n, kind), k)
