"""Tasks: the problems of a release in one language.

The keys of all tasks are small and are read at once. A whole task, with its tests and reference
solutions, is read when it is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import digest
from venus_toolkit.dataset.columns import name_of
from venus_toolkit.dataset.parquet import open_parquet
from venus_toolkit.dataset.release import Release
from venus_toolkit.dataset.task import Task, read_task, unreadable
from venus_toolkit.dataset.test_cases import complete
from venus_toolkit.execution.judging.checker import Rules
from venus_toolkit.execution.judging.suite import Suite, suite_of
from venus_toolkit.execution.measuring.complexity import Complexity, Growth, best_of
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.models.client import Prompt
from venus_toolkit.models.prompts import PromptRequest, render_prompt, template_folder

FEWEST_REFERENCES = 2
BEST, MEDIAN, WORST = PLACES = ("best", "median", "worst")
PUBLISHED_FIGURES = ("wall_ns", "cpu_ns", "peak_bytes", "integral_byte_ns", "relative_time")
# Uncertainties of the figures; earlier releases have spreads only.
PUBLISHED_ERRORS = (
    *(f"{name}_{kind}" for kind in ("spread", "se") for name in ("wall", "cpu", "integral", "relative")), "repeats",
)  # fmt: skip


class TaskKey(NamedTuple):
    """The identity of a task, and the row of the release that holds it."""

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
class HumanSolution:
    """An accepted human solution with its published figures (None: not measured).

    `complexity` is the growth of its cost, if the dataset has it.
    """

    reference_id: str
    code: str
    published: Mapping[str, float | None]
    complexity: Complexity | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationTask(Task):
    """A task with its statement and the human solutions that answers are compared with."""

    key: TaskKey
    statement: str
    style: str
    starter: str = ""  # starter code of a solution
    generator: str = ""  # code of the input generator; empty: the problem has none
    references: tuple[HumanSolution, ...] = ()

    @property
    def name(self) -> str:
        """The task's name: language and title."""
        return self.key.name

    @property
    def best_complexity(self) -> Complexity | None:
        """The slowest growth of cost among the human solutions; None if the dataset has none."""
        return best_of(
            [reference.complexity for reference in self.references if reference.complexity]
        )

    @property
    def suite(self) -> Suite:
        """The tests and rules that judge programs for the task.

        Its name includes the language, because an evaluation may have several.
        """
        return suite_of(self.name, self.tests, Rules(self.limits, self.comparison, self.evaluator))

    def request(self, objective: str, form: str, templates: str = "") -> PromptRequest:
        """Return the data for the prompt of the task.

        `templates` is a folder with templates, or the name of a template set of the toolkit.
        """
        return PromptRequest(
            language=self.language,
            question=self.statement,
            objective=objective,
            starter_code=self.starter,
            style=self.style,
            form=form,
            templates=template_folder(templates),
        )

    def prompt(self, objective: str, form: str, templates: str = "") -> Prompt:
        """Return the prompt of the task."""
        return render_prompt(self.request(objective, form, templates))


def list_tasks(release: Release, languages: Sequence[Language], split: str) -> list[TaskKey]:
    """Return the keys of all tasks of a split in the chosen languages.

    Raises:
        ReleaseError: The release lacks a language or the split, or a file cannot be read.
        UsageError: The split is empty.
    """
    keys = []
    # These columns are read for all tasks at once, so none is bulky.
    columns = ["problem_id", "title", "difficulty", "tags"]
    for language in languages:
        for file in release.files(language.id, split):
            with open_parquet(file) as parquet:
                for group in range(parquet.num_row_groups):
                    for row, cells in enumerate(parquet.read_row_group(group, columns).to_pylist()):
                        difficulty, tags = (
                            name_of("difficulty", cells["difficulty"]),
                            tuple(cells["tags"] or ()),
                        )
                        number, title = int(cells["problem_id"]), cells["title"]
                        keys.append(
                            TaskKey(language, number, title, difficulty, tags, file, group, row)
                        )
    if not keys:
        reason = (
            f"its split {split} has no problem in "
            f"{', '.join(language.id for language in languages)}"
        )
        raise UsageError(
            f"{release.folder} has nothing to evaluate",
            reason,
            "choose another --split or --lang",
        )
    return keys


