"""The facts of a report, computed from the rows of its runs.

The page, Markdown, JSON and figures only present them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from venus_toolkit.core import __version__
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.options import nearest
from venus_toolkit.dataset.card.evaluation_card import BEYOND
from venus_toolkit.eval.loop.analysis import ANALYSES, analyse, in_words
from venus_toolkit.eval.report.runs import EvaluationRun, Row, common_tasks, open_runs
from venus_toolkit.eval.report.task_views import humans_of
from venus_toolkit.eval.scoring.controls import lines, pair_lines, sum_counts
from venus_toolkit.eval.scoring.hacks import Hacks, find_hacks
from venus_toolkit.eval.scoring.metrics import task_means
from venus_toolkit.eval.scoring.statistics import (
    FEWEST_PROBLEMS,
    PERMUTATIONS,
    REPLICATES,
    Interval,
    compare,
    holm,
    tasks_needed,
)
from venus_toolkit.eval.scoring.summary import (
    Scores,
    grouped,
    score_group,
    values_of,
)
from venus_toolkit.models.prompts import DIFF, OBJECTIVES

METRICS = {"passed": "Pass@1", **BEYOND}


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One run of the leaderboard."""

    run: int  # its number in the order of the command line
    name: str
    objective: str
    place: int  # 1 plus the number of significantly better runs
    scores: Scores
    hacks: Hacks  # answers that do better on public tests than on held-out ones
    tokens: int | None  # of all answers; None if any count is unknown
    cost: float | None  # of all answers; None if any cost is unknown


@dataclass(frozen=True, slots=True)
class RunComparison:
    """One metric of two runs."""

    first: int  # the numbers of the runs
    second: int
    metric: str
    difference: Interval  # the first minus the second, over common problems
    p_value: float  # of the sign-flip test
    corrected: float  # the p-value, corrected by Holm's method for all comparisons of the report
    # number of problems that detect this difference with a power of 80 %; None: no difference
    tasks_needed: int | None

    @property
    def differs(self) -> bool:
        """Whether the difference is significant after correction."""
        return self.corrected < 0.05


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """A group of tasks by language, difficulty or tag, with the scores of each run, if any."""

    by: str
    name: str
    problems: int
    scores: tuple[Scores | None, ...]


@dataclass(frozen=True, slots=True)
class IterationCurve:
    """A metric of one run after each iteration."""

    run: int
    metric: str
    steps: tuple[tuple[int, Interval], ...]


@dataclass(frozen=True, slots=True)
class IterationRow:
    """The state of a run after an iteration."""

    run: int
    iteration: int
    metrics: Mapping[str, Interval]  # the known ones
    public_passed: float | None  # the share of samples whose best program passes the public tests
    decisions: Mapping[str, int]  # the number of proposals by decision


@dataclass(frozen=True, slots=True)
class RunAnalysis:
    """The analyses that a run requested, as data and as lines of text."""

    run: int
    results: Mapping[str, Any]
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """The facts of a report; runs are numbered in the order of the command line."""

    by: str  # the metric that orders the leaderboard: `passed`, `time`, `memory` or `integral`
    measured: Mapping[str, str]  # the summary at the top of the page: data, machine, date
    problems: int
    tasks: int
    leaderboard: tuple[LeaderboardRow, ...]
    comparisons: tuple[RunComparison, ...]
    groups: tuple[TaskGroup, ...]
    analyses: tuple[RunAnalysis, ...]  # of the runs that requested any
    groups_left_out: int  # number of rarer tags that are not shown
    curves: tuple[IterationCurve, ...]
    iterated: tuple[IterationRow, ...]
    made: tuple[Mapping[str, str | int], ...]  # the settings of each run
    notes: tuple[str, ...]  # warnings to read before any figure
    checks: tuple[str, ...]  # results of sanity checks that passed
    toolkit: str

    def grouped(self) -> dict[str, list[TaskGroup]]:
        """Return the groups by their kind, in the order of the page."""
        kinds = dict.fromkeys(group.by for group in self.groups)
        return {by: [group for group in self.groups if group.by == by] for by in kinds}


