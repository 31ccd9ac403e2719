"""The costlier of two programs: noise, ratio, direction, unknown costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venus_toolkit.builders.derive.derive_options import DeriveOptions
from venus_toolkit.builders.derive.separation import FIGURES, ObjectiveCosts, costlier, costs_of

STRICT = DeriveOptions(min_ratio=1.0)


def figures(**columns: list[float]) -> dict[str, Any]:
    count = len(next(iter(columns.values())))
    return {name: np.array(columns.get(name, [np.nan] * count), dtype=float) for name in FIGURES}


def costs(
    value: list[float], noise: list[float], shown: list[float] | None = None
) -> ObjectiveCosts:
    return ObjectiveCosts(
        *(np.array(column, dtype=float) for column in (value, noise, shown or value))
    )


def test_lesson_21_direction_of_costlier() -> None:
    matrix = costlier(costs([100, 50], [1, 1]), STRICT)
    assert matrix.tolist() == [[False, True], [False, False]]


@pytest.mark.parametrize(("gap", "apart"), [(5.0, False), (5.1, True)])
def test_gap_must_exceed_combined_noise(gap: float, apart: bool) -> None:
    """Noises of 3 and 4 combine to 5, the root of the sum of squares."""
    assert costlier(costs([100 + gap, 100], [3, 4]), STRICT)[0, 1] == apart
    assert not costlier(costs([100 + gap, 100], [3, 4]), DeriveOptions(min_ratio=1, noise=2))[0, 1]


@pytest.mark.parametrize(("costly", "apart"), [(109.9, False), (110.1, True)])
def test_min_ratio(costly: float, apart: bool) -> None:
    assert costlier(costs([costly, 100], [0, 0]), DeriveOptions(min_ratio=1.1))[0, 1] == apart


def test_shown_figures_must_agree() -> None:
    assert not costlier(costs([2.0, 1.0], [0, 0], shown=[10.0, 11.0]), STRICT).any()


def test_unknown_costs_are_not_compared() -> None:
    nan = float("nan")
    assert not costlier(costs([nan, 1.0], [0, 0]), STRICT).any()
    assert not costlier(costs([2.0, 1.0], [nan, 0]), STRICT).any()


@given(st.lists(st.tuples(st.floats(1, 100), st.floats(0, 20)), min_size=1, max_size=8))
def test_costlier_is_asymmetric(
    drawn: list[tuple[float, float]],
) -> None:
    matrix = costlier(
        costs([value for value, _ in drawn], [noise for _, noise in drawn]), DeriveOptions()
    )
    assert not matrix.diagonal().any()
    assert not (matrix & matrix.T).any()
    through = (matrix.astype(int) @ matrix.astype(int)) > 0
    assert not (through & ~matrix).any(), (
        "costlier than the middle one, and that costlier than the last: so is the first"
    )


# ------------------------------------------------------------------ noise


def test_time_is_the_ranking_figure() -> None:
    cost_figures = figures(
        time=[10, 20],
        wall_ns=[1e7, 2e7],
        wall_se=[0.1, 0.2],
        relative_time=[3, 4],
        relative_se=[0.01, 0.5],
    )
    absolute = costs_of(cost_figures, "time", "absolute", STRICT)
    assert absolute.value.tolist() == [1e7, 2e7]
    assert absolute.noise == pytest.approx([1.96e6, 7.84e6], rel=1e-4)
    relative = costs_of(cost_figures, "time", "relative", STRICT)
    assert relative.value.tolist() == [3, 4]
    assert relative.noise == pytest.approx([0.0588, 3.92], rel=1e-4)
    assert relative.shown.tolist() == [10, 20]
    counted = figures(time=[10, 20], instructions=[1e6, 2e6], instructions_se=[0, 0.001])
    by_count = costs_of(counted, "time", "instructions", STRICT)
    assert by_count.value.tolist() == [1e6, 2e6]
    assert by_count.noise == pytest.approx([588, 3920], rel=1e-3), (
        "of spelling, where counts do not vary"
    )


def test_old_release_standard_errors_from_spreads() -> None:
    cost_figures = figures(time=[10], wall_ns=[1e7], wall_spread=[0.1693], repeats=[3])
    assert costs_of(cost_figures, "time", "absolute", STRICT).noise == pytest.approx(
        [1.96 * 1e6 / 3**0.5], rel=1e-3
    )


def test_integral_noise_combines_both_errors() -> None:
    cost_figures = figures(
        integral=[1], integral_byte_ns=[100], integral_se=[0.03 / 1.96], integral_error_byte_ns=[4]
    )
    assert costs_of(cost_figures, "integral", "absolute", STRICT).noise == pytest.approx(
        [5.0], rel=1e-4
    )


def test_memory_noise_option() -> None:
    cost_figures = figures(memory=[1], peak_bytes=[1 << 20])
    assert costs_of(
        cost_figures, "memory", "absolute", DeriveOptions(memory_noise_kib=64)
    ).noise.tolist() == [64 * 1024]


def test_single_measurement_needs_assumed_spread() -> None:
    cost_figures = figures(time=[10], wall_ns=[1e7])
    once = costs_of(cost_figures, "time", "absolute", STRICT)
    assert (once.measured.tolist(), once.comparable.tolist()) == ([True], [False])
    assumed = costs_of(cost_figures, "time", "absolute", DeriveOptions(assume_spread=0.25))
    assert (assumed.comparable.tolist(), assumed.noise.tolist()) == ([True], [2.5e6])
