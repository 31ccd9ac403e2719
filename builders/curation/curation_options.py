"""What to drop, as one frozen record whose fields a plan in TOML can hold."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Annotated

from venus_toolkit.core.options import SHARE, Bound, check_bounds, one_of

SCOPES = ("none", "exact", "tokens", "near")


def _is_day(text: str) -> bool:
    try:
        # It reads 20240701 and 2024-W27-1 as well, but days are compared as text.
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


Count = Annotated[int, Bound("a whole number of at least 1", lambda value: value >= 1)]
Share = Annotated[float, SHARE]


@dataclass(frozen=True, slots=True)
class CurationOptions:
    """How a dataset is curated.

    Attributes:
        categories: Problems of these categories are kept.
        paid_only: Whether problems that only paying users may read are kept.
        near: Programs of one problem whose sets of token shingles have at least this Jaccard index
            are near duplicates.
        near_tokens: Tokens in a shingle of a program.
        fold: What makes no difference between tokens: ``literals`` (numbers and strings), ``words``
            (also keywords).
        across_problems: How alike programs of different problems must be to count as duplicates.
        similar_statements: Problems whose sets of word shingles have at least this Jaccard index
            are near duplicates.
        statement_words: Words in a shingle of a statement.
        contamination_words: Words in an n-gram of a statement or a benchmark's item.
        contamination_share: A problem is contaminated where it shares this much of the n-grams of
            the shorter text.
        benchmarks: Texts that training must not see, each ``NAME=PATH`` (docs/curation.md).
        behaviour_tests: Problems are compared by their outputs when they share at least this many
            inputs.
        behaviour_share: And at least this share of the inputs of the one that has fewer.
        min_solutions: Problems with fewer passing solutions are dropped.
        max_solutions: Maximum number of solutions of a problem in a language; None keeps all.
        cost_strata: Number of quantiles of cost that the sample is drawn from.
        test_fraction: Share of the problems that are test problems.
        test_from: Problems first published on this day or later are test problems, all others
            train; None: by hash.
        seed: Of the placement and of the sample.
        memory_mib: Memory the database may take before it spills to disk.
        threads: Threads the database may use.

    Raises:
        UsageError: A value is out of its range.
    """

    categories: tuple[str, ...] = ("algorithms",)
    paid_only: bool = False
    near: Share = 0.9
    near_tokens: Count = 5
    # Off: words include keywords.
    fold: Annotated[tuple[str, ...], one_of("literals", "words")] = ()
    # Not near: a long template makes programs for different problems alike.
    across_problems: Annotated[str, one_of(*SCOPES)] = "tokens"
    similar_statements: Share = 0.8
    statement_words: Count = 5
    contamination_words: Count = 13
    # Unrelated problems shared at most 0.10 of their n-grams, variants of one problem 0.6 to 0.99.
    contamination_share: Share = 0.3
    benchmarks: tuple[str, ...] = ()
    behaviour_tests: Count = 5
    behaviour_share: Share = 0.5
    min_solutions: Count = 16
    # A sample always holds the fastest and the slowest.
    max_solutions: Annotated[
        int | None, Bound("a whole number of at least 2", lambda value: value >= 2)
    ] = None
    cost_strata: Count = 10
    test_fraction: Share = 0.2
    test_from: Annotated[str | None, Bound("a day, YYYY-MM-DD", _is_day)] = None
    seed: int = 0
    memory_mib: Count = 768
    threads: Count = 2

    def __post_init__(self) -> None:
        """Refuse values out of their bounds."""
        check_bounds(self, "see docs/curation.md")
