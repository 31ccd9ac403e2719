"""Numbers that statements and programs spell out, and values near them."""

from __future__ import annotations

import time

import pytest

from venus_toolkit.builders.inputs.constants import (
    MOST,
    MOST_WORDS,
    constants_of,
    words_of,
)
from venus_toolkit.builders.inputs.spec.drawing.draw import draw
from venus_toolkit.builders.inputs.spec.layout import Layout, Line, Many, Scalar
from venus_toolkit.builders.inputs.spec.promises import Compare, Letters, Reading
from venus_toolkit.builders.inputs.spec.specification import Spec
from venus_toolkit.builders.inputs.statements import Statement
from venus_toolkit.core.records import Solution


def solution(code: str) -> Solution:
    return Solution("a", "problem", "cpp", code)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("if (x >= 400) return 1;", [400]),
        ("a value between -2^{31} and 2^31 - 1", [2**31]),
        ("x < (1LL << 40)", [2**40]),
        ("if -2 ** 63 <= n < 2**63:", [2**63]),
        ("MOD = 10**9 + 7", [7, 10**9]),
        ("const int N = 1e5 + 5;", [5, 10**5]),
        ("x == 0xFF", [255]),
        ("x <= INT_MAX", [2**31]),
        ("1'000'000 1_000", [1000, 10**6]),
        ("a1 b.25 0 1 2", []),
        ("9" * 100 + " 3 ^ 999 1e400 0x" + "f" * 5000, []),
    ],
)
def test_numbers_of_a_text(text: str, numbers: list[int]) -> None:
    assert constants_of(Statement(), [solution(text)]) == numbers
    assert constants_of(Statement(story=text), []) == numbers


def test_most_common_numbers_are_kept() -> None:
    many = " ".join(map(str, range(1000, 1200)))
    constants = constants_of(Statement(story="a prize of 5000"), [solution(many), solution("5000")])
    assert len(constants) == MOST
    assert 5000 in constants


def test_hostile_texts_are_read_in_time() -> None:
    began = time.process_time()
    for text in ("9 ^ 999 " * 10_000, "1" * 100_000, "1 <<" * 20_000, "1_" * 50_000, "0x" * 50_000):
        constants_of(Statement(story=text), [solution(text)])
    assert time.process_time() - began < 2


@pytest.mark.parametrize("family", ["tiny", "multiscale", "middle", "max"])
def test_values_near_a_constant_and_within_bounds(family: str) -> None:
    layout = Layout("lines", (Line((Scalar("x"),)),))
    bounds = Compare("-1000000000000", "<=", "x"), Compare("x", "<=", "1000000000000")
    spec = Spec("p", layout, (Reading("", bounds),), constants=(1_234_567, 10**15))
    drawn = [int(draw(spec, seed, family)) for seed in range(300)]
    assert {1_234_566, 1_234_567, 1_234_568, -1_234_567} <= set(drawn)
    assert all(abs(value) <= 10**12 for value in drawn)


def test_score_is_not_a_constant() -> None:
    assert constants_of(Statement(story="Score : $600$ points\n\nThere are 7 days."), []) == [7]


@pytest.mark.parametrize("family", ["multiscale", "middle"])
def test_sizes_and_single_elements_near_a_constant(family: str) -> None:
    layout = Layout("lines", (Line((Scalar("N"),)), Line((Many("A", "N", Scalar("A")),))))
    ends = [("1", "N"), ("N", "200000"), ("1", "A[i]"), ("A[i]", "1000000000")]
    bounds = tuple(Compare(left, "<=", right) for left, right in ends)
    spec = Spec("p", layout, (Reading("", bounds),), constants=(1234,))
    drawn = [[int(word) for word in draw(spec, seed, family).split()] for seed in range(400)]
    assert {1233, 1234, 1235} <= {sizes for sizes, *_ in drawn}
    lone = [
        values
        for _, *values in drawn
        if sum(abs(value - 1234) <= 1 for value in values) == 1 < len(values)
    ]
    assert len({next(value for value in values if abs(value - 1234) <= 1) for values in lone}) == 3


def test_words_in_quotes_or_set_as_code() -> None:
    page = "Does <code>S</code> hold <code>oder</code> or `ABC`?"
    codes = ["if s.count('oder') > 1: print(\"Yes\")", "s.find('ab c'); t = '%d'; x = \"it's\""]
    assert words_of(page, Statement(story="Say 'xy'."), [solution(code) for code in codes]) == [
        "oder", "ABC", "Yes", "xy",
    ]  # fmt: skip
    assert (
        len(words_of(page, Statement(), [solution(" ".join(f"'w{n}'" for n in range(99)))]))
        == MOST_WORDS
    )


def test_words_are_inserted_into_texts_with_their_letters() -> None:
    layout = Layout("lines", (Line((Scalar("S", "text"),)),))
    bounds = Compare("1", "<=", "len(S)"), Compare("len(S)", "<=", "100"), Letters("S", "adeort")
    spec = Spec("p", layout, (Reading("", bounds),), words=("oder", "Yes"))
    drawn = [draw(spec, seed, "multiscale").strip() for seed in range(500)]
    assert sum("oder" in text for text in drawn) > 20
    assert sum(text.count("oder") > 2 for text in drawn) > 3
    assert all(set(text) <= set("adeort") and 1 <= len(text) <= 100 for text in drawn)
