"""Analyses of a loop in addition to its scores, with results worked out by hand."""

from __future__ import annotations

import math
from statistics import correlation
from typing import Any

import pytest

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.formatting import UNKNOWN
from venus_toolkit.eval.loop.analysis import ANALYSES, analyse, in_words
from venus_toolkit.eval.loop.iterative_loop import LoopOptions


def row(title: str, iteration: int, **cells: Any) -> dict[str, Any]:
    about = {"task": f"python/{title}", "title": title, "sample": 0, "difficulty": "Easy"}
    about |= {"objective": "time", "time_figure": "relative_time", "decision": "accepted"}
    passed = {"passed": True, "public_passed": True, "percentile_time": None}
    none = {"wall_ns": None, "peak_bytes": None, "integral_byte_ns": None}
    return {**about, **passed, **none, "iteration": iteration, **cells}


def curve(title: str, *ranks: float | None, **cells: Any) -> list[dict[str, Any]]:
    return [row(title, n, percentile_time=rank, **cells) for n, rank in enumerate(ranks)]


def test_ceiling_is_first_iteration_within_5_percent() -> None:
    rows = [
        *curve("a", 0.2, 0.5, 0.77, 0.8, difficulty="Hard"),
        *curve("b", 0.5, 0.96, 1.0, 1.0),
        *curve("c", 0.7, 0.96, 1.0, 1.0),
    ]
    ceilings = {ceiling["difficulty"]: ceiling for ceiling in analyse(["ceiling"], rows)["ceiling"]}
    assert {name: ceiling["first"] for name, ceiling in ceilings.items()} == {
        "all": 2,
        "Easy": 1,
        "Hard": 2,
    }
    assert ceilings["Easy"]["scores"] == pytest.approx([0.6, 0.96, 1.0, 1.0])
    assert ceilings["all"]["problems"] == 3
    assert list(in_words({"ceiling": [ceilings["Hard"]]})) == [
        "ceiling, Hard (1 problem): iteration 2 of 3"
    ]


def test_unknown_ceiling() -> None:
    (ceiling,) = analyse(["ceiling"], curve("a", None, 0.5))["ceiling"]
    assert (ceiling["first"], ceiling["scores"]) == (None, [None, 0.5])
    assert list(in_words({"ceiling": [ceiling]})) == ["ceiling, all (1 problem): not known"]
    (flat,) = analyse(["ceiling"], curve("a", 0.0, 0.0))["ceiling"]
    assert flat["first"] == 0


def test_analyses_without_rows() -> None:
    assert list(in_words(analyse(ANALYSES, []))) == [
        "ceiling, all (0 problems): not known",
        "correlation of public and private savings: not known from 0 programs (at least 3)",
        "gains, if first and last pass: 0 of 0 trajectories",
    ]


def test_without_ranks_the_ceiling_is_that_of_the_cost() -> None:
    rows = [row("own", n, public_relative_time=cost) for n, cost in enumerate((9.0, 2.08, 2.0))]
    (ceiling,) = analyse(["ceiling"], rows)["ceiling"]
    assert (ceiling["first"], ceiling["scores"]) == (1, [9.0, 2.08, 2.0])


def test_cost_is_never_reported_as_a_rank() -> None:
    """Iterations without ranks and starting programs have a cost, but no rank."""
    unranked = row("a", 0, passed=None, public_relative_time=3.5)
    (ceiling,) = analyse(["ceiling"], [unranked, row("a", 1, percentile_time=0.9)])["ceiling"]
    assert (ceiling["first"], ceiling["scores"]) == (None, [None, 0.9])
    analysis = analyse([], [row("a", 0, public_relative_time=3.5, start_percent=0.0)])
    assert analysis["by_start"][0]["score"] == [None, None]
    assert list(in_words(analysis)) == [
        f"start 0 %: Pass@1 100.0 to 100.0 %, Beyond {UNKNOWN} to {UNKNOWN} %"
    ]


