"""What a report says, computed from the rows of its runs.

The page, Markdown, JSON and figures only show it.
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
from venus_toolkit.eval.scoring.controls import lines, merged, pair_lines
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

    run: int  # its number, in the order in which runs were named
    name: str
    objective: str
    place: int  # 1 and how many runs are better by more than chance
    scores: Scores
    hacks: Hacks  # answers that do better on public tests than on held-out ones
    tokens: int | None  # of all answers, like the cost; None where any is unknown
    cost: float | None


@dataclass(frozen=True, slots=True)
class RunComparison:
    """One metric of two runs."""

    first: int  # the numbers of the runs
    second: int
    metric: str
    difference: Interval  # the first minus the second, over the problems that both have
    p_value: float  # of the sign-flip test
    corrected: float  # by Holm's method for all comparisons of the report
    # problems that show a difference of this size four times in five; None: there is none
    tasks_needed: int | None

    @property
    def differs(self) -> bool:
        """Whether the difference is more than chance, given how many were looked at."""
        return self.corrected < 0.05


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """Some of the tasks, by language, difficulty or tag.

    The scores of each run in them, None where it has none.
    """

    by: str
    name: str
    problems: int
    scores: tuple[Scores | None, ...]


@dataclass(frozen=True, slots=True)
class IterationCurve:
    """A metric of one run over its iterations: the value after each."""

    run: int
    metric: str
    steps: tuple[tuple[int, Interval], ...]


@dataclass(frozen=True, slots=True)
class IterationRow:
    """A run after an iteration."""

    run: int
    iteration: int
    metrics: Mapping[str, Interval]  # those that are known
    public_passed: float | None  # the share of samples whose best program passes the public tests
    decisions: Mapping[str, int]  # how many proposals were accepted, refused and so on


@dataclass(frozen=True, slots=True)
class RunAnalysis:
    """What the loop of a run was told to report beside its scores, and the same in lines."""

    run: int
    results: Mapping[str, Any]
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """What a report says; runs are numbered in the order in which they were named."""

    by: str  # the metric that orders the leaderboard: `passed`, `time`, `memory` or `integral`
    measured: Mapping[str, str]  # what was measured, where and when, as the page opens with it
    problems: int
    tasks: int
    leaderboard: tuple[LeaderboardRow, ...]
    comparisons: tuple[RunComparison, ...]
    groups: tuple[TaskGroup, ...]
    analyses: tuple[RunAnalysis, ...]  # of the runs that were told to have some
    groups_left_out: int  # tags that fewer problems have than those that are shown
    curves: tuple[IterationCurve, ...]
    iterated: tuple[IterationRow, ...]
    made: tuple[Mapping[str, str | int], ...]  # how each run was made
    notes: tuple[str, ...]  # what a reader has to know before any figure
    checks: tuple[str, ...]  # what was checked and is as it should be
    toolkit: str

    def grouped(self) -> dict[str, list[TaskGroup]]:
        """Return the groups by their kind, in the order of the page."""
        kinds = dict.fromkeys(group.by for group in self.groups)
        return {by: [group for group in self.groups if group.by == by] for by in kinds}


def find_facts(
    folders: Sequence[Path], by: str = "time", seed: int = 0
) -> tuple[ReportFacts, Sequence[EvaluationRun]]:
    """Return what a report on the folders of finished evaluations says, its leaderboard ordered by a metric.

    With it come the runs, cut to the tasks that all of them have.

    Raises:
        UsageError: An unknown metric, or runs that have no task in common.
        ReleaseError: A folder is not a finished evaluation, or cannot be read.
    """
    if by not in METRICS:
        fix = nearest(by, METRICS) + "type: venus report --help"
        raise UsageError(f"unknown order {by!r}", f"known are {', '.join(METRICS)}", fix)
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
        # Copies that should tie and do not are the evidence against the figures.
        notes=(*notes, *_cautions(runs, problems), *(controls if distrusted else ())),
        checks=() if distrusted else controls,
        toolkit=__version__,
    )
    return facts, runs


def metric_of(scores: Scores, metric: str) -> Interval | None:
    """Return a metric of the leaderboard from the scores of a group."""
    return scores.pass_at_1 if metric == "passed" else scores.efficiency[metric].beyond


def compare_runs(runs: Sequence[EvaluationRun], seed: int = 0) -> list[RunComparison]:
    """Return every metric of every pair of runs that have the same tasks, corrected together."""
    rows = [run.final() for run in runs]
    columns = {"passed": "passed", **{name: f"percentile_{name}_repeats" for name in OBJECTIVES}}
    values = {
        metric: [values_of(of_run, column) for of_run in rows] for metric, column in columns.items()
    }
    pairs = list(combinations(range(len(runs)), 2))
    # Correction multiplies the smallest p-value by the number of comparisons. With the usual number
    # of permutations no two of seventeen runs could differ, whatever they scored.
    permutations = max(PERMUTATIONS, 100 * len(pairs) * len(values))
    comparisons = []
    for first, second in pairs:
        for metric, of_runs in values.items():
            known = [~np.isnan(of_runs[run]).all(axis=(1, 2)) for run in (first, second)]
            left, right = (of_runs[run][known[0] & known[1]] for run in (first, second))
            if not len(left):
                continue
            # Fewer replicates than of a score: ten runs have 45 pairs, each with four metrics.
            compared = compare(left, right, replicates=1000, permutations=permutations, seed=seed)
            needed = tasks_needed(task_means(left) - task_means(right))
            p_value = compared.p_value
            comparisons.append(
                RunComparison(first, second, metric, compared.difference, p_value, p_value, needed)
            )
    # Together, because a reader looks at all of them: one in twenty of many would differ by chance.
    corrected = holm([comparison.p_value for comparison in comparisons]).tolist()
    return [
        replace(one, corrected=value) for one, value in zip(comparisons, corrected, strict=True)
    ]


def places_of(count: int, metric: str, comparisons: Sequence[RunComparison]) -> list[int]:
    """Return the place of each run by a metric: 1 and how many are better by more than chance."""
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
        # What is known sorts by at most 0, so a metric that is not known comes last.
        return row.place, -value.estimate if value else 1.0, row.run

    return sorted(rows, key=order)


def _groups(by: str, runs: Sequence[Sequence[Row]], seed: int) -> list[TaskGroup]:
    """Return the groups by language, difficulty or tag; none where one group holds everything."""
    of_runs = [grouped(rows, by) for rows in runs]
    names = set().union(*of_runs)
    if len(names) < 2:
        return []

    def order(name: str) -> tuple[int, str]:
        """Put difficulties in the order of how hard they are, all else in alphabetical order."""
        return {"easy": 0, "medium": 1, "hard": 2}.get(name.lower(), 3), name

    groups = []
    for name in sorted(names, key=order):
        parts = [of_run.get(name, []) for of_run in of_runs]
        scores = (score_group(by, name, rows, seed=seed) if rows else None for rows in parts)
        groups.append(
            TaskGroup(
                by, name, len({row["title"] for rows in parts for row in rows}), tuple(scores)
            )
        )
    return groups


def _iteration_rows(runs: Sequence[EvaluationRun], seed: int) -> Iterator[IterationRow]:
    """Yield what became of the runs that iterated, with what the loop saw and decided."""
    for number, run in enumerate(runs):
        # A run without a loop has iteration 0 alone.
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
    """Yield the analyses that a run was told to make, computed again from its rows."""
    for number, run in enumerate(runs):
        loop = run.manifest.get("loop")
        named = loop.get("analysis") if isinstance(loop, dict) else None
        names = [name for name in ANALYSES if isinstance(named, list) and name in named]
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
    """Yield what became of the copies of human solutions in all runs."""
    # A run whose answers all failed measured no copies.
    controlled = [
        (run.name, controls)
        for run in runs
        if isinstance(controls := run.manifest.get("controls"), dict) and controls
    ]
    who = controlled[0][0] if len(controlled) == 1 else f"{len(controlled)} runs"
    prefix = f"{who}: " if len(runs) > 1 else ""
    merged_controls = merged([controls for _, controls in controlled])
    yield from (f"{prefix}control, {line}" for line in lines(merged_controls))
    for run in runs:
        if len(pairs := _pairs(run)) == 1:
            yield from pairs


def _pairs(run: EvaluationRun) -> list[str]:
    """Return how many pairs of human solutions the session told apart; a second line is a caution."""
    pairs = run.manifest.get("pairs")  # earlier versions did not count them
    rank = run.manifest.get("options", {}).get("rank", "")
    lines = pair_lines(pairs, rank) if isinstance(pairs, dict) else ()
    return [f"{run.name}: {line}" for line in lines]


def _machine(run: EvaluationRun) -> str:
    """Return the machine that measured a run, or nothing where its manifest does not say."""
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
    """Return what was measured, by the names that the page gives it."""

    def listed(values: Iterable[Any], most: int = 6) -> str:
        known = list(dict.fromkeys(str(value)[:120] for value in values if value))
        more = f" and {len(known) - most} more" if len(known) > most else ""
        return ", ".join(known[:most]) + more or "not recorded"

    rows = [row for run in runs for row in run.final()]
    tasks = len({row["task"] for row in rows})
    samples = sorted(
        {len(group) for run in runs for group in grouped(run.final(), "task").values()}
    )
    counts = " to ".join(str(count) for count in dict.fromkeys((samples[0], samples[-1])))
    passed = sum(bool(row["passed"]) for row in rows)
    humans = sorted(len(of_task) for task in runs[0].tasks if (of_task := humans_of(runs, task)))
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
    """Return how a run was made: what its manifest and its rows say."""
    release, first, loop = run.manifest.get("release"), run.rows[0], run.manifest.get("loop")
    figures = Counter(row["time_figure"] for row in run.final() if row["time_figure"])
    named = {
        "relative_time": "relative time",
        "wall_ns": "wall time",
        "joint_time": "time and instructions together",
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
            f"{named.get(name, name)} ({n})" for name, n in figures.most_common()
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
