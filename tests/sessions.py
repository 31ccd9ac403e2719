"""Measuring sessions made up by a seed, with a known truth.

Programs in turns, a drift, noise, and the reference.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from venus_toolkit.execution.measuring.adaptive import MAX_ROUNDS, unsettled
from venus_toolkit.execution.measuring.estimator import Floats, MeasuringSession, estimate

KEPT = 0.6  # of the level that neighbours make, from one run of anything to the next


class Noise(NamedTuple):
    """What disturbs a machine; each is a share of the cost.

    Attributes:
        drift: Standard deviation of what the machine's speed changes from one round to the next.
        jitter: Of a round, in all its tests alike.
        tests: Of a single run.
        added: Mean of what is added to a single run, never less than nothing (exponential).
        bursts: How likely it is that a run meets a burst, which makes it up to twice as long.
        tails: Degrees of freedom of Student's distribution for the jitter; 0: normal.
        reference: Of a run of the reference, on top of the jitter.
        neighbours: Standard deviation of the machine's speed where other work comes and goes, a few
            runs at a time.
    """

    drift: float = 0.0
    jitter: float = 0.01
    tests: float = 0.0
    added: float = 0.0
    bursts: float = 0.0
    tails: int = 0
    reference: float = 0.0
    neighbours: float = 0.0


MACHINES = {
    "quiet": Noise(jitter=0.003, reference=0.02),
    "jitter": Noise(jitter=0.015, tests=0.01),
    "drift": Noise(drift=0.01, jitter=0.006),
    "strong drift": Noise(drift=0.05, jitter=0.01),
    "bursts": Noise(drift=0.005, jitter=0.006, bursts=0.05),
    "heavy tails": Noise(jitter=0.01, tails=3),
    "one-sided": Noise(jitter=0.001, added=0.05, reference=0.01),
    "steady reference": Noise(jitter=0.001, tests=0.03),
    "neighbours": Noise(jitter=0.05, neighbours=0.15),
    "noisy reference": Noise(drift=0.003, jitter=0.006, reference=0.08),
}


def session(
    true: Floats, repeats: int, tests: int, noise: Noise, seed: int, beside: bool = True
) -> MeasuringSession:
    """Return a session of programs with true costs, every other round backwards, the reference between them."""
    rng = np.random.default_rng(seed)
    programs, slots = len(true), len(true) * repeats
    shares = rng.dirichlet(np.full(tests, 2.0))
    # at each run of anything
    walk = np.cumsum(rng.normal(0, noise.drift / np.sqrt(2), 2 * slots + 1))
    level = rng.normal(0, noise.neighbours) if noise.neighbours else 0.0
    for run in range(len(walk) if noise.neighbours else 0):
        level = KEPT * level + rng.normal(0, noise.neighbours * np.sqrt(1 - KEPT**2))
        walk[run] += level
    jitter = rng.standard_t(noise.tails, slots) if noise.tails else rng.normal(size=slots)
    costs, at = np.empty((programs, repeats, tests)), np.empty((programs, repeats))
    for slot in range(slots):
        repeat, place = divmod(slot, programs)
        program = place if repeat % 2 == 0 else programs - 1 - place
        each = rng.normal(0, noise.tests, tests) + rng.exponential(noise.added or 1, tests) * (
            noise.added > 0
        )
        each += np.log1p(rng.uniform(size=tests)) * (rng.uniform(size=tests) < noise.bursts)
        speed = walk[2 * slot + 1] + noise.jitter * jitter[slot]
        costs[program, repeat] = true[program] * shares * np.exp(speed + each)
        at[program, repeat] = 2 * slot + 1
    if not beside:
        return MeasuringSession(costs, at)
    wobble = rng.normal(
        0, np.hypot(noise.jitter, noise.reference), slots + 1
    ) + noise.added * rng.exponential(1, slots + 1)
    return MeasuringSession(costs, at, np.exp(walk[::2] + wobble), np.arange(0, 2 * slots + 1, 2.0))


def least(given: MeasuringSession) -> Floats:
    """Return the sums over the tests of the least cost of each.

    What CPU and wall time are without a model.
    """
    found: Floats = given.costs.min(axis=1).sum(axis=1)
    return found


def ratios(given: MeasuringSession) -> Floats:
    """Return the median over the repeats of the cost divided by that of the reference right before and after."""
    beside = {
        at: (before + after) / 2
        for at, before, after in zip(
            given.reference_at[:-1] + 1, given.reference, given.reference[1:], strict=False
        )
    }
    near = np.vectorize(beside.__getitem__)(given.at)
    found: Floats = np.median(given.costs.sum(axis=2) / near, axis=1)
    return found


def tau(costs: Floats) -> float:
    """Return Kendall's tau of costs with the order that they are given in."""
    signs = [np.sign(costs[j] - costs[i]) for i, j in combinations(range(len(costs)), 2)]
    return float(np.mean(signs))


def adaptive(full: MeasuringSession, most: int = MAX_ROUNDS) -> MeasuringSession:
    """Return what is measured of a session of `most` rounds where programs run again only as long as they are open."""
    costs = np.full_like(full.costs, np.nan)
    again: list[int] = list(range(len(costs)))
    for round_ in range(most):
        costs[again, round_] = full.costs[again, round_]
        references = (round_ + 1) * len(full.reference) // most
        known = MeasuringSession(
            costs[:, : round_ + 1], full.at[:, : round_ + 1], full.reference[:references],
            full.reference_at[:references], uneven=True,
        )  # fmt: skip
        again = unsettled(known, estimate(known), most)
        if not again:
            break
    return known
