"""The train split of a config, a row group at a time, and of that only the columns that are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.builders.curation.placement import TRAIN
from venus_toolkit.builders.derive.separation import FIGURES, Floats
from venus_toolkit.errors import ReleaseError
from venus_toolkit.release import Release
from venus_toolkit.release.parquet import open_parquet

ROLE_COLUMNS = ("solution_id", "time", "memory", "integral", "license")
Places = npt.NDArray[np.int64]


class Place(NamedTuple):
    """A row group: the number of the file, and the group's number in it."""

    file: int
    group: int


class Batch:
    """The problems of a row group, and all their solutions one after the other.

    Args:
        place: Where it was read.
        table: The columns that were asked for.
    """

    def __init__(self, place: Place, table: pa.Table) -> None:
        self.place = place
        self.table = table
        lists = table.column("solutions").combine_chunks()
        lengths = np.nan_to_num(lists.value_lengths().to_numpy(zero_copy_only=False)).astype(np.int64)
        self.ends: Places = np.cumsum(lengths)
        self.starts: Places = self.ends - lengths
        self.solutions: pa.StructArray = lists.flatten()

    def __len__(self) -> int:
        return len(self.ends)

    def column(self, name: str) -> pa.Array:
        """Return a column of the solutions."""
        return self.solutions.field(name)

    @cached_property
    def figures(self) -> Mapping[str, Floats]:
        """FIGURES of the solutions, nan where there is none."""
        return {name: _floats(self.column(name)) for name in FIGURES}

    @cached_property
    def passed(self) -> npt.NDArray[np.bool_]:
        """Which solutions were accepted."""
        found: npt.NDArray[np.bool_] = self.column("passed").fill_null(False).to_numpy(zero_copy_only=False)
        return found

    @cached_property
    def problems(self) -> list[dict[str, Any]]:
        """The columns of the problems, but not their solutions."""
        found: list[dict[str, Any]] = self.table.drop_columns(["solutions"]).to_pylist()
        return found


def _floats(column: pa.Array) -> Floats:
    found: Floats = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return found


class Train:
    """The train split of a language's config.

    Args:
        release: Where it is.
        language: The id of the language.

    Raises:
        ReleaseError: There is no such config, it has no train split, or its files are not as a release has them.
    """

    def __init__(self, release: Release, language: str) -> None:
        if language not in release.languages:
            what = f"the release {release.folder} has no config {language}"
            have = ", ".join(release.languages) or "no language at all"
            raise ReleaseError(
                what, f"it has {have}", f"choose one of them, or build it: venus build --lang {language}"
            )
        if TRAIN not in release.splits(language):
            why = "derived sets are made of nothing else, so that no test problem is trained on"
            what = f"the config {language} of {release.folder} has no train split"
            raise ReleaseError(what, why, "build the release with more problems, or a smaller test_fraction")
        self.files = release.files(language, TRAIN)
        self.places = [Place(number, group) for number, file in enumerate(self.files) for group in range(_groups(file))]

    def read(self, problem: Sequence[str], solution: Sequence[str], places: Sequence[Place]) -> Iterator[Batch]:
        """Yield the row groups at `places`, in their order, with some columns of problems and of solutions."""
        columns = [*problem, *(f"solutions.list.element.{name}" for name in solution)]
        open_number, file = -1, None
        try:
            for place in places:
                if file is None or place.file != open_number:
                    if file is not None:
                        file.close()
                    open_number, file = place.file, open_parquet(self.files[place.file])
                yield self._batch(place, file, columns, [*problem, "solutions"])
        finally:
            if file is not None:
                file.close()

    def _batch(self, place: Place, file: pq.ParquetFile, columns: list[str], wanted: list[str]) -> Batch:
        try:
            table = file.read_row_group(place.group, columns=columns)
        except (OSError, pa.ArrowException) as error:
            raise _damaged(self.files[place.file], str(error).split("\n")[0]) from error
        lacking = sorted(set(wanted) - set(table.column_names))
        if lacking:
            raise _damaged(self.files[place.file], f"it has no column {', '.join(lacking)}")
        return Batch(place, table)


def _groups(file: Path) -> int:
    with open_parquet(file) as opened:
        return int(opened.num_row_groups)


def _damaged(file: Path, why: str) -> ReleaseError:
    return ReleaseError(f"{file} cannot be read", why, "get the release again")