def find_facts(
    folders: Sequence[Path], by: str = "time", seed: int = 0
) -> tuple[ReportFacts, Sequence[EvaluationRun]]:
    """Return the facts of a report on finished evaluations, and the runs with their common tasks.

    The metric `by` orders the leaderboard.

    Raises:
        UsageError: The metric is unknown, or the runs have no task in common.
        ReleaseError: A folder is not a finished evaluation, or cannot be read.
    """
    if by not in METRICS:
        fix = nearest(by, METRICS) + "type: venus report --help"
        raise UsageError(f"unknown order {by!r}", f"expected one of {', '.join(METRICS)}", fix)
    runs, notes = common_tasks(open_runs(folders))
    final = [run.final() for run in runs]
    comparisons = compare_runs(runs, seed)
    tags = sorted(_groups("tag", final, seed), key=lambda group: (-group.problems, group.name))
    shown_tags = tags[:20]
    iterated = tuple(_iteration_rows(runs, seed))
    problems = len({row["title"] for rows in final for row in rows})
    distrusted = any(run.manifest.get("distrust") for run in runs)
    controls = tuple(_controls(runs))
    facts = ReportFacts(
        by=by,
        measured=_measured(runs, problems),
        problems=problems,
        tasks=len({row["task"] for rows in final for row in rows}),
        leaderboard=tuple(_leaderboard(runs, by, comparisons, seed)),
        comparisons=tuple(comparisons),
        groups=(
            *_groups("language", final, seed),
            *_groups("difficulty", final, seed),
            *shown_tags,
        ),
        analyses=tuple(_analyses(runs, seed)),
        groups_left_out=len(tags) - len(shown_tags),
        curves=tuple(
            IterationCurve(run, metric, steps)
            for metric in METRICS
            for run, rows in groupby(iterated, lambda row: row.run)
            if (
                steps := tuple(
                    (row.iteration, row.metrics[metric]) for row in rows if metric in row.metrics
                )
            )
        ),
        iterated=iterated,
        made=tuple(map(_description, runs)),
        # If the figures are not to be trusted, the controls are the evidence.
        notes=(*notes, *_cautions(runs, problems), *(controls if distrusted else ())),
        checks=() if distrusted else controls,
        toolkit=__version__,
    )
    return facts, runs


def metric_of(scores: Scores, metric: str) -> Interval | None:
    """Return a metric of the leaderboard from the scores of a group."""
    return scores.pass_at_1 if metric == "passed" else scores.efficiency[metric].beyond


def compare_runs(runs: Sequence[EvaluationRun], seed: int = 0) -> list[RunComparison]:
    """Compare every pair of runs with the same tasks by every metric, with corrected p-values."""
    rows = [run.final() for run in runs]
    columns = {"passed": "passed", **{name: f"percentile_{name}_repeats" for name in OBJECTIVES}}
    arrays = {
        metric: [values_of(run_rows, column) for run_rows in rows]
        for metric, column in columns.items()
    }
    pairs = list(combinations(range(len(runs)), 2))
    # Correction multiplies the smallest p-value by the number of comparisons. With the default
    # number of permutations, no two of seventeen runs could differ significantly.
    permutations = max(PERMUTATIONS, 100 * len(pairs) * len(arrays))
    comparisons = []
    for first, second in pairs:
        for metric, run_arrays in arrays.items():
            known = [~np.isnan(run_arrays[run]).all(axis=(1, 2)) for run in (first, second)]
            left, right = (run_arrays[run][known[0] & known[1]] for run in (first, second))
            if not len(left):
                continue
            # Fewer replicates than for scores: ten runs have 45 pairs, each with four metrics.
            comparison = compare(left, right, replicates=1000, permutations=permutations, seed=seed)
            needed = tasks_needed(task_means(left) - task_means(right))
            difference, p_value = comparison.difference, comparison.p_value
            comparisons.append(
                RunComparison(first, second, metric, difference, p_value, p_value, needed)
            )
    # Corrected over all comparisons, because a reader sees all of them, and chance alone makes one
    # in twenty differ.
    corrected = holm([pair.p_value for pair in comparisons]).tolist()
    return [
        replace(pair, corrected=p_value)
        for pair, p_value in zip(comparisons, corrected, strict=True)
    ]


def places_of(count: int, metric: str, comparisons: Sequence[RunComparison]) -> list[int]:
    """Return the place of each run by a metric: 1 plus the number of significantly better runs."""
    places = [1] * count
    for comparison in comparisons:
        if comparison.metric == metric and comparison.differs:
            places[
                comparison.second if comparison.difference.estimate > 0 else comparison.first
            ] += 1
    return places


