import random

SIZES = {"": 4000}


def generate(seed, size):
    draw = random.Random(seed)
    n = int(size) if size.isdigit() else 100
    return f"{n}\n" + " ".join(str(draw.randrange(n)) for _ in range(n)) + "\n"
