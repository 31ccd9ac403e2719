"""The scores of an evaluation, from its rows: over all tasks, and by language, difficulty and tag.

Every mean is over problems first, so that a problem with more samples, or in more languages, weighs no more. Intervals
resample problems: the tasks that a problem makes in several languages stay together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from venus_toolkit.eval.metrics import OBJECTIVES, Floats, Place, Places, geometric_mean, pass_at_k, place_shares
from venus_toolkit.eval.results import SAVED
from venus_toolkit.eval.score import Outcome
from venus_toolkit.eval.statistics import REPLICATES, Compared, Interval, bootstrap, compare

K = (1, 5, 10, 16, 100)
SMALL_REPLICATES = 500  # for groups, of which there are many

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Efficiency:
    """How cheap the programs are by one objective, compared with human solutions.

    beyond and mercury_beyond: failures count 0. places: B, M, W, F. ratio_to_best: geometric mean over the samples
    that pass. saved: against the median human, mean over the samples that pass, in ns (wall), bytes or byte*ns.
    """

    beyond: Interval | None
    mercury_beyond: Interval | None
    places: Places | None
    ratio_to_best: float | None
    saved: float | None


@dataclass(frozen=True, slots=True)
class Scores:
    """What a group of tasks came to; pass_at_k by k. ranked: tasks with a reference distribution."""

    by: str
    name: str
    problems: int
    tasks: int
    samples: int
    ranked: int
    outcomes: Mapping[str, int]
    pass_at_1: Interval | None
    pass_at_k: Mapping[int, float]
    efficiency: Mapping[str, Efficiency]


def summarise_results(table: pa.Table, seed: int = 0) -> list[Scores]:
    """Return the scores of all tasks, then of each language, difficulty and tag, in this order."""
    rows = table.to_pylist()
    found = [score_group("all", "all", rows, REPLICATES, seed)]
    for by in ("language", "difficulty"):
        found += _by(by, rows, lambda row, by=by: [row[by]], seed)
    return found + _by("tag", rows, lambda row: row["tags"] or [], seed)


def _by(by: str, rows: Sequence[Row], names: Callable[..., Iterable[str]], seed: int) -> list[Scores]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        for name in names(row):
            groups.setdefault(name, []).append(row)
    replicates = REPLICATES if by == "language" else SMALL_REPLICATES
    return [score_group(by, name, groups[name], replicates, seed) for name in sorted(groups)]


def score_group(by: str, name: str, rows: Sequence[Row], replicates: int = REPLICATES, seed: int = 0) -> Scores:
    """Return the scores of some rows of results.parquet."""
    tasks = _grouped(rows, "task")
    outcomes = {str(each): sum(row["outcome"] == each for row in rows) for each in Outcome}
    return Scores(
        by=by,
        name=name,
        problems=len({row["title"] for row in rows}),
        tasks=len(tasks),
        samples=len(rows),
        ranked=sum(any(row["percentile_time"] is not None for row in group) for group in tasks.values()),
        outcomes={name: count for name, count in outcomes.items() if count},
        pass_at_1=_interval(values_of(rows, "passed"), replicates, seed),
        pass_at_k=_pass_at_k(list(tasks.values())),
        efficiency={objective: _efficiency(rows, objective, replicates, seed) for objective in OBJECTIVES},
    )


def _efficiency(rows: Sequence[Row], objective: str, replicates: int, seed: int) -> Efficiency:
    placed = [Place(row[f"place_{objective}"]) for row in rows if row[f"place_{objective}"]]
    saved = [row[SAVED[objective]] for row in rows if row[SAVED[objective]] is not None]
    ratios = [row[f"ratio_to_best_{objective}"] for row in rows if row[f"ratio_to_best_{objective}"] is not None]
    return Efficiency(
        beyond=_interval(values_of(rows, f"percentile_{objective}_repeats"), replicates, seed),
        mercury_beyond=_interval(values_of(rows, f"mercury_beyond_{objective}"), replicates, seed),
        places=place_shares(placed) if placed else None,
        ratio_to_best=geometric_mean(ratios) if ratios else None,
        saved=float(np.mean(saved)) if saved else None,
    )


def _interval(values: Floats, replicates: int, seed: int) -> Interval | None:
    return None if np.isnan(values).all() else bootstrap(values, replicates=replicates, seed=seed)


def _pass_at_k(tasks: Sequence[Sequence[Row]]) -> dict[int, float]:
    """Return pass@k for each k that every task has samples for."""
    counts = [[row["passed"] for row in rows if row["passed"] is not None] for rows in tasks]
    counts = [passed for passed in counts if passed]
    fewest = min(map(len, counts), default=0)
    totals = ([len(passed) for passed in counts], [sum(passed) for passed in counts])
    return {k: float(pass_at_k(*totals, k).mean()) for k in K if k <= fewest}


def values_of(rows: Sequence[Row], column: str) -> Floats:
    """Return a column as problems x samples x repeats, NaN where something is missing; problems by their title.

    A sample that failed has one rank of 0, which then stands in each of its repeats.
    """
    problems = _grouped(rows, "title")
    cells = [[_listed(row[column]) for row in problems[title]] for title in sorted(problems)]
    samples = max((len(each) for each in cells), default=0)
    repeats = max((len(values) for each in cells for values in each), default=0)
    array = np.full((len(cells), samples, max(repeats, 1)), np.nan)
    for problem, listed in enumerate(cells):
        for sample, values in enumerate(listed):
            array[problem, sample, : len(values)] = values
            if len(values) == 1:
                array[problem, sample] = values[0]
    return array


def compare_results(first: pa.Table, second: pa.Table, column: str, seed: int = 0) -> Compared:
    """Return how much larger a column is in one evaluation than in another, over the tasks that both have.

    Args:
        first: Rows of results.parquet of one model.
        second: Of the other.
        column: What to compare, such as ``percentile_time_repeats`` or ``passed``.
        seed: Of the resampling.

    Raises:
        ValueError: They have no task in common.
    """
    rows = [first.to_pylist(), second.to_pylist()]
    both = {row["task"] for row in rows[0]} & {row["task"] for row in rows[1]}
    values = [values_of([row for row in each if row["task"] in both], column) for each in rows]
    return compare(*values, seed=seed)


def _listed(value: Any) -> list[float]:
    if value is None:
        return []
    return [float(each) for each in value] if isinstance(value, list) else [float(value)]


def _grouped(rows: Sequence[Row], column: str) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[column], []).append(row)
    return groups