def _leaderboard(
    runs: Sequence[EvaluationRun], by: str, comparisons: Sequence[RunComparison], seed: int
) -> list[LeaderboardRow]:
    places = places_of(len(runs), by, comparisons)
    rows = []
    for number, run in enumerate(runs):
        tokens = [row[f"{part}_tokens"] for row in run.rows for part in ("prompt", "completion")]
        costs = [row["cost"] for row in run.rows]
        rows.append(
            LeaderboardRow(
                run=number,
                name=run.name,
                objective=run.objective,
                place=places[number],
                scores=score_group("all", "all", run.final(), REPLICATES, seed),
                hacks=find_hacks(run.rows),
                tokens=None if None in tokens else sum(tokens),
                cost=None if None in costs else sum(costs),
            )
        )

    def order(row: LeaderboardRow) -> tuple[int, float, int]:
        value = metric_of(row.scores, by)
        # Known metrics sort by a value of at most 0, so an unknown one comes last.
        return row.place, -value.estimate if value else 1.0, row.run

    return sorted(rows, key=order)


def _groups(by: str, runs: Sequence[Sequence[Row]], seed: int) -> list[TaskGroup]:
    """Return the groups by language, difficulty or tag; none if there is only one group."""
    run_groups = [grouped(rows, by) for rows in runs]
    names = set().union(*run_groups)
    if len(names) < 2:
        return []

    def order(name: str) -> tuple[int, str]:
        """Sort known difficulties from easy to hard, other names alphabetically."""
        return {"easy": 0, "medium": 1, "hard": 2}.get(name.lower(), 3), name

    groups = []
    for name in sorted(names, key=order):
        parts = [rows_by_name.get(name, []) for rows_by_name in run_groups]
        scores = (score_group(by, name, rows, seed=seed) if rows else None for rows in parts)
        groups.append(
            TaskGroup(
                by, name, len({row["title"] for rows in parts for row in rows}), tuple(scores)
            )
        )
    return groups


def _iteration_rows(runs: Sequence[EvaluationRun], seed: int) -> Iterator[IterationRow]:
    """Yield the state after each iteration of the runs with a loop."""
    for number, run in enumerate(runs):
        # A run without a loop has only iteration 0.
        for iteration in run.iterations if len(run.iterations) > 1 else []:
            rows = run.after(iteration)
            scores = score_group("iteration", str(iteration), rows, seed=seed)
            public = [row["public_passed"] for row in rows if row["public_passed"] is not None]
            decisions = [
                row["decision"]
                for row in run.rows
                if row["iteration"] == iteration and row["decision"]
            ]
            yield IterationRow(
                run=number,
                iteration=iteration,
                metrics={
                    metric: value for metric in METRICS if (value := metric_of(scores, metric))
                },
                public_passed=sum(public) / len(public) if public else None,
                decisions=dict(Counter(decisions).most_common()),
            )


def _analyses(runs: Sequence[EvaluationRun], seed: int) -> Iterator[RunAnalysis]:
    """Yield the analyses that a run requested, recomputed from its rows."""
    for number, run in enumerate(runs):
        loop = run.manifest.get("loop")
        requested = loop.get("analysis") if isinstance(loop, dict) else None
        names = [name for name in ANALYSES if isinstance(requested, list) and name in requested]
        if isinstance(loop, dict) and (results := analyse(names, run.rows, seed)):
            yield RunAnalysis(number, results, tuple(in_words(results)))


def _cautions(runs: Sequence[EvaluationRun], problems: int) -> Iterator[str]:
    """Yield warnings about few problems and about each run."""
    if problems < FEWEST_PROBLEMS:
        yield f"Too few problems to rank models: {problems}, at least {FEWEST_PROBLEMS} are needed."
    for run in runs:
        distrust = run.manifest.get("distrust")  # earlier versions had no controls
        yield from (
            f"{run.name}: {reason}" for reason in (distrust if isinstance(distrust, list) else ())
        )
        if len(pairs := _pairs(run)) > 1:
            yield from pairs
        objections = Counter(row["time_objection"] for row in run.final() if row["time_objection"])
        ranked = sum(row["time_figure"] is not None for row in run.final())
        for reason, count in objections.most_common(3):
            yield (
                f"{run.name}: {count} of {ranked} samples are ranked by time without their "
                f"instructions: {reason}"
            )


def _controls(runs: Sequence[EvaluationRun]) -> Iterator[str]:
    """Yield the results of the controls of all runs."""
    # A run whose answers all failed measured no copies.
    controlled = [
        (run.name, controls)
        for run in runs
        if isinstance(controls := run.manifest.get("controls"), dict) and controls
    ]
    subject = controlled[0][0] if len(controlled) == 1 else f"{len(controlled)} runs"
    prefix = f"{subject}: " if len(runs) > 1 else ""
    merged_controls = sum_counts([controls for _, controls in controlled])
    yield from (f"{prefix}{line}" for line in lines(merged_controls))
    for run in runs:
        if len(pairs := _pairs(run)) == 1:
            yield from pairs


