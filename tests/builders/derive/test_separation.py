"""Which of two programs is costlier.

Beyond the noise, by the ratio, in the right direction, never where unknown.
"""

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
    return ObjectiveCosts(*(np.array(each, dtype=float) for each in (value, noise, shown or value)))


def test_lesson_21_costlier_is_the_one_that_costs_more() -> None:
    matrix = costlier(costs([100, 50], [1, 1]), STRICT)
    assert matrix.tolist() == [[False, True], [False, False]]


@pytest.mark.parametrize(("gap", "apart"), [(5.0, False), (5.1, True)])
def test_the_gap_is_more_than_the_noise_of_both(gap: float, apart: bool) -> None:
    """Noises of 3 and 4 add up to 5."""
    assert costlier(costs([100 + gap, 100], [3, 4]), STRICT)[0, 1] == apart
    assert not costlier(costs([100 + gap, 100], [3, 4]), DeriveOptions(min_ratio=1, noise=2))[0, 1]


@pytest.mark.parametrize(("dear", "apart"), [(109.9, False), (110.1, True)])
def test_the_ratio_counts_too(dear: float, apart: bool) -> None:
    assert costlier(costs([dear, 100], [0, 0]), DeriveOptions(min_ratio=1.1))[0, 1] == apart


def test_what_the_prompt_shows_must_not_say_the_opposite() -> None:
    assert not costlier(costs([2.0, 1.0], [0, 0], shown=[10.0, 11.0]), STRICT).any()


def test_what_is_not_known_is_not_compared() -> None:
    nan = float("nan")
    assert not costlier(costs([nan, 1.0], [0, 0]), STRICT).any()
    assert not costlier(costs([2.0, 1.0], [nan, 0]), STRICT).any()


@given(st.lists(st.tuples(st.floats(1, 100), st.floats(0, 20)), min_size=1, max_size=8))
def test_nobody_is_costlier_than_itself_and_never_both_ways(
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


# ------------------------------------------------------------------ what noise is


def test_time_is_what_the_release_ranks_by() -> None:
    told = figures(
        time=[10, 20],
        wall_ns=[1e7, 2e7],
        wall_se=[0.1, 0.2],
        relative_time=[3, 4],
        relative_se=[0.01, 0.5],
    )
    absolute = costs_of(told, "time", "absolute", STRICT)
    assert absolute.value.tolist() == [1e7, 2e7]
    assert absolute.noise == pytest.approx([1.96e6, 7.84e6], rel=1e-4)
    relative = costs_of(told, "time", "relative", STRICT)
    assert relative.value.tolist() == [3, 4]
    assert relative.noise == pytest.approx([0.0588, 3.92], rel=1e-4)
    assert relative.shown.tolist() == [10, 20]
    counted = figures(time=[10, 20], instructions=[1e6, 2e6], instructions_se=[0, 0.001])
    by_count = costs_of(counted, "time", "instructions", STRICT)
    assert by_count.value.tolist() == [1e6, 2e6]
    assert by_count.noise == pytest.approx([588, 3920], rel=1e-3), (
        "of spelling, where counts do not vary"
    )


def test_an_earlier_release_has_spreads_from_which_standard_errors_follow() -> None:
    told = figures(time=[10], wall_ns=[1e7], wall_spread=[0.1693], repeats=[3])
    assert costs_of(told, "time", "absolute", STRICT).noise == pytest.approx(
        [1.96 * 1e6 / 3**0.5], rel=1e-3
    )


def test_an_integral_has_its_standard_error_and_its_sampling_error() -> None:
    told = figures(
        integral=[1], integral_byte_ns=[100], integral_se=[0.03 / 1.96], integral_error_byte_ns=[4]
    )
    assert costs_of(told, "integral", "absolute", STRICT).noise == pytest.approx([5.0], rel=1e-4)


def test_memory_has_the_noise_that_was_said() -> None:
    told = figures(memory=[1], peak_bytes=[1 << 20])
    assert costs_of(
        told, "memory", "absolute", DeriveOptions(memory_noise_kib=64)
    ).noise.tolist() == [64 * 1024]


def test_what_was_measured_once_has_no_noise_unless_it_is_assumed() -> None:
    told = figures(time=[10], wall_ns=[1e7])
    once = costs_of(told, "time", "absolute", STRICT)
    assert (once.measured.tolist(), once.comparable.tolist()) == ([True], [False])
    assumed = costs_of(told, "time", "absolute", DeriveOptions(assume_spread=0.25))
    assert (assumed.comparable.tolist(), assumed.noise.tolist()) == ([True], [2.5e6])
