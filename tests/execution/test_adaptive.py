"""Adaptive repeats on simulated sessions with known costs, and with real programs."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sessions import MACHINES, adaptive, session
from venus_toolkit.builders.plan import make_plan
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits, OutputComparison, TestCase
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.measuring.adaptive import MAX_ROUNDS, PILOT, unsettled
from venus_toolkit.execution.measuring.estimator import Floats, MeasuringSession, estimate
from venus_toolkit.execution.measuring.measure import measure_interleaved
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.local import LocalSandbox

SEEDS = 4


def rounds(measured: MeasuringSession) -> Floats:
    return np.isfinite(measured.costs).all(axis=2).sum(axis=1)


def order(costs: Floats, true: Floats) -> float:
    """Return Kendall's tau over the pairs with different true costs."""
    first, second = np.triu_indices(len(true), 1)
    signs = np.sign(true[first] - true[second])
    return float((signs * np.sign(costs[first] - costs[second])).sum() / np.abs(signs).sum())


@pytest.mark.parametrize("machine", MACHINES)
def test_adaptive_order_equals_that_of_five_rounds(machine: str) -> None:
    """Sixteen programs in a tenfold range of costs; about a third are copies of one program."""
    results = []
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        true = np.exp(rng.uniform(0, np.log(10), 16))
        true[rng.integers(0, 16, 5)] = true[0]
        full = session(true, MAX_ROUNDS, 5, MACHINES[machine], seed)
        some = adaptive(full)
        cost = (rounds(some) * true).sum() / (MAX_ROUNDS * true.sum())
        results.append((order(estimate(full).cost, true), order(estimate(some).cost, true), cost))
    fixed, adaptive_tau, cost = np.mean(results, axis=0)
    assert adaptive_tau >= fixed - 0.02
    # With changing load, most pairs stay open.
    assert cost <= (0.85 if machine == "neighbours" else 0.75)


def test_copies_are_apart_at_most_once_in_twenty() -> None:
    apart = []
    for seed in range(24):
        machine = list(MACHINES.values())[seed % len(MACHINES)]
        estimated = estimate(adaptive(session(np.ones(8), MAX_ROUNDS, 5, machine, seed)))
        logs, errors = np.log(estimated.cost), estimated.se
        first, second = np.triu_indices(8, 1)
        apart.append(
            np.mean(
                np.abs(logs[first] - logs[second]) > 1.96 * np.hypot(errors[first], errors[second])
            )
        )
    assert np.mean(apart) <= 0.07


def test_isolated_costs_need_one_round() -> None:
    true = np.array([1.0, 1.02, 1.04, 1.06, 1.08, 1.1, 4.0, 9.0])
    some = adaptive(session(true, MAX_ROUNDS, 3, MACHINES["quiet"], 0))
    assert rounds(some)[6:].tolist() == [1, 1]
    assert rounds(some)[:PILOT].min() > 1
    assert np.isfinite(estimate(some).se).all()


def test_failed_rounds_do_not_count() -> None:
    alone = MeasuringSession(np.array([[[1.0]]]), np.array([[0.0]]), uneven=True)
    assert unsettled(alone, estimate(alone), MAX_ROUNDS) == [0]
    twice = MeasuringSession(np.array([[[1.0], [1.1]]]), np.array([[0.0, 1.0]]), uneven=True)
    assert unsettled(twice, estimate(twice), MAX_ROUNDS) == []
    failed = MeasuringSession(
        np.array([[[np.nan]], [[1.0]]]), np.array([[0.0], [1.0]]), uneven=True
    )
    assert unsettled(failed, estimate(failed), MAX_ROUNDS) == [1]


@pytest.mark.serial
def test_real_programs() -> None:
    """A program with a thousand times the work of the others runs least often; figures add up."""
    text = "n = int(input())\ns = 0\nfor i in range(n * {}):\n    s += i\nprint(n)\n"
    python, tests = (
        load_languages()["python"],
        [TestCase("a", "3000\n", "3000\n"), TestCase("b", "6000\n", "6000\n")],
    )
    options = MeasureOptions(MAX_ROUNDS, adaptive=True)
    with LocalSandbox() as sandbox:
        programs = [sandbox.compile(Program(python, text.format(times))) for times in (1, 1, 1000)]
        checker = Checker(OutputComparison(), sandbox)
        session = measure_interleaved(sandbox, programs, tests, Limits(), options, checker=checker)
        with pytest.raises(ValueError, match="same inputs"):
            measure_interleaved(
                sandbox, programs, tests, Limits(), options, reseeded=[tests] * MAX_ROUNDS
            )
    measured = [session.measured(index) for index in range(3)]
    assert all(
        1 <= figures.total.repeats == len(figures.repeats) <= MAX_ROUNDS for figures in measured
    )
    assert measured[2].total.repeats <= min(figures.total.repeats for figures in measured[:2])
    for figures in measured:
        assert figures.total.relative_se is not None
        assert figures.total.cpu_ns == sum(test.cpu_ns for test in figures.on_tests)
        assert figures.total.peak_bytes == max(test.peak_bytes for test in figures.on_tests)
    assert (measured[2].total.cpu_ns or 0) > 3 * (measured[0].total.cpu_ns or 0)


def test_a_plan_says_adaptive() -> None:
    measuring = make_plan(repeats="adaptive").measure
    assert (measuring.repeats, measuring.adaptive) == (MAX_ROUNDS, True)
    assert make_plan(repeats=2).measure == MeasureOptions(2)


@pytest.mark.parametrize("value", [0, -1, "often", "3", True, 2.5])
def test_a_plan_with_other_repeats_is_refused(value: object) -> None:
    with pytest.raises(UsageError, match='whole number greater than 0, or "adaptive"'):
        make_plan(repeats=value)
