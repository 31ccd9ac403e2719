"""Which of several runs is better, and is that more than chance: every pair, on the same problems, corrected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from venus_toolkit.eval.metrics import Floats, task_means
from venus_toolkit.eval.report.runs import Run
from venus_toolkit.eval.statistics import Interval, compare, holm, tasks_needed
from venus_toolkit.eval.summary import values_of

COLUMNS = {
    "passed": "passed",
    "time": "percentile_time_repeats",
    "memory": "percentile_memory_repeats",
    "integral": "percentile_integral_repeats",
}
METRICS = {"passed": "Pass@1", "time": "Beyond-T", "memory": "Beyond-M", "integral": "Beyond-I"}
REPLICATES = 1000
FALSE_ALARMS = 0.05


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric of two runs.

    first and second: their numbers. difference: the first minus the second, over the problems that both have.
    p_value: of the sign-flip test; corrected: by Holm's method for all comparisons of the report. tasks_needed: how
    many problems would show a difference of this size four times in five; None where there is none.
    """

    first: int
    second: int
    metric: str
    difference: Interval
    p_value: float
    corrected: float
    tasks_needed: int | None

    @property
    def differs(self) -> bool:
        """Whether the difference is more than chance, given how many were looked at."""
        return self.corrected < FALSE_ALARMS


def compare_runs(runs: Sequence[Run], seed: int = 0) -> list[Comparison]:
    """Return every metric of every pair of runs that have the same tasks, corrected together."""
    rows = [run.final() for run in runs]
    values = {metric: [values_of(each, column) for each in rows] for metric, column in COLUMNS.items()}
    found = [
        comparison
        for first, second in combinations(range(len(runs)), 2)
        for metric, of_runs in values.items()
        if (comparison := _compare(first, second, metric, of_runs, seed))
    ]
    if not found:
        return []
    corrected = holm([each.p_value for each in found]).tolist()
    return [replace(each, corrected=value) for each, value in zip(found, corrected, strict=True)]


def _compare(first: int, second: int, metric: str, values: Sequence[Floats], seed: int) -> Comparison | None:
    """Return a comparison that is not corrected yet, or None where no problem has both."""
    left, right = values[first], values[second]
    both = ~(_unknown(left) | _unknown(right))
    if not both.any():
        return None
    left, right = left[both], right[both]
    found = compare(left, right, replicates=REPLICATES, seed=seed)
    needed = tasks_needed(task_means(left) - task_means(right))
    return Comparison(first, second, metric, found.difference, found.p_value, found.p_value, needed)


def _unknown(values: Floats) -> NDArray[np.bool_]:
    missing: NDArray[np.bool_] = np.asarray(np.isnan(values).all(axis=(1, 2)))
    return missing


def places_of(count: int, metric: str, comparisons: Sequence[Comparison]) -> list[int]:
    """Return the place of each run by a metric: 1 and how many are better by more than chance."""
    better = [0] * count
    for each in comparisons:
        if each.metric == metric and each.differs:
            better[each.second if each.difference.estimate > 0 else each.first] += 1
    return [1 + number for number in better]
