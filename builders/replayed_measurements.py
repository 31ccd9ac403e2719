"""Measurements taken from a release that is already there, so that everything else can be built again to the byte.

A measurement is used again only for the very same code on the very same tests; nothing else is
compared: whether the machine is the same one is the caller's to know.
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
        UsageError: There is no such release, it has no such config, or its files were changed.
    """

    def __init__(self, folder: Path, language: str) -> None:
        manifest = read_manifest(folder)
        what, fix = (
            f"measurements of {folder} cannot be replayed",
            "name a folder that venus build has finished",
        )
        if manifest is None:
            raise UsageError(what, "it has no manifest.json", fix)
        if language not in manifest["configs"]:
            raise UsageError(what, f"it has no config {language}", fix)
        if not intact(folder, manifest):
            raise UsageError(what, "its files are not those that its manifest lists", fix)
        parts = manifest["configs"][language]["splits"].values()
        files = [folder / file for part in parts for file in part["files"]]
        self._by_tests_and_code = {key: measured for file in files for key, measured in _read(file)}

    def find(
        self, solutions: Iterable[Solution], tests: Sequence[TestCase]
    ) -> list[Measurement] | None:
        """Return what was measured of each of these solutions on just these tests, or None where one is missing."""
        tests = measured_tests(tests)
        # Made as in `_read`: of inputs by their SHA-256, for a release may leave large ones out.
        asked = digest([(sha256(test.stdin), test.stdout) for test in tests])
        found = [self._by_tests_and_code.get((asked, solution.code)) for solution in solutions]
        known = [measured for measured in found if measured is not None]
        return known if len(known) == len(found) else None


def _read(file: Path) -> Iterator[tuple[tuple[str, str], Measurement]]:
    """Yield the measurements in a file, each with the digest of its tests and the code."""
    # An earlier release does not have them all
    columns = ["title", "solutions", "test_cases", "test_ids", *FLOOR]
    with pq.ParquetFile(file) as parquet:
        for row in (
            row for batch in parquet.iter_batches(64, columns=columns) for row in batch.to_pylist()
        ):
            tests = all_cases(file, row)
            tests = [test for test in tests if test.get("role") == EFFICIENCY] or tests
            # An input that is left out of the release has its SHA-256 there.
            inputs = [
                test["input_sha256"] if test["input"] is None else sha256(test["input"])
                for test in tests
            ]
            ran = digest(list(zip(inputs, (test["output"] for test in tests), strict=True)))
            # A build measures each repeat on the same inputs, so a release does not say how many
            # were reseeded.
            names = {field.name for field in dataclasses.fields(Measurement)} - {
                "tests",
                "reseeded",
            }
            for solution in row["solutions"]:
                # 0 repeats: it was judged and never measured.
                if solution["repeats"]:
                    figures = {**solution, **{name: row.get(name) for name in FLOOR}}
                    # An earlier release lacks the columns that came later.
                    values: dict[str, Any] = {name: figures.get(name) for name in names}
                    # Published as float64, measured as integers.
                    for name in ("integral_byte_ns", "integral_error_byte_ns"):
                        values[name] = None if values[name] is None else int(values[name])
                    measurement = from_plain(Measurement, {**values, "tests": len(tests)})
                    yield (ran, solution["code"]), measurement
