"""The JSON values that a type has: whether a value is one, and random ones for tests that want many."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from venus_toolkit.signatures.types import Kind, Type

BITS = {Kind.INT: 32, Kind.LONG: 64}
FLOATS = (0.0, -0.5, 0.1, 1 / 3, 100000.0, 1e21, -1.7976931348623157e308, 5e-324)
LETTERS = "abcxyzABC0189"
ASCII = "".join(map(chr, range(32, 127)))
AWKWARD = '"\\/\b\f\n\r\t\x01\x7f\u00e9\u20ac\u2028\U0001f600'

Value = Any


def valid(value: Value, wanted: Type) -> bool:
    """Return whether `value`, as `json.loads` gives it, is one of the type `wanted`.

    A character is ASCII, because C++ and Go hold it in a byte. An integer stands for a floating point number too. Trees
    have no null at the end; every node of a graph is reached from the first.
    """
    return _CHECKS[wanted.kind](value, wanted)


def random_value(wanted: Type, rng: random.Random, size: int = 8) -> Value:
    """Return a random JSON value of the type `wanted`, with the extremes of its range among the likely ones.

    Args:
        wanted: The type.
        rng: Where chance comes from; the same state gives the same value.
        size: The most elements that a list or text has, and the most nodes of a list, tree or graph; 0 gives the
            smallest value.
    """
    return _MAKERS[wanted.kind](wanted, rng, size)


# ------------------------------------------------------------------ is it one?


def _is_integer(value: Value, wanted: Type) -> bool:
    top = 1 << BITS[wanted.kind] - 1
    return type(value) is int and -top <= value < top


def _is_float(value: Value, wanted: Type) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))


def _is_char(value: Value, wanted: Type) -> bool:
    return isinstance(value, str) and len(value) == 1 and value.isascii()


def _is_string(value: Value, wanted: Type) -> bool:
    return isinstance(value, str)


def _is_list(value: Value, wanted: Type) -> bool:
    return isinstance(value, list) and all(valid(item, element_of(wanted)) for item in value)


def _is_optional(value: Value, wanted: Type) -> bool:
    return value is None or valid(value, element_of(wanted))


def _is_tree(value: Value, wanted: Type) -> bool:
    """Places for children are filled in the order in which their parents came."""
    if not _has_nodes(value, wanted):
        return False
    places = 1
    for item in value:
        if not places:
            return False
        places += -1 if item is None else 1
    return True


def _is_nary_tree(value: Value, wanted: Type) -> bool:
    """A null ends the root's group and then the children of one node after the other."""
    if not _has_nodes(value, wanted):
        return False
    open_groups = 1
    for item in value:
        open_groups += -1 if item is None else 1
        if open_groups < 1:
            return False
    return not value[1:] or value[1] is None


def _has_nodes(value: Value, wanted: Type) -> bool:
    """Nothing, or a list that begins and ends with a node."""
    if not value or not isinstance(value, list):
        return isinstance(value, list)
    nodes = [item for item in value if item is not None]
    return value[0] is not None and value[-1] is not None and all(valid(item, element_of(wanted)) for item in nodes)


def _is_graph(value: Value, wanted: Type) -> bool:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        return False
    if not all(type(label) is int and 1 <= label <= len(value) for row in value for label in row):
        return False
    return len(_reached(value)) == len(value)


def _reached(neighbours: Sequence[Sequence[int]]) -> set[int]:
    reached = {1} if neighbours else set()
    waiting = list(reached)
    while waiting:
        new = set(neighbours[waiting.pop() - 1]) - reached
        reached |= new
        waiting.extend(new)
    return reached


def element_of(outer: Type) -> Type:
    """Return what `outer` is made of.

    Raises:
        ValueError: It is a type that must say so, and does not.
    """
    if outer.element is None:
        raise ValueError(f"the type {outer.kind} does not say what it is made of")
    return outer.element


