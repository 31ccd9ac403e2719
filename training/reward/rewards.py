"""The paper's reward: R = beta_f · R_format + beta_c · R_correct + beta_e · R_efficiency.

`RewardOptions` has the weights and the options of judging and measuring; the rest are pure
functions. Costs are in the units of records.py: nanoseconds, bytes, byte-nanoseconds. An example:
an answer has the right form, passes as the original did, and takes 1 s instead of 2 s:

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
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Annotated, NamedTuple

import numpy as np

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.options import AT_LEAST_1, FROM_0_TO_1, NOT_NEGATIVE, check_bounds, one_of
from venus_toolkit.core.records import KIB, MIB, NS_PER_S
from venus_toolkit.execution.engine import LOCAL, EngineOptions
from venus_toolkit.execution.measuring.agreement import INSTRUCTIONS
from venus_toolkit.execution.measuring.estimator import NORMAL_95
from venus_toolkit.execution.measuring.ranking import APART, RULES, Costs, standings
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.models.answers import tags_complaint
from venus_toolkit.models.markdown import blocks

# 90 s, 1 GiB, and their product.
UPPER = {"time": 90 * NS_PER_S, "memory": 1024 * MIB, "integral": 94_371_840 * KIB * NS_PER_S}
EPSILON = 1e-9
FIGURES = {"wall": "wall_ns", "cpu": "cpu_ns", INSTRUCTIONS: INSTRUCTIONS}


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each part (the paper's betas)."""

    form: float = 0.2
    correctness: float = 0.5
    efficiency: float = 0.3

    def at(self, progress: float, last: float) -> Weights:
        """Return the weights at a share of the training; that of efficiency moves linearly to `last`.

        >>> [round(Weights().at(step / 200, last=0.5).efficiency, 3) for step in (0, 50, 100, 200)]
        [0.3, 0.35, 0.4, 0.5]
        """
        done = min(max(progress, 0.0), 1.0)
        return dataclasses.replace(
            self, efficiency=self.efficiency + (last - self.efficiency) * done
        )


@dataclass(frozen=True, slots=True)
class RewardOptions:
    """How answers are rewarded.

    Attributes:
        weights: The weight of each part at the beginning.
        final_efficiency: The weight of efficiency at the end of the training, reached linearly;
            None: it is constant.
        measure: How the answers that pass are measured.
        figure: What the objective ``time`` means: ``wall``; ``cpu``, which other work on the
            machine affects less; or ``instructions``. Answers whose CPU time does not agree with
            their instruction count are rewarded by CPU time.
        counter: The tool that counts instructions, if `figure` is ``instructions``.
        rule: ``apart``: programs whose costs do not differ beyond their standard errors have the
            same efficiency, 0 if they tie with the original; ``strict``, the paper's: any
            difference counts.
        share_cores: A program and its sampler share a core, and programs run on all cores at once.
            When False, each program has a core of its own: memory is sampled more densely, and
            fewer programs run at once.
        part: (index, count): the part of the cores that these rewards use, if several processes on
            a machine compute rewards. The index starts at 0.
        jobs: Workers on each machine; None for as many as the cores allow.
        engine: Where programs run: ``local``, on this machine, or ``ray``, on a cluster.
        ray_address: The address of that cluster; empty: a running one, or a new one.
        fresh: Maximum number of held-out tests (with new seeds) for each problem that has a
            generator.
        seed: Seed of the held-out tests, of the inputs of each repeat, and of the test order.
        reseed: Use fresh inputs for each repeat, if the problem has a generator.
        keep: Number of prepared problems to keep in memory.
        lost: The share of the latest answers, from 0 to 1, for which the sandbox may fail before
            the training is stopped.
        journal: A folder that caches verdicts, figures and counts, so that a program is not run
            again. Empty: no cache. Only one process at a time may use it.
        patience_s: How long a request waits for a reward service (`venus serve`) that does not
            answer, in seconds.
    """

    weights: Weights = field(default_factory=Weights)
    final_efficiency: float | None = None
    measure: MeasureOptions = field(default_factory=MeasureOptions)
    figure: Annotated[str, one_of(*FIGURES)] = "wall"
    counter: str = "emulated"
    rule: Annotated[str, one_of(*RULES)] = APART
    share_cores: bool = True
    part: tuple[int, int] = (0, 1)
    jobs: Annotated[int | None, AT_LEAST_1] = None
    engine: str = LOCAL
    ray_address: str = ""
    fresh: Annotated[int, NOT_NEGATIVE] = 8
    seed: int = 0
    reseed: bool = True
    keep: Annotated[int, AT_LEAST_1] = 256
    lost: Annotated[float, FROM_0_TO_1] = 0.5
    journal: str = ""
    # Longer than a restart takes, and shorter than the timeout between trainers.
    patience_s: Annotated[float, NOT_NEGATIVE] = 900.0

    def __post_init__(self) -> None:
        """Check the options.

        Raises:
            UsageError: A value is invalid.
        """
        see = "see docs/rewards.md"
        check_bounds(self, see)
        if self.counted and self.counter == "off":
            problem, reason = (
                "rewards by instructions need a counter",
                "the counter is off",
            )
            raise UsageError(problem, reason, 'set counter="emulated", or figure="cpu"')
        if self.measure.repeats < 1:
            raise UsageError("repeats must be at least 1", f"got {self.measure.repeats}", see)
        if not 0 <= self.part[0] < self.part[1]:
            problem = f"part {self.part[0]} of {self.part[1]} does not exist"
            raise UsageError(problem, "parts are counted from 0", "set part=(0, 1) for all cores")
        EngineOptions(self.engine, self.jobs, self.ray_address)  # checks its own arguments

    @property
    def counted(self) -> bool:
        """Whether answers are rewarded by instructions, if CPU time agrees."""
        return self.figure == INSTRUCTIONS


class Reward(NamedTuple):
    """A reward and its parts."""

    score: float
    form: float
    correctness: float
    efficiency: float


class Ratio(NamedTuple):
    """The cost of a program over that of the original, both clipped to the bound of the objective.

    `se` and `original_se` are the standard errors of both costs in the same unit; nan if unknown.
    """

    value: float
    se: float
    original_se: float


def form_reward(text: str) -> float:
    """Return 1 for ``<thinking>…</thinking><solution>…</solution>`` with one solution in it, else -1.

    The tags are the paper's; the limit to one code block is ours.

    >>> form_reward("<thinking>a</thinking> <solution>b</solution>")
    1.0
    >>> form_reward("<solution>b</solution>")
    -1.0
    """
    return -1.0 if tags_complaint(text) or len(blocks(text.partition("<solution>")[2])) > 1 else 1.0


def correctness_reward(before: bool, after: bool) -> float:
    """Return 1 for a fix, 0.5 for still passing, -0.5 for still failing, -1 for a program that breaks.

    >>> [correctness_reward(*case) for case in ((False, True), (True, True), (False, False), (True, False))]
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
    """Return R_efficiency of programs, equal for programs that noise cannot separate.

    `standings` divides the original and all programs into tie groups. A group has the efficiency of
    its mean cost; the group of the original has 0. Two costs are apart if they differ by more than
    chance explains, corrected for the number of pairs (Bonferroni): copies of one program form a
    single group with a probability of 95 %.

    Returns:
        An efficiency for each ratio; None if a standard error is not known (a single repeat shows
        no noise), so that any difference counts.
    """
    # Every ratio contains the error of the original, which each part of a group measures again.
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
