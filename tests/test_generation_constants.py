"""Numbers that statements and programs spell out, and values near them."""

from __future__ import annotations

import time

import pytest

from venus_toolkit.builders.generation.constants import MOST, constants_of
from venus_toolkit.builders.generation.layout import Layout, Line, Scalar
from venus_toolkit.builders.generation.shape import make_shape
from venus_toolkit.builders.generation.synthesis import write_input
from venus_toolkit.builders.generation.traits import Traits
from venus_toolkit.builders.statements import Statement
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
def test_the_numbers_of_a_text(text: str, numbers: list[int]) -> None:
    assert constants_of(Statement(), [solution(text)]) == numbers
    assert constants_of(Statement(story=text), []) == numbers


def test_what_most_texts_spell_out_is_kept() -> None:
    many = " ".join(map(str, range(1000, 1200)))
    found = constants_of(Statement(story="a prize of 5000"), [solution(many), solution("5000")])
    assert len(found) == MOST
    assert 5000 in found


def test_hostile_texts_are_read_at_once() -> None:
    began = time.process_time()
    for text in ("9 ^ 999 " * 10_000, "1" * 100_000, "1 <<" * 20_000, "1_" * 50_000, "0x" * 50_000):
        constants_of(Statement(story=text), [solution(text)])
    assert time.process_time() - began < 2


@pytest.mark.parametrize("family", ["tiny", "multiscale", "middle", "max"])
def test_values_are_drawn_near_a_constant_and_within_the_bounds(family: str) -> None:
    layout = Layout("lines", (Line((Scalar("x"),)),))
    bounds = [("-1000000000000", "<=", "x"), ("x", "<=", "1000000000000")]
    shape = make_shape(layout, bounds, Traits(), constants=[1_234_567, 10**15])
    drawn = [int(write_input(shape, seed, family)) for seed in range(300)]
    assert {1_234_566, 1_234_567, 1_234_568, -1_234_567} <= set(drawn)
    assert all(abs(value) <= 10**12 for value in drawn)
