"""Samples and choices: every existing choice once, reproducible by name."""

from __future__ import annotations

from itertools import combinations, islice, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venus_toolkit.builders.derive.derive_options import DeriveOptions, make_derive_options
from venus_toolkit.builders.derive.kinds import Choices, improvable, pairs, triples
from venus_toolkit.builders.derive.selection import draws, uniform
from venus_toolkit.builders.derive.separation import Matrix, ObjectiveCosts, costlier
from venus_toolkit.core.errors import UsageError

VALUES = st.lists(st.integers(1, 6), max_size=9)


def matrix_of(values: list[int]) -> Matrix:
    value = np.array(values, dtype=float)
    return costlier(
        ObjectiveCosts(value, np.zeros(len(value)), value), DeriveOptions(min_ratio=1.0)
    )


def all_of(choices: Choices) -> list[tuple[int, ...]]:
    return [choices.pick(number) for number in range(choices.total)]


@given(st.integers(0, 60), st.text(max_size=5))
def test_draws_are_a_shuffle(count: int, name: str) -> None:
    drawn = list(draws(count, name))
    assert sorted(drawn) == list(range(count))
    assert list(islice(draws(count, name), 7)) == drawn[:7]


def test_draws_are_reproducible() -> None:
    """Different draws would derive a different dataset from the same release."""
    assert list(islice(draws(1000, 0, "sft", "cpp", "time", "two-sums"), 4)) == [41, 963, 221, 334]
    assert list(draws(50, 0, "a")) != list(draws(50, 1, "a"))
    assert 0 <= uniform("a", 1) < 1


def test_first_draw_is_uniform() -> None:
    first = [next(draws(4, seed)) for seed in range(4000)]
    assert all(850 < first.count(number) < 1150 for number in range(4))


@given(VALUES)
def test_pairs_of_costlier_and_cheaper(values: list[int]) -> None:
    expected = {(i, j) for i, j in permutations(range(len(values)), 2) if values[i] > values[j]}
    choices = all_of(pairs(matrix_of(values)))
    assert set(choices) == expected
    assert len(choices) == len(expected)


@given(VALUES)
def test_triples_of_middle_best_and_worst(values: list[int]) -> None:
    sets = (sorted(three, key=values.__getitem__) for three in combinations(range(len(values)), 3))
    expected = {(b, a, c) for a, b, c in sets if values[a] < values[b] < values[c]}
    choices = all_of(triples(matrix_of(values)))
    assert set(choices) == expected
    assert len(choices) == len(expected)


@given(VALUES)
def test_improvable_is_all_but_the_best(values: list[int]) -> None:
    choices = {number for (number,) in all_of(improvable(matrix_of(values)))}
    assert choices == {number for number, value in enumerate(values) if value > min(values)}


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"objectives": ("energy",)}, "unknown objective energy"),
        ({"objectives": ()}, "unknown objective"),
        ({"per_problem": 0}, "per_problem must be at least 1"),
        ({"noise": -1.0}, "noise must be at least 0"),
        ({"min_ratio": 0.5}, "min_ratio must be at least 1"),
        ({"near": 1.5}, "near must be greater than 0"),
        ({"near": "much"}, "near must be a number"),
        ({"assume_spread": -0.1}, "assume_spread must be at least 0"),
        ({"temperature": 1}, "unknown keys: temperature"),
    ],
)
def test_invalid_options_are_refused(values: dict[str, object], word: str) -> None:
    with pytest.raises(UsageError, match=word):
        make_derive_options(**values)
