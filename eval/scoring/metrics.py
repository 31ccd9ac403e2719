"""What an evaluation says of a model, as functions on arrays: no files, no clocks, no state.

Ranks and places among human solutions are decided in venus_toolkit.execution.measuring.ranking;
here is what is made of them.

Lower is better for every figure. A figure is NaN where a program failed, so a failure can never be
mistaken for a fast program; what a failure is worth is decided here and nowhere else: a percentile
rank of 0. A sample that was never answered is not a failure: arrays of ranks have NaN there, and it
is left out.

Shares, ranks and rates are fractions of 1. The formulas are those of the Afterburner paper (section
4, "Metrics") but for `mercury_beyond`, which is Mercury's own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venus_toolkit.execution.measuring.ranking import Place

Floats = NDArray[np.float64]

K = (1, 5, 10, 16, 100)  # of pass@k, and of what is like it


class Places(NamedTuple):
    """B, M, W and F: which shares of the programs are better than all humans, among them, worse than all, failed."""

    better: float
    middle: float
    worse: float
    failed: float


def mercury_beyond(figures: ArrayLike, distribution: ArrayLike) -> Floats:
    """Return for each figure where it lies between the slowest (0) and the fastest (1) human solution.

    Mercury's Beyond is the mean of these over tasks and samples (Mercury, section 3.2): the figure
    is clipped to the range of the distribution and scaled, so distances count, unlike in a
    percentile rank.

    >>> mercury_beyond([1, 4, 8, 99, float("nan")], [2, 4, 10]).tolist()
    [1.0, 0.75, 0.25, 0.0, 0.0]

    If all humans are equal, the range is empty, and programs that are no slower get 1.

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
    """Return the share of each place; they add up to 1.

    >>> place_shares([Place.BETTER, Place.MIDDLE, Place.MIDDLE, Place.FAILED])
    Places(better=0.25, middle=0.5, worse=0.0, failed=0.25)

    Raises:
        ValueError: There is no place.
    """
    if not places:
        raise ValueError("no program has a place")
    return Places(*(sum(one == place for one in places) / len(places) for place in Place))


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
    """Return the geometric mean of ratios, without NaN.

    Twice and half as fast average to as fast.

    >>> geometric_mean([2.0, 0.5, float("nan")])
    1.0
    """
    values = _floats(ratios)
    values = values[~np.isnan(values)]
    return float(np.exp(np.mean(np.log(values)))) if len(values) else float("nan")


def over_tasks(values: ArrayLike) -> float:
    """Return the mean over tasks of the mean of a task's samples.

    Pass@1, or Beyond-T, -M or -I of percentile ranks.

    >>> over_tasks([[1, 1], [1, 0], [0, float("nan")]])
    0.5

    The third task has one sample, which failed, and one that was never answered.

    Args:
        values: One row a task, one column a sample: 1 or 0, or a rank, failures being 0; NaN where
            a sample is missing.

    Returns:
        The mean; tasks without any sample are left out, and NaN is what is left of none.
    """
    means = task_means(values)
    return float(np.mean(means)) if len(means) else float("nan")


def task_means(values: ArrayLike) -> Floats:
    """Return the mean of each row without NaN; rows that have only NaN are left out."""
    array = _floats(values)
    # Not -1: numpy cannot infer a length in an array without tasks.
    array = array.reshape(len(array), math.prod(array.shape[1:]))
    means: Floats = np.nanmean(array[~np.isnan(array).all(axis=1)], axis=1)
    return means


def pass_at_k(samples: ArrayLike, passed: ArrayLike, k: int) -> Floats:
    """Return for each task the chance that one of k samples drawn from its n passes.

    1 - C(n - c, k) / C(n, k).

    >>> [round(value, 4) for value in pass_at_k([4, 4, 4], [0, 1, 3], 2).tolist()]
    [0.0, 0.5, 1.0]

    With one of four passing, 3 of the 6 pairs have it. The estimator is unbiased (HumanEval,
    section 2.1).

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
    # A product of ratios, as in the HumanEval paper: the binomials themselves get too large for
    # floats.
    drawn = np.arange(k)
    none_passes = np.maximum(n[:, None] - c[:, None] - drawn, 0) / (n[:, None] - drawn)
    chances: Floats = 1 - none_passes.prod(axis=1)
    return chances


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)


def _sorted(distribution: ArrayLike) -> Floats:
    costs = np.sort(_floats(distribution))
    # NaN is sorted to the end, so the last cost tells.
    if not len(costs) or np.isnan(costs[-1]):
        raise ValueError("a distribution has at least one figure and no NaN")
    return costs
