"""The scores of an evaluation, from its rows: over all tasks, and by language, difficulty and tag.

Every problem has the same weight in a mean, whatever its number of samples or languages. Intervals
resample problems, so that the tasks of one problem in several languages stay together.
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
    """The efficiency of the programs by one objective, compared with human solutions."""

    beyond: Interval | None  # failures count 0
    mercury_beyond: Interval | None  # failures count 0
    places: Places | None
    ratio_to_best: float | None  # geometric mean over the samples that pass
    # mean saving relative to the median human, over samples that pass; ns (wall), bytes or byte*ns
    saved: float | None


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of a group of tasks; `pass_at_k` by k, `published` by name."""

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
    """Return the scores of a group of rows of results.parquet.

    The default of `replicates` is enough for one of many groups. `intervals` is one of INTERVALS.
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
        # for every k that does not exceed the samples of any task
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
    """Return which samples pass; for the paper's intervals, once per measurement.

    In the paper every measurement is a row with its own verdict; here a sample is judged once.
    """
    passed = values_of(rows, "passed")
    repeats = max((row["repeats"] or 0 for row in rows), default=0) if intervals == PAPER else 1
    return np.repeat(passed, max(repeats, 1), axis=2)


def _interval(interval: Callable[[Floats], Interval], values: Floats) -> Interval | None:
    return None if np.isnan(values).all() else interval(values)


def values_of(rows: Sequence[Mapping[str, Any]], column: str) -> Floats:
    """Return a column as problems x samples x repeats; missing values are NaN.

    Problems are in the order of their titles. A failed sample has a single rank of 0, which is
    repeated for each repeat, so that it weighs as much as a measured sample.
    """
    problems = grouped(rows, "title")
    ragged: list[list[list[float]]] = []
    for title in sorted(problems):
        cells = [[] if row[column] is None else row[column] for row in problems[title]]
        ragged.append([cell if isinstance(cell, list) else [float(cell)] for cell in cells])
    samples = max((len(sample_cells) for sample_cells in ragged), default=0)
    repeats = max((len(cell) for sample_cells in ragged for cell in sample_cells), default=0)
    array = np.full((len(ragged), samples, max(repeats, 1)), np.nan)
    for problem, sample_cells in enumerate(ragged):
        for sample, cell in enumerate(sample_cells):
            array[problem, sample, : len(cell)] = cell
            if len(cell) == 1:
                array[problem, sample] = cell[0]
    return array


def compare_results(
    first: pa.Table, second: pa.Table, column: str, seed: int = 0
) -> PairedComparison:
    """Return the mean difference of a results column over common tasks, first minus second.

    A column is, for example, ``percentile_time_repeats`` or ``passed``.

    Raises:
        ValueError: The evaluations have no task in common.
    """
    tables = [first.to_pylist(), second.to_pylist()]
    common = {row["task"] for row in tables[0]} & {row["task"] for row in tables[1]}
    arrays = [values_of([row for row in rows if row["task"] in common], column) for rows in tables]
    return compare(*arrays, seed=seed)


def grouped(rows: Iterable[RowType], by: str) -> dict[Any, list[RowType]]:
    """Group rows by their value in a column, in their order.

    With ``tag``, a row is in the groups of all its tags; None is grouped as ``unknown``.
    """
    groups: dict[Any, list[RowType]] = {}
    for row in rows:
        for name in (row["tags"] or []) if by == "tag" else [row[by]]:
            groups.setdefault("unknown" if name is None else name, []).append(row)
    return groups
