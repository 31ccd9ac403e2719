"""The options of an evaluation, in one record that the manifest of a run contains."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.core.options import AT_LEAST_1, check_bounds, one_of
from venus_toolkit.core.store import Store
from venus_toolkit.eval.scoring.statistics import INTERVALS, PROBLEMS
from venus_toolkit.execution.engine import LOCAL, EngineOptions
from venus_toolkit.execution.engine.executor import Executor
from venus_toolkit.execution.measuring.agreement import INSTRUCTIONS
from venus_toolkit.execution.measuring.counting import KINDS, require_counter
from venus_toolkit.execution.measuring.ranking import APART, MIDRANK, RULES, TIES, TIMES
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.models.prompts import FORMS, OBJECTIVES

FRESH, CACHED, PUBLISHED = REFERENCES = ("fresh", "cached", "published")


@dataclass(frozen=True, slots=True)
class Prices:
    """The price of a million tokens, in any currency; None: unknown."""

    prompt: float | None = None
    completion: float | None = None

    def cost(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """Return the cost of an answer, or None if a price or a count is unknown."""
        if None in (self.prompt, self.completion, prompt_tokens, completion_tokens):
            return None
        # None is ruled out above; `or 0` is for the type checker, which does not narrow through
        # `in`.
        return (
            (self.prompt or 0) * (prompt_tokens or 0)
            + (self.completion or 0) * (completion_tokens or 0)
        ) / 1e6


@dataclass(frozen=True, slots=True)
class EvalOptions:
    """One evaluation of one model."""

    model: str  # its name, or ``replay:FILE``
    data: str  # a release: a folder, or a name on the Hub
    lang: tuple[str, ...]  # language ids
    objective: Annotated[str, one_of(*OBJECTIVES)] = "time"  # the objective in the prompt
    split: str = "test"
    samples: Annotated[int, AT_LEAST_1] = 1  # answers to each task
    # number of problems, sampled with the seed; None: all
    tasks: Annotated[int | None, AT_LEAST_1] = None
    seed: int = 0
    form: Annotated[str, one_of(*FORMS)] = "block"
    batch: bool = False  # all questions through the server's batch endpoint
    prompts: str = ""  # a folder with the user's templates; empty: those of the package
    # Figures of the human solutions: measured interleaved with the generated programs (fresh),
    # reused from an earlier evaluation on this machine if possible (cached), or those of the
    # dataset, from any machine (published).
    references: Annotated[str, one_of(*REFERENCES)] = FRESH
    min_references: Annotated[int, AT_LEAST_1] = 2  # a task with fewer has no rank
    max_references: Annotated[int | None, AT_LEAST_1] = (
        None  # maximum for each task, spread over their costs; None: all
    )
    # New inputs in each repeat, if the problem has a generator and the references are not
    # published figures.
    reseed: bool = True
    # The time figure that ranks: relative to the reference program, wall time (absolute),
    # instructions if CPU time agrees with them, or both combined (joint).
    rank: Annotated[str, one_of(*TIMES)] = "relative"
    # the instruction counter, if instructions rank
    counter: Annotated[str, one_of(*KINDS)] = "emulated"
    curves: bool = False  # keep the memory over time of samples that pass
    # estimate the growth of cost of samples, if the release has that of the human solutions
    complexity: bool = False
    # How percentile ranks treat ties. With `at_least` a tie counts whole, so noise, which causes
    # ties, raises ranks.
    ties: Annotated[str, one_of(*TIES)] = MIDRANK
    # When a program is better: by more than the uncertainty of both figures (`apart`), or by any
    # amount (`strict`, as in the paper).
    rule: Annotated[str, one_of(*RULES)] = APART
    # what intervals resample; `paper`: as the paper's authors do
    intervals: Annotated[str, one_of(*INTERVALS)] = PROBLEMS
    measure: MeasureOptions = field(default_factory=MeasureOptions)
    prices: Prices = field(default_factory=Prices)
    sandbox: str = "auto"
    share_cores: bool = False
    jobs: Annotated[int | None, AT_LEAST_1] = None
    # the card that names the model's training data; empty: the README.md next to its weights
    model_card: str = ""
    # notes on how the model's card affects form and objective
    prompting: tuple[str, ...] = ()
    allow_contaminated: bool = False  # evaluate even on data that the model was trained on
    engine: str = LOCAL
    ray_address: str = ""

    def __post_init__(self) -> None:
        """Reject invalid options.

        Raises:
            UsageError: An unknown value, a number below 1, or a combination that cannot rank.
        """
        see = "type: venus eval --help"
        check_bounds(self, see)
        if self.measure.repeats < 1:
            raise UsageError("repeats must be at least 1", f"got {self.measure.repeats}", see)
        EngineOptions(self.engine, self.jobs, self.ray_address)  # rejects an unknown engine
        if self.complexity and self.counter == "off":
            message = "complexity cannot be determined"
            raise UsageError(message, "the counter is off", "type: --counter emulated")
        if not self.counted:
            return
        message = "instruction counts cannot rank"
        if self.counter == "off":
            raise UsageError(message, "the counter is off", "type: --counter emulated")
        if self.references == PUBLISHED:
            reason = (
                "a count is used only if CPU times agree, and published ones are from another "
                "machine"
            )
            raise UsageError(message, reason, "type: --references fresh")

    def open_executor(
        self,
        sandbox: Sandbox,
        languages: Iterable[Language],
        journal: Store,
        counts: Path | None = None,
    ) -> Executor:
        """Return an executor that judges and measures for these options; close it when done.

        `counts` is a folder that keeps instruction counts for other evaluations.

        Raises:
            ToolchainError: A language is not installed.
            MachineError: The engine or the instruction counter is not available.
            UsageError: Counts are needed, but the sandbox cannot count.
        """
        if self.counted or self.complexity:
            require_counter(self.counter, sandbox)
        engine = EngineOptions(self.engine, self.jobs, self.ray_address)
        return Executor(
            sandbox, languages, engine, journal, share_cores=self.share_cores, counts=counts
        )

    @property
    def counted(self) -> bool:
        """Whether instructions contribute to the rank of programs whose CPU time agrees."""
        return self.rank in (INSTRUCTIONS, "joint")

    @property
    def time_figure(self) -> str:
        """The figure that ranks by the objective time."""
        return TIMES[self.rank]

    @property
    def native_figure(self) -> str:
        """The time figure without counts: used if a count is rejected, and in every release."""
        return TIMES["relative" if self.counted else self.rank]

    @property
    def baseline_figure(self) -> str:
        """The figure of the objective that every release has for its human solutions."""
        return self.native_figure if self.objective == "time" else self.figures[self.objective]

    @property
    def figures(self) -> dict[str, str]:
        """The name of the figure of each objective."""
        return {"time": self.time_figure, "memory": "peak_bytes", "integral": "integral_byte_ns"}
