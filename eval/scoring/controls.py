"""Controls: copies of human solutions, measured with the samples, that show whether figures can be trusted.

Of each task that is measured a copy of the best and one of the median human solution, by the
dataset's figure of the objective, take their turns among the other programs. A copy costs what its
original costs, so what became of it is a finding about the machine and the measurement, not about a
program: it should tie. The rule is that of the samples (execution/measuring/ranking.py), by which a
copy is the cheaper one by chance in at most one of fifty tasks. Controls count in no metric.

Where a session cannot tell two human solutions apart, the best one is no better than the others, so
how many pairs of them it can tell apart is counted as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from venus_toolkit.core.records import Measurement, from_plain
from venus_toolkit.eval.asking.tasks import BEST, MEDIAN, HumanSolution, of_cost
from venus_toolkit.eval.scoring.statistics import binomial_tail
from venus_toolkit.execution.measuring.agreement import INSTRUCTIONS
from venus_toolkit.execution.measuring.ranking import STRICT, Place, costlier, costs_of, places
from venus_toolkit.execution.measuring.rounds import Measured
from venus_toolkit.models.prompts import OBJECTIVES

COPIES = (BEST, MEDIAN)


class Control(NamedTuple):
    """A copy and its original.

    `became` compares the copy with it by objective: better, tie, worse or failed.
    """

    which: str
    reference: HumanSolution
    measured: Measured
    became: Mapping[str, str]
    place: Mapping[str, Place]


def originals(references: Sequence[HumanSolution], figure: str) -> list[tuple[str, HumanSolution]]:
    """Return what is copied; nothing where the dataset does not say what its solutions cost."""
    pairs = ((which, of_cost(references, which, figure)) for which in COPIES)
    return [(which, reference) for which, reference in pairs if reference is not None]


def became(copy: Measured, original: Measured, figure: str, rule: str) -> str:
    """Compare a copy with its original by one figure: better, tie, worse or failed."""
    (place,) = places(costs_of([copy.total], figure), costs_of([original.total], figure), rule)
    return "tie" if place == Place.MIDDLE else str(place)


def summarise_controls(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, dict[str, int]]]:
    """Return how often the copies became what, by which solution and by objective, from rows of controls.parquet."""
    listed = list(rows)
    return {
        which: {
            objective: dict(
                Counter(row[f"became_{objective}"] for row in listed if row["control"] == which)
            )
            for objective in OBJECTIVES
        }
        for which in COPIES
        if any(row["control"] == which for row in listed)
    }


def count_pairs(
    rows: Iterable[Mapping[str, Any]], figures: Mapping[str, str], rule: str
) -> dict[str, dict[str, int]]:
    """Return by objective how many pairs of human solutions were told apart, and of how many.

    Args:
        rows: Rows of references.parquet; a pair is two of one task that have the figure.
        figures: The name of the figure of each objective.
        rule: By which two figures differ.
    """
    columns = [field.name for field in fields(Measurement)]
    pairs = {objective: {"apart": 0, "of": 0} for objective in figures}
    for _, of_task in groupby(rows, key=lambda row: row["task"]):
        measured = [
            from_plain(Measurement, {name: row[name] for name in columns if name in row})
            for row in of_task
        ]
        for objective, figure in figures.items():
            costs = costs_of(measured, figure)
            costs = costs.take(np.isfinite(costs.value))
            pairs[objective]["apart"] += int(costlier(costs, costs, rule).sum())
            pairs[objective]["of"] += len(costs.value) * (len(costs.value) - 1) // 2
    return pairs


def pair_lines(counts_of: Mapping[str, Mapping[str, int]], time_figure: str) -> Iterator[str]:
    """Yield how many pairs were told apart, and what to do where time tells too few apart."""
    known = {objective: pairs for objective, pairs in counts_of.items() if pairs["of"]}
    if not known:
        return
    counts = ", ".join(
        f"{pairs['apart']} of {pairs['of']} by {objective}" for objective, pairs in known.items()
    )
    yield f"pairs of human solutions that could be told apart: {counts}"
    time = known.get("time")
    if time and 2 * time["apart"] < time["of"] and time_figure != INSTRUCTIONS:
        yield (
            "time tells fewer than half of the pairs apart, so ranks by time are mostly ties: "
            "use a quieter machine, or add --rank instructions"
        )


def merged(
    runs: Iterable[Mapping[str, Mapping[str, Mapping[str, int]]]],
) -> dict[str, dict[str, Counter[str]]]:
    """Return the counts of several runs, added."""
    total: dict[str, dict[str, Counter[str]]] = {}
    for run in runs:
        for which, by_objective in run.items():
            for objective, counts in by_objective.items():
                total.setdefault(which, {}).setdefault(objective, Counter()).update(counts)
    return total


def distrust(places: Mapping[str, Mapping[str, Mapping[str, int]]], rule: str) -> list[str]:
    """Return why the figures of a run are not to be trusted, in sentences; none is as it should be.

    The number of copies that are better is compared with what chance gives (the tail of the
    binomial distribution), at the level of 5 % for all controls and objectives together
    (Bonferroni).
    """
    # How likely a copy is the cheaper one by chance: once in 200 times if standard errors are true,
    # up to twice that was measured, and here is room for worse machines. By the strict rule any
    # difference is one.
    chance = 0.5 if rule == STRICT else 0.02
    looked_at = sum(len(counts) for counts in places.values())
    reasons = []
    for which, by_objective in places.items():
        for objective, counts in by_objective.items():
            better, total = counts.get(str(Place.BETTER), 0), sum(counts.values())
            if binomial_tail(better, total, chance) < 0.05 / looked_at:
                problem = (
                    f"copies of the {which} human solution are better than their originals by "
                    f"{objective}"
                )
                reasons.append(
                    f"{problem} in {better} of {total} tasks, more than by chance: do not trust the "
                    "figures"
                )
    return reasons


def lines(places: Mapping[str, Mapping[str, Mapping[str, int]]]) -> Iterator[str]:
    """Yield a sentence for each control: ``copy of the best human solution: time tie in 12 of 12.

    …``.
    """
    for which, by_objective in places.items():
        parts = []
        for objective, counts in by_objective.items():
            total = sum(counts.values())
            shown = sorted(counts.items(), key=lambda pair: (pair[0] != "tie", -pair[1]))
            parts.append(
                f"{objective} "
                + ", ".join(f"{word} in {count} of {total}" for word, count in shown)
            )
        yield f"copy of the {which} human solution: " + "; ".join(parts)
