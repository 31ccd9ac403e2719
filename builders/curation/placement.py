"""Train or test: by problem, never by row, the same for every language, and for good.

A problem's place follows from a keyed hash of its slug alone, so it stays where it is when other
problems come or go. That meets the wanted share on average. Where the placements of a previous
release are given (an empty one, for a first release that will be recorded, too), the new problems
of each difficulty are placed in the order of the same hash so that the difficulty's share is met
exactly, as far as the placed ones allow; those never move.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow.parquet as pq

from venus_toolkit.builders.curation.curation_options import CurationOptions
from venus_toolkit.builders.curation.duplicates import SolutionKey
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.records import Problem
from venus_toolkit.core.store import MANIFEST

TRAIN, TEST = "train", "test"
FIX = "give the folder of a release"


def place(
    problems: Iterable[Problem], options: CurationOptions, previous: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return ``train`` or ``test`` for each problem, at least one of each where there are two or more.

    With a share of 1 all are test problems.

    Args:
        problems: In any order; only their slugs, difficulties and dates matter.
        options: The share of test problems, the seed, or the day from which on problems are test
            problems.
        previous: Slug to split in a previous release, also of problems that are gone; None: no
            release is known.
    """
    by_slug = {each.slug: each for each in problems}
    problems = sorted(by_slug.values(), key=lambda each: draw(each.slug, options.seed))
    placed = {
        each.slug: previous[each.slug] for each in problems if previous and each.slug in previous
    }
    new = [each for each in problems if each.slug not in placed]
    # Placed problems never move, whatever their date or the wanted share.
    if options.test_from is not None:
        placed |= {
            each.slug: TEST if (each.date or "") >= options.test_from else TRAIN for each in new
        }
    elif previous is not None:
        for difficulty in {each.difficulty for each in problems}:
            mine = [each.slug for each in problems if each.difficulty == difficulty]
            # Negative where too many were placed in test before: then no new one is.
            wanted = round(options.test_fraction * len(mine)) - sum(
                placed.get(slug) == TEST for slug in mine
            )
            unplaced = [slug for slug in mine if slug not in placed]
            placed |= {
                slug: TEST if number < wanted else TRAIN for number, slug in enumerate(unplaced)
            }
    else:
        placed |= {
            each.slug: TEST if draw(each.slug, options.seed) < options.test_fraction else TRAIN
            for each in new
        }
    missing = {TRAIN, TEST} - set(placed.values())
    if len(placed) > 1 and missing and new and options.test_fraction < 1:
        # Neither part may be empty: the new problem that is nearest to the empty one moves.
        part = missing.pop()
        placed[(new[0] if part == TEST else new[-1]).slug] = part
    return placed


def draw(slug: str, seed: int) -> float:
    """Return a number from [0, 1) that depends on the slug and the seed alone."""
    # A folder's name may hold lone surrogates, which strict UTF-8 refuses.
    name = f"{seed}/{slug}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(name).digest()[:8], "big") / 2**64


def read_placements(release: Path) -> dict[str, str]:
    """Return slug to split of a previous release.

    They are read from its manifest.json, or from its files where it has none.

    Raises:
        UsageError: The folder holds no release, or one that names another split.
    """
    manifest = release / MANIFEST
    try:
        if manifest.is_file():
            placed = dict(json.loads(manifest.read_text(encoding="utf-8"))["placements"])
        else:
            # The slug is in the column title of a release; its column name holds the title.
            files = [(part, file) for part in (TRAIN, TEST) for file in _files(release, part)]
            tables = ((part, pq.read_table(file, columns=["title"])) for part, file in files)
            placed = {slug: part for part, table in tables for slug in table["title"].to_pylist()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"no placements can be read from {release}", str(error), FIX) from error
    wrong = sorted(set(placed.values()) - {TRAIN, TEST})
    if wrong or not placed:
        why = f"it places problems in {wrong or 'nothing'}"
        raise UsageError(f"no placements can be read from {release}", why, FIX)
    return placed


def read_known(release: Path) -> list[SolutionKey]:
    """Return the solutions that a release holds, of all languages.

    Raises:
        UsageError: There is none.
    """
    known = []
    try:
        for file in _files(release, TRAIN) + _files(release, TEST):
            # Only `ParquetFile` reads single fields of a list of structs.
            with pq.ParquetFile(file) as parquet:
                rows = parquet.read(
                    columns=["title", "solutions.list.element.solution_id"]
                ).to_pylist()
            known += [
                SolutionKey(row["title"], each["solution_id"])
                for row in rows
                for each in row["solutions"]
            ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"no solutions can be read from {release}", str(error), FIX) from error
    if not known:
        raise UsageError(f"no solutions can be read from {release}", "it has no data/*/", FIX)
    return known


def _files(release: Path, part: str) -> list[Path]:
    return sorted(release.glob(f"data/*/{part}-*.parquet"))
