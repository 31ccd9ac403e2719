"""Repeats where a rank is open: which programs of a session are worth another round.

After each round every pair of programs is apart, a tie, or open. Programs that are in an open pair
run again, up to a largest number of rounds. How sure a pair is follows from the model of the
session (estimator.py).

apart   Their costs differ by more than `BOUND` standard errors of the difference, widened by the fourth root of most /
        done rounds (Wang and Tsiatis, "Approximately optimal one-parameter boundaries for group
        sequential trials", 1987). Over all looks together two programs of one cost are called apart
        once in twenty times.
tie     The rounds still to come would hardly (`FUTILE`) tell them apart (Lan, Simon and Halperin, "Stochastically
        curtailed tests in long-term clinical trials", 1982), or the difference is surely below
        `SAME`.

One round shows no noise. So after it the `PILOT` programs with the nearest neighbours run again.
What they show is taken to be the noise of all, and a program that is far enough from all others
needs no second round.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from venus_toolkit.execution.measuring.estimator import Estimate, Floats, MeasuringSession

MOST_ROUNDS = 5
# standard errors at the last of five looks, for 5 % over all of them: found by simulation
BOUND = 2.14
FUTILE = 0.2  # probability
SAME = 0.01  # share of the cost
PILOT = 6


def unsettled(session: MeasuringSession, estimate: Estimate, most: int) -> list[int]:
    """Return the programs for which another round is worth its time, in ascending order.

    Args:
        session: What was measured so far; nan where a program did not run, or where its round does
            not count.
        estimate: The model of the session.
        most: Number of rounds that a program has at most.
    """
    rounds = np.isfinite(session.costs).all(axis=2).sum(axis=1)
    (known,) = np.nonzero(rounds)
    logs, done = np.log(estimate.cost[known]), rounds[known]
    if len(known) and done.max() == 1:
        again = np.isin(np.arange(len(known)), np.argsort(_gaps(logs), kind="stable")[:PILOT])
    else:
        again = np.asarray(_open_pairs(logs, estimate.se[known], done, most).any(axis=1))
    return [int(index) for index in known[again & (done < most)]]


def _open_pairs(
    logs: Floats, errors: Floats, done: npt.NDArray[np.int64], most: int
) -> npt.NDArray[np.bool_]:
    """Return a matrix that is true for pairs that are neither apart nor a tie.

    `errors` are those of the logarithms.
    """
    distance, error = np.abs(logs[:, None] - logs), np.hypot(errors[:, None], errors)
    share = np.minimum(done[:, None], done) / most
    apart = distance > BOUND * error / share**0.25
    # After the last round the error is that of today times the root of the share; until then it
    # moves by the rest.
    last, to_come = error * np.sqrt(share), error * np.sqrt(1 - share)
    futile = distance + NormalDist().inv_cdf(1 - FUTILE) * to_come < BOUND * last
    tie = (share > 1 / most) & (futile | (distance + BOUND * error < SAME))
    undecided: npt.NDArray[np.bool_] = ~(apart | tie) & ~np.eye(len(logs), dtype=bool)
    return undecided


def _gaps(logs: Floats) -> Floats:
    """Return how far the nearest neighbour of each value is."""
    order = np.argsort(logs)
    steps = np.diff(logs[order], prepend=-np.inf, append=np.inf)
    gaps = np.empty(len(logs))
    gaps[order] = np.minimum(steps[:-1], steps[1:])
    return gaps
