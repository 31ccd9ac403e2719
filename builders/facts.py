"""What a build can say of itself: ranks, surprises, repeatability, and how many were dropped for which reason."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from venus_toolkit.funnel import Dropped as Dropped
from venus_toolkit.measure import ranking_key
from venus_toolkit.records import Expectation, Judgement, Measurement, Solution, Verdict


def rank_solutions(solutions: Iterable[Solution], measurements: Mapping[str, Measurement], rank: str) -> dict[str, int]:
    """Return 1 for the fastest; solutions that were not measured have no rank."""
    keys = {
        s.solution_id: ranking_key(measurements[s.solution_id], "time", rank)
        for s in solutions
        if s.solution_id in measurements
    }
    ordered = sorted((key, name) for name, key in keys.items() if key is not None)
    return {name: place for place, (_, name) in enumerate(ordered, 1)}


def unexpected(solutions: Iterable[Solution], judgements: Mapping[str, Judgement]) -> dict[str, str]:
    """Return the solutions that are not what they were said to be."""
    wanted = {
        Expectation.ACCEPTED: Verdict.ACCEPTED,
        Expectation.WRONG: Verdict.WRONG_ANSWER,
        Expectation.SLOW: Verdict.TIME_LIMIT,
    }
    found = {}
    for solution in solutions:
        judgement = judgements.get(solution.solution_id)
        if judgement and solution.expected in wanted and judgement.verdict != wanted[solution.expected]:
            why = f": {judgement.reason} ({judgement.failing_test})" if judgement.failing_test else ""
            found[solution.solution_id] = f"said to be {solution.expected}, is {judgement.verdict}{why}"
    return found


def repeatability(measurements: Iterable[Measurement]) -> dict[str, Any]:
    """Return the median spreads over the repeats and how many measurements carry a noise flag."""
    listed = list(measurements)
    found: dict[str, Any] = {"measured": len(listed), "noisy": sum(bool(m.noise) for m in listed)}
    for name in ("wall_spread", "cpu_spread", "integral_spread", "relative_spread"):
        values = [value for m in listed if (value := getattr(m, name)) is not None]
        found[f"median_{name}"] = statistics.median(values) if values else None
    return found


def count_reasons(dropped: Iterable[Dropped]) -> dict[str, dict[str, int]]:
    """Return how many were dropped for which reason at each stage; numbers in a reason are left out to count alike."""
    counts: dict[str, Counter[str]] = {}
    for row in dropped:
        kind = "".join("N" if c.isdigit() else c for c in row.reason.splitlines()[0].split(":")[0])
        counts.setdefault(row.stage, Counter())[kind] += 1
    return {stage: dict(counter.most_common()) for stage, counter in counts.items()}
