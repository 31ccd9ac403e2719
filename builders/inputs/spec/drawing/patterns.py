"""Draws arrays, words, trees and graphs with structure from a source of random numbers.

Patterns ignore the relations between values; the caller adjusts the values that they draw.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from ..checking.checks import is_prime

EXACT = 1 << 50  # in larger ranges, `random.choices` cannot reach every number
Array = list[int]


# ------------------------------------------------------------------ numbers


def logarithmic(draw: Random, low: int, high: int) -> int:
    """Draw a number whose distance from `low` has a uniform order of magnitude."""
    if high <= low:
        return low
    # Not (high - low) ** random: neither a large integer nor 2 ** 1024 converts to a float.
    bits = math.log2(high - low + 1) * draw.random()
    beyond = max(0, int(bits) - 1000)
    return low + min(high - low, (int(2 ** (bits - beyond)) << beyond) - 1)


def anywhere(draw: Random, low: int, high: int) -> int:
    """Draw a number of any order of magnitude, near the low end, near zero or near the high end."""
    anchor = draw.randrange(4)
    if anchor == 0:
        return high - (logarithmic(draw, low, high) - low)
    if anchor == 1 and low < 0 < high:
        return logarithmic(draw, 0, high) if draw.random() < 0.5 else -logarithmic(draw, 0, -low)
    return logarithmic(draw, low, high) if anchor < 3 else draw.randint(low, high)


def _special_numbers() -> list[int]:
    """Return numbers with a property on which programs may fail, positive and negative."""
    powers = [
        base**power for base in (2, 3, 5, 6, 7, 10) for power in range(64) if base**power < 1 << 64
    ]
    squares = [root**2 for root in (*range(2, 33), 99, 100, 101, 316, 317, 999, 1000, 1001, 31_622, 31_623, 99_999,
                                    100_000, 999_999, 10**6, 10**9)]  # fmt: skip
    factorials = [math.factorial(number) for number in range(2, 21)]
    triangles = [
        number * (number + 1) // 2
        for number in (*range(2, 20), 99, 100, 1413, 1414, 44_720, 44_721)
    ]
    primes = [5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 997, 9973,
              99_991, 999_983, 9_999_991, 99_999_989, 998_244_353, 10**9 + 7, 999_999_937, 999_999_999_989]  # fmt: skip
    # Numbers with many divisors, and numbers of one repeated digit.
    divisible = [12, 24, 60, 360, 840, 5040, 55_440, 83_160, 720_720, 735_134_400, 963_761_198_400]
    digits = [int(digit * length) for digit in "159" for length in range(2, 19)]
    products = [9973 * 9967, 99_991 * 99_989, 999_983 * 999_979, 31_607 * 31_607]
    numbers = {0, *powers, *squares, *factorials, *triangles, *primes, *divisible, *digits}
    numbers.update(products)
    return sorted(numbers | {-number for number in numbers})


SPECIAL = _special_numbers()


def special(draw: Random, low: int, high: int) -> int:
    """Draw a number with a special property, or a neighbour of one, from low to high."""
    first, past = bisect.bisect_left(SPECIAL, low - 1), bisect.bisect_right(SPECIAL, high + 1)
    number = SPECIAL[draw.randrange(first, past)] if past > first else draw.randint(low, high)
    return max(low, min(high, number + draw.choice((-1, 0, 0, 1))))


def prime_near(number: int, low: int, high: int) -> int:
    """Return the closest prime from low to high; the number itself if none is within 2,000."""
    near = range(max(low, number - 2000), min(high, number + 2000) + 1)
    return next((n for n in sorted(near, key=lambda n: abs(n - number)) if is_prime(n)), number)


def with_sum(draw: Random, values: Sequence[int], total: int, high: int) -> Array:
    """Return values from 0 to high with a sum of `total`, scaled from `values` where possible."""
    drawn = sum(values)
    scaled = [min(high, value * total // drawn) if drawn else 0 for value in values]
    left = total - sum(scaled)
    share = left // len(scaled) + 1 if draw.random() < 0.5 else left
    for _ in range(2):
        # The rest goes to a few of the values, or to all in equal shares.
        for place in draw.sample(range(len(scaled)), len(scaled)):
            more = min(left, share, high - scaled[place])
            scaled[place] += more
            left -= more
        share = left
    return scaled


# ------------------------------------------------------------------ arrays


def independent(draw: Random, count: int, low: int, high: int) -> Array:
    """Return independent values."""
    if high - low < EXACT:
        return draw.choices(range(low, high + 1), k=count)
    return [draw.randint(low, high) for _ in range(count)]


def ordered(draw: Random, count: int, low: int, high: int) -> Array:
    """Return ascending or descending values."""
    return sorted(independent(draw, count, low, high), reverse=draw.random() < 0.5)


def nearly_ordered(draw: Random, count: int, low: int, high: int) -> Array:
    """Return ordered values after one to three swaps."""
    values = ordered(draw, count, low, high)
    for _ in range(draw.randint(1, 3)):
        a, b = draw.randrange(count), draw.randrange(count)
        values[a], values[b] = values[b], values[a]
    return values


def few(draw: Random, count: int, low: int, high: int) -> Array:
    """Return values from a set of one to three, often with one dominating."""
    values = independent(draw, draw.randint(1, 3), low, high)
    return draw.choices(values, [draw.choice((1, 1, 20)) for _ in values], k=count)


def periodic(draw: Random, count: int, low: int, high: int) -> Array:
    """Return periodic values, sometimes with one exception."""
    period = independent(draw, logarithmic(draw, 1, max(1, count // 2)), low, high)
    values = (period * (count // len(period) + 1))[:count]
    if draw.random() < 0.4:
        values[draw.randrange(count)] = draw.randint(low, high)
    return values


def permutation(draw: Random, count: int, low: int, high: int) -> Array:
    """Return consecutive numbers in random order, sometimes with one replaced."""
    first = low if draw.random() < 0.7 else draw.randint(low, max(low, high - count + 1))
    values = [first + place % (high - first + 1) for place in range(count)]
    draw.shuffle(values)
    if draw.random() < 0.4:
        values[draw.randrange(count)] = draw.choice((draw.randint(low, high), draw.choice(values)))
    return values


def progression(draw: Random, count: int, low: int, high: int) -> Array:
    """Return an arithmetic progression, sometimes with one value changed."""
    step = logarithmic(draw, 0, max(0, (high - low) // max(1, count - 1)))
    first = draw.randint(low, max(low, high - step * (count - 1)))
    values = [min(high, first + step * place) for place in range(count)]
    if draw.random() < 0.5:
        place = draw.randrange(count)
        values[place] = max(low, min(high, values[place] + draw.choice((-1, 1, step, -step))))
    return values[::-1] if draw.random() < 0.4 else values


def equal(draw: Random, count: int, low: int, high: int) -> Array:
    """Return copies of one value, mostly with one copy changed by 1."""
    value = draw.choice((low, high, draw.randint(low, high)))
    values = [value] * count
    if draw.random() < 0.7:
        values[draw.randrange(count)] = max(low, min(high, value + draw.choice((-1, 1))))
    return values


def extremes(draw: Random, count: int, low: int, high: int) -> Array:
    """Return the smallest and the largest value: alternating, at random, or in two halves."""
    order = draw.randrange(3)
    if order == 0:
        return ([low, high] * (count // 2 + 1))[:count]
    if order == 1:
        return draw.choices((low, high), (1, draw.choice((1, 10, 0.1))), k=count)
    return [low] * (count // 2) + [high] * (count - count // 2)


def runs(draw: Random, count: int, low: int, high: int) -> Array:
    """Return runs of equal values, each as long as n, n/2, n/3 or the square root of n."""
    length = max(1, draw.choice((count, count // 2, count // 3, math.isqrt(count))))
    values = independent(draw, count // length + 1, low, high)
    return [values[place // length] for place in range(count)]


def mountain(draw: Random, count: int, low: int, high: int) -> Array:
    """Return values that rise and then fall, or fall and then rise."""
    values = sorted(independent(draw, count, low, high))
    values = values[::2] + values[1::2][::-1]
    return values if draw.random() < 0.6 else [low + high - value for value in values]


def zigzag(draw: Random, count: int, low: int, high: int) -> Array:
    """Return values that alternate between small and large."""
    values = sorted(independent(draw, count, low, high))
    half = count - count // 2
    return [values[place // 2 if place % 2 == 0 else half + place // 2] for place in range(count)]


PATTERNS: tuple[Callable[[Random, int, int, int], Array], ...] = (
    independent, ordered, nearly_ordered, few, periodic, permutation, progression, equal, extremes, runs, mountain,
    zigzag,
)  # fmt: skip


def neighbours_differ(draw: Random, values: list[Any], choices: Sequence[Any]) -> list[Any]:
    """Return values without equal neighbours.

    Values that repeat the previous one are replaced from `choices`, which has at least two values.
    """
    for place in range(1, len(values)):
        while values[place] == values[place - 1]:
            values[place] = draw.choice(choices)
    return values


def array(draw: Random, count: int, low: int, high: int) -> Array:
    """Return values from low to high: independent ones in a quarter of arrays, else a pattern."""
    if count == 0:
        return []
    return (independent if draw.random() < 0.25 else draw.choice(PATTERNS[1:]))(
        draw, count, low, high
    )


def echo(draw: Random, earlier: Sequence[int], count: int) -> Array:
    """Return an earlier array copied, shuffled, reversed, rotated or edited, or resampled.

    An array of another length is always resampled: its values are drawn with their frequencies.
    """
    values = list(earlier)
    if len(values) != count or draw.random() < 0.15:
        return draw.choices(values, k=count)
    change = draw.randrange(5)
    if change == 0:
        draw.shuffle(values)
    elif change == 1:
        values.reverse()
    elif change == 2:
        cut = draw.randrange(count)
        values = values[cut:] + values[:cut]
    elif change == 3:
        values[draw.randrange(count)] += draw.choice((-1, 1))
    return values


def matrix(draw: Random, height: int, width: int, low: int, high: int) -> list[Array]:
    """Return rows of one width: a two-dimensional progression, equal rows, or an array in rows.

    Some matrices have one value changed.
    """
    kind = draw.randrange(4)
    if kind == 0:
        down, right = (
            logarithmic(draw, 0, (high - low) // max(1, height + width)) for _ in range(2)
        )
        rows = [
            [min(high, low + down * y + right * x) for x in range(width)] for y in range(height)
        ]
    elif kind == 1:
        row = array(draw, width, low, high)
        rows = [list(row) for _ in range(height)]
    else:
        flat = array(draw, height * width, low, high)
        rows = [flat[y * width : (y + 1) * width] for y in range(height)]
    if draw.random() < 0.3 and height * width:
        rows[draw.randrange(height)][draw.randrange(width)] = draw.randint(low, high)
    return rows


# ------------------------------------------------------------------ words


def word(draw: Random, count: int, letters: str) -> str:
    """Return a word of these letters.

    It is random, in blocks, periodic, sorted, a palindrome, or one repeated letter; half of the
    last two kinds have one letter changed.
    """
    kind = draw.randrange(8)
    if kind < 3 or count < 2:
        return "".join(draw.choices(letters, k=count))
    if kind == 3:
        return "".join(letters[value] for value in runs(draw, count, 0, len(letters) - 1))
    if kind == 4:
        return "".join(letters[value] for value in periodic(draw, count, 0, len(letters) - 1))
    if kind == 5:
        return "".join(sorted(draw.choices(letters, k=count), reverse=draw.random() < 0.5))
    if kind == 6:
        characters = draw.choices(letters, k=count // 2) + draw.choices(
            letters, k=count - count // 2
        )
    else:
        characters = [draw.choice(letters)] * count
    if kind == 6:
        characters[count - count // 2 :] = characters[: count // 2][::-1]
    if draw.random() < 0.5:
        characters[draw.randrange(count)] = draw.choice(letters)
    return "".join(characters)


def nested(draw: Random, count: int, pairs: Sequence[str], faulty: bool) -> str:
    """Return balanced brackets of these pairs; if `faulty`, with one random replacement."""
    brackets: list[str] = []
    opened: list[str] = []
    deep = draw.choice((0.5, 0.5, 0.9, 1.0))
    for left in range(count, 0, -1):
        if not opened or (len(opened) < left and draw.random() < deep):
            pair = draw.choice(pairs) if len(pairs) > 1 else pairs[0]
            brackets.append(pair[0])
            opened.append(pair[1])
        else:
            brackets.append(opened.pop())
    if faulty and brackets:
        brackets[draw.randrange(count)] = draw.choice("".join(pairs))
    return "".join(brackets)


def with_words(draw: Random, text: str, words: Sequence[str]) -> str:
    """Return a text that contains some of these words, scattered or adjacent, some misspelt."""
    characters, place = list(text), 0
    packed = draw.random() < 0.5
    for _ in range(draw.choice((1, 2, 3, len(text)))):
        new = list(draw.choice(words))
        if draw.random() < 0.2:
            new[draw.randrange(len(new))] = draw.choice(new)
        place = place if packed else draw.randint(0, len(characters))
        # Words are cut at the end of the text.
        characters[place : place + len(new)] = new[: len(characters) - place]
        place += len(new)
        if place >= len(characters):
            break
    return "".join(characters)


# ------------------------------------------------------------------ trees and graphs

TREES = ("random", "path", "star", "binary", "caterpillar", "bushy")


def tree(draw: Random, nodes: int, kind: str) -> Iterator[tuple[int, int]]:
    """Yield the edges of a tree of a kind, each from a node to a later one.

    In a third of the trees a tenth of the nodes get a random parent instead.
    """
    random_share = draw.choice((0, 0, 0.1))
    for child in range(1, nodes):
        parent = {
            "path": child - 1,
            "star": 0,
            "binary": (child - 1) // 2,
            "caterpillar": max(0, child - 1 - child % 2),
        }.get(kind)
        if parent is None or (random_share and draw.random() < random_share):
            parent = draw.randrange(max(0, child - 10) if kind == "bushy" else 0, child)
        yield parent, child


def graph(draw: Random, nodes: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield edges endlessly, including loops and repeated edges; the caller filters them."""
    kind = draw.randrange(6)
    if kind == 0:
        yield from tree(draw, nodes, draw.choice(TREES))
    elif kind == 1:
        length = draw.randint(min(3, nodes), nodes)
        yield from ((at, (at + 1) % length) for at in range(length))
    elif kind == 2:
        groups = logarithmic(draw, 1, max(1, nodes // 2))
        # The caller may need more edges than the groups have; later ones are random.
        for _ in range(2 * count):
            a = draw.randrange(nodes)
            yield a, (a + groups * draw.randint(1, max(1, nodes // groups))) % nodes
    elif kind == 3:
        dense = min(nodes, math.isqrt(2 * count) + 2)
        yield from ((a, b) for b in range(dense) for a in range(b))
    elif kind == 4:
        for _ in range(count):
            a = draw.randrange(nodes)
            yield a, min(nodes - 1, a + draw.randint(0, 3))
    while True:
        yield draw.randrange(nodes), draw.randrange(nodes)
