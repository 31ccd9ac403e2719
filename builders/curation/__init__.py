"""Selects problems and solutions, and places problems in train or test; each drop has a reason.

Before execution (`curate`): `problems` (paid only, not an algorithm, a statement like another's),
`decontamination` (found in a benchmark or in the test split), `duplicates` (solutions with equal
text, equal tokens, or nearly equal tokens). After execution: `problems` again (problems with the
same answers, too few passing solutions), `stratified_sample` (more solutions than the cap),
`placement` (train or test). `dataset/funnel.py` counts the drops of each stage.

Vocabulary: an *item* is a solution, a problem or a text. Items have an order of *precedence*, in
which items of a previous release come before new ones. An item is dropped if it is similar to any
preceding item, dropped or not, so adding items never restores a dropped one.

DuckDB, Arrow and NumPy process rows in blocks within a memory limit; Python handles single rows
only when they are dropped. Larger data spills into a folder, `work`; every function here raises
StoreError if that is full.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from venus_toolkit.builders.curation.curation_options import CurationOptions
from venus_toolkit.builders.curation.decontamination import contaminated_problems
from venus_toolkit.builders.curation.duplicates import STAGE as DUPLICATES
from venus_toolkit.builders.curation.duplicates import SolutionKey, duplicate_solutions
from venus_toolkit.builders.curation.problems import similar_problems, unwanted_problems
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.staging import StagedSource
from venus_toolkit.core.language import Language
from venus_toolkit.dataset.funnel import Dropped


@dataclass(frozen=True)
class CurationResult:
    """The problems and solutions dropped by `curate`, with the reasons."""

    dropped: tuple[Dropped, ...]

    @cached_property
    def problems(self) -> frozenset[str]:
        """The slugs of dropped problems."""
        return frozenset(row.problem for row in self.dropped if row.stage != DUPLICATES)

    @cached_property
    def solutions(self) -> frozenset[SolutionKey]:
        """The keys of the solutions dropped from remaining problems."""
        return frozenset(
            SolutionKey(row.problem, row.item) for row in self.dropped if row.stage == DUPLICATES
        )

    def keep(self, entry: Entry) -> Entry | None:
        """Return an entry without its dropped solutions, or None if its problem is dropped."""
        slug = entry.problem.slug
        if slug in self.problems:
            return None
        solutions = tuple(
            solution
            for solution in entry.solutions
            if SolutionKey(slug, solution.solution_id) not in self.solutions
        )
        return entry._replace(solutions=solutions)


def curate(
    staged: StagedSource,
    languages: Mapping[str, Language],
    options: CurationOptions,
    work: Path,
    previous_problems: Collection[str] = (),
    previous_solutions: Collection[SolutionKey] = (),
) -> CurationResult:
    """Drop unwanted, similar and contaminated problems, then duplicate solutions.

    Runs no program. Problems (slugs) and solutions of a previous release precede all others.

    Raises:
        UsageError: A benchmark cannot be read.
        LanguageError: A language's patterns cannot be used.
        StoreError: `work` is full.
    """

    def slugs() -> frozenset[str]:
        return frozenset(row.problem for row in dropped)

    # Each stage ignores problems already dropped, so that these cause no further drops.
    dropped = unwanted_problems(staged, options, work)
    dropped += contaminated_problems(staged, options, work, slugs())
    dropped += similar_problems(staged, options, work, slugs(), previous_problems)
    return CurationResult(
        (
            *dropped,
            *duplicate_solutions(staged, languages, options, work, slugs(), previous_solutions),
        )
    )
