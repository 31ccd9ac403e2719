import random

TOP = 30000
SIZES = {"": 30000}  # the amount, to be paid in the same 60 coins


def _fmt(r, coins, amount):
    coins = list(coins)
    r.shuffle(coins)
    return "%d %d\n%s\n" % (len(coins), amount, " ".join(map(str, coins)))


def _boundary(r, c):
    if c == 0:  # nothing to pay
        return _fmt(r, r.sample(range(1, 100), 5), 0)
    if c == 1:  # count far above the modulus
        return _fmt(r, [1, 2, 5, 10, 20, 50, 100, 200], 9999)
    if c == 2:  # all coins too large
        return _fmt(r, r.sample(range(501, TOP + 1), 10), 500)
    if c == 3:  # common divisor that does not fit
        return _fmt(r, [6 * v for v in r.sample(range(1, 60), 12)], 1003)
    if c == 4:  # the amount itself is a coin, some coins above it
        return _fmt(r, [1, 7, 350, 700, 701, 1400, TOP], 700)
    if c == 5:  # the smallest coins, all of them
        return _fmt(r, range(1, 61), 400)
    if c == 6:  # one coin that fits
        return _fmt(r, [7], 7 * r.randint(1, 4000))
    if c == 7:  # one coin that does not fit
        return _fmt(r, [7], 7 * r.randint(1, 4000) + 3)
    if c == 8:
        return _fmt(r, [1], TOP)
    if c == 9:  # powers of two
        return _fmt(r, [1 << i for i in range(15)], 2048)
    if c == 10:  # common divisor that fits
        return _fmt(r, [10 * v for v in r.sample(range(1, 60), 12)], 1500)
    return _fmt(r, [1, TOP], 1)


def generate(seed, size):
    if size.isdigit():
        r = random.Random(seed)
        return _fmt(r, r.sample(range(1, 120), 60), int(size))
    r = random.Random(f"{seed}-{size}")
    if size == "small":
        return _fmt(r, r.sample(range(1, 11), r.randint(1, 6)), r.randint(0, 25))
    if size == "boundary":
        return _boundary(r, seed % 12)
    if size == "random":
        amount = r.randint(200, 600)
        return _fmt(r, r.sample(range(1, r.choice([40, 100, 300])), r.randint(8, 20)), amount)
    n = r.randint(52, 60)
    amount = r.randint(28500, TOP)
    kind = seed % 4
    if kind == 0:
        coins = r.sample(range(1, 120), n)
    elif kind == 1:
        coins = r.sample(range(1, 3001), n)
    elif kind == 2:
        coins = list(range(1, n + 1))
    else:
        coins = r.sample(range(1, 500), n // 2)
        coins += r.sample(range(500, TOP), n - n // 2)
    return _fmt(r, coins, amount)
