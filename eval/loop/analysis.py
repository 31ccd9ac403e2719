"""What the reviews of the paper asked about the loop, each by its name in ``--analysis``.

    ceiling      by difficulty: the first iteration whose score is within 5 % of the last one's
    correlation  of what programs save on public inputs and on private ones
    gains        what the last program saves against the first one, in ns, bytes and byte·ns,
                 where both pass the private tests

With ``--start spectrum`` there is also, for each start, what the loop makes of it (`by_start`).

All of them are computed from rows of results.parquet, so a report computes them again. A score is
Beyond of the objective: the mean percentile rank on the private tests. Where nothing is ranked,
which is so for a program of one's own, the ceiling is that of the cost on the public tests.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from venus_toolkit.core.formatting import percent
from venus_toolkit.core.records import MIB, NS_PER_MS
from venus_toolkit.eval.scoring.hacks import FIGURES
from venus_toolkit.eval.scoring.metrics import over_tasks
from venus_toolkit.eval.scoring.statistics import bootstrap
from venus_toolkit.eval.scoring.summary import grouped, values_of

CEILING, CORRELATION, GAINS = ANALYSES = ("ceiling", "correlation", "gains")
TOLERANCE = 0.05  # of the last score
UNITS = {
    "wall_ns": ("ms", NS_PER_MS),
    "peak_bytes": ("MiB", MIB),
    "integral_byte_ns": ("MiB*ms", MIB * NS_PER_MS),
}

Row = Mapping[str, Any]


def analyse(names: Iterable[str], rows: Sequence[Row], seed: int = 0) -> dict[str, Any]:
    """Return the analyses that are named, and `by_start` where starts differ, by name."""
    results: dict[str, Any] = {}
    if CEILING in names:
        results[CEILING] = list(ceilings(rows))
    if CORRELATION in names:
        results[CORRELATION] = correlation(rows)
    if GAINS in names:
        results[GAINS] = gains(rows, seed)
    if any(row.get("start_percent") is not None for row in rows):
        results["by_start"] = list(by_start(rows))
    return results


def in_words(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield what `analyse` returned in lines."""
    for entry in results.get(CEILING, ()):
        iterations = f"iteration {entry['first']} of {len(entry['scores']) - 1}"
        first = "not known" if entry["first"] is None else iterations
        problems = f"{entry['problems']} {'problem' if entry['problems'] == 1 else 'problems'}"
        yield f"ceiling, {entry['difficulty']} ({problems}): {first}"
    if CORRELATION in results:
        values = results[CORRELATION]
        names = [name for name in ("pearson", "spearman") if values[name] is not None]
        words = ", ".join(f"{name.capitalize()} {values[name]:.2f}" for name in names)
        programs = f"{values['points']} {'program' if values['points'] == 1 else 'programs'}"
        text = f"{words} ({programs})" if words else f"not known from {programs} (at least 3)"
        yield f"correlation of public and private savings: {text}"
    if GAINS in results:
        values = results[GAINS]
        yield f"gains, where first and last pass: {values['trajectories']} of {values['of']} trajectories"
        for name, (unit, scale) in UNITS.items():
            if name in values:
                saved, before = (values[name][key] / scale for key in ("saved", "before"))
                ends = [f"{entry / scale:.4g}" for entry in values[name]["interval"] or ()]
                interval = f" [{', '.join(ends)}]" if ends else ""
                yield f"gains, {unit}: {saved:.4g}{interval} of {before:.4g} saved"
    for entry in results.get("by_start", ()):
        passed, score = (" to ".join(map(percent, entry[name])) for name in ("passed", "score"))
        yield f"start {entry['start_percent']:.0f} %: Pass@1 {passed} %, Beyond {score} %"


