"""Places each problem in train or test: permanently, and in the same split for every language.

A keyed hash of the slug alone decides, so that adding or removing problems moves no other one. This
meets the requested share on average. With the placements of a previous release (empty for a first
one), the new problems of each difficulty are placed in hash order so that each difficulty meets the
share exactly, as far as the earlier placements allow. Placed problems never move.
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
    """Return ``train`` or ``test`` for each problem.

    Two or more problems fill both splits, unless the share of test problems is 1.

    Args:
        problems: In any order; only their slugs, difficulties and dates matter.
        options: The share of test problems and the seed, or the first day of test problems.
        previous: Slug to split in a previous release, including problems since removed; None:
            this is the first release.
    """
    by_slug = {problem.slug: problem for problem in problems}
    problems = sorted(by_slug.values(), key=lambda problem: draw(problem.slug, options.seed))
    placed = {
        problem.slug: previous[problem.slug]
        for problem in problems
        if previous and problem.slug in previous
    }
    new = [problem for problem in problems if problem.slug not in placed]
    # Earlier placements win over dates and shares.
    if options.test_from is not None:
        placed |= {
            problem.slug: TEST if (problem.date or "") >= options.test_from else TRAIN
            for problem in new
        }
    elif previous is not None:
        for difficulty in {problem.difficulty for problem in problems}:
            slugs = [problem.slug for problem in problems if problem.difficulty == difficulty]
            # Negative if earlier placements exceed the share; then all new problems are train.
            test_places = round(options.test_fraction * len(slugs)) - sum(
                placed.get(slug) == TEST for slug in slugs
            )
            unplaced = [slug for slug in slugs if slug not in placed]
            placed |= {
                slug: TEST if number < test_places else TRAIN
                for number, slug in enumerate(unplaced)
            }
    else:
        placed |= {
            problem.slug: TEST
            if draw(problem.slug, options.seed) < options.test_fraction
            else TRAIN
            for problem in new
        }
    missing = {TRAIN, TEST} - set(placed.values())
    if len(placed) > 1 and missing and new and options.test_fraction < 1:
        # Neither split may be empty: the new problem with the nearest hash moves.
        part = missing.pop()
        placed[(new[0] if part == TEST else new[-1]).slug] = part
    return placed


def draw(slug: str, seed: int) -> float:
    """Return a number from [0, 1) that depends only on the slug and the seed."""
    # A folder name may hold lone surrogates, which strict UTF-8 refuses.
    name = f"{seed}/{slug}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(name).digest()[:8], "big") / 2**64


def read_placements(release: Path) -> dict[str, str]:
    """Return slug to split of a previous release, from its manifest.json or else from its tables.

    Raises:
        UsageError: The folder does not hold a release, or a problem is in neither split.
    """
    manifest = release / MANIFEST
    try:
        if manifest.is_file():
            placed = dict(json.loads(manifest.read_text(encoding="utf-8"))["placements"])
        else:
            # A release stores the slug in its column ``title``, and the title in ``name``.
            files = [(part, file) for part in (TRAIN, TEST) for file in _files(release, part)]
            tables = ((part, pq.read_table(file, columns=["title"])) for part, file in files)
            placed = {slug: part for part, table in tables for slug in table["title"].to_pylist()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"no placements can be read from {release}", str(error), FIX) from error
    wrong = sorted(set(placed.values()) - {TRAIN, TEST})
    if wrong or not placed:
        reason = f"it places problems in {wrong or 'nothing'}"
        raise UsageError(f"no placements can be read from {release}", reason, FIX)
    return placed


def read_known(release: Path) -> list[SolutionKey]:
    """Return the solutions of a release in all languages.

    Raises:
        UsageError: The release has no solutions, or cannot be read.
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
                SolutionKey(row["title"], solution["solution_id"])
                for row in rows
                for solution in row["solutions"]
            ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"no solutions can be read from {release}", str(error), FIX) from error
    if not known:
        raise UsageError(f"no solutions can be read from {release}", "it has no data/*/", FIX)
    return known


def _files(release: Path, part: str) -> list[Path]:
    return sorted(release.glob(f"data/*/{part}-*.parquet"))
