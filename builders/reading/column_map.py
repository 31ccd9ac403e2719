"""Column maps, which say how the columns of a table become problems, solutions and tests.

A map is written in TOML and documented in docs/sources.md.

A map describes a text in one of three ways:

- by the name of a column (``meta.title`` for a field of a struct);
- by a template with columns in braces (``{prompt}{solution}``; ``{import?}`` may be missing);
- by a table: ``{ value = "…" }`` is the same for all rows, ``{ hash = "…" }`` is a short digest of
  a column, for tables whose rows have no name, and ``{ column = "…", match = "…", replace = "…" }``
  applies a regular expression to a column.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.builders.reading.cells import Cells
from venus_toolkit.builders.reading.tables import SEE
from venus_toolkit.builders.reading.values import short_hash
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.options import named_files, nearest

FOLDER = Path(__file__).parents[1] / "maps"
HOLE = re.compile(r"\{([^{}?]+)(\??)\}")
Spec = str | Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """The content of a map; missing sections are empty."""

    source: str
    license: str = "unknown"
    style: str = "stdin"
    merge: bool = False
    problem: Mapping[str, Any] = field(default_factory=dict)
    starter_code: Mapping[str, Spec] = field(default_factory=dict)
    runners: Mapping[str, Spec] = field(default_factory=dict)
    solutions: Mapping[str, Spec] = field(default_factory=dict)
    solution: Mapping[str, Any] = field(default_factory=dict)
    tests: Mapping[str, Any] = field(default_factory=dict)


class Column(NamedTuple):
    """The row or struct that holds a column, and the column's name in it."""

    cells: Cells
    name: str


def read_map(name: str) -> ColumnMap:
    """Return the map in the TOML file `name`, or the bundled one of that name.

    Raises:
        SourceError: The map does not exist, or does not follow the documentation.
    """
    path = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        _check(table)
    except (OSError, ValueError) as error:
        known = named_files(FOLDER)
        near = nearest(name, known) if isinstance(error, FileNotFoundError) else ""
        fix = f"{near}give a TOML file or one of: {', '.join(known)}; {SEE}"
        raise SourceError(f"the column map {name} cannot be read", str(error), fix) from error
    return ColumnMap(**{"source": path.stem, **table})


def _check(table: Mapping[str, Any]) -> None:
    # None: the keys are languages and not checked here.
    sections = {
        "problem": (
            "slug", "id", "title", "statement", "difficulty", "tags", "url", "date", "category",
            "paid_only", "time_limit", "memory_limit", "evaluator",
        ),
        "starter_code": None,
        "runners": None,
        "solutions": None,
        "solution": ("list", "language", "code", "code_in", "verdict", "starter", "extra"),
        "tests": (
            "cases", "list", "input", "output", "inputs", "outputs", "skip_output", "format",
            "asserts",
        ),
    }  # fmt: skip
    plain = {"source": str, "license": str, "style": str, "merge": bool}
    for section in sections:
        if not isinstance(table.get(section, {}), dict):
            raise ValueError(f"{section} must be a table")
    unknown = sorted(set(table) - set(sections) - set(plain))
    unknown += [
        f"{name}.{key}"
        for name, keys in sections.items()
        for key in table.get(name, {})
        if keys and key not in keys
    ]
    if unknown:
        section, _, key = unknown[0].rpartition(".")
        near = nearest(key, sections.get(section) or (*sections, *plain)).strip()
        raise ValueError(f"it has unknown keys: {', '.join(unknown)}" + (near and f"; {near}"))
    for key, kind in plain.items():
        if not isinstance(table.get(key, kind()), kind):
            raise ValueError(
                f"{key} must be {'true or false' if kind is bool else 'text'}, found {table[key]!r}"
            )
    if table.get("style", "stdin") not in ("stdin", "function"):
        raise ValueError(f"style must be stdin or function, found {table['style']!r}")
    required = {"problem": ("slug", "statement")} | (
        {"solution": ("language", "code")} if "solution" in table else {}
    )
    for section, keys in required.items():
        for key in keys:
            if key not in table.get(section, {}):
                raise ValueError(f"{section}.{key} is missing")
    for section in sections:
        for key, spec in table.get(section, {}).items():
            _check_spec(f"{section}.{key}", key, spec)


