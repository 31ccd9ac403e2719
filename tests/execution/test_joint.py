"""Joint costs of simulated programs with known costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tests.sessions import MACHINES, session, tau
from venus_toolkit.core.records import REPEATS_DISAGREE, Measurement
from venus_toolkit.execution.measuring.estimator import Floats, estimate
from venus_toolkit.execution.measuring.joint import FEWEST_FOR_LINE, fit_line, join
from venus_toolkit.execution.measuring.ranking import COUNT_NOISE, Costs, costlier, costs_of

STEP = 1.03 ** np.arange(30)
SEEDS = 6


def program(time: float, count: float | None, se: float | None = 0.02) -> Measurement:
    return Measurement(
        relative_time=time, relative_se=se, cpu_ns=round(time * 1e8), cpu_se=se, repeats=3,
        instructions=None if count is None else round(count * 1e8), instructions_se=0.0,
    )  # fmt: skip


def programs(
    true: Floats, error: float, off: float, seed: int, misses: float = 0.0
) -> list[Measurement]:
    """Return programs with relative errors in their times (`error`) and counts (`off`).

    A share `misses` of them take 1.5 to 3.3 times as long as expected from their count.
    """
    rng = np.random.default_rng(seed)
    count = true * np.exp(off * rng.normal(size=len(true)))
    hidden = rng.uniform(size=len(true)) < misses
    count = np.where(hidden, count * np.exp(-rng.uniform(0.4, 1.2, len(true))), count)
    time = true * np.exp(error * rng.normal(size=len(true)))
    return [program(*figures, se=error) for figures in zip(time, count, strict=True)]


def column(measurements: Sequence[Measurement], name: str) -> Floats:
    return np.array([getattr(measurement, name) for measurement in measurements], dtype=np.float64)


@pytest.mark.parametrize("misses", [0.0, 0.1])
@pytest.mark.parametrize("off", [0.0, 0.01, 0.03, 0.1, 0.4])
@pytest.mark.parametrize("error", [0.005, 0.02, 0.065, 0.1])
def test_joint_order_is_at_least_as_good(error: float, off: float, misses: float) -> None:
    """Compares the mean of Kendall's tau over sessions of 30 programs 3 % apart.

    Between 85 and 100 % of the 95 % intervals cover the true difference; the coverage is lowest if
    time and count have similar errors.
    """
    first, second = np.triu_indices(len(STEP), 1)
    orders, held = [], []
    for seed in range(SEEDS):
        joined = join(programs(STEP, error, off, seed, misses))
        figures = [column(joined, name) for name in ("joint_time", "relative_time", "instructions")]
        orders.append([tau(values) for values in figures])
        wrong, se = np.log(figures[0] / STEP), column(joined, "joint_se")
        widths = 1.96 * np.hypot(se[first], se[second])
        held.append(np.mean(abs(wrong[first] - wrong[second]) <= widths))
    joint, time, count = np.mean(orders, axis=0)
    assert joint >= max(time, count) - 0.02
    assert np.mean(held) >= 0.85


@pytest.mark.parametrize("off", [0.0, 0.3])
@pytest.mark.parametrize("machine", ["quiet", "strong drift", "neighbours"])
def test_order_in_measured_sessions(machine: str, off: float) -> None:
    """The same comparison, with times and errors from the model of a session."""
    orders = []
    for seed in range(3):
        time = estimate(session(STEP, 3, 5, MACHINES[machine], seed))
        count = STEP * np.exp(off * np.random.default_rng(seed).normal(size=len(STEP)))
        rows = zip(time.relative.tolist(), count.tolist(), time.se.tolist(), strict=True)
        joined = join([program(*row) for row in rows])
        orders.append([tau(column(joined, "joint_time")), tau(time.cost), tau(count)])
    joint, *parts = np.mean(orders, axis=0)
    assert joint >= max(parts) - 0.02


def test_exact_counts_order_noisy_times() -> None:
    joined = join(programs(STEP, 0.065, 0.0, seed=1))
    assert tau(column(joined, "relative_time")) < 0.9
    assert tau(column(joined, "joint_time")) > 0.99


def test_steady_times_are_kept() -> None:
    simulated = programs(STEP, 0.001, 0.3, seed=2)
    joined = join(simulated)
    assert column(joined, "joint_time") == pytest.approx(
        column(simulated, "relative_time"), rel=1e-3
    )
    assert column(joined, "joint_se") == pytest.approx(0.001, rel=0.05)


def test_a_program_whose_cost_is_cache_misses_keeps_its_time() -> None:
    """Its count suggests half its cost, which does not contradict its rivals."""
    simulated = [*programs(STEP, 0.02, 0.0, seed=3), program(4.0, 2.0)]
    last = join(simulated)[-1]
    assert last.joint_time == pytest.approx(4.0, rel=0.02)


def test_contradicted_count_is_ignored() -> None:
    honest = programs(STEP, 0.02, 0.01, seed=4)
    forged = replace(honest[15], instructions=round(STEP[15] * 1e6))
    joined = join([*honest[:15], forged, *honest[16:]])
    assert joined[15].joint_time == forged.relative_time
    assert joined[15].joint_se == pytest.approx(0.02)
    without = join([*honest[:15], replace(honest[15], instructions=None), *honest[16:]])
    assert [measurement.joint_time for measurement in joined] == [
        measurement.joint_time for measurement in without
    ]


def test_other_programs_do_not_move_the_line() -> None:
    humans = programs(STEP, 0.05, 0.02, seed=5)
    honest, forged = program(2.0, 2.0, 0.05), program(2.0, 0.1, 0.05)
    alone = join(humans)
    *same, first, second = join(humans, [honest, forged])
    assert same == alone
    assert first.joint_se is not None
    assert first.joint_se < 0.04
    assert (second.joint_time, second.joint_se) == pytest.approx((2.0, 0.05))
    # The added programs do not affect each other either.
    assert join(humans, [honest])[-1] == first


def test_extrapolated_error_is_that_of_the_time() -> None:
    humans = programs(1 + 0.001 * np.arange(8), 0.05, 0.0, seed=6)
    last = join(humans, [program(50.0, 60.0, 0.05)])[-1]
    assert last.joint_time == pytest.approx(50.0, rel=0.1)
    assert last.joint_se == pytest.approx(0.05, rel=0.2)


def test_error_is_between_count_and_time() -> None:
    joined = join(programs(np.ones(40), 0.05, 0.0, seed=7))
    assert (column(joined, "joint_se") <= 0.05).all()
    steady = join([replace(measurement, relative_se=1e-4) for measurement in joined])
    assert column(steady, "joint_se") == pytest.approx(1e-4)
    exact = column(join(programs(1.5 ** np.arange(40), 0.001, 0.0, seed=8)), "joint_se")
    assert (exact > 0.999 * COUNT_NOISE).all()


def test_copies_of_one_program_are_ties() -> None:
    """A/A test: programs with equal counts are rarely apart."""
    apart = []
    for seed in range(SEEDS):
        costs = costs_of(join(programs(np.ones(20), 0.05, 0.0, seed)), "joint_time")
        apart.append(costlier(costs, costs).sum() / 190)
    assert np.mean(apart) <= 0.05


def test_a_program_without_a_count_keeps_its_time() -> None:
    simulated = [*programs(STEP, 0.05, 0.0, seed=9), program(1.7, None, 0.05)]
    last = join(simulated)[-1]
    assert (last.joint_time, last.joint_se) == pytest.approx((1.7, 0.05))


def test_too_few_programs_keep_their_times() -> None:
    few = programs(STEP[: FEWEST_FOR_LINE - 1], 0.05, 0.0, seed=10)
    assert [measurement.joint_time for measurement in join(few)] == [
        measurement.relative_time for measurement in few
    ]
    enough = programs(STEP[:FEWEST_FOR_LINE], 0.05, 0.0, seed=10)
    assert [measurement.joint_time for measurement in join(enough)] != [
        measurement.relative_time for measurement in enough
    ]


def test_single_repeats_and_flagged_programs() -> None:
    once = [
        replace(measurement, relative_se=None) for measurement in programs(STEP, 0.05, 0.0, seed=11)
    ]
    joined = join(once)
    assert [measurement.joint_time for measurement in joined] == [
        measurement.relative_time for measurement in once
    ]
    assert {measurement.joint_se for measurement in joined} == {None}
    flagged = replace(once[0], noise=(REPEATS_DISAGREE,))
    assert join([flagged])[0].joint_time is None
    assert join([]) == []


def test_line_has_the_true_slope() -> None:
    rng = np.random.default_rng(12)
    counts = np.exp(rng.uniform(10, 14, 40))
    fit = partial(fit_line, Costs(counts**0.8, 0.01 * counts**0.8))
    line = fit(counts)
    assert line.weights @ line.terms[:, 1] == pytest.approx(0.8, abs=0.01)
