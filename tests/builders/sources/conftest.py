"""Small tables in the shape of somebody's data set, written down in the test, and what a source makes of them."""

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
    """What a source gave."""

    entries: list[Entry]
    rejected: list[Rejected]

    @property
    def problems(self) -> list[Problem]:
        return [entry.problem for entry in self.entries]

    @property
    def only(self) -> Entry:
        """The one entry there is; nothing was rejected."""
        assert self.rejected == []
        (entry,) = self.entries
        return entry

    @property
    def reason(self) -> str:
        """Why the one thing that was rejected was; there is nothing else."""
        assert self.entries == []
        (rejected,) = self.rejected
        return rejected.reason


@pytest.fixture(scope="session")
def pairs() -> Callable[[Iterable[TestCase]], list[tuple[str, str | None]]]:
    """Returns the inputs and outputs of tests."""
    return lambda tests: [(test.stdin, test.stdout) for test in tests]


@pytest.fixture(scope="session")
def read_source() -> Callable[[str], Reading]:
    """Reads ``NAME:LOCATION`` to its end."""

    def read(text: str) -> Reading:
        items = list(choose_source(text).read(LANGUAGES))
        entries = [item for item in items if isinstance(item, Entry)]
        return Reading(entries, [item for item in items if isinstance(item, Rejected)])

    return read


@pytest.fixture
def write_lines(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows as JSON lines; returns the file."""

    def write(rows: Sequence[Mapping[str, Any]], name: str = "rows.jsonl") -> Path:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return file

    return write


@pytest.fixture
def write_parquet(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows as Parquet, with the features that ``datasets`` would write into it where they are given."""

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
    """Reads rows, written as JSON lines, with the source of a name."""
    return lambda name, rows: read_source(f"{name}:{write_lines(rows)}")


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """Where checkers and validators of sources are tried."""
    problem = why_not_isolated()
    if problem:
        pytest.skip(f"programs cannot be isolated: {problem}")
    with open_sandbox("auto", [LANGUAGES["python"]]) as place:
        yield place
