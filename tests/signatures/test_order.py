"""Order freedom: who says so, how deep it goes, and an evaluator that says no to everything else."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from venus_toolkit.signatures import Kind, Type, evaluator_for, level_of_dissent, order_freedom

INTS = Type(Kind.LIST, Type(Kind.INT))
TABLE = Type(Kind.LIST, INTS)
Evaluate = Callable[[str, str], bool]


@pytest.mark.parametrize(
    ("statement", "level"),
    [
        ("You may return the answer in any order.", 1),
        ("Return all the triplets. You can return the answer in **any order**.", 1),
        ("<p>You can return the answer in <strong>any order</strong>.</p>", 1),
        ("Return an array of the two numbers (in any order), so that peace returns.", 1),
        ("The output may be in any order", 1),
        ("Return the solution in an arbitrary order.", 1),
        ("The order of your output does not matter.", 1),
        ("Notice that the order of the output and the order of the triplets does not matter.", 2),
        ("You may return the groups in any order, and the words in each group in any order.", 2),
    ],
)
def test_statements_that_leave_the_order_free(statement: str, level: int) -> None:
    assert order_freedom(statement) == level


@pytest.mark.parametrize(
    "statement",
    [
        "",
        "Return the answer in increasing order.",
        "You may perform the operations in any order.",
        "Return the minimum number of moves when you may swap the stones in any order.",
        "Return true if the pieces can be concatenated in any order to give the result.",
        "You may rearrange the letters of the result in any order.",
        "The cards are given in any order.",
    ],
)
def test_statements_that_do_not(statement: str) -> None:
    assert order_freedom(statement) is None


def test_no_level_is_deeper_than_the_lists_of_the_result() -> None:
    both = "The order of the output and the order of the triplets does not matter."
    assert order_freedom(both, TABLE) == 2
    assert order_freedom(both, INTS) == 1
    assert order_freedom(both, Type(Kind.STRING)) is None


@pytest.mark.parametrize(
    ("outputs", "level"),
    [
        (["[1,2]", "[1, 2]"], 0),
        (["3", "3"], 0),
        (["[1,2,3]", "[3,1,2]", "[2,1,3]"], 1),
        (["[[1,2],[3]]", "[[3],[1,2]]"], 1),
        (["[[1,2],[3]]", "[[3],[2,1]]"], 2),
        (["[[[1,2]],[]]", "[[],[[2,1]]]"], 3),
        (['["a",1,null,true]', '[true,null,1,"a"]'], 1),
        (["[1,2]", "[1,3]"], None),
        (["[1,1,2]", "[1,2,2]"], None),
        (["[1]", "[true]"], None),
        (["1", "2"], None),
        (["[1", "[1"], None),
        (["[" * 10**5, "[" * 10**5], None),
    ],
)
def test_dissent_tells_the_level(outputs: list[str], level: int | None) -> None:
    assert level_of_dissent(outputs) == level


def evaluator(level: int, absolute: float = 0.0, relative: float = 0.0) -> Evaluate:
    names: dict[str, Evaluate] = {}
    exec(evaluator_for(level, absolute, relative), names)
    return names["evaluate"]


@pytest.mark.parametrize(
    ("expected", "actual", "level"),
    [
        ("[1,2]\n", "[1, 2]", 0),
        ("[1,2]", "[2,1]\n", 1),
        ("[[1,2],[3]]", "[[3],[2,1]]", 2),
        ("[3]\n[1,2]\n", "[3]\n[2,1]", 1),
        ("1.0", "1", 0),
        ('["b","a"]', '["a","b"]', 1),
        ('"a\u2028b"', '"a\u2028b"', 0),
        ("[{}, 1]", "[1, {}]", 1),
        ("not JSON", "not JSON", 0),
        ("", "", 1),
    ],
)
def test_outputs_that_are_equal_down_to_a_level(expected: str, actual: str, level: int) -> None:
    assert evaluator(level)(expected, actual)
    assert evaluator(level + 1)(expected, actual)


@pytest.mark.parametrize(
    ("expected", "actual", "level"),
    [
        ("[1,2]", "[2,1]", 0),
        ("[[1,2],[3]]", "[[3],[2,1]]", 1),
        ("[1,2]", "[1,2,2]", 1),
        ("[1]\n[2]", "[2]\n[1]", 1),
        ("[1]\n[2]", "[1]", 1),
        ("[1]", "", 1),
        ("[1]", "[true]", 1),
        ("[1]", '["1"]', 1),
        ("[0]", "[null]", 1),
        ("[1]", "[[1]]", 2),
        ("10000000000000001", "10000000000000000", 0),
        ("[1,2]", "[2,1", 1),
        ("[1,2]", "hello", 1),
    ],
)
def test_everything_else_is_wrong(expected: str, actual: str, level: int) -> None:
    assert not evaluator(level)(expected, actual)
    assert not evaluator(level)(actual, expected)


def test_tolerances_are_for_fractions_only() -> None:
    evaluate = evaluator(1, absolute=1e-5)
    assert evaluate("[0.5, 1.0]", "[1.000001, 0.5]")
    assert not evaluate("[0.5, 1.0]", "[1.1, 0.5]")
    assert not evaluate("[1000005]", "[1000000]")
    assert not evaluator(1)("[0.5]", "[0.500001]")


@pytest.mark.parametrize(
    "odd",
    [
        "[" * 10**5,
        "1" * 10**5,
        "NaN",
        "Infinity",
        "1e999",
        f"[{10**400}, 0.5]",
        "\x00",
        "\ud800",
        "\n" * 99,
        '{"a": [2, "b"]}',
    ],
)
def test_no_text_makes_it_raise(odd: str) -> None:
    for level in (0, 1, 9):
        evaluate = evaluator(level, 1e-6, 1e-6)
        for other in ("[0.5, 0.5]", "0.5", "", odd):
            assert isinstance(evaluate(odd, other), bool)
            assert isinstance(evaluate(other, odd), bool)


def test_shuffled_tables_are_equal_at_their_level() -> None:
    rng = random.Random(3)
    for _ in range(50):
        table = [
            [rng.randint(0, 3) for _ in range(rng.randint(0, 3))] for _ in range(rng.randint(2, 5))
        ]
        other = [rng.sample(row, len(row)) for row in rng.sample(table, len(table))]
        left, right = json.dumps(table), json.dumps(other)
        level = level_of_dissent([left, right])
        assert level is not None
        assert evaluator(level)(left, right)
        assert level == 0 or not evaluator(level - 1)(left, right)


def test_results_of_calls_stay_in_the_order_of_the_calls() -> None:
    space: dict[str, object] = {}
    exec(evaluator_for(1, calls=True), space)
    evaluate = space["evaluate"]
    assert callable(evaluate)
    assert evaluate("[null,[1,2],[3]]\n", "[null,[2,1],[3]]\n")
    assert not evaluate("[null,[1,2],[3]]\n", "[null,[3],[1,2]]\n")
    assert not evaluate("[null,[1,2]]\n", "[null]\n")
