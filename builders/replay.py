"""Measurements taken from a release that is already there, so that everything else can be built again to the byte.

A measurement is used again only for the very same code on the very same tests; nothing else is compared: whether the
machine is the same one is the caller's to know.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from venus_toolkit.errors import UsageError
from venus_toolkit.generators import sha256
from venus_toolkit.records import Measurement, Solution, TestCase, digest
from venus_toolkit.store import intact, read_manifest

COLUMNS = ["solutions", "test_cases"]
WHOLE = ("integral_byte_ns", "integral_error_byte_ns")  # published as float64, measured as integers


class Replay:
    """The measurements of one language in a release folder.

    Args:
        folder: The release: a folder with a manifest.
        language: The config to read.

    Raises:
        UsageError: There is no such release, it has no such config, or its files were changed.
    """

    def __init__(self, folder: Path, language: str) -> None:
        manifest = read_manifest(folder)
        what, fix = f"measurements of {folder} cannot be replayed", "name a folder that venus build has finished"
        if manifest is None:
            raise UsageError(what, "it has no manifest.json", fix)
        if language not in manifest["configs"]:
            raise UsageError(what, f"it has no config {language}", fix)
        if not intact(folder, manifest):
            raise UsageError(what, "its files are not those that its manifest lists", fix)
        self._files = [
            folder / file for part in manifest["configs"][language]["splits"].values() for file in part["files"]
        ]

    def find(self, solutions: Iterable[Solution], tests: Sequence[TestCase]) -> list[Measurement] | None:
        """Return what was measured of each of these solutions on just these tests, or None where one is missing."""
        asked = _digest((sha256(test.stdin), test.stdout) for test in tests)
        found = [self._measurements.get((asked, solution.code)) for solution in solutions]
        known = [measured for measured in found if measured is not None]
        return known if len(known) == len(found) else None

    @cached_property
    def _measurements(self) -> dict[tuple[str, str], Measurement]:
        return {key: measured for file in self._files for key, measured in _read(file)}


def _read(file: Path) -> Iterator[tuple[tuple[str, str], Measurement]]:
    with pq.ParquetFile(file) as parquet:
        for batch in parquet.iter_batches(64, columns=COLUMNS):
            for row in batch.to_pylist():
                tests = [(_identity(test), test["output"]) for test in json.loads(row["test_cases"])]
                ran = _digest(tests)
                for solution in row["solutions"]:
                    if solution["repeats"]:
                        yield (ran, solution["code"]), _measurement(solution, len(tests))


def _identity(test: Mapping[str, Any]) -> str:
    """Return the SHA-256 of an input, also of one that is left out."""
    return sha256(test["input"]) if test["input"] is not None else str(test["input_sha256"])


def _digest(tests: Iterable[tuple[str, str | None]]) -> str:
    return digest(list(tests))


def _measurement(row: Mapping[str, Any], tests: int) -> Measurement:
    values = {field.name: row[field.name] for field in dataclasses.fields(Measurement) if field.name != "tests"}
    whole = {name: None if values[name] is None else int(values[name]) for name in WHOLE}
    return Measurement(**{**values, **whole, "tests": tests, "noise": tuple(values["noise"])})
