"""Suspected promises: all known inputs keep them, and chance does not explain that."""

from __future__ import annotations

import json

import pytest

from venus_toolkit.builders.inputs.invariants import invariants, needed
from venus_toolkit.builders.inputs.spec.layout import Layout, Line, Loop, Many, Scalar, Tuple
from venus_toolkit.builders.inputs.spec.promises import (
    Compare,
    Distinct,
    Graph,
    Is,
    Permutation,
    Promise,
    Reading,
    Sorted,
)
from venus_toolkit.builders.inputs.spec.specification import Spec

NUMBERS = Layout("lines", (Line((Scalar("N"),)), Line((Many("A", "N", Scalar("A")),))))
SPEC = Spec("task", NUMBERS)
EDGES = Layout(
    "lines",
    (Line((Scalar("N"), Scalar("M"))), Loop("M", (Line((Scalar("a"), Scalar("b"))),))),
)
NODES = Reading(
    "1 <= a_i, b_i <= N",
    tuple(
        promise
        for end in ("a[i]", "b[i]")
        for promise in (Compare("1", "<=", end), Compare(end, "<=", "N"))
    ),
)
WORD = Layout("lines", (Line((Scalar("S", "text"),)),))
TWO_LISTS = Layout(
    "json",
    tuple(Line((Many(name, f"len_{name}", Scalar(f"{name}_at")),)) for name in ("a", "b")),
)
PAIRS = Layout("json", (Line((Many("r", "len_r", Tuple((Scalar("r_at_0"), Scalar("r_at_1")))),)),))


def numbers(*lists: list[int]) -> list[str]:
    return [f"{len(values)}\n{' '.join(map(str, values))}\n" for values in lists]


def graph(count: int, *edges: tuple[int, int]) -> str:
    return f"{count} {len(edges)}\n" + "".join(f"{a} {b}\n" for a, b in edges)


def suspected(
    layout: Layout, inputs: list[str], stated: tuple[Reading, ...] = (), words: str = ""
) -> list[Promise]:
    readings = invariants(Spec("task", layout, stated), inputs, words)
    assert {reading.witness for reading in readings} <= {"suspected"}
    return [promise for reading in readings for promise in reading.promises]


SORTED = numbers([1, 4, 9, 30], [2, 7, 7, 8, 20])
DISTINCT = numbers([8, 1, 6, 3, 7, 5, 2, 9], [4, 9, 3, 8, 1, 2, 5, 7, 12])
PERMUTATIONS = numbers([3, 1, 2, 5, 4, 7, 6], [2, 6, 1, 3, 5, 4])
TREES = [graph(6, (1, 4), (2, 4), (4, 6), (3, 6), (5, 2)), graph(3, (1, 3), (3, 2))]


@pytest.mark.parametrize(
    ("layout", "inputs", "stated", "promise"),
    [
        (NUMBERS, numbers([1, 4, 9, 30], [2, 7, 8, 20, 21]), (), Sorted("A", strict=True)),
        (NUMBERS, numbers([1, 4, 4, 30, 31], [2, 7, 7, 20, 21]), (), Sorted("A")),
        (NUMBERS, numbers([31, 30, 9, 4, 4], [7, 7, 7, 2, 1]), (), Sorted("A", descending=True)),
        (NUMBERS, DISTINCT, (), Distinct(("A[i]",))),
        (NUMBERS, PERMUTATIONS, (), Permutation("A", "1", "len(A)")),
        (EDGES, TREES, (NODES,), Graph(("tree",))),
        (WORD, ["()(())(())()(())\n", "((()))()(())()\n"], (), Is("S", "brackets")),
        (WORD, ["abcddcba\n", "zxxyxxz\n"], (), Is("S", "palindrome")),
        (TWO_LISTS, ["[5, 1, 4, 1]\n[1, 4, 5, 1]\n", "[3, 9, 2]\n[9, 2, 3]\n"], (),
         Is("b", "permutation of", ("a",))),
    ],
)  # fmt: skip
def test_promise_kept_by_all_inputs_is_suspected(
    layout: Layout, inputs: list[str], stated: tuple[Reading, ...], promise: Promise
) -> None:
    assert suspected(layout, inputs, stated, "They are given in some order.") == [promise]


