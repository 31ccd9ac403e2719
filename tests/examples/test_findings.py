"""Intervals over seeds, and sentences about them."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import pytest

from examples.reproduce import findings as module
from examples.reproduce.findings import (
    TOO_SHORT,
    SeedMean,
    curves,
    describe_claim,
    describe_order,
    describe_reward,
    describe_slope,
    estimate,
    rise,
    slopes,
    training_seconds,
)
from tests.examples.made_findings import findings, log, manifest, rows
from venus_toolkit.training.recipe import COLD_START, DPO, GRPO, SFT
from venus_toolkit.training.trainer.run_directory import TrainedModel


def test_doctests_pass() -> None:
    done = doctest.testmod(module)
    assert done.attempted > 5
    assert not done.failed


def test_many_seeds_give_a_normal_interval() -> None:
    point = estimate([0.0, 1.0] * 200)
    assert point.low == pytest.approx(0.5 - 1.96 * 0.5006 / 20, abs=1e-3)


def test_estimate_needs_a_seed() -> None:
    with pytest.raises(ValueError, match="no seeds"):
        estimate([])


def test_curve_has_a_point_for_each_iteration() -> None:
    arm_curves = curves({"sft": [manifest(0.0, 0.5), manifest(0.5, 1.0)]})
    [passed] = [curve for curve in arm_curves if curve.metric == "passed"]
    assert [point and point.mean for point in passed.points] == [0.25, 0.75]


def test_unknown_value_of_a_seed_makes_the_mean_unknown() -> None:
    arm_curves = curves({"sft": [manifest(0.5), manifest(0.5, beyond=None)]})
    assert [curve.points for curve in arm_curves if curve.metric == "time"] == [(None,)]


def test_arms_are_ordered_by_metric() -> None:
    arm_curves = curves({"sft": [manifest(0.5)], "dpo": [manifest(0.9)], "grpo": [manifest(0.7)]})
    assert (
        "Pass@1 after the last iteration, the best first: dpo 90.0, grpo 70.0, sft 50.0. "
        in describe_order(arm_curves, "passed")
    )


def test_steps_without_a_reward_are_left_out() -> None:
    reward_rise = rise([log(0.0, None, 0.0, 1.0, 1.0)], parts=2)
    assert reward_rise
    assert reward_rise.gained.mean == 1.0


def test_short_training_has_no_rise() -> None:
    assert rise([log(0.0, 1.0)]) is None
    assert rise([]) is None
    assert describe_reward(None) == TOO_SHORT


@pytest.mark.parametrize(
    ("gain", "seeds", "sentence"),
    [
        (0.1, 3, "it rose by more than its interval"),
        (-0.1, 3, "it fell by more than its interval"),
        (0.0, 3, "that is not more than its interval"),
        (0.1, 1, "one seed cannot show"),
    ],
)
def test_rise_must_exceed_its_interval(gain: float, seeds: int, sentence: str) -> None:
    result = findings(seeds, gain)
    assert sentence in describe_reward(result.rises["reward"])
    assert result.rises_surely == sentence.startswith("it rose")


def test_interval_above_zero() -> None:
    assert SeedMean(1.0, 0.1, 1.9, 3).is_above_zero
    assert not SeedMean(1.0, -0.1, 2.1, 3).is_above_zero
    assert not SeedMean(1.0, None, None, 1).is_above_zero


def test_slopes_are_compared_problem_by_problem() -> None:
    """Pairing separates arms even if problems differ far more than arms."""

    def seed(gain: float) -> list[dict[str, Any]]:
        return [
            {
                "task": f"t{task}",
                "iteration": n,
                "passed": True,
                # Gains differ, because equal gains would get the interval of a share.
                "percentile_time": task / 10 + n * (gain * (1 + (-1) ** task / 20) + task / 100),
            }
            for task in range(8)
            for n in range(3)
        ]

    arm_slopes = slopes({SFT: [seed(0.0)] * 3, DPO: [seed(0.005)] * 3, GRPO: [seed(0.01)] * 3})
    assert arm_slopes[GRPO].lead is None
    lead, at_end = arm_slopes[SFT].lead, arm_slopes[SFT].lead_at_end
    assert lead
    assert at_end
    assert lead.difference.estimate == pytest.approx(0.01)
    assert lead.difference.low > 0.009, "pairing removes the variation over problems"
    assert lead.p_value < 0.05
    assert at_end.difference.estimate == pytest.approx(0.02), "two iterations"
    assert "is supported here" in describe_claim(arm_slopes)
    below, same = ({SFT: [seed(gain)], DPO: [seed(0.0)], GRPO: [seed(0.0)]} for gain in (0.01, 0.0))
    assert "is contradicted" in describe_claim(slopes(below))
    assert "is not decided" in describe_claim(slopes(same))
    assert "is not known" in describe_claim({})
    assert arm_slopes[GRPO].head_room == pytest.approx(1 - 0.35)


def test_three_differing_problems_decide_nothing() -> None:
    """Nearly every resample contains one of the three problems, so the interval alone would exclude 0."""

    def seed(gains: int) -> list[dict[str, Any]]:
        return [
            {
                "task": f"t{task}",
                "iteration": n,
                "passed": True,
                "percentile_time": 0.5 + n * (0.1 + task / 1000) * (task < gains),
            }
            for task in range(6)
            for n in range(2)
        ]

    arm_slopes = slopes({SFT: [seed(0)], DPO: [seed(0)], GRPO: [seed(3)]})
    lead = arm_slopes[SFT].lead
    assert lead
    assert lead.difference.low > 0
    assert lead.p_value == pytest.approx(0.25)
    assert "is not decided here" in (sentence := describe_claim(arm_slopes))
    assert "p 0.250" in sentence
    assert "is supported here" in describe_claim(
        slopes({SFT: [seed(0)], DPO: [seed(0)], GRPO: [seed(6)]})
    )


def test_arm_at_the_top_has_no_slope() -> None:
    arm_slopes = slopes({COLD_START: [rows(0.2, 0.6, 1.0)], GRPO: [rows(1.0, 1.0, 1.0)]})
    assert arm_slopes[GRPO].head_room == 0
    assert arm_slopes[GRPO].slope == 0
    assert arm_slopes[GRPO].last == 1
    assert arm_slopes[COLD_START].lead
    assert arm_slopes[COLD_START].lead.difference.estimate == pytest.approx(-0.4), (
        "a slope alone is not a verdict"
    )
    assert "0.0 to gain" in describe_slope(GRPO, arm_slopes[GRPO])


def test_failures_rank_0_and_unknown_is_left_out() -> None:
    unknown = [{**row, "passed": None} if row["iteration"] == 1 else row for row in rows(0.5, 0.5)]
    arm_slopes = slopes(
        {COLD_START: [rows(None, 0.5), unknown], GRPO: [rows(0.5, None), rows(0.5, 0.5)]}
    )
    assert arm_slopes[COLD_START].slope == pytest.approx(0.5)
    assert arm_slopes[GRPO].slope == pytest.approx(-0.25)


def test_model_that_seeds_share_is_trained_once() -> None:
    def trained(folder: str, seconds: float) -> TrainedModel:
        return TrainedModel(Path(folder), SFT, 1, 1, 0, seconds, 0, (), (), {})

    assert training_seconds([trained("cold-start", 9.0)] * 3) == 9.0
    assert training_seconds([trained("sft-0", 1.0), trained("sft-1", 1.0)]) == 2.0
