"""What to evaluate, in one record that the manifest of a run keeps whole."""

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
    """What a million tokens cost, in any currency; None: unknown."""

    prompt: float | None = None
    completion: float | None = None

    def cost(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """Return what an answer cost, or None where a price or a count is unknown."""
        if None in (self.prompt, self.completion, prompt_tokens, completion_tokens):
            return None
        # None was ruled out above; `or 0` tells the type checker, which does not narrow through
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
    objective: Annotated[str, one_of(*OBJECTIVES)] = "time"  # what the prompt asks for
    split: str = "test"
    samples: Annotated[int, AT_LEAST_1] = 1  # answers to each task
    # number of problems, drawn with the seed; None: all
    tasks: Annotated[int | None, AT_LEAST_1] = None
    seed: int = 0
    form: Annotated[str, one_of(*FORMS)] = "block"
    batch: bool = False  # all questions through the server's batch endpoint
    prompts: str = ""  # a folder with templates of one's own; empty: those of the package
    # Measured together with the generated programs (fresh), taken from an earlier evaluation on
    # this machine if there was one (cached), or as the dataset has them, from whatever machine
    # (published).
    references: Annotated[str, one_of(*REFERENCES)] = FRESH
    min_references: Annotated[int, AT_LEAST_1] = 2  # a task with fewer has no rank
    max_references: Annotated[int | None, AT_LEAST_1] = (
        None  # maximum for each task, spread over their costs; None: all
    )
    # Each repeat has inputs of its own, where the problem has a generator and the references are no
    # published figures.
    reseed: bool = True
    # Time relative to the reference program, wall time (absolute), instructions, where CPU time
    # agrees with them, or both together (joint).
    rank: Annotated[str, one_of(*TIMES)] = "relative"
    # what counts instructions, where these rank
    counter: Annotated[str, one_of(*KINDS)] = "emulated"
    curves: bool = False  # keep the memory over time of samples that pass
    # count how the cost of samples grows, where the release says how that of humans does
    complexity: bool = False
    # How percentile ranks treat ties. Counted whole (`at_least`), noise that makes more ties would
    # raise them.
    ties: Annotated[str, one_of(*TIES)] = MIDRANK
    # What is better: beyond the uncertainty of both figures, or `strict`, the paper's, by any
    # amount.
    rule: Annotated[str, one_of(*RULES)] = APART
    # what they resample; `paper`: as its authors do
    intervals: Annotated[str, one_of(*INTERVALS)] = PROBLEMS
    measure: MeasureOptions = field(default_factory=MeasureOptions)
    prices: Prices = field(default_factory=Prices)
    sandbox: str = "auto"
    share_cores: bool = False
    jobs: Annotated[int | None, AT_LEAST_1] = None
    # what says which data the model was trained on; empty: the README.md beside its weights
    model_card: str = ""
    # what of form and objective the model's card decided, in sentences
    prompting: tuple[str, ...] = ()
    allow_contaminated: bool = False  # evaluate even on data that the model was trained on
    engine: str = LOCAL
    ray_address: str = ""

    def __post_init__(self) -> None:
        """Refuse what makes no sense.

        Raises:
            UsageError: A word that is not known, a number below 1, or a rank that nothing can give.
        """
        see = "type: venus eval --help"
        check_bounds(self, see)
        if self.measure.repeats < 1:
            raise UsageError("repeats must be at least 1", f"got {self.measure.repeats}", see)
        EngineOptions(self.engine, self.jobs, self.ray_address)  # refuses an unknown engine
        if self.complexity and self.counter == "off":
            problem = "complexity cannot be determined"
            raise UsageError(problem, "the counter is off", "type: --counter emulated")
        if not self.counted:
            return
        problem = "there is no rank by counts"
        if self.counter == "off":
            raise UsageError(problem, "the counter is off", "type: --counter emulated")
        if self.references == PUBLISHED:
            reason = (
                "a count is used only if CPU times agree, and published ones are from another "
                "machine"
            )
            raise UsageError(problem, reason, "type: --references fresh")

    def open_executor(
        self,
        sandbox: Sandbox,
        languages: Iterable[Language],
        journal: Store,
        counts: Path | None = None,
    ) -> Executor:
        """Return what judges and measures for these options; close it when done.

        `counts` is a folder that keeps counts of instructions for other evaluations.

        Raises:
            ToolchainError: A language is not installed.
            MachineError: The engine cannot be had, or what is to count instructions.
            UsageError: Counts are needed, and the sandbox does not count.
        """
        if self.counted or self.complexity:
            require_counter(self.counter, sandbox)
        engine = EngineOptions(self.engine, self.jobs, self.ray_address)
        return Executor(
            sandbox, languages, engine, journal, share_cores=self.share_cores, counts=counts
        )

    @property
    def counted(self) -> bool:
        """Whether instructions have a part in the rank of programs, where CPU time agrees."""
        return self.rank in (INSTRUCTIONS, "joint")

    @property
    def time_figure(self) -> str:
        """The figure of the objective time."""
        return TIMES[self.rank]

    @property
    def native_figure(self) -> str:
        """The same without counts: it decides where a count is not believed, and every release has it."""
        return TIMES["relative" if self.counted else self.rank]

    @property
    def baseline_figure(self) -> str:
        """The figure of the objective that every release has of its human solutions."""
        return self.native_figure if self.objective == "time" else self.figures[self.objective]

    @property
    def figures(self) -> dict[str, str]:
        """The name of the figure of each objective."""
        return {"time": self.time_figure, "memory": "peak_bytes", "integral": "integral_byte_ns"}
