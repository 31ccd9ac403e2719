"""Repeats where a rank is open.

Made-up sessions of which the truth is known, and one of real programs.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.sessions import MACHINES, adaptive, session
from venus_toolkit.builders.plan import make_plan
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits, OutputComparison, TestCase
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.measuring.adaptive import MOST_ROUNDS, PILOT, unsettled
from venus_toolkit.execution.measuring.estimator import Floats, MeasuringSession, estimate
from venus_toolkit.execution.measuring.measure import measure_interleaved
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.local import LocalSandbox

SEEDS = 4


def rounds(given: MeasuringSession) -> Floats:
    return np.isfinite(given.costs).all(axis=2).sum(axis=1)


def order(found: Floats, true: Floats) -> float:
    """Return Kendall's tau over the pairs that truly differ."""
    first, second = np.triu_indices(len(true), 1)
    signs = np.sign(true[first] - true[second])
    return float((signs * np.sign(found[first] - found[second])).sum() / np.abs(signs).sum())


@pytest.mark.parametrize("machine", MACHINES)
def test_the_order_is_that_of_five_rounds_at_less_of_their_cost(machine: str) -> None:
    """Sixteen programs over a tenfold range, a third of them copies of one."""
    found = []
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        true = np.exp(rng.uniform(0, np.log(10), 16))
        true[rng.integers(0, 16, 5)] = true[0]
        full = session(true, MOST_ROUNDS, 5, MACHINES[machine], seed)
        some = adaptive(full)
        cost = (rounds(some) * true).sum() / (MOST_ROUNDS * true.sum())
        found.append((order(estimate(full).cost, true), order(estimate(some).cost, true), cost))
    fixed, taken, cost = np.mean(found, axis=0)
    assert taken >= fixed - 0.02
    # Where neighbours come and go most pairs stay open.
    assert cost <= (0.85 if machine == "neighbours" else 0.75)


def test_copies_are_told_apart_no_oftener_than_once_in_twenty() -> None:
    apart = []
    for seed in range(24):
        machine = list(MACHINES.values())[seed % len(MACHINES)]
        found = estimate(adaptive(session(np.ones(8), MOST_ROUNDS, 5, machine, seed)))
        logs, errors = np.log(found.cost), found.se
        first, second = np.triu_indices(8, 1)
        apart.append(
            np.mean(
                np.abs(logs[first] - logs[second]) > 1.96 * np.hypot(errors[first], errors[second])
            )
        )
    assert np.mean(apart) <= 0.07


def test_what_is_far_from_all_others_runs_once() -> None:
    true = np.array([1.0, 1.02, 1.04, 1.06, 1.08, 1.1, 4.0, 9.0])
    some = adaptive(session(true, MOST_ROUNDS, 3, MACHINES["quiet"], 0))
    assert rounds(some)[6:].tolist() == [1, 1]
    assert rounds(some)[:PILOT].min() > 1
    assert np.isfinite(estimate(some).se).all()


def test_a_round_that_does_not_count_is_none_and_one_program_is_done_when_its_noise_is_known() -> (
    None
):
    alone = MeasuringSession(np.array([[[1.0]]]), np.array([[0.0]]), uneven=True)
    assert unsettled(alone, estimate(alone), MOST_ROUNDS) == [0]
    twice = MeasuringSession(np.array([[[1.0], [1.1]]]), np.array([[0.0, 1.0]]), uneven=True)
    assert unsettled(twice, estimate(twice), MOST_ROUNDS) == []
    failed = MeasuringSession(
        np.array([[[np.nan]], [[1.0]]]), np.array([[0.0], [1.0]]), uneven=True
    )
    assert unsettled(failed, estimate(failed), MOST_ROUNDS) == [1]


@pytest.mark.serial
def test_real_programs() -> None:
    """A program that does a hundred times the work of two copies is run less often.

    Figures over tests add up.
    """
    text = "n = int(input())\ns = 0\nfor i in range(n * {}):\n    s += i\nprint(n)\n"
    python, tests = (
        load_languages()["python"],
        [TestCase("a", "3000\n", "3000\n"), TestCase("b", "6000\n", "6000\n")],
    )
    options = MeasureOptions(MOST_ROUNDS, adaptive=True)
    with LocalSandbox() as sandbox:
        programs = [sandbox.compile(Program(python, text.format(times))) for times in (1, 1, 1000)]
        checker = Checker(OutputComparison(), sandbox)
        found = measure_interleaved(sandbox, programs, tests, Limits(), options, checker=checker)
        with pytest.raises(ValueError, match="same inputs"):
            measure_interleaved(
                sandbox, programs, tests, Limits(), options, reseeded=[tests] * MOST_ROUNDS
            )
    measured = [found.measured(index) for index in range(3)]
    assert all(1 <= each.total.repeats == len(each.repeats) <= MOST_ROUNDS for each in measured)
    assert measured[2].total.repeats <= min(each.total.repeats for each in measured[:2])
    for each in measured:
        assert each.total.relative_se is not None
        assert each.total.cpu_ns == sum(test.cpu_ns for test in each.on_tests)
        assert each.total.peak_bytes == max(test.peak_bytes for test in each.on_tests)
    assert (measured[2].total.cpu_ns or 0) > 3 * (measured[0].total.cpu_ns or 0)


def test_a_plan_says_adaptive() -> None:
    found = make_plan(repeats="adaptive").measure
    assert (found.repeats, found.adaptive) == (MOST_ROUNDS, True)
    assert make_plan(repeats=2).measure == MeasureOptions(2)


@pytest.mark.parametrize("value", [0, -1, "often", "3", True, 2.5])
def test_a_plan_with_other_repeats_is_refused(value: object) -> None:
    with pytest.raises(UsageError, match='whole number greater than 0, or "adaptive"'):
        make_plan(repeats=value)
