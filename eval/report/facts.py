"""What a report says, computed from the rows of its runs; pages, Markdown, JSON and pictures only show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from venus_toolkit import __version__
from venus_toolkit.errors import UsageError
from venus_toolkit.eval.report.comparing import COLUMNS, METRICS, Comparison, compare_runs, places_of
from venus_toolkit.eval.report.runs import ITERATION, Row, Run, common_tasks, open_runs
from venus_toolkit.eval.statistics import REPLICATES, Interval, bootstrap
from venus_toolkit.eval.summary import SMALL_REPLICATES, Scores, score_group, values_of

MOST_TAGS = 20
DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class Line:
    """One run of the leaderboard.

    run: its number, in the order in which runs were named. place: 1 and how many runs are better by more than chance.
    tokens and cost: of all answers; None where any is unknown.
    """

    run: int
    name: str
    objective: str
    place: int
    scores: Scores
    tokens: int | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class Group:
    """Some of the tasks, by language, difficulty or tag: the scores of each run in them, None where it has none."""

    by: str
    name: str
    problems: int
    scores: tuple[Scores | None, ...]


class Step(NamedTuple):
    """A metric after an iteration."""

    iteration: int
    value: Interval


@dataclass(frozen=True, slots=True)
class Curve:
    """A metric of one run over its iterations."""

    run: int
    metric: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Iterated:
    """A run after an iteration.

    metrics: those that are known. public_passed: the share of samples whose best program passes the public tests.
    decisions: how many proposals were accepted, refused and so on.
    """

    run: int
    iteration: int
    metrics: Mapping[str, Interval]
    public_passed: float | None
    decisions: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Made:
    """How a run was made: what its manifest and its rows say."""

    name: str
    folder: str
    model: str
    objective: str
    data: str
    samples: int
    repeats: int
    references: str
    iterations: int
    loop: str
    machine: str
    toolkit: str
    partial: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """What a report says; runs are numbered in the order in which they were named.

    by: the metric that orders the leaderboard, `passed`, `time`, `memory` or `integral`. groups_left_out: tags that
    fewer problems have than those that are shown.
    """

    by: str
    problems: int
    tasks: int
    leaderboard: tuple[Line, ...]
    comparisons: tuple[Comparison, ...]
    groups: tuple[Group, ...]
    groups_left_out: int
    curves: tuple[Curve, ...]
    iterated: tuple[Iterated, ...]
    made: tuple[Made, ...]
    notes: tuple[str, ...]
    toolkit: str

    def grouped(self) -> dict[str, list[Group]]:
        """Return the groups by what they are made by, in the order of the page."""
        found: dict[str, list[Group]] = {}
        for group in self.groups:
            found.setdefault(group.by, []).append(group)
        return found


class Found(NamedTuple):
    """The facts, and the runs that they are from, cut to their common tasks."""

    facts: Facts
    runs: Sequence[Run]


def find_facts(folders: Sequence[Path], by: str = "time", seed: int = 0) -> Found:
    """Return what a report on some run folders says.

    Args:
        folders: Of finished evaluations, each once.
        by: The metric that orders the leaderboard.
        seed: Of everything that is resampled.

    Raises:
        UsageError: An unknown metric, or runs that have no task in common.
        ReleaseError: A folder is no finished evaluation, or cannot be read.
    """
    if by not in METRICS:
        raise UsageError(f"unknown order {by!r}", f"known are {', '.join(METRICS)}", "type: venus report --help")
    runs, notes = common_tasks(open_runs(folders))
    comparisons = compare_runs(runs, seed)
    groups, left_out = _groups(runs, seed)
    curves = _curves(runs, seed)
    final = [row for run in runs for row in run.final()]
    facts = Facts(
        by=by,
        problems=len({row["title"] for row in final}),
        tasks=len({row["task"] for row in final}),
        leaderboard=_leaderboard(runs, by, comparisons, seed),
        comparisons=tuple(comparisons),
        groups=groups,
        groups_left_out=left_out,
        curves=curves,
        iterated=tuple(_iterated(runs, curves)),
        made=tuple(map(_made, runs)),
        notes=tuple(notes),
        toolkit=__version__,
    )
    return Found(facts, runs)


def _leaderboard(runs: Sequence[Run], by: str, comparisons: Sequence[Comparison], seed: int) -> tuple[Line, ...]:
    places = places_of(len(runs), by, comparisons)
    lines = []
    for number, run in enumerate(runs):
        scores = score_group("all", "all", run.final(), REPLICATES, seed)
        tokens = _total(row[f"{part}_tokens"] for row in run.rows for part in ("prompt", "completion"))
        cost = _total(row["cost"] for row in run.rows)
        lines.append(
            Line(number, run.name, run.objective, places[number], scores, None if tokens is None else int(tokens), cost)
        )
    return tuple(sorted(lines, key=lambda line: (line.place, -_estimate(line.scores, by), line.run)))


def metric_of(scores: Scores, metric: str) -> Interval | None:
    """Return a metric of the leaderboard from the scores of a group."""
    return scores.pass_at_1 if metric == "passed" else scores.efficiency[metric].beyond


def _estimate(scores: Scores, metric: str) -> float:
    value = metric_of(scores, metric)
    return value.estimate if value else -1.0


def _total(values: Iterable[float | None]) -> float | None:
    total = 0.0
    for value in values:
        if value is None:
            return None
        total += value
    return total


def _groups(runs: Sequence[Run], seed: int) -> tuple[tuple[Group, ...], int]:
    """Return the groups that do not hold everything alone, and how many tags are left out."""
    rows = [run.final() for run in runs]
    found = [*_by("language", rows, seed), *_by("difficulty", rows, seed)]
    tags = sorted(_by("tag", rows, seed), key=lambda group: (-group.problems, group.name))
    return (*found, *tags[:MOST_TAGS]), max(0, len(tags) - MOST_TAGS)


def _by(by: str, runs: Sequence[Sequence[Row]], seed: int) -> list[Group]:
    parts: dict[str, list[list[Row]]] = {}
    for number, rows in enumerate(runs):
        for row in rows:
            for name in (row["tags"] or []) if by == "tag" else [row[by] or "unknown"]:
                parts.setdefault(name, [[] for _ in runs])[number].append(row)
    if len(parts) < 2:
        return []
    return [_group(by, name, parts[name], seed) for name in sorted(parts, key=_order)]


def _order(name: str) -> tuple[int, str]:
    """Return where a name stands: difficulties by how hard they are, all else by the alphabet."""
    return (DIFFICULTIES.index(name.lower()) if name.lower() in DIFFICULTIES else len(DIFFICULTIES), name)


def _group(by: str, name: str, runs: Sequence[Sequence[Row]], seed: int) -> Group:
    problems = len({row["title"] for rows in runs for row in rows})
    scores = (score_group(by, name, rows, SMALL_REPLICATES, seed) if rows else None for rows in runs)
    return Group(by, name, problems, tuple(scores))


def _curves(runs: Sequence[Run], seed: int) -> tuple[Curve, ...]:
    """Return the curves of the runs that iterated."""
    iterated = [(number, run) for number, run in enumerate(runs) if len(run.iterations) > 1]
    return tuple(
        Curve(number, metric, steps)
        for metric in METRICS
        for number, run in iterated
        if (steps := _steps(run, COLUMNS[metric], seed))
    )


def _steps(run: Run, column: str, seed: int) -> tuple[Step, ...]:
    values = ((iteration, values_of(run.after(iteration), column)) for iteration in run.iterations)
    return tuple(
        Step(iteration, bootstrap(array, replicates=SMALL_REPLICATES, seed=seed))
        for iteration, array in values
        if not np.isnan(array).all()
    )


def _iterated(runs: Sequence[Run], curves: Sequence[Curve]) -> Iterator[Iterated]:
    """Yield the curves as the rows of a table, with what the loop saw and decided."""
    for number, run in enumerate(runs):
        for iteration in run.iterations if len(run.iterations) > 1 else []:
            metrics = {
                curve.metric: step.value
                for curve in curves
                for step in curve.steps
                if (curve.run, step.iteration) == (number, iteration)
            }
            public = [row["public_passed"] for row in run.after(iteration) if row["public_passed"] is not None]
            made = [row["decision"] for row in run.rows if row[ITERATION] == iteration]
            decisions = dict(Counter(decision for decision in made if decision).most_common())
            yield Iterated(number, iteration, metrics, sum(public) / len(public) if public else None, decisions)


def _made(run: Run) -> Made:
    release = run.manifest.get("release")
    origins = sorted({row["references_from"] for row in run.rows if row["references_from"]})
    samples = {(row["task"], row["sample"]) for row in run.rows}
    return Made(
        name=run.name,
        folder=run.folder.resolve().name,
        model=run.model,
        objective=run.objective,
        data=Path(str(release.get("folder", "unknown"))).name if isinstance(release, dict) else "unknown",
        samples=len(samples),
        repeats=run.repeats,
        references=", ".join(origins) or "none",
        iterations=run.iterations[-1],
        loop=", start: ".join(str(run.rows[0][name]) for name in ("mode", "start") if run.rows[0][name]),
        machine=str(run.manifest.get("fingerprint", "unknown"))[:12],
        toolkit=str(run.manifest.get("toolkit", "unknown")),
        partial=bool(run.manifest.get("partial")),
    )
