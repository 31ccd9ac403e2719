"""The paper's reward: R = beta_f · R_format + beta_c · R_correct + beta_e · R_efficiency. Pure functions.

Costs are in the units of records.py: nanoseconds, bytes, byte-nanoseconds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from venus_toolkit.answers import tags_complaint
from venus_toolkit.records import KIB, MIB, NS_PER_S

UPPER = {"time": 90 * NS_PER_S, "memory": 1024 * MIB, "integral": 94_371_840 * KIB * NS_PER_S}
EPSILON = 1e-9


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part counts (the paper's betas)."""

    form: float = 0.2
    correctness: float = 0.5
    efficiency: float = 0.3


class Reward(NamedTuple):
    """A reward and its parts."""

    score: float
    form: float
    correctness: float
    efficiency: float


def form_reward(text: str) -> float:
    """Return 1 for ``<thinking>…</thinking><solution>…</solution>``, else -1."""
    return -1.0 if tags_complaint(text) else 1.0


def correctness_reward(before: bool, after: bool) -> float:
    """Return 1 for code that passes where the original failed, 0.5 for still passing, -0.5 still failing, -1 worse."""
    if after:
        return 0.5 if before else 1.0
    return -1.0 if before else -0.5


def efficiency_reward(before: float, after: float, upper: float) -> float:
    """Return tanh((before - after) / (before + ε)) of costs clipped to [0, upper].

    >>> round(efficiency_reward(2.0, 1.0, 90.0), 4)
    0.4621
    >>> efficiency_reward(200.0, 100.0, 90.0)
    0.0
    """
    clipped_before, clipped_after = (min(max(cost, 0.0), upper) for cost in (before, after))
    return math.tanh((clipped_before - clipped_after) / (clipped_before + EPSILON))


def combine(form: float, correctness: float, efficiency: float, weights: Weights) -> Reward:
    """Return the weighted sum with its parts."""
    score = weights.form * form + weights.correctness * correctness + weights.efficiency * efficiency
    return Reward(score, form, correctness, efficiency)