def ceilings(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Yield, for all problems and for each difficulty, when the score has reached its last value.

    `first` is the first iteration whose score is within 5 % of that of the last one; `scores` are
    those of all iterations. Both are None where nothing is known of an iteration.
    """
    difficulties = grouped(rows, "difficulty")
    groups = {"all": rows, **(difficulties if len(difficulties) > 1 else {})}
    for name, chosen in groups.items():
        scores = _scores(chosen)
        known = None not in scores
        first = _within([score for score in scores if score is not None]) if known else None
        problems = len({row["title"] for row in chosen})
        yield {"difficulty": name, "problems": problems, "first": first, "scores": scores}


def correlation(rows: Sequence[Row]) -> dict[str, Any]:
    """Return how what programs save in public goes with what they save in private.

    A point is a program that the loop accepted, and passes both sets of tests, as did the first
    program of its trajectory: the logarithms of its cost divided by that of the first one. With
    fewer than three points, or where all are alike, there is no coefficient.
    """
    public: list[float] = []
    private: list[float] = []
    for states in _trajectories(rows):
        passing = [row for row in states if row["passed"] and row.get("public_passed")]
        for row in passing[1:]:
            if row["decision"] == "accepted":
                in_public = _log_ratio(passing[0], row, "public_")
                in_private = _log_ratio(passing[0], row, "")
                if in_public is not None and in_private is not None:
                    public.append(in_public)
                    private.append(in_private)
    return {
        "points": len(public),
        "pearson": _pearson(public, private),
        "spearman": _pearson(_ranks(public), _ranks(private)),
    }


def gains(rows: Sequence[Row], seed: int = 0) -> dict[str, Any]:
    """Return what the last program of a trajectory saves against the first one, by figure.

    Of trajectories whose first and last programs pass the private tests. The mean is over problems,
    with an interval that resamples them.
    """
    ends = [(states[0], states[-1]) for states in _trajectories(rows)]
    pairs = [(first, last) for first, last in ends if first["passed"] and last["passed"]]
    totals: dict[str, Any] = {"trajectories": len(pairs), "of": len(ends)}
    for name in UNITS:
        known = [
            {"title": last["title"], "before": first[name], "after": last[name]}
            for first, last in pairs
            if None not in (first[name], last[name])
        ]
        if known:
            saved = [{**pair, "saved": float(pair["before"] - pair["after"])} for pair in known]
            interval = bootstrap(values_of(saved, "saved"), seed=seed)
            totals[name] = {
                "saved": interval.estimate,
                # Of one problem nothing is resampled.
                "interval": [interval.low, interval.high] if interval.tasks > 1 else None,
                "before": over_tasks(values_of(known, "before")),
                "after": over_tasks(values_of(known, "after")),
            }
    return totals


def by_start(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Yield for each start, from the costliest (0 %) to the most efficient (100 %), what came of it."""
    starts = grouped([row for row in rows if row.get("start_percent") is not None], "start_percent")
    for start in sorted(starts):
        iterations = _iterations(starts[start])
        first, last = iterations[0], iterations[-1]
        rank = f"percentile_{first[0]['objective']}"
        yield {
            "start_percent": start,
            "trajectories": len(last),
            "passed": [_mean(part, "passed") for part in (first, last)],
            "score": [_mean(part, rank) for part in (first, last)],
        }


def _iterations(rows: Sequence[Row]) -> list[list[Row]]:
    """Return the rows of each iteration, in order."""
    of = grouped(rows, "iteration")
    return [of[number] for number in sorted(of)]


def _trajectories(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield the states of each trajectory, in order."""
    of: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        of.setdefault((row["task"], row["sample"]), []).append(row)
    for states in of.values():
        yield sorted(states, key=lambda row: row["iteration"])


def _scores(rows: Sequence[Row]) -> list[float | None]:
    """Return the score of each iteration, all by the same column."""
    if not rows:
        return []
    rank = f"percentile_{rows[0]['objective']}"
    ranked = any(row.get(rank) is not None for row in rows)
    column = rank if ranked else f"public_{_figure(rows[0])}"
    return [_mean(iteration, column) for iteration in _iterations(rows)]


def _mean(rows: Sequence[Row], column: str) -> float | None:
    """Return the mean over problems of a column; None where nothing is known."""
    known = [row for row in rows if row.get(column) is not None]
    return over_tasks(values_of(known, column)) if known else None


def _figure(row: Row) -> str:
    """Return the column of the objective that is measured on public and on private inputs."""
    time = "wall_ns" if row.get("time_figure") == "wall_ns" else "relative_time"
    return FIGURES.get(row["objective"], time)


def _within(scores: Sequence[float]) -> int | None:
    """Return the first of some scores that is within 5 % of the last one."""
    near = [abs(score - scores[-1]) <= TOLERANCE * abs(scores[-1]) for score in scores]
    return near.index(True) if near else None


def _log_ratio(first: Row, row: Row, prefix: str) -> float | None:
    old, new = (one.get(prefix + _figure(row)) for one in (first, row))
    return math.log(new / old) if old and new else None


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value; those that are equal share the mean of their ranks."""
    array = np.array(values)
    return [float((array < value).sum() + (array == value).sum() / 2) for value in array]


def _pearson(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Pearson's coefficient, None with fewer than three points or without a spread."""
    if len(left) < 3 or not (np.ptp(left) and np.ptp(right)):
        return None
    return float(np.corrcoef(left, right)[0, 1])
