"""A problem of a release in one language: all that a program for it is judged and measured with.

Rewards and derived sets get a row of a release, a model's code, and ask two things: does it pass, and what does it cost
beside the original? Both answers are those of judge.py and measure.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from venus_toolkit.errors import ReleaseError
from venus_toolkit.judge import Checker, judge
from venus_toolkit.language import Language
from venus_toolkit.measure import MeasureOptions, measure
from venus_toolkit.records import Comparison, Judgement, Limits, Measurement, TestCase
from venus_toolkit.sandbox import Program, Sandbox
from venus_toolkit.signatures import fill

COLUMNS = (
    "problem_id", "title", "style", "test_case_runners", "test_cases", "test_case_evaluator", "comparison",
    "time_limit_ns", "cpu_limit_ns", "memory_limit_bytes",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Task:
    """What a program is judged with; runner is None where it is a whole program by itself."""

    problem_id: int
    title: str
    language: Language
    runner: str | None
    tests: tuple[TestCase, ...]
    tests_sha256: str
    comparison: Comparison
    evaluator: str | None
    limits: Limits

    def program(self, code: str) -> Program:
        """Return the whole program that a solution makes.

        Raises:
            LanguageError: The runner has no line for the solution.
        """
        return Program(self.language, fill(self.runner, code, self.language) if self.runner else code)


def read_task(row: Mapping[str, Any], language: Language) -> Task:
    """Return the task in a row of a release; it needs COLUMNS.

    Raises:
        ReleaseError: The row is not as a release has it.
    """
    try:
        comparison = json.loads(row["comparison"])
        kind = comparison["kind"]
        return Task(
            problem_id=row["problem_id"],
            title=row["title"],
            language=language,
            runner=row["test_case_runners"] if row["style"] == "function" else None,
            tests=tuple(map(_test, json.loads(row["test_cases"]))),
            tests_sha256=tests_digest(row["test_cases"]),
            comparison=Comparison(kind, comparison["absolute"], comparison["relative"]),
            evaluator=row["test_case_evaluator"] if kind == "evaluator" else None,
            limits=Limits().changed(
                wall_ns=row["time_limit_ns"], cpu_ns=row["cpu_limit_ns"], memory_bytes=row["memory_limit_bytes"]
            ),
        )
    except (KeyError, TypeError, ValueError) as error:
        what = f"the problem {row.get('title')} of the release cannot be read"
        raise ReleaseError(what, f"{type(error).__name__}: {error}", "get the release again") from error


def tests_digest(test_cases: str) -> str:
    """Return what a row of a derived set knows the tests of its problem by: a SHA-256 of the column ``test_cases``."""
    return sha256(test_cases.encode("utf-8", "surrogatepass")).hexdigest()


def _test(case: Mapping[str, Any]) -> TestCase:
    return TestCase(case["id"], case["input"], case["output"], case["kind"], case["size"], case["seed"])


def judge_code(sandbox: Sandbox, task: Task, code: str) -> Judgement:
    """Compile a solution and judge it on all tests of its task.

    Raises:
        SandboxError: The sandbox failed; nothing is said about the code then.
        ToolchainError: The language is not installed.
        SourceError: The task has no tests.
    """
    compiled = sandbox.compile(task.program(code))
    checker = Checker(task.comparison, sandbox, task.evaluator)
    return judge(sandbox, compiled, task.tests, checker, task.limits)


def measure_beside(
    sandbox: Sandbox, task: Task, original: str, codes: Sequence[str], options: MeasureOptions
) -> list[Measurement]:
    """Measure an original and solutions that pass in turns; returns what each costs, the original first.

    Raises:
        SandboxError: The sandbox failed.
        ToolchainError: The language is not installed.
    """
    compiled = [sandbox.compile(task.program(code)) for code in (original, *codes)]
    return measure(sandbox, compiled, task.tests, task.limits, options)
