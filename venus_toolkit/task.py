"""A problem of a release in one language: all that a program for it is judged and measured with.

Evaluation, rewards and derived sets get a row of a release, a model's code, and ask two things: does it pass, and what
does it cost beside the original? Both answers are those of judge.py and measure.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from venus_toolkit.errors import ReleaseError
from venus_toolkit.generators import read_tests
from venus_toolkit.judge import Checker, judge
from venus_toolkit.language import Language
from venus_toolkit.measure import MeasureOptions, measure
from venus_toolkit.records import Comparison, Judgement, Limits, Measurement, Run, TestCase
from venus_toolkit.release import Release
from venus_toolkit.release.parquet import open_parquet
from venus_toolkit.sandbox import Program, Sandbox
from venus_toolkit.signatures import fill
from venus_toolkit.supervisor import Cores

COLUMNS = (
    "problem_id", "title", "style", "test_case_runners", "test_cases", "test_case_generator", "test_case_evaluator",
    "comparison", "time_limit_ns", "cpu_limit_ns", "memory_limit_bytes",
)  # fmt: skip
SOLUTION = ("solution_id", "code", "passed", "wall_ns")


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
        return whole_program(self.language, self.runner, code)


def whole_program(language: Language, runner: str | None, code: str) -> Program:
    """Return the program that a solution makes: with its runner around it where there is one.

    Raises:
        LanguageError: The runner has no line for the solution.
    """
    return Program(language, fill(runner, code, language) if runner else code)


def read_task(
    row: Mapping[str, Any], language: Language, sandbox: Sandbox | None = None, cores: Cores | None = None
) -> Task:
    """Return the task in a row of a release; it needs COLUMNS.

    Args:
        row: The row.
        language: Its language.
        sandbox: Where inputs that the release left out are made again; None will do where there are none.
        cores: Where that is done.

    Raises:
        ReleaseError: The row is not as a release has it, or an input cannot be made again.
        SandboxError: The sandbox failed.
    """
    try:
        comparison = json.loads(row["comparison"])
        kind = comparison["kind"]
        return Task(
            problem_id=row["problem_id"],
            title=row["title"],
            language=language,
            runner=row["test_case_runners"] if row["style"] == "function" else None,
            tests=tuple(read_tests(row["test_cases"], row["test_case_generator"] or None, sandbox, cores)),
            tests_sha256=digest_of_tests(row["test_cases"]),
            comparison=Comparison(kind, comparison["absolute"], comparison["relative"]),
            evaluator=row["test_case_evaluator"] if kind == "evaluator" else None,
            limits=Limits().changed(
                wall_ns=row["time_limit_ns"], cpu_ns=row["cpu_limit_ns"], memory_bytes=row["memory_limit_bytes"]
            ),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise unreadable(row, error) from error


def unreadable(row: Mapping[str, Any], error: Exception) -> ReleaseError:
    """Return what is said of a row that is not as a release has it."""
    what = f"the problem {row.get('title')} of the release cannot be read"
    return ReleaseError(what, f"{type(error).__name__}: {error}", "get the release again")


def digest_of_tests(test_cases: str) -> str:
    """Return what a row of a derived set knows the tests of its problem by: a SHA-256 of the column ``test_cases``."""
    return sha256(test_cases.encode("utf-8", "surrogatepass")).hexdigest()


class Shelf:
    """The rows of a split, found by title and read one row group at a time.

    Args:
        release: The release.
        config: A language.
        split: ``train`` or ``test``.

    Raises:
        ReleaseError: There is no such config or split, or a file cannot be read.
    """

    def __init__(self, release: Release, config: str, split: str) -> None:
        self._where: dict[str, tuple[Path, int, int]] = {}
        for file in release.files(config, split):
            with open_parquet(file) as parquet:
                for group in range(parquet.num_row_groups):
                    titles = parquet.read_row_group(group, ["title"]).column("title").to_pylist()
                    self._where |= {title: (file, group, row) for row, title in enumerate(titles)}
        self._name = f"{config}/{split} of {release.folder}"

    def row(self, title: str) -> dict[str, Any]:
        """Return the columns of a problem that a task takes, its statement, and what is known of its solutions.

        Raises:
            ReleaseError: There is no such problem, or its file cannot be read.
        """
        if title not in self._where:
            why = "the derived set was made from another release"
            raise ReleaseError(f"{self._name} has no problem {title}", why, "name the release that it was made from")
        file, group, row = self._where[title]
        names = [*COLUMNS, "question_content", *(f"solutions.list.element.{name}" for name in SOLUTION)]
        with open_parquet(file) as parquet:
            found: dict[str, Any] = parquet.read_row_group(group, names).slice(row, 1).to_pylist()[0]
        return found


def judge_code(sandbox: Sandbox, task: Task, code: str, cores: Cores | None = None) -> Judgement:
    """Compile a solution and judge it on all tests of its task.

    Raises:
        SandboxError: The sandbox failed; nothing is said about the code then.
        ToolchainError: The language is not installed.
        SourceError: The task has no tests.
    """
    compiled = sandbox.compile(task.program(code), cores)
    checker = Checker(task.comparison, sandbox, task.evaluator)
    return judge(sandbox, compiled, task.tests, checker, task.limits, cores=cores)


def measure_beside(
    sandbox: Sandbox,
    task: Task,
    original: str,
    codes: Sequence[str],
    options: MeasureOptions,
    *,
    cores: Cores | None = None,
    reference: bool = True,
    on_run: Callable[[int, int, Run], None] = lambda *_: None,
) -> list[Measurement]:
    """Measure an original and solutions that pass in turns; returns what each costs, the original first.

    `on_run` is told the index of the program, 0 for the original, that of the test, and the run with its outputs.
    Without `reference` no reference program runs beside them, and relative times are None.

    Raises:
        SandboxError: The sandbox failed.
        ToolchainError: The language is not installed.
    """
    compiled = [sandbox.compile(task.program(code), cores) for code in (original, *codes)]
    return measure(sandbox, compiled, task.tests, task.limits, options, cores=cores, reference=reference, on_run=on_run)
