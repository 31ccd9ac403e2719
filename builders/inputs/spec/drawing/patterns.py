"""Arrays, words, trees and graphs with structure, drawn with a given source of chance.

Embedded in every derived generator. What a pattern draws is a wish: whoever asks for it fits it to
the relations.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from ..checking.checks import is_prime

EXACT = 1 << 50  # beyond it `random.choices` has not enough digits for every number of a range
Array = list[int]


# ------------------------------------------------------------------ numbers


def logarithmic(draw: Random, low: int, high: int) -> int:
    """Draw a number whose distance from `low` has a uniform order of magnitude."""
    if high <= low:
        return low
    # Not (high - low) ** random: a power of a large int may be no float, and 2 ** bits is none
    # beyond 1023.
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


def _special() -> list[int]:
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
    # Many divisors, and the same digit again and again.
    divisible = [12, 24, 60, 360, 840, 5040, 55_440, 83_160, 720_720, 735_134_400, 963_761_198_400]
    digits = [int(digit * length) for digit in "159" for length in range(2, 19)]
    products = [9973 * 9967, 99_991 * 99_989, 999_983 * 999_979, 31_607 * 31_607]
    found = {0, *powers, *squares, *factorials, *triangles, *primes, *divisible, *digits, *products}
    return sorted(found | {-number for number in found})


SPECIAL = _special()


def special(draw: Random, low: int, high: int) -> int:
    """Draw a number with a property, or one beside it, from low to high."""
    first, past = bisect.bisect_left(SPECIAL, low - 1), bisect.bisect_right(SPECIAL, high + 1)
    number = SPECIAL[draw.randrange(first, past)] if past > first else draw.randint(low, high)
    return max(low, min(high, number + draw.choice((-1, 0, 0, 1))))


def prime_near(number: int, low: int, high: int) -> int:
    """Return a prime from low to high close to a number, or the number where there is none close by."""
    near = range(max(low, number - 2000), min(high, number + 2000) + 1)
    return next(
        (one for one in sorted(near, key=lambda one: abs(one - number)) if is_prime(one)), number
    )


def with_sum(draw: Random, values: Sequence[int], total: int, high: int) -> Array:
    """Return values from 0 to high with this sum, distributed as `values` are, as far as that is possible."""
    drawn = sum(values)
    made = [min(high, value * total // drawn) if drawn else 0 for value in values]
    left = total - sum(made)
    each = left // len(made) + 1 if draw.random() < 0.5 else left
    for _ in range(2):
        # What is left over goes to few of the values, or to all alike.
        for place in draw.sample(range(len(made)), len(made)):
            more = min(left, each, high - made[place])
            made[place] += more
            left -= more
        each = left
    return made


# ------------------------------------------------------------------ arrays


def independent(draw: Random, count: int, low: int, high: int) -> Array:
    """Return values that have nothing to do with each other."""
    if high - low < EXACT:
        return draw.choices(range(low, high + 1), k=count)
    return [draw.randint(low, high) for _ in range(count)]


def ordered(draw: Random, count: int, low: int, high: int) -> Array:
    """Return ascending or descending values."""
    return sorted(independent(draw, count, low, high), reverse=draw.random() < 0.5)


def nearly_ordered(draw: Random, count: int, low: int, high: int) -> Array:
    """Return ordered values of which a few have changed places."""
    made = ordered(draw, count, low, high)
    for _ in range(draw.randint(1, 3)):
        a, b = draw.randrange(count), draw.randrange(count)
        made[a], made[b] = made[b], made[a]
    return made


def few(draw: Random, count: int, low: int, high: int) -> Array:
    """Return one to three different values, one of them often the rule."""
    values = independent(draw, draw.randint(1, 3), low, high)
    return draw.choices(values, [draw.choice((1, 1, 20)) for _ in values], k=count)


def periodic(draw: Random, count: int, low: int, high: int) -> Array:
    """Return values that repeat, sometimes with one fault."""
    period = independent(draw, logarithmic(draw, 1, max(1, count // 2)), low, high)
    made = (period * (count // len(period) + 1))[:count]
    if draw.random() < 0.4:
        made[draw.randrange(count)] = draw.randint(low, high)
    return made


def permutation(draw: Random, count: int, low: int, high: int) -> Array:
    """Return neighbouring numbers, each once, in any order; sometimes with one replaced."""
    first = low if draw.random() < 0.7 else draw.randint(low, max(low, high - count + 1))
    made = [first + place % (high - first + 1) for place in range(count)]
    draw.shuffle(made)
    if draw.random() < 0.4:
        made[draw.randrange(count)] = draw.choice((draw.randint(low, high), draw.choice(made)))
    return made


def progression(draw: Random, count: int, low: int, high: int) -> Array:
    """Return an arithmetic progression, sometimes with one value changed."""
    step = logarithmic(draw, 0, max(0, (high - low) // max(1, count - 1)))
    first = draw.randint(low, max(low, high - step * (count - 1)))
    made = [min(high, first + step * place) for place in range(count)]
    if draw.random() < 0.5:
        place = draw.randrange(count)
        made[place] = max(low, min(high, made[place] + draw.choice((-1, 1, step, -step))))
    return made[::-1] if draw.random() < 0.4 else made


def equal(draw: Random, count: int, low: int, high: int) -> Array:
    """Return one value again and again, mostly with one that is larger or smaller by one."""
    value = draw.choice((low, high, draw.randint(low, high)))
    made = [value] * count
    if draw.random() < 0.7:
        made[draw.randrange(count)] = max(low, min(high, value + draw.choice((-1, 1))))
    return made


def extremes(draw: Random, count: int, low: int, high: int) -> Array:
    """Return nothing but the smallest and the largest value.

    By turns, by chance, or in two halves.
    """
    order = draw.randrange(3)
    if order == 0:
        return ([low, high] * (count // 2 + 1))[:count]
    if order == 1:
        return draw.choices((low, high), (1, draw.choice((1, 10, 0.1))), k=count)
    return [low] * (count // 2) + [high] * (count - count // 2)


def runs(draw: Random, count: int, low: int, high: int) -> Array:
    """Return runs of one value: of n, n/2, n/3 or the square root of n."""
    length = max(1, draw.choice((count, count // 2, count // 3, math.isqrt(count))))
    values = independent(draw, count // length + 1, low, high)
    return [values[place // length] for place in range(count)]


def mountain(draw: Random, count: int, low: int, high: int) -> Array:
    """Return values that rise and then fall, or the other way round."""
    made = sorted(independent(draw, count, low, high))
    made = made[::2] + made[1::2][::-1]
    return made if draw.random() < 0.6 else [low + high - value for value in made]


def zigzag(draw: Random, count: int, low: int, high: int) -> Array:
    """Return values that are small and large by turns."""
    made = sorted(independent(draw, count, low, high))
    half = count - count // 2
    return [made[place // 2 if place % 2 == 0 else half + place // 2] for place in range(count)]


PATTERNS: tuple[Callable[[Random, int, int, int], Array], ...] = (
    independent, ordered, nearly_ordered, few, periodic, permutation, progression, equal, extremes, runs, mountain,
    zigzag,
)  # fmt: skip


def neighbours_differ(draw: Random, values: list[Any], choices: Sequence[Any]) -> list[Any]:
    """Return values of which none is like the one before it.

    Others of these choices, two at least, stand in.
    """
    for place in range(1, len(values)):
        while values[place] == values[place - 1]:
            values[place] = draw.choice(choices)
    return values


def array(draw: Random, count: int, low: int, high: int) -> Array:
    """Return an array from low to high: of independent values in a quarter, else of a pattern."""
    if count == 0:
        return []
    return (independent if draw.random() < 0.25 else draw.choice(PATTERNS[1:]))(
        draw, count, low, high
    )


def echo(draw: Random, earlier: Sequence[int], count: int) -> Array:
    """Return an earlier array copied, shuffled, reversed, rotated or edited, or its values drawn again.

    Where it is of another length its values are drawn again, common ones often.
    """
    made = list(earlier)
    if len(made) != count or draw.random() < 0.15:
        return draw.choices(made, k=count)
    change = draw.randrange(5)
    if change == 0:
        draw.shuffle(made)
    elif change == 1:
        made.reverse()
    elif change == 2:
        cut = draw.randrange(count)
        made = made[cut:] + made[:cut]
    elif change == 3:
        made[draw.randrange(count)] += draw.choice((-1, 1))
    return made


def matrix(draw: Random, height: int, width: int, low: int, high: int) -> list[Array]:
    """Return rows of one width: two-dimensional progressions, equal rows, or an array cut into rows; some changed."""
    kind = draw.randrange(4)
    if kind == 0:
        down, right = (
            logarithmic(draw, 0, (high - low) // max(1, height + width)) for _ in range(2)
        )
        made = [
            [min(high, low + down * y + right * x) for x in range(width)] for y in range(height)
        ]
    elif kind == 1:
        one = array(draw, width, low, high)
        made = [list(one) for _ in range(height)]
    else:
        flat = array(draw, height * width, low, high)
        made = [flat[y * width : (y + 1) * width] for y in range(height)]
    if draw.random() < 0.3 and height * width:
        made[draw.randrange(height)][draw.randrange(width)] = draw.randint(low, high)
    return made


# ------------------------------------------------------------------ words


def word(draw: Random, count: int, letters: str) -> str:
    """Return a word of these letters.

    In blocks, periodic, sorted, a palindrome, a broken one, or without order.
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
        made = draw.choices(letters, k=count // 2) + draw.choices(letters, k=count - count // 2)
    else:
        made = [draw.choice(letters)] * count
    if kind == 6:
        made[count - count // 2 :] = made[: count // 2][::-1]
    # A palindrome, or one letter alone, in half of them broken at one place.
    if draw.random() < 0.5:
        made[draw.randrange(count)] = draw.choice(letters)
    return "".join(made)


def nested(draw: Random, count: int, pairs: Sequence[str], faulty: bool) -> str:
    """Return brackets of these pairs that fit each other; one is wrong if `faulty`."""
    made: list[str] = []
    opened: list[str] = []
    deep = draw.choice((0.5, 0.5, 0.9, 1.0))
    for left in range(count, 0, -1):
        if not opened or (len(opened) < left and draw.random() < deep):
            pair = draw.choice(pairs) if len(pairs) > 1 else pairs[0]
            made.append(pair[0])
            opened.append(pair[1])
        else:
            made.append(opened.pop())
    if faulty and made:
        made[draw.randrange(count)] = draw.choice("".join(pairs))
    return "".join(made)


def with_words(draw: Random, text: str, words: Sequence[str]) -> str:
    """Return a text with some of these words in it, at any place or one after the other, some with a wrong letter."""
    made, place = list(text), 0
    packed = draw.random() < 0.5
    for _ in range(draw.choice((1, 2, 3, len(text)))):
        new = list(draw.choice(words))
        if draw.random() < 0.2:
            new[draw.randrange(len(new))] = draw.choice(new)
        place = place if packed else draw.randint(0, len(made))
        # What does not fit is cut.
        made[place : place + len(new)] = new[: len(made) - place]
        place += len(new)
        if place >= len(made):
            break
    return "".join(made)


# ------------------------------------------------------------------ trees and graphs

TREES = ("random", "path", "star", "binary", "caterpillar", "bushy")


def tree(draw: Random, nodes: int, kind: str) -> Iterator[tuple[int, int]]:
    """Yield the edges of a tree of a kind, each from a node to a later one.

    A few are led elsewhere at times.
    """
    astray = draw.choice((0, 0, 0.1))
    for child in range(1, nodes):
        parent = {
            "path": child - 1,
            "star": 0,
            "binary": (child - 1) // 2,
            "caterpillar": max(0, child - 1 - child % 2),
        }.get(kind)
        if parent is None or (astray and draw.random() < astray):
            parent = draw.randrange(max(0, child - 10) if kind == "bushy" else 0, child)
        yield parent, child


def graph(draw: Random, nodes: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield edges, loops and repeated ones among them, until nobody takes more.

    The caller keeps those it allows.
    """
    kind = draw.randrange(6)
    if kind == 0:
        yield from tree(draw, nodes, draw.choice(TREES))
    elif kind == 1:
        length = draw.randint(min(3, nodes), nodes)
        yield from ((at, (at + 1) % length) for at in range(length))
    elif kind == 2:
        groups = logarithmic(draw, 1, max(1, nodes // 2))
        # Edges inside the groups may run out: after so many the rest leads anywhere.
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
