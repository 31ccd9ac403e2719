"""Scores of other benchmarks: by hand, by simulation, and from the rows of an evaluation."""

from __future__ import annotations

import doctest
import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.eval.test_summary import row
from venus_toolkit.dataset.card.published_scores import format_scores
from venus_toolkit.eval.scoring import published_metrics
from venus_toolkit.eval.scoring.published_metrics import (
    differential_performance,
    eff_at_k,
    optimised,
    performance_levels,
    published_scores,
)
from venus_toolkit.eval.scoring.summary import score_group

SCORES = st.lists(st.floats(0, 2), min_size=1, max_size=7)


def test_examples() -> None:
    assert doctest.testmod(published_metrics).failed == 0


@given(SCORES, st.data())
def test_eff_at_k_is_the_mean_best_of_all_draws(scores: list[float], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(scores)))
    best = [max(drawn) for drawn in itertools.combinations(scores, k)]
    assert eff_at_k(scores, k) == pytest.approx(float(np.mean(best)))


def test_eff_at_k_beyond_the_samples() -> None:
    with pytest.raises(ValueError, match="from 1 to the number of samples, 2, got 3"):
        eff_at_k([1.0, 0.5], 3)


@given(st.lists(st.floats(0.01, 1e6), min_size=1, max_size=20))
def test_levels_hold_every_solution_once(costs: list[float]) -> None:
    levels = performance_levels(costs)
    costliest = [cost for cost, _ in levels]
    assert costliest[0] == max(costs)
    assert costliest == sorted(costliest, reverse=True)
    assert levels[-1][1] == 1.0
    assert differential_performance(min(costs), levels) == (1.0, 1.0)
    assert differential_performance(2 * max(costs), levels) == (0.0, 0.0)


def test_slower_answers_count_as_the_original() -> None:
    assert optimised([1.1]) == (1.0, 1.1)
    assert optimised([0.2, math.nan]) == (0.0, 1.0)


def sample(title: str, ratio: float | None, number: int = 0, **changes: Any) -> dict[str, Any]:
    """Return a row whose ratio to the median human is twice its ratio to the best one."""
    cells: dict[str, Any] = {"wall_ns": 2e9, "peak_bytes": 2**21, "integral_byte_ns": 2.0**21 * 1e9}
    for objective in ("time", "memory", "integral"):
        cells |= {
            f"ratio_to_best_{objective}": ratio,
            f"ratio_to_median_{objective}": ratio and 2 * ratio,
        }
        cells |= {f"dps_{objective}": ratio and 0.5, f"dps_norm_{objective}": ratio and 0.25}
    return row(title, 0.5 if ratio else 0.0, number, **cells | changes)


def test_scores_by_hand() -> None:
    rows = [sample("a", 1.25), sample("a", None, 1), sample("b", 0.625), sample("b", 0.5, 1)]
    scores = published_scores(rows)
    assert scores["eff@1"] == pytest.approx((1.2 / 2 + 0.4 / 2) / 2)
    assert (scores["dps"], scores["dps_norm"]) == (0.5, 0.25)
    assert scores["net"] == pytest.approx((0.8 + 1.6 + 2) / 3)
    assert scores["net_median"] == pytest.approx(1.6)
    assert (scores["et"], scores["mu"], scores["tmu"]) == (2.0, 2.0, 2.0)
    assert scores["pie_opt"] == pytest.approx((0.5 + 0.5) / 2)
    assert scores["pie_speedup"] == pytest.approx(((2.5 + 1) / 2 + (1.25 + 1) / 2) / 2)
    assert scores["efficient@1"] == pytest.approx(0.25)
    assert scores["coffe_speedup"] == pytest.approx((1.25 + 0.625 + 0.5) / 3)
    longer = published_scores([sample("a", 1.25), sample("b", 0.5, wall_ns=6e9)])
    assert longer["coffe_speedup"] == pytest.approx((1.25 * 2 + 0.5 * 6) / 8), (
        "a ratio of sums, not a mean of ratios"
    )
    assert longer["net_of_sums"] == pytest.approx(1 / longer["coffe_speedup"])
    by_metric = {(benchmark, metric): value for benchmark, metric, value in format_scores(scores)}
    assert by_metric["ENAMEL", "eff@1"] == "0.400"
    assert by_metric["EvalPerf", "DPS"] == "50.0"
    assert by_metric["PIE", "%Opt"] == "50.0"
    assert by_metric["COFFE", "efficient@1 %"] == "25.0"


def test_incomparable_tasks_have_no_score() -> None:
    assert published_scores([row("a", None)]) == {}
    failed = published_scores([sample("a", None)])
    assert (failed["eff@1"], failed["pie_speedup"], failed["efficient@1"]) == (0.0, 1.0, 0.0)
    assert "net" not in failed
    assert "dps" not in failed


def test_old_evaluation_lacks_new_published_metrics() -> None:
    published = score_group("all", "all", [row("a", 0.5)]).published
    assert published["eff@1"] == 0.0
    assert not {"dps", "pie_opt", "et"} & published.keys()
