"""What came of a reproduction.

Curves over iterations and over training, with intervals over seeds, and in sentences.

A seed gives one number; an interval is Student's over those numbers, so it says how much trainings
differ, and nothing of other problems than these. With three seeds it is wide.

The paper's claim is the hypothesis: with each iteration GRPO improves programs more than SFT and
DPO do. That is a question about the same problems and seeds, so it is answered in pairs: of each
problem the slope over the iterations, and the differences of slopes problem by problem, resampled
over problems and then over seeds. The slope of an arm that begins where nothing is left to gain is
0 whatever it learnt: its head room says so, and so does where it ends.
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
    """A mean over seeds with its 95 % interval.

    Of one seed, none is known (low and high are None).
    """

    mean: float
    low: float | None
    high: float | None
    seeds: int

    @property
    def is_above_zero(self) -> bool:
        """Whether the whole interval is."""
        return self.low is not None and self.low > 0


@dataclass(frozen=True, slots=True)
class ArmCurve:
    """A metric of an arm, after each iteration; None where nothing is known."""

    arm: str
    metric: str
    points: tuple[SeedMean | None, ...]


@dataclass(frozen=True, slots=True)
class Rise:
    """How the mean reward of a training moved.

    In each part of it, and from the first part to the last.
    """

    parts: tuple[SeedMean, ...]
    gained: SeedMean


class Slope(NamedTuple):
    """How an arm goes on over the iterations of the loop, in the percentile of time.

    Attributes:
        head_room: What is left to gain at iteration 0: 1 minus the mean percentile.
        slope: What an iteration adds, on average over problems and seeds.
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
    """What a reproduction found."""

    preset: Preset
    problems: Mapping[str, int]  # by split
    rows: Mapping[str, int]  # of each derived set, by method
    parameters: int  # of the model
    curves: Sequence[ArmCurve]
    slopes: Mapping[str, Slope]  # by arm
    # of GRPO's reward and its parts by their names, but for what is too short to tell
    rises: Mapping[str, Rise]
    # GRPO's mean reward in more and shorter parts of the training, for a chart
    reward: Sequence[SeedMean]
    tasks: int  # that were evaluated
    seconds: Mapping[str, float]  # of each stage that trained, over all seeds
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


def find(reproduction: Reproduction, made: Mapping[str, Sequence[TrainedModel]]) -> Findings:
    """Return what a finished reproduction found; `made` are its models of each arm, by seed.

    Raises:
        UsageError: An evaluation is missing.
    """

    def manifest_of(arm: str, seed: int) -> dict[str, Any]:
        folder = reproduction.evaluation(arm, seed)
        manifest = read_manifest(folder)
        if manifest is None:  # the reproduction was stopped between its stages
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
    logs = [trained.log for trained in made[GRPO]]
    finer = rise(logs, parts=8)
    return Findings(
        preset=reproduction.preset,
        problems={split: release.rows(LANGUAGE, split) for split in release.splits(LANGUAGE)},
        rows={arm: trained[0].rows for arm, trained in made.items()},
        parameters=int(read_base(reproduction.model(BASE, 0))["parameters"]),
        curves=curves(manifests),
        slopes=slopes(
            {
                arm: [
                    read_results(reproduction.evaluation(arm, n)).to_pylist()
                    for n in range(len(each))
                ]
                for arm, each in manifests.items()
            }
        ),
        rises={name: moved for name, key in REWARDS.items() if (moved := rise(logs, key))},
        reward=finer.parts if finer else (),
        tasks=int(manifests[COLD_START][0]["scores"][0]["tasks"]),
        seconds={arm: sum(each.seconds for each in trained) for arm, trained in made.items()},
        machine=(
            f"{made[GRPO][0].facts['environment']['device']}, {len(os.sched_getaffinity(0))} cores"
        ),
    )


def estimate(values: Sequence[float]) -> SeedMean:
    """Return the mean over seeds with Student's 95 % interval.

    >>> found = estimate([1.0, 2.0, 3.0])
    >>> found.mean, round(found.low, 3), round(found.high, 3)
    (2.0, -0.484, 4.484)
    >>> estimate([1.0])
    SeedMean(mean=1.0, low=None, high=None, seeds=1)

    Raises:
        ValueError: There is no value.
    """
    if not values:
        raise ValueError("there is no seed")
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
                # A mean over some of the seeds cannot be compared with means over all of them.
                points.append(estimate(known) if len(known) == len(values) else None)
            arm_curves.append(ArmCurve(arm, metric, tuple(points)))
    return arm_curves