def test_pairs_with_the_smaller_value_first() -> None:
    rows = [[1, 5], [9, 12], [3, 30], [7, 8], [2, 31], [4, 15], [6, 9], [0, 4], [20, 25], [5, 9]]
    promise = Compare("r[i][0]", "<", "r[i][1]")
    assert suspected(PAIRS, [json.dumps(rows) + "\n", json.dumps(rows[::-1]) + "\n"]) == [promise]


@pytest.mark.parametrize(
    "inputs",
    [
        numbers([7], [7], [7]),  # the same value in three samples
        numbers([7] * 9, [7] * 8, [7] * 7),
        numbers([1, 2], [3, 9], [4, 5]),  # sorted by chance: one in eight
        numbers([1, 2, 3, 4, 5], [1, 2, 3]),  # a usual sample for any list
        numbers([1, 4, 9, 30], [2, 7, 8, 20, 21], [3, 1, 2]),  # the last list is not sorted
        numbers([123456, 5, 98765, 4321, 777]),  # distinct, like most large numbers
        ["3\n1 2\n"],  # does not fit the layout
        [],
    ],
)
def test_chance_is_not_suspected(inputs: list[str]) -> None:
    assert suspected(NUMBERS, inputs, words="They are sorted.") == []


def test_words_are_not_compared() -> None:
    layout = Layout("lines", (Loop("4", (Line((Scalar("a", "text"), Scalar("b", "text"))),)),))
    inputs = ["ann tags\nbob tags\ncid tags\ndan tags\n" for _ in range(9)]
    assert suspected(layout, inputs, words="They stand in order.") == [Sorted("a", strict=True)]


@pytest.mark.parametrize(
    ("words", "denied"),
    [
        ("The values are not necessarily in ascending order.", True),
        ("A can be in any order.", True),
        ("You may assume that A is sorted.", False),
        ("The values may be negative. Print them sorted.", False),
        ("Print the largest value.", True),  # no word about order
    ],
)
def test_words_that_deny_a_promise(words: str, denied: bool) -> None:
    assert suspected(NUMBERS, SORTED, words=words) == ([] if denied else [Sorted("A")])


def test_permitted_multi_edges_deny_a_tree() -> None:
    words = "The graph may contain multi-edges."
    assert suspected(EDGES, TREES, (NODES,), words) == []
    assert suspected(EDGES, TREES, (NODES,), "The nodes may be isolated.") == [Graph(("tree",))]


@pytest.mark.parametrize(
    "promise",
    [
        Sorted("A"),
        Sorted("A", strict=True),
        Compare("A[i]", "<", "A[i + 1]"),
        Compare("A[i - 1]", "<=", "A[i]"),
    ],
)
def test_stated_promise_is_not_suspected(promise: Promise) -> None:
    stated = (Reading("it is sorted", (promise,)),)
    assert suspected(NUMBERS, SORTED, stated, "It is sorted.") == []


def test_comparison_implied_by_a_chain_or_of_unlike_values() -> None:
    layout = Layout("lines", (Loop("3", (Line(tuple(map(Scalar, "LRX"))),)),))
    inputs = [f"{n} {n + 20} 7\n{n + 1} {n + 2} 7\n{n} {n + 3} {n}\n" for n in range(9)]
    promise = Compare("L[i]", "<", "R[i]")
    chain = (Compare("L[i]", "<", "X[i]"), Compare("X[i]", "<=", "R[i]"))
    assert promise in suspected(layout, inputs)
    assert promise not in suspected(layout, inputs, (Reading("L < X <= R", chain),))
    unlike = Reading("R <= 9", (Compare("R[i]", "<=", "9"),))
    assert promise not in suspected(layout, inputs, (unlike,))


def test_programs_need_the_promise_that_disputed_inputs_break() -> None:
    known = numbers([1, 2, 5], [3, 8, 8])
    agreed = numbers([9, 1], [5], *([low, low + 1, low + 1] for low in range(20)))
    disputed = numbers([2, 1, 3], [9, 8], [5, 7, 2], [3, 1], [4, 1, 1])
    (reading,) = needed(SPEC, known, agreed, disputed, "in order")
    assert reading.promises == (Sorted("A"),)
    assert reading.witness == "suspected"
    assert "all 5 inputs on which accepted programs disagree" in reading.sentence
    # If a disputed input keeps the promise, the dispute has another cause; one is too few.
    assert needed(SPEC, known, agreed, [*disputed, *numbers([1, 2, 9])], "in order") == []
    assert needed(SPEC, known, agreed, disputed[:1], "in order") == []
    assert needed(SPEC, known, agreed, [], "in order") == []
