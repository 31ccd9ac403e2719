"""The findings of a reproduction: curves over iterations and training, and sentences about them.

A seed gives one number; intervals are Student's over these numbers. They show how much trainings
differ, and nothing about other problems. With three seeds they are wide.

The paper's claim is the hypothesis: with each iteration GRPO improves programs more than SFT and DPO
do. All arms have the same problems and seeds, so slopes over the iterations are compared in pairs,
problem by problem, and the differences are resampled over problems and then over seeds. An arm that
starts at the top has a slope of 0, whatever it learnt; its head room and its end show that.
"""

from __future__ import annotations

import math
import os
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from examples.reproduce.preset import Preset
from examples.reproduce.scratch import read_base
from examples.reproduce.stages import ARMS, BASE, LANGUAGE, Reproduction
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.formatting import UNKNOWN
from venus_toolkit.core.records import to_plain
from venus_toolkit.core.store import MANIFEST, read_manifest
from venus_toolkit.dataset.release import open_release
from venus_toolkit.eval.report.report_facts import METRICS
from venus_toolkit.eval.scoring.results import read_results
from venus_toolkit.eval.scoring.statistics import LEVEL, PairedComparison, compare
from venus_toolkit.execution.measuring.estimator import student_quantile
from venus_toolkit.training.recipe import COLD_START, DPO, GRPO, SFT
from venus_toolkit.training.trainer.run_directory import TrainedModel

REWARDS = {
    "reward": "reward",
    "passed": "reward/passed",
    "efficiency": "reward/efficiency",
    "form": "reward/form",
}
TOO_SHORT = "GRPO's training was too short to say whether its reward rose."


@dataclass(frozen=True, slots=True)
class SeedMean:
    """A mean over seeds with its 95 % interval; with one seed, low and high are None."""

    mean: float
    low: float | None
    high: float | None
    seeds: int

    @property
    def is_above_zero(self) -> bool:
        """Whether the whole interval is above zero."""
        return self.low is not None and self.low > 0


@dataclass(frozen=True, slots=True)
class ArmCurve:
    """A metric of an arm after each iteration; None if it is unknown."""

    arm: str
    metric: str
    points: tuple[SeedMean | None, ...]


@dataclass(frozen=True, slots=True)
class Rise:
    """The mean reward in each part of a training, and its change from the first part to the last."""

    parts: tuple[SeedMean, ...]
    gained: SeedMean


