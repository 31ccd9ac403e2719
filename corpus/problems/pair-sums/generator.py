"""Test inputs for "Pair sums"."""
import json
import random

MAX_N = 100000
TOP = 10 ** 9
SIZES = {"": 100000}  # numbers


def render(nums, target):
    return json.dumps(nums) + "\n" + json.dumps(target) + "\n"


def narrow(rng, n):
    """Few different values, so most of them repeat."""
    spread = max(20, n // 5)
    middle = rng.randint(-TOP + spread, TOP - spread)
    nums = [rng.randint(middle - spread, middle + spread) for _ in range(n)]
    return nums, 2 * middle + rng.randint(-spread // 4, spread // 4)


def planted(rng, n):
    """Values from the whole range; about half of them come with a partner."""
    target = rng.randint(-TOP, TOP)
    nums = []
    while len(nums) < n:
        x = rng.randint(-TOP, TOP)
        nums.append(x)
        if rng.random() < 0.4 and abs(target - x) <= TOP and len(nums) < n:
            nums.append(target - x)
    rng.shuffle(nums)
    return nums, target


def mirrored(rng, n):
    """Ascending values that are symmetric around zero, with runs of equal values near the middle."""
    step = max(1, TOP // n)
    half = [rng.choice([-1, 1]) * min(TOP, step * int(abs(rng.gauss(0, n / 12)))) for _ in range(n // 2)]
    nums = half + [-x for x in half] + [0] * (n % 2)
    nums.sort()
    return nums, 0


def heavy_middle(rng, n):
    """Nearly all values are one half of the target."""
    middle = rng.randint(-TOP // 2, TOP // 2)
    nums = []
    for _ in range(n):
        if rng.random() < 0.97:
            nums.append(middle)
        else:
            nums.append(middle + rng.randint(-300, 300))
    return nums, 2 * middle


def clustered(rng, n):
    """A few heavy values and many single ones."""
    heavy = [rng.randint(-1000, 1000) for _ in range(12)]
    target = heavy[0] + heavy[1]
    heavy += [target - h for h in heavy]
    nums = [rng.choice(heavy) if rng.random() < 0.6 else rng.randint(-TOP, TOP) for _ in range(n)]
    return nums, target


def boundary(rng, case):
    if case == 0:
        return [rng.randint(-9, 9)], 0
    if case == 1:
        return [5, 5], 10
    if case == 2:
        # The largest possible count.
        return [TOP] * MAX_N, 2 * TOP
    if case == 3:
        # The target is out of reach, and target - nums[i] leaves 32 bits.
        return [-TOP] * 500 + [TOP - k for k in range(500)], rng.choice([-2, 2]) * TOP
    if case == 4:
        nums = [-TOP, TOP] * 400 + [0] * 401
        rng.shuffle(nums)
        return nums, 0
    # Odd target around equal values: no value is its own partner.
    nums = [7] * 300 + [8] * 200 + [-7] * 100
    rng.shuffle(nums)
    return nums, 15


def generate(seed, size):
    if size.isdigit():
        return render(*planted(random.Random(seed), int(size)))
    rng = random.Random(f"{seed}-{size}")
    if size == "boundary":
        return render(*boundary(rng, seed % 6))
    if size == "small":
        n = rng.randint(2, 8)
        nums = [rng.randint(-4, 4) for _ in range(n)]
        if rng.random() < 0.5:
            i, j = rng.sample(range(n), 2)
            return render(nums, nums[i] + nums[j])
        return render(nums, rng.randint(-6, 6))
    n = rng.randint(100, 1000) if size == "random" else MAX_N
    makers = [planted, narrow, heavy_middle, clustered, mirrored]
    return render(*makers[seed % 5](rng, n))
