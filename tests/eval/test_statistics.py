"""Intervals and tests: worked out by hand, and their guarantees checked on simulated data."""

from __future__ import annotations

import doctest
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venus_toolkit.eval.scoring import statistics
from venus_toolkit.eval.scoring.statistics import (
    benjamini_hochberg,
    bootstrap,
    compare,
    holm,
    paper_interval,
    share_interval,
    sign_flip_p,
    tasks_needed,
)

NAN = float("nan")
RNG = np.random.default_rng(7)
P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def test_the_examples_in_the_docstrings_are_true() -> None:
    assert doctest.testmod(statistics).failed == 0


# ------------------------------------------------------------------ intervals


def test_interval_of_a_mean_is_two_standard_errors_each_way() -> None:
    values = RNG.normal(0.5, 0.1, size=(400, 1))
    interval = bootstrap(values)
    assert interval.estimate == pytest.approx(values.mean())
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * 0.1 / 20, rel=0.15)


def test_lesson_27_bootstrap_resamples_problems_not_repeats() -> None:
    tasks = RNG.random((20, 1, 1))
    few, many = bootstrap(np.repeat(tasks, 2, axis=2)), bootstrap(np.repeat(tasks, 200, axis=2))
    assert many.high - many.low == pytest.approx(few.high - few.low, rel=0.1)
    more_replicates = bootstrap(tasks, replicates=20_000)
    assert more_replicates.high - more_replicates.low > 0.5 * (few.high - few.low)


def test_noise_within_a_task_widens_the_interval() -> None:
    steady, noisy = np.full((30, 1, 3), 0.5), RNG.random((30, 1, 3))
    assert bootstrap(steady).high == bootstrap(steady).low == 0.5
    assert bootstrap(noisy).high > bootstrap(noisy).low


def test_intervals_have_their_nominal_coverage() -> None:
    rng = np.random.default_rng(3)
    hits = 0
    for seed in range(200):
        truth = rng.beta(2, 1, size=(40, 1, 1))
        interval = bootstrap(truth + rng.normal(0, 0.1, size=(40, 1, 3)), replicates=300, seed=seed)
        hits += interval.low <= 2 / 3 <= interval.high
    assert 180 <= hits <= 200


def test_the_same_seed_gives_the_same_interval() -> None:
    values = RNG.random((10, 2, 3))
    assert bootstrap(values, seed=4) == bootstrap(values, seed=4)
    assert bootstrap(values, seed=4) != bootstrap(values, seed=5)


def test_missing_figures_are_omitted() -> None:
    whole = bootstrap([[1.0, NAN], [NAN, NAN], [0.0, 0.0]])
    assert (whole.estimate, whole.tasks) == (0.5, 2)
    with pytest.raises(ValueError, match="no task"):
        bootstrap([[NAN], [NAN]])
    with pytest.raises(ValueError, match="no task"):
        bootstrap([])


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    values = RNG.random((11, 2, 2))
    monkeypatch.setattr(statistics, "AT_ONCE", 100)
    assert bootstrap(values, replicates=50).tasks == 11


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        ([[1.0]], 0.025, 1.0), ([[0.0]], 0.0, 0.975), ([[1.0, 1.0]], 0.025, 1.0),
        # R: binom.test(10, 10)$conf.int is 0.6915029 and 1, binom.test(0, 30) is 0 and 0.1157033.
        ([[1.0]] * 10, 0.6915029, 1.0), ([[0.0]] * 30, 0.0, 0.1157033),
        ([[0.5, 0.5]] * 2, 0.0790569, 0.9209431),
    ],
)  # fmt: skip
def test_unanimous_tasks_leave_uncertainty(
    values: list[list[float]], low: float, high: float
) -> None:
    interval = share_interval(values)
    assert (interval.low, interval.high) == (
        pytest.approx(low, abs=1e-6),
        pytest.approx(high, abs=1e-6),
    )


def test_interval_is_wide_for_a_single_task() -> None:
    interval = share_interval([[1.0, 0.0]])
    assert (interval.low, interval.high) == (0.0, 1.0)


def test_differing_tasks_use_the_bootstrap() -> None:
    values = RNG.random((12, 2, 3))
    assert share_interval(values, seed=3) == bootstrap(values, seed=3)


# ------------------------------------------------------------------ comparisons


def test_few_tasks_get_an_exact_sign_flip_test() -> None:
    assert sign_flip_p([1.0, 1.0, 1.0, 1.0, 1.0]) == 2 / 32
    assert sign_flip_p([1.0, -1.0]) == 1.0
    assert sign_flip_p([3.0, -1.0]) == 1.0
    assert sign_flip_p([]) == sign_flip_p([0.0, 0.0]) == 1.0


def test_large_difference_is_significant_and_none_is_not() -> None:
    first = RNG.random((60, 1, 3))
    assert compare(first + 0.2, first).p_value < 0.001
    assert compare(first, first).p_value == 1.0
    comparison = compare(first + 0.2, first)
    assert comparison.difference.estimate == pytest.approx(0.2)
    assert 0.1 < comparison.difference.low < 0.2 < comparison.difference.high < 0.3


def test_false_alarms_have_their_nominal_rate() -> None:
    rng = np.random.default_rng(11)
    alarms = sum(
        sign_flip_p(rng.integers(0, 5, 30) / 4 - rng.integers(0, 5, 30) / 4, 500, seed) < 0.05
        for seed in range(400)
    )
    assert alarms <= 36, "20 are expected at 5 %, and 36 occur once in thousands of runs"


