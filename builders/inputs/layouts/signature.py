"""Reads the layout of function-style inputs from types in the starter code or from samples.

Such an input has one JSON value per line.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from venus_toolkit.builders.inputs.spec.layout import Layout, Line, Many, Node, Scalar, Tuple

KINDS = {"int": "int", "float": "real", "str": "text", "bool": "bool"}
NAMES = r"\[(?P<ends>[A-Za-z]\w*(?:\s*,\s*[A-Za-z]\w*)+)\]"
ROWS = (
    re.compile(rf"\b(?P<name>\w+)\[(?P<index>[ijk])\]\s*={{1,2}}\s*{NAMES}"),
    re.compile(
        rf"\b[Ee]ach (?:element|entry|row) of `?(?P<name>\w+)`? is an? (?:\w+ )?`?{NAMES}(?P<index>)"
    ),
)
WIDTH = re.compile(r"\b(?P<name>\w+)\[i\]\.length\s*==\s*(?P<width>[2-5])\b")


def parameters(starter: str) -> dict[str, ast.expr | None]:
    """Return the parameters, without ``self``, of the first function in Python starter code."""
    try:
        # Starter code often ends with the head of the function, which needs a body to parse.
        tree = ast.parse(
            starter.rstrip() + ("\n        pass\n" if starter.rstrip().endswith(":") else "\n")
        )
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    functions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name != "__init__"
    ]
    if not functions:
        return {}
    return {
        argument.arg: argument.annotation
        for argument in functions[0].args.args
        if argument.arg != "self"
    }


def layout_of(starter: str, statement: str, inputs: Sequence[str]) -> Layout | None:
    """Return the layout of the arguments, or None if the toolkit cannot draw values of a type."""
    annotations = parameters(starter)
    rows = _rows(statement)
    shown = _columns(inputs, len(annotations))
    nodes = []
    for index, (name, annotation) in enumerate(annotations.items()):
        values = shown[index] if shown else []
        node = (
            _node(name, annotation, rows.get(name), values)
            if annotation
            else _node_of_values(name, values)
        )
        if node is None:
            return None
        nodes.append(Line((node,)))
    return Layout("json", tuple(nodes)) if nodes else None


def aliases(statement: str) -> dict[str, str]:
    """Return the names of row positions: in ``edges[i] = [ui, vi]``, ``ui`` is ``edges_at_0``."""
    flat_names: dict[str, str] = {}
    for match in _named_rows(statement):
        index = match["index"] or "i"
        for place, end in enumerate(re.split(r"\s*,\s*", match["ends"])):
            flat_names[end] = f"{match['name']}_at_{place}"
            for spelt in (re.sub(rf"_{index}$", "", end), re.sub(rf"(?<=\w){index}$", "", end)):
                flat_names.setdefault(spelt, flat_names[end])
    return flat_names


def _named_rows(statement: str) -> Iterator[re.Match[str]]:
    for pattern in ROWS:
        yield from pattern.finditer(_remove_braces(statement))


def _remove_braces(statement: str) -> str:
    """Return a statement with ``u_{i}`` as ``u_i``."""
    return re.sub(r"_\{(\w+)\}", r"_\1", statement)


def _rows(statement: str) -> dict[str, int]:
    """Return the row length of each list whose row positions have separate meanings."""
    named = {match["name"]: len(match["ends"].split(",")) for match in _named_rows(statement)}
    return {match["name"]: int(match["width"]) for match in WIDTH.finditer(statement)} | named


def _columns(inputs: Sequence[str], count: int) -> list[list[Any]]:
    """Return the values of each argument in inputs; nothing if an input is malformed."""
    columns: list[list[Any]] = [[] for _ in range(count)]
    most = 5
    for text in inputs[:most]:
        lines = text.rstrip("\n").split("\n")
        try:
            values = [json.loads(line) for line in lines]
        except ValueError:
            return []
        if len(values) != count:
            return []
        for column, value in zip(columns, values, strict=True):
            column.append(value)
    return columns if inputs else []


def _node(name: str, annotation: ast.expr, width: int | None, values: Sequence[Any]) -> Node | None:
    if isinstance(annotation, ast.Name) and annotation.id in KINDS:
        return Scalar(name, KINDS[annotation.id])
    if not (isinstance(annotation, ast.Subscript) and isinstance(annotation.value, ast.Name)):
        return None
    lists = ("List", "list")
    if annotation.value.id not in lists:
        return None
    inner = annotation.slice
    if (
        width
        and isinstance(inner, ast.Subscript)
        and isinstance(inner.slice, ast.Name)
        and inner.slice.id in KINDS
    ):
        kind = KINDS[inner.slice.id]
        return Many(
            name,
            f"len_{name}",
            Tuple(tuple(Scalar(f"{name}_at_{place}", kind) for place in range(width))),
        )
    item = _node(f"{name}_at", inner, None, values)
    return Many(name, f"len_{name}", item) if item else None


def _node_of_values(name: str, values: Sequence[Any]) -> Node | None:
    """Return a node for the values of an argument without annotation."""
    if values and all(isinstance(value, list) for value in values):
        inner = [item for value in values for item in value]
        item = _node_of_values(f"{name}_at", inner)
        return Many(name, f"len_{name}", item) if item else None
    kinds: Mapping[type, str] = {int: "int", float: "real", str: "text", bool: "bool"}
    value_kinds = {kinds.get(type(value)) for value in values}
    return (
        Scalar(name, value_kinds.pop() or "int")
        if len(value_kinds) == 1 and None not in value_kinds
        else None
    )
