"""The range that relations leave for a value once earlier values are known."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..expressions import EVERYTHING, Range, RangeOf, infinite, interval, names_in, parse

KnownNumbers = dict[str, int]
Row = dict[str, Any]
NUMBERS = Range(0, 10)  # replaces the range of a number without bounds
DEPTH = 4


class RowLimits(NamedTuple):
    """The limits on a value from earlier values of its row.

    Functions of the row: lower bounds, upper bounds, and tests after the value is put into it.
    """

    lows: tuple[Callable[[Row], float], ...]
    highs: tuple[Callable[[Row], float], ...]
    tests: tuple[Callable[[Row], bool], ...]


class Bounds:
    """Relations, and the ranges that they leave for names."""

    def __init__(self, relations: Sequence[Sequence[str]]) -> None:
        self.relations: dict[str, list[Sequence[str]]] = {}
        self.ranges: dict[tuple[Any, ...], Range] = {}
        self.related: dict[str, tuple[str, ...]] = {}
        self.compound: dict[str, list[Sequence[str]]] = {}
        self.add(relations)

    def add(self, relations: Sequence[Sequence[str]]) -> None:
        """Add relations."""
        for relation in relations:
            for name in names_in(relation[0]) | names_in(relation[2]):
                self.relations.setdefault(name, []).append(relation)
        self.ranges.clear()
        self.related.clear()
        self.compound.clear()

    def of(self, expression: str, known: KnownNumbers) -> Range:
        """Return the smallest and largest value of an expression."""
        return interval(expression, self.range_of(known))

    def range_of(self, known: KnownNumbers) -> RangeOf:
        """Return the function that `interval` calls: a known name's value, or a name's range."""
        return lambda name: (
            Range(known[name], known[name]) if name in known else self.range(name, known, True)
        )

    def range(self, name: str, known: KnownNumbers, open_ended: bool = False) -> Range:
        """Return the range that the relations leave for a name.

        Both ends are finite, unless `open_ended` is set and no relation bounds the name.
        """
        # The cache key holds only related names; large inputs request a range 10^5 times.
        key = (name, *(known.get(other) for other in self._related(name)))
        if key not in self.ranges:
            self.ranges[key] = self.open_range(name, known)
        low, high = self.ranges[key]
        return EVERYTHING if open_ended and infinite(low) and infinite(high) else closed(low, high)

    def _related(self, name: str) -> tuple[str, ...]:
        """Return the names that affect the range of a name, directly or through others."""
        if name not in self.related:
            names = [name]
            for other in names:
                sides = [names_in(r[0]) | names_in(r[2]) for r in self.relations.get(other, ())]
                names += sorted(set().union(*sides) - set(names))
            self.related[name] = tuple(names[1:])
        return self.related[name]

    def open_range(self, name: str, known: KnownNumbers | None = None, depth: int = 0) -> Range:
        """Return the range that the relations leave for a name; an unbounded end is infinite."""
        low, high = EVERYTHING
        known = known or {}

        def range_of(other: str) -> Range:
            return (
                Range(known[other], known[other])
                if other in known
                else self.open_range(other, known, depth + 1)
            )

        # In a <= b each side needs the range of the other: DEPTH ends the recursion.
        for left, operator, right in self.relations.get(name, ()) if depth < DEPTH else ():
            step = 1 if operator == "<" else 0
            if right == name and operator != "!=":
                low = max(low, interval(left, range_of).low + step)
            if left == name and operator != "!=":
                high = min(high, interval(right, range_of).high - step)
            if left == name and operator == "==":
                low = max(low, interval(right, range_of).low)
            if right == name and operator == "==":
                high = min(high, interval(left, range_of).high)
        return Range(low, high)

    def fitting(self, name: str, known: KnownNumbers, extra: Sequence[Sequence[str]] = ()) -> Range:
        """Return the range of a name, narrowed by relations with the name inside an expression.

        The relations in `extra` bound names or expressions from above by numbers.
        """
        span = self.range(name, known)
        if caps := [int(right) for left, _, right in extra if left == name]:
            span = Range(span.low, max(span.low, min(span.high, *caps)))
        if not self._compound(name, extra) or span.high <= span.low:
            return span
        low, high = int(span.low), int(span.high)
        return fitting_part(low, high, lambda value: self.holds(name, value, known, extra))

    def _compound(self, name: str, extra: Sequence[Sequence[str]] = ()) -> list[Sequence[str]]:
        if name not in self.compound:
            own = self.relations.get(name, ())
            self.compound[name] = [r for r in own if r[1] == "!=" or name not in (r[0], r[2])]
        wider = [r for r in extra if r[0] != name and name in names_in(r[0])]
        return [*self.compound[name], *wider] if wider else self.compound[name]

    def holds(
        self, name: str, value: int, known: KnownNumbers, extra: Sequence[Sequence[str]] = ()
    ) -> bool:
        """Whether a value can satisfy its name's compound relations for some unknown values."""
        relations = self._compound(name, extra)
        if not relations:
            return True
        range_of = self.range_of({**known, name: value})
        return all(
            possible(interval(a, range_of), op, interval(b, range_of)) for a, op, b in relations
        )

    def row_limits(self, name: str, known: KnownNumbers, before: Sequence[str]) -> RowLimits | None:
        """Return the limits on a name from the values `before` it in its row; None if it has none.

        `range` covers relations with known values only; a relation with a later value limits that
        value instead.
        """
        lows, highs, tests = [], [], []
        for left, operator, right in self.relations.get(name, ()):
            names = names_in(left) | names_in(right)
            alone = name in (left, right) and not names_in(left) & names_in(right)
            if not names <= {name, *known, *before} or (
                alone and operator != "!=" and not names & set(before)
            ):
                continue
            a, b = compiled(left, known), compiled(right, known)
            if not alone or operator == "!=":
                tests.append(comparison(a, operator, b))
                continue
            step = 1 if operator == "<" else 0
            if right == name or operator == "==":
                lows.append(plus(a if right == name else b, step))
            if left == name or operator == "==":
                highs.append(plus(b if left == name else a, -step))
        return (
            RowLimits(tuple(lows), tuple(highs), tuple(tests)) if lows or highs or tests else None
        )


