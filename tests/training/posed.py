"""Releases for tests of rewards: a few problems in two languages, with invented figures; answers really run."""

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
# A program that caches answers in files and, if `reads` is 1, reads them; its honest twin only
# writes them.
KEEPS = """import os
n = int(input())
cached = "{folder}/{reads}-%d" % n
if {reads} and os.path.exists(cached):
    print(open(cached).read())
else:
    s = 0
    for i in range(n + 1):
        s += i
    with open(cached, "w") as file:
        file.write(str(s))
    print(s)
"""
FORMULA = "n = int(input())\nprint(n * (n + 1) // 2)\n"
WRONG = "print(1)\n"  # a wrong answer in the release
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
    """Return tests whose output is the sum of all numbers up to n."""
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
    for name in sorted({name for problem in problems for name in problem.solutions}):
        rows = [
            _row(number, problem, name)
            for number, problem in enumerate(problems)
            if name in problem.solutions
        ]
        files = write_rows(folder, f"data/{name}/train", rows, SCHEMA)
        facts = {"problems": len(rows), "solutions": sum(len(row["solutions"]) for row in rows)}
        configs[name] = {"splits": {"train": {"files": files, **facts}}, "rank": "absolute"}
        sums_of |= {file: checksum(folder / file) for file in files}
    with closing(Store(folder)) as store:
        store.write_text("dropped.jsonl", "")
        store.write_json(MANIFEST, {"configs": configs, "files": sums_of})
    return open_release(folder)


def _row(number: int, problem: Posed, language: str) -> dict[str, Any]:
    record = Problem(
        problem.slug, number, problem.slug.title(), problem.statement, "Easy", ("math",), "stdin", "made", "CC0-1.0",
        LIMITS, OutputComparison(), generator=problem.generator,
    )  # fmt: skip
    solutions = [
        solution_row(
            Solution(str(at), problem.slug, language, code, Expectation.ACCEPTED),
            Judgement(Verdict.WRONG_ANSWER if code == WRONG else Verdict.ACCEPTED),
            None if code == WRONG else measured(3 - at), None,
        )
        for at, code in enumerate(problem.solutions[language])
    ]  # fmt: skip
    return {
        **problem_row(record, language, record.limits, problem.tests, solutions, {}),
        **problem.more,
    }


def reference(
    problem: Posed,
    language: str = "python",
    objective: str = "time",
    original: str = "0",
    **changes: str,
) -> TaskReference:
    """Return the reference to a problem, as in a row of a GRPO set."""
    row = _row(0, problem, language)
    target = TaskReference(
        language, "train", problem.slug, objective, original, digest_of_tests(row), ""
    )
    return target._replace(**changes)


def answer(
    problem: Posed, code: str, language: str = "python", objective: str = "time"
) -> TaskAnswer:
    """Return an answer to a problem in the required form."""
    return TaskAnswer(
        reference(problem, language, objective), thought("Think.", code, LANGUAGES[language])
    )
