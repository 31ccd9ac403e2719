"""Fixtures for the tests of evaluation: small releases, and completions for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import zip_longest
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, NamedTuple

import pytest

from bench.paper_release import FACTS
from tests.brief import brief_references
from tests.building import run_once
from venus_toolkit.builders.release_rows import problem_row, solution_row
from venus_toolkit.core.records import (
    NS_PER_S,
    Judgement,
    Limits,
    Measurement,
    OutputComparison,
    Problem,
    Solution,
    TestCase,
    Verdict,
)
from venus_toolkit.core.store import MANIFEST, Store
from venus_toolkit.dataset.columns import SCHEMA
from venus_toolkit.dataset.parquet import write_rows
from venus_toolkit.dataset.release import Release, open_release
from venus_toolkit.execution.measuring.complexity import Complexity

ROOT = Path(__file__).resolve().parents[2]
MS = 1_000_000
FAST = "n = int(input())\nprint(n * (n + 1) // 2)\n"
MIDDLE = "n = int(input())\nprint(sum(range(n + 1)))\n"
SLOW = "n = int(input())\ns = 0\nfor i in range(n + 1):\n    s += i\nprint(s)\n"
WRONG = "print(0)\n"
TESTS = tuple(TestCase(str(n), f"{n}\n", f"{n * (n + 1) // 2}\n") for n in (10, 200_000))


class Posed(NamedTuple):
    """A problem of a small release, with its solutions, tests and generator.

    `complexities` are the growth classes of the solutions, as in a release with a counter.
    """

    title: str
    solutions: Sequence[str] = (FAST, MIDDLE, SLOW)
    difficulty: str = "Easy"
    tags: Sequence[str] = ("math",)
    tests: Sequence[TestCase] = TESTS
    generator: str | None = None
    complexities: Sequence[Complexity | None] = ()


def _measurement(number: int) -> Measurement:
    time_ns = (number + 1) * MS
    return Measurement(
        time_ns,
        time_ns,
        8 << 20,
        time_ns * (8 << 20),
        1,
        float(number + 1),
        0.1,
        0.1,
        0.1,
        0.1,
        3,
        len(TESTS),
    )


def _row(number: int, posed: Posed, language: str) -> dict[str, Any]:
    limits = Limits(wall_ns=8 * NS_PER_S, cpu_ns=2 * NS_PER_S)
    statement = f"Print the sum of the numbers up to n ({posed.title})."
    problem = Problem(
        posed.title, number, posed.title.title(), statement, posed.difficulty,
        tuple(posed.tags), "stdin", "tests", "CC0-1.0", limits, OutputComparison(), generator=posed.generator,
    )  # fmt: skip
    accepted = Judgement(Verdict.ACCEPTED)
    solutions = [
        solution_row(
            Solution(f"{posed.title}/{place}", posed.title, language, code),
            accepted,
            _measurement(place),
            None,
            complexity=complexity,
        )
        for place, (code, complexity) in enumerate(zip_longest(posed.solutions, posed.complexities))
    ]
    return problem_row(problem, language, limits, posed.tests, solutions, {})


def write_small_release(
    folder: Path, problems: Sequence[Posed], languages: Sequence[str] = ("python",)
) -> Release:
    """Write a release of problems whose solutions add up numbers."""
    configs = {}
    for language in languages:
        rows = [_row(number, posed, language) for number, posed in enumerate(problems, 1)]
        files = write_rows(folder, f"data/{language}/test", rows, SCHEMA)
        configs[language] = {"splits": {"test": {"files": files, "problems": len(rows)}}}
    with closing(Store(folder)) as store:
        store.write_json(MANIFEST, {**FACTS, "configs": configs, "files": {}})
    return open_release(folder)


class FinishedEvaluation(NamedTuple):
    """A finished evaluation: its folder, and the result of the command."""

    run: Path
    done: CompletedProcess[str]


@pytest.fixture(scope="session")
def evaluated(shared_folder: Path) -> FinishedEvaluation:
    """Return an evaluation of two tasks with two samples each, one of them missing; tests do not change it."""
    folder = shared_folder / "evaluated"

    def evaluate() -> CompletedProcess[str]:
        write_small_release(folder / "data", [Posed("sum-up"), Posed("add-all", difficulty="Hard")])
        answers = write_small_completions(
            folder / "answers.jsonl", {"sum-up": [FAST, WRONG], "add-all": [SLOW]}
        )
        words = [
            "--data",
            folder / "data",
            "--lang",
            "python",
            "--samples",
            "2",
            "--repeats",
            "2",
            "--json",
        ]
        argv = [sys.executable, "-m", "tests.brief", "eval", "--model", f"replay:{answers}", *words]
        environment = {**os.environ, "VENUS_CACHE": str(folder / "cache"), "PYTHONPATH": str(ROOT)}
        return subprocess.run(
            [*map(str, argv), "--out", str(folder / "run")],
            capture_output=True,
            text=True,
            env=environment,
        )

    done = run_once(folder, evaluate)
    assert done.returncode == 3, done.stderr  # a sample is missing
    return FinishedEvaluation(folder / "run", done)


@pytest.fixture(autouse=True, scope="module")
def _brief_reference() -> Iterator[None]:
    with brief_references():
        yield


@pytest.fixture(scope="session")
def write_release() -> Callable[..., Release]:
    """Return a function that writes a release of problems (each a Posed) in Python."""
    return write_small_release


def write_small_completions(file: Path, answers: dict[str, Sequence[str]]) -> Path:
    """Write a file of completions; `answers` has problem titles as keys."""
    lines = [{"title": title, "code": code} for title, codes in answers.items() for code in codes]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


@pytest.fixture(scope="session")
def write_completions() -> Callable[[Path, dict[str, Sequence[str]]], Path]:
    """Return a function that writes a file of completions from answers by problem title."""
    return write_small_completions
