"""Adaptive repeats: selects the programs of a session that need another round.

After each round, every pair of programs is apart, a tie, or open. Programs in an open pair run
again, up to a maximum number of rounds. The standard errors come from the model of the session
(estimator.py).

apart   The costs differ by more than `BOUND` standard errors of the difference, times the fourth
        root of the maximum number of rounds over that of completed rounds (Wang and Tsiatis,
        "Approximately optimal one-parameter boundaries for group sequential trials", 1987). Over
        all rounds, the probability that two equal programs are called apart is 5 %.
tie     The remaining rounds are unlikely (`FUTILE`) to separate them (Lan, Simon and Halperin,
        "Stochastically curtailed tests in long-term clinical trials", 1982), or the difference is
        significantly below `SAME`.

A single round does not show any noise. So after the first, the `PILOT` programs with the nearest
neighbours run again. Their noise is assumed for all programs, and a program that is far enough from
all others needs no second round.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from venus_toolkit.execution.measuring.estimator import Estimate, Floats, MeasuringSession

MAX_ROUNDS = 5
# Standard errors at the last of five rounds, for an error rate of 5 % over all of them; determined
# by simulation.
BOUND = 2.14
FUTILE = 0.2  # probability
SAME = 0.01  # share of the cost
PILOT = 6  # programs


def unsettled(session: MeasuringSession, estimate: Estimate, most: int) -> list[int]:
    """Return the indices of the programs that need another round, in ascending order.

    Args:
        session: The costs so far; nan if a program did not run, or its round does not count.
        estimate: The model of the session.
        most: The maximum number of rounds of a program.
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
    """Return a matrix that is true for open pairs; `errors` are standard errors of `logs`."""
    distance, error = np.abs(logs[:, None] - logs), np.hypot(errors[:, None], errors)
    share = np.minimum(done[:, None], done) / most
    apart = distance > BOUND * error / share**0.25
    # The expected error after the last round, and the standard deviation of the change until then.
    last, to_come = error * np.sqrt(share), error * np.sqrt(1 - share)
    futile = distance + NormalDist().inv_cdf(1 - FUTILE) * to_come < BOUND * last
    tie = (share > 1 / most) & (futile | (distance + BOUND * error < SAME))
    undecided: npt.NDArray[np.bool_] = ~(apart | tie) & ~np.eye(len(logs), dtype=bool)
    return undecided


def _gaps(logs: Floats) -> Floats:
    """Return the distance of each value from its nearest neighbour."""
    order = np.argsort(logs)
    steps = np.diff(logs[order], prepend=-np.inf, append=np.inf)
    gaps = np.empty(len(logs))
    gaps[order] = np.minimum(steps[:-1], steps[1:])
    return gaps