def _check_spec(where: str, key: str, spec: Any) -> None:
    """Raise a ValueError if `spec` does not describe a text; some keys take only a column."""
    pattern = ""
    if spec == "?":
        raise ValueError(f"{where} is still open: write the name of a column instead of ?")
    forms = "a column, a template, { value }, { hash } or { column, match, replace }"
    # These hold lists, flags and quantities, which a template cannot express.
    named = ("tags", "paid_only", "time_limit", "memory_limit", "list")
    if where == "solution.code_in":
        if not isinstance(spec, dict):
            raise ValueError(f"{where} must be a table of languages, found {spec!r}")
        for language, inner in spec.items():
            _check_spec(f"{where}.{language}", language, inner)
    elif where == "solution.extra":
        if not isinstance(spec, list) or not all(isinstance(name, str) for name in spec):
            raise ValueError(f"{where} must be a list of columns, found {spec!r}")
    elif where.startswith("tests.") or key in named:
        if not isinstance(spec, str):
            raise ValueError(f"{where} must be the name of a column, found {spec!r}")
        formats = ("text", "call", "arguments")
        if key == "format" and spec not in formats:
            raise ValueError(f"{where} must be one of {', '.join(formats)}, found {spec!r}")
        pattern = spec if key == "skip_output" else ""
    elif isinstance(spec, dict):
        tables = ({"value"}, {"hash"}, {"column", "match"}, {"column", "match", "replace"})
        if set(spec) not in tables or not all(isinstance(part, str) for part in spec.values()):
            raise ValueError(f"{where} must be {forms}, found {spec!r}")
        pattern = spec.get("match", "")
    elif not isinstance(spec, str):
        raise ValueError(f"{where} must be {forms}, found {spec!r}")
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{where} has an invalid regular expression: {error}") from error


def find(cells: Cells, column: str | None) -> Column:
    """Locate a column; None is located in an empty row.

    Dots lead into structs, unless the row has a column of that exact name.
    """
    if column is None:
        return Column(Cells({}), "nothing")
    parts: Sequence[str] = [column] if column in cells.names else column.split(".")
    for part in parts[:-1]:
        cells = cells.cells(part)
    return Column(cells, parts[-1])


def text(cells: Cells, spec: Spec | None, default: str | None = None) -> str:
    """Return the text that a map describes, `default` for a missing description.

    Raises:
        ValueError: A column is missing without a default, is not text, or does not match.
    """
    if spec is None:
        return default or ""
    if not isinstance(spec, str):
        if "hash" in spec:
            return f"problem-{short_hash(_column_text(cells, spec['hash'], None))}"
        if "value" in spec:
            return spec["value"]
        value = _column_text(cells, spec["column"], None)
        match = re.search(spec["match"], value)
        if not match:
            raise ValueError(
                f"{spec['column']} does not match {spec['match']}, found {value[:60]!r}"
            )
        try:
            return match.expand(spec.get("replace", r"\g<1>" if match.re.groups else r"\g<0>"))
        except (re.error, IndexError) as error:
            raise ValueError(
                f"{spec['replace']} cannot replace the match of {spec['match']}: {error}"
            ) from error
    if HOLE.search(spec):
        return HOLE.sub(lambda hole: _column_text(cells, hole[1], "" if hole[2] else None), spec)
    return _column_text(cells, spec, default)


def _column_text(cells: Cells, column: str, default: str | None) -> str:
    at = find(cells, column)
    value = at.cells.raw(at.name)
    return str(value) if isinstance(value, int) else at.cells.text(at.name, default)


def texts(cells: Cells, spec: Spec) -> tuple[str, ...]:
    """Return the texts of a column that holds one text or a list of text; empty if it is null.

    Raises:
        ValueError: The column holds neither.
    """
    if isinstance(spec, str) and not HOLE.search(spec):
        at = find(cells, spec)
        value = at.cells.raw(at.name)
        if value is None:
            return ()
        # The quote tells a list in JSON from a program that begins with a bracket.
        if isinstance(value, list) or str(value).lstrip().startswith('["'):
            return at.cells.texts(at.name)
    return (text(cells, spec),)
