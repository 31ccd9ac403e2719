"""Tests written as calls: ``n = 7, words = ["a"]`` and its result become JSON, one argument a line."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from venus_toolkit.builders.reading.cells import json_text, show
from venus_toolkit.signatures import Function, Kind

LITERALS = {"true": True, "false": False, "null": None}
LONGEST = 1_000_000


def call_input(text: str, function: Function | None) -> str:
    """Return the arguments of a call as JSON, one a line, in the order of the function's parameters where it is known.

    Raises:
        ValueError: It is no list of ``name = value``, or names other parameters.
    """
    values = _keywords(text)
    names = [parameter.name for parameter in function.parameters] if function else list(values)
    if sorted(names) != sorted(values):
        raise ValueError(f"the arguments are {', '.join(values)}, the parameters {', '.join(names)}")
    return "".join(json_text(values[name]) + "\n" for name in names)


def call_output(text: str, function: Function | None) -> str:
    """Return the result of a call as JSON; of a function that returns text it is the text itself.

    Raises:
        ValueError: It is no value.
    """
    if function and function.returns.kind in (Kind.STRING, Kind.CHAR):
        return json_text(text) + "\n"
    return json_text(literal(_parsed(text).body)) + "\n"


def _keywords(text: str) -> dict[str, Any]:
    call = _parsed(f"_({text})").body
    if not isinstance(call, ast.Call) or call.args or not call.keywords or not all(k.arg for k in call.keywords):
        raise ValueError(f"it is no list of name = value: {show(text)}")
    return {str(keyword.arg): literal(keyword.value) for keyword in call.keywords}


def _parsed(text: str) -> ast.Expression:
    if len(text) > LONGEST:
        raise ValueError(f"it has {len(text)} characters")
    try:
        return ast.parse(text, mode="eval")
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"it is no value: {show(text)}") from error


def literal(node: ast.expr) -> Any:
    """Return the value of a literal of Python or JSON; a tuple is a list.

    Raises:
        ValueError: It is something else.
    """
    if isinstance(node, ast.Name) and node.id in LITERALS:
        return LITERALS[node.id]
    if isinstance(node, (ast.List, ast.Tuple)):
        return _values(node.elts)
    if isinstance(node, ast.Dict) and all(isinstance(key, ast.Constant) for key in node.keys):
        keys = [str(key.value) for key in node.keys if isinstance(key, ast.Constant)]
        return dict(zip(keys, _values(node.values), strict=True))
    try:
        value = _plain(node)
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        raise ValueError(f"it is no literal: {ast.unparse(node)[:80]}")
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _plain(node: ast.expr) -> Any:
    """Return the value of a constant or a number with a sign; an ellipsis, which no literal here is, for all else."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return ...


def _values(nodes: Sequence[ast.expr]) -> list[Any]:
    return [literal(node) for node in nodes]