_CHECKS: Mapping[Kind, Callable[[Value, Type], bool]] = {
    Kind.INT: _is_integer,
    Kind.LONG: _is_integer,
    Kind.FLOAT: _is_float,
    Kind.BOOL: lambda value, wanted: isinstance(value, bool),
    Kind.CHAR: _is_char,
    Kind.STRING: _is_string,
    Kind.LIST: _is_list,
    Kind.LINKED_LIST: _is_list,
    Kind.TREE: _is_tree,
    Kind.NARY_TREE: _is_nary_tree,
    Kind.GRAPH: _is_graph,
    Kind.OPTIONAL: _is_optional,
    Kind.VOID: lambda value, wanted: value is None,
}


# ------------------------------------------------------------------ random ones


def _integer(wanted: Type, rng: random.Random, size: int) -> int:
    top = 1 << BITS[wanted.kind] - 1
    return rng.choice([0, rng.randint(-9, 9), rng.randint(-top, top - 1), -top, top - 1])


def _float(wanted: Type, rng: random.Random, size: int) -> float:
    return rng.choice([rng.choice(FLOATS), rng.uniform(-1000, 1000), float(rng.randint(-9, 9))])


def _char(wanted: Type, rng: random.Random, size: int) -> str:
    return rng.choice(ASCII)


def _string(wanted: Type, rng: random.Random, size: int) -> str:
    alphabet = rng.choice([LETTERS, ASCII, LETTERS + AWKWARD])
    return "".join(rng.choices(alphabet, k=rng.randint(0, size)))


def _list(wanted: Type, rng: random.Random, size: int) -> list[Value]:
    return [random_value(element_of(wanted), rng, size // 2) for _ in range(rng.randint(0, size))]


def _optional(wanted: Type, rng: random.Random, size: int) -> Value:
    return random_value(element_of(wanted), rng, size) if rng.random() < 0.7 else None


def _tree(wanted: Type, rng: random.Random, size: int) -> list[Value]:
    """Like one that is written level by level: a null takes a place and has none below it."""
    values, places, left = [], 1, rng.randint(0, size)
    while places and left:
        grows = rng.random() < 0.7 or places == 1
        values.append(random_value(element_of(wanted), rng, size // 2) if grows else None)
        places += 1 if grows else -1
        left -= grows
    return values


def _nary_tree(wanted: Type, rng: random.Random, size: int) -> list[Value]:
    left = rng.randint(0, size)
    values = [random_value(element_of(wanted), rng, size // 2)] if left else []
    nodes, left = left and 1, left - 1
    while nodes and left > 0:
        count = rng.randint(1 if nodes == 1 else 0, min(left, 3))
        values += [None, *(random_value(element_of(wanted), rng, size // 2) for _ in range(count))]
        nodes, left = nodes - 1 + count, left - count
    return values


def _graph(wanted: Type, rng: random.Random, size: int) -> list[list[int]]:
    """Connected and undirected: every node has an edge to an earlier one, then some more edges."""
    count = rng.randint(0, size)
    edges = {(rng.randint(1, node - 1), node) for node in range(2, count + 1)}
    for _ in range(count if count > 1 else 0):
        low, high = sorted(rng.sample(range(1, count + 1), 2))
        edges.add((low, high))
    both = sorted(edges | {(high, low) for low, high in edges})
    return [[other for one, other in both if one == node] for node in range(1, count + 1)]


_MAKERS: Mapping[Kind, Callable[[Type, random.Random, int], Value]] = {
    Kind.INT: _integer,
    Kind.LONG: _integer,
    Kind.FLOAT: _float,
    Kind.BOOL: lambda wanted, rng, size: rng.random() < 0.5,
    Kind.CHAR: _char,
    Kind.STRING: _string,
    Kind.LIST: _list,
    Kind.LINKED_LIST: _list,
    Kind.TREE: _tree,
    Kind.NARY_TREE: _nary_tree,
    Kind.GRAPH: _graph,
    Kind.OPTIONAL: _optional,
    Kind.VOID: lambda wanted, rng, size: None,
}
