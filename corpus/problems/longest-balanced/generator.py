import json
import random

LIMIT = 800000
SIZES = {"": 800000}  # brackets


def coin(rng, n, p):
    return "".join("(" if rng.random() < p else ")" for _ in range(n))


def dyck(rng, pairs, up=0.5):
    out = []
    left, depth = pairs, 0
    while left or depth:
        if left and (depth == 0 or rng.random() < up):
            out.append("(")
            left -= 1
            depth += 1
        else:
            out.append(")")
            depth -= 1
    return "".join(out)


def blocks(rng, n, longest, junk):
    """Balanced pieces with now and then a stray bracket out of junk between them."""
    out, size = [], 0
    while size < n:
        piece = dyck(rng, rng.randint(1, longest), rng.uniform(0.3, 0.8))
        if junk and rng.random() < 0.15:
            piece += rng.choice(junk)
        out.append(piece)
        size += len(piece)
    return "".join(out)[:n]


def alternating(rng, n, strays):
    chars = list("()" * (n // 2 + 1))[:n]
    for _ in range(strays):
        chars[rng.randrange(n)] = "("
    return "".join(chars)


def nested(rng, n):
    a = n // 2 - rng.randint(0, n // 50)
    return "(" * a + ")" * (n - a)


def boundary(seed, rng):
    cases = [
        "(", ")", "()", ")(", "((((((((", "))))))))", "()()()()", "(((())))",
        "((()", "()))", "()(()", "(()()", ")()())()()(", "())(())", "(()))((())",
        "()" * 50 + "(" + "()" * 49, "(" * 64 + ")" * 63, "(" * 63 + ")" * 64,
        "(()" * 40, "())" * 40, "(" + "()" * 60, "()" * 60 + ")" + "()" * 61,
        ")" * 30 + "(" * 30, "((())" + "()" * 20 + "(" + "(())" * 10,
    ]
    # the first six seeds meet the most telling cases first
    order = [0, 1, 10, 13, 15, 8, 2, 3, 4, 5, 6, 7, 9, 11, 12, 14, 16, 17, 18, 19, 20, 21, 22, 23]
    return cases[order[seed % len(order)]]


def generate(seed: int, size: str) -> str:
    if size.isdigit():
        return json.dumps(blocks(random.Random(seed), int(size), 6, "(")) + "\n"
    rng = random.Random(f"{seed}-{size}")
    if size == "small":
        s = coin(rng, rng.randint(1, 10), 0.5)
    elif size == "boundary":
        s = boundary(seed, rng)
    elif size == "random":
        n = rng.randint(100, 1000)
        kind = seed % 4
        if kind == 0:
            s = coin(rng, n, rng.choice([0.45, 0.5, 0.55]))
        elif kind == 1:
            s = blocks(rng, n, 12, "()")
        elif kind == 2:
            s = blocks(rng, n, 12, "(")
        else:
            s = blocks(rng, n, 60, ")")
    else:
        n = LIMIT - (rng.randint(0, 300) if seed % 2 else 0)
        kind = seed % 6
        if kind == 0:
            s = blocks(rng, n, 6, "(")
        elif kind == 1:
            s = alternating(rng, n, rng.randint(1, 200))
        elif kind == 2:
            s = nested(rng, n)
        elif kind == 3:
            s = coin(rng, n, 0.5)
        elif kind == 4:
            s = coin(rng, n, rng.uniform(0.7, 0.9))
        else:
            cut = n // 20
            s = blocks(rng, cut, 40, "()") + "(" * (n - 3 * cut) + coin(rng, 2 * cut, 0.55)
    return json.dumps(s) + "\n"
