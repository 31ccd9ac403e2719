"""Analyses of the loop that reviews of the paper asked for, by their names in ``--analysis``.

    ceiling      by difficulty: the first iteration whose score is within 5 % of the last one's
    correlation  between savings on public inputs and on private inputs
    gains        savings of the last program relative to the first, in ns, bytes and byte·ns,
                 if both pass the private tests

With ``--start spectrum``, `by_start` also reports the progress from each start.

All are computed from rows of results.parquet, so a report can recompute them. A score is Beyond of
the objective: the mean percentile rank on the private tests. If nothing is ranked, as for a user's
own program, the ceiling is that of the cost on the public tests.
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
TOLERANCE = 0.05  # as a share of the last score
UNITS = {
    "wall_ns": ("ms", NS_PER_MS),
    "peak_bytes": ("MiB", MIB),
    "integral_byte_ns": ("MiB*ms", MIB * NS_PER_MS),
}

Row = Mapping[str, Any]


def analyse(names: Iterable[str], rows: Sequence[Row], seed: int = 0) -> dict[str, Any]:
    """Return the named analyses, and `by_start` if starts differ, by name."""
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
    """Yield the results of `analyse` as lines of text."""
    for entry in results.get(CEILING, ()):
        iterations = f"iteration {entry['first']} of {len(entry['scores']) - 1}"
        first = "not known" if entry["first"] is None else iterations
        problems = f"{entry['problems']} {'problem' if entry['problems'] == 1 else 'problems'}"
        yield f"ceiling, {entry['difficulty']} ({problems}): {first}"
    if CORRELATION in results:
        entry = results[CORRELATION]
        names = [name for name in ("pearson", "spearman") if entry[name] is not None]
        coefficients = ", ".join(f"{name.capitalize()} {entry[name]:.2f}" for name in names)
        programs = f"{entry['points']} {'program' if entry['points'] == 1 else 'programs'}"
        yield "correlation of public and private savings: " + (
            f"{coefficients} ({programs})"
            if coefficients
            else f"not known from {programs} (at least 3)"
        )
    if GAINS in results:
        entry = results[GAINS]
        yield (
            f"gains, if first and last pass: {entry['trajectories']} of {entry['of']} trajectories"
        )
        for name, (unit, scale) in UNITS.items():
            if name in entry:
                saved, before = (entry[name][key] / scale for key in ("saved", "before"))
                ends = [f"{end / scale:.4g}" for end in entry[name]["interval"] or ()]
                interval = f" [{', '.join(ends)}]" if ends else ""
                yield f"gains, {unit}: {saved:.4g}{interval} of {before:.4g} saved"
    for entry in results.get("by_start", ()):
        passed, score = (" to ".join(map(percent, entry[name])) for name in ("passed", "score"))
        yield f"start {entry['start_percent']:.0f} %: Pass@1 {passed} %, Beyond {score} %"


def ceilings(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Yield the ceiling of all problems, and of each difficulty if there are several.

    `first` is the first iteration whose score is within 5 % of the last one; `scores` has the score
    of each iteration. If any score is None (unknown), so is `first`.
    """
    difficulties = grouped(rows, "difficulty")
    groups = {"all": rows, **(difficulties if len(difficulties) > 1 else {})}
    for name, group in groups.items():
        scores = _scores(group)
        known = None not in scores
        first = (
            _first_near_last([score for score in scores if score is not None]) if known else None
        )
        problems = len({row["title"] for row in group})
        yield {"difficulty": name, "problems": problems, "first": first, "scores": scores}


def correlation(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the correlation between savings on public and on private inputs.

    A point is an accepted program that passes both sets of tests, as does the first program of its
    trajectory. Its coordinates are the logarithms of its cost divided by that of the first program.
    A coefficient is None with fewer than three points or if all points are equal.
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
    """Return the saving of a trajectory's last program relative to its first, by figure.

    Only trajectories whose first and last programs pass the private tests count. The mean is over
    problems, with an interval that resamples them.
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
                # A single problem cannot be resampled.
                "interval": [interval.low, interval.high] if interval.tasks > 1 else None,
                "before": over_tasks(values_of(known, "before")),
                "after": over_tasks(values_of(known, "after")),
            }
    return totals


def by_start(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Yield the results of each start, from the costliest (0 %) to the most efficient (100 %)."""
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
    by_number = grouped(rows, "iteration")
    return [by_number[number] for number in sorted(by_number)]


def _trajectories(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield the states of each trajectory, in order."""
    trajectories: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        trajectories.setdefault((row["task"], row["sample"]), []).append(row)
    for states in trajectories.values():
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
    """Return the mean over problems of a column, or None if no value is known."""
    known = [row for row in rows if row.get(column) is not None]
    return over_tasks(values_of(known, column)) if known else None


def _figure(row: Row) -> str:
    """Return the column of the objective's cost, which exists for public and private inputs."""
    time = "wall_ns" if row.get("time_figure") == "wall_ns" else "relative_time"
    return FIGURES.get(row["objective"], time)


def _first_near_last(scores: Sequence[float]) -> int | None:
    """Return the index of the first score within `TOLERANCE` of the last one."""
    near = [abs(score - scores[-1]) <= TOLERANCE * abs(scores[-1]) for score in scores]
    return near.index(True) if near else None


def _log_ratio(first: Row, row: Row, prefix: str) -> float | None:
    column = prefix + _figure(row)
    old, new = first.get(column), row.get(column)
    return math.log(new / old) if old and new else None


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value; equal values share the mean of their ranks."""
    array = np.array(values)
    return [float((array < value).sum() + (array == value).sum() / 2) for value in array]


def _pearson(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Pearson's coefficient, or None with fewer than three points or without variance."""
    if len(left) < 3 or not (np.ptp(left) and np.ptp(right)):
        return None
    return float(np.corrcoef(left, right)[0, 1])
