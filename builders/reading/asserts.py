"""Tests written as Python: ``assert add(1, 2) == 3`` becomes the arguments as JSON, one a line, and the result.

The code is read and never run. What is not a call of one function with values for arguments, compared with a value, is
left out: loops, computed arguments, helpers.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from venus_toolkit.builders.reading.calls import literal
from venus_toolkit.builders.reading.cells import json_text

LONGEST = 1_000_000
DISTANCES = ("abs", "fabs")
COPIES = ("tuple", "list")  # of a list: the same list in JSON


class Asserted(NamedTuple):
    """The inputs and outputs that assertions say, and how many of them could not be read for which reason."""

    pairs: list[tuple[str, str | None]]
    skipped: Counter[str]


class _Claim(NamedTuple):
    """A function's name, its arguments and its result."""

    name: str
    arguments: list[Any]
    result: Any


def read_asserts(code: str) -> Asserted:
    """Return what the assertions in Python code say of the function that most of them call.

    Raises:
        ValueError: It is no Python.
    """
    claims: list[_Claim] = []
    skipped: Counter[str] = Counter()
    for condition in _conditions(code):
        try:
            claims.append(_claim(condition))
        except ValueError as error:
            skipped[str(error)] += 1
    tested = Counter(claim.name for claim in claims).most_common(1)
    pairs: list[tuple[str, str | None]] = [
        ("".join(json_text(each) + "\n" for each in claim.arguments), json_text(claim.result) + "\n")
        for claim in claims
        if claim.name == tested[0][0]
    ]
    if len(claims) > len(pairs):
        skipped["it asserts something of another function"] = len(claims) - len(pairs)
    return Asserted(pairs, skipped)


def _conditions(code: str) -> Iterator[ast.expr]:
    if len(code) > LONGEST:
        raise ValueError(f"the assertions have {len(code)} characters, at most {LONGEST} are read")
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"the assertions are no Python: {error}") from error
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant):
            yield node.test


def _claim(condition: ast.expr) -> _Claim:
    """Return what ``f(…)``, ``not f(…)``, ``f(…) == value`` or ``abs(f(…) - value) < 1e-6`` says."""
    if isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
        return _called(condition.operand, False)
    if not isinstance(condition, ast.Compare):
        return _called(condition, True)
    if len(condition.ops) == 1 and isinstance(condition.ops[0], (ast.Eq, ast.Is)):
        return _equal(condition.left, condition.comparators[0])
    if len(condition.ops) == 1 and isinstance(condition.ops[0], (ast.Lt, ast.LtE)):
        return _near(condition.left)
    raise ValueError("it asserts no result")


def _equal(left: ast.expr, right: ast.expr) -> _Claim:
    left, right = _copied(left), _copied(right)
    if isinstance(left, ast.Call):
        return _called(left, literal(right))
    return _called(right, literal(left))


def _near(distance: ast.expr) -> _Claim:
    """Return what ``abs(f(…) - value)`` is small for."""
    if _name(distance) in DISTANCES and isinstance(distance, ast.Call) and len(distance.args) == 1:
        difference = distance.args[0]
        if isinstance(difference, ast.BinOp) and isinstance(difference.op, ast.Sub):
            return _equal(difference.left, difference.right)
    raise ValueError("it asserts no result")


def _copied(node: ast.expr) -> ast.expr:
    return node.args[0] if _name(node) in COPIES and isinstance(node, ast.Call) and len(node.args) == 1 else node


def _name(node: ast.expr) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _called(node: ast.expr, result: Any) -> _Claim:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.keywords:
        raise ValueError("it calls no function by its name")
    return _Claim(node.func.id, [literal(argument) for argument in node.args], result)
