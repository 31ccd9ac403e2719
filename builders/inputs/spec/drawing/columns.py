"""Draws columns of integers: values of a pattern, then arranged and changed to keep promises."""

from __future__ import annotations

import heapq
import re
from collections.abc import Sequence

from ..checking.checks import COMPARISONS
from .bounds import KnownNumbers
from .patterns import array, echo, independent, logarithmic, neighbours_differ, prime_near, with_sum
from .replay import edited, resized
from .state import CONSTANTS, MOST_EARLIER, DrawError, Drawing

# The traits that determine how a whole list is drawn.
ARRANGED = frozenset({"permutation", "permutation of", "same sum", "distinct", "ascending", "descending",
                      "neighbours differ"})  # fmt: skip


def integers(
    state: Drawing, name: str, count: int, known: KnownNumbers, old: Sequence[int], plain: bool
) -> list[int]:
    """Return `count` integers; `plain` ones are independent of each other.

    Raises:
        DrawError: No such integers exist in the range of the name.
    """
    draw = state.random
    span, traits = state.bounds.range(name, known), state.traits(name)
    low, high = int(span.low), int(span.high)
    if plain:
        return with_traits(state, name, independent(draw, count, low, high), low, high)
    if traits.keys() & ARRANGED:
        values = _arranged(state, name, count, low, high)
    else:
        values = _patterned(state, name, count, low, high, old)
        if values and state.family != "corner" and draw.random() < CONSTANTS:
            for _ in range(draw.randint(1, 3)):
                if (near := state.near_a_constant(low, high)) is not None:
                    values[draw.randrange(count)] = near
    if values and name in state.plan.sums:
        values = _with_limited_sum(state, name, values, low, high, known)
    if values and traits:
        values = with_traits(state, name, values, low, high)
    if values and len(state.arrays) < MOST_EARLIER:
        state.arrays.append(values)
    return values


def _with_limited_sum(
    state: Drawing, name: str, values: list[int], low: int, high: int, known: KnownNumbers
) -> list[int]:
    """Return values changed to keep the promised sum, or upper bound of the sum."""
    sign, limit = state.plan.sums[name]
    spare = int(state.bounds.of(limit, known).low) - low * len(values)
    excess = [value - low for value in values]
    if spare < 0:
        raise DrawError(f"a sum of {name}")
    if sign == "<=" and sum(excess) <= spare:
        return values
    if sign == "<=" and state.family != "max" and state.random.random() < 0.5:
        spare = logarithmic(state.random, 0, spare)
    return [low + value for value in with_sum(state.random, excess, spare, high - low)]


def _patterned(
    state: Drawing, name: str, count: int, low: int, high: int, old: Sequence[int]
) -> list[int]:
    """Return values of a pattern, of an earlier array, or of the old values in a replay."""
    draw = state.random
    if old and state.family == "replay":
        values = [max(low, min(high, value)) for value in resized(draw, old, count)]
        return edited(draw, values, low, high) if draw.random() < state.rate + 0.2 else values
    first, final = state.window_in(name, low, high)
    fitting = [
        values for values in state.arrays if low <= values[0] <= high and low <= values[-1] <= high
    ]
    if (
        fitting
        and state.family != "corner"
        and draw.random() < 0.33
        and (state.family != "max" or state.turn)
    ):
        return [max(low, min(high, value)) for value in echo(draw, draw.choice(fitting), count)]
    if state.family == "max" and (state.turn == 0 or not state.arrays):
        return state.pattern(draw, count, first, final)
    if (state.family == "max" and state.turn == 1) or (
        state.family == "tiny" and draw.random() < 0.6
    ):
        return independent(draw, count, first, final)
    return array(draw, count, first, final)