def test_only_tasks_that_both_have_are_compared() -> None:
    comparison = compare([[0.5], [NAN], [1.0]], [[0.0], [1.0], [0.5]])
    assert (comparison.tasks, comparison.difference.estimate) == (2, 0.5)
    with pytest.raises(ValueError, match="same tasks"):
        compare([[1.0]], [[1.0], [0.0]])
    with pytest.raises(ValueError, match="no task"):
        compare([[NAN]], [[1.0]])


@pytest.mark.parametrize("samples", [1, 8])
def test_difference_is_open_for_a_single_problem(samples: int) -> None:
    difference = compare([[1.0] * samples], [[0.0] * samples]).difference
    assert (difference.estimate, difference.high) == (1.0, 1.0)
    assert difference.low == pytest.approx(-0.95)
    same = compare([[0.5] * samples], [[0.5] * samples]).difference
    assert (same.low, same.high) == pytest.approx((-0.975, 0.975))


def test_interval_stays_wide_for_unanimous_problems() -> None:
    widths = [np.ptp(compare([[0.75]] * n, [[0.25]] * n).difference[1:3]) for n in (1, 5, 30, 1000)]
    assert sorted(widths, reverse=True) == widths
    assert widths[-1] < 0.01
    assert np.ptp(compare([[0.75]] * 9, [[0.2], *[[0.25]] * 8]).difference[1:3]) < 0.02, (
        "where problems differ, the bootstrap decides"
    )


@given(P_VALUES)
def test_corrections_only_raise_and_keep_the_order(p_values: list[float]) -> None:
    order = np.argsort(p_values)
    for corrected in (holm(p_values), benjamini_hochberg(p_values)):
        assert (corrected >= np.array(p_values) - 1e-12).all()
        assert (corrected <= 1).all()
        assert (np.diff(corrected[order]) >= 0).all()
    assert (benjamini_hochberg(p_values) <= holm(p_values) + 1e-12).all()
    assert holm(p_values).min() == pytest.approx(min(1.0, min(p_values) * len(p_values)))


def test_needed_tasks_are_sufficient() -> None:
    rng = np.random.default_rng(5)
    drawn = rng.normal(size=1000)
    needed = tasks_needed(0.05 + 0.2 * (drawn - drawn.mean()) / drawn.std(ddof=1))
    assert needed == math.ceil((2.80159 * 0.2 / 0.05) ** 2) == 126
    seen = sum(
        sign_flip_p(rng.normal(0.05, 0.2, size=needed), 400, seed) < 0.05 for seed in range(100)
    )
    assert 65 <= seen <= 95
    assert tasks_needed([0.1]) is None
    assert tasks_needed([0.1, -0.1]) is None


def authors_interval(values: np.ndarray, seed: int) -> tuple[float, float, float]:
    """Compute the authors' interval directly, with t from scipy's tables."""
    rng = random.Random(seed)
    means = []
    for _ in range(128):
        drawn: list[float] = []
        for problem in values:
            known = [value for value in problem.ravel().tolist() if not math.isnan(value)]
            drawn += rng.sample(known, min(4, len(known)))
        means.append(sum(drawn) / len(drawn))
    mean = sum(means) / 128
    deviation = math.sqrt(sum((value - mean) ** 2 for value in means) / 127)
    margin = 1.97881953 * deviation / math.sqrt(128)
    return mean, mean - margin, mean + margin


def test_paper_intervals_agree_with_its_script() -> None:
    """The script draws 4 of 64 measurements without replacement, 128 times: mean ± t · sd / √128."""
    rng = np.random.default_rng(1)
    values = rng.random((60, 4, 16))
    interval, theirs = paper_interval(values), authors_interval(values, 1)
    # The variance of a mean of 4 of 64 without replacement, over 60 problems.
    deviation = math.sqrt(values.reshape(60, 64).var(axis=1, ddof=1).mean() / 4 * (1 - 4 / 64) / 60)
    for mean, low, high in (interval[:3], theirs):
        assert mean == pytest.approx(values.mean(), abs=4 * deviation / math.sqrt(128))
        assert mean == pytest.approx((low + high) / 2), "the estimate is the mean of the draws"
        assert (high - low) / 2 == pytest.approx(1.97882 * deviation / math.sqrt(128), rel=0.2)
    assert interval.tasks == 60
    ours = bootstrap(values)
    assert ours.high - ours.low > 3 * (interval.high - interval.low)


def test_intervals_of_the_paper_by_hand() -> None:
    # With four measurements, each draw takes all of them, so nothing varies.
    assert paper_interval([[1.0, 0.0, 1.0, 1.0], [0.0] * 4])[:3] == (0.375, 0.375, 0.375)
    # A problem with fewer measurements uses all of them, as in the script: (1 + 1 + 0 + 0 + 0 + 0) / 6.
    assert paper_interval([[1.0, NAN, NAN, 1.0], [0.0] * 4])[0] == pytest.approx(1 / 3)
    # 4 of 5 values, one of them 0: the mean of a draw is 0.75 with probability 4/5, else 1.
    interval = paper_interval([[0.0, 1.0, 1.0, 1.0, 1.0]])
    ones = round((interval.estimate - 0.75) / 0.25 * 128)
    share = ones / 128
    deviation = 0.25 * math.sqrt(share * (1 - share) * 128 / 127)
    assert interval.high - interval.estimate == pytest.approx(
        1.97881953 * deviation / math.sqrt(128)
    )
    assert 0.1 < share < 0.3
    with pytest.raises(ValueError, match="no task"):
        paper_interval([[math.nan]])


def test_more_draws_would_narrow_the_interval_of_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its width depends on the number of draws, so it is not the default."""
    values = RNG.random((30, 4, 16))
    few = paper_interval(values)
    monkeypatch.setattr(statistics, "PAPER_DRAWS", 128 * 16)
    many = paper_interval(values)
    assert many.high - many.low == pytest.approx((few.high - few.low) / 4, rel=0.25)
