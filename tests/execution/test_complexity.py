"""The growth of costs with the size of an input."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from venus_toolkit.execution.measuring.complexity import (
    Complexity,
    Growth,
    best_of,
    complexity,
    no_worse,
)

DOUBLED = [1000 * 2**k for k in range(7)]


@pytest.mark.parametrize(
    ("growth", "exponent", "cost"),
    [
        (Growth.CONSTANT, 0.0, lambda n: 0.0),
        (Growth.CONSTANT, 0.0, lambda n: 300 * math.log(n)),
        (Growth.LINEAR, 1.0, lambda n: 12 * n),
        (Growth.LINEAR, 1.1, lambda n: 40 * n + 3 * n * math.log2(n)),
        (Growth.LINEAR, 1.1, lambda n: 3 * n * math.log2(n)),
        (Growth.BETWEEN, 0.5, lambda n: 3000 * n**0.5),
        (Growth.BETWEEN, 1.5, lambda n: 40 * n + 2 * n**1.5),
        (Growth.QUADRATIC, 2.0, lambda n: 40 * n + n * n / 2),
        (Growth.QUADRATIC, 2.1, lambda n: n * n * math.log2(n)),
        (Growth.CUBIC, 3.0, lambda n: 40 * n + n**3 / 100),
    ],
)  # fmt: skip
@pytest.mark.parametrize("start", [0.0, 2e6])
def test_the_class_of_a_growth(
    growth: Growth, exponent: float, cost: Callable[[float], float], start: float
) -> None:
    result = complexity(DOUBLED, [start + cost(n) for n in DOUBLED])
    assert result is not None
    if start or exponent or growth is not Growth.CONSTANT:
        assert result.growth is growth
        assert abs(result.exponent - exponent) < 0.2


def test_exponential_growth() -> None:
    sizes = [10, 12, 14, 16, 18, 20, 22]
    result = complexity(sizes, [1e6 + 50 * 2**n + 1000 * n for n in sizes])
    assert result is not None
    assert result.growth is Growth.EXPONENTIAL
    assert abs(result.exponent - math.log(2)) < 0.05


@pytest.mark.parametrize(("growth", "power"), [(Growth.LINEAR, 1), (Growth.QUADRATIC, 2)])
def test_interval_covers_the_exponent(growth: Growth, power: float) -> None:
    draw, held = random.Random(power), 0
    for _ in range(200):
        costs = [1e6 + 30 * n**power * draw.lognormvariate(0, 0.02) for n in DOUBLED]
        result = complexity(DOUBLED, costs)
        assert result is not None
        assert result.growth is growth
        held += result.low <= power <= result.high
    assert held > 170


def test_too_few_sizes_have_no_complexity() -> None:
    assert complexity(DOUBLED[:5], [1, 2, 3, 4, 5]) is None


@pytest.mark.parametrize(("sizes", "costs"), [([2, 1], [1, 2]), ([1, 1], [1, 2]), ([1, 2], [1])])
def test_sizes_must_ascend(sizes: list[int], costs: list[float]) -> None:
    with pytest.raises(ValueError, match="ascending"):
        complexity(sizes, costs)


def test_falling_costs_are_constant() -> None:
    result = complexity(DOUBLED, [9, 8, 7, 6, 5, 4, 3])
    assert result is not None
    assert result.growth is Growth.CONSTANT


@pytest.mark.parametrize(
    ("mine", "other", "expected"),
    [
        # n log n
        (
            Complexity(Growth.LINEAR, 1.1, 1.08, 1.12),
            Complexity(Growth.LINEAR, 1.0, 0.99, 1.01),
            True,
        ),
        (
            Complexity(Growth.QUADRATIC, 2.0, 1.9, 2.1),
            Complexity(Growth.LINEAR, 1.0, 0.9, 1.1),
            False,
        ),
        (
            Complexity(Growth.LINEAR, 1.0, 0.9, 1.1),
            Complexity(Growth.QUADRATIC, 2.0, 1.9, 2.1),
            True,
        ),
        (Complexity(Growth.BETWEEN, 1.5, 1.2, 1.8), Complexity(Growth.LINEAR, 1.2, 1.1, 1.3), True),
        (
            Complexity(Growth.BETWEEN, 1.6, 1.5, 1.7),
            Complexity(Growth.BETWEEN, 1.4, 1.3, 1.45),
            False,
        ),
        (
            Complexity(Growth.EXPONENTIAL, 0.1, 0.1, 0.1),
            Complexity(Growth.CUBIC, 3.0, 3.0, 3.0),
            False,
        ),
        (
            Complexity(Growth.CUBIC, 3.0, 3.0, 3.0),
            Complexity(Growth.EXPONENTIAL, 0.1, 0.1, 0.1),
            True,
        ),
    ],
)
def test_no_worse(mine: Complexity, other: Complexity, expected: bool) -> None:
    assert no_worse(mine, other) == expected


def test_the_best_growth() -> None:
    slow, fast = (
        Complexity(Growth.EXPONENTIAL, 0.1, 0.1, 0.1),
        Complexity(Growth.CUBIC, 3.0, 3.0, 3.0),
    )
    assert best_of([slow, fast]) is fast
    assert best_of([]) is None
