"""What came of a reproduction: curves over iterations and over training, with intervals over seeds. Pure functions.

A seed gives one number; an interval is Student's over those numbers, so it says how much trainings differ, and nothing
of other problems than these. With three seeds it is wide.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

# The 97.5 % quantile of Student's distribution, by degrees of freedom.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)
NORMAL = 1.960
METRICS = ("passed", "time", "memory", "integral")  # as in reports: Pass@1, Beyond-T, Beyond-M, Beyond-I
PARTS = 4  # of a training, over which its reward is averaged


class Estimate(NamedTuple):
    """A mean over seeds with its 95 % interval; of one seed, none is known (low and high are None)."""

    mean: float
    low: float | None
    high: float | None
    seeds: int

    @property
    def is_above_zero(self) -> bool:
        """Whether the whole interval is."""
        return self.low is not None and self.low > 0


class Curve(NamedTuple):
    """A metric of an arm, after each iteration; None where nothing is known."""

    arm: str
    metric: str
    points: tuple[Estimate | None, ...]


class Rise(NamedTuple):
    """How the mean reward of a training moved: in each part of it, and from the first part to the last."""

    parts: tuple[Estimate, ...]
    gained: Estimate


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean over seeds with Student's 95 % interval.

    >>> found = estimate([1.0, 2.0, 3.0])
    >>> found.mean, round(found.low, 3), round(found.high, 3)
    (2.0, -0.484, 4.484)
    >>> estimate([1.0])
    Estimate(mean=1.0, low=None, high=None, seeds=1)

    Raises:
        ValueError: There is no value.
    """
    if not values:
        raise ValueError("there is no seed")
    mean, count = statistics.fmean(values), len(values)
    if count == 1:
        return Estimate(mean, None, None, 1)
    quantile = STUDENT[count - 2] if count - 2 < len(STUDENT) else NORMAL
    half = quantile * statistics.stdev(values) / math.sqrt(count)
    return Estimate(mean, mean - half, mean + half, count)


def curves(manifests: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Curve]:
    """Return a curve for each arm and metric, from the manifests of its evaluations by seed."""
    return [_curve(arm, metric, told) for metric in METRICS for arm, told in manifests.items()]


def _curve(arm: str, metric: str, told: Sequence[Mapping[str, Any]]) -> Curve:
    lines = [each["iterations"] for each in told]
    points = []
    for steps in zip(*lines, strict=True):
        known = [value for step in steps if (value := _value(step["private"], metric)) is not None]
        points.append(estimate(known) if len(known) == len(steps) else None)
    return Curve(arm, metric, tuple(points))


def _value(scores: Mapping[str, Any], metric: str) -> float | None:
    found = scores["pass_at_1"] if metric == "passed" else scores["efficiency"][metric]["beyond"]
    return None if found is None else float(found[0])


def rise(logs: Sequence[Sequence[Mapping[str, Any]]], name: str = "reward", parts: int = PARTS) -> Rise | None:
    """Return how what was logged moved, from the logs of each seed; None where a training is shorter than its parts.

    >>> logs = [[{"reward": value} for value in values] for values in ((0, 0, 1, 1), (0, 1, 1, 2))]
    >>> rise(logs, parts=2).gained
    Estimate(mean=1.0, low=1.0, high=1.0, seeds=2)
    """
    values = [[float(line[name]) for line in log if line.get(name) is not None] for log in logs]
    if not values or min(map(len, values)) < parts:
        return None
    means = [_part_means(each, parts) for each in values]
    gained = estimate([each[-1] - each[0] for each in means])
    return Rise(tuple(estimate(each) for each in zip(*means, strict=True)), gained)


def _part_means(values: Sequence[float], parts: int) -> list[float]:
    ends = [round(number * len(values) / parts) for number in range(parts + 1)]
    return [statistics.fmean(values[start:end]) for start, end in pairwise(ends)]


def order(found: Sequence[Curve], metric: str) -> list[Curve]:
    """Return the arms by a metric after the last iteration, the best first; what is not known comes last."""
    own = [curve for curve in found if curve.metric == metric and curve.points]
    return sorted(own, key=lambda curve: -curve.points[-1].mean if curve.points[-1] else 1.0)
