"""What to build: one frozen plan, filled from a TOML file, overridden by flags, written whole into the manifest."""

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
from venus_toolkit.execution.measuring.adaptive import MOST_ROUNDS
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
# The dataclass of a table, and which of its keys are said at the top of the plan.
SHARED: Mapping[str, tuple[Any, tuple[str, ...]]] = {
    "generation": (InputOptions, ("tests", "seed")),
    "quality": (QualityOptions, ("seed",)),
    "curation": (CurationOptions, ("min_solutions", "test_fraction", "seed")),
}


@dataclass(frozen=True, slots=True)
class CardOptions:
    """What the card of a release says that nothing can compute.

    Attributes:
        title: What it is called; empty: as `name`.
        name: What ``load_dataset`` is told before the release has a repository; empty: as its
            folder.
        license: SPDX identifier of the whole; empty: what the data say.
    """

    title: str = ""
    name: str = ""
    license: str = ""


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """A build in full.

    problems limits the source to these slugs (empty: all). voters is how many accepted solutions of
    a problem decide first what is right (0: all of them at once). tests is how many inputs each
    problem shall have, those that came with it first (None: 20, or 100 where they are chosen from a
    pool). repeats is how often each accepted solution is measured, or ``adaptive``: up to five
    times, as long as its rank is open. limit_* override the problems' own limits. time_factor has,
    by language, what the wall and CPU limits of its programs are multiplied by. counter is what
    counts the instructions of accepted solutions, once for each test that is measured: ``auto``,
    ``pmu``, ``emulated`` or ``off``. complexity is whether it also counts how the cost of accepted
    solutions grows with their input (None: where there is a counter), of at most
    complexity_solutions of each problem and language. runs is whether the figures of each solution
    on each test are published, too. share_cores measures on every core at once, the supervisor on
    the program's own: faster, and less true for short programs. engine is ``local`` or ``ray``,
    which spreads the work over the cluster at ray_address (empty: one that Ray finds, or starts
    here). replay is a release folder whose measurements are taken for the same code on the same
    tests (empty: measure). earlier is a release whose problems keep their split and whose solutions
    come before new ones that are alike (empty: none). large_inputs says how inputs of more than
    large_input_bytes are published: ``embed`` in full, ``reference`` by generator, seed and SHA-256
    where the generator makes them again. model is asked for generators, validators and evaluators
    (None: no model is asked). min_separation is the least share of pairs of solutions that are
    apart: a problem with less of it in a language has no ranks and gives no rows of derived sets.
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
        """How accepted solutions are measured."""
        if self.repeats == ADAPTIVE:
            return MeasureOptions(MOST_ROUNDS, self.aggregate, adaptive=True)
        return MeasureOptions(int(self.repeats), self.aggregate)

    def limits(self, own: Limits, language: str = "") -> Limits:
        """Return a problem's own limits with those of the plan over them, for programs in a language."""

        def scaled(value: float | None, unit: int) -> int | None:
            return None if value is None else round(value * unit)

        # With a wall time alone, the problem's own CPU limit must not end a run before it.
        found = own.changed(
            wall_ns=scaled(self.limit_wall_s, NS_PER_S),
            cpu_ns=scaled(
                self.limit_cpu_s or (self.limit_wall_s and 2 * self.limit_wall_s), NS_PER_S
            ),
            memory_bytes=scaled(self.limit_memory_mib, MIB),
            output_bytes=scaled(self.limit_output_mib, MIB),
        )
        factor = self.time_factor.get(language, 1)
        return found.changed(
            wall_ns=round(factor * found.wall_ns), cpu_ns=round(factor * found.cpu_ns)
        )


def read_plan(name: str, **flags: Any) -> BuildPlan:
    """Return the plan in the TOML file `name`, or the bundled one of that name, with flags that are not None over it.

    A flag that belongs to a table is given as a mapping under the table's name: ``curation={"near":
    0.95}``.

    Raises:
        UsageError: No such plan, an unknown key, a value that makes no sense, or one that needs
            trust.
    """
    table = read_toml("plan", name, FOLDER)
    own = dict(table)
    # A flag of a table joins the keys that the file gives that table; it does not replace the
    # table.
    for key, value in flags.items():
        if isinstance(value, Mapping):
            given = {inner: each for inner, each in value.items() if each is not None}
            table |= {key: {**_table(key, table.get(key, {})), **given}} if given else {}
        elif value is not None:
            table[key] = value
    plan = make_plan(**table)
    check_trust(name, own, flags)  # last: a key that does not exist is a mistake first of all
    return plan


def make_plan(**values: Any) -> BuildPlan:
    """Return a checked plan; its tables are given as mappings.

    Raises:
        UsageError: An unknown key, or a value that makes no sense.
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
    EngineOptions(plan.engine, plan.jobs, plan.ray_address)  # refuses what makes no sense
    made = {
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
    return replace(plan, model=model, card=card, **made)


def _table(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise UsageError(f"{name} must be a table", f"got {value!r}", SEE)
    return value
