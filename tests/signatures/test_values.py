"""Values are checked against types; random values are valid and reach the extremes of a type."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from venus_toolkit.signatures import Kind, Type, random_value, valid

INT = Type(Kind.INT)
LONG = Type(Kind.LONG)
FLOAT = Type(Kind.FLOAT)
BOOL = Type(Kind.BOOL)
CHAR = Type(Kind.CHAR)
STRING = Type(Kind.STRING)
MATRIX = Type(Kind.LIST, Type(Kind.LIST, INT))
LINKED = Type(Kind.LINKED_LIST, INT, "ListNode")
TREE = Type(Kind.TREE, INT, "TreeNode")
NARY = Type(Kind.NARY_TREE, INT, "Node")
GRAPH = Type(Kind.GRAPH, INT, "Node")
MAYBE = Type(Kind.OPTIONAL, STRING)
VOID = Type(Kind.VOID)
ALL = [INT, LONG, FLOAT, BOOL, CHAR, STRING, MATRIX, LINKED, TREE, NARY, GRAPH, MAYBE, VOID]


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (INT, 2**31 - 1),
        (INT, -(2**31)),
        (LONG, -(2**63)),
        (FLOAT, 0.5),
        (FLOAT, 3),
        (BOOL, False),
        (CHAR, "a"),
        (STRING, ""),
        (STRING, "\U0001f600"),
        (MATRIX, []),
        (MATRIX, [[], [1]]),
        (LINKED, [1, 2]),
        (TREE, []),
        (TREE, [1, None, 2, 3]),
        (TREE, [5, 3, 6, 5, 2, 5, 7, 1, 8, None, None, 6, 8]),
        (NARY, [1]),
        (NARY, [1, None, 3, 2, 4, None, 5, 6]),
        (
            NARY,
            [
                1,
                None,
                2,
                3,
                4,
                5,
                None,
                None,
                6,
                7,
                None,
                8,
                None,
                9,
                10,
                None,
                None,
                11,
                None,
                12,
                None,
                13,
            ],
        ),
        (GRAPH, []),
        (GRAPH, [[]]),
        (GRAPH, [[2, 4], [1, 3], [2, 4], [1, 3]]),
        (MAYBE, None),
        (MAYBE, "x"),
        (VOID, None),
    ],
)
def test_valid_values(type_: Type, value: Any) -> None:
    assert valid(value, type_)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (INT, 2**31),
        (INT, 1.0),
        (INT, True),
        (INT, "1"),
        (LONG, 2**63),
        (FLOAT, "0.5"),
        (FLOAT, True),
        (FLOAT, float("nan")),
        (BOOL, 1),
        (CHAR, ""),
        (CHAR, "ab"),
        (CHAR, "\u00e9"),
        (STRING, None),
        (STRING, ["a"]),
        (MATRIX, [1]),
        (MATRIX, [[None]]),
        (MATRIX, "[]"),
        (LINKED, None),
        (LINKED, [1, None]),
        (TREE, None),
        (TREE, ()),
        (TREE, [None]),
        (TREE, [1, None]),
        (TREE, [1, None, None, 2]),
        (NARY, [1, 2]),
        (NARY, [1, None]),
        (NARY, [1, None, 2, None, None, None, 3]),
        (GRAPH, [[0]]),
        (GRAPH, [[2]]),
        (GRAPH, [[], []]),
        (GRAPH, [1]),
        (MAYBE, 1),
        (VOID, 0),
    ],
)
def test_invalid_values(type_: Type, value: Any) -> None:
    assert not valid(value, type_)


@pytest.mark.parametrize("type_", ALL, ids=str)
def test_random_values_are_valid_and_survive_json(type_: Type) -> None:
    rng = random.Random(1)
    for size in range(12):
        for _ in range(50):
            value = random_value(type_, rng, size)
            assert valid(value, type_), value
            assert json.loads(json.dumps(value)) == value


@pytest.mark.parametrize("type_", ALL, ids=str)
def test_the_same_seed_gives_the_same_value(type_: Type) -> None:
    assert random_value(type_, random.Random(5)) == random_value(type_, random.Random(5))


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (INT, 2**31 - 1),
        (INT, -(2**31)),
        (LONG, 2**63 - 1),
        (FLOAT, 5e-324),
        (BOOL, True),
        (MAYBE, None),
        (TREE, []),
    ],
)
def test_extremes_are_likely(type_: Type, value: Any) -> None:
    rng = random.Random(2)
    assert value in [random_value(type_, rng) for _ in range(200)]


@pytest.mark.parametrize("type_", [MATRIX, LINKED, TREE, NARY, GRAPH], ids=str)
def test_size_bounds_the_nodes(type_: Type) -> None:
    rng = random.Random(3)
    values = [random_value(type_, rng, 5) for _ in range(200)]
    sizes = [sum(item is not None for item in value) for value in values]
    assert max(sizes) == 5
    assert random_value(type_, rng, 0) == []


def test_trees_have_gaps() -> None:
    rng = random.Random(4)
    assert any(None in random_value(TREE, rng) for _ in range(50))
    assert any(None in random_value(NARY, rng)[2:] for _ in range(50))


def test_list_without_an_element_type_has_no_values() -> None:
    with pytest.raises(ValueError, match="has no element type"):
        valid([1], Type(Kind.LIST))