def test_correlation_of_savings() -> None:
    public = [(8, 4, 2), (9, 3, 1), (7, 6, 5)]
    private = [(80, 50, 30), (90, 20, 15), (60, 59, 61)]
    rows = [
        row(name, n, public_relative_time=public[k][n], relative_time=private[k][n])
        for k, name in enumerate("abc")
        for n in range(3)
    ]
    correlations = analyse(["correlation"], rows)["correlation"]
    logs = [[math.log(values[n] / values[0]) for values in costs for n in (1, 2)]
            for costs in (public, private)]  # fmt: skip
    assert correlations["points"] == 6
    assert correlations["pearson"] == pytest.approx(correlation(*logs))
    ranks = [[sorted(values).index(value) for value in values] for values in logs]
    assert correlations["spearman"] == pytest.approx(correlation(*ranks))


def test_correlation_ignores_failed_and_rejected_rows() -> None:
    costs = {"public_relative_time": 1.0, "relative_time": 1.0}
    rows = [
        row("a", 0, **costs),
        row("a", 1, **costs, decision="not_better"),
        row("a", 2, **costs, passed=False),
        row("a", 3, **costs),
    ]
    correlations = analyse(["correlation"], rows)["correlation"]
    assert correlations == {"points": 1, "pearson": None, "spearman": None}
    assert "not known" in next(in_words({"correlation": correlations}))


def test_gains_are_absolute_and_of_passing_trajectories() -> None:
    wall = {"a": (10e6, 4e6), "b": (6e6, 6e6), "c": (9e6, None)}
    rows = [
        row(name, n, wall_ns=cost, passed=cost is not None)
        for name, costs in wall.items()
        for n, cost in enumerate(costs)
    ]
    gains = analyse(["gains"], rows)["gains"]
    assert (gains["trajectories"], gains["of"]) == (2, 3)
    assert gains["wall_ns"]["saved"] == 3e6, "the mean of 6 and 0 ms"
    assert (gains["wall_ns"]["before"], gains["wall_ns"]["after"]) == (8e6, 5e6)
    assert "peak_bytes" not in gains
    lines = list(in_words({"gains": gains}))
    assert lines[0] == "gains, if first and last pass: 2 of 3 trajectories"
    assert lines[1] == "gains, ms: 3 [0, 6] of 8 saved"
    (one,) = [analyse(["gains"], rows[:2])["gains"]["wall_ns"]]
    assert (one["saved"], one["interval"]) == (6e6, None), "a single problem cannot be resampled"


def test_starts_of_a_spectrum_are_separate() -> None:
    rows = [
        *curve("a", 0.0, 0.5, start_percent=0.0),
        *curve("a", 1.0, 1.0, start_percent=100.0, sample=1),
        *curve("b", 0.2, 0.5, start_percent=0.0),
    ]
    low, high = analyse([], rows)["by_start"]
    assert (low["start_percent"], low["trajectories"]) == (0.0, 2)
    assert low["score"] == pytest.approx([0.1, 0.5])
    assert (high["score"], high["passed"]) == ([1.0, 1.0], [1.0, 1.0])
    assert list(in_words({"by_start": [low]})) == [
        "start 0 %: Pass@1 100.0 to 100.0 %, Beyond 10.0 to 50.0 %"
    ]


def test_analyses_run_only_by_name() -> None:
    assert analyse([], curve("a", 0.1, 0.2)) == {}
    analysis = analyse(ANALYSES, curve("a", None, None))
    assert set(analysis) == {"ceiling", "correlation", "gains"}
    assert len(list(in_words(analysis))) == 3


def test_analyses_are_named_with_commas() -> None:
    assert LoopOptions(1, analysis="ceiling, gains").analysis == ("ceiling", "gains")  # type: ignore[arg-type]
    assert LoopOptions(1).analysis == ()
    with pytest.raises(UsageError, match="expected one of ceiling, correlation, gains"):
        LoopOptions(1, analysis="ceiling,height")  # type: ignore[arg-type]


def test_equal_savings_share_a_rank() -> None:
    values = [(1.0, 4.0), (2.0, 4.0), (2.0, 2.0), (3.0, 1.0)]
    rows = [row(str(n), 0, public_relative_time=8.0, relative_time=8.0) for n in range(4)]
    rows += [row(str(n), 1, public_relative_time=one, relative_time=other)
             for n, (one, other) in enumerate(values)]  # fmt: skip
    correlations = analyse(["correlation"], rows)["correlation"]
    by_hand = correlation([0, 1.5, 1.5, 3], [2.5, 2.5, 1, 0])
    assert correlations["spearman"] == pytest.approx(by_hand)
