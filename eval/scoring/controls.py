"""Controls: copies of human solutions that show whether the figures of a run can be trusted.

In every measured task, a copy of the best and one of the median human solution (by the published
figure of the objective) are measured interleaved with the other programs. A copy costs as much as
its original, so it should tie; if it does not, the machine or the measurement is at fault. Copies
are compared by the rule for samples (execution/measuring/ranking.py); under it, a copy is better by
chance in at most one of fifty tasks. Controls do not count in any metric.

If the noise of a session hides the differences between human solutions, even the best one ties with
the others. The number of pairs that the session can tell apart is therefore counted as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from venus_toolkit.core.records import Measurement, from_plain
from venus_toolkit.eval.asking.tasks import BEST, MEDIAN, HumanSolution, reference_at
from venus_toolkit.eval.scoring.statistics import binomial_tail
from venus_toolkit.execution.measuring.agreement import INSTRUCTIONS
from venus_toolkit.execution.measuring.ranking import STRICT, Place, costlier, costs_of, places
from venus_toolkit.execution.measuring.rounds import Measured
from venus_toolkit.models.prompts import OBJECTIVES

COPIES = (BEST, MEDIAN)


class Control(NamedTuple):
    """A copy, the human solution that it copies, and its figures.

    `outcomes` compares the copy with its original by objective: better, tie, worse or failed.
    `place` is its place among the human solutions by objective.
    """

    which: str
    reference: HumanSolution
    measured: Measured
    outcomes: Mapping[str, str]
    place: Mapping[str, Place]


def originals(references: Sequence[HumanSolution], figure: str) -> list[tuple[str, HumanSolution]]:
    """Return the solutions to copy; none if the dataset does not have their costs."""
    pairs = ((which, reference_at(references, which, figure)) for which in COPIES)
    return [(which, reference) for which, reference in pairs if reference is not None]


def compare_with_original(copy: Measured, original: Measured, figure: str, rule: str) -> str:
    """Compare a copy with its original by one figure: better, tie, worse or failed."""
    (place,) = places(costs_of([copy.total], figure), costs_of([original.total], figure), rule)
    return "tie" if place == Place.MIDDLE else str(place)


def summarise_controls(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, dict[str, int]]]:
    """Count the outcomes in rows of controls.parquet by copied solution and objective."""
    by_copy = {which: list[Mapping[str, Any]]() for which in COPIES}
    for row in rows:
        by_copy[row["control"]].append(row)
    return {
        which: {
            objective: dict(Counter(row[f"became_{objective}"] for row in copies))
            for objective in OBJECTIVES
        }
        for which, copies in by_copy.items()
        if copies
    }


def count_pairs(
    rows: Iterable[Mapping[str, Any]], figures: Mapping[str, str], rule: str
) -> dict[str, dict[str, int]]:
    """Count by objective the pairs of human solutions, and those that can be told apart.

    Args:
        rows: Rows of references.parquet; a pair is two solutions of one task with known figures.
        figures: The name of the figure of each objective.
        rule: The rule by which two figures differ.
    """
    columns = [field.name for field in fields(Measurement)]
    pairs = {objective: {"apart": 0, "of": 0} for objective in figures}
    for _, task_rows in groupby(rows, key=lambda row: row["task"]):
        measured = [
            from_plain(Measurement, {name: row[name] for name in columns if name in row})
            for row in task_rows
        ]
        for objective, figure in figures.items():
            costs = costs_of(measured, figure)
            costs = costs.take(np.isfinite(costs.value))
            pairs[objective]["apart"] += int(costlier(costs, costs, rule).sum())
            pairs[objective]["of"] += len(costs.value) * (len(costs.value) - 1) // 2
    return pairs


def pair_lines(counts_of: Mapping[str, Mapping[str, int]], rank: str) -> Iterator[str]:
    """Yield how many pairs can be told apart, and advice if time separates too few.

    `rank` is what the objective time is ranked by, as in `EvalOptions.rank`.
    """
    figures = {"instructions": "instructions", "joint": "time and instructions"}
    time_name = figures.get(rank, "time")
    known = {objective: pairs for objective, pairs in counts_of.items() if pairs["of"]}
    if not known:
        return
    counts = ", ".join(
        f"{pairs['apart']} of {pairs['of']} by {time_name if objective == 'time' else objective}"
        for objective, pairs in known.items()
    )
    yield f"pairs of human solutions that could be told apart: {counts}"
    time = known.get("time")
    if time and 2 * time["apart"] < time["of"] and rank != INSTRUCTIONS:
        yield (
            f"{time_name} tells fewer than half of the pairs apart, so such ranks are mostly ties: "
            "use a quieter machine, or "
            + ("more --repeats" if rank == "joint" else "add --rank instructions")
        )


def sum_counts(
    runs: Iterable[Mapping[str, Mapping[str, Mapping[str, int]]]],
) -> dict[str, dict[str, Counter[str]]]:
    """Return the sums of the counts of several runs."""
    total: dict[str, dict[str, Counter[str]]] = {}
    for run in runs:
        for which, by_objective in run.items():
            for objective, counts in by_objective.items():
                total.setdefault(which, {}).setdefault(objective, Counter()).update(counts)
    return total


def reasons_for_distrust(
    places: Mapping[str, Mapping[str, Mapping[str, int]]], rule: str
) -> list[str]:
    """Return reasons not to trust the figures of a run; an empty list if there are none.

    The number of better copies is tested against chance (the tail of the binomial distribution) at
    a level of 5 % for all controls and objectives combined (Bonferroni).
    """
    # The probability that a copy is better by chance: 0.5 % if the standard errors are correct, up
    # to 1 % in experiments; 2 % leaves room for noisier machines. Under the strict rule any
    # difference counts, so half of the copies are better.
    chance = 0.5 if rule == STRICT else 0.02
    tests = sum(len(counts) for counts in places.values())
    reasons = []
    for which, by_objective in places.items():
        for objective, counts in by_objective.items():
            better, total = counts.get(str(Place.BETTER), 0), sum(counts.values())
            if binomial_tail(better, total, chance) < 0.05 / tests:
                reasons.append(
                    f"copies of the {which} human solution are better than their originals by "
                    f"{objective} in {better} of {total} tasks, more often than by chance: do not "
                    "trust the figures"
                )
    return reasons


def lines(places: Mapping[str, Mapping[str, Mapping[str, int]]]) -> Iterator[str]:
    """Yield a sentence for each control.

    For example: ``sanity check passed: copies of the best solution tie with it (12 of 12)``, or
    ``sanity check: copies of the best solution tie with it by time in 11 of 12 (1 worse), …``.
    """
    for which, by_objective in places.items():
        copies = f"copies of the {which} solution tie with it"
        totals = {sum(counts.values()) for counts in by_objective.values()}
        if len(totals) == 1 and all(set(counts) == {"tie"} for counts in by_objective.values()):
            total = totals.pop()
            yield f"sanity check passed: {copies} ({total} of {total})"
            continue
        parts = []
        for objective, counts in by_objective.items():
            others = sorted(set(counts) - {"tie"}, key=lambda outcome: -counts[outcome])
            others_text = ", ".join(f"{counts[outcome]} {outcome}" for outcome in others)
            parts.append(
                f"by {objective} in {counts.get('tie', 0)} of {sum(counts.values())}"
                + (f" ({others_text})" if others else "")
            )
        yield f"sanity check: {copies} " + ", ".join(parts)
