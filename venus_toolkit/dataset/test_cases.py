"""Reads the tests of a problem from a release of any version.

A row of a language has a few samples in ``test_cases`` and the ids of all tests in ``test_ids``;
the tests themselves are rows of the config ``tests``, once for all languages. A row without
``test_ids``, as in releases of earlier versions, has all tests in ``test_cases``.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from venus_toolkit.core.errors import ReleaseError
from venus_toolkit.dataset.columns import TESTS
from venus_toolkit.dataset.parquet import open_parquet
from venus_toolkit.dataset.release import TESTS_CONFIG
from venus_toolkit.execution.judging.generators import sha256

SAMPLES = 3
SAMPLE_BYTES = 4096  # of the input and output of all samples


class _Place(NamedTuple):
    """Consecutive rows of one problem in a row group."""

    file: tuple[Path, int]  # with its modification time in ns: a release may be rebuilt
    group: int
    first: int
    rows: int


def samples(cases: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the test cases that a row shows: at most SAMPLES and SAMPLE_BYTES.

    Those that came with the problem are preferred, then the smallest.
    """
    sizes = [(case["kind"] != "given", len(case["input"]) + len(case["output"] or ""), number, case)
             for number, case in enumerate(cases) if case["input"] is not None]  # fmt: skip
    shown: list[tuple[int, Mapping[str, Any]]] = []
    left = SAMPLE_BYTES
    for _, size, number, case in sorted(sizes, key=lambda ranked: ranked[:3]):
        if size <= left and len(shown) < SAMPLES:
            left -= size
            shown.append((number, case))
    return [case for _, case in sorted(shown, key=lambda ranked: ranked[0])]


def with_samples(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with samples and test ids only; the config ``tests`` has the tests."""
    cases = json.loads(row["test_cases"])
    shown = json.dumps(samples(cases), ensure_ascii=False)
    return {**row, "test_cases": shown, "test_ids": [case["id"] for case in cases]}


def digest_of_tests(row: Mapping[str, Any]) -> str:
    """Return the SHA-256 of all tests of a row, by which a derived set refers to them.

    It does not depend on where the release stores the tests.
    """
    known: str | None = row.get("tests_sha256")
    return known or sha256(row["test_cases"])


def all_cases(file: Path, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return every test of a row, as entries of ``test_cases``.

    Args:
        file: The file of the row, in a language's config of a release:
            ``data/cpp/train-….parquet``.
        row: With ``title``, ``test_cases`` and, where the release has it, ``test_ids``.

    Raises:
        ReleaseError: The config ``tests`` lacks one of them, or cannot be read.
    """
    ids = row.get("test_ids")
    if ids is None:
        cases: list[dict[str, Any]] = json.loads(row["test_cases"])
        return cases
    folder, split = file.parents[2] / TESTS_CONFIG, file.name.split("-")[0]
    stamped = tuple(
        (path, path.stat().st_mtime_ns) for path in sorted(folder.glob(f"{split}-*.parquet"))
    )
    rows = (
        _row_group(place.file, place.group).slice(place.first, place.rows).to_pylist()
        for place in _places(stamped).get(row["title"], ())
    )
    rows_by_id = {test["test_id"]: test for test in itertools.chain.from_iterable(rows)}
    if missing := [name for name in ids if name not in rows_by_id]:
        complaint = f"the tests of {row['title']} are not all there"
        raise ReleaseError(
            complaint,
            f"{folder} has no test {missing[0]}",
            "download the release again, its config tests too",
        )
    return [case_of(rows_by_id[name]) for name in ids]


def case_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the config ``tests`` as an entry of ``test_cases``."""
    roles = ("role", "adds") if row.get("role") or row.get("adds") else ()
    left_out = ("input_sha256", "input_bytes") if row["input"] is None else ()
    # Keys in the order in which a build writes them, because tests are identified by the digest of
    # their JSON.
    case = {"input": row["input"], "output": row["output"], "id": row["test_id"]}
    return case | {name: row[name] for name in ("kind", "size", "seed", *roles, *left_out)}


def complete(file: Path, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a language with all its tests in ``test_cases``, as a list.

    Arguments and errors are those of `all_cases`.
    """
    return {**row, "test_cases": all_cases(file, row), "tests_sha256": digest_of_tests(row)}


@lru_cache(maxsize=4)
def _places(files: tuple[tuple[Path, int], ...]) -> Mapping[str, Sequence[_Place]]:
    """Return where the tests of each problem are."""
    places: dict[str, list[_Place]] = {}
    for file in files:
        with open_parquet(file[0]) as parquet:
            for group in range(parquet.num_row_groups):
                titles = parquet.read_row_group(group, ["title"]).column("title").to_pylist()
                first = 0
                for row, title in enumerate(titles):
                    if row + 1 == len(titles) or titles[row + 1] != title:
                        places.setdefault(title, []).append(
                            _Place(file, group, first, row + 1 - first)
                        )
                        first = row + 1
    return places


# problems are read in the order of their rows, so neighbours share a row group
@lru_cache(maxsize=1)
def _row_group(file: tuple[Path, int], group: int) -> pa.Table:
    with open_parquet(file[0]) as parquet:
        names = set(parquet.schema_arrow.names)
        return parquet.read_row_group(group, [name for name in TESTS.names if name in names])
