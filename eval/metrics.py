"""What an evaluation says of a model, as functions on arrays: no files, no clocks, no state.

Lower is better for every figure. A figure is NaN where a program failed, so a failure can never be mistaken for a fast
program; what a failure is worth is decided here and nowhere else: a percentile rank of 0, or the limits of the paper
(`FAILED`). A sample that was never answered is no failure: arrays of ranks have NaN there, and it is left out.

Shares, ranks and rates are fractions of 1. The formulas are those of the Afterburner paper (section 4, "Metrics") but
for `mercury_beyond`, which is Mercury's own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venus_toolkit.records import KIB, NS_PER_S

Floats = NDArray[np.float64]

OBJECTIVES = ("time", "memory", "integral")
AT_LEAST = "at_least"
MIDRANK = "midrank"
TIES = (AT_LEAST, MIDRANK)

# What a failed program is worth where a figure is wanted: 90 s, 1 048 576 KiB, 94 371 840 KiB*s, in our own units.
FAILED_TIME_NS = 90 * NS_PER_S
FAILED_MEMORY_BYTES = 1_048_576 * KIB
FAILED_INTEGRAL_BYTE_NS = 94_371_840 * KIB * NS_PER_S
FAILED = {"time": FAILED_TIME_NS, "memory": FAILED_MEMORY_BYTES, "integral": FAILED_INTEGRAL_BYTE_NS}


class Place(StrEnum):
    """Where a program stands among the human solutions of its task."""

    BETTER = "better"
    MIDDLE = "middle"
    WORSE = "worse"
    FAILED = "failed"


class Places(NamedTuple):
    """B, M, W and F: which shares of the programs are better than all humans, among them, worse than all, failed."""

    better: float
    middle: float
    worse: float
    failed: float


class Gain(NamedTuple):
    """What was saved over the tasks that pass before and after: in the unit of the figures, and as a share."""

    absolute: float
    relative: float
    tasks: int


# ------------------------------------------------------------------ against the human solutions


def percentile_ranks(figures: ArrayLike, distribution: ArrayLike, ties: str = AT_LEAST) -> Floats:
    """Return for each figure the share of the distribution that is not better than it.

    >>> percentile_ranks([1, 3, 9, float("nan")], [2, 3, 3, 5]).tolist()
    [1.0, 0.75, 0.0, 0.0]

    3 is matched by two solutions and beaten by one (2), so three of four are at least 3. With mid-ranks the two that
    are equal count half: (1 + 2 / 2) / 4.

    >>> percentile_ranks([3], [2, 3, 3, 5], MIDRANK).tolist()
    [0.5]

    Args:
        figures: Costs; NaN for a program that failed, whose rank is 0.
        distribution: Costs of the accepted human solutions; at least one.
        ties: ``at_least``, the paper's rule, or ``midrank``.

    Raises:
        ValueError: The distribution is empty or has NaN, or the rule for ties is unknown.
    """
    if ties not in TIES:
        raise ValueError(f"unknown rule for ties: {ties!r}")
    values, sorted_costs = _floats(figures), _sorted(distribution)
    beaten_by = np.searchsorted(sorted_costs, values, side="left")
    ranks = 1 - beaten_by / len(sorted_costs)
    if ties == MIDRANK:
        equal = np.searchsorted(sorted_costs, values, side="right") - beaten_by
        ranks -= equal / 2 / len(sorted_costs)
    return np.where(np.isnan(values), 0.0, ranks)


def mercury_beyond(figures: ArrayLike, distribution: ArrayLike) -> Floats:
    """Return for each figure where it lies between the slowest (0) and the fastest (1) human solution.

    Mercury's Beyond is the mean of these over tasks and samples (Mercury, section 3.2): the figure is clipped to the
    range of the distribution and scaled, so distances count, unlike in a percentile rank.

    >>> mercury_beyond([1, 4, 8, 99, float("nan")], [2, 4, 10]).tolist()
    [1.0, 0.75, 0.25, 0.0, 0.0]

    Where all humans are equal there is no range: whoever is no slower than they gets 1.

    >>> mercury_beyond([3, 4], [3, 3]).tolist()
    [1.0, 0.0]

    Raises:
        ValueError: The distribution is empty or has NaN.
    """
    values, sorted_costs = _floats(figures), _sorted(distribution)
    fastest, slowest = sorted_costs[0], sorted_costs[-1]
    if fastest == slowest:
        return np.where(values <= fastest, 1.0, 0.0)
    scaled = (slowest - np.clip(values, fastest, slowest)) / (slowest - fastest)
    return np.where(np.isnan(values), 0.0, scaled)


def places(figures: ArrayLike, distribution: ArrayLike) -> list[Place]:
    """Return where each figure stands: equal to the best or the worst human is still in the middle.

    >>> [str(place) for place in places([1, 2, 5, 6, float("nan")], [2, 3, 5])]
    ['better', 'middle', 'middle', 'worse', 'failed']

    Raises:
        ValueError: The distribution is empty or has NaN.
    """
    sorted_costs = _sorted(distribution)
    return [_place(float(value), float(sorted_costs[0]), float(sorted_costs[-1])) for value in _floats(figures)]


def _place(figure: float, best: float, worst: float) -> Place:
    if np.isnan(figure):
        return Place.FAILED
    if figure < best:
        return Place.BETTER
    return Place.WORSE if figure > worst else Place.MIDDLE


def place_shares(found: Sequence[Place]) -> Places:
    """Return the share of each place; they add up to 1.

    >>> place_shares([Place.BETTER, Place.MIDDLE, Place.MIDDLE, Place.FAILED])
    Places(better=0.25, middle=0.5, worse=0.0, failed=0.25)

    Raises:
        ValueError: There is no place.
    """
    if not found:
        raise ValueError("no program has a place")
    return Places(*(sum(each == place for each in found) / len(found) for place in Place))


def ratios_to_best(figures: ArrayLike, distribution: ArrayLike) -> Floats:
    """Return for each figure how many times cheaper it is than the best human solution, not clipped; NaN if it failed.

    >>> ratios_to_best([1, 4], [2, 3]).tolist()
    [2.0, 0.5]

    Raises:
        ValueError: The distribution is empty or has NaN.
    """
    ratios: Floats = _sorted(distribution)[0] / _floats(figures)
    return ratios


def geometric_mean(ratios: ArrayLike) -> float:
    """Return the mean of ratios, over those that are no NaN: twice and half as fast average to as fast.

    >>> geometric_mean([2.0, 0.5, float("nan")])
    1.0
    """
    values = _floats(ratios)
    values = values[~np.isnan(values)]
    return float(np.exp(np.mean(np.log(values)))) if len(values) else float("nan")


# ------------------------------------------------------------------ over tasks


def beyond(ranks: ArrayLike) -> float:
    """Return Beyond-T, -M or -I: the mean over tasks of the mean rank of a task's samples, failures being 0.

    >>> round(beyond([[1.0, 0.5], [0.0, float("nan")]]), 4)
    0.375

    The second task has one sample, which failed, and one that was never answered.

    Args:
        ranks: One row a task, one column a sample; NaN where a sample is missing. Rows without any are left out.
    """
    return over_tasks(ranks)


def pass_at_1(passed: ArrayLike) -> float:
    """Return the share of samples that pass, each task having the same weight.

    >>> pass_at_1([[1, 1], [1, 0], [0, float("nan")]])
    0.5

    Args:
        passed: One row a task, one column a sample: 1, 0, or NaN where a sample is missing.
    """
    return over_tasks(passed)


def over_tasks(values: ArrayLike) -> float:
    """Return the mean over rows of the mean of each row, NaN left out; NaN where nothing is left."""
    means = task_means(values)
    return float(np.mean(means)) if len(means) else float("nan")


def task_means(values: ArrayLike) -> Floats:
    """Return the mean of each row over what is no NaN; rows of nothing but NaN are left out."""
    array = _floats(values)
    array = array.reshape(len(array), math.prod(array.shape[1:]))
    known = ~np.isnan(array)
    counts = known.sum(axis=1)
    sums = np.where(known, array, 0.0).sum(axis=1)
    kept: Floats = sums[counts > 0] / counts[counts > 0]
    return kept


def pass_at_k(samples: ArrayLike, passed: ArrayLike, k: int) -> Floats:
    """Return for each task the chance that one of k samples drawn from its n passes: 1 - C(n - c, k) / C(n, k).

    >>> [round(value, 4) for value in pass_at_k([4, 4, 4], [0, 1, 3], 2).tolist()]
    [0.0, 0.5, 1.0]

    With one of four passing, 3 of the 6 pairs have it. The estimator is unbiased (HumanEval, section 2.1).

    Args:
        samples: n, how many samples each task has; at least k.
        passed: c, how many of them pass.
        k: How many are drawn.

    Raises:
        ValueError: k is not between 1 and the fewest samples of a task.
    """
    n, c = np.atleast_1d(_floats(samples)), np.atleast_1d(_floats(passed))
    if not 1 <= k <= n.min(initial=np.inf):
        raise ValueError(f"pass@{k} needs at least {k} samples of each task")
    drawn = np.arange(k)
    none_passes = np.maximum(n[:, None] - c[:, None] - drawn, 0) / (n[:, None] - drawn)
    chances: Floats = 1 - none_passes.prod(axis=1)
    return chances


# ------------------------------------------------------------------ figures as they are


def failures_at_limits(figures: ArrayLike, objective: str) -> Floats:
    """Return the figures with the paper's limits in place of failures, in ns, bytes or byte*ns.

    >>> failures_at_limits([5.0, float("nan")], "time").tolist()
    [5.0, 90000000000.0]
    """
    values = _floats(figures)
    return np.where(np.isnan(values), float(FAILED[objective]), values)


def gain(before: ArrayLike, after: ArrayLike) -> Gain:
    """Return what was saved per task, over the tasks that pass before and after.

    >>> gain([10, 8, 5, float("nan")], [5, 10, float("nan"), 1])
    Gain(absolute=1.5, relative=0.125, tasks=2)

    The first task saves 5 of 10, the second loses 2 of 8; the other two do not count.
    """
    old, new = _floats(before), _floats(after)
    both = ~(np.isnan(old) | np.isnan(new))
    if not both.any():
        return Gain(float("nan"), float("nan"), 0)
    saved = old[both] - new[both]
    return Gain(float(saved.mean()), float((saved / old[both]).mean()), int(both.sum()))


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)


def _sorted(distribution: ArrayLike) -> Floats:
    costs = np.sort(_floats(distribution))
    if not len(costs) or np.isnan(costs[-1]):
        raise ValueError("a distribution has at least one figure and no NaN")
    return costs
