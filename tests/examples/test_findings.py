"""Intervals over seeds, and the sentences that are made of them."""

from __future__ import annotations

import doctest
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
)
from tests.examples.made_findings import findings, log, manifest, rows
from venus_toolkit.training.recipe import COLD_START, DPO, GRPO, SFT


def test_the_examples_in_the_docstrings() -> None:
    done = doctest.testmod(module)
    assert done.attempted > 5
    assert not done.failed


def test_many_seeds_have_the_interval_of_a_normal_distribution() -> None:
    found = estimate([0.0, 1.0] * 200)
    assert found.low == pytest.approx(0.5 - 1.96 * 0.5006 / 20, abs=1e-3)


def test_no_seed_is_no_estimate() -> None:
    with pytest.raises(ValueError, match="no seed"):
        estimate([])


def test_a_curve_has_a_point_for_each_iteration() -> None:
    found = curves({"sft": [manifest(0.0, 0.5), manifest(0.5, 1.0)]})
    [passed] = [curve for curve in found if curve.metric == "passed"]
    assert [point and point.mean for point in passed.points] == [0.25, 0.75]


def test_what_one_seed_does_not_know_is_not_known() -> None:
    found = curves({"sft": [manifest(0.5), manifest(0.5, beyond=None)]})
    assert [curve.points for curve in found if curve.metric == "time"] == [(None,)]


def test_arms_are_ordered_as_found() -> None:
    found = curves({"sft": [manifest(0.5)], "dpo": [manifest(0.9)], "grpo": [manifest(0.7)]})
    assert (
        "Pass@1 after the last iteration, the best first: dpo 90.0, grpo 70.0, sft 50.0. "
        in describe_order(found, "passed")
    )


def test_steps_without_a_reward_are_left_out() -> None:
    found = rise([log(0.0, None, 0.0, 1.0, 1.0)], parts=2)
    assert found
    assert found.gained.mean == 1.0


def test_a_short_training_says_nothing() -> None:
    assert rise([log(0.0, 1.0)]) is None
    assert rise([]) is None
    assert describe_reward(None) == TOO_SHORT


@pytest.mark.parametrize(
    ("gain", "seeds", "said"),
    [
        (0.1, 3, "it rose by more than its interval"),
        (-0.1, 3, "it fell by more than its interval"),
        (0.0, 3, "that is not more than its interval"),
        (0.1, 1, "one seed cannot show"),
    ],
)
def test_a_rise_counts_beyond_its_interval_alone(gain: float, seeds: int, said: str) -> None:
    found = findings(seeds, gain)
    assert said in describe_reward(found.rises["reward"])
    assert found.rises_surely == said.startswith("it rose")


def test_an_interval_is_above_zero_where_all_of_it_is() -> None:
    assert SeedMean(1.0, 0.1, 1.9, 3).is_above_zero
    assert not SeedMean(1.0, -0.1, 2.1, 3).is_above_zero
    assert not SeedMean(1.0, None, None, 1).is_above_zero


def test_slopes_are_compared_problem_by_problem() -> None:
    """Where problems differ far more than arms do, pairs tell the arms apart."""

    def seed(gain: float) -> list[dict[str, Any]]:
        return [
            {
                "task": f"t{task}",
                "iteration": n,
                "passed": True,
                "percentile_time": task / 10 + n * (gain + task / 100),
            }
            for task in range(8)
            for n in range(3)
        ]

    found = slopes({SFT: [seed(0.0)] * 3, DPO: [seed(0.005)] * 3, GRPO: [seed(0.01)] * 3})
    assert found[GRPO].lead is None
    lead, at_end = found[SFT].lead, found[SFT].lead_at_end
    assert lead
    assert at_end
    assert lead.difference.estimate == pytest.approx(0.01)
    assert lead.difference.low > 0.009, "the spread over problems is in both"
    assert lead.p_value < 0.05
    assert at_end.difference.estimate == pytest.approx(0.02), "two iterations"
    assert "is supported here" in describe_claim(found)
    below, same = ({SFT: [seed(gain)], DPO: [seed(0.0)], GRPO: [seed(0.0)]} for gain in (0.01, 0.0))
    assert "is contradicted" in describe_claim(slopes(below))
    assert "is not decided" in describe_claim(slopes(same))
    assert "is not known" in describe_claim({})
    assert found[GRPO].head_room == pytest.approx(1 - 0.35)


def test_three_problems_that_differ_support_no_claim() -> None:
    """Resamples of six problems nearly always have one of the three, so that their interval leaves 0 out."""

    def seed(gains: int) -> list[dict[str, Any]]:
        return [
            {
                "task": f"t{task}",
                "iteration": n,
                "passed": True,
                "percentile_time": 0.5 + n * 0.1 * (task < gains),
            }
            for task in range(6)
            for n in range(2)
        ]

    found = slopes({SFT: [seed(0)], DPO: [seed(0)], GRPO: [seed(3)]})
    lead = found[SFT].lead
    assert lead
    assert lead.difference.low > 0
    assert lead.p_value == pytest.approx(0.25)
    assert "is not decided here" in (said := describe_claim(found))
    assert "p 0.250" in said
    assert "is supported here" in describe_claim(
        slopes({SFT: [seed(0)], DPO: [seed(0)], GRPO: [seed(6)]})
    )


def test_an_arm_that_begins_at_the_top_has_no_slope_and_no_head_room() -> None:
    found = slopes({COLD_START: [rows(0.2, 0.6, 1.0)], GRPO: [rows(1.0, 1.0, 1.0)]})
    assert found[GRPO].head_room == 0
    assert found[GRPO].slope == 0
    assert found[GRPO].last == 1
    assert found[COLD_START].lead
    assert found[COLD_START].lead.difference.estimate == pytest.approx(-0.4), (
        "so a slope alone is no verdict"
    )
    assert "0.0 to gain" in describe_slope(GRPO, found[GRPO])


def test_failures_count_as_rank_0_and_the_unknown_is_left_out() -> None:
    unknown = [{**row, "passed": None} if row["iteration"] == 1 else row for row in rows(0.5, 0.5)]
    found = slopes(
        {COLD_START: [rows(None, 0.5), unknown], GRPO: [rows(0.5, None), rows(0.5, 0.5)]}
    )
    assert found[COLD_START].slope == pytest.approx(0.5)
    assert found[GRPO].slope == pytest.approx(-0.25)
