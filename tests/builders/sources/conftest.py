"""Fixtures that write small tables in the form of public datasets, and read them with a source."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from venus_toolkit.builders.sources import Entry, Rejected, choose_source
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Problem, TestCase
from venus_toolkit.execution.machine.doctor import why_not_isolated
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox

LANGUAGES = load_languages()


class Reading(NamedTuple):
    """The entries and rejections of a source."""

    entries: list[Entry]
    rejected: list[Rejected]

    @property
    def problems(self) -> list[Problem]:
        return [entry.problem for entry in self.entries]

    @property
    def only(self) -> Entry:
        """The only entry of a source without rejections."""
        assert self.rejected == []
        (entry,) = self.entries
        return entry

    @property
    def reason(self) -> str:
        """The reason for the only rejection of a source without entries."""
        assert self.entries == []
        (rejected,) = self.rejected
        return rejected.reason


@pytest.fixture(scope="session")
def pairs() -> Callable[[Iterable[TestCase]], list[tuple[str, str | None]]]:
    """Return a function from tests to their inputs and outputs."""
    return lambda tests: [(test.stdin, test.stdout) for test in tests]


@pytest.fixture(scope="session")
def read_source() -> Callable[[str], Reading]:
    """Return a function that reads ``NAME:LOCATION`` to its end."""

    def read(text: str) -> Reading:
        items = list(choose_source(text).read(LANGUAGES))
        entries = [item for item in items if isinstance(item, Entry)]
        return Reading(entries, [item for item in items if isinstance(item, Rejected)])

    return read


@pytest.fixture
def write_lines(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes rows as JSON lines and returns the file."""

    def write(rows: Sequence[Mapping[str, Any]], name: str = "rows.jsonl") -> Path:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return file

    return write


@pytest.fixture
def write_parquet(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes rows as Parquet, optionally with features of ``datasets``."""

    def write(
        rows: Sequence[Mapping[str, Any]], name: str = "train.parquet", features: Any = None
    ) -> Path:
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        schema = features.arrow_schema if features is not None else None
        pq.write_table(pa.Table.from_pylist([dict(row) for row in rows], schema=schema), file)
        return file

    return write


@pytest.fixture
def reading(
    read_source: Callable[[str], Reading], write_lines: Callable[..., Path]
) -> Callable[[str, Sequence[Mapping[str, Any]]], Reading]:
    """Return a function that writes rows as JSON lines and reads them with a source."""
    return lambda name, rows: read_source(f"{name}:{write_lines(rows)}")


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox for the checkers and validators of sources."""
    problem = why_not_isolated()
    if problem:
        pytest.skip(f"programs cannot be isolated: {problem}")
    with open_sandbox("auto", [LANGUAGES["python"]]) as place:
        yield place
