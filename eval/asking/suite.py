"""Suites: benchmarks described by a file with their data source, prompt and limits.

A suite is a TOML file: ``suites/NAME.toml`` in this package, or a user's own.

    about      a description, one sentence
    source     the value of `venus build --source`; empty: --data names a release
    lang       languages; empty: --lang names them
    split      the split of the release, if no source is named
    plan       a plan of `venus build`, which makes tests and runs solutions; empty: use the
               source's tests unchanged
    min_references  the number of human solutions that a rank needs
    objective  form  samples       as the options of `venus eval`
    prompts    a folder with templates, relative to the file
    [limits]   cpu_s, memory_mib   of one test

The command line takes precedence. ``NAME:LOCATION`` reads the suite's source from another location.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.options import fill, named_files, nearest
from venus_toolkit.core.records import MIB, NS_PER_S, digest
from venus_toolkit.core.temporary import cache_folder
from venus_toolkit.core.untrusted.trust import check_trust
from venus_toolkit.models.prompts import BUNDLED

FOLDER = Path(__file__).parent / "suites"
LIMITS = ("cpu_s", "memory_mib")


@dataclass(frozen=True, slots=True)
class BenchmarkSuite:
    """A benchmark; the fields are those of its file (see the module)."""

    name: str
    about: str = ""
    source: str = ""
    lang: tuple[str, ...] = ()
    split: str = "test"
    objective: str = "time"
    form: str = "block"
    samples: int = 1
    prompts: str = ""
    plan: str = ""
    min_references: int = 2
    cpu_s: float | None = None
    memory_mib: int | None = None

    @property
    def folder(self) -> Path:
        """The default folder of its data."""
        # A release contains its limits, so other limits need another folder.
        name = digest(self.source, self.plan, self.cpu_s, self.memory_mib)[:12]
        return cache_folder("suites") / f"{self.name}-{name}"

    @property
    def limits(self) -> dict[str, int | None]:
        """The limits that replace those of its problems; None keeps a problem's own."""
        cpu_ns = None if self.cpu_s is None else round(self.cpu_s * NS_PER_S)
        # On a loaded machine, a program within its CPU limit must not exceed the wall limit.
        wall_ns = None if cpu_ns is None else 4 * cpu_ns
        return {
            "cpu_ns": cpu_ns,
            "wall_ns": wall_ns,
            "memory_bytes": self.memory_mib and self.memory_mib * MIB,
        }


def read_suite(text: str, typed: Mapping[str, Any] | None = None) -> BenchmarkSuite:
    """Return the suite that `text` names: ``NAME``, ``NAME:LOCATION`` or a file.

    `typed` holds the options set on the command line, which need no trust in the file.

    Raises:
        UsageError: The suite does not exist, its file is invalid, or it is not trusted.
    """
    name, _, location = text.partition(":")
    file = Path(text) if text.endswith(".toml") else FOLDER / f"{name}.toml"
    if not file.is_file():
        known = named_files(FOLDER)
        fix = nearest(name, known) + "name one of these, or a .toml file"
        raise UsageError(f"there is no suite {text}", f"expected one of {', '.join(known)}", fix)
    noun, see = f"the suite {file}", "see docs/optimize.md"
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{noun} cannot be read", str(error), see) from error
    own, limits = dict(table), table.pop("limits", {})
    misplaced = (
        sorted({*LIMITS} & {*table}) + sorted({*limits} - {*LIMITS}) + ["name"] * ("name" in table)
    )
    if misplaced:
        raise UsageError(
            f"{noun} has unknown keys: {', '.join(misplaced)}",
            f"limits are {', '.join(LIMITS)}",
            see,
        )
    suite = fill(BenchmarkSuite, {"name": file.stem, **table, **limits}, noun, see)
    for key in ("samples", "min_references", *LIMITS):
        if (value := getattr(suite, key)) is not None and value <= 0:
            raise UsageError(f"{noun} is invalid", f"{key} is {value}", see)
    if file.parent != FOLDER:
        check_trust(str(file), own, typed or {})
    if suite.prompts and suite.prompts not in BUNDLED:
        suite = replace(suite, prompts=str(file.parent / suite.prompts))
    if location and not text.endswith(".toml"):
        suite = replace(suite, source=f"{suite.source.partition(':')[0]}:{location}")
    if suite.source.endswith(":"):
        raise UsageError(
            f"the suite {name} does not say where its data are",
            suite.about,
            f"type: --suite {name}:PATH",
        )
    return suite


def filled(suite: BenchmarkSuite, typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the suite's values of the options that the command line leaves open.

    Raises:
        UsageError: Neither the suite nor the command line names a language.
    """
    names = ("lang", "split", "objective", "form", "samples", "prompts", "min_references")
    defaults = {name: getattr(suite, name) for name in names if typed.get(name) in (None, ())}
    # `lang` is absent if the command line sets it.
    if not defaults.get("lang", True):
        raise UsageError(
            f"the suite {suite.name} needs a language",
            "it works with any language",
            "add --lang ID",
        )
    return defaults
