"""Draws single numbers: sizes and other values outside lists."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .bounds import KnownNumbers
from .columns import with_traits
from .patterns import PATTERNS, anywhere, logarithmic, special
from .replay import SampleBlock, other_number
from .state import CONSTANTS, TRIES, DrawError, Drawing

# How far a number of each family may exceed its lower bound.
SPREAD = {"tiny": 5, "multiscale": 59, "middle": 999, "replay": 59}
OTHER_LENGTHS = 50  # every length whose size the caller did not set
LONGEST_NEAR = 2_000  # the largest length that is drawn near a constant


def number(
    state: Drawing,
    name: str,
    known: KnownNumbers,
    extra: Sequence[Sequence[str]] = (),
    old: SampleBlock | None = None,
) -> int:
    """Draw a single number: a length or another value."""
    choices = state.plan.choices.get(name)
    if choices:
        return int(state.random.choice(choices))
    span = state.bounds.fitting(name, known, extra)
    low, high = int(span.low), int(span.high)
    if name in state.plan.sizes:
        high = max(low, min(high, state.caps.get(name, high)))
        high = low + ((high - low) >> state.halvings)
    for attempt in range(2 * TRIES):
        # The numbers that a family prefers may be impossible; then any number of the range will do.
        value = (
            _preferred(state, name, low, high, known, old)
            if attempt < TRIES
            else state.random.randint(low, high)
        )
        if traits := state.traits(name):
            value = with_traits(state, name, [value], low, high)[0]
        if state.bounds.holds(name, value, known, extra):
            if "together" in traits:
                state.drawn[name] = [value]
            return value
    raise DrawError(f"a value of {name}")


def count_of(state: Drawing, expression: str, known: KnownNumbers) -> int:
    """Return a count; draw it if the input holds no value for it."""
    if expression.isidentifier() and expression not in known:
        return max(0, number(state, expression, known))
    return max(0, int(state.bounds.of(expression, known).low))


def _preferred(
    state: Drawing, name: str, low: int, high: int, known: KnownNumbers, old: SampleBlock | None
) -> int:
    """Return a number that the family of the input prefers."""
    draw = state.random
    if high <= low:
        return low
    if state.family == "corner":
        return state.end(name, low, high)
    if state.size and (name in state.plan.lengths or state.plan.few):
        return _requested_size(state, name, low, high, state.size)
    if old and name in old.numbers:
        value = max(low, min(high, old.numbers[name]))
        return (
            other_number(draw, value, low, high, name in state.plan.lengths)
            if draw.random() < state.rate
            else value
        )
    if name in state.plan.outer:
        return _case_count(state, low, high)
    if name in state.plan.lengths:
        return _length(state, low, high)
    return _scalar(state, low, high, known)


def _requested_size(state: Drawing, name: str, low: int, high: int, size: re.Match[str]) -> int:
    """Return the requested size of a name; `OTHER_LENGTHS` if another name's size was requested."""
    if name in state.plan.outer:
        return low
    return max(low, min(high, int(size[2]) if size[1] in (None, name) else OTHER_LENGTHS))


def _case_count(state: Drawing, low: int, high: int) -> int:
    draw = state.random
    if state.family == "max":
        mode = (state.seed + state.seed // len(PATTERNS)) % 3
        return (
            draw.choice((low, min(high, low + 9), high)),
            high,
            logarithmic(draw, low, high),
        )[mode]
    return logarithmic(draw, low, min(high, low + (29 if state.family == "tiny" else 11)))


def _length(state: Drawing, low: int, high: int) -> int:
    draw = state.random
    if state.family == "max":
        # Most lengths are at their maximum together; some are smaller.
        return (
            high if draw.random() < 0.85 else draw.choice((high - 1, logarithmic(draw, low, high)))
        )
    if state.family != "tiny" and draw.random() < CONSTANTS:
        near = state.near_a_constant(low, min(high, LONGEST_NEAR))
        if near is not None:
            return near
    most = min(high, low + (SPREAD[state.family] >> state.halvings))
    return logarithmic(draw, low, most) if state.family == "multiscale" else draw.randint(low, most)


def _scalar(state: Drawing, low: int, high: int, known: KnownNumbers) -> int:
    """Draw a number that is not a length.

    It is near a constant or an earlier number, computed from the arrays, an end of the range,
    special, or random.
    """
    draw, wide = state.random, high - low > 1000
    if draw.random() < CONSTANTS and (near := state.near_a_constant(low, high)) is not None:
        return near
    chance = draw.random()
    if state.plan.few and chance < (0.5 if wide else 0.2):
        return special(draw, low, high)
    if state.arrays and chance < 0.5:
        for _ in range(4):
            value = _from_arrays(state)
            if low <= value <= high:
                return value
    elif chance < 0.7 and known:
        return max(low, min(high, draw.choice(list(known.values())) + draw.randint(-1, 1)))
    if draw.random() < (0.5 if state.family == "max" else 0.12):
        return draw.choice((low, high, high - draw.randrange(min(high - low, 99) + 1)))
    if state.family == "tiny" and draw.random() < (0.3 if state.plan.few else 0.6):
        near = 0 if low < 0 < high and draw.random() < 0.5 else low
        return draw.randint(near, min(high, near + 9))
    if not wide and draw.random() < 0.5:
        return draw.randint(low, high)
    return special(draw, low, high) if wide and draw.random() < 0.33 else anywhere(draw, low, high)


def _from_arrays(state: Drawing) -> int:
    """Return a number computed from an array, or that number plus or minus 1.

    The number is an element, the sum of a segment, the sum or difference of two elements, or an
    aggregate of the whole array.
    """
    draw = state.random
    values = draw.choice(state.arrays)
    a, b = draw.randrange(len(values)), draw.randrange(len(values))
    kind = draw.randrange(5)
    value = (
        values[a] if kind == 0
        else values[a] + values[b] if kind == 1
        else abs(values[a] - values[b]) if kind == 2
        else sum(values[min(a, b) : max(a, b) + 1]) if kind == 3
        else draw.choice((sum(values), max(values), min(values), len(values), len(set(values))))
    )  # fmt: skip
    return value + draw.choice((-1, 0, 0, 0, 1))
