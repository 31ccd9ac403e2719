import random

LIMIT = 750000
SIZES = {"": 750000}  # n
# Edges: tiny values, the constraint, a prime next to it, the last n whose sum is below 2^31
# and the next one, prime powers and numbers around them.
BOUNDARY = [1, 2, LIMIT, 749993, 84052, 65536, 3, 4, 5, 9, 25, 27, 84053, 118900, 531441, 720720,
            749999, 744769, 744768, 510510, 262144, 46341, 46340, 8]


def generate(seed: int, size: str) -> str:
    if size.isdigit():
        return f"{int(size)}\n"
    rng = random.Random(f"{seed}-{size}")
    if size == "small":
        n = rng.randint(1, 40)
    elif size == "boundary":
        n = BOUNDARY[seed % len(BOUNDARY)]
    elif size == "random":
        n = rng.randint(100, 3000)
    else:
        n = rng.randint(LIMIT - LIMIT // 20, LIMIT)
    return f"{n}\n"
