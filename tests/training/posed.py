"""Releases to be rewarded on: a few problems, two languages, made-up figures.

What is rewarded is run for real.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.builders.derive.made import measured
from tests.building import thought
from venus_toolkit.builders.release_rows import problem_row, solution_row
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import (
    NS_PER_S,
    Expectation,
    Judgement,
    Limits,
    OutputComparison,
    Problem,
    Solution,
    TestCase,
    Verdict,
)
from venus_toolkit.core.store import MANIFEST, Store, checksum
from venus_toolkit.dataset.columns import SCHEMA
from venus_toolkit.dataset.parquet import write_rows
from venus_toolkit.dataset.release import Release, open_release
from venus_toolkit.dataset.test_cases import digest_of_tests
from venus_toolkit.training.reward.grading import TaskAnswer
from venus_toolkit.training.reward.reward_tasks import TaskReference

LANGUAGES = load_languages()
LOOP = "n = int(input())\ns = 0\nfor i in range(n + 1):\n    s += i\nprint(s)\n"
STEPS = "n = int(input())\ns = i = 0\nwhile i <= n:\n    s += i\n    i += 1\nprint(s)\n"
# A program that has the answers to the inputs that it had before, where `reads` is 1; its honest
# twin writes them too.
KEEPS = """import os
n = int(input())
kept = "{folder}/{reads}-%d" % n
if {reads} and os.path.exists(kept):
    print(open(kept).read())
else:
    s = 0
    for i in range(n + 1):
        s += i
    with open(kept, "w") as file:
        file.write(str(s))
    print(s)
"""
FORMULA = "n = int(input())\nprint(n * (n + 1) // 2)\n"
WRONG = "print(1)\n"  # and the release says so
CPP_LOOP = """#include <cstdio>
int main() {
  long long n, s = 0;
  std::scanf("%lld", &n);
  for (volatile long long i = 0; i <= 40 * n; i = i + 1) s += i <= n ? i : 0;
  std::printf("%lld\\n", s);
}
"""
CPP_FORMULA = """#include <cstdio>
int main() {
  long long n;
  std::scanf("%lld", &n);
  std::printf("%lld\\n", n * (n + 1) / 2);
}
"""
GENERATOR = """import random
def generate(seed, size):
    return f"{random.Random(f'{seed} {size}').randint(500000, 650000)}\\n"
"""
LIMITS = Limits(wall_ns=8 * NS_PER_S, cpu_ns=2 * NS_PER_S)
LARGE = (500_001, 550_002, 600_003, 650_004)


def sums(numbers: Sequence[int] = LARGE) -> tuple[TestCase, ...]:
    """Tests of the problem: the sum of all numbers up to one."""
    return tuple(
        TestCase(f"t{at}", f"{n}\n", f"{n * (n + 1) // 2}\n", "generated", "large", at)
        for at, n in enumerate(numbers)
    )


@dataclass(frozen=True)
class Posed:
    """One problem, and its solutions by language; the first of each is the original."""

    slug: str = "sum"
    tests: tuple[TestCase, ...] = field(default_factory=sums)
    solutions: Mapping[str, Sequence[str]] = field(
        default_factory=lambda: {"python": (LOOP, STEPS, FORMULA)}
    )
    generator: str | None = None
    statement: str = "Print the sum of all numbers up to the one that is read."
    more: Mapping[str, Any] = field(default_factory=dict)


def write_posed(folder: Path, *problems: Posed) -> Release:
    """Write a release with a train split for each language."""
    configs: dict[str, Any] = {}
    sums_of: dict[str, str] = {}
    for name in sorted({name for each in problems for name in each.solutions}):
        rows = [
            _row(number, each, name)
            for number, each in enumerate(problems)
            if name in each.solutions
        ]
        files = write_rows(folder, f"data/{name}/train", rows, SCHEMA)
        facts = {"problems": len(rows), "solutions": sum(len(row["solutions"]) for row in rows)}
        configs[name] = {"splits": {"train": {"files": files, **facts}}, "rank": "absolute"}
        sums_of |= {file: checksum(folder / file) for file in files}
    with closing(Store(folder)) as store:
        store.write_text("dropped.jsonl", "")
        store.write_json(MANIFEST, {"configs": configs, "files": sums_of})
    return open_release(folder)


def _row(number: int, each: Posed, language: str) -> dict[str, Any]:
    told = Problem(
        each.slug, number, each.slug.title(), each.statement, "Easy", ("math",), "stdin", "made", "CC0-1.0", LIMITS,
        OutputComparison(), generator=each.generator,
    )  # fmt: skip
    solutions = [
        solution_row(
            Solution(str(at), each.slug, language, code, Expectation.ACCEPTED),
            Judgement(Verdict.WRONG_ANSWER if code == WRONG else Verdict.ACCEPTED),
            None if code == WRONG else measured(3 - at), None,
        )
        for at, code in enumerate(each.solutions[language])
    ]  # fmt: skip
    return {**problem_row(told, language, told.limits, each.tests, solutions, {}), **each.more}


def reference(
    each: Posed,
    language: str = "python",
    objective: str = "time",
    original: str = "0",
    **changes: str,
) -> TaskReference:
    """What a row of a GRPO set says of a problem."""
    row = _row(0, each, language)
    made = TaskReference(
        language, "train", each.slug, objective, original, digest_of_tests(row), ""
    )
    return made._replace(**changes)


def answer(each: Posed, code: str, language: str = "python", objective: str = "time") -> TaskAnswer:
    """An answer in the right form to a prompt of a problem."""
    return TaskAnswer(
        reference(each, language, objective), thought("Think.", code, LANGUAGES[language])
    )
