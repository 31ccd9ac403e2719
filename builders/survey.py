"""What one would get from a source, counted: for a look before a build."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from venus_toolkit.builders.facts import Dropped, count_reasons
from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.records import Problem, Solution, TestCase


@dataclass(frozen=True, slots=True)
class Example:
    """A problem with the first of its solutions and the first of its tests."""

    problem: Problem
    solution: Solution | None
    test: TestCase | None


@dataclass(frozen=True, slots=True)
class Survey:
    """What a source gave. `complete` is false where a limit ended the reading; `example` is its first problem.

    solutions counts by language, then by what they are expected to be; set_aside counts by reason, with N for numbers.
    """

    problems: int
    styles: dict[str, int]
    categories: dict[str, int]
    solutions: dict[str, dict[str, int]]
    tests: int
    without_tests: int
    set_aside: dict[str, int]
    seconds: float
    complete: bool
    example: Example | None


def survey(items: Iterable[Entry | SetAside], limit: int | None = None) -> Survey:
    """Read a source, up to `limit` problems, and count."""
    start = time.monotonic()
    styles, categories = Counter[str](), Counter[str]()
    solutions: dict[str, Counter[str]] = {}
    aside: list[Dropped] = []
    tests = without_tests = 0
    example, complete = None, True
    for item in items:
        if isinstance(item, SetAside):
            aside.append(Dropped("source", "", item.item, item.reason))
            continue
        if styles.total() == limit:
            complete = False
            break
        example = example or _example(item)
        styles[item.problem.style] += 1
        categories[item.problem.category] += 1
        tests += len(item.tests)
        without_tests += not item.tests
        for solution in item.solutions:
            solutions.setdefault(solution.language, Counter())[str(solution.expected)] += 1
    return Survey(
        problems=styles.total(),
        styles=dict(styles),
        categories=dict(categories),
        solutions={language: dict(counts) for language, counts in sorted(solutions.items())},
        tests=tests,
        without_tests=without_tests,
        set_aside=count_reasons(aside).get("source", {}),
        seconds=round(time.monotonic() - start, 3),
        complete=complete,
        example=example,
    )


def _example(entry: Entry) -> Example:
    return Example(entry.problem, next(iter(entry.solutions), None), next(iter(entry.tests), None))
