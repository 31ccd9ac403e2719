"""All of curation that needs no execution, in order, each stage on what the ones before it left."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from venus_toolkit.builders.curation.contamination import contaminated_problems
from venus_toolkit.builders.curation.duplicates import Known, duplicate_solutions
from venus_toolkit.builders.curation.options import CurationOptions
from venus_toolkit.builders.curation.problems import similar_problems, unwanted_problems
from venus_toolkit.builders.facts import Dropped
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.staging import Staged
from venus_toolkit.language import Language


@dataclass(frozen=True, slots=True)
class Curated:
    """What was dropped; everything else is kept.

    Attributes:
        dropped: All that was dropped, with the reasons.
        problems: The slugs of dropped problems.
        solutions: The names of the solutions that were dropped from problems that were not.
    """

    dropped: tuple[Dropped, ...]
    problems: frozenset[str]
    solutions: frozenset[Known]

    def keep(self, entry: Entry) -> Entry | None:
        """Return an entry with the solutions that are kept, or None where the problem is not."""
        slug = entry.problem.slug
        if slug in self.problems:
            return None
        kept = tuple(each for each in entry.solutions if Known(slug, each.solution_id) not in self.solutions)
        return entry._replace(solutions=kept)


def curate(
    staged: Staged,
    languages: Mapping[str, Language],
    options: CurationOptions,
    work: Path,
    earlier_problems: Collection[str] = (),
    earlier_solutions: Collection[Known] = (),
) -> Curated:
    """Drop unwanted, similar and contaminated problems, then solutions that are alike.

    Args:
        staged: The source.
        languages: All languages by id.
        options: What to drop.
        work: A folder for what does not fit into memory (``OUT/.venus/tmp``).
        earlier_problems: Slugs that an earlier release kept: they precede all others.
        earlier_solutions: Solutions that an earlier release kept: they precede all others.

    Raises:
        UsageError: A benchmark cannot be read.
        LanguageError: A language's patterns cannot be used.
        StoreError: There is no room in `work`.
    """
    dropped = unwanted_problems(staged, options, work)
    dropped += contaminated_problems(staged, options, work, _slugs(dropped))
    dropped += similar_problems(staged, options, work, _slugs(dropped), earlier_problems)
    problems = frozenset(_slugs(dropped))
    alike = duplicate_solutions(staged, languages, options, work, problems, earlier_solutions)
    solutions = frozenset(Known(each.problem, each.item) for each in alike)
    return Curated((*dropped, *alike), problems, solutions)


def _slugs(dropped: Collection[Dropped]) -> set[str]:
    return {each.problem for each in dropped}