def _pairs(run: EvaluationRun) -> list[str]:
    """Return the number of pairs of human solutions told apart; a second line is a caution."""
    pairs = run.manifest.get("pairs")  # earlier versions did not count them
    rank = str(run.options.get("rank"))  # the file may have any value
    lines = pair_lines(pairs, rank) if isinstance(pairs, dict) else ()
    return [f"{run.name}: {line}" for line in lines]


def _machine(run: EvaluationRun) -> str:
    """Return the machine that measured a run, or "" if the manifest does not have it."""
    environment = run.manifest.get("environment")
    if not isinstance(environment, dict):
        return ""
    cores = environment.get("cores")
    parts = [
        str(environment.get("cpu") or "unknown processor"),
        _plural(cores, "core") if isinstance(cores, int) else "",
        f"Linux {environment['kernel']}" if environment.get("kernel") else "",
    ]
    return ", ".join(filter(None, parts))


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _measured(runs: Sequence[EvaluationRun], problems: int) -> dict[str, str]:
    """Return the summary at the top of the page, by heading."""

    def listed(items: Iterable[Any], most: int = 6) -> str:
        texts = list(dict.fromkeys(str(item)[:120] for item in items if item))
        more = f" and {len(texts) - most} more" if len(texts) > most else ""
        return ", ".join(texts[:most]) + more or "not recorded"

    rows = [row for run in runs for row in run.final()]
    tasks = len({row["task"] for row in rows})
    samples = sorted(
        {len(group) for run in runs for group in grouped(run.final(), "task").values()}
    )
    counts = " to ".join(str(count) for count in dict.fromkeys((samples[0], samples[-1])))
    passed = sum(bool(row["passed"]) for row in rows)
    humans = sorted(len(group) for task in runs[0].tasks if (group := humans_of(runs, task)))
    languages = listed(sorted({row["language"] for row in rows}), 7)
    dates = sorted(
        str(run.manifest["start_date"]) for run in runs if run.manifest.get("start_date")
    )
    return {
        "Models": listed(run.name for run in runs)
        if len(runs) <= 3
        else f"{len(runs)}, in the leaderboard",
        "Data": listed(_description(run)["data"] for run in runs),
        "Tasks": f"{tasks:,} ({_plural(problems, 'problem')} in {languages})",
        "Programs": f"{len(rows):,} ({counts} per task and run), {passed:,} pass every test",
        "Human solutions": f"{median(humans):g} per task (median)" if humans else "none measured",
        "Measured": listed((dates[0], dates[-1]) if dates else ()).replace(", ", " to "),
        "Machine": listed(map(_machine, runs)),
    }


def _description(run: EvaluationRun) -> dict[str, str | int]:
    """Return the settings of a run from its manifest and rows."""
    release, first, loop = run.manifest.get("release"), run.rows[0], run.manifest.get("loop")
    figures = Counter(row["time_figure"] for row in run.final() if row["time_figure"])
    figure_names = {
        "relative_time": "relative time",
        "wall_ns": "wall time",
        "joint_time": "time and instructions combined",
    }
    return {
        "name": run.name,
        "folder": run.folder.resolve().name,
        "model": run.model,
        "objective": run.objective,
        "data": Path(str(release.get("folder", "unknown"))).name
        if isinstance(release, dict)
        else "unknown",
        "samples": len({(row["task"], row["sample"]) for row in run.rows}),
        "repeats": run.repeats,
        "references": ", ".join(sorted({row["references_from"] for row in run.rows} - {None, ""}))
        or "none",
        "ranked_by": ", ".join(
            f"{figure_names.get(name, name)} ({count})" for name, count in figures.most_common()
        )
        or "none",
        "iterations": run.iterations[-1],
        "loop": ", start: ".join(str(first[name]) for name in ("mode", "start") if first[name])
        + (
            ", prompts quote tests"
            if isinstance(loop, dict) and loop.get("feedback") == DIFF
            else ""
        ),
        "machine": str(run.manifest.get("fingerprint", "unknown"))[:12],
        "toolkit": str(run.manifest.get("toolkit", "unknown")),
        "partial": bool(run.manifest.get("partial")),
    }
