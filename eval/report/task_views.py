"""Task by task: what each run wrote, which of it is shown, and how it differs from the best human solution.

Of each run the cheapest program that passes is shown, and one that fails or else the costliest; of
a run that iterated every step of its best sample, each beside the step before. Long programs are
cut, and say so.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from venus_toolkit.core.formatting import visible
from venus_toolkit.eval.report.runs import EvaluationRun, Row
from venus_toolkit.eval.scoring.summary import grouped
from venus_toolkit.models.prompts import OBJECTIVES

MOST_CHARACTERS = 20_000
MOST_LINES = 600  # difflib takes the product of the numbers of lines


@dataclass(frozen=True, slots=True)
class ShownProgram:
    """A program that is shown; row: its figures; against: what the diff compares with, if any.

    Each line of the diff comes after its kind: added, removed, same or place.
    """

    what: str
    row: Row
    code: str
    against: str
    diff: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RunOfTask:
    """One run's samples of a task.

    How many pass, the mean ranks by objective, and the programs that are shown.
    """

    run: int
    samples: int
    passed: int
    ranks: Mapping[str, float | None]
    programs: tuple[ShownProgram, ...]


@dataclass(frozen=True, slots=True)
class TaskView:
    """A task as the report shows it.

    `humans` and `rows` have the costs of the human solutions and of each run's samples.
    """

    name: str
    language: str
    difficulty: str
    tags: tuple[str, ...]
    of_runs: tuple[RunOfTask, ...]
    humans: Sequence[Row]
    human_code: str
    rows: tuple[Sequence[Row], ...]


def view_tasks(runs: Sequence[EvaluationRun], programs: int = 2) -> list[TaskView]:
    """Return each task of runs that have the same tasks, by its name.

    At most `programs` of each run are shown; runs that iterated show the steps of one sample.
    """
    final = [grouped(run.final(), "task") for run in runs]
    steps = [grouped(run.rows, "task") if len(run.iterations) > 1 else {} for run in runs]
    views = []
    for task in sorted(final[0]):
        first = final[0][task][0]
        humans = humans_of(runs, task)
        human_code = best_human(runs, task)
        of_runs = []
        for number, run in enumerate(runs):
            figure = figure_of(run, run.objective)
            if task in steps[number]:  # of a run that iterated
                shown = _steps_of_best(steps[number][task], figure)
            else:
                shown = _chosen(final[number][task], figure, human_code, programs)
            known = [row for row in final[number][task] if row["passed"] is not None]
            ranks = {}
            for objective in OBJECTIVES:
                values = [
                    rank for row in known if (rank := row[f"percentile_{objective}"]) is not None
                ]
                ranks[objective] = fmean(values) if values else None
            of_runs.append(
                RunOfTask(
                    number, len(known), sum(row["passed"] for row in known), ranks, tuple(shown)
                )
            )
        views.append(
            TaskView(
                name=task,
                language=first["language"],
                difficulty=first["difficulty"] or "unknown",
                tags=tuple(first["tags"] or ()),
                of_runs=tuple(of_runs),
                humans=humans,
                human_code=cut(human_code),
                rows=tuple(of_task[task] for of_task in final),
            )
        )
    return views


def humans_of(runs: Sequence[EvaluationRun], task: str) -> Sequence[Row]:
    """Return the human solutions of a task.

    A run measured them only where a sample passed, else another run may.
    """
    return next((rows for run in runs if (rows := run.references.get(task))), [])


def best_human(runs: Sequence[EvaluationRun], task: str) -> str:
    """Return the code of the human solution that costs least by the objective of the first run, or nothing."""
    figure = figure_of(runs[0], runs[0].objective)
    measured = [row for row in humans_of(runs, task) if row[figure] is not None]
    return str(min(measured, key=lambda row: row[figure])["code"] or "") if measured else ""


def figure_of(run: EvaluationRun, objective: str) -> str:
    """Return the column that an objective is ranked by in a run."""
    time = "wall_ns" if run.options.get("rank") == "absolute" else "relative_time"
    return {"memory": "peak_bytes", "integral": "integral_byte_ns"}.get(objective, time)


def _chosen(rows: Sequence[Row], figure: str, human_code: str, most: int) -> list[ShownProgram]:
    """Return the cheapest that passes, one that does not or else the costliest, then others by their cost."""
    passing = sorted((row for row in rows if row["passed"]), key=lambda row: _cost(row, figure))
    failing = [row for row in rows if row["passed"] is False]
    shown = [("cheapest", row) for row in passing[:1]]
    shown += [("failed", row) for row in failing[:1]] or [
        ("costliest", row) for row in passing[1:][-1:]
    ]
    samples = {row["sample"] for _, row in shown}
    others = [row for row in (*passing, *failing) if row["sample"] not in samples]
    shown += [("passed" if row["passed"] else "failed", row) for row in others]
    return [
        _program(title, row, human_code, "the best human solution") for title, row in shown[:most]
    ]


def _cost(row: Row, figure: str) -> float:
    return float("inf") if row[figure] is None else float(row[figure])


def _steps_of_best(rows: Sequence[Row], figure: str) -> list[ShownProgram]:
    """Return the steps of the sample that ends cheapest, each with its changes."""
    samples = grouped(sorted(rows, key=lambda row: row["iteration"]), "sample")
    best = min(
        samples.values(), key=lambda steps: (not steps[-1]["passed"], _cost(steps[-1], figure))
    )
    changed = [
        best[0],
        *(row for before, row in itertools.pairwise(best) if row["code"] != before["code"]),
    ]
    shown, before = [], ""
    for row in changed[-12:]:
        shown.append(_program(f"iteration {row['iteration']}", row, before, "the iteration before"))
        before = row["code"] or before
    return shown


def _program(title: str, row: Row, before: str, against: str) -> ShownProgram:
    code = row["code"] or ""
    diff = compare_code(before, code) if before and code else ()
    return ShownProgram(title, row, cut(code), against if diff else "", diff)


def cut(code: str) -> str:
    """Return code that is not too long to be shown, with a line that says so where it was."""
    if len(code) <= MOST_CHARACTERS:
        return code
    return f"{code[:MOST_CHARACTERS]}\n[cut: {len(code):,} characters in all]"


def compare_code(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """Return the lines of a unified diff, each after its kind.

    There are none where the programs are equal, or too long to be compared.
    """
    old, new = (visible(code).splitlines() for code in (before, after))
    if max(len(old), len(new)) > MOST_LINES or max(len(before), len(after)) > MOST_CHARACTERS:
        return ()
    # The first two lines name files, and there are none.
    lines = itertools.islice(difflib.unified_diff(old, new, lineterm="", n=3), 2, None)
    kinds = {"+": "added", "-": "removed", "@": "place", " ": "same"}
    return tuple((kinds[line[0]], line) for line in lines)
