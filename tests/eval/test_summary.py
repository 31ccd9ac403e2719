"""Scores from rows: equal weights of problems, missing samples, and groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from venus_toolkit.eval.scoring.results import SAVED, SCHEMA
from venus_toolkit.eval.scoring.summary import (
    compare_results,
    score_group,
    summarise_results,
    values_of,
)


def row(
    title: str, percentile: float | None, sample: int = 0, language: str = "cpp", **changes: Any
) -> dict[str, Any]:
    """Return a row of results: a percentile of 0 is a failure, None a sample that does not count."""
    passed = None if percentile is None else percentile > 0
    outcome = {None: "unanswered", True: "passed", False: "failed"}[passed]
    place = {None: None, True: "middle", False: "failed"}[passed]
    cells: dict[str, Any] = {
        "tags": ["graph"],
        "difficulty": "Easy",
        "passed": passed,
        "outcome": outcome,
    }
    for objective in SAVED:
        listed = None if percentile is None else [percentile] * (2 if passed else 1)
        cells |= {f"percentile_{objective}": percentile, f"percentile_{objective}_repeats": listed}
        cells |= {f"place_{objective}": place, f"mercury_beyond_{objective}": percentile}
        cells |= {
            f"ratio_to_best_{objective}": 0.5 if passed else None,
            SAVED[objective]: 10.0 if passed else None,
        }
    return {
        "task": f"{language}/{title}",
        "title": title,
        "language": language,
        "sample": sample,
        **cells,
        **changes,
    }


def table(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=SCHEMA)


def test_scores_by_hand() -> None:
    rows = [
        row("a", 1.0),
        row("a", 0.5, 1),
        row("b", 0.0),
        row("b", None, 1),
        row("c", 0.25),
        row("c", 0.25, 1),
    ]
    scores = score_group("all", "all", table(*rows).to_pylist())
    assert scores.pass_at_1
    assert scores.pass_at_1.estimate == pytest.approx(2 / 3)
    time = scores.efficiency["time"]
    assert time.beyond
    assert time.beyond.estimate == pytest.approx((0.75 + 0 + 0.25) / 3)
    assert time.places == (0.0, 0.8, 0.0, 0.2)
    assert (time.ratio_to_best, time.saved) == (pytest.approx(0.5), 10.0)
    assert scores.pass_at_k == {1: pytest.approx(2 / 3)}
    assert scores.outcomes == {"passed": 4, "failed": 1, "unanswered": 1}
    assert (scores.problems, scores.tasks, scores.samples, scores.ranked) == (3, 3, 6, 3)


def test_a_problem_in_two_languages_is_one_problem() -> None:
    rows = [
        row("a", 1.0),
        row("a", 1.0, language="go"),
        row("b", 0.0),
        row("b", 0.0, language="go"),
    ]
    by_group = {(scores.by, scores.name): scores for scores in summarise_results(table(*rows))}
    everything = by_group["all", "all"]
    assert (everything.problems, everything.tasks) == (2, 4)
    assert everything.pass_at_1
    assert (everything.pass_at_1.low, everything.pass_at_1.high, everything.pass_at_1.tasks) == (
        0.0,
        1.0,
        2,
    )
    assert by_group["language", "go"].tasks == by_group["tag", "graph"].problems == 2


def test_a_failure_is_a_failure_in_each_repeat() -> None:
    values = values_of(table(row("a", 0.5), row("b", 0.0)).to_pylist(), "percentile_time_repeats")
    assert values.tolist() == [[[0.5, 0.5]], [[0.0, 0.0]]]


def test_scores_without_counted_rows() -> None:
    scores = score_group("all", "all", table(row("a", None)).to_pylist())
    assert (
        scores.pass_at_1,
        scores.efficiency["time"].beyond,
        scores.efficiency["time"].places,
    ) == (
        None,
        None,
        None,
    )
    assert scores.pass_at_k == {}
    assert score_group("all", "all", []).samples == 0


def test_models_are_compared_on_common_tasks() -> None:
    better = table(*(row(f"p{n}", 0.8) for n in range(10)), row("only-here", 0.0))
    worse = table(*(row(f"p{n}", 0.5) for n in reversed(range(10))), row("only-there", 1.0))
    comparison = compare_results(better, worse, "percentile_time_repeats")
    assert comparison.tasks == 10
    assert comparison.difference.estimate == pytest.approx(0.3)
    assert comparison.p_value == 2 / 1024
    assert compare_results(better, better, "passed").p_value == 1.0
    with pytest.raises(ValueError, match="no task"):
        compare_results(table(row("a", 1.0)), table(row("b", 1.0)), "passed")


def test_values_are_arrays_by_task_and_sample() -> None:
    values = values_of(table(row("b", 0.5), row("a", 1.0), row("a", None, 1)).to_pylist(), "passed")
    assert np.array_equal(values, [[[1.0], [np.nan]], [[1.0], [np.nan]]], equal_nan=True)
