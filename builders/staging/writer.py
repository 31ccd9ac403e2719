"""Writes shards: each holds whole entries, so that a problem's rows are found in one shard of each table."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.builders.staging.rows import SCHEMAS, to_rows
from venus_toolkit.errors import StoreError
from venus_toolkit.records import Solution, TestCase

VERSION = 1
MARKER = "staged.json"
ASIDE = "set_aside.jsonl"
SHARD_BYTES = 64 << 20
ROW_GROUP = 512


@dataclass(frozen=True, slots=True)
class Counts:
    """How much was staged and set aside; languages: solutions of each."""

    problems: int
    solutions: int
    tests: int
    set_aside: int
    languages: Mapping[str, int] = field(default_factory=dict)


class Writer:
    """Collects entries and writes a shard whenever about SHARD_BYTES of them are there; a context manager.

    Raises:
        StoreError: The folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shards = 0
        self._rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in SCHEMAS}
        self._size = 0
        self._totals: Counter[str] = Counter()
        self._languages: Counter[str] = Counter()
        self._slugs: dict[str, int] = {}
        self._ids: dict[int, str] = {}
        self._aside: TextIO

    def __enter__(self) -> Writer:
        """Remove what an interrupted run left and begin."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for name in (MARKER, *(f"{table}-*.parquet" for table in SCHEMAS)):
                for file in self.folder.glob(name):
                    file.unlink()
            self._aside = (self.folder / ASIDE).open("w", encoding="utf-8", errors="surrogatepass")
        except OSError as error:
            raise self._refusal(error) from error
        return self

    def __exit__(self, *_: object) -> None:
        """Close the list of what was set aside."""
        self._aside.close()

    @property
    def counts(self) -> Counts:
        """How much has been written down so far."""
        return Counts(**{name: self._totals[name] for name in (*SCHEMAS, "set_aside")}, languages=dict(self._languages))

    def add(self, entry: Entry | SetAside) -> None:
        """Take one thing that a source yields."""
        if isinstance(entry, SetAside):
            self._set_aside(entry.item, entry.reason)
            return
        taken = self._taken(entry)
        if taken:
            self._set_aside(entry.problem.slug, taken)
            return
        entry = entry._replace(
            solutions=self._distinct(entry.solutions, "solution_id", entry.problem.slug),
            tests=self._distinct(entry.tests, "test_id", entry.problem.slug),
        )
        try:
            rows = to_rows(entry)
        except ValueError as error:
            self._set_aside(entry.problem.slug, f"cannot be written down: {error}")
            return
        self._slugs[entry.problem.slug] = entry.problem.problem_id
        self._ids[entry.problem.problem_id] = entry.problem.slug
        for name in SCHEMAS:
            self._rows[name] += getattr(rows, name)
            self._totals[name] += len(getattr(rows, name))
        self._languages.update(solution.language for solution in entry.solutions)
        self._size += rows.size
        if self._size >= SHARD_BYTES:
            self._flush()

    def finish(self) -> None:
        """Write what is left, then the marker; of an empty source there is one empty shard, so that it can be read."""
        if self._rows["problems"] or not self.shards:
            self._flush()
        self._aside.flush()
        marker = {"version": VERSION, "shards": self.shards, "counts": asdict(self.counts)}
        draft = self.folder / f".{MARKER}.draft"
        try:
            draft.write_text(json.dumps(marker))
            _sync(draft)
            draft.replace(self.folder / MARKER)
        except OSError as error:
            raise self._refusal(error) from error

    def _taken(self, entry: Entry) -> str | None:
        slug, problem_id = entry.problem.slug, entry.problem.problem_id
        if slug in self._slugs:
            return f"the slug is taken: by problem {self._slugs[slug]}, read before"
        if problem_id in self._ids:
            return f"the problem_id is taken: {problem_id} is {self._ids[problem_id]}, read before"
        return None

    def _distinct(self, items: Sequence[Any], key: str, slug: str) -> tuple[Any, ...]:
        """Return solutions or tests without those whose id an earlier one of the same problem has."""
        found: dict[str, Solution | TestCase] = {}
        for place, item in enumerate(items):
            name = getattr(item, key)
            if found.setdefault(name, item) is not item:
                self._set_aside(f"{slug} {name}", f"the {key} is taken: by an earlier one, this is number {place + 1}")
        return tuple(found.values())

    def _set_aside(self, item: str, reason: str) -> None:
        self._totals["set_aside"] += 1
        self._aside.write(json.dumps([item, reason]) + "\n")

    def _flush(self) -> None:
        try:
            for name, rows in self._rows.items():
                _write(self.folder / f"{name}-{self.shards:05d}.parquet", rows, SCHEMAS[name])
                rows.clear()
        except OSError as error:
            raise self._refusal(error) from error
        self.shards += 1
        self._size = 0

    def _refusal(self, error: OSError) -> StoreError:
        why = error.strerror or str(error)
        fix = "nothing that was done is lost: make room, then type the same command"
        return StoreError(f"cannot write the source into {self.folder}", why, fix)


def _write(path: Path, rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> None:
    columns = zip(*rows, strict=True) if rows else ((),) * len(schema)
    arrays = [pa.array(column, kind) for column, kind in zip(columns, schema.types, strict=True)]
    table = pa.Table.from_arrays(arrays, schema=schema)
    pq.write_table(table, path, compression="zstd", row_group_size=ROW_GROUP, write_statistics=False)
    _sync(path)


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
