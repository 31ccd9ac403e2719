"""How answers are rewarded: the weight of each part, and how programs are judged and measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.options import AT_LEAST_1, FROM_0_TO_1, NOT_NEGATIVE, check_bounds, one_of
from venus_toolkit.execution.engine import LOCAL, EngineOptions
from venus_toolkit.execution.measuring.agreement import INSTRUCTIONS
from venus_toolkit.execution.measuring.ranking import APART, RULES
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.training.reward.rewards import Weights

FIGURES = {"wall": "wall_ns", "cpu": "cpu_ns", INSTRUCTIONS: INSTRUCTIONS}
SEE = "see docs/rewards.md"


@dataclass(frozen=True, slots=True)
class RewardOptions:
    """How answers are rewarded.

    Attributes:
        weights: The weight of each part, at the beginning.
        final_efficiency: The weight of efficiency at the end of the training, reached linearly;
            None: it stays.
        measure: How the answers that pass are measured.
        figure: What the objective ``time`` means: ``wall``; ``cpu``, which other work on the
            machine affects less; or ``instructions``, of those answers whose CPU time agrees with
            their count. Of the others CPU time decides.
        counter: What counts instructions, where these decide.
        rule: ``apart``: programs whose costs do not differ beyond their standard errors have the
            same efficiency, 0 if the original is among them; ``strict``, the paper's: any
            difference counts.
        share_cores: A program and its sampler share a core, and programs run on all cores at once.
            When False, each program has a core of its own: memory is sampled more densely, and
            fewer programs run at once.
        part: (index, count): which part of the cores these rewards use, where several processes on
            a machine reward.
        jobs: Workers on each machine; None takes as many as the cores allow.
        engine: Where programs run: ``local``, on this machine, or ``ray``, on a cluster.
        ray_address: Of that cluster; empty: one that is found here, or started.
        fresh: Maximum number of held-out tests (with new seeds) for each problem that has a
            generator.
        seed: Of the held-out tests, of the inputs of each repeat, and of the order of all tests.
        reseed: Each repeat has inputs of its own, where the problem has a generator.
        keep: Number of problems that are kept in memory, ready to judge answers.
        lost: The share of the latest answers for which the sandbox may fail before rewards are
            refused.
        journal: A folder that keeps verdicts, figures and counts: what is known of a program is not
            found out again. Empty: nowhere. One process at a time may use it.
        patience_s: How long each request waits for a reward service (`venus serve`) that does not
            answer.
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
    # Longer than a restart takes, and shorter than trainers wait for each other.
    patience_s: Annotated[float, NOT_NEGATIVE] = 900.0

    def __post_init__(self) -> None:
        """Refuse what makes no sense.

        Raises:
            UsageError: A value is none of those above.
        """
        check_bounds(self, SEE)
        if self.counted and self.counter == "off":
            what, why = (
                "there is no reward by instructions",
                "nothing counts them with the counter off",
            )
            raise UsageError(what, why, 'set counter="emulated", or figure="cpu"')
        if self.measure.repeats < 1:
            raise UsageError("repeats must be at least 1", f"got {self.measure.repeats}", SEE)
        if not 0 <= self.part[0] < self.part[1]:
            what = f"there is no part {self.part[0]} of {self.part[1]}"
            raise UsageError(what, "parts are counted from 0", "set part=(0, 1) for all cores")
        EngineOptions(self.engine, self.jobs, self.ray_address)  # made for its own checks alone

    @property
    def counted(self) -> bool:
        """Whether instructions decide, where CPU time agrees."""
        return self.figure == INSTRUCTIONS
