"""Programs whose costs noise cannot separate have the same efficiency."""

from __future__ import annotations

import math
import random

import pytest

from venus_toolkit.training.reward.rewards import Ratio, tied_efficiencies


def ratios(costs: list[float], error: float = 0.02) -> list[Ratio]:
    """Return costs relative to the original, with a relative standard error of `error`."""
    return [Ratio(cost, error * cost, error) for cost in costs]


def efficiencies(costs: list[float]) -> list[float]:
    tied = tied_efficiencies(ratios(costs))
    assert tied is not None
    return tied


def noisy(cost: float, count: int, seed: int, error: float = 0.02) -> list[float]:
    """Return `count` measurements of one program, each divided by one measurement of the original."""
    rng = random.Random(seed)
    original = rng.gauss(1.0, error)
    return [rng.gauss(cost, error * cost) / original for _ in range(count)]


@pytest.mark.parametrize("cost", [0.4, 1.0, 1.6])
def test_copies_of_a_program_tie(cost: float) -> None:
    """Copies tie in at least 95 % of the trials."""
    spreads = [len(set(efficiencies(noisy(cost, 8, seed)))) - 1 for seed in range(400)]
    assert spreads.count(0) >= 0.95 * len(spreads)


def test_copies_of_the_original_have_efficiency_0() -> None:
    assert efficiencies([0.99, 1.0, 1.02]) == [0.0] * 3


def test_separate_programs_keep_their_order() -> None:
    half, same, double = efficiencies([0.5, 1.01, 2.0])
    assert (half, same, double) == (
        pytest.approx(math.tanh(0.5)),
        0.0,
        pytest.approx(math.tanh(-1.0)),
    )


def test_tied_and_separate_programs() -> None:
    first, second, other = efficiencies([0.50, 0.51, 0.25])
    assert first == second == pytest.approx(math.tanh(1 - 0.505))
    assert other == pytest.approx(math.tanh(0.75))


def test_unknown_error_disables_ties() -> None:
    assert tied_efficiencies(ratios([0.9, 0.91], math.nan)) is None


def test_empty_group_has_no_ties() -> None:
    assert tied_efficiencies([]) == []
