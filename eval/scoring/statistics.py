"""Confidence intervals of scores and tests of differences, by seeded resampling of arrays.

Values have three axes, tasks x samples x repeats (two axes are tasks x samples); missing values are
NaN. An evaluation could have drawn other tasks, so tasks are always resampled; samples and repeats
are resampled within their task.

Two models are compared by their difference on each task. The p-value comes from a permutation test:
if the models are equally good, each difference could just as well be negated, so every
combination of signs is equally likely. The test is exact for any number of tasks and any
distribution, even for ranks that pile up at 0 and 1; a bootstrap test is not, with few tasks. The
bootstrap gives the interval of the difference, which a permutation test does not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venus_toolkit.eval.scoring.metrics import Floats, over_tasks, task_means

LEVEL = 0.95
REPLICATES = 2000
PERMUTATIONS = 10_000
PROBLEMS, PAPER = INTERVALS = ("problems", "paper")  # how intervals are computed
PAPER_DRAWS = 128
PAPER_T = 1.9788195  # the 97.5 % quantile of Student's t with 127 degrees of freedom
# with fewer, intervals are too wide to tell most models apart (docs/eval.md has figures)
FEWEST_PROBLEMS = 30
AT_ONCE = 2_000_000  # largest number of resampled values in memory


class Interval(NamedTuple):
    """An estimate over a number of tasks, with its confidence interval at `level`."""

    estimate: float
    low: float
    high: float
    level: float
    tasks: int


class PairedComparison(NamedTuple):
    """Two models compared on the same tasks: the mean difference, its interval and its p-value."""

    difference: Interval
    p_value: float
    tasks: int


def bootstrap(values: ArrayLike, *, replicates: int = REPLICATES, seed: int = 0) -> Interval:
    """Return the mean over tasks with its percentile interval.

    Resamples tasks, then the samples of each, then their repeats. Two copies of one task are
    resampled independently. With one sample and one repeat, only the tasks are resampled.

    >>> bootstrap([[1.0], [1.0], [1.0]])
    Interval(estimate=1.0, low=1.0, high=1.0, level=0.95, tasks=3)

    Raises:
        ValueError: No task has a value.
    """
    array = _known(values)
    means = _replicates([array], replicates, np.random.default_rng(seed))
    return _percentile_interval(over_tasks(array), means, len(array))


def share_interval(values: ArrayLike, *, replicates: int = REPLICATES, seed: int = 0) -> Interval:
    """Return `bootstrap` of shares or ranks between 0 and 1, widened if all tasks agree.

    If all tasks agree, every resample is the same, and the bootstrap interval has no width. The
    interval is then widened for a share q of unseen tasks that differ, where q is so large that a
    sample of n tasks misses them with probability 2.5 %: (1 - q)^n = 0.025. For tasks that all
    pass, or all fail, this is the exact binomial interval (Clopper and Pearson, "The use of
    confidence or fiducial limits", Biometrika 26, 1934).

    >>> [round(float(value), 3) for value in share_interval([[1.0]])[:3]]
    [1.0, 0.025, 1.0]
    >>> [round(float(value), 3) for value in share_interval([[0.0]] * 10)[:3]]
    [0.0, 0.0, 0.308]

    Raises:
        ValueError: No task has a value.
    """
    interval = bootstrap(values, replicates=replicates, seed=seed)
    return _widened(interval, task_means(_known(values)), least=0.0)


def _widened(interval: Interval, means: Floats, least: float) -> Interval:
    """Return the interval of a mean of values from `least` to 1, widened as in `share_interval`."""
    if np.ptp(means) > 1e-12:  # more than rounding
        return interval
    seen = ((1 - LEVEL) / 2) ** (1 / interval.tasks)
    low, high = (end + (interval.estimate - end) * seen for end in (least, 1.0))
    return interval._replace(low=min(interval.low, low), high=max(interval.high, high))


def paper_interval(values: ArrayLike, *, seed: int = 0) -> Interval:
    """Return the mean and the interval as the script of the paper's authors computes them.

    Draws 4 of the measurements of each task (in the paper 64: 4 answers, 16 repeats) without
    replacement and averages them, 128 times. The estimate is the mean of these 128 averages, and
    the interval is the estimate ± t · sd / √128.

    The interval only covers the error of 128 draws: more draws make it arbitrarily narrow, and it
    ignores the choice of problems. See docs/eval.md.

    >>> [round(value, 3) for value in paper_interval([[0.0, 1.0, 1.0, 1.0, 1.0]] * 100)[:3]]
    [0.8, 0.799, 0.802]

    Raises:
        ValueError: No task has a value.
    """
    array = _known(values)
    rng, flat = np.random.default_rng(seed), array.reshape(len(array), -1)
    size, means = min(4, flat.shape[1]), np.zeros(PAPER_DRAWS)
    for draw in range(PAPER_DRAWS):
        # The smallest random keys are a sample without replacement; missing values come last.
        keys = np.where(np.isnan(flat), 2.0, rng.random(flat.shape))
        drawn = np.argpartition(keys, size - 1, axis=1)[:, :size]
        means[draw] = np.nanmean(np.take_along_axis(flat, drawn, axis=1))
    margin = PAPER_T * float(means.std(ddof=1)) / math.sqrt(PAPER_DRAWS)
    mean = float(means.mean())
    return Interval(mean, mean - margin, mean + margin, LEVEL, len(array))


def _percentile_interval(estimate: float, means: Floats, tasks: int) -> Interval:
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(estimate, float(low), float(high), LEVEL, tasks)


def _known(values: ArrayLike) -> Floats:
    """Return the values with three axes, without tasks that have no value."""
    array = _three_axes(values)
    array = array[~np.isnan(array).all(axis=(1, 2))]
    if not len(array):
        raise ValueError("no task has a value")
    return array


def _three_axes(values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    return (
        array.reshape(*array.shape, *(1,) * (3 - array.ndim))
        if array.size
        else array.reshape(len(array), 1, 0)
    )


def _replicates(values: Sequence[Floats], count: int, rng: np.random.Generator) -> Floats:
    """Return the means of `count` resampled data sets, computed in chunks that fit into memory.

    The means are those of one model, or of the first model minus the second. Two models get the
    same tasks, but independent samples and repeats.
    """
    size, tasks = sum(value.size for value in values), len(values[0])
    replicated = []
    for replicates in _chunks(count, max(1, AT_ONCE // size)):
        task = rng.integers(tasks, size=(replicates, tasks, 1, 1))
        means = [_resampled_means(value, task, rng) for value in values]
        replicated.append(means[0] - means[1] if len(means) > 1 else means[0])
    return np.concatenate(replicated)


def _resampled_means(values: Floats, task: NDArray[np.int64], rng: np.random.Generator) -> Floats:
    """Return the mean of each row of drawn tasks, resampling their samples and repeats."""
    count, tasks = task.shape[:2]
    samples, repeats = values.shape[1:]
    # A single sample or repeat needs no random number: it is always the first.
    first = np.zeros((1, 1, 1, 1), dtype=np.int64)
    sample = rng.integers(samples, size=(count, tasks, samples, 1)) if samples > 1 else first
    repeat = rng.integers(repeats, size=(count, tasks, samples, repeats)) if repeats > 1 else first
    drawn = values[task, sample, repeat]
    known = ~np.isnan(drawn)
    counts = known.sum(axis=(2, 3))
    sums = np.where(known, drawn, 0.0).sum(axis=(2, 3))
    whole = task_means(values)[task[..., 0, 0]]  # used if only missing values were drawn
    means: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), whole).mean(axis=1)
    return means


def compare(
    first: ArrayLike,
    second: ArrayLike,
    *,
    replicates: int = REPLICATES,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> PairedComparison:
    """Return the mean difference of two models over the same tasks, first minus second.

    Both have the same tasks in the same order. The interval comes from `replicates` of the
    bootstrap, the p-value from `sign_flip_p`. Values are shares and ranks between 0 and 1, so the
    difference on a task is between -1 and 1. If it is the same on all tasks, the interval is
    widened as in `share_interval`.

    >>> [round(float(value), 3) for value in compare([[1.0]], [[0.0]]).difference[:3]]
    [1.0, -0.95, 1.0]

    Raises:
        ValueError: The models have different numbers of tasks, or no task in common.
    """
    left, right = _three_axes(first), _three_axes(second)
    if len(left) != len(right):
        raise ValueError(f"the same tasks are compared, got {len(left)} and {len(right)}")
    both = ~(np.isnan(left).all(axis=(1, 2)) | np.isnan(right).all(axis=(1, 2)))
    left, right = _known(left[both]), _known(right[both])
    differences = task_means(left) - task_means(right)
    means = _replicates([left, right], replicates, np.random.default_rng(seed))
    interval = _percentile_interval(float(differences.mean()), means, len(differences))
    interval = _widened(interval, differences, least=-1.0)
    p_value = sign_flip_p(differences, permutations, seed)
    return PairedComparison(interval, p_value, len(differences))


def sign_flip_p(differences: ArrayLike, permutations: int = PERMUTATIONS, seed: int = 0) -> float:
    """Return the two-sided p-value of a mean difference, by flipping signs.

    Of the 8 sign combinations of three differences, 2 are as extreme as three equal signs:

    >>> sign_flip_p([1.0, 2.0, 3.0])
    0.25
    """
    values = np.asarray(differences, dtype=np.float64)
    values = values[values != 0]  # flipping a zero changes nothing
    if not len(values):
        return 1.0
    observed = abs(values.sum()) * (1 - 1e-12)  # sums in another order are rounded differently
    if len(values) <= 13:  # 2 ** 13 combinations are fewer than the usual number of permutations
        signs = 1 - 2.0 * ((np.arange(2 ** len(values))[:, None] >> np.arange(len(values))) & 1)
        return float(np.mean(abs(signs @ values) >= observed))
    rng = np.random.default_rng(seed)
    hits = sum(
        int((abs((1 - 2.0 * rng.integers(2, size=(size, len(values)))) @ values) >= observed).sum())
        for size in _chunks(permutations, max(1, AT_ONCE // len(values)))
    )
    # The observed signs count as one permutation; without the 1, the p-value could be 0.
    return (hits + 1) / (permutations + 1)


def binomial_tail(hits: int, trials: int, chance: float) -> float:
    """Return the probability of at least `hits` successes in `trials`, each with `chance`.

    >>> round(binomial_tail(2, 3, 0.5), 9)
    0.5
    """
    # Logarithms, because binomial coefficients of thousands of trials overflow floats.
    return math.fsum(
        math.exp(
            math.lgamma(trials + 1) - math.lgamma(hit_count + 1) - math.lgamma(trials - hit_count + 1)
            + hit_count * math.log(chance) + (trials - hit_count) * math.log1p(-chance)
        )
        for hit_count in range(hits, trials + 1)
    )  # fmt: skip


def _chunks(total: int, most: int) -> Sequence[int]:
    return [min(most, total - start) for start in range(0, total, most)]


def holm(p_values: ArrayLike) -> Floats:
    """Return p-values corrected by Holm's method, in their order.

    It bounds the probability of any false positive (family-wise error rate).

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, dtype=np.float64)
    order = values.argsort()
    corrected = np.empty_like(values)
    # From the smallest p up, so that corrected values keep the order of the p-values.
    corrected[order] = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    return np.minimum(corrected, 1.0)


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """Return p-values corrected by the method of Benjamini and Hochberg, in their order.

    It bounds the expected share of false positives among the significant results (false discovery
    rate).

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.04, 0.04]
    """
    values = np.asarray(p_values, dtype=np.float64)
    order = values.argsort()[::-1]
    corrected = np.empty_like(values)
    scaled = values[order] * len(values) / np.arange(len(values), 0, -1)
    # From the largest p down, so that corrected values keep the order of the p-values.
    corrected[order] = np.minimum.accumulate(scaled)
    return np.minimum(corrected, 1.0)


def tasks_needed(differences: ArrayLike) -> int | None:
    """Return the number of tasks needed to detect a mean difference as large as this one.

    n = ((z of the level + z of the power) * sd / mean) squared, the usual approximation for a
    paired comparison, but at least as many as the sign-flip test needs: its smallest possible p for
    n tasks is 2 / 2**n.

    >>> tasks_needed([0.5, -0.1, 0.4, 0.0, 0.3])
    11
    >>> tasks_needed([0.3, 0.3])
    6

    The level is LEVEL, and the power, the probability of detecting a real difference, is 80 %.
    Returns None if the mean difference is 0 or there are fewer than two tasks.
    """
    values = np.asarray(differences, dtype=np.float64)
    values = values[~np.isnan(values)]
    if len(values) < 2 or not values.mean():
        return None
    z = NormalDist().inv_cdf((1 + LEVEL) / 2) + NormalDist().inv_cdf(0.8)
    fewest = math.ceil(1 - math.log2(1 - LEVEL))
    return max(fewest, math.ceil((z * float(values.std(ddof=1)) / abs(float(values.mean()))) ** 2))
