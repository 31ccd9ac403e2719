"""A problem of a release in one language, ready to judge and measure programs.

For rewards and derived sets: given a row of a release and the code of a model, an executor decides
whether the code passes and measures its cost relative to the original.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from venus_toolkit.core.errors import ReleaseError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Limits, OutputComparison, TestCase
from venus_toolkit.dataset.parquet import open_parquet
from venus_toolkit.dataset.release import Release
from venus_toolkit.dataset.test_cases import complete, digest_of_tests
from venus_toolkit.execution.judging.checker import Rules
from venus_toolkit.execution.judging.generators import read_tests
from venus_toolkit.execution.judging.libraries import program_of
from venus_toolkit.execution.judging.suite import Suite, suite_of
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

COLUMNS = (
    "problem_id", "title", "style", "test_case_runners", "test_cases", "test_case_generator", "test_case_evaluator",
    "comparison", "time_limit_ns", "cpu_limit_ns", "memory_limit_bytes",
    "test_ids", "tests_sha256", "standard",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Task:
    """The tests, limits and rules of a problem.

    `runner` is None if a solution is a whole program.
    """

    problem_id: int
    title: str
    language: Language
    runner: str | None
    tests: tuple[TestCase, ...]
    tests_sha256: str
    comparison: OutputComparison
    evaluator: str | None
    limits: Limits
    standard: str = ""

    @property
    def suite(self) -> Suite:
        """The tests, limits and rules that programs are judged by."""
        return suite_of(self.title, self.tests, Rules(self.limits, self.comparison, self.evaluator))

    def program(self, code: str) -> Program:
        """Return the whole program of a solution.

        Raises:
            LanguageError: The runner has no line for the solution.
        """
        return whole_program(self.language, self.runner, code, self.standard)


def whole_program(language: Language, runner: str | None, code: str, standard: str = "") -> Program:
    """Return the whole program of a solution, with the runner if there is one.

    `standard` is the version of the language; empty: the default.

    Raises:
        LanguageError: The runner has no line for the solution, or the standard is unknown.
    """
    return program_of(language.of_standard(standard), code, runner=runner)


def read_task(
    row: Mapping[str, Any],
    language: Language,
    sandbox: Sandbox | None = None,
    cores: Cores | None = None,
) -> Task:
    """Return the task in a row of a release; it needs COLUMNS.

    Args:
        row: Of a config of `language`, with all its tests: see
            `venus_toolkit.dataset.test_cases.complete`.
        language: The language of the programs.
        sandbox: Generates inputs that the release omits; not needed if it has all of them.
        cores: The cores that the generator may use.

    Raises:
        ReleaseError: The row is damaged, or an input cannot be generated again.
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
            tests=tuple(
                read_tests(row["test_cases"], row["test_case_generator"] or None, sandbox, cores)
            ),
            tests_sha256=digest_of_tests(row),  # a row of a GRPO set names its tests by it
            # Releases of earlier versions do not say whether real numbers are asked for.
            comparison=OutputComparison(
                kind,
                comparison["absolute"],
                comparison["relative"],
                bool(comparison.get("real", False)),
            ),
            evaluator=row["test_case_evaluator"] if kind == "evaluator" else None,
            limits=Limits().changed(
                wall_ns=row["time_limit_ns"],
                cpu_ns=row["cpu_limit_ns"],
                memory_bytes=row["memory_limit_bytes"],
            ),
            standard=row.get("standard") or "",  # none in releases of earlier versions
        )
    except (KeyError, TypeError, ValueError) as error:
        raise unreadable(row, error) from error


def unreadable(row: Mapping[str, Any], error: Exception) -> ReleaseError:
    """Return the error for a damaged row."""
    complaint = f"the problem {row.get('title')} of the release cannot be read"
    return ReleaseError(complaint, f"{type(error).__name__}: {error}", "download the release again")


def starter_of(row: Mapping[str, Any]) -> str:
    """Return the starter code of a row's problem; empty: solutions are whole programs."""
    return (row["code_prompt"] or "") if row["style"] == "function" else ""


class RowIndex:
    """The rows of a split of a language, found by title and read one row group at a time.

    Raises:
        ReleaseError: The config or the split does not exist, or a file cannot be read.
    """

    def __init__(self, release: Release, config: str, split: str) -> None:
        self._positions: dict[str, tuple[Path, int, int]] = {}
        self._starters: dict[str, str] = {}
        for file in release.files(config, split):
            with open_parquet(file) as parquet:
                for group in range(parquet.num_row_groups):
                    problems = parquet.read_row_group(
                        group, ["title", "style", "code_prompt"]
                    ).to_pylist()
                    for row, problem in enumerate(problems):
                        self._positions[problem["title"]] = file, group, row
                        self._starters[problem["title"]] = starter_of(problem)
        self._name = f"{config}/{split} of {release.folder}"

    def starter(self, title: str) -> str:
        """Return the starter code of a problem, empty for whole programs and unknown titles."""
        return self._starters.get(title, "")

    def row(self, title: str) -> dict[str, Any]:
        """Return the columns of a problem for a task: all tests, statement and solutions.

        Raises:
            ReleaseError: The problem does not exist, or its file cannot be read.
        """
        if title not in self._positions:
            reason = "the derived set was made from another release"
            raise ReleaseError(
                f"{self._name} has no problem {title}",
                reason,
                "name the release that it was made from",
            )
        file, group, row = self._positions[title]
        # Single fields of a list of structs can be read only by their paths in the Parquet schema.
        # The other fields of a solution stay on disk.
        fields = (
            f"solutions.list.element.{name}"
            for name in ("solution_id", "code", "passed", "wall_ns")
        )
        names = [*COLUMNS, "question_content", "code_prompt", *fields]
        with open_parquet(file) as parquet:
            columns: dict[str, Any] = (
                parquet.read_row_group(group, names).slice(row, 1).to_pylist()[0]
            )
        return complete(file, columns)
