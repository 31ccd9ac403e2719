"""What is reported beside the scores of a loop, worked by hand."""

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


def test_the_ceiling_is_the_first_iteration_within_5_percent_of_the_last() -> None:
    rows = [
        *curve("a", 0.2, 0.5, 0.77, 0.8, difficulty="Hard"),
        *curve("b", 0.5, 0.96, 1.0, 1.0),
        *curve("c", 0.7, 0.96, 1.0, 1.0),
    ]
    found = {each["difficulty"]: each for each in analyse(["ceiling"], rows)["ceiling"]}
    assert {name: each["first"] for name, each in found.items()} == {"all": 2, "Easy": 1, "Hard": 2}
    assert found["Easy"]["scores"] == pytest.approx([0.6, 0.96, 1.0, 1.0])
    assert found["all"]["problems"] == 3
    assert list(in_words({"ceiling": [found["Hard"]]})) == [
        "ceiling, Hard (1 problem): iteration 2 of 3"
    ]


def test_a_ceiling_that_is_not_known() -> None:
    (found,) = analyse(["ceiling"], curve("a", None, 0.5))["ceiling"]
    assert (found["first"], found["scores"]) == (None, [None, 0.5])
    assert list(in_words({"ceiling": [found]})) == ["ceiling, all (1 problem): not known"]
    (flat,) = analyse(["ceiling"], curve("a", 0.0, 0.0))["ceiling"]
    assert flat["first"] == 0


def test_analyses_without_rows() -> None:
    assert list(in_words(analyse(ANALYSES, []))) == [
        "ceiling, all (0 problems): not known",
        "correlation of public and private savings: not known from 0 programs (at least 3)",
        "gains, where first and last pass: 0 of 0 trajectories",
    ]


def test_without_ranks_the_ceiling_is_that_of_the_cost() -> None:
    rows = [row("own", n, public_relative_time=cost) for n, cost in enumerate((9.0, 2.08, 2.0))]
    (found,) = analyse(["ceiling"], rows)["ceiling"]
    assert (found["first"], found["scores"]) == (1, [9.0, 2.08, 2.0])


def test_a_cost_is_never_said_to_be_a_rank() -> None:
    """Neither of an iteration in which nothing is ranked, nor of a start."""
    unranked = row("a", 0, passed=None, public_relative_time=3.5)
    (found,) = analyse(["ceiling"], [unranked, row("a", 1, percentile_time=0.9)])["ceiling"]
    assert (found["first"], found["scores"]) == (None, [None, 0.9])
    made = analyse([], [row("a", 0, public_relative_time=3.5, start_percent=0.0)])
    assert made["by_start"][0]["score"] == [None, None]
    assert list(in_words(made)) == [
        f"start 0 %: Pass@1 100.0 to 100.0 %, Beyond {UNKNOWN} to {UNKNOWN} %"
    ]


def test_the_correlation_of_what_is_saved() -> None:
    public = [(8, 4, 2), (9, 3, 1), (7, 6, 5)]
    private = [(80, 50, 30), (90, 20, 15), (60, 59, 61)]
    rows = [
        row(name, n, public_relative_time=public[k][n], relative_time=private[k][n])
        for k, name in enumerate("abc")
        for n in range(3)
    ]
    found = analyse(["correlation"], rows)["correlation"]
    logs = [[math.log(each[n] / each[0]) for each in costs for n in (1, 2)]
            for costs in (public, private)]  # fmt: skip
    assert found["points"] == 6
    assert found["pearson"] == pytest.approx(correlation(*logs))
    ranks = [[sorted(each).index(value) for value in each] for each in logs]
    assert found["spearman"] == pytest.approx(correlation(*ranks))


def test_what_fails_or_was_not_accepted_is_no_point() -> None:
    costs = {"public_relative_time": 1.0, "relative_time": 1.0}
    rows = [
        row("a", 0, **costs),
        row("a", 1, **costs, decision="not_better"),
        row("a", 2, **costs, passed=False),
        row("a", 3, **costs),
    ]
    found = analyse(["correlation"], rows)["correlation"]
    assert found == {"points": 1, "pearson": None, "spearman": None}
    assert "not known" in next(in_words({"correlation": found}))


def test_gains_are_absolute_and_of_trajectories_that_pass() -> None:
    wall = {"a": (10e6, 4e6), "b": (6e6, 6e6), "c": (9e6, None)}
    rows = [
        row(name, n, wall_ns=cost, passed=cost is not None)
        for name, costs in wall.items()
        for n, cost in enumerate(costs)
    ]
    found = analyse(["gains"], rows)["gains"]
    assert (found["trajectories"], found["of"]) == (2, 3)
    assert found["wall_ns"]["saved"] == 3e6, "the mean of 6 and 0 ms"
    assert (found["wall_ns"]["before"], found["wall_ns"]["after"]) == (8e6, 5e6)
    assert "peak_bytes" not in found
    lines = list(in_words({"gains": found}))
    assert lines[0] == "gains, where first and last pass: 2 of 3 trajectories"
    assert lines[1] == "gains, ms: 3 [0, 6] of 8 saved"
    (one,) = [analyse(["gains"], rows[:2])["gains"]["wall_ns"]]
    assert (one["saved"], one["interval"]) == (6e6, None), "of one problem nothing is resampled"


def test_starts_of_a_spectrum_are_told_apart() -> None:
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


def test_nothing_is_analysed_that_was_not_named() -> None:
    assert analyse([], curve("a", 0.1, 0.2)) == {}
    made = analyse(ANALYSES, curve("a", None, None))
    assert set(made) == {"ceiling", "correlation", "gains"}
    assert len(list(in_words(made))) == 3


def test_analyses_are_named_with_commas() -> None:
    assert LoopOptions(1, analysis="ceiling, gains").analysis == ("ceiling", "gains")  # type: ignore[arg-type]
    assert LoopOptions(1).analysis == ()
    with pytest.raises(UsageError, match="known are ceiling, correlation, gains"):
        LoopOptions(1, analysis="ceiling,height")  # type: ignore[arg-type]


def test_equal_savings_share_a_rank() -> None:
    values = [(1.0, 4.0), (2.0, 4.0), (2.0, 2.0), (3.0, 1.0)]
    rows = [row(str(n), 0, public_relative_time=8.0, relative_time=8.0) for n in range(4)]
    rows += [row(str(n), 1, public_relative_time=one, relative_time=other)
             for n, (one, other) in enumerate(values)]  # fmt: skip
    found = analyse(["correlation"], rows)["correlation"]
    by_hand = correlation([0, 1.5, 1.5, 3], [2.5, 2.5, 1, 0])
    assert found["spearman"] == pytest.approx(by_hand)