def _arranged(state: Drawing, name: str, count: int, low: int, high: int) -> list[int]:
    """Return a list with the `ARRANGED` traits of its name."""
    traits, draw = state.traits(name), state.random
    if "permutation of" in traits and (other := state.drawn.get(traits["permutation of"][0])):
        if len(other) != count:
            raise DrawError("a list of the length of its permutation")
        return _shuffled(state, [int(value) for value in other])
    if "same sum" in traits and (other := state.drawn.get(traits["same sum"][0])):
        spare = sum(other) - low * count
        if not 0 <= spare <= (high - low) * count:
            raise DrawError("a list with the promised sum")
        excess = [value - low for value in _patterned(state, name, count, low, high, ())]
        return [low + value for value in with_sum(draw, excess, spare, high - low)]
    first, final = state.window_in(name, low, high)
    if "permutation" in traits:
        if low + count - 1 > high:
            raise DrawError(f"a permutation of {count} numbers")
        values = list(range(low, low + count))
    elif "distinct" in traits:
        if high - low + 1 < count:
            raise DrawError("different values")
        # Widen a window that is too narrow for `count` distinct values.
        final = min(high, max(final, first + count + logarithmic(draw, 0, count) - 1))
        first = min(first, final - count + 1)
        values = draw.sample(range(first, final + 1), count)
    else:
        values = _patterned(state, name, count, low, high, ())
    if "ascending" in traits or "descending" in traits:
        values.sort(reverse="descending" in traits)
    elif "neighbours differ" in traits:
        if low == high and count > 1:
            raise DrawError("neighbours that differ")
        # Widen a window of a single value, which cannot differ from itself.
        first = min(first, max(low, high - 1))
        values = neighbours_differ(draw, values, range(first, max(final, first + 1) + 1))
    elif "distinct" in traits or "permutation" in traits:
        values = _shuffled(state, values)
    return values


def _shuffled(state: Drawing, values: list[int]) -> list[int]:
    """Return values in another order: random, ascending, descending, or sorted with one swap."""
    draw, order = state.random, state.random.randrange(6)
    if order < 3:
        draw.shuffle(values)
    else:
        values.sort(reverse=order == 5)
    if order == 4 and len(values) > 1:
        a, b = draw.randrange(len(values)), draw.randrange(len(values))
        values[a], values[b] = values[b], values[a]
    return values


def with_traits(state: Drawing, name: str, values: list[int], low: int, high: int) -> list[int]:
    """Return values changed to have the other traits of their name.

    Raises:
        DrawError: No such values exist from low to high.
    """
    draw, traits = state.random, state.traits(name)
    any_place = draw.randrange(len(values)) if traits else 0
    for trait, arguments in traits.items():
        if trait == "prime":
            values = [prime_near(value, low, high) for value in values]
        elif trait == "even":
            values = [value - value % 2 or 2 * (low > 0) for value in values]
            if not all(low <= value <= high for value in values):
                values = [value + 2 * (value < low) for value in values]
            if not all(low <= value <= high for value in values):
                raise DrawError("an even number")
        elif trait == "power":
            powers = [1]
            while powers[-1] <= high and int(arguments[0]) > 1:
                powers.append(powers[-1] * int(arguments[0]))
            powers = [power for power in powers if low <= power <= high]
            if not powers:
                raise DrawError("a power in the range")
            values = [sorted(powers, key=lambda power: abs(power - value))[0] for value in values]
        elif trait == "in" and state.drawn.get(arguments[0]):
            inside = [value for value in state.drawn[arguments[0]] if low <= value <= high]
            values = [
                value if value in inside else draw.choice(inside or [value]) for value in values
            ]
        elif trait == "together":
            used = {
                value
                for other in arguments
                if other != name
                for value in state.drawn.get(other, ())
            }
            for place, value in enumerate(values):
                if value in used:
                    near = range(max(low, value - 2 * len(used)), high + 1)
                    free = [n for n in near[: 4 * len(used) + 1] if n not in used]
                    if not free:
                        raise DrawError("different values")
                    values[place] = draw.choice(free)
                used.add(values[place])
        elif trait == "heap":
            sign = -1 if "max" in arguments else 1
            values = [sign * value for value in values]
            heapq.heapify(values)
            values = [sign * value for value in values]
        elif trait in ("first", "last"):
            values[0 if trait == "first" else -1] = int(arguments[0])
        elif trait == "half":
            odd, half = int(arguments[0]), len(values) // 2
            places = set(draw.sample(range(len(values)), half))
            values = [
                value if value % 2 == (odd if place in places else 1 - odd)
                else value + 1 if value < high else value - 1
                for place, value in enumerate(values)
            ]  # fmt: skip
        elif trait == "not all alike" and len(set(values)) == 1 and low < high:
            values[any_place] = low if values[0] != low else high
        elif trait == "some multiple" and arguments[0].isdigit() and int(arguments[0]):
            multiple = high - high % int(arguments[0])
            if not any(value % int(arguments[0]) == 0 for value in values) and multiple >= low:
                values[any_place] = multiple
        elif trait == "some" and re.fullmatch(r"-?\d+", arguments[0]):
            compare, limit = COMPARISONS[arguments[1]], int(arguments[0])
            ends = (low, high, limit - 1, limit, limit + 1)
            fitting = [end for end in ends if low <= end <= high and compare(end, limit)]
            if fitting and not any(compare(value, limit) for value in values):
                values[any_place] = draw.choice(fitting)
    return values
