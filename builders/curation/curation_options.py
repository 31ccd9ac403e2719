"""The options of curation: one frozen record that a plan in TOML can set."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Annotated

from venus_toolkit.core.options import SHARE, Bound, check_bounds, one_of

SCOPES = ("none", "exact", "tokens", "near")


def _is_day(text: str) -> bool:
    try:
        # `fromisoformat` also reads 20240701 and 2024-W27-1, but dates are compared as text.
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


Count = Annotated[int, Bound("a whole number of at least 1", lambda value: value >= 1)]
Share = Annotated[float, SHARE]


@dataclass(frozen=True, slots=True)
class CurationOptions:
    """How a dataset is curated.

    Attributes:
        categories: The categories of problems to keep.
        paid_only: Whether to keep problems that only paying users may read.
        near: Minimum Jaccard index of token shingles at which two programs for one problem count
            as near duplicates.
        near_tokens: Tokens in a shingle of a program.
        fold: Differences between tokens to ignore: ``literals`` (numbers and strings), ``words``
            (including keywords).
        across_problems: The similarity of programs of different problems that makes them
            duplicates, one of `SCOPES`.
        similar_statements: Minimum Jaccard index of word shingles at which two statements count as
            similar.
        statement_words: Words in a shingle of a statement.
        contamination_words: Words in an n-gram of a statement or a benchmark's item.
        contamination_share: A problem is contaminated if it shares at least this fraction of the
            n-grams of the shorter text with a benchmark's item.
        benchmarks: Texts that training must not see, each ``NAME=PATH`` (docs/curation.md).
        behaviour_tests: Minimum number of common inputs for comparing two problems by outputs.
        behaviour_share: Minimum fraction of common inputs, of the problem with fewer inputs.
        min_solutions: Minimum number of passing solutions of a problem.
        max_solutions: Maximum number of solutions of a problem in a language; None keeps all.
        cost_strata: The number of cost quantiles from which the sample is drawn.
        test_fraction: The share of test problems.
        test_from: Problems first published on this day or later are test problems, all others
            train; None: by hash.
        seed: Seed of the placement and of the sample.
        memory_mib: Memory of the database in MiB before it spills to disk.
        threads: Threads of the database.

    Raises:
        UsageError: A value is out of its range.
    """

    categories: tuple[str, ...] = ("algorithms",)
    paid_only: bool = False
    near: Share = 0.9
    near_tokens: Count = 5
    # Empty by default: folding words would also fold keywords.
    fold: Annotated[tuple[str, ...], one_of("literals", "words")] = ()
    # Not "near": a long template makes programs for different problems look alike.
    across_problems: Annotated[str, one_of(*SCOPES)] = "tokens"
    similar_statements: Share = 0.8
    statement_words: Count = 5
    contamination_words: Count = 13
    # Measured: at most 0.10 between unrelated problems, 0.6 to 0.99 between variants of one.
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
