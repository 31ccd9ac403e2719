"""Reads staged entries: all in the order of the source, or one by its slug."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.builders.staging.rows import SCHEMAS, to_entry
from venus_toolkit.builders.staging.writer import ASIDE, ROW_GROUP, Counts
from venus_toolkit.errors import SourceError

GROUPS_HELD = 6


class Place(NamedTuple):
    """Where an entry lies: its shard, the row of its problem, and its first rows and numbers of rows."""

    shard: int
    problem: int
    first_solution: int
    solutions: int
    first_test: int
    tests: int


class Staged:
    """A source on disk.

    Attributes:
        folder: Where it lies.
        counts: How many problems, solutions and tests it holds, and how many things were set aside.
    """

    def __init__(self, folder: Path, counts: Counts, shards: int) -> None:
        self.folder = folder
        self.counts = counts
        self._shards = shards
        self._group = lru_cache(maxsize=GROUPS_HELD)(self._read_group)

    def files(self, table: str) -> list[str]:
        """Return the Parquet files of ``problems``, ``solutions`` or ``tests``, for a database to read."""
        return [str(self._file(table, shard)) for shard in range(self._shards)]

    def slugs(self) -> list[str]:
        """Return the names of all problems in the order of the source."""
        return list(self._places)

    def entry(self, slug: str) -> Entry:
        """Return the entry of one problem.

        Raises:
            SourceError: The source has no such problem.
        """
        try:
            place = self._places[slug]
        except KeyError:
            what = f"the source has no problem {slug}"
            raise SourceError(what, f"it has {len(self._places)} others", "see the plan's key problems") from None
        return to_entry(
            self._rows("problems", place.shard, place.problem, 1)[0],
            self._rows("solutions", place.shard, place.first_solution, place.solutions),
            self._rows("tests", place.shard, place.first_test, place.tests),
        )

    def entries(self, slugs: Collection[str] | None = None) -> Iterator[Entry]:
        """Yield the entries of these problems (None: of all) in the order of the source, reading each file once."""
        wanted = self._places if slugs is None else set(slugs)
        for slug in self._places:
            if slug in wanted:
                yield self.entry(slug)

    def set_aside(self) -> Iterator[SetAside]:
        """Yield what the source or the staging did not use, with the reasons."""
        with (self.folder / ASIDE).open(encoding="utf-8") as file:
            for line in file:
                yield SetAside(*json.loads(line))

    @cached_property
    def _places(self) -> dict[str, Place]:
        places = {}
        for shard in range(self._shards):
            table = pq.read_table(self._file("problems", shard), columns=["slug", "solutions", "tests"])
            solution = test = 0
            for row, (slug, solutions, tests) in enumerate(zip(*(c.to_pylist() for c in table.columns), strict=True)):
                places[slug] = Place(shard, row, solution, solutions, test, tests)
                solution, test = solution + solutions, test + tests
        return places

    def _file(self, table: str, shard: int) -> Path:
        return self.folder / f"{table}-{shard:05d}.parquet"

    def _rows(self, table: str, shard: int, first: int, count: int) -> list[dict[str, Any]]:
        if not count:
            return []
        groups = range(first // ROW_GROUP, (first + count - 1) // ROW_GROUP + 1)
        joined = pa.concat_tables([self._group(table, shard, group) for group in groups])
        rows: list[dict[str, Any]] = joined.slice(first - groups[0] * ROW_GROUP, count).to_pylist()
        return rows

    def _read_group(self, table: str, shard: int, group: int) -> pa.Table:
        with pq.ParquetFile(self._file(table, shard)) as file:
            return file.read_row_group(group, columns=SCHEMAS[table].names)
