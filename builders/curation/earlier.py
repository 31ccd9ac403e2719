"""What an earlier release kept and where it put it: it stays there, and comes before everything new."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq

from venus_toolkit.builders.curation.duplicates import Known
from venus_toolkit.builders.curation.placement import TEST, TRAIN
from venus_toolkit.errors import UsageError
from venus_toolkit.store import MANIFEST

FOLDER = "give the folder of a release"
FIX = "give the folder, the manifest.json or the Parquet (title or slug, split) of a release"
SOLUTION_ID = "solutions.list.element.solution_id"


def read_placements(path: Path) -> dict[str, str]:
    """Return slug to split of an earlier release: its folder, its manifest.json, or Parquet with a column ``split``.

    A manifest holds them under ``placements``.

    Raises:
        UsageError: It is none of these, or names another split.
    """
    try:
        placed = _placements(path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"no placements can be read from {path}", str(error), FIX) from error
    wrong = sorted(set(placed.values()) - {TRAIN, TEST})
    if wrong or not placed:
        raise UsageError(f"no placements can be read from {path}", f"it places problems in {wrong or 'nothing'}", FIX)
    return placed


def read_known(folder: Path) -> list[Known]:
    """Return the solutions that the release in `folder` holds, of all languages.

    Raises:
        UsageError: There is none.
    """
    known = []
    try:
        for file in _files(folder, TRAIN) + _files(folder, TEST):
            with pq.ParquetFile(file) as release:
                rows = release.read(columns=["title", SOLUTION_ID]).to_pylist()
            known += [Known(row["title"], each["solution_id"]) for row in rows for each in row["solutions"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"no solutions can be read from {folder}", str(error), "give the folder of a release"
        ) from error
    if not known:
        raise UsageError(f"no solutions can be read from {folder}", "it has no data/*/", FOLDER)
    return known


def _placements(path: Path) -> dict[str, str]:
    if path.is_dir():
        return {slug: part for part in (TRAIN, TEST) for file in _files(path, part) for slug in _column(file, "title")}
    if path.name == MANIFEST:
        return dict(json.loads(path.read_text(encoding="utf-8"))["placements"])
    name = "slug" if "slug" in pq.read_schema(path).names else "title"
    return dict(zip(_column(path, name), _column(path, "split"), strict=True))


def _files(folder: Path, part: str) -> list[Path]:
    return sorted(folder.glob(f"data/*/{part}-*.parquet"))


def _column(path: Path, name: str) -> list[str]:
    values: list[str] = pq.read_table(path, columns=[name])[name].to_pylist()
    return values
