"""Programs that cost the same, as far as can be known, are worth the same."""

from __future__ import annotations

import math
import random

import pytest

from venus_toolkit.training.reward.rewards import Ratio, tied_efficiencies


def ratios(costs: list[float], error: float = 0.02) -> list[Ratio]:
    """Programs with these costs, in those of the original, each known to within `error` of itself."""
    return [Ratio(cost, error * cost, error) for cost in costs]


def efficiencies(costs: list[float]) -> list[float]:
    tied = tied_efficiencies(ratios(costs))
    assert tied is not None
    return tied


def noisy(cost: float, count: int, seed: int, error: float = 0.02) -> list[float]:
    """`count` measurements of one program, and one of the original in each of them."""
    rng = random.Random(seed)
    original = rng.gauss(1.0, error)
    return [rng.gauss(cost, error * cost) / original for _ in range(count)]


@pytest.mark.parametrize("cost", [0.4, 1.0, 1.6])
def test_eight_copies_of_one_program_are_worth_the_same(cost: float) -> None:
    """However often they are measured: at least nineteen times of twenty."""
    spreads = [len(set(efficiencies(noisy(cost, 8, seed)))) - 1 for seed in range(400)]
    assert spreads.count(0) >= 0.95 * len(spreads)


def test_copies_of_the_original_are_worth_nothing() -> None:
    assert efficiencies([0.99, 1.0, 1.02]) == [0.0] * 3


def test_programs_that_are_apart_keep_their_order() -> None:
    half, same, double = efficiencies([0.5, 1.01, 2.0])
    assert (half, same, double) == (
        pytest.approx(math.tanh(0.5)),
        0.0,
        pytest.approx(math.tanh(-1.0)),
    )


def test_what_ties_beside_what_does_not() -> None:
    first, second, other = efficiencies([0.50, 0.51, 0.25])
    assert first == second == pytest.approx(math.tanh(1 - 0.505))
    assert other == pytest.approx(math.tanh(0.75))


def test_without_a_known_error_any_difference_counts() -> None:
    assert tied_efficiencies(ratios([0.9, 0.91], math.nan)) is None


def test_without_a_program_nothing_ties() -> None:
    assert tied_efficiencies([]) == []
