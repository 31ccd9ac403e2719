"""Tasks: the problems of a release in a language, as they are put to a model, read one at a time.

The heads of all tasks are read at once, a few words each; a whole task, with its tests and reference solutions, only
when it is its turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from venus_toolkit.errors import UsageError
from venus_toolkit.language import Language
from venus_toolkit.llm import Prompt
from venus_toolkit.prompts import Request, render_prompt
from venus_toolkit.records import Problem, TestCase, digest
from venus_toolkit.release import Release
from venus_toolkit.release.parquet import open_parquet
from venus_toolkit.sandbox import Program, Sandbox
from venus_toolkit.task import Task as JudgedTask
from venus_toolkit.task import read_task, unreadable, whole_program

HEAD = ["problem_id", "title", "difficulty", "tags"]
FEWEST_REFERENCES = 2
PUBLISHED_FIGURES = ("wall_ns", "cpu_ns", "peak_bytes", "integral_byte_ns", "relative_time")


class Head(NamedTuple):
    """Which task it is, and the row that holds it."""

    language: Language
    problem_id: int
    title: str
    difficulty: str
    tags: tuple[str, ...]
    file: Path
    group: int
    row: int

    @property
    def name(self) -> str:
        """The task's name: language and title."""
        return f"{self.language.id}/{self.title}"


@dataclass(frozen=True, slots=True)
class Reference:
    """An accepted human solution, with the figures that the dataset has of it (None: not measured)."""

    reference_id: str
    code: str
    published: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Task:
    """One problem in one language, with everything needed to ask, to judge and to measure."""

    head: Head
    problem: Problem
    runner: str | None
    tests: tuple[TestCase, ...]
    references: tuple[Reference, ...]

    @property
    def name(self) -> str:
        """The task's name: language and title."""
        return self.head.name

    def program(self, code: str) -> Program:
        """Return the whole program that a solution makes.

        Raises:
            LanguageError: The solution cannot be put into the runner.
        """
        return whole_program(self.head.language, self.runner, code)

    def request(self, objective: str, form: str, templates: str = "") -> Request:
        """Return what a prompt for the task is made of; templates is a folder with templates of one's own."""
        starter = self.problem.starter_code.get(self.head.language.id, "")
        folder = Path(templates) if templates else None
        asked = (self.head.language, self.problem.statement, objective, starter, self.problem.style)
        return Request(*asked, form=form, templates=folder)

    def prompt(self, objective: str, form: str, templates: str = "") -> Prompt:
        """Return what the model is asked."""
        return render_prompt(self.request(objective, form, templates))


# ------------------------------------------------------------------ which tasks


def list_tasks(release: Release, languages: Sequence[Language], split: str) -> list[Head]:
    """Return the heads of all tasks of a split in the chosen languages.

    Raises:
        ReleaseError: The release lacks a language or the split, or a file cannot be read.
        UsageError: The split is empty.
    """
    heads = [head for language in languages for head in _heads(release, language, split)]
    if not heads:
        why = f"its split {split} has no problem in {', '.join(language.id for language in languages)}"
        what = f"there is nothing to evaluate on in {release.folder}"
        raise UsageError(what, why, "choose another --split or --lang")
    return heads


def _heads(release: Release, language: Language, split: str) -> Iterator[Head]:
    for file in release.files(language.id, split):
        with open_parquet(file) as parquet:
            for group in range(parquet.num_row_groups):
                for row, cells in enumerate(parquet.read_row_group(group, HEAD).to_pylist()):
                    words = (int(cells["problem_id"]), cells["title"], cells["difficulty"] or "Unknown")
                    yield Head(language, *words, tuple(cells["tags"] or ()), file, group, row)


def choose(heads: Sequence[Head], count: int | None, seed: int) -> list[Head]:
    """Return the tasks of so many problems, the same in every language; a larger count keeps those of a smaller one."""
    titles = sorted({head.title for head in heads}, key=lambda title: digest(seed, title))
    chosen = set(titles[:count])
    return [head for head in heads if head.title in chosen]


# ------------------------------------------------------------------ a whole task


def load(head: Head, sandbox: Sandbox | None = None) -> Task:
    """Return the whole task; inputs that the release left out are made again in the sandbox.

    Raises:
        ReleaseError: Its row is not as documented, or an input cannot be made again.
        SandboxError: The sandbox failed.
    """
    row: dict[str, Any] = _row_group(head.file, head.group).slice(head.row, 1).to_pylist()[0]
    judged = read_task(row, head.language, sandbox)
    try:
        return _task(head, judged, row)
    except (KeyError, TypeError, ValueError) as error:
        raise unreadable(row, error) from error


@lru_cache(maxsize=2)
def _row_group(file: Path, group: int) -> pa.Table:
    with open_parquet(file) as parquet:
        return parquet.read_row_group(group)


def _task(head: Head, judged: JudgedTask, row: Mapping[str, Any]) -> Task:
    problem = Problem(
        slug=head.title,
        problem_id=head.problem_id,
        title=row["name"],
        statement=row["question_content"],
        difficulty=head.difficulty,
        tags=head.tags,
        style=row["style"],
        source=row["source"],
        license=row["license"],
        limits=judged.limits,
        comparison=judged.comparison,
        generator=row["test_case_generator"] or None,
        evaluator=judged.evaluator,
        starter_code={head.language.id: row["code_prompt"]} if row["code_prompt"] else {},
    )
    accepted = [each for each in row["solutions"] or () if each["passed"]]
    return Task(head, problem, judged.runner, judged.tests, tuple(map(_reference, accepted)))


def _reference(solution: Mapping[str, Any]) -> Reference:
    figures = {name: solution[name] for name in PUBLISHED_FIGURES}
    return Reference(solution["solution_id"], solution["code"], figures)


def spread_out(references: Sequence[Reference], count: int | None, figure: str) -> tuple[Reference, ...]:
    """Return at most `count` references, evenly spread over what they are said to cost, the best and worst included.

    A reference of unknown cost comes last.
    """
    if count is None or len(references) <= count:
        return tuple(references)
    ordered = sorted(references, key=lambda each: _cost(each.published[figure]))
    step = (len(ordered) - 1) / max(count - 1, 1)
    return tuple(ordered[round(index * step)] for index in range(count))


def _cost(figure: float | None) -> float:
    return float("inf") if figure is None else figure
