"""Ranks, percentiles and places of costs that have standard errors.

Two costs are apart if they differ by more than the uncertainty of their difference,

    |a - b| > 1.96 · sqrt(se_a² + se_b²)

which happens by chance to two measurements of one program with a probability of 5 %. Otherwise they
tie. To be better or worse than all human solutions is a stronger claim, which requires 2.58
standard errors. Under the rule `STRICT`, the paper's, any difference counts. If a standard error is
unknown (a single repeat), costs always tie. A cost of nan means that a program failed; it is above
all others.

This relation is not transitive: a may tie with b, and b with c, while a and c are apart. So a
solution has an interval of ranks in addition to its rank. A tie group starts with the cheapest
solution that is apart from the first one of the previous group.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import StrEnum
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from venus_toolkit.core.records import KIB, Measurement
from venus_toolkit.execution.measuring.estimator import NORMAL_95, Floats

Matrix = npt.NDArray[np.bool_]
APART, STRICT = "apart", "strict"
RULES = (APART, STRICT)
AT_LEAST, MIDRANK = "at_least", "midrank"
TIES = (AT_LEAST, MIDRANK)
# Two peaks of one program differ by up to this: the kernel counts the pages of a process in batches
# of up to 64, and the layout of allocators varies.
MEMORY_NOISE_BYTES = 256 * KIB
# Counts are exact, but comments, names and empty lines cost an interpreter about this share: forty
# lines of comments take 9e-4 of the count of a small Python program.
COUNT_NOISE = 3e-4
# A copy of the best solution is called better with a probability of 1 in 200.
WIDTHS_OF_PLACES = NormalDist().inv_cdf(0.995) / NORMAL_95
# By figure: its standard error as a share of it. Peaks have none: see MEMORY_NOISE_BYTES.
ERRORS = {
    "wall_ns": "wall_se", "cpu_ns": "cpu_se", "integral_byte_ns": "integral_se", "relative_time": "relative_se",
    "instructions": "instructions_se", "joint_time": "joint_se",
}  # fmt: skip
# Criteria for a release's ranking in time, and their figures.
TIMES = {
    "relative": "relative_time", "absolute": "wall_ns", "instructions": "instructions", "joint": "joint_time",
}  # fmt: skip
# The mean range of n normal values, in standard deviations (Tippett, "On the extreme individuals
# and the range of samples taken from a normal population", 1925).
MEAN_RANGES = (math.nan, math.nan, 1.128, 1.693, 2.059, 2.326, 2.534, 2.704, 2.847, 2.970, 3.078)


class Costs(NamedTuple):
    """The costs of programs with standard errors in the same unit; nan: failed or unknown."""

    value: Floats
    se: Floats

    def take(self, chosen: npt.NDArray[Any]) -> Costs:
        """Return the costs of some programs, by their indices or by a mask."""
        return Costs(self.value[chosen], self.se[chosen])


def exact(values: npt.ArrayLike) -> Costs:
    """Return costs without any uncertainty."""
    numbers = np.asarray(values, dtype=np.float64)
    return Costs(numbers, np.zeros(len(numbers)))


class Place(StrEnum):
    """The place of a program relative to the human solutions of its task."""

    BETTER = "better"
    MIDDLE = "middle"
    WORSE = "worse"
    FAILED = "failed"


class Standing(NamedTuple):
    """The rank of a solution, with ties.

    Attributes:
        rank: 1 + the number of solutions in earlier tie groups.
        tie_group: The number of its tie group, from 1.
        lowest: 1 + the number of cheaper solutions that are apart from it.
        highest: The number of solutions - that of costlier ones that are apart from it.
    """

    rank: int
    tie_group: int
    lowest: int
    highest: int


class Separation(NamedTuple):
    """How well a problem discriminates between solutions.

    Attributes:
        share: The share of pairs that are apart; None: fewer than two solutions.
        groups: The number of tie groups; 1 if all solutions tie.
        extent: The largest cost over the smallest, both net of the floor; None: the smallest is not
            above the floor.
    """

    share: float | None
    groups: int
    extent: float | None


def ranking_key(measurement: Measurement, objective: str, rank: str) -> float | None:
    """Return the figure that ranks a solution, where lower is better; None: it has no rank.

    Args:
        measurement: The figures.
        objective: ``time``, ``memory`` or ``integral``.
        rank: A key of `TIMES`, for the objective ``time``.
    """
    if not measurement.repeats_agree:
        return None
    if objective == "memory":
        return measurement.peak_bytes
    if objective == "integral":
        return measurement.integral_byte_ns
    figure: float | None = getattr(measurement, TIMES[rank])
    return figure


def standard_errors(shares: Floats, spreads: Floats, repeats: Floats) -> Floats:
    """Return standard errors as shares of their figures; nan: unknown.

    They are the `shares` from the model. Figures of earlier versions only have `spreads` over the
    repeats, from which the standard error of a mean of normal values follows.
    """
    counts = np.nan_to_num(repeats)
    ranges = np.array(MEAN_RANGES)[np.clip(counts, 0, len(MEAN_RANGES) - 1).astype(int)]
    errors: Floats = np.where(
        np.isnan(shares), spreads / ranges / np.sqrt(np.maximum(counts, 1)), shares
    )
    return errors


def costs_of(measurements: Sequence[Measurement], figure: str) -> Costs:
    """Return one figure of programs as costs, such as ``relative_time`` or ``peak_bytes``.

    Programs whose repeats disagree have no costs (nan).
    """

    def column(name: str) -> Floats:
        values = [getattr(measurement, name) for measurement in measurements]
        return np.array(
            [math.nan if value is None else value for value in values], dtype=np.float64
        )

    value = np.where(
        [measurement.repeats_agree for measurement in measurements], column(figure), math.nan
    )
    if figure == "peak_bytes":
        return Costs(value, np.full(len(value), MEMORY_NOISE_BYTES / NORMAL_95))
    return Costs(value, value * shares_of_error(figure, column))


def shares_of_error(figure: str, column: Callable[[str], Floats]) -> Floats:
    """Return the standard errors of a figure, as shares of it; nan: unknown.

    `column` returns the values of a column of measurements.
    """
    shares = column(ERRORS[figure])
    if figure == "instructions":
        return np.maximum(shares, COUNT_NOISE)
    if figure == "joint_time":
        return shares
    spread = figure.partition("_")[0] + "_spread"
    return standard_errors(shares, column(spread), column("repeats"))


def costlier(left: Costs, right: Costs, rule: str = APART, widths: float = 1.0) -> Matrix:
    """Return a matrix, true at (i, j) if the i-th of `left` is costlier than the j-th of `right`.

    A program that failed is costlier than every program that did not.

    Args:
        left: Costs.
        right: Other costs.
        rule: `APART` or `STRICT`.
        widths: The factor of 1.96 standard errors by which costs must differ to be apart.

    Raises:
        ValueError: The rule is unknown.
    """
    if rule not in RULES:
        raise ValueError(f"unknown rule: {rule!r}")
    # the difference of two infinite costs is nan, so they tie
    with np.errstate(invalid="ignore"):
        gap = left.value[:, None] - right.value[None, :]
    least = (
        0.0
        if rule == STRICT
        else widths * NORMAL_95 * np.hypot(left.se[:, None], right.se[None, :])
    )
    failed = np.isnan(left.value)[:, None] & ~np.isnan(right.value)[None, :]
    above: Matrix = (gap > least) | failed
    return above


def standings(costs: Costs, rule: str = APART) -> list[Standing]:
    """Return the standing of each solution; all of them must have a cost.

    >>> costs = Costs(np.array([1.0, 1.1, 1.2, 9.0]), np.full(4, 0.05))
    >>> [tuple(standing) for standing in standings(costs)]
    [(1, 1, 1, 2), (1, 1, 1, 3), (3, 2, 2, 3), (4, 3, 4, 4)]
    """
    above = costlier(costs, costs, rule)
    groups, ranks = np.zeros(len(costs.value), dtype=int), np.zeros(len(costs.value), dtype=int)
    first, group, rank = -1, 0, 0
    for place, index in enumerate(np.argsort(costs.value, kind="stable"), 1):
        if first < 0 or above[index, first]:
            first, group, rank = int(index), group + 1, place
        groups[index], ranks[index] = group, rank
    lowest, highest = 1 + above.sum(axis=1), len(costs.value) - above.sum(axis=0)
    return [Standing(*map(int, row)) for row in zip(ranks, groups, lowest, highest, strict=True)]


def percentile_ranks(
    figures: Costs, distribution: Costs, ties: str = MIDRANK, rule: str = APART
) -> Floats:
    """Return the percentile rank of each figure: the share of worse solutions and half of the ties.

    >>> costs = lambda *values: Costs(np.array(values), np.full(len(values), 0.1))
    >>> percentile_ranks(costs(1, 3, 9, float("nan")), costs(2, 3, 3, 5)).tolist()
    [1.0, 0.5, 0.0, 0.0]

    3 ties with two solutions and beats one (5): (1 + 2 / 2) / 4. The paper counts all ties:

    >>> percentile_ranks(costs(3), costs(2, 3, 3, 5), AT_LEAST).tolist()
    [0.75]

    Under the rule `APART`, noise causes ties, so to count all of them would raise ranks on a noisy
    machine.

    Args:
        figures: Costs; nan for a program that failed, whose rank is 0.
        distribution: Costs of the accepted human solutions; at least one.
        ties: ``midrank``, or ``at_least``, the paper's.
        rule: `APART` or `STRICT`.

    Raises:
        ValueError: The distribution is empty or contains nan, or a rule is unknown.
    """
    if ties not in TIES:
        raise ValueError(f"unknown rule for ties: {ties!r}")
    _check(distribution)
    beaten, beats = costlier(figures, distribution, rule), costlier(distribution, figures, rule).T
    shares = 1 - beaten.mean(axis=1)
    if ties == MIDRANK:
        shares -= (~beaten & ~beats).mean(axis=1) / 2
    return np.where(np.isnan(figures.value), 0.0, shares)


def places(figures: Costs, distribution: Costs, rule: str = APART) -> list[Place]:
    """Return the place of each figure: better or worse than all of a distribution, or between.

    >>> costs = lambda *values: Costs(np.array(values), np.full(len(values), 0.1))
    >>> [str(place) for place in places(costs(1, 1.9, 5, 6, float("nan")), costs(2, 3, 5))]
    ['better', 'middle', 'middle', 'worse', 'failed']

    Better and worse require a distance of 2.58 standard errors.

    Raises:
        ValueError: The distribution is empty or contains nan, or the rule is unknown.
    """
    _check(distribution)
    better = costlier(distribution, figures, rule, WIDTHS_OF_PLACES).all(axis=0)
    worse = costlier(figures, distribution, rule, WIDTHS_OF_PLACES).all(axis=1)
    rules = [np.isnan(figures.value), better, worse]
    return [
        Place(name)
        for name in np.select(rules, [Place.FAILED, Place.BETTER, Place.WORSE], Place.MIDDLE)
    ]


def separation(costs: Costs, floor: float = 0.0) -> Separation:
    """Return how well costs discriminate between solutions; `floor` is that of an empty program.

    >>> separation(Costs(np.array([3.0, 3.1, 5.0]), np.full(3, 0.1)), floor=1.0)
    Separation(share=0.6666666666666666, groups=2, extent=2.0)
    """
    known_costs = costs.take(np.isfinite(costs.value))
    value = known_costs.value
    pairs = len(value) * (len(value) - 1) / 2
    least = value.min() - floor if len(value) else 0.0
    return Separation(
        float(costlier(known_costs, known_costs).sum() / pairs) if pairs else None,
        max((standing.tie_group for standing in standings(known_costs)), default=0),
        float((value.max() - floor) / least) if least > 0 else None,
    )


def _check(distribution: Costs) -> None:
    if not len(distribution.value) or np.isnan(distribution.value).any():
        raise ValueError("a distribution has at least one figure and no nan")
