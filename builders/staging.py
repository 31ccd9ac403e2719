"""A source on disk: Parquet files of problems, solutions and tests, and a marker written last.

A resumed build reads these files instead of the source. Memory holds one row group of each table,
and the names of the problems, so it does not grow with the source. The n-th row groups of all
tables hold the same problems, so an entry is read from one row group of each.

    staged = stage(source.read(languages), out / ".venus" / "staging" / key)
    for slug in staged.slugs(): staged.entry(slug) ...

Text for a database (names, statements, code) has separate columns. `ProblemSource.read` ensures
that all text is UTF-8.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from venus_toolkit.builders.sources import Entry, Rejected, distinct
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.records import (
    Expectation,
    Limits,
    OutputComparison,
    Problem,
    Solution,
    TestCase,
    to_plain,
)
from venus_toolkit.core.store import explained

VERSION = 5
MARKER = "staged.json"
REJECTED = "rejected.jsonl"
# Approximate text of a row group: the unit that is buffered for writing, and read for one entry
GROUP_BYTES = 4 << 20

NAME, BYTES = pa.string(), pa.large_binary()
SCHEMAS = {
    "problems": pa.schema({
        "slug": NAME, "problem_id": pa.int64(), "category": NAME, "paid_only": pa.bool_(),
        "statement": pa.large_string(), "record": BYTES,
    }),
    "solutions": pa.schema({
        "slug": NAME, "solution_id": NAME, "language": NAME, "expected": NAME, "code": pa.large_string(),
        "record": BYTES,
    }),
    "tests": pa.schema({"slug": NAME, "record": BYTES}),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StagedCounts:
    """The numbers of staged and rejected items; languages: the number of solutions in each."""

    problems: int
    solutions: int
    tests: int
    rejected: int
    languages: Mapping[str, int] = field(default_factory=dict)


def stage(entries: Iterable[Entry | Rejected], folder: Path) -> StagedSource:
    """Write the entries of a source into `folder`, unless it is already complete.

    Rejects a problem with the slug or problem_id of an earlier one, a solution with the solution_id
    of an earlier one of its problem, and likewise a test; the reason names the first. Rejects
    entries that cannot be stored.

    Args:
        entries: The items of a source; not read if the folder is complete.
        folder: A folder for this source in its current state; leftovers of an interrupted run are
            replaced.

    Raises:
        StoreError: The folder cannot be written.
    """
    staged = open_staged(folder)
    if staged is None:
        with closing(_Writer(folder)) as writer:
            for entry in distinct(entries):
                writer.add(entry)
            staged = writer.finish()
    return staged


def open_staged(folder: Path) -> StagedSource | None:
    """Return the source staged in `folder`, or None if it is incomplete or of another version."""
    try:
        marker = json.loads((folder / MARKER).read_text())
        return (
            StagedSource(folder, StagedCounts(**marker["counts"]))
            if marker["version"] == VERSION
            else None
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


class StagedSource:
    """A source on disk.

    Attributes:
        folder: The folder of its files.
        counts: The numbers of problems, solutions, tests and rejected items.
    """

    def __init__(self, folder: Path, counts: StagedCounts) -> None:
        self.folder = folder
        self.counts = counts
        groups_held = 6  # two of each table: a build goes from one row group to the next
        # One cache for each instance: a cached method would keep every `StagedSource` alive.
        self._group = lru_cache(maxsize=groups_held)(self._read_group)
        # The footer lists all groups; reading it again for each of thousands would dominate.
        self._footer = cache(pq.read_metadata)

    def file(self, table: str) -> str:
        """Return the path of the Parquet file of ``problems``, ``solutions`` or ``tests``."""
        return str(self.folder / f"{table}.parquet")

    def slugs(self) -> list[str]:
        """Return the names of all problems in the order of the source."""
        return list(self._groups)

    def entry(self, slug: str) -> Entry:
        """Return the entry of one problem.

        Raises:
            SourceError: The source has no such problem.
        """
        if slug not in self._groups:
            raise SourceError(
                f"the source has no problem {slug}",
                f"it has {len(self._groups)} others",
                "see the plan's key problems",
            )
        problems, solutions, tests = (self._group(table, self._groups[slug]) for table in SCHEMAS)
        (problem,) = _rows(problems, slug)
        test_cases = tuple(TestCase(**_unpack(row["record"])) for row in _rows(tests, slug))
        record = _unpack(problem["record"])
        record |= {
            "limits": Limits(**record["limits"]),
            "comparison": OutputComparison(**record["comparison"]),
        }
        solution_records = []
        for row in _rows(solutions, slug):
            expected = Expectation(row["expected"])
            solution_records.append(
                Solution(**{**_unpack(row["record"]), "code": row["code"], "expected": expected})
            )
        return Entry(
            Problem(**{**record, "tags": tuple(record["tags"])}),
            tuple(solution_records),
            test_cases,
        )

    def rejected(self) -> Iterator[Rejected]:
        """Yield the items rejected by the source or by staging, with the reasons."""
        with (self.folder / REJECTED).open(encoding="utf-8") as file:
            for line in file:
                yield Rejected(*json.loads(line))

    @cached_property
    def _groups(self) -> dict[str, int]:
        """The number of the row group of each problem."""
        with pq.ParquetFile(self.file("problems")) as file:
            slugs = (
                file.read_row_group(group, ["slug"])["slug"] for group in range(file.num_row_groups)
            )
            return {
                slug: group for group, listed in enumerate(slugs) for slug in listed.to_pylist()
            }

    def _read_group(self, table: str, group: int) -> pa.Table:
        path = self.file(table)
        with pq.ParquetFile(path, metadata=self._footer(path)) as file:
            return file.read_row_group(group)


def _rows(table: pa.Table, slug: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.filter(pc.equal(table["slug"], slug)).to_pylist()
    return rows


class _Writer:
    """Collects entries, and writes a row group of each table for about every GROUP_BYTES of them.

    Removes the leftovers of an interrupted run first.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rows: dict[str, list[dict[str, Any]]] = {name: [] for name in SCHEMAS}
        self._size = 0
        self._totals: Counter[str] = Counter(dict.fromkeys((*SCHEMAS, "rejected"), 0))
        self._languages: Counter[str] = Counter()
        self._what = f"cannot write the source into {folder}"
        with explained(self._what):
            folder.mkdir(parents=True, exist_ok=True)
            # First, so that the marker never stands for half a source.
            (folder / MARKER).unlink(missing_ok=True)
            self._rejected = (folder / REJECTED).open("w", encoding="utf-8")
            # No statistics: no query filters by values, and those of texts hold whole statements.
            self._files = {
                name: pq.ParquetWriter(
                    folder / f"{name}.parquet", schema, compression="zstd", write_statistics=False
                )
                for name, schema in SCHEMAS.items()
            }

    def close(self) -> None:
        """Close the list of rejected items; `finish` closes the tables, or they are abandoned."""
        self._rejected.close()

    def add(self, entry: Entry | Rejected) -> None:
        if isinstance(entry, Rejected):
            self._reject(*entry)
            return
        slug = entry.problem.slug
        solutions = self._distinct(entry.solutions, "solution_id", slug)
        tests = self._distinct(entry.tests, "test_id", slug)
        problem = entry.problem
        try:
            if not -(1 << 63) <= problem.problem_id < 1 << 63:
                raise ValueError(
                    f"the problem_id {problem.problem_id:.3e} does not fit into 64 bits"
                )
            problem_row = {
                "slug": slug,
                "problem_id": problem.problem_id,
                "category": problem.category,
                "paid_only": problem.paid_only,
                "statement": problem.statement,
                "record": _pack(problem),
            }
            rows = {
                "problems": [problem_row],
                "solutions": [_solution_row(solution, slug) for solution in solutions],
                "tests": [{"slug": slug, "record": _pack(test)} for test in tests],
            }
        # Records hold arbitrary values of a source, which may not fit JSON or UTF-8.
        except (ValueError, TypeError, RecursionError) as error:
            self._reject(slug, f"cannot be written down: {error}")
            return
        for name, listed in rows.items():
            self._rows[name] += listed
            self._totals[name] += len(listed)
            # 200 bytes for the rest of a row
            self._size += sum(len(row["record"]) + len(row.get("code", "")) + 200 for row in listed)
        self._languages.update(solution.language for solution in solutions)
        # Only between entries, so that row groups hold whole ones.
        if self._size >= GROUP_BYTES:
            self._flush()

    def finish(self) -> StagedSource:
        """Write the remaining rows, then the marker."""
        self._flush()
        counts = StagedCounts(**self._totals, languages=dict(self._languages))
        draft = self._folder / f".{MARKER}.draft"
        with explained(self._what):
            self._rejected.flush()
            for file in self._files.values():
                file.close()
            draft.write_text(json.dumps({"version": VERSION, "counts": asdict(counts)}))
            # The marker must not be on disk before the data.
            for path in (*self._folder.glob("*.parquet"), draft):
                with path.open("rb") as written:
                    os.fsync(written.fileno())
            draft.replace(self._folder / MARKER)
        return StagedSource(self._folder, counts)

    def _distinct(self, items: Sequence[Any], key: str, slug: str) -> list[Any]:
        """Return solutions or tests of a problem; reject those with the id of an earlier one."""
        items_by_id: dict[str, Solution | TestCase] = {}
        for number, item in enumerate(items, 1):
            name = getattr(item, key)
            if items_by_id.setdefault(name, item) is not item:
                self._reject(
                    f"{slug} {name}", f"an earlier one has the same {key}, this is number {number}"
                )
        return list(items_by_id.values())

    def _reject(self, item: str, reason: str) -> None:
        self._totals["rejected"] += 1
        self._rejected.write(json.dumps([item, reason]) + "\n")

    def _flush(self) -> None:
        with explained(self._what):
            for name, rows in self._rows.items():
                # A table without rows gets an empty row group, to keep the numbers of groups equal.
                table = pa.Table.from_pylist(rows, schema=SCHEMAS[name])
                self._files[name].write_table(table, row_group_size=max(1, len(rows)))
                rows.clear()
        self._size = 0


def _pack(record: Problem | Solution | TestCase) -> bytes:
    return json.dumps(to_plain(record), ensure_ascii=False).encode()


def _unpack(data: bytes) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(data)
    return record


def _solution_row(solution: Solution, slug: str) -> dict[str, Any]:
    solution.code.encode()  # a ValueError here: Arrow would refuse a whole row group
    return {
        "slug": slug,
        "solution_id": solution.solution_id,
        "language": solution.language,
        "expected": str(solution.expected),
        "code": solution.code,
        "record": _pack(replace(solution, code="")),  # the code has a separate column
    }