def fitting_part(low: int, high: int, holds: Callable[[int], bool]) -> Range:
    """Return the part of a range that fits, or all of it if both ends fit or neither does.

    Sums and products are monotonic: if one end fits, bisection finds the last value that fits.
    """
    ends = [holds(low), holds(high)]
    if ends == [True, False]:
        high = last(low, high, holds)
    elif ends == [False, True]:
        low = last(high, low, holds)
    return Range(low, high)


def last(good: int, bad: int, holds: Callable[[int], bool]) -> int:
    """Return the last good value between a good one and a bad one, by bisection."""
    while abs(bad - good) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good


def compiled(expression: str, known: Mapping[str, int]) -> Callable[[Row], float]:
    """Return a function that evaluates an expression on a row.

    `known` names need not be in the row. Sums and products are compiled, as an input may have 10^5
    rows; divisions and powers are interpreted, as `interval` limits them.
    """
    tree = parse(expression)
    if any(isinstance(node, (ast.FloorDiv, ast.Mod, ast.Pow, ast.Call)) for node in ast.walk(tree)):
        return lambda row: (
            interval(expression, lambda name: Range(*[row.get(name, known.get(name, 0))] * 2)).low
        )
    body = ast.unparse(tree)
    # Safe to evaluate: `parse` allows only numbers, names and their sums and products.
    text = re.sub(
        r"(?<![\w.])[A-Za-z_]\w*", lambda name: str(known.get(name[0], f"row[{name[0]!r}]")), body
    )
    function: Callable[[Row], float] = eval(f"lambda row: {text}", {"__builtins__": {}})
    return function


def comparison(
    left: Callable[[Row], float], operator: str, right: Callable[[Row], float]
) -> Callable[[Row], bool]:
    """Return a function of a row that says whether a comparison holds."""
    return {
        "<": lambda row: left(row) < right(row),
        "<=": lambda row: left(row) <= right(row),
        "==": lambda row: left(row) == right(row),
        "!=": lambda row: left(row) != right(row),
    }[operator]


def plus(value: Callable[[Row], float], step: int) -> Callable[[Row], float]:
    """Return a function that adds `step` to a value."""
    return (lambda row: value(row) + step) if step else value


def closed(low: float, high: float) -> Range:
    """Return a range with finite ends; if they cross, both are the low end."""
    if infinite(low):
        low = NUMBERS.low if infinite(high) or high >= 0 else high - NUMBERS.high
    if infinite(high):
        high = low + NUMBERS.high
    return Range(low, max(low, high))


def possible(left: Range, operator: str, right: Range) -> bool:
    """Whether a comparison can be true for some values of both sides."""
    if operator == "!=":
        return not left.low == left.high == right.low == right.high
    if operator == "<":
        return left.low < right.high
    return left.low <= right.high and (operator == "<=" or right.low <= left.high)