def choose(keys: Sequence[TaskKey], count: int | None, seed: int) -> list[TaskKey]:
    """Return the tasks of `count` random problems, the same problems in every language.

    With the same seed, a larger count includes the problems of a smaller one.
    """
    # Sorted by digest, not shuffled: the rank of a title does not depend on the other titles.
    titles = sorted({key.title for key in keys}, key=lambda title: digest(seed, title))
    selection = set(titles[:count])
    return [key for key in keys if key.title in selection]


def load(key: TaskKey, sandbox: Sandbox | None = None) -> EvaluationTask:
    """Return the whole task; the sandbox regenerates inputs that the release leaves out.

    Raises:
        ReleaseError: Its row is invalid, or an input cannot be regenerated.
        SandboxError: The sandbox failed.
    """
    cells: dict[str, Any] = _row_group(key.file, key.group).slice(key.row, 1).to_pylist()[0]
    row = complete(key.file, cells)
    task = read_task(row, key.language, sandbox)
    try:
        return EvaluationTask(
            **{field.name: getattr(task, field.name) for field in fields(task)},
            key=key,
            statement=row["question_content"],
            style=row["style"],
            starter=row["code_prompt"] or "",
            generator=row["test_case_generator"] or "",
            references=tuple(
                HumanSolution(
                    solution["solution_id"],
                    solution["code"],
                    {name: solution[name] for name in PUBLISHED_FIGURES}
                    | {name: solution.get(name) for name in PUBLISHED_ERRORS},
                    _complexity(solution),
                )
                for solution in row["solutions"] or ()
                if solution["passed"]
            ),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise unreadable(row, error) from error


def _complexity(solution: Mapping[str, Any]) -> Complexity | None:
    """Return the growth of a solution's cost, or None if the release has no counts."""
    if not solution.get("complexity"):
        return None
    exponent, low, high = (
        float(solution[f"complexity_{name}"]) for name in ("exponent", "low", "high")
    )
    return Complexity(Growth(solution["complexity"]), exponent, low, high)


# tasks are loaded in the order of their rows, so neighbours share a row group
@lru_cache(maxsize=2)
def _row_group(file: Path, group: int) -> pa.Table:
    with open_parquet(file) as parquet:
        return parquet.read_row_group(group)


def spread_out(
    references: Sequence[HumanSolution], count: int | None, figure: str
) -> tuple[HumanSolution, ...]:
    """Return at most `count` references, evenly spread over their published costs.

    The best and the worst are included; a reference of unknown cost counts as the worst.
    """
    if count is None or len(references) <= count:
        return tuple(references)
    # The first key sorts None last; the second is only compared among known costs.
    ordered = sorted(
        references,
        key=lambda reference: (
            reference.published[figure] is None,
            reference.published[figure] or 0.0,
        ),
    )
    step = (len(ordered) - 1) / max(count - 1, 1)  # a single one is the cheapest
    return tuple(ordered[round(index * step)] for index in range(count))


def reference_at(
    references: Sequence[HumanSolution], place: str, figure: str
) -> HumanSolution | None:
    """Return the best, median or worst reference (`PLACES`) by published cost.

    Returns None if no cost is known.
    """
    known = [reference for reference in references if reference.published[figure] is not None]
    ordered = sorted(
        known, key=lambda reference: (reference.published[figure] or 0.0, reference.reference_id)
    )
    # The median of an even number is the cheaper of the two in the middle.
    places = {BEST: 0, MEDIAN: (len(ordered) - 1) // 2, WORST: -1}
    return ordered[places[place]] if ordered else None


def voting_references(task: EvaluationTask, figure: str) -> tuple[Program, ...]:
    """Return at most 3 references, spread over the costs, to agree on outputs of new inputs."""
    return tuple(
        task.program(reference.code) for reference in spread_out(task.references, 3, figure)
    )
