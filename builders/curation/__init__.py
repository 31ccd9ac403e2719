"""What is worth keeping, and where it goes: one idea a module, every drop with its reason.

Before anything runs (`curate`): `problems` (not for everybody, not an algorithm, a statement like
another's), `contamination` (found in a benchmark or in the test split), `duplicates` (solutions
with equal text, equal tokens, or nearly equal tokens). After everything ran: `problems` again
(problems that answer alike, too few passing solutions), `stratified_sample` (more solutions than
wanted), `placement` (train or test). `dataset/funnel.py` counts what each stage took.

Words: an *item* is a solution, a problem or a text. Items come in an order of *precedence*; of two
that are alike the one that comes first is kept, and whatever a previous release kept comes before
everything new. An item is dropped when it is like any that precedes it, itself dropped or not: so
more items never bring a dropped one back.

Rows are worked on by DuckDB, Arrow and NumPy, in blocks and within a memory limit; Python sees one
row at a time only where it is dropped. What does not fit into memory spills into a folder, `work`:
without room there, any of this raises StoreError.
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
class Curated:
    """What was dropped; everything else is kept.

    Attributes:
        dropped: Problems and solutions, with the reasons.
    """

    dropped: tuple[Dropped, ...]

    @cached_property
    def problems(self) -> frozenset[str]:
        """The slugs of dropped problems."""
        return frozenset(row.problem for row in self.dropped if row.stage != DUPLICATES)

    @cached_property
    def solutions(self) -> frozenset[SolutionKey]:
        """The names of the solutions that were dropped from problems that are kept."""
        return frozenset(
            SolutionKey(row.problem, row.item) for row in self.dropped if row.stage == DUPLICATES
        )

    def keep(self, entry: Entry) -> Entry | None:
        """Return an entry with the solutions that are kept, or None where the problem is not."""
        slug = entry.problem.slug
        if slug in self.problems:
            return None
        kept = tuple(
            each
            for each in entry.solutions
            if SolutionKey(slug, each.solution_id) not in self.solutions
        )
        return entry._replace(solutions=kept)


def curate(
    staged: StagedSource,
    languages: Mapping[str, Language],
    options: CurationOptions,
    work: Path,
    previous_problems: Collection[str] = (),
    previous_solutions: Collection[SolutionKey] = (),
) -> Curated:
    """Drop unwanted, similar and contaminated problems, then solutions that are alike.

    Nothing of this needs execution. The problems, by slug, and solutions that a previous release
    kept precede all others.

    Raises:
        UsageError: A benchmark cannot be read.
        LanguageError: A language's patterns cannot be used.
        StoreError: There is no room in `work`.
    """

    def slugs() -> frozenset[str]:
        return frozenset(each.problem for each in dropped)

    # Each stage leaves out what those before it dropped: a dropped problem takes no other with it.
    dropped = unwanted_problems(staged, options, work)
    dropped += contaminated_problems(staged, options, work, slugs())
    dropped += similar_problems(staged, options, work, slugs(), previous_problems)
    return Curated(
        (
            *dropped,
            *duplicate_solutions(staged, languages, options, work, slugs(), previous_solutions),
        )
    )