class Slope(NamedTuple):
    """The change of an arm over the iterations of the loop, in the percentile of time.

    Attributes:
        head_room: The possible gain at iteration 0: 1 minus the mean percentile.
        slope: The gain of an iteration, on average over problems and seeds.
        last: The mean percentile after the last iteration.
        lead: GRPO's slope minus this arm's, on the same problems; None for GRPO itself.
        lead_at_end: GRPO's percentile after the last iteration minus this arm's.
    """

    head_room: float
    slope: float
    last: float
    lead: PairedComparison | None
    lead_at_end: PairedComparison | None


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of a reproduction."""

    preset: Preset
    problems: Mapping[str, int]  # by split
    rows: Mapping[str, int]  # of each derived set, by method
    parameters: int  # number of the model's parameters
    curves: Sequence[ArmCurve]
    slopes: Mapping[str, Slope]  # by arm
    # GRPO's reward and its parts, by name; a training that is too short has none
    rises: Mapping[str, Rise]
    # GRPO's mean reward in finer parts of the training, for a chart
    reward: Sequence[SeedMean]
    tasks: int  # number of evaluated problems
    seconds: Mapping[str, float]  # training time of each arm, over all seeds
    machine: str

    @property
    def rises_surely(self) -> bool:
        """Whether the mean reward of GRPO rose by more than its interval."""
        return "reward" in self.rises and self.rises["reward"].gained.is_above_zero

    def plain(self) -> dict[str, Any]:
        """Return the findings as plain values, for other programs."""
        values = {
            **to_plain(self),
            "preset": self.preset.plain(),
            "rises_surely": self.rises_surely,
        }
        del values["reward"]
        return values


def collect_findings(
    reproduction: Reproduction, models: Mapping[str, Sequence[TrainedModel]]
) -> Findings:
    """Return the findings of a finished reproduction; `models` has the models of each arm, by seed.

    Raises:
        UsageError: An evaluation is missing.
    """

    def manifest_of(arm: str, seed: int) -> dict[str, Any]:
        folder = reproduction.evaluation(arm, seed)
        manifest = read_manifest(folder)
        if manifest is None:  # the reproduction was interrupted between stages
            raise UsageError(
                f"{folder} was not finished",
                f"it has no {MANIFEST}",
                "type the same command to continue",
            )
        return manifest

    manifests = {
        arm: [manifest_of(arm, seed) for seed in range(reproduction.preset.seeds)] for arm in ARMS
    }
    release = open_release(reproduction.release)
    logs = [trained.log for trained in models[GRPO]]
    finer = rise(logs, parts=8)
    return Findings(
        preset=reproduction.preset,
        problems={split: release.rows(LANGUAGE, split) for split in release.splits(LANGUAGE)},
        rows={arm: trained[0].rows for arm, trained in models.items()},
        parameters=int(read_base(reproduction.model(BASE, 0))["parameters"]),
        curves=curves(manifests),
        slopes=slopes(
            {
                arm: [
                    read_results(reproduction.evaluation(arm, n)).to_pylist()
                    for n in range(len(arm_manifests))
                ]
                for arm, arm_manifests in manifests.items()
            }
        ),
        rises={name: moved for name, key in REWARDS.items() if (moved := rise(logs, key))},
        reward=finer.parts if finer else (),
        tasks=int(manifests[COLD_START][0]["scores"][0]["tasks"]),
        seconds={arm: training_seconds(trained) for arm, trained in models.items()},
        machine=(
            f"{models[GRPO][0].facts['environment']['device']}, {len(os.sched_getaffinity(0))} cores"
        ),
    )


def training_seconds(trained: Sequence[TrainedModel]) -> float:
    """Return the training time over all seeds; a model that seeds share counts once."""
    return sum({model.folder: model.seconds for model in trained}.values())


def estimate(values: Sequence[float]) -> SeedMean:
    """Return the mean over seeds with Student's 95 % interval.

    >>> point = estimate([1.0, 2.0, 3.0])
    >>> point.mean, round(point.low, 3), round(point.high, 3)
    (2.0, -0.484, 4.484)
    >>> estimate([1.0])
    SeedMean(mean=1.0, low=None, high=None, seeds=1)

    Raises:
        ValueError: `values` is empty.
    """
    if not values:
        raise ValueError("no seeds to estimate from")
    mean, count = statistics.fmean(values), len(values)
    if count == 1:
        return SeedMean(mean, None, None, 1)
    half = (
        student_quantile((1 + LEVEL) / 2, count - 1) * statistics.stdev(values) / math.sqrt(count)
    )
    return SeedMean(mean, mean - half, mean + half, count)


def curves(manifests: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[ArmCurve]:
    """Return a curve for each arm and metric, from the manifests of its evaluations by seed."""

    def value_of(scores: Mapping[str, Any], metric: str) -> float | None:
        mean = scores["pass_at_1"] if metric == "passed" else scores["efficiency"][metric]["beyond"]
        return None if mean is None else float(mean[0])

    arm_curves = []
    for metric in METRICS:
        for arm, of_seeds in manifests.items():
            points = []
            for steps in zip(*(manifest["iterations"] for manifest in of_seeds), strict=True):
                values = [value_of(step["private"], metric) for step in steps]
                known = [value for value in values if value is not None]
                # A mean over some seeds cannot be compared with means over all.
                points.append(estimate(known) if len(known) == len(values) else None)
            arm_curves.append(ArmCurve(arm, metric, tuple(points)))
    return arm_curves


def slopes(results: Mapping[str, Sequence[Sequence[Mapping[str, Any]]]]) -> dict[str, Slope]:
    """Return the slope of each arm over the iterations, from the rows of its evaluations by seed.

    A failing program has rank 0; a trajectory without a verdict in some iteration is left out.
    """
    known = {arm: _ranks(seeds) for arm, seeds in results.items()}
    tasks = sorted(set.intersection(*({task for task, _ in ranks} for ranks in known.values())))
    unknown = [math.nan, math.nan]  # two: the slope of a single value would be 0

    def values_of(arm: str, value: Callable[[Sequence[float]], float]) -> NDArray[np.float64]:
        """Return a value of each trajectory of an arm, by problem and seed."""
        seeds = range(len(results[arm]))
        return np.array(
            [[value(known[arm].get((task, seed), unknown)) for seed in seeds] for task in tasks]
        )

    values = {
        arm: (values_of(arm, _least_squares), values_of(arm, lambda ranks: ranks[-1]))
        for arm in known
    }
    of_arms: dict[str, Slope] = {}
    for arm, (steps, last) in values.items():
        if np.isnan(steps).all():
            continue
        leads = [
            None if arm == GRPO else compare(*pair)
            for pair in zip(values[GRPO], values[arm], strict=True)
        ]
        first = float(np.nanmean(values_of(arm, lambda ranks: ranks[0])))
        of_arms[arm] = Slope(1 - first, float(np.nanmean(steps)), float(np.nanmean(last)), *leads)
    return of_arms


def describe_claim(slopes: Mapping[str, Slope]) -> str:
    """Return a sentence about the paper's claim.

    The claim is supported if GRPO's slope is significantly above those of SFT and DPO, contradicted
    if it is significantly below one of them, and undecided otherwise. Significance needs both the
    interval and the p-value: with few problems that differ, the interval alone excludes 0 too
    easily.
    """
    leads = {arm: slopes[arm].lead for arm in (SFT, DPO) if arm in slopes}
    known = {arm: lead for arm, lead in leads.items() if lead}
    if len(known) < len((SFT, DPO)):
        return (
            "Whether GRPO improves programs more with each iteration than SFT and DPO is not known."
        )
    sure = [lead for lead in known.values() if lead.p_value <= 1 - LEVEL]
    if len(sure) == len(known) and all(lead.difference.low > 0 for lead in sure):
        verdict = "is supported"
    else:
        verdict = (
            "is contradicted"
            if any(lead.difference.high < 0 for lead in sure)
            else "is not decided"
        )
    differences = " and ".join(f"{_points(lead)} from {arm}" for arm, lead in known.items())
    return (
        "The claim that GRPO improves programs more with each iteration than SFT and DPO "
        f"{verdict} here: "
        f"its slope differs by {differences}, in points of the percentile of time."
    )


def _points(lead: PairedComparison) -> str:
    """Return a difference of percentiles in points, with its interval and p-value."""
    low, high = lead.difference.low, lead.difference.high
    return (
        f"{100 * lead.difference.estimate:+.1f} ({100 * low:.1f} to {100 * high:.1f}, p "
        f"{lead.p_value:.3f})"
    )


def _ranks(seeds: Sequence[Sequence[Mapping[str, Any]]]) -> dict[tuple[str, int], list[float]]:
    """Return the percentile of time after each iteration, by problem and seed, if all are known."""
    ranks: dict[tuple[str, int], dict[int, float]] = {}
    last = max((row["iteration"] for rows in seeds for row in rows), default=0)
    for seed, rows in enumerate(seeds):
        for row in rows:
            rank = row["percentile_time"] if row["passed"] else 0.0
            if row["passed"] is not None and rank is not None:
                ranks.setdefault((row["task"], seed), {})[row["iteration"]] = rank
    return {
        key: [by_iteration[n] for n in range(last + 1)]
        for key, by_iteration in ranks.items()
        if len(by_iteration) == last + 1
    }


def _least_squares(values: Sequence[float]) -> float:
    """Return the slope of values at 0, 1, 2 and so on; 0 for a single value.

    >>> _least_squares([0.0, 0.5, 1.0]), _least_squares([0.5])
    (0.5, 0.0)
    """
    middle = (len(values) - 1) / 2
    spread = sum((at - middle) ** 2 for at in range(len(values)))
    return sum((at - middle) * value for at, value in enumerate(values)) / spread if spread else 0.0


def describe_slope(arm: str, slope: Slope) -> str:
    """Return sentences about the gain of an iteration, and the difference to GRPO."""
    sentence = f"{arm}: an iteration adds {100 * slope.slope:.1f} points to the percentile of time"
    sentence += (
        f", with {100 * slope.head_room:.1f} to gain at the beginning, and ends at "
        f"{100 * slope.last:.1f}"
    )
    if not (slope.lead and slope.lead_at_end):
        return f"{sentence}."
    return (
        f"{sentence}. GRPO's slope differs by {_points(slope.lead)}, its end by "
        f"{_points(slope.lead_at_end)}."
    )


def rise(
    logs: Sequence[Sequence[Mapping[str, Any]]], name: str = "reward", parts: int = 4
) -> Rise | None:
    """Return the rise of a logged figure: its means in the parts of a training, from the log of each seed.

    None if a training has fewer steps than parts.

    >>> logs = [[{"reward": value} for value in values] for values in ((0, 0, 1, 1), (0, 1, 1, 2))]
    >>> rise(logs, parts=2).gained
    SeedMean(mean=1.0, low=1.0, high=1.0, seeds=2)
    """
    values = [[float(line[name]) for line in log if line.get(name) is not None] for log in logs]
    if not values or min(map(len, values)) < parts:
        return None
    means = []
    for series in values:
        ends = [round(number * len(series) / parts) for number in range(parts + 1)]
        means.append([statistics.fmean(series[start:end]) for start, end in pairwise(ends)])
    gained = estimate([series[-1] - series[0] for series in means])
    return Rise(tuple(estimate(series) for series in zip(*means, strict=True)), gained)


def with_interval(point: SeedMean | None, factor: float = 1.0, digits: int = 3) -> str:
    """Return an estimate with its interval.

    >>> with_interval(SeedMean(0.5, 0.25, 0.75, 3)), with_interval(SeedMean(0.5, None, None, 1))
    ('0.500 (0.250 to 0.750)', '0.500')
    """
    if point is None:
        return UNKNOWN
    mean = f"{factor * point.mean:.{digits}f}"
    if point.low is None or point.high is None:
        return mean
    return f"{mean} ({factor * point.low:.{digits}f} to {factor * point.high:.{digits}f})"


def percent_with_interval(point: SeedMean | None) -> str:
    """Return a share and its interval in per cent, clipped to 0 and 100, without a % sign.

    >>> percent_with_interval(SeedMean(0.95, 0.88, 1.02, 3))
    '95.0 (88.0 to 100.0)'
    """
    if point and point.low is not None and point.high is not None:
        point = replace(point, low=max(point.low, 0.0), high=min(point.high, 1.0))
    return with_interval(point, 100.0, 1)


def describe_reward(rise: Rise | None) -> str:
    """Return a sentence about the change of GRPO's mean reward."""
    if rise is None:
        return TOO_SHORT
    gained = rise.gained
    if gained.low is None or gained.high is None:
        judged = "one seed cannot show whether that is more than chance"
    elif gained.low > 0:
        judged = "it rose by more than its interval"
    else:
        judged = (
            "it fell by more than its interval"
            if gained.high < 0
            else "that is not more than its interval"
        )
    return (
        "From the first quarter of GRPO's training to the last its mean reward moved from "
        f"{rise.parts[0].mean:.3f} "
        f"to {rise.parts[-1].mean:.3f}, by {with_interval(gained)}: {judged}."
    )


def describe_order(curves: Sequence[ArmCurve], metric: str) -> str:
    """Return a sentence about the order of the arms after the last iteration, unknown ones last."""
    last = [
        (curve.arm, curve.points[-1]) for curve in curves if curve.metric == metric and curve.points
    ]
    last.sort(key=lambda entry: -entry[1].mean if entry[1] else 1.0)
    arms = ", ".join(f"{arm} {percent_with_interval(point)}" for arm, point in last)
    return (
        f"{METRICS[metric]} after the last iteration, the best first: {arms}. "
        "Where intervals overlap, the order may be chance."
    )
