"""Metrics of a model, as functions on arrays: no files, no clocks, no state.

Ranks and places among human solutions come from venus_toolkit.execution.measuring.ranking; this
module aggregates them.

Lower is better for every figure. The figure of a failed program is NaN, so a failure is never
mistaken for a fast program. This module alone decides what a failure is worth: a percentile rank of
0. An unanswered sample is not a failure: its rank is NaN, and it is left out.

Shares, ranks and rates are fractions of 1. The formulas are those of the Afterburner paper (section
4, "Metrics"), except `mercury_beyond`, which is Mercury's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venus_toolkit.execution.measuring.ranking import Place

Floats = NDArray[np.float64]

K = (1, 5, 10, 16, 100)  # the values of k in pass@k and similar metrics


class Places(NamedTuple):
    """B, M, W and F: shares of programs better than, among or worse than the humans, and failed."""

    better: float
    middle: float
    worse: float
    failed: float


def mercury_beyond(figures: ArrayLike, distribution: ArrayLike) -> Floats:
    """Return the position of each figure between the slowest (0) and fastest (1) human solution.

    Mercury's Beyond is the mean of these over tasks and samples (Mercury, section 3.2). The figure
    is clipped to the range of the distribution and scaled, so unlike a percentile rank it depends
    on distances.

    >>> mercury_beyond([1, 4, 8, 99, float("nan")], [2, 4, 10]).tolist()
    [1.0, 0.75, 0.25, 0.0, 0.0]

    If all humans are equal, the range is empty, and programs at least as fast get 1.

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


def place_shares(places: Sequence[Place]) -> Places:
    """Return the share of each place; the shares add up to 1.

    >>> place_shares([Place.BETTER, Place.MIDDLE, Place.MIDDLE, Place.FAILED])
    Places(better=0.25, middle=0.5, worse=0.0, failed=0.25)

    Raises:
        ValueError: `places` is empty.
    """
    if not places:
        raise ValueError("no program has a place")
    return Places(*(places.count(place) / len(places) for place in Place))


def ratios_to_best(figures: ArrayLike, distribution: ArrayLike) -> Floats:
    """Return the cost of the best human solution divided by each figure, not clipped.

    The ratio of a failure is NaN.

    >>> ratios_to_best([1, 4], [2, 3]).tolist()
    [2.0, 0.5]

    Raises:
        ValueError: The distribution is empty or has NaN.
    """
    ratios: Floats = _sorted(distribution)[0] / _floats(figures)
    return ratios


def geometric_mean(ratios: ArrayLike) -> float:
    """Return the geometric mean of the ratios that are not NaN.

    Twice as fast and half as fast average to equally fast.

    >>> geometric_mean([2.0, 0.5, float("nan")])
    1.0
    """
    values = _floats(ratios)
    values = values[~np.isnan(values)]
    return float(np.exp(np.mean(np.log(values)))) if len(values) else float("nan")


def over_tasks(values: ArrayLike) -> float:
    """Return the mean over tasks of the mean over each task's samples.

    Of passes this is Pass@1; of percentile ranks it is Beyond-T, -M or -I.

    >>> over_tasks([[1, 1], [1, 0], [0, float("nan")]])
    0.5

    The third task has a failed sample and an unanswered one.

    Args:
        values: tasks x samples: 1 or 0, or a rank (0 for a failure); NaN if a sample is missing.

    Returns:
        The mean over the tasks that have a sample; NaN if there is none.
    """
    means = task_means(values)
    return float(np.mean(means)) if len(means) else float("nan")


def task_means(values: ArrayLike) -> Floats:
    """Return the mean of each row, ignoring NaN; rows of NaN only are left out."""
    array = _floats(values)
    # Not -1: numpy cannot infer a length in an array without tasks.
    array = array.reshape(len(array), math.prod(array.shape[1:]))
    means: Floats = np.nanmean(array[~np.isnan(array).all(axis=1)], axis=1)
    return means


def pass_at_k(samples: ArrayLike, passed: ArrayLike, k: int) -> Floats:
    """Return the probability for each task that one of k of its n samples passes.

    1 - C(n - c, k) / C(n, k).

    >>> [round(value, 4) for value in pass_at_k([4, 4, 4], [0, 1, 3], 2).tolist()]
    [0.0, 0.5, 1.0]

    If one of four passes, 3 of the 6 pairs contain it. The estimator is unbiased (HumanEval,
    section 2.1).

    Args:
        samples: n, the number of samples of each task; at least k.
        passed: c, the number of them that pass.
        k: The number of samples drawn.

    Raises:
        ValueError: k is not between 1 and the smallest n.
    """
    n, c = np.atleast_1d(_floats(samples)), np.atleast_1d(_floats(passed))
    if not 1 <= k <= n.min(initial=np.inf):
        raise ValueError(f"pass@{k} needs at least {k} samples of each task")
    # A product of ratios, as in the HumanEval paper: the binomials themselves overflow floats.
    drawn = np.arange(k)
    none_passes = np.maximum(n[:, None] - c[:, None] - drawn, 0) / (n[:, None] - drawn)
    chances: Floats = 1 - none_passes.prod(axis=1)
    return chances


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)


def _sorted(distribution: ArrayLike) -> Floats:
    costs = np.sort(_floats(distribution))
    # NaN sorts last, so the last cost shows whether there is any.
    if not len(costs) or np.isnan(costs[-1]):
        raise ValueError("a distribution has at least one figure and no NaN")
    return costs
