"""The plan of a build: read from a TOML file, overridden by flags, written into the manifest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from venus_toolkit.builders.curation.curation_options import CurationOptions
from venus_toolkit.builders.inputs.make_inputs import InputOptions
from venus_toolkit.builders.quality.quality_options import QualityOptions
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.options import (
    FROM_0_TO_1,
    NOT_NEGATIVE,
    POSITIVE,
    Bound,
    check_bounds,
    fill,
    one_of,
    read_toml,
)
from venus_toolkit.core.records import KIB, MIB, NS_PER_S, Limits
from venus_toolkit.core.untrusted.trust import check_trust
from venus_toolkit.execution.engine import LOCAL, EngineOptions
from venus_toolkit.execution.measuring.adaptive import MAX_ROUNDS
from venus_toolkit.execution.measuring.counting import KINDS
from venus_toolkit.execution.measuring.ranking import TIMES
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.models.client import ModelOptions

ADAPTIVE = "adaptive"
REPEATS = Bound(
    f'a whole number greater than 0, or "{ADAPTIVE}"',
    lambda value: value == ADAPTIVE or (type(value) is int and value > 0),
)
FOLDER = Path(__file__).parent / "plans"
EMBED, REFERENCE = "embed", "reference"
SEE = "see docs/build.md"
# The dataclass of each table, and the options that it takes from the top level of the plan.
SHARED: Mapping[str, tuple[Any, tuple[str, ...]]] = {
    "generation": (InputOptions, ("tests", "seed")),
    "quality": (QualityOptions, ("seed",)),
    "curation": (CurationOptions, ("min_solutions", "test_fraction", "seed")),
}


@dataclass(frozen=True, slots=True)
class CardOptions:
    """The text in the card of a release that the build cannot derive.

    Attributes:
        title: The title; empty: the `name`.
        name: The argument of ``load_dataset`` until the release has a repository; empty: the name
            of its folder.
        license: The SPDX identifier of the whole release; empty: the licences of the data.
    """

    title: str = ""
    name: str = ""
    license: str = ""


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """The complete configuration of a build.

    Attributes:
        lang: The languages to publish.
        source: The source of the problems.
        problems: The slugs of the source to use; empty: all.
        tests: The number of inputs of each problem, given ones first; None: 20, or 100 if they are
            chosen from a pool.
        repeats: The number of measurements of each accepted solution, or ``adaptive``: up to five,
            as long as its rank is open.
        aggregate: How the repeats make one figure: ``min`` or ``median``.
        rank: The cost that ranks solutions; ``auto`` decides by language.
        counter: Counts the instructions of accepted solutions, once on each measured test:
            ``auto``, ``pmu``, ``emulated`` or ``off``.
        complexity: Whether to fit how the instructions of accepted solutions grow with their input;
            None: if there is a counter.
        complexity_solutions: The number of solutions to fit for each problem and language.
        runs: Whether to publish the figures of each solution on each test as well.
        min_separation: The least share of separable pairs of solutions. A problem below it in a
            language has no ranks and gives no rows of derived sets.
        min_solutions: The least number of accepted solutions of a published problem, by language.
        test_fraction: The share of the problems in the test split.
        voters: The number of accepted solutions in the first panel that votes on the expected
            outputs; 0: all accepted solutions vote at once.
        seed: The seed of every random choice.
        sandbox: The sandbox; ``auto`` chooses one.
        jobs: The number of workers of each machine; None: one for each core.
        engine: ``local``, or ``ray`` to distribute the work over a cluster.
        ray_address: The cluster; empty: one that Ray finds, or starts here.
        share_cores: Measures on every core at once, with the supervisor on the program's core:
            faster, and less accurate for short programs.
        replay: A release folder whose measurements replace those of the same code on the same
            tests; empty: measure.
        earlier: A release whose problems keep their split and whose solutions take precedence over
            similar new ones; empty: none.
        large_inputs: How to publish inputs of more than large_input_bytes: ``embed`` in full, or
            ``reference`` by generator, seed and SHA-256 if the generator reproduces them.
        large_input_bytes: The largest input that is always embedded.
        limit_wall_s: Overrides the wall-time limit of every problem.
        limit_cpu_s: Overrides the CPU-time limit; None: twice limit_wall_s, if that is set.
        limit_memory_mib: Overrides the memory limit.
        limit_output_mib: Overrides the output limit.
        time_factor: Multiplies the wall-time and CPU-time limits of programs, by language.
        generation: How inputs are made.
        model: The model that writes generators, validators and evaluators; None: no model.
        quality: How tests are examined.
        curation: The rules for dropping problems and solutions before and after judging.
        card: The text of the card.
    """

    lang: tuple[str, ...] = ()
    source: str = "corpus"
    problems: tuple[str, ...] = ()
    tests: Annotated[int | None, POSITIVE] = None
    repeats: Annotated[int | str, REPEATS] = 3
    aggregate: Annotated[str, one_of("min", "median")] = "min"
    rank: Annotated[str, one_of("auto", *TIMES)] = "auto"
    counter: Annotated[str, one_of(*KINDS)] = "off"
    complexity: bool | None = None
    complexity_solutions: Annotated[int, POSITIVE] = 8
    runs: bool = False
    min_separation: Annotated[float, FROM_0_TO_1] = 0.0
    min_solutions: Annotated[int, POSITIVE] = 16
    test_fraction: float = 0.2
    voters: Annotated[int, NOT_NEGATIVE] = 16
    seed: int = 0
    sandbox: str = "auto"
    jobs: Annotated[int | None, POSITIVE] = None
    engine: str = LOCAL
    ray_address: str = ""
    share_cores: bool = False
    replay: str = ""
    earlier: str = ""
    large_inputs: Annotated[str, one_of(EMBED, REFERENCE)] = EMBED
    large_input_bytes: Annotated[int, POSITIVE] = 64 * KIB
    limit_wall_s: Annotated[float | None, POSITIVE] = None
    limit_cpu_s: Annotated[float | None, POSITIVE] = None
    limit_memory_mib: Annotated[int | None, POSITIVE] = None
    limit_output_mib: Annotated[int | None, POSITIVE] = None
    time_factor: Mapping[str, float] = field(default_factory=dict)
    generation: InputOptions = field(default_factory=InputOptions)
    model: ModelOptions | None = None
    quality: QualityOptions = field(default_factory=QualityOptions)
    curation: CurationOptions = field(default_factory=CurationOptions)
    card: CardOptions = field(default_factory=CardOptions)

    @property
    def measure(self) -> MeasureOptions:
        """The options for measuring accepted solutions."""
        if self.repeats == ADAPTIVE:
            return MeasureOptions(MAX_ROUNDS, self.aggregate, adaptive=True)
        return MeasureOptions(int(self.repeats), self.aggregate)

    def limits(self, own: Limits, language: str = "") -> Limits:
        """Return a problem's own limits, overridden by the plan's, for programs in a language."""

        def scaled(value: float | None, unit: int) -> int | None:
            return None if value is None else round(value * unit)

        # If the plan sets only a wall time, the problem's own CPU limit must not end a run earlier.
        limits = own.changed(
            wall_ns=scaled(self.limit_wall_s, NS_PER_S),
            cpu_ns=scaled(
                self.limit_cpu_s or (self.limit_wall_s and 2 * self.limit_wall_s), NS_PER_S
            ),
            memory_bytes=scaled(self.limit_memory_mib, MIB),
            output_bytes=scaled(self.limit_output_mib, MIB),
        )
        factor = self.time_factor.get(language, 1)
        return limits.changed(
            wall_ns=round(factor * limits.wall_ns), cpu_ns=round(factor * limits.cpu_ns)
        )


def read_plan(name: str, **flags: Any) -> BuildPlan:
    """Return the plan in the TOML file `name`, or the bundled plan of that name, with flags.

    Flags that are not None override the file. A flag of a table is a mapping under the table's
    name: ``curation={"near": 0.95}``.

    Raises:
        UsageError: The plan does not exist, a key is unknown, or a value is invalid or needs trust.
    """
    table = read_toml("plan", name, FOLDER)
    own = dict(table)
    # A flag of a table extends the table of the file instead of replacing it.
    for key, value in flags.items():
        if isinstance(value, Mapping):
            table_flags = {
                option: setting for option, setting in value.items() if setting is not None
            }
            table |= (
                {key: {**_table(key, table.get(key, {})), **table_flags}} if table_flags else {}
            )
        elif value is not None:
            table[key] = value
    plan = make_plan(**table)
    check_trust(name, own, flags)  # last, so that a mistyped key is reported as such
    return plan


def make_plan(**values: Any) -> BuildPlan:
    """Return a checked plan; `values` has its tables as mappings.

    Raises:
        UsageError: A key is unknown or a value is invalid.
    """
    names = ("generation", "model", "quality", "curation", "card")
    tables = {name: dict(_table(name, values.pop(name, {}))) for name in names}
    factors = dict(_table("time_factor", values.pop("time_factor", {})))
    for name, factor in factors.items():
        if (
            isinstance(factor, bool)
            or not isinstance(factor, (int, float))
            or not 0 < factor < math.inf
        ):
            raise UsageError(
                f"time_factor.{name} must be a number greater than 0", f"got {factor!r}", SEE
            )
    plan = replace(fill(BuildPlan, values, "the plan", SEE), time_factor=factors)
    check_bounds(plan, "see venus build --help")
    if plan.rank in ("instructions", "joint") and plan.counter == "off":
        raise UsageError(
            f'rank = "{plan.rank}" needs counts', 'counter is "off"', "type: --counter auto"
        )
    if plan.complexity and plan.counter == "off":
        raise UsageError(
            "complexity = true needs counts", 'counter is "off"', "type: --counter auto"
        )
    EngineOptions(plan.engine, plan.jobs, plan.ray_address)  # checks them
    options = {
        name: replace(
            fill(kind, tables[name], f"[{name}]", f"see docs/{name}.md", shared),
            **{key: getattr(plan, key) for key in shared},
        )
        for name, (kind, shared) in SHARED.items()
    }
    model = (
        fill(ModelOptions, tables["model"], "[model]", "see docs/generation.md")
        if tables["model"]
        else None
    )
    card = fill(CardOptions, tables["card"], "[card]", "see docs/card.md")
    return replace(plan, model=model, card=card, **options)


def _table(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise UsageError(f"{name} must be a table", f"got {value!r}", SEE)
    return value
