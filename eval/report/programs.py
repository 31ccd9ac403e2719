"""Task by task: what each run wrote, which of it is shown, and how it differs from the best human solution.

Of each run the cheapest program that passes is shown and one that does not, or else the dearest; of a run that iterated
every step of its best sample, each beside the step before. Long programs are cut, and said to be.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from venus_toolkit.eval.report.runs import ITERATION, Row, Run
from venus_toolkit.eval.report.words import visible

MOST_STEPS = 12
MOST_CHARACTERS = 20_000
MOST_LINES = 600  # comparing takes the product of the numbers of lines
KINDS = {"+": "added", "-": "removed", "@": "place", " ": "same"}
HUMAN = "the best human solution"


class DiffLine(NamedTuple):
    """A line of a diff with its sign; kind: added, removed, same or place."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Program:
    """A program that is shown; row: its figures; against: what the diff compares with, empty where there is none."""

    what: str
    row: Row
    code: str
    against: str
    diff: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class OfRun:
    """One run's samples of a task: how many pass, the mean ranks by objective, and the programs that are shown."""

    run: int
    samples: int
    passed: int
    ranks: Mapping[str, float | None]
    programs: tuple[Program, ...]


@dataclass(frozen=True, slots=True)
class TaskView:
    """A task as it is looked at; humans and rows: what the human solutions and each run's samples cost."""

    name: str
    title: str
    language: str
    difficulty: str
    tags: tuple[str, ...]
    of_runs: tuple[OfRun, ...]
    humans: Sequence[Row]
    human_code: str
    rows: tuple[Sequence[Row], ...]


def view_tasks(runs: Sequence[Run], programs: int = 2) -> list[TaskView]:
    """Return each task of runs that have the same tasks, by its name.

    Args:
        runs: The runs.
        programs: How many programs of each run are shown; those that iterated show the steps of one sample.
    """
    by_task = [_grouped(run.final()) for run in runs]
    steps = [_grouped(run.rows) if len(run.iterations) > 1 else {} for run in runs]
    return [
        _view(task, runs, [of_run[task] for of_run in by_task], [of_run.get(task, []) for of_run in steps], programs)
        for task in sorted(by_task[0])
    ]


def _grouped(rows: Sequence[Row]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["task"], []).append(row)
    return groups


def _view(
    task: str, runs: Sequence[Run], rows: Sequence[list[Row]], steps: Sequence[list[Row]], programs: int
) -> TaskView:
    head, objective = rows[0][0], runs[0].objective
    humans = next((found for run in runs if (found := run.references.get(task))), [])
    human_code = _best_code(humans, figure_of(runs[0], objective))
    shown = [
        _steps_of_best(steps[number], figure_of(run, run.objective))
        if steps[number]
        else _chosen(rows[number], figure_of(run, run.objective), human_code, programs)
        for number, run in enumerate(runs)
    ]
    of_runs = [_of_run(number, rows[number], tuple(shown[number])) for number in range(len(runs))]
    tags = tuple(head["tags"] or ())
    about = (head["title"] or task, head["language"], head["difficulty"] or "unknown", tags)
    return TaskView(task, *about, tuple(of_runs), humans, cut(human_code), tuple(rows))


def figure_of(run: Run, objective: str) -> str:
    """Return the column that an objective is ranked by in a run."""
    time = "wall_ns" if run.options.get("rank") == "absolute" else "relative_time"
    return {"memory": "peak_bytes", "integral": "integral_byte_ns"}.get(objective, time)


def _of_run(run: int, rows: Sequence[Row], programs: tuple[Program, ...]) -> OfRun:
    known = [row for row in rows if row["passed"] is not None]
    ranks = {name: _mean([row[f"percentile_{name}"] for row in known]) for name in ("time", "memory", "integral")}
    return OfRun(run, len(known), sum(row["passed"] for row in known), ranks, programs)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _best_code(humans: Sequence[Row], figure: str) -> str:
    measured = [row for row in humans if row[figure] is not None]
    return str(min(measured, key=lambda row: row[figure])["code"] or "") if measured else ""


# ------------------------------------------------------------------ which programs


def _chosen(rows: Sequence[Row], figure: str, human_code: str, most: int) -> Iterator[Program]:
    """Yield the cheapest that passes, one that does not or else the dearest, then others by their cost."""
    passing = sorted((row for row in rows if row["passed"]), key=lambda row: _cost(row, figure))
    failing = [row for row in rows if row["passed"] is False]
    first = [("cheapest", row) for row in passing[:1]]
    last = [("failed", row) for row in failing[:1]] or [("dearest", row) for row in passing[1:][-1:]]
    taken = {row["sample"] for _, row in (*first, *last)}
    others = [
        ("passed" if row["passed"] else "failed", row) for row in (*passing, *failing) if row["sample"] not in taken
    ]
    for what, row in (*first, *last, *others)[:most]:
        yield _program(what, row, human_code, HUMAN)


def _cost(row: Row, figure: str) -> float:
    return float("inf") if row[figure] is None else float(row[figure])


def _steps_of_best(rows: Sequence[Row], figure: str) -> Iterator[Program]:
    """Yield the steps of the sample that ends cheapest, each with what it changed."""
    samples: dict[int, list[Row]] = {}
    for row in sorted(rows, key=lambda row: row[ITERATION]):
        samples.setdefault(row["sample"], []).append(row)
    best = min(samples.values(), key=lambda steps: (not steps[-1]["passed"], _cost(steps[-1], figure)))
    changed = [best[0], *(row for before, row in itertools.pairwise(best) if row["code"] != before["code"])]
    before = ""
    for row in changed[-MOST_STEPS:]:
        yield _program(f"iteration {row[ITERATION]}", row, before, "the iteration before")
        before = row["code"] or before


def _program(what: str, row: Row, before: str, against: str) -> Program:
    code = row["code"] or ""
    diff = compare_code(before, code) if before and code else ()
    return Program(what, row, cut(code), against if diff else "", diff)


def cut(code: str) -> str:
    """Return code that is not too long to be shown, with a line that says so where it was."""
    if len(code) <= MOST_CHARACTERS:
        return code
    return f"{code[:MOST_CHARACTERS]}\n[cut: {len(code):,} characters in all]"


def compare_code(before: str, after: str) -> tuple[DiffLine, ...]:
    """Return a unified diff; nothing where the programs are equal or too long to be compared."""
    old, new = (visible(code).splitlines() for code in (before, after))
    if max(len(old), len(new)) > MOST_LINES or max(len(before), len(after)) > MOST_CHARACTERS:
        return ()
    lines = itertools.islice(difflib.unified_diff(old, new, lineterm="", n=3), 2, None)
    return tuple(DiffLine(KINDS[line[0]], line) for line in lines)
