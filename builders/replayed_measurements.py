"""Measurements replayed from an existing release, so that a rebuild gives the same bytes.

A measurement is reused only for identical code on identical tests. The caller must ensure that the
machine is the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.records import (
    EFFICIENCY,
    Measurement,
    Solution,
    TestCase,
    digest,
    from_plain,
    measured_tests,
)
from venus_toolkit.core.store import intact, read_manifest
from venus_toolkit.dataset.columns import FLOOR
from venus_toolkit.dataset.test_cases import all_cases
from venus_toolkit.execution.judging.generators import sha256


class ReplayedMeasurements:
    """The measurements of one language in a release folder.

    Raises:
        UsageError: The release or its config does not exist, or its files were changed.
    """

    def __init__(self, folder: Path, language: str) -> None:
        manifest = read_manifest(folder)
        refusal = f"measurements of {folder} cannot be replayed"
        fix = "name a folder that venus build has finished"
        if manifest is None:
            raise UsageError(refusal, "it has no manifest.json", fix)
        if language not in manifest["configs"]:
            raise UsageError(refusal, f"it has no config {language}", fix)
        if not intact(folder, manifest):
            raise UsageError(refusal, "its files are not those that its manifest lists", fix)
        parts = manifest["configs"][language]["splits"].values()
        files = [folder / file for part in parts for file in part["files"]]
        self._by_tests_and_code = {key: measured for file in files for key, measured in _read(file)}

    def find(
        self, solutions: Iterable[Solution], tests: Sequence[TestCase]
    ) -> list[Measurement] | None:
        """Return the measurements of all solutions on exactly these tests, or None if one is missing."""
        tests = measured_tests(tests)
        # As in `_read`: with the SHA-256 of inputs, because a release may omit large ones.
        tests_key = digest([(sha256(test.stdin), test.stdout) for test in tests])
        matches = [
            self._by_tests_and_code.get((tests_key, solution.code)) for solution in solutions
        ]
        known = [measured for measured in matches if measured is not None]
        return known if len(known) == len(matches) else None


def _read(file: Path) -> Iterator[tuple[tuple[str, str], Measurement]]:
    """Yield the measurements in a file, each with the digest of its tests and the code."""
    # Older releases lack some of these columns.
    columns = ["title", "solutions", "test_cases", "test_ids", *FLOOR]
    with pq.ParquetFile(file) as parquet:
        for row in (
            row for batch in parquet.iter_batches(64, columns=columns) for row in batch.to_pylist()
        ):
            tests = all_cases(file, row)
            tests = [test for test in tests if test.get("role") == EFFICIENCY] or tests
            # An omitted input has its SHA-256 in the release.
            inputs = [
                test["input_sha256"] if test["input"] is None else sha256(test["input"])
                for test in tests
            ]
            tests_key = digest(list(zip(inputs, (test["output"] for test in tests), strict=True)))
            # A release has no count of reseeded tests: a build uses the same inputs in each repeat.
            names = {field.name for field in dataclasses.fields(Measurement)} - {
                "tests",
                "reseeded",
            }
            for solution in row["solutions"]:
                # 0 repeats: judged but never measured
                if solution["repeats"]:
                    figures = {**solution, **{name: row.get(name) for name in FLOOR}}
                    # Older releases lack newer columns.
                    values: dict[str, Any] = {name: figures.get(name) for name in names}
                    # Published as float64, but measured as integers
                    for name in ("integral_byte_ns", "integral_error_byte_ns"):
                        values[name] = None if values[name] is None else int(values[name])
                    measurement = from_plain(Measurement, {**values, "tests": len(tests)})
                    yield (tests_key, solution["code"]), measurement
