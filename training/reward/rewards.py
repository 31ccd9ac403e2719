"""The paper's reward: R = beta_f · R_format + beta_c · R_correct + beta_e · R_efficiency.

Pure functions.

Costs are in the units of records.py: nanoseconds, bytes, byte-nanoseconds. One answer by hand: it
has the form, passes where the original passed, and takes 1 s instead of 2 s:

>>> form = form_reward("<thinking>Halve it.</thinking><solution>print(1)</solution>")
>>> correctness = correctness_reward(before=True, after=True)
>>> efficiency = efficiency_reward(2e9, 1e9, UPPER["time"])
>>> reward = combine(form, correctness, efficiency, Weights())
>>> form, correctness, round(efficiency, 4), round(reward.score, 4)
(1.0, 0.5, 0.4621, 0.5886)
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from venus_toolkit.core.records import KIB, MIB, NS_PER_S
from venus_toolkit.execution.measuring.estimator import NORMAL_95
from venus_toolkit.execution.measuring.ranking import APART, Costs, standings
from venus_toolkit.models.answers import tags_complaint
from venus_toolkit.models.markdown import blocks

# 90 s, 1 GiB, and their product.
UPPER = {"time": 90 * NS_PER_S, "memory": 1024 * MIB, "integral": 94_371_840 * KIB * NS_PER_S}
EPSILON = 1e-9


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each part (the paper's betas)."""

    form: float = 0.2
    correctness: float = 0.5
    efficiency: float = 0.3

    def at(self, progress: float, last: float) -> Weights:
        """Return the weights after a share of the training, over which that of efficiency goes linearly to `last`.

        >>> [round(Weights().at(step / 200, last=0.5).efficiency, 3) for step in (0, 50, 100, 200)]
        [0.3, 0.35, 0.4, 0.5]
        """
        done = min(max(progress, 0.0), 1.0)
        return dataclasses.replace(
            self, efficiency=self.efficiency + (last - self.efficiency) * done
        )


class Reward(NamedTuple):
    """A reward and its parts."""

    score: float
    form: float
    correctness: float
    efficiency: float


class Ratio(NamedTuple):
    """The cost of a program over that of the original, both clipped to the bound of the objective.

    `se` and `original_se` are the standard errors of both costs in the same unit; nan: they are not
    known.
    """

    value: float
    se: float
    original_se: float


def form_reward(text: str) -> float:
    """Return 1 for ``<thinking>…</thinking><solution>…</solution>`` with one solution in it, else -1.

    The tags are the paper's; that several code blocks are not one solution is ours.

    >>> form_reward("<thinking>a</thinking> <solution>b</solution>")
    1.0
    >>> form_reward("<solution>b</solution>")
    -1.0
    """
    return -1.0 if tags_complaint(text) or len(blocks(text.partition("<solution>")[2])) > 1 else 1.0


def correctness_reward(before: bool, after: bool) -> float:
    """Return 1 for code that passes where the original failed, 0.5 for still passing, -0.5 still failing, -1 worse.

    >>> [correctness_reward(*each) for each in ((False, True), (True, True), (False, False), (True, False))]
    [1.0, 0.5, -0.5, -1.0]
    """
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


def tied_efficiencies(ratios: Sequence[Ratio]) -> list[float] | None:
    """Return R_efficiency of programs, the same for those that noise cannot separate.

    The original and all programs are cut into tie groups (`standings`). A group has the efficiency
    of its mean cost; that of the original's is 0. Two costs are apart when they differ by more than
    chance explains in one of all pairs (Bonferroni), so that copies of one program are one group
    nineteen times of twenty.

    Returns:
        An efficiency for each ratio; None where an error is not known (a single repeat shows no
        noise): then any difference counts.
    """
    # Answers may be measured on several cores, each with the original: its error is in every ratio.
    errors = np.array([0.0, *(math.hypot(ratio.se, ratio.original_se) for ratio in ratios)])
    if not np.isfinite(errors).all():
        return None
    pairs = len(errors) * len(ratios) / 2
    widths = NormalDist().inv_cdf(1 - 0.025 / max(pairs, 1)) / NORMAL_95
    values = np.array([1.0, *(ratio.value for ratio in ratios)])
    groups = np.array(
        [standing.tie_group for standing in standings(Costs(values, errors * widths), APART)]
    )
    tied = [
        1.0 if group == groups[0] else float(values[groups == group].mean()) for group in groups[1:]
    ]
    return [efficiency_reward(1.0, cost, math.inf) for cost in tied]


def combine(form: float, correctness: float, efficiency: float, weights: Weights) -> Reward:
    """Return the weighted sum with its parts.

    >>> round(combine(-1.0, -1.0, 0.0, Weights()).score, 4)
    -0.7
    """
    score = (
        weights.form * form + weights.correctness * correctness + weights.efficiency * efficiency
    )
    return Reward(score=score, form=form, correctness=correctness, efficiency=efficiency)
