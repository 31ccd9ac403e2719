"""The paper's reward, checked by hand."""

from __future__ import annotations

import doctest
import math

import pytest

from venus_toolkit.core.records import KIB, MIB, NS_PER_S
from venus_toolkit.training.reward import rewards
from venus_toolkit.training.reward.rewards import (
    UPPER,
    Weights,
    combine,
    correctness_reward,
    efficiency_reward,
    form_reward,
)


def test_doctests_pass() -> None:
    done = doctest.testmod(rewards)
    assert done.attempted >= 12
    assert not done.failed


def test_form_reward_is_plus_or_minus_one() -> None:
    assert form_reward("<thinking>a</thinking><solution>b</solution>") == 1.0
    assert form_reward("```python\nb\n```") == -1.0


@pytest.mark.parametrize(
    ("before", "after", "reward"),
    [(False, True, 1.0), (True, True, 0.5), (False, False, -0.5), (True, False, -1.0)],
)
def test_correctness_reward(before: bool, after: bool, reward: float) -> None:
    assert correctness_reward(before, after) == reward


@pytest.mark.parametrize(
    ("before", "after", "inside"),
    [(2, 1, 0.5), (1, 1, 0.0), (1, 2, -1.0), (10, 0, 1.0), (200, 200, 0.0), (30, 900, -2.0)],
)
def test_efficiency_is_tanh_of_the_gain(before: float, after: float, inside: float) -> None:
    assert efficiency_reward(before, after, 90) == pytest.approx(math.tanh(inside))


def test_bounds_have_the_units_of_the_costs() -> None:
    """Lesson 8: a saving of 91 ms counts, although the bound is 90 s."""
    assert UPPER == {
        "time": 90 * NS_PER_S,
        "memory": 1_048_576 * KIB,
        "integral": 94_371_840 * KIB * NS_PER_S,
    }
    assert efficiency_reward(0.182 * NS_PER_S, 0.091 * NS_PER_S, UPPER["time"]) == pytest.approx(
        math.tanh(0.5)
    )
    assert efficiency_reward(200 * MIB, 100 * MIB, UPPER["memory"]) == pytest.approx(math.tanh(0.5))


def test_weights_match_the_paper() -> None:
    assert combine(1.0, 0.5, 0.4, Weights()).score == pytest.approx(0.2 + 0.25 + 0.12)


@pytest.mark.parametrize(
    ("progress", "weight"), [(-1, 0.3), (0, 0.3), (0.25, 0.35), (0.5, 0.4), (1, 0.5), (2, 0.5)]
)
def test_weight_of_efficiency_grows_linearly(progress: float, weight: float) -> None:
    assert Weights().at(progress, 0.5) == Weights(0.2, 0.5, pytest.approx(weight))
    assert Weights(efficiency=0.4).at(progress, 0.4).efficiency == pytest.approx(0.4)


def test_several_code_blocks_lose_the_form_reward() -> None:
    block = "```python\nprint(1)\n```"
    assert form_reward(f"<thinking>a</thinking><solution>{block}</solution>") == 1.0
    assert form_reward(f"<thinking>{block}</thinking><solution>{block}</solution>") == 1.0
    assert form_reward(f"<thinking>a</thinking><solution>{block}\n{block}</solution>") == -1.0
