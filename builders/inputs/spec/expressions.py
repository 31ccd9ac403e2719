"""Expressions of a specification, and arithmetic over named ranges.

An expression is spelt as Python and comes from an untrusted author, so `parse` checks every node of
its tree. Bounds of values use only integers, names, ``+ - * // % **``, ``min`` and ``max``; checks
of an input's values use more (`checking.terms`). In `interval` a name stands for all values that
it may still take, so an expression has a smallest and a largest value; they are equal once every
name is known.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from .specification import SpecError

LONGEST = 2_000  # characters of an expression
DEEPEST = 50  # levels of nested operators
MOST_BITS = 4096  # bits of a power; larger ones count as infinite
LARGE = 10**300  # bounds finite numbers next to infinity; less than the largest float
CALCULATING = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow)
ARITHMETIC = (
    ast.Constant, ast.Name, ast.Load, ast.UnaryOp, ast.USub, ast.BinOp, ast.Call, *CALCULATING,
)  # fmt: skip
CALLS = ("min", "max")


class Range(NamedTuple):
    """All numbers from low to high, both included."""

    low: float
    high: float


EVERYTHING = Range(-math.inf, math.inf)
RangeOf = Callable[[str], Range]


def infinite(value: float) -> bool:
    """Whether a value is infinite; `math.isinf` raises for integers beyond the largest float."""
    return value in (math.inf, -math.inf)


@functools.lru_cache(maxsize=8192)
def parse(
    text: str,
    allowed: tuple[type[ast.AST], ...] = ARITHMETIC,
    constants: tuple[type, ...] = (int, float),
    calls: Collection[str] = CALLS,
) -> ast.expr:
    """Return the expression `text` as a tree. Do not change it: the cache shares it.

    Args:
        text: The expression.
        allowed: The types of nodes that it may contain.
        constants: The types of constants that it may contain.
        calls: The functions that it may call.

    Raises:
        SpecError: The text is not an expression, or contains something else.
    """
    if len(text) > LONGEST:
        raise SpecError(f"a term of {len(text)} characters, at most {LONGEST} are read")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise SpecError(f"{text[:80]!r} is not a term") from None
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        called = node.func if isinstance(node, ast.Call) else None
        if (
            not isinstance(node, allowed)
            or depth > DEEPEST
            or (isinstance(node, ast.Constant) and type(node.value) not in constants)
            or (called and not (isinstance(called, ast.Name) and called.id in calls))
            or (isinstance(node, ast.Call) and (node.keywords or not node.args))
        ):
            raise SpecError(f"{type(node).__name__} in {text[:80]!r}")
        waiting += [(child, depth + 1) for child in ast.iter_child_nodes(node)]
    return tree


def name_nodes(tree: ast.AST) -> Iterator[ast.Name]:
    """Yield the names in a tree, without those of functions."""
    if isinstance(tree, ast.Name):
        yield tree
    for child in ast.iter_child_nodes(tree):
        if not (isinstance(tree, ast.Call) and child is tree.func):
            yield from name_nodes(child)


@functools.lru_cache(maxsize=4096)
def names_in(text: str) -> frozenset[str]:
    """Return the names that an expression uses."""
    return frozenset(node.id for node in name_nodes(parse(text)))


def interval(text: str, range_of: RangeOf) -> Range:
    """Return the smallest and largest value of an expression; `range_of` gives the range of a name."""
    return _interval(parse(text), range_of)


def _interval(node: ast.expr, range_of: RangeOf) -> Range:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return Range(node.value, node.value)
    if isinstance(node, ast.Name):
        return range_of(node.id)
    if isinstance(node, ast.UnaryOp):
        inner = _interval(node.operand, range_of)
        return Range(-inner.high, -inner.low)
    if isinstance(node, ast.BinOp):
        left, right = _interval(node.left, range_of), _interval(node.right, range_of)
        if isinstance(node.op, ast.Mod):
            return _remainders(left, right)
        # Sums and products are monotonic in each operand, so the extremes are at the ends of the
        # ranges.
        corners = [_apply(node.op, a, b) for a in left for b in right]
        return Range(min(corners), max(corners))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        chosen = min if node.func.id == "min" else max
        parts = [_interval(part, range_of) for part in node.args]
        return Range(chosen(part.low for part in parts), chosen(part.high for part in parts))
    return EVERYTHING


def _remainders(left: Range, right: Range) -> Range:
    if left.low == left.high and right.low == right.high > 0 and not infinite(left.low):
        return Range(left.low % right.low, left.low % right.low)
    return Range(0, max(0, right.high - 1))


def _apply(op: ast.operator, a: float, b: float) -> float:
    if infinite(a) != infinite(b):
        # Next to infinity only the sign of a number matters, and Python cannot add an integer
        # beyond the largest float to it.
        a, b = (end if infinite(end) else max(-LARGE, min(LARGE, end)) for end in (a, b))
    if isinstance(op, ast.Add):
        return _number(a + b)
    if isinstance(op, ast.Sub):
        return _number(a - b)
    if isinstance(op, ast.Mult):
        # For Python 0 times infinity is NaN; here it is 0, as for every value that the range holds.
        return 0 if 0 in (a, b) else a * b
    if infinite(a) or infinite(b):
        return math.copysign(math.inf, a)
    if isinstance(op, ast.FloorDiv):
        return a // b if b else a
    # Statements are untrusted: 9**9**9 would take for ever.
    if b < 0 or b * math.log2(abs(a) + 2) > MOST_BITS:
        return math.inf
    return float(a**b) if isinstance(a, float) else int(a**b)


def _number(value: float) -> float:
    # Only NaN (infinity minus infinity) differs from itself.
    return value if value == value else 0
