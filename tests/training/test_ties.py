"""Programs that cost the same, as far as can be known, are worth the same."""

from __future__ import annotations

import math
import random

import pytest

from venus_toolkit.training.reward.group import AnswerOutcome, Ratio, with_ties
from venus_toolkit.training.reward.rewards import efficiency_reward


def outcomes(costs: list[float], error: float = 0.02) -> dict[str, AnswerOutcome]:
    """What came of programs with these costs, in those of the original, each known to within `error` of itself."""
    return {
        str(number): AnswerOutcome(
            True, efficiency=efficiency_reward(1.0, cost, math.inf), ratio=Ratio(cost, error * cost, error)
        )
        for number, cost in enumerate(costs)
    }


def efficiencies(found: dict[str, AnswerOutcome]) -> list[float | None]:
    return [each.efficiency for each in found.values()]


def noisy(cost: float, count: int, seed: int, error: float = 0.02) -> list[float]:
    """`count` measurements of one program, and one of the original in each of them."""
    rng = random.Random(seed)
    original = rng.gauss(1.0, error)
    return [rng.gauss(cost, error * cost) / original for _ in range(count)]


@pytest.mark.parametrize("cost", [0.4, 1.0, 1.6])
def test_eight_copies_of_one_program_are_worth_the_same(cost: float) -> None:
    """However often they are measured: at least nineteen times of twenty."""
    spreads = [len(set(efficiencies(with_ties(outcomes(noisy(cost, 8, seed)))))) - 1 for seed in range(400)]
    assert spreads.count(0) >= 0.95 * len(spreads)


def test_copies_of_the_original_are_worth_nothing() -> None:
    assert efficiencies(with_ties(outcomes([0.99, 1.0, 1.02]))) == [0.0] * 3


def test_programs_that_are_apart_keep_their_order() -> None:
    half, same, double = efficiencies(with_ties(outcomes([0.5, 1.01, 2.0])))
    assert (half, same, double) == (pytest.approx(math.tanh(0.5)), 0.0, pytest.approx(math.tanh(-1.0)))


def test_what_ties_beside_what_does_not() -> None:
    first, second, other = efficiencies(with_ties(outcomes([0.50, 0.51, 0.25])))
    assert first == second == pytest.approx(math.tanh(1 - 0.505))
    assert other == pytest.approx(math.tanh(0.75))


def test_without_a_known_error_any_difference_counts() -> None:
    once = outcomes([0.9, 0.91], math.nan)
    assert with_ties(once) == once


def test_answers_without_a_cost_stay_as_they_are() -> None:
    lost, wrong = AnswerOutcome(None), AnswerOutcome(False, verdict="wrong_answer")
    found = with_ties({"lost": lost, "wrong": wrong, **outcomes([0.99])})
    assert (found["lost"], found["wrong"], found["0"].efficiency) == (lost, wrong, 0.0)
    assert with_ties({"lost": lost}) == {"lost": lost}
