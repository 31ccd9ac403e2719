"""Empirical complexity: how a program's cost grows with the size of its input.

The model is fitted to the differences between costs of neighbouring sizes, so that the fixed cost
of a run cancels. n and n log n cannot be distinguished: a logarithm is hidden by the linear cost of
reading the input.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

MIN_SIZES = 6
# A cost that grows by less than this share from the smallest to the largest size is constant.
MIN_GROWTH = 0.05
STEPS = 120  # of the golden section search
HIGHEST = 6.0  # exponent
Z = 1.96


class Growth(StrEnum):
    """A class of growth; `BETWEEN` is for exponents between two classes."""

    CONSTANT = "constant or logarithmic"
    LINEAR = "linear"  # or n log n
    QUADRATIC = "quadratic"
    CUBIC = "cubic"
    EXPONENTIAL = "exponential"
    BETWEEN = "between"


# Exponents of each class. Over the measured sizes, n log n has 1.0 to 1.15, and n^2 log n up to
# 2.15.
EXPONENTS = ((Growth.CONSTANT, -math.inf, 0.3), (Growth.LINEAR, 0.8, 1.25), (Growth.QUADRATIC, 1.75, 2.3),
             (Growth.CUBIC, 2.75, 3.35))  # fmt: skip


class Complexity(NamedTuple):
    """The growth of costs: a class, the exponent p of n^p, and its 95 % confidence interval.

    For exponential growth ``a * e^(k n)``, the exponent and its interval are those of k.
    """

    growth: Growth
    exponent: float
    low: float
    high: float


def no_worse(mine: Complexity, other: Complexity) -> bool:
    """Whether costs do not grow significantly faster than others, by their intervals."""
    if Growth.EXPONENTIAL in (mine.growth, other.growth):
        return other.growth is Growth.EXPONENTIAL
    return mine.low <= other.high or (
        mine.growth is other.growth and mine.growth is not Growth.BETWEEN
    )


def best_of(complexities: Sequence[Complexity]) -> Complexity | None:
    """Return the complexity with the slowest growth; None if there is none."""
    return min(
        complexities,
        key=lambda growth: (growth.growth is Growth.EXPONENTIAL, growth.exponent),
        default=None,
    )


class _PowerFit(NamedTuple):
    exponent: float
    error: float
    rest: float  # root of the mean squared residual, in logarithms


def complexity(sizes: Sequence[int], costs: Sequence[float]) -> Complexity | None:
    """Return how costs grow with sizes; None for fewer than `MIN_SIZES` sizes.

    Costs that fall or hardly grow are constant.

    Args:
        sizes: Positive and ascending.
        costs: In any unit, each over the same number of runs.

    Raises:
        ValueError: The sizes do not ascend, or there are not as many costs as sizes.
    """
    if (
        len(sizes) != len(costs)
        or any(a >= b for a, b in itertools.pairwise(sizes))
        or sizes[:1] == [0]
    ):
        raise ValueError("sizes have to be positive and ascending, each with a cost")
    if len(sizes) < MIN_SIZES:
        return None
    pairs = itertools.pairwise(zip(sizes, costs, strict=True))
    steps = [(m, n, after - before) for (m, before), (n, after) in pairs if after > before]
    small = costs[-1] - costs[0] <= MIN_GROWTH * abs(costs[0])
    if small or len(steps) < MIN_SIZES - 2:
        return Complexity(Growth.CONSTANT, 0.0, 0.0, 0.0)
    power = _fit(steps, lambda p, n: n**p, 0.02, HIGHEST)
    longest = steps[-1][1]
    # No measurable cost grows by more than e^50.
    exponential = _fit(steps, lambda k, n: math.exp(k * n), 0.1 / longest, 50 / longest)
    if power.exponent > EXPONENTS[-1][2] and exponential.rest < power.rest:
        return _complexity(Growth.EXPONENTIAL, exponential)
    growth = next(
        (kind for kind, low, high in EXPONENTS if low <= power.exponent < high), Growth.BETWEEN
    )
    return _complexity(growth, power)


def _complexity(growth: Growth, fit: _PowerFit) -> Complexity:
    return Complexity(
        growth, fit.exponent, fit.exponent - Z * fit.error, fit.exponent + Z * fit.error
    )


def _fit(
    steps: Sequence[tuple[int, int, float]],
    at: Callable[[float, int], float],
    least: float,
    most: float,
) -> _PowerFit:
    """Fit ``b * (at(p, n) - at(p, m))`` to steps from m to n, by weighted least squares of logs.

    The weight of a step is its rank, so that larger sizes count more.
    """
    weights = [rank + 1 for rank in range(len(steps))]

    def residuals(p: float) -> list[float]:
        logs = [math.log(step) - math.log(at(p, n) - at(p, m)) for m, n, step in steps]
        mean = math.fsum(w * value for w, value in zip(weights, logs, strict=True)) / sum(weights)
        return [value - mean for value in logs]

    def loss(p: float) -> float:
        return math.fsum(w * value * value for w, value in zip(weights, residuals(p), strict=True))

    ratio = (math.sqrt(5) - 1) / 2
    low, high = least, most
    for _ in range(STEPS):  # golden section search; the loss has one minimum
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, b) if loss(a) < loss(b) else (a, high)
    p = (low + high) / 2
    # The error of p follows from the curvature of the loss and the variance of the residuals.
    h = 1e-3 * p
    slopes = [
        (after - before) / (2 * h)
        for before, after in zip(residuals(p - h), residuals(p + h), strict=True)
    ]
    spread = math.fsum(w * value * value for w, value in zip(weights, slopes, strict=True))
    freedom = len(steps) - 2
    variance = loss(p) / sum(weights) * len(steps) / freedom
    error = math.sqrt(variance * sum(weights) / len(steps) / spread) if spread else math.inf
    return _PowerFit(p, error, math.sqrt(loss(p) / sum(weights)))
