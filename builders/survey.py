"""Counts the content of a source, and the reasons for rejected and dropped items."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from venus_toolkit.builders.sources import Entry, Rejected
from venus_toolkit.dataset.funnel import Dropped


def count_reasons(dropped: Iterable[Dropped]) -> dict[str, dict[str, int]]:
    """Return the number of drops by stage and reason.

    Reasons that differ only in numbers count as one, with a range: ``2…15 passing``.
    """
    numbers: dict[str, dict[tuple[str, ...], list[list[str]]]] = {}
    for row in dropped:
        # The part after the colon is specific to one item.
        reason = row.reason.splitlines()[0].split(":")[0]
        parts = re.split(r"([0-9]+(?:\.[0-9]+)?)", reason)
        numbers.setdefault(row.stage, {}).setdefault(tuple(parts[::2]), []).append(parts[1::2])
    counts: dict[str, Counter[str]] = {stage: Counter() for stage in numbers}
    for stage, reasons in numbers.items():
        for words, rows in reasons.items():
            ranges = [
                dict.fromkeys((min(column, key=float), max(column, key=float)))
                for column in zip(*rows, strict=True)
            ]
            spelt = "".join(
                word + number
                for word, number in zip(words, [*map("…".join, ranges), ""], strict=True)
            )
            counts[stage][spelt] = len(rows)
    return {stage: dict(counter.most_common()) for stage, counter in counts.items()}


@dataclass(frozen=True, slots=True)
class Survey:
    """The content of a source in numbers.

    Attributes:
        problems: Number of problems.
        styles: Problems by style.
        categories: Problems by category.
        solutions: Solutions by language, then by expectation.
        tests: Number of tests.
        without_tests: Problems without tests.
        rejected: Rejected items by reason, see `count_reasons`.
        seconds: Time of reading.
        complete: Whether the source was read to its end, without a limit.
        example: ``problem``, ``solution`` and ``test``: the first problem, its first solution and
            its first test.
    """

    problems: int
    styles: dict[str, int]
    categories: dict[str, int]
    solutions: dict[str, dict[str, int]]
    tests: int
    without_tests: int
    rejected: dict[str, int]
    seconds: float
    complete: bool
    example: dict[str, Any] | None


def survey(items: Iterable[Entry | Rejected], limit: int | None = None) -> Survey:
    """Read a source, up to `limit` problems, and count."""
    start = time.monotonic()
    styles, categories = Counter[str](), Counter[str]()
    solutions: dict[str, Counter[str]] = {}
    rejected: list[Dropped] = []
    tests = without_tests = 0
    example: dict[str, Any] | None = None
    complete = True
    for item in items:
        if isinstance(item, Rejected):
            rejected.append(Dropped("source", "", item.item, item.reason))
            continue
        # Checked at the next item, so that a source that ends at the limit counts as complete.
        if styles.total() == limit:
            complete = False
            break
        solution, test = next(iter(item.solutions), None), next(iter(item.tests), None)
        example = example or {"problem": item.problem, "solution": solution, "test": test}
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
        rejected=count_reasons(rejected).get("source", {}),
        seconds=round(time.monotonic() - start, 3),
        complete=complete,
        example=example,
    )
