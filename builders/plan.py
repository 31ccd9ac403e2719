"""What to build: one frozen plan, filled from a TOML file, overridden by flags, written whole into the manifest."""

from __future__ import annotations

import dataclasses
import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from venus_toolkit.errors import UsageError
from venus_toolkit.records import MIB, NS_PER_S, Limits

FOLDER = Path(__file__).parent / "plans"
RANKS = ("auto", "relative", "absolute")
AGGREGATES = ("min", "median")
KEYS = {
    "a list of names": ("lang", "problems"),
    "true or false": ("share_cores",),
    "text": ("source", "aggregate", "rank", "sandbox", "replay"),
    "a whole number": ("tests", "repeats", "min_solutions", "seed", "jobs", "limit_memory_mib", "limit_output_mib"),
    "a number": ("test_fraction", "limit_wall_s", "limit_cpu_s"),
}


@dataclass(frozen=True, slots=True)
class Plan:
    """A build in full.

    problems limits the source to these slugs (empty: all). tests is how many inputs are generated for each problem
    (given tests are taken as they are, at most that many). limit_* override the problems' own limits. share_cores
    measures on every core at once, the supervisor on the program's own: faster, and less true for short programs.
    replay is a release folder whose measurements are taken for the same code on the same tests (empty: measure).
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
    share_cores: bool = False
    replay: str = ""
    limit_wall_s: float | None = None
    limit_cpu_s: float | None = None
    limit_memory_mib: int | None = None
    limit_output_mib: int | None = None

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
    return make_plan(**{**table, **{key: value for key, value in flags.items() if value is not None}})


def make_plan(**values: Any) -> Plan:
    """Return a checked plan.

    Raises:
        UsageError: An unknown key, or a value that makes no sense.
    """
    known = {field.name for field in dataclasses.fields(Plan)}
    unknown = sorted(set(values) - known)
    if unknown:
        what = f"the plan has unknown keys: {', '.join(unknown)}"
        raise UsageError(what, "known are " + ", ".join(sorted(known)), "see docs/build.md")
    given: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    for key, value in given.items():
        if value is not None:
            _check_kind(key, value)
    plan = Plan(**given)
    if plan.rank not in RANKS or plan.aggregate not in AGGREGATES or not 0 < plan.test_fraction < 1:
        why = f"rank {plan.rank}, aggregate {plan.aggregate}, test_fraction {plan.test_fraction}"
        raise UsageError("the plan makes no sense", why, "see docs/build.md")
    return plan


def _check_kind(key: str, value: Any) -> None:
    """Refuse a value of the wrong type, and a count or limit that is not positive."""
    kind = next(kind for kind, keys in KEYS.items() if key in keys)
    fitting = {
        "a list of names": isinstance(value, tuple) and all(isinstance(item, str) for item in value),
        "text": isinstance(value, str),
        "true or false": isinstance(value, bool),
        "a whole number": isinstance(value, int) and not isinstance(value, bool),
        "a number": isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value),
    }
    if not fitting[kind]:
        raise UsageError(f"{key} must be {kind}", f"got {value!r}", "see venus build --help")
    if kind in ("a whole number", "a number") and key not in ("seed", "test_fraction") and value <= 0:
        raise UsageError(f"{key} must be greater than 0", f"got {value}", "see venus build --help")
