"""The tasks of a report with selected programs of each run, compared with the best human solution.

For each run the report shows the cheapest passing program, and a failing one, or the costliest if
none fails. For a run with iterations it shows every step of its best sample with the changes from
the previous step. Long programs are truncated, with a note.
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

MAX_CHARACTERS = 20_000
MAX_LINES = 600  # the time of difflib grows with the product of both line counts


@dataclass(frozen=True, slots=True)
class ShownProgram:
    """A program in the report.

    `title` says why it is shown, `row` has its figures, and `against` names the program with which
    the diff compares it, if any. An item of `diff` is a line and, before it, its kind: added,
    removed, same or place (the header of a hunk).
    """

    title: str
    row: Row
    code: str
    against: str
    diff: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TaskRun:
    """One run's samples of a task: numbers, mean ranks by objective, and the programs shown."""

    run: int
    samples: int
    passed: int
    ranks: Mapping[str, float | None]
    programs: tuple[ShownProgram, ...]


@dataclass(frozen=True, slots=True)
class TaskView:
    """A task in the report; `humans` has the rows of human solutions, `rows` those of each run."""

    name: str
    language: str
    difficulty: str
    tags: tuple[str, ...]
    task_runs: tuple[TaskRun, ...]
    humans: Sequence[Row]
    human_code: str
    rows: tuple[Sequence[Row], ...]


def view_tasks(runs: Sequence[EvaluationRun], programs: int = 2) -> list[TaskView]:
    """Return the tasks of runs that have the same tasks, sorted by name.

    At most `programs` of each run are shown; a run with iterations shows the steps of one sample.
    """
    final = [grouped(run.final(), "task") for run in runs]
    steps = [grouped(run.rows, "task") if len(run.iterations) > 1 else {} for run in runs]
    views = []
    for task in sorted(final[0]):
        first = final[0][task][0]
        humans = humans_of(runs, task)
        human_code = best_human(runs, task)
        task_runs = []
        for number, run in enumerate(runs):
            figure = figure_of(run, run.objective)
            if task in steps[number]:
                selection = _steps_of_best(steps[number][task], figure)
            else:
                selection = _select_programs(final[number][task], figure, human_code, programs)
            known = [row for row in final[number][task] if row["passed"] is not None]
            mean_ranks = {}
            for objective in OBJECTIVES:
                ranks = [
                    rank for row in known if (rank := row[f"percentile_{objective}"]) is not None
                ]
                mean_ranks[objective] = fmean(ranks) if ranks else None
            passed = sum(row["passed"] for row in known)
            task_runs.append(TaskRun(number, len(known), passed, mean_ranks, tuple(selection)))
        views.append(
            TaskView(
                name=task,
                language=first["language"],
                difficulty=first["difficulty"] or "unknown",
                tags=tuple(first["tags"] or ()),
                task_runs=tuple(task_runs),
                humans=humans,
                human_code=truncate(human_code),
                rows=tuple(rows_by_task[task] for rows_by_task in final),
            )
        )
    return views


def humans_of(runs: Sequence[EvaluationRun], task: str) -> Sequence[Row]:
    """Return the human solutions of a task from the first run that measured them.

    A run measures them only if a sample of the task passes.
    """
    return next((rows for run in runs if (rows := run.references.get(task))), [])


def best_human(runs: Sequence[EvaluationRun], task: str) -> str:
    """Return the code of the cheapest human solution by the first run's objective, or ""."""
    figure = figure_of(runs[0], runs[0].objective)
    measured = [row for row in humans_of(runs, task) if row[figure] is not None]
    return str(min(measured, key=lambda row: row[figure])["code"] or "") if measured else ""


def figure_of(run: EvaluationRun, objective: str) -> str:
    """Return the column by which a run ranks programs for an objective."""
    time = "wall_ns" if run.options.get("rank") == "absolute" else "relative_time"
    return {"memory": "peak_bytes", "integral": "integral_byte_ns"}.get(objective, time)


def _select_programs(
    rows: Sequence[Row], figure: str, human_code: str, most: int
) -> list[ShownProgram]:
    """Return the cheapest passing program, a failing one (if none, the costliest), then the others."""
    passing = sorted((row for row in rows if row["passed"]), key=lambda row: _cost(row, figure))
    failing = [row for row in rows if row["passed"] is False]
    selection = [("cheapest", row) for row in passing[:1]]
    selection += [("failed", row) for row in failing[:1]] or [
        ("costliest", row) for row in passing[1:][-1:]
    ]
    samples = {row["sample"] for _, row in selection}
    others = [row for row in (*passing, *failing) if row["sample"] not in samples]
    selection += [("passed" if row["passed"] else "failed", row) for row in others]
    return [
        _program(title, row, human_code, "the best human solution")
        for title, row in selection[:most]
    ]


def _cost(row: Row, figure: str) -> float:
    return float("inf") if row[figure] is None else float(row[figure])


def _steps_of_best(rows: Sequence[Row], figure: str) -> list[ShownProgram]:
    """Return the steps of the sample with the cheapest last program, with their changes."""
    samples = grouped(sorted(rows, key=lambda row: row["iteration"]), "sample")
    best = min(
        samples.values(), key=lambda steps: (not steps[-1]["passed"], _cost(steps[-1], figure))
    )
    changed = [
        best[0],
        *(row for before, row in itertools.pairwise(best) if row["code"] != before["code"]),
    ]
    programs, previous = [], ""
    for row in changed[-12:]:
        title = f"iteration {row['iteration']}"
        programs.append(_program(title, row, previous, "the previous iteration"))
        previous = row["code"] or previous
    return programs


def _program(title: str, row: Row, before: str, against: str) -> ShownProgram:
    code = row["code"] or ""
    diff = compare_code(before, code) if before and code else ()
    return ShownProgram(title, row, truncate(code), against if diff else "", diff)


def truncate(code: str) -> str:
    """Return code of at most `MAX_CHARACTERS`, with a note if it was truncated."""
    if len(code) <= MAX_CHARACTERS:
        return code
    return f"{code[:MAX_CHARACTERS]}\n[truncated: {len(code):,} characters in total]"


def compare_code(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """Return the lines of a unified diff as pairs of kind and line.

    The diff is empty if the programs are equal or too long.
    """
    old, new = (visible(code).splitlines() for code in (before, after))
    if max(len(old), len(new)) > MAX_LINES or max(len(before), len(after)) > MAX_CHARACTERS:
        return ()
    # The first two lines of a diff name files.
    lines = itertools.islice(difflib.unified_diff(old, new, lineterm="", n=3), 2, None)
    kinds = {"+": "added", "-": "removed", "@": "place", " ": "same"}
    return tuple((kinds[line[0]], line) for line in lines)
