"""What to drop, as one frozen record whose fields a plan in TOML can hold."""

from __future__ import annotations

import dataclasses
import datetime
import math
from dataclasses import dataclass
from typing import Any

from venus_toolkit.errors import UsageError

SCOPES = ("none", "exact", "tokens", "near")
FOLDS = ("literals", "words")
CHOICES = {"across_problems": SCOPES, "fold": FOLDS}
SHARES = ("near", "similar_statements", "contamination_share", "behaviour_share")
NUMBERS = (
    "near_tokens",
    "statement_words",
    "contamination_words",
    "behaviour_tests",
    "min_solutions",
    "max_solutions",
    "cost_strata",
    "memory_mib",
    "threads",
)


@dataclass(frozen=True, slots=True)
class CurationOptions:
    """How a dataset is curated.

    Attributes:
        categories: Problems of these categories are kept.
        paid_only: Whether problems that only paying users may read are kept.
        near: Programs of one problem whose sets of token shingles have at least this Jaccard index are near
            duplicates.
        near_tokens: Tokens in a shingle of a program.
        fold: What makes no difference between tokens: ``literals`` (numbers and strings), ``words`` (also keywords).
        across_problems: How alike programs of different problems must be to count as duplicates.
        similar_statements: Problems whose sets of word shingles have at least this Jaccard index are near duplicates.
        statement_words: Words in a shingle of a statement.
        contamination_words: Words in an n-gram of a statement or a benchmark's item.
        contamination_share: A problem is contaminated where it shares this much of the n-grams of the shorter text.
        benchmarks: Texts that training must not see, each ``NAME=PATH`` (docs/curation.md).
        behaviour_tests: Problems must share at least so many inputs to be compared by their outputs.
        behaviour_share: And at least this share of the inputs of the one that has fewer.
        min_solutions: Problems with fewer passing solutions are dropped.
        max_solutions: At most so many solutions of a problem in a language are kept; None keeps all.
        cost_strata: Into how many classes of cost the solutions are cut for that.
        test_fraction: Share of the problems that are test problems.
        test_from: Problems first published on this day or later are test problems, all others train; None: by hash.
        seed: Of the placement and of the sample.
        memory_mib: What the database may take before it spills to disk.
        threads: How many the database may use.
    """

    categories: tuple[str, ...] = ("algorithms",)
    paid_only: bool = False
    near: float = 0.9
    near_tokens: int = 5
    fold: tuple[str, ...] = ()
    across_problems: str = "tokens"
    similar_statements: float = 0.8
    statement_words: int = 5
    contamination_words: int = 13
    contamination_share: float = 0.3
    benchmarks: tuple[str, ...] = ()
    behaviour_tests: int = 5
    behaviour_share: float = 0.5
    min_solutions: int = 16
    max_solutions: int | None = None
    cost_strata: int = 10
    test_fraction: float = 0.2
    test_from: str | None = None
    seed: int = 0
    memory_mib: int = 768
    threads: int = 2


def make_options(**values: Any) -> CurationOptions:
    """Return checked options; lists, as TOML gives them, become tuples.

    Raises:
        UsageError: An unknown key, or a value that makes no sense.
    """
    known = [field.name for field in dataclasses.fields(CurationOptions)]
    unknown = sorted(set(values) - set(known))
    if unknown:
        what = f"curation has no key {', '.join(unknown)}"
        raise UsageError(what, "known are " + ", ".join(known), "see docs/curation.md")
    given: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    options = CurationOptions(**given)
    for key in values:
        complaint = _complaint(key, getattr(options, key))
        if complaint:
            raise UsageError(f"{key} must be {complaint}", f"got {values[key]!r}", "see docs/curation.md")
    return options


def _complaint(key: str, value: Any) -> str | None:
    """Return what a value should have been, or None where it is so."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    number = whole or (isinstance(value, float) and math.isfinite(value))
    if key in NUMBERS:
        optional = key == "max_solutions" and value is None
        least = 2 if key == "max_solutions" else 1
        return None if optional or (whole and value >= least) else f"a whole number of at least {least}"
    if key in SHARES:
        return None if number and 0 < value <= 1 else "greater than 0 and at most 1"
    if key == "test_fraction":
        return None if number and 0 < value < 1 else "between 0 and 1"
    if key in CHOICES:
        fits = set(value if isinstance(value, tuple) else (value,)) <= set(CHOICES[key])
        return None if fits else "of " + ", ".join(CHOICES[key])
    if key in ("categories", "benchmarks"):
        fits = isinstance(value, tuple) and all(isinstance(item, str) for item in value)
        return None if fits else "a list of texts"
    if key == "paid_only":
        return None if isinstance(value, bool) else "true or false"
    if key == "test_from":
        return None if value is None or _is_day(value) else "a day, YYYY-MM-DD"
    return None if whole else "a whole number"


def _is_day(value: Any) -> bool:
    try:
        return isinstance(value, str) and datetime.date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False
