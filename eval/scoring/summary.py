"""The scores of an evaluation, from its rows: over all tasks, and by language, difficulty and tag.

Every mean is over problems first, so that a problem with more samples, or in more languages, weighs
no more. Intervals resample problems: the tasks that a problem makes in several languages stay
together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from venus_toolkit.eval.scoring.metrics import (
    Floats,
    K,
    Places,
    geometric_mean,
    pass_at_k,
    place_shares,
)
from venus_toolkit.eval.scoring.published_metrics import published_scores
from venus_toolkit.eval.scoring.results import SAVED
from venus_toolkit.eval.scoring.score import SampleOutcome
from venus_toolkit.eval.scoring.statistics import (
    PAPER,
    PROBLEMS,
    REPLICATES,
    Interval,
    PairedComparison,
    compare,
    paper_interval,
    share_interval,
)
from venus_toolkit.execution.measuring.ranking import Place
from venus_toolkit.models.prompts import OBJECTIVES

RowType = TypeVar("RowType", bound=Mapping[str, Any])


@dataclass(frozen=True, slots=True)
class Efficiency:
    """How cheap the programs are by one objective, compared with human solutions."""

    beyond: Interval | None  # failures count 0, here and in the next
    mercury_beyond: Interval | None
    places: Places | None
    ratio_to_best: float | None  # geometric mean over the samples that pass
    # against the median human, mean over the samples that pass, in ns (wall), bytes or byte*ns
    saved: float | None


@dataclass(frozen=True, slots=True)
class Scores:
    """What a group of tasks came to; pass_at_k by k, published by name."""

    by: str
    name: str
    problems: int
    tasks: int
    samples: int
    ranked: int  # tasks with a reference distribution
    outcomes: Mapping[str, int]
    pass_at_1: Interval | None
    pass_at_k: Mapping[int, float]
    efficiency: Mapping[str, Efficiency]
    published: Mapping[str, float]  # as other benchmarks define them (published_metrics.py)


def summarise_results(table: pa.Table, seed: int = 0, intervals: str = PROBLEMS) -> list[Scores]:
    """Return the scores of all tasks, then of each language, difficulty and tag, in this order."""
    rows = table.to_pylist()
    scores = [score_group("all", "all", rows, REPLICATES, seed, intervals)]
    for by in ("language", "difficulty", "tag"):
        groups = grouped(rows, by)
        replicates = REPLICATES if by == "language" else 500
        scores += [
            score_group(by, name, groups[name], replicates, seed, intervals)
            for name in sorted(groups)
        ]
    return scores


def score_group(
    by: str,
    name: str,
    rows: Sequence[Mapping[str, Any]],
    replicates: int = 500,
    seed: int = 0,
    intervals: str = PROBLEMS,
) -> Scores:
    """Return the scores of some rows of results.parquet.

    `replicates` is enough for one of many groups; `intervals` says how they resample, one of
    INTERVALS.
    """
    by_problems = partial(share_interval, replicates=replicates, seed=seed)
    interval: Callable[[Floats], Interval] = (
        partial(paper_interval, seed=seed) if intervals == PAPER else by_problems
    )
    tasks = grouped(rows, "task")
    outcomes = {
        str(outcome): sum(row["outcome"] == outcome for row in rows) for outcome in SampleOutcome
    }
    judged = [
        passed
        for group in tasks.values()
        if (passed := [r["passed"] for r in group if r["passed"] is not None])
    ]
    fewest = min(map(len, judged), default=0)
    totals = [len(passed) for passed in judged], [sum(passed) for passed in judged]
    return Scores(
        by=by,
        name=name,
        problems=len({row["title"] for row in rows}),
        tasks=len(tasks),
        samples=len(rows),
        ranked=sum(
            any(row["percentile_time"] is not None for row in group) for group in tasks.values()
        ),
        outcomes={name: count for name, count in outcomes.items() if count},
        pass_at_1=_interval(interval, _of_each_repeat(rows, intervals)),
        # what every task has samples for
        pass_at_k={k: float(pass_at_k(*totals, k).mean()) for k in K if k <= fewest},
        efficiency={objective: _efficiency(rows, objective, interval) for objective in OBJECTIVES},
        published=published_scores(rows),
    )


def _efficiency(
    rows: Sequence[Mapping[str, Any]], objective: str, interval: Callable[[Floats], Interval]
) -> Efficiency:
    placed = [Place(row[f"place_{objective}"]) for row in rows if row[f"place_{objective}"]]
    saved = [row[SAVED[objective]] for row in rows if row[SAVED[objective]] is not None]
    ratios = [
        row[f"ratio_to_best_{objective}"]
        for row in rows
        if row[f"ratio_to_best_{objective}"] is not None
    ]
    return Efficiency(
        beyond=_interval(interval, values_of(rows, f"percentile_{objective}_repeats")),
        mercury_beyond=_interval(interval, values_of(rows, f"mercury_beyond_{objective}")),
        places=place_shares(placed) if placed else None,
        ratio_to_best=geometric_mean(ratios) if ratios else None,
        saved=float(np.mean(saved)) if saved else None,
    )


def _of_each_repeat(rows: Sequence[Mapping[str, Any]], intervals: str) -> Floats:
    """Return which samples pass; for the paper's intervals once for each of their measurements.

    There every measurement is a row with a verdict of its own; here a sample is judged once.
    """
    passed = values_of(rows, "passed")
    repeats = max((row["repeats"] or 0 for row in rows), default=0) if intervals == PAPER else 1
    return np.repeat(passed, max(repeats, 1), axis=2)


def _interval(interval: Callable[[Floats], Interval], values: Floats) -> Interval | None:
    return None if np.isnan(values).all() else interval(values)


def values_of(rows: Sequence[Mapping[str, Any]], column: str) -> Floats:
    """Return a column as problems x samples x repeats, NaN where something is missing.

    Problems by their title.

    A sample that failed has one rank of 0, which then stands in each of its repeats.
    """
    problems = grouped(rows, "title")
    cells: list[list[list[float]]] = []
    for title in sorted(problems):
        values = [[] if row[column] is None else row[column] for row in problems[title]]
        cells.append([each if isinstance(each, list) else [float(each)] for each in values])
    samples = max((len(each) for each in cells), default=0)
    repeats = max((len(values) for each in cells for values in each), default=0)
    array = np.full((len(cells), samples, max(repeats, 1)), np.nan)
    for problem, listed in enumerate(cells):
        for sample, values in enumerate(listed):
            array[problem, sample, : len(values)] = values
            # a failure has no repeats: it must not weigh less than a measured sample
            if len(values) == 1:
                array[problem, sample] = values[0]
    return array


def compare_results(
    first: pa.Table, second: pa.Table, column: str, seed: int = 0
) -> PairedComparison:
    """Return how much larger a column of results.parquet is in the first evaluation, over the tasks that both have.

    Columns are such as ``percentile_time_repeats`` or ``passed``.

    Raises:
        ValueError: They have no task in common.
    """
    rows = [first.to_pylist(), second.to_pylist()]
    both = {row["task"] for row in rows[0]} & {row["task"] for row in rows[1]}
    values = [values_of([row for row in one if row["task"] in both], column) for one in rows]
    return compare(*values, seed=seed)


def grouped(rows: Iterable[RowType], by: str) -> dict[Any, list[RowType]]:
    """Return the rows by their value in a column, in their order.

    A row is in each of its tags.
    """
    groups: dict[Any, list[RowType]] = {}
    for row in rows:
        for name in (row["tags"] or []) if by == "tag" else [row[by]]:
            groups.setdefault("unknown" if name is None else name, []).append(row)
    return groups
