"""Arithmetic over named ranges.

What the bounds in a statement say once they are written as Python expressions.

Only integers, names, ``+ - * // % **``, ``min`` and ``max`` exist. A name stands for all values it
may still take, so an expression has a smallest and a largest value; where every name is known the
two are equal.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable
from typing import NamedTuple

MOST_BITS = 4096
LARGE = 10**300  # less than the largest float
CALLS = ("min", "max")


class Range(NamedTuple):
    """All numbers from low to high, both included."""

    low: float
    high: float


EVERYTHING = Range(-math.inf, math.inf)
Look = Callable[[str], Range]


def infinite(value: float) -> bool:
    """Whether a value is no number; `math.isinf` takes no whole number beyond the largest float."""
    return value in (math.inf, -math.inf)


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> ast.expr:
    """Return the expression `text` as a tree.

    Raises:
        SyntaxError: It is no expression.
        ValueError: It has something in it that we do not calculate.
    """
    tree = ast.parse(text, mode="eval").body
    for node in ast.walk(tree):
        text_in_it = isinstance(node, ast.Constant) and not isinstance(node.value, (int, float))
        other_call = isinstance(node, ast.Call) and not (
            isinstance(node.func, ast.Name) and node.func.id in CALLS
        )
        if not isinstance(node, ALLOWED) or text_in_it or other_call:
            raise ValueError(f"{type(node).__name__} in {text!r}")
    return tree


ALLOWED = (
    ast.Constant, ast.Name, ast.Load, ast.UnaryOp, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv,
    ast.Mod, ast.Pow, ast.Call,
)  # fmt: skip


@functools.lru_cache(maxsize=4096)
def names_in(text: str) -> frozenset[str]:
    """Return the names that an expression uses."""
    calls = {node.func for node in ast.walk(parse(text)) if isinstance(node, ast.Call)}
    return frozenset(
        node.id
        for node in ast.walk(parse(text))
        if isinstance(node, ast.Name) and node not in calls
    )


def interval(text: str, look: Look) -> Range:
    """Return the smallest and largest value of an expression whose names take the values `look` says."""
    return _interval(parse(text), look)


def _interval(node: ast.expr, look: Look) -> Range:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return Range(node.value, node.value)
    if isinstance(node, ast.Name):
        return look(node.id)
    if isinstance(node, ast.UnaryOp):
        inner = _interval(node.operand, look)
        return Range(-inner.high, -inner.low)
    if isinstance(node, ast.BinOp):
        left, right = _interval(node.left, look), _interval(node.right, look)
        if isinstance(node.op, ast.Mod):
            return _remainders(left, right)
        # Sums and products are monotonic in each operand, so the extremes are at the ends of the
        # ranges.
        corners = [_apply(node.op, a, b) for a in left for b in right]
        return Range(min(corners), max(corners))
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in CALLS
        and node.args
    ):
        chosen = min if node.func.id == "min" else max
        parts = [_interval(part, look) for part in node.args]
        return Range(chosen(part.low for part in parts), chosen(part.high for part in parts))
    return EVERYTHING


def _remainders(left: Range, right: Range) -> Range:
    if left.low == left.high and right.low == right.high > 0 and not infinite(left.low):
        return Range(left.low % right.low, left.low % right.low)
    return Range(0, max(0, right.high - 1))


def _apply(op: ast.operator, a: float, b: float) -> float:
    if infinite(a) != infinite(b):
        # Beside infinity the sign alone matters, and a whole number may be too large to be added to
        # it.
        a, b = (each if infinite(each) else max(-LARGE, min(LARGE, each)) for each in (a, b))
    if isinstance(op, ast.Add):
        return _number(a + b)
    if isinstance(op, ast.Sub):
        return _number(a - b)
    if isinstance(op, ast.Mult):
        # 0 times infinity is not a number for Python; here it is the product of all values with 0.
        return 0 if 0 in (a, b) else a * b
    if infinite(a) or infinite(b):
        return math.copysign(math.inf, a)
    if isinstance(op, ast.FloorDiv):
        return a // b if b else a
    # A statement is anybody's text: 9**9**9 would take for ever.
    if b < 0 or b * math.log2(abs(a) + 2) > MOST_BITS:
        return math.inf
    return float(a**b) if isinstance(a, float) else int(a**b)


def _number(value: float) -> float:
    # Only what is not a number differs from itself.
    return value if value == value else 0
