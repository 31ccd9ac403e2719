"""The estimator against made-up sessions of which the truth is known, by a seed each."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sessions import MACHINES, Noise, least, ratios, session, tau
from venus_toolkit.execution.measuring.estimator import MeasuringSession, estimate

STEP = 1.03 ** np.arange(30)
SESSIONS = 200
SEED = 1000  # the estimator's constants were found with smaller ones


def scatter(costs: np.ndarray, true: np.ndarray) -> float:
    return float(np.std(np.log(costs / true)))


@pytest.mark.parametrize("machine", MACHINES)
def test_it_is_never_worse_than_its_parts(machine: str) -> None:
    """Kendall's tau and the error of 30 programs 3 % apart.

    At least those of minima and of ratios, but for a hair.
    """
    found = []
    for seed in range(4):
        given = session(STEP, 3, 5, MACHINES[machine], seed)
        found.append(
            [
                (tau(each), scatter(each, STEP))
                for each in (estimate(given).cost, least(given), ratios(given))
            ]
        )
    order, error = np.mean(found, axis=0).T
    assert order[0] >= order[1:].max() - 0.005
    assert error[0] <= 1.1 * error[1:].min()


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """A/A: programs of one cost, 200 sessions over all kinds of machine.

    Of 95 % intervals 93 to 97 % hold 0.
    """
    first, second = np.triu_indices(12, 1)
    held = []
    for number in range(SESSIONS):
        given = session(
            np.ones(12), 3, 5, list(MACHINES.values())[number % len(MACHINES)], SEED + number
        )
        found = estimate(given)
        logs = np.log(found.cost)
        widths = 1.96 * np.hypot(found.se[first], found.se[second])
        held.append(np.mean(abs(logs[first] - logs[second]) <= widths))
    assert 0.93 <= np.mean(held) <= 0.97, np.mean(held)


def test_two_programs_of_one_cost_are_rarely_told_apart() -> None:
    """The loop measures the old program and the new one alone."""
    apart = 0
    for seed in range(SESSIONS):
        found = estimate(session(np.ones(2), 3, 4, MACHINES["drift"], seed))
        apart += abs(np.log(found.cost[0] / found.cost[1])) > 1.96 * np.hypot(*found.se)
    assert apart <= 0.08 * SESSIONS


def test_without_a_reference_the_programs_are_references_for_each_other() -> None:
    given = session(STEP, 3, 5, MACHINES["strong drift"], 1, beside=False)
    found = estimate(given)
    assert tau(found.cost) > tau(least(given)) + 0.04
    assert np.isnan(found.reference)
    assert np.isnan(found.relative).all()


def test_a_cost_has_the_unit_of_the_costs_and_the_reference_that_of_one_run() -> None:
    found = estimate(session(np.array([4e6, 8e6]), 3, 7, Noise(jitter=1e-4), 0))
    assert found.cost == pytest.approx([4e6, 8e6], rel=1e-3)
    assert found.of_tests.sum(axis=1) == pytest.approx(found.cost)
    assert found.reference == pytest.approx(1, rel=1e-3)


def test_what_did_not_run_is_unknown_and_disturbs_nobody() -> None:
    given = session(STEP[:6], 3, 4, MACHINES["drift"], 3)
    costs = given.costs.copy()
    costs[2] = np.nan
    costs[4, 1] = np.nan
    found = estimate(given._replace(costs=costs))
    assert np.isnan(found.cost[2])
    assert np.isnan(found.se[2])
    assert np.isfinite(np.delete(found.cost, 2)).all()
    assert found.se[4] > 0
    nothing = estimate(given._replace(costs=np.full_like(costs, np.nan)))
    assert np.isnan(nothing.cost).all()


def test_one_repeat_has_a_cost_and_no_standard_error() -> None:
    found = estimate(session(STEP[:4], 1, 3, MACHINES["quiet"], 0))
    assert np.isfinite(found.cost).all()
    assert np.isnan(found.se).all()


def test_a_steady_clock_gives_no_nonsense() -> None:
    costs = np.broadcast_to(np.array([1.0, 2.0])[:, None, None], (2, 3, 2)).copy()
    found = estimate(
        MeasuringSession(costs, np.arange(6.0).reshape(2, 3), np.ones(7), np.arange(7.0) - 0.5)
    )
    assert found.relative == pytest.approx([2, 4])
    assert (found.se < 1e-5).all()


def test_inputs_of_their_own_are_a_level_of_the_repeat_and_no_noise() -> None:
    given = session(STEP[:8], 3, 3, Noise(jitter=0.002), 5)
    harder = given._replace(costs=given.costs * np.array([1.0, 1.5, 0.7])[None, :, None])
    known = estimate(harder._replace(other_inputs=True))
    assert scatter(known.cost, STEP[:8]) < 0.01
    assert np.median(known.se) < 0.01


@pytest.mark.parametrize("repeats", [[0, 1], [1, 2], [0, 2], [1]])
def test_a_repeat_that_no_program_has_is_no_level(repeats: list[int]) -> None:
    """All programs may fail on the inputs of one repeat, or be too slow for them."""
    given = session(STEP[:8], 3, 3, Noise(jitter=0.002), 5)
    costs = np.full_like(given.costs, np.nan)
    costs[:, repeats] = given.costs[:, repeats] * np.array([1.0, 1.5, 0.7])[None, repeats, None]
    found = estimate(given._replace(costs=costs, other_inputs=True))
    assert scatter(found.cost, STEP[:8]) < 0.01
    part = given._replace(costs=costs[:, repeats], at=given.at[:, repeats], other_inputs=True)
    assert found.cost == pytest.approx(estimate(part).cost)
    assert np.isfinite(found.se).all() == (len(repeats) > 1)


@pytest.mark.parametrize("programs", [8, 200])
def test_repeats_that_no_program_links_have_levels_of_their_own(programs: int) -> None:
    """Programs that have no repeat in common are compared as they are."""
    truth = np.resize(STEP, programs)
    given = session(truth, 4, 3, Noise(jitter=0.002), 5)
    costs = given.costs * np.array([1.0, 1.2, 1.0, 1.2])[None, :, None]
    costs[::2, 2:] = np.nan
    costs[1::2, :2] = np.nan
    found = estimate(given._replace(costs=costs, other_inputs=True))
    assert scatter(found.cost, truth) < 0.01
    assert np.isfinite(found.se).all()


def test_the_machine_taken_as_steady_has_its_drift_in_the_errors() -> None:
    given = session(STEP[:12], 3, 5, MACHINES["strong drift"], 2)
    assert np.median(estimate(given, drift=False).se) > 2 * np.median(estimate(given).se)
