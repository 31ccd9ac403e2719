"""Simulated measuring sessions with known true costs: interleaved programs, drift, noise, the reference."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from venus_toolkit.execution.measuring.adaptive import MAX_ROUNDS, unsettled
from venus_toolkit.execution.measuring.estimator import Floats, MeasuringSession, estimate

KEPT = 0.6  # autocorrelation of the load level from one run to the next


class Noise(NamedTuple):
    """The noise of a machine, relative to the cost.

    Attributes:
        drift: Standard deviation of the change of speed between one program's round and the next.
        jitter: Standard deviation of a program's round, common to all its tests.
        tests: Standard deviation of a single run.
        added: Mean of the exponentially distributed delay of a single run.
        bursts: Probability that a burst prolongs a run, to at most twice its time.
        tails: Degrees of freedom of Student's t distribution for the jitter; 0: normal.
        reference: Standard deviation of a run of the reference, in addition to the jitter.
        neighbours: Standard deviation of the speed under other load, which changes every few runs.
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
    """Return a session of programs with true costs; every second round is reversed.

    The reference runs before, between and after the programs, unless `beside` is false.
    """
    rng = np.random.default_rng(seed)
    programs, slots = len(true), len(true) * repeats
    shares = rng.dirichlet(np.full(tests, 2.0))
    # The speed at each run, of programs and of the reference.
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
    """Return the sum of the lowest costs over the tests: the estimate of CPU and wall time without a model."""
    found: Floats = given.costs.min(axis=1).sum(axis=1)
    return found


def ratios(given: MeasuringSession) -> Floats:
    """Return the median over the repeats of the cost relative to the adjacent reference runs."""
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
    """Return Kendall's tau of costs with their order in the array."""
    signs = [np.sign(costs[j] - costs[i]) for i, j in combinations(range(len(costs)), 2)]
    return float(np.mean(signs))


def adaptive(full: MeasuringSession, most: int = MAX_ROUNDS) -> MeasuringSession:
    """Return the part of a session of `most` rounds that adaptive repeats measure: rounds of unsettled programs."""
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
