"""What to build: one frozen plan, filled from a TOML file, overridden by flags, written whole into the manifest."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from venus_toolkit.builders.curation.options import CurationOptions, make_options
from venus_toolkit.builders.generation.inputs import InputOptions
from venus_toolkit.builders.quality.options import QualityOptions
from venus_toolkit.engine import LOCAL, EngineOptions
from venus_toolkit.errors import UsageError
from venus_toolkit.llm import ModelOptions
from venus_toolkit.options import fill
from venus_toolkit.records import KIB, MIB, NS_PER_S, Limits

FOLDER = Path(__file__).parent / "plans"
RANKS = ("auto", "relative", "absolute")
AGGREGATES = ("min", "median")
EMBED, REFERENCE = "embed", "reference"
SEE = "see docs/build.md"
POSITIVE = (
    "tests", "repeats", "min_solutions", "jobs", "limit_memory_mib", "limit_output_mib", "limit_wall_s", "limit_cpu_s",
    "large_input_bytes",
)  # fmt: skip
TABLES = ("generation", "model", "quality", "curation")
SHARED = {"generation": ("tests", "seed"), "quality": ("seed",), "curation": ("min_solutions", "test_fraction", "seed")}


@dataclass(frozen=True, slots=True)
class Plan:
    """A build in full.

    problems limits the source to these slugs (empty: all). tests is how many inputs each problem shall have, those that
    came with it first. limit_* override the problems' own limits. share_cores measures on every core at once, the
    supervisor on the program's own: faster, and less true for short programs. engine is ``local`` or ``ray``, which
    spreads the work over the cluster at ray_address (empty: one that Ray finds, or starts here). replay is a release
    folder whose measurements are taken for the same code on the same tests (empty: measure). earlier is a release whose
    problems keep their split and whose solutions come before new ones that are alike (empty: none). large_inputs says
    how inputs of more than large_input_bytes are published: ``embed`` in full, ``reference`` by generator, seed and
    SHA-256 where the generator makes them again. model is asked for generators, validators and evaluators (None: no
    model is asked).
    """

    lang: tuple[str, ...] = ()
    source: str = "corpus"
    problems: tuple[str, ...] = ()
    tests: int = 20
    repeats: int = 3
    aggregate: str = "min"
    rank: str = "auto"
    min_solutions: int = 16
    test_fraction: float = 0.2
    seed: int = 0
    sandbox: str = "auto"
    jobs: int | None = None
    engine: str = LOCAL
    ray_address: str = ""
    share_cores: bool = False
    replay: str = ""
    earlier: str = ""
    large_inputs: str = EMBED
    large_input_bytes: int = 64 * KIB
    limit_wall_s: float | None = None
    limit_cpu_s: float | None = None
    limit_memory_mib: int | None = None
    limit_output_mib: int | None = None
    generation: InputOptions = field(default_factory=InputOptions)
    model: ModelOptions | None = None
    quality: QualityOptions = field(default_factory=QualityOptions)
    curation: CurationOptions = field(default_factory=CurationOptions)

    def limits(self, own: Limits) -> Limits:
        """Return a problem's own limits with those of the plan over them."""
        return own.changed(
            wall_ns=_scaled(self.limit_wall_s, NS_PER_S),
            cpu_ns=_scaled(self.limit_cpu_s or (self.limit_wall_s and 2 * self.limit_wall_s), NS_PER_S),
            memory_bytes=_scaled(self.limit_memory_mib, MIB),
            output_bytes=_scaled(self.limit_output_mib, MIB),
        )


def _scaled(value: float | None, unit: int) -> int | None:
    return None if value is None else round(value * unit)


def read_plan(name: str, **flags: Any) -> Plan:
    """Return the plan in the TOML file `name`, or the bundled one of that name, with flags that are not None over it.

    A flag that belongs to a table is given as a mapping under the table's name: ``curation={"near": 0.95}``.

    Raises:
        UsageError: No such plan, an unknown key, or a value that makes no sense.
    """
    path = Path(name) if Path(name).suffix == ".toml" else FOLDER / f"{name}.toml"
    try:
        table = tomllib.loads(path.read_text())
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        known = ", ".join(sorted(file.stem for file in FOLDER.glob("*.toml")))
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"the plan {name} cannot be read", why, f"give a TOML file or one of: {known}") from error
    for key, value in flags.items():
        if isinstance(value, Mapping):
            given = {inner: each for inner, each in value.items() if each is not None}
            table |= {key: {**_table(key, table.get(key, {})), **given}} if given else {}
        elif value is not None:
            table[key] = value
    return make_plan(**table)


def make_plan(**values: Any) -> Plan:
    """Return a checked plan; `TABLES` are given as mappings.

    Raises:
        UsageError: An unknown key, or a value that makes no sense.
    """
    tables = {name: dict(_table(name, values.pop(name))) for name in TABLES if name in values}
    plan = fill(Plan, values, "the plan", SEE)
    for key in POSITIVE:
        value = getattr(plan, key)
        if value is not None and value <= 0:
            raise UsageError(f"{key} must be greater than 0", f"got {value}", "see venus build --help")
    if plan.rank not in RANKS or plan.aggregate not in AGGREGATES or not 0 < plan.test_fraction < 1:
        why = f"rank {plan.rank}, aggregate {plan.aggregate}, test_fraction {plan.test_fraction}"
        raise UsageError("the plan makes no sense", why, SEE)
    if plan.large_inputs not in (EMBED, REFERENCE):
        raise UsageError(f"large_inputs must be {EMBED} or {REFERENCE}", f"got {plan.large_inputs!r}", SEE)
    EngineOptions(plan.engine, plan.jobs, plan.ray_address)
    return replace(
        plan,
        generation=_inputs(plan, tables.get("generation", {})),
        quality=_quality(plan, tables.get("quality", {})),
        curation=_curation(plan, tables.get("curation", {})),
        model=fill(ModelOptions, tables["model"], "[model]", "see docs/generation.md") if tables.get("model") else None,
    )


def _table(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise UsageError(f"{name} must be a table", f"got {value!r}", SEE)
    return value


def _inputs(plan: Plan, table: Mapping[str, Any]) -> InputOptions:
    options = fill(InputOptions, table, "[generation]", "see docs/generation.md", SHARED["generation"])
    return replace(options, tests=plan.tests, seed=plan.seed)


def _quality(plan: Plan, table: Mapping[str, Any]) -> QualityOptions:
    options = fill(QualityOptions, table, "[quality]", "see docs/quality.md", SHARED["quality"])
    for name in (
        "wrong",
        "mutants",
        "held_out",
        "pool",
        "batches",
        "batch",
        "patience",
        "depth",
        "largest",
        "at_least",
    ):
        if getattr(options, name) < 0:
            raise UsageError(f"{name} must not be negative", f"got {getattr(options, name)}", "see docs/quality.md")
    return replace(options, seed=plan.seed)


def _curation(plan: Plan, table: Mapping[str, Any]) -> CurationOptions:
    see = "see docs/curation.md"
    fill(CurationOptions, table, "[curation]", see, SHARED["curation"])
    shared = {name: getattr(plan, name) for name in SHARED["curation"]}
    return make_options(**{**table, **shared})
