"""Reads the train split of a config, one row group at a time, only the requested columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from venus_toolkit.builders.curation.placement import TRAIN
from venus_toolkit.builders.derive.separation import FIGURES, Floats
from venus_toolkit.core.errors import ReleaseError
from venus_toolkit.dataset.parquet import open_parquet
from venus_toolkit.dataset.release import Release

Places = npt.NDArray[np.int64]


class RowGroup(NamedTuple):
    """A row group: the number of the file, and of the group in it."""

    file: int
    group: int


class Batch:
    """The problems of a row group, and all their solutions in one array."""

    def __init__(self, place: RowGroup, table: pa.Table) -> None:
        self.place = place
        self.table = table
        lists = table.column("solutions").combine_chunks()
        # The length of a null list is null, which NumPy reads as nan.
        lengths = np.nan_to_num(lists.value_lengths().to_numpy(zero_copy_only=False)).astype(
            np.int64
        )
        self.ends: Places = np.cumsum(lengths)
        self.starts: Places = self.ends - lengths
        # Unlike `values`, `flatten` skips data behind null lists and thus matches the lengths.
        self.solutions: pa.StructArray = lists.flatten()

    def __len__(self) -> int:
        return len(self.ends)

    @cached_property
    def figures(self) -> Mapping[str, Floats]:
        """FIGURES of the solutions, nan for missing values."""
        have = {field.name for field in self.solutions.type}

        def column(name: str) -> Floats:
            # Older releases lack newer columns.
            if name not in have:
                return np.full(len(self.solutions), np.nan)
            values: Floats = (
                self.solutions.field(name).cast(pa.float64()).to_numpy(zero_copy_only=False)
            )
            return values

        return {name: column(name) for name in FIGURES}

    @cached_property
    def ranked(self) -> list[bool]:
        """True for problems that separate their solutions as the release's plan requires."""
        if "ranked" not in self.table.column_names:
            return [True] * len(self)
        return [flag is not False for flag in self.table.column("ranked").to_pylist()]

    @cached_property
    def passed(self) -> npt.NDArray[np.bool_]:
        """True for accepted solutions."""
        flags: npt.NDArray[np.bool_] = (
            self.solutions.field("passed").fill_null(False).to_numpy(zero_copy_only=False)
        )
        return flags

    @cached_property
    def problems(self) -> list[dict[str, Any]]:
        """The columns of the problems, without their solutions."""
        rows: list[dict[str, Any]] = self.table.drop_columns(["solutions"]).to_pylist()
        return rows


class Train:
    """The train split of a language's config.

    Raises:
        ReleaseError: The config does not exist, has no train split, or has damaged files.
    """

    def __init__(self, release: Release, language: str) -> None:
        if language not in release.languages:
            configs = ", ".join(release.languages) or "no languages"
            raise ReleaseError(
                f"the release {release.folder} has no config {language}",
                f"it has {configs}",
                f"choose one of them, or build it: venus build --lang {language}",
            )
        if TRAIN not in release.splits(language):
            raise ReleaseError(
                f"the config {language} of {release.folder} has no train split",
                "derived sets use only this split, so that training never sees a test problem",
                "build the release with more problems, or a smaller test_fraction",
            )
        self.files = release.files(language, TRAIN)
        self.places: list[RowGroup] = []
        for number, path in enumerate(self.files):
            with open_parquet(path) as file:
                self.places += [RowGroup(number, group) for group in range(file.num_row_groups)]

    def read(
        self, problem: Sequence[str], solution: Sequence[str], places: Sequence[RowGroup]
    ) -> Iterator[Batch]:
        """Yield the row groups at `places` with the named columns of problems and solutions."""
        columns = [*problem, *(f"solutions.list.element.{name}" for name in solution)]
        # Columns that older releases lack
        later_columns = {"ranked", "test_ids", "tests_sha256"}
        for number, group in groupby(places, key=lambda place: place.file):
            path = self.files[number]
            with open_parquet(path) as file:
                for place in group:
                    try:
                        table = file.read_row_group(place.group, columns=columns)
                    except (OSError, pa.ArrowException) as error:
                        raise _damaged(path, str(error).split("\n")[0]) from error
                    missing = sorted(
                        {*problem, "solutions"} - set(table.column_names) - later_columns
                    )
                    if missing:
                        raise _damaged(path, f"it has no column {', '.join(missing)}")
                    yield Batch(place, table)


def _damaged(file: Path, reason: str) -> ReleaseError:
    return ReleaseError(f"{file} cannot be read", reason, "download the release again")