def slopes(results: Mapping[str, Sequence[Sequence[Mapping[str, Any]]]]) -> dict[str, Slope]:
    """Return how each arm goes on over the iterations, from the rows of its evaluations by seed.

    A program that fails is ranked 0; a trajectory without a verdict in some iteration is left out.
    """
    known = {arm: _ranks(seeds) for arm, seeds in results.items()}
    tasks = sorted(set.intersection(*({task for task, _ in ranks} for ranks in known.values())))
    unknown = [math.nan, math.nan]  # two: the slope of a single value would be 0

    def of_each(arm: str, value: Callable[[Sequence[float]], float]) -> NDArray[np.float64]:
        """Return a value of each trajectory of an arm, by problem and seed."""
        seeds = range(len(results[arm]))
        return np.array(
            [[value(known[arm].get((task, seed), unknown)) for seed in seeds] for task in tasks]
        )

    values = {
        arm: (of_each(arm, _least_squares), of_each(arm, lambda ranks: ranks[-1])) for arm in known
    }
    of_arms: dict[str, Slope] = {}
    for arm, (steps, last) in values.items():
        if np.isnan(steps).all():
            continue
        leads = [
            None if arm == GRPO else compare(*each)
            for each in zip(values[GRPO], values[arm], strict=True)
        ]
        first = float(np.nanmean(of_each(arm, lambda ranks: ranks[0])))
        of_arms[arm] = Slope(1 - first, float(np.nanmean(steps)), float(np.nanmean(last)), *leads)
    return of_arms


def describe_claim(slopes: Mapping[str, Slope]) -> str:
    """Return what the slopes say of the paper's claim, in a sentence.

    It is supported where GRPO's slope is surely above that of SFT and of DPO, contradicted where it
    is surely below one of them, and otherwise not decided. Sure is what the interval and the
    p-value both say: of few problems, most of which do not differ, resamples alone leave 0 out too
    easily.
    """
    leads = {arm: slopes[arm].lead for arm in (SFT, DPO) if arm in slopes}
    known = {arm: lead for arm, lead in leads.items() if lead}
    if len(known) < len((SFT, DPO)):
        return (
            "Whether GRPO improves programs more with each iteration than SFT and DPO is not known."
        )
    sure = [each for each in known.values() if each.p_value <= 1 - LEVEL]
    if len(sure) == len(known) and all(each.difference.low > 0 for each in sure):
        verdict = "is supported"
    else:
        verdict = (
            "is contradicted"
            if any(each.difference.high < 0 for each in sure)
            else "is not decided"
        )
    differences = " and ".join(f"{_points(each)} beside {arm}" for arm, each in known.items())
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
    """Return the percentile of time after each iteration, by problem and seed.

    Only what is known of all of them.
    """
    ranks: dict[tuple[str, int], dict[int, float]] = {}
    last = max((row["iteration"] for rows in seeds for row in rows), default=0)
    for seed, rows in enumerate(seeds):
        for row in rows:
            rank = row["percentile_time"] if row["passed"] else 0.0
            if row["passed"] is not None and rank is not None:
                ranks.setdefault((row["task"], seed), {})[row["iteration"]] = rank
    return {
        key: [each[n] for n in range(last + 1)]
        for key, each in ranks.items()
        if len(each) == last + 1
    }


def _least_squares(values: Sequence[float]) -> float:
    """Return the slope of values at 0, 1, 2 and so on; 0 of a single one.

    >>> _least_squares([0.0, 0.5, 1.0]), _least_squares([0.5])
    (0.5, 0.0)
    """
    middle = (len(values) - 1) / 2
    spread = sum((at - middle) ** 2 for at in range(len(values)))
    return sum((at - middle) * value for at, value in enumerate(values)) / spread if spread else 0.0


def describe_slope(arm: str, slope: Slope) -> str:
    """Return what an iteration adds to an arm, and how GRPO differs from it, in sentences."""
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
    """Return how what was logged moved, from the logs of each seed.

    None where a training is shorter than its parts.

    Of each part, the mean over its steps is taken.

    >>> logs = [[{"reward": value} for value in values] for values in ((0, 0, 1, 1), (0, 1, 1, 2))]
    >>> rise(logs, parts=2).gained
    SeedMean(mean=1.0, low=1.0, high=1.0, seeds=2)
    """
    values = [[float(line[name]) for line in log if line.get(name) is not None] for log in logs]
    if not values or min(map(len, values)) < parts:
        return None
    means = []
    for each in values:
        ends = [round(number * len(each) / parts) for number in range(parts + 1)]
        means.append([statistics.fmean(each[start:end]) for start, end in pairwise(ends)])
    gained = estimate([each[-1] - each[0] for each in means])
    return Rise(tuple(estimate(each) for each in zip(*means, strict=True)), gained)


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
    """Return a share with its interval, in per cent, without the sign.

    Cut, as Student's may reach beyond 0 and 1.

    >>> percent_with_interval(SeedMean(0.95, 0.88, 1.02, 3))
    '95.0 (88.0 to 100.0)'
    """
    if point and point.low is not None and point.high is not None:
        point = replace(point, low=max(point.low, 0.0), high=min(point.high, 1.0))
    return with_interval(point, 100.0, 1)


def describe_reward(rise: Rise | None) -> str:
    """Return what GRPO's mean reward did, in a sentence."""
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
    """Return the order of the arms by a metric after the last iteration, in a sentence.

    The unknown comes last.
    """
    last = [
        (curve.arm, curve.points[-1]) for curve in curves if curve.metric == metric and curve.points
    ]
    last.sort(key=lambda each: -each[1].mean if each[1] else 1.0)
    arms = ", ".join(f"{arm} {percent_with_interval(point)}" for arm, point in last)
    return (
        f"{METRICS[metric]} after the last iteration, the best first: {arms}. "
        "Where intervals overlap, the order may be chance."
    )
