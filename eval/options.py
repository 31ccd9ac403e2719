"""What to evaluate, in one record that the manifest of a run keeps whole."""

from __future__ import annotations

from dataclasses import dataclass, field

from venus_toolkit.engine import LOCAL, EngineOptions
from venus_toolkit.errors import UsageError
from venus_toolkit.eval.metrics import AT_LEAST, OBJECTIVES, TIES
from venus_toolkit.measure import MeasureOptions
from venus_toolkit.prompts import FORMS

FRESH = "fresh"
CACHED = "cached"
PUBLISHED = "published"
REFERENCES = (FRESH, CACHED, PUBLISHED)
RANKS = ("relative", "absolute")


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in any currency; None: unknown."""

    prompt: float | None = None
    completion: float | None = None

    def cost(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """Return what an answer cost, or None where a price or a count is unknown."""
        if None in (self.prompt, self.completion, prompt_tokens, completion_tokens):
            return None
        return ((self.prompt or 0) * (prompt_tokens or 0) + (self.completion or 0) * (completion_tokens or 0)) / 1e6


@dataclass(frozen=True, slots=True)
class EvalOptions:
    """One evaluation of one model.

    model: its name, or ``replay:FILE``. lang: language ids. objective: what the prompt asks for. samples: answers to
    each task. tasks: so many problems, drawn with the seed; None: all. references: measured beside the generated
    programs (fresh), taken from an earlier evaluation on this machine where there is one (cached), or as the dataset
    has them, whatever machine that was (published). max_references: so many of each task, spread over what they cost;
    None: all. prompts: a folder with templates of one's own (empty: those of the package). rank: time relative to the
    reference program, or wall time. ties: how percentile ranks treat equals. model_card: what says which data the model
    was trained on (empty: the README.md beside its weights); allow_contaminated: evaluate even on those.
    """

    model: str
    data: str
    lang: tuple[str, ...]
    objective: str = "time"
    split: str = "test"
    samples: int = 1
    tasks: int | None = None
    seed: int = 0
    form: str = "block"
    prompts: str = ""
    references: str = FRESH
    max_references: int | None = None
    rank: str = "relative"
    ties: str = AT_LEAST
    measure: MeasureOptions = field(default_factory=MeasureOptions)
    prices: Prices = field(default_factory=Prices)
    sandbox: str = "auto"
    share_cores: bool = False
    jobs: int | None = None
    model_card: str = ""
    allow_contaminated: bool = False
    engine: str = LOCAL
    ray_address: str = ""

    def __post_init__(self) -> None:
        """Refuse what makes no sense.

        Raises:
            UsageError: A word that is not known, or a number below 1.
        """
        words = {"objective": OBJECTIVES, "form": FORMS, "references": REFERENCES, "rank": RANKS, "ties": TIES}
        for name, known in words.items():
            if getattr(self, name) not in known:
                why = f"known are {', '.join(known)}"
                raise UsageError(f"unknown {name} {getattr(self, name)!r}", why, "type: venus eval --help")
        numbers = {"samples": self.samples, "tasks": self.tasks, "repeats": self.measure.repeats}
        numbers |= {"max_references": self.max_references, "jobs": self.jobs}
        wrong = [f"{name} is {value}" for name, value in numbers.items() if value is not None and value < 1]
        if wrong:
            raise UsageError("the options make no sense", ", ".join(wrong), "give numbers from 1 on")
        EngineOptions(self.engine, self.jobs, self.ray_address)

    @property
    def time_figure(self) -> str:
        """The figure of the objective time."""
        return "relative_time" if self.rank == "relative" else "wall_ns"

    @property
    def figures(self) -> dict[str, str]:
        """The name of the figure of each objective."""
        return {"time": self.time_figure, "memory": "peak_bytes", "integral": "integral_byte_ns"}
