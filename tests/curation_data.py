"""Small problems and solutions for the tests of staging and curation."""

from __future__ import annotations

import atexit
import dataclasses
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from venus_toolkit.builders.curation.curation_options import CurationOptions
from venus_toolkit.builders.sources import Entry, Rejected
from venus_toolkit.builders.staging import StagedSource, stage
from venus_toolkit.core.options import fill
from venus_toolkit.core.records import (
    Expectation,
    Limits,
    OutputComparison,
    Problem,
    Solution,
    TestCase,
)


def make_options(**values: Any) -> CurationOptions:
    """Return the options that the table [curation] of a plan sets."""
    return fill(CurationOptions, values, "curation", "see docs/curation.md")


FOLDERS = Path(tempfile.mkdtemp(prefix="venus-curation-"))
atexit.register(shutil.rmtree, FOLDERS, ignore_errors=True)

PROGRAM = """\
# reads the numbers
import sys

def best(values, width):
    total = sum(values[:width])
    largest = total
    for index in range(width, len(values)):
        total += values[index] - values[index - width]
        if total > largest:
            largest = total
    return largest

numbers = [int(word) for word in sys.stdin.read().split()]
count, size, rest = numbers[0], numbers[1], numbers[2:]
print("best", best(rest[:count], size))
"""
OTHER = """\
import heapq
queue = []
for line in open(0):
    command, *values = line.split()
    if command == "push":
        heapq.heappush(queue, int(values[0]))
    elif queue:
        print(heapq.heappop(queue))
    else:
        print("empty")
"""


def problem(slug: str = "p", **changes: Any) -> Problem:
    """Return a problem; the digits in its slug determine its id."""
    digits = "".join(filter(str.isdigit, slug))
    plain = Problem(
        slug, int(digits or 0), slug.title(), f"Statement of {slug}.", "Easy", ("tag",), "stdin", "tests", "CC0-1.0",
        Limits(), OutputComparison(),
    )  # fmt: skip
    return dataclasses.replace(plain, **changes)


def solution(name: str, code: str, slug: str = "p", **changes: Any) -> Solution:
    """Return an accepted Python solution."""
    return dataclasses.replace(
        Solution(name, slug, "python", code, Expectation.ACCEPTED), **changes
    )


def entry(
    slug: str = "p",
    codes: dict[str, str] | None = None,
    tests: Iterable[TestCase] = (),
    **changes: Any,
) -> Entry:
    """Return a problem with solutions, given as code by name."""
    solutions = tuple(solution(name, code, slug) for name, code in (codes or {}).items())
    return Entry(problem(slug, **changes), solutions, tuple(tests))


def staged(*entries: Entry | Rejected, folder: Path | None = None) -> StagedSource:
    """Stage entries, by default in a new folder."""
    return stage(iter(entries), folder or Path(tempfile.mkdtemp(dir=FOLDERS)) / "staging")
