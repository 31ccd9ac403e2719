"""Evaluators accept every allowed answer and refuse all others."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest

from venus_toolkit.signatures import evaluator_for, order_of_dissent
from venus_toolkit.signatures.views import VIEWS

Evaluate = Callable[[str, str], bool]


@pytest.mark.parametrize(
    ("outputs", "order"),
    [
        (["[1,2]", "[1, 2]"], ()),
        (["3", "3"], ()),
        (["[1,2,3]", "[3,1,2]", "[2,1,3]"], (0,)),
        (["[[1,2],[3]]", "[[3],[1,2]]"], (0,)),
        (["[[1,2],[3]]", "[[3],[2,1]]"], (0, 1)),
        (["[[[1,2]],[]]", "[[],[[2,1]]]"], (0, 2)),
        (['["a",1,null,true]', '[true,null,1,"a"]'], (0,)),
        (["[[1,2],[3,4]]", "[[2,1],[3,4]]"], (1,)),
        (["[1,2]", "[1,3]"], None),
        (["[1,1,2]", "[1,2,2]"], None),
        (["[1]", "[true]"], None),
        (["1", "2"], None),
        (["[1", "[1"], None),
        (["[" * 10**5, "[" * 10**5], None),
    ],
)
def test_order_of_dissenting_outputs(outputs: list[str], order: tuple[int, ...] | None) -> None:
    assert order_of_dissent(outputs) == order


def evaluator(level: int, absolute: float = 0.0, relative: float = 0.0) -> Evaluate:
    names: dict[str, Evaluate] = {}
    exec(evaluator_for(range(level), absolute, relative), names)
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
def test_outputs_equal_up_to_order(expected: str, actual: str, level: int) -> None:
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
def test_other_outputs_are_wrong(expected: str, actual: str, level: int) -> None:
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
def test_evaluator_never_raises(odd: str) -> None:
    for level in (0, 1, 9):
        evaluate = evaluator(level, 1e-6, 1e-6)
        for other in ("[0.5, 0.5]", "0.5", "", odd):
            assert isinstance(evaluate(odd, other), bool)
            assert isinstance(evaluate(other, odd), bool)


def test_shuffled_tables_are_equal_at_the_depth() -> None:
    rng = random.Random(3)
    for _ in range(50):
        table = [
            [rng.randint(0, 3) for _ in range(rng.randint(0, 3))] for _ in range(rng.randint(2, 5))
        ]
        other = [rng.sample(row, len(row)) for row in rng.sample(table, len(table))]
        left, right = json.dumps(table), json.dumps(other)
        order = order_of_dissent([left, right])
        assert order is not None
        assert evaluator(max(order, default=-1) + 1)(left, right)
        assert not order or not evaluator(max(order))(left, right)


def test_results_of_calls_keep_their_order() -> None:
    space: dict[str, object] = {}
    exec(evaluator_for((0,), calls=True), space)
    evaluate = space["evaluate"]
    assert callable(evaluate)
    assert evaluate("[null,[1,2],[3]]\n", "[null,[2,1],[3]]\n")
    assert not evaluate("[null,[1,2],[3]]\n", "[null,[3],[1,2]]\n")
    assert not evaluate("[null,[1,2]]\n", "[null]\n")


def test_letters_in_any_case() -> None:
    space: dict[str, Evaluate] = {}
    exec(evaluator_for(case=True, words=True), space)
    evaluate = space["evaluate"]
    assert evaluate("Yes\n1 2\n", "yES\n1 2")
    assert not evaluate("Yes\n", "No\n")
    assert not evaluate("Yes\n", "Yes\nYes\n")
    assert not evaluate("Yes\n", "Y e s\n")


def test_lines_and_words_in_any_order() -> None:
    space: dict[str, Evaluate] = {}
    exec(evaluator_for((0, 1), words=True), space)
    evaluate = space["evaluate"]
    assert evaluate("2\n1 2\n3 4\n", "2\n4 3\n2 1\n")
    assert not evaluate("2\n1 2\n3 4\n", "2\n1 3\n2 4\n")


def test_letters_of_a_text_answer_in_any_order() -> None:
    assert evaluator(1)('"abc"', '"cab"')
    assert not evaluator(1)('"abc"', '"cad"')
    assert not evaluator(1)('["abc"]', '["cab"]')


def test_much_longer_answer_is_not_parsed() -> None:
    assert not evaluator(1)("[1,2]", "[" + "1," * 2_000_000 + "1]")


def evaluate_by(*views: str) -> Callable[[str, str, str], bool]:
    space: dict[str, Callable[[str, str, str], bool]] = {}
    exec(evaluator_for(views=views), space)
    return space["evaluate"]


@pytest.mark.parametrize(
    ("views", "stdin", "expected", "right", "wrong"),
    [
        (("items", "parities"), "[3,1,2,4]", "[2,4,3,1]", "[4,2,1,3]", "[2,3,4,1]"),
        (("length", "palindrome", "inside"), '"babad"', '"bab"', '"aba"', '"bad"'),
        (("summit",), "[1,2,1,3,5,6,4]", "1", "5", "3"),
        (("summit",), "[1,2,1,3,5,6,4]", "1", "5", "-6"),
        (("member",), "[3,2,1,4]", "2", "3", "1"),
        (("member",), "[1,2]", "-1", "-1", "-2"),
        (("tree_values", "height_balanced"), "[1,null,2,null,3]", "[2,1,3]", "[2,1,3,null,null]", "[1,null,2,null,3]"),
        (("length", "different", "along_edges"), "[[2,1],[3,4],[3,2]]", "[1,2,3,4]", "[4,3,2,1]", "[1,2,4,3]"),
        (("length", "holds"), '"abac"\n"cab"', '"cabac"', '"cabac"', '"cabab"'),
        (("length", "holds"), '["ab","bc"]', '"abc"', '"abc"', '"bca"'),
        (("margins",), "2\n1\n[1,1,1]", "[[1,1,0],[0,0,1]]", "[[1,0,1],[0,1,0]]", "[[1,0,0],[0,1,1]]"),
        (("items", "threes"), "2\n3", '"bbaab"', '"babab"', '"aabbb"'),
        (("length", "total", "different"), "3", "[-1,0,1]", "[5,-7,2]", "[0,0,0]"),
        (("group_sizes",), "[2,1,2,1]", "[[0,2],[1],[3]]", "[[3],[2,0],[1]]", "[[0,1],[2],[3]]"),
    ],
)  # fmt: skip
def test_views_separate_right_from_wrong_answers(
    views: tuple[str, ...], stdin: str, expected: str, right: str, wrong: str
) -> None:
    evaluate = evaluate_by(*views)
    assert evaluate(expected, right, stdin)
    assert not evaluate(expected, wrong, stdin)


@pytest.mark.parametrize(
    "hostile",
    [
        *("", "[", "null", "true", '{"a": 1}', "[[1,2],[3]]", '"1"', "[1.0,2.0,3.0]"),
        *("[true,2,3]", "1\n1", "[NaN,1,2]", "9" * 9_999),
    ],
)
def test_views_refuse_similar_wrong_answers(hostile: str) -> None:
    for view in VIEWS:
        evaluate = evaluate_by(view, "items")
        assert not evaluate("[1,2,3]", hostile, "[3,1,2]\n[[1,2],[2,3]]")
