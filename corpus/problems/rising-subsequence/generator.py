import json
import random

LIMIT = 100000
TOP = 10 ** 9
SIZES = {"": 100000}  # numbers


def line(values):
    return json.dumps(values, separators=(",", ":")) + "\n"


def uniform(rng, n, low, high):
    return [rng.randint(low, high) for _ in range(n)]


def drifting(rng, n, step, noise):
    return [min(TOP, max(-TOP, i * step - n * step // 2 + rng.randint(-noise, noise))) for i in range(n)]


def sawtooth(rng, n, period):
    base = [rng.randint(-10 ** 6, 10 ** 6) for _ in range(n // period + 1)]
    return [base[i // period] + (i % period) * rng.randint(1, 900) for i in range(n)]


def falling_blocks(rng, n, width):
    out = []
    block = 0
    while len(out) < n:
        values = sorted((block * 2 * width + rng.randint(0, 2 * width) for _ in range(width)), reverse=True)
        out.extend(values)
        block += 1
    return out[:n]


def mixture(rng, n, kind):
    if kind == 0:
        return uniform(rng, n, -TOP, TOP)
    if kind == 1:
        return uniform(rng, n, -n // 40 - 2, n // 40 + 2)
    if kind == 2:
        return drifting(rng, n, 37, 37 * max(3, n // 25))
    if kind == 3:
        return sawtooth(rng, n, max(3, n // 60))
    return falling_blocks(rng, n, max(2, n // 300))


def boundary(rng, case):
    if case == 0:
        return [rng.randint(-TOP, TOP)]
    if case == 1:
        return [5] * 1000
    if case == 2:
        return list(range(-TOP, -TOP + 3 * LIMIT, 3))
    if case == 3:
        return [-TOP, TOP] * 20 + [TOP, -TOP, 0, -1, 1, TOP - 1, TOP]
    if case == 4:
        return list(range(LIMIT, 0, -1))
    if case == 5:
        return [x // 2 for x in range(2001)] + [x // 3 for x in range(2000, -1, -1)]
    if case == 6:
        return [TOP, -TOP]
    if case == 7:
        return [-TOP, TOP]
    if case == 8:
        return [1, 2, 2, 3, 3, 3, 4, 1, 2, 3]
    return [0] * (LIMIT - 1) + [1]


def generate(seed: int, size: str) -> str:
    if size.isdigit():
        return line(uniform(random.Random(seed), int(size), -TOP, TOP))
    rng = random.Random(f"{seed}-{size}")
    if size == "small":
        n = rng.randint(1, 8)
        spread = rng.choice([3, 6, 20])
        return line(uniform(rng, n, -spread, spread))
    if size == "boundary":
        return line(boundary(rng, seed % 10))
    if size == "random":
        n = rng.randint(100, 1000)
        return line(mixture(rng, n, rng.randint(0, 4)))
    n = rng.randint(LIMIT - LIMIT // 20, LIMIT)
    return line(mixture(rng, n, seed % 5))
