"""Metrics: values worked out by hand, and properties that hold for any figures."""

from __future__ import annotations

import doctest
import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from venus_toolkit.eval.scoring import metrics
from venus_toolkit.eval.scoring.metrics import (
    geometric_mean,
    mercury_beyond,
    over_tasks,
    pass_at_k,
    place_shares,
    ratios_to_best,
)
from venus_toolkit.execution.measuring import ranking
from venus_toolkit.execution.measuring.ranking import AT_LEAST, MIDRANK, STRICT, Place, exact

NAN = float("nan")
MERCURY = Path(__file__).resolve().parents[3] / "shared" / "data" / "mercury"
FIGURES = st.lists(st.floats(0.001, 1e6), min_size=1, max_size=30)


def percentile_ranks(figures: ArrayLike, humans: ArrayLike, ties: str = AT_LEAST) -> np.ndarray:
    """Return percentile ranks by the paper's rule: any difference counts."""
    return ranking.percentile_ranks(exact(figures), exact(humans), ties, STRICT)


def places(figures: ArrayLike, humans: ArrayLike) -> list[Place]:
    return ranking.places(exact(figures), exact(humans), STRICT)


def test_the_examples_in_the_docstrings_are_true() -> None:
    assert doctest.testmod(ranking).failed == 0
    assert doctest.testmod(metrics).failed == 0
    assert doctest.testmod(metrics).attempted >= 7


# ------------------------------------------------------------------ by hand


def test_percentile_rank_is_the_share_of_equal_or_higher_costs() -> None:
    humans = [10, 20, 20, 40]
    assert percentile_ranks([5, 10, 15, 20, 40, 41], humans).tolist() == [1, 1, 0.75, 0.75, 0.25, 0]
    assert percentile_ranks([5, 10, 15, 20, 40, 41], humans, MIDRANK).tolist() == [
        1,
        0.875,
        0.75,
        0.5,
        0.125,
        0,
    ]


def test_failure_ranks_zero_even_among_slow_solutions() -> None:
    assert percentile_ranks([NAN], [float("inf"), float("inf")]).tolist() == [0]


def test_beyond_weighs_tasks_equally() -> None:
    assert over_tasks([[1, 1, 1], [0, NAN, NAN]]) == 0.5
    assert over_tasks([[[1, 0.5], [NAN, NAN]], [[0.25, 0.25], [0, 0]]]) == pytest.approx(
        (0.75 + 0.125) / 2
    )


def test_pass_and_beyond_agree_with_the_authors_script() -> None:
    """Their arithmetic on 1,000 rows: sums over all rows, divided by the number of rows.

    125 problems with 8 samples each. A row that passes adds the share of the human figures that are
    not below its own; one that fails adds nothing. Distributions have 16, 32 or 64 figures, so that
    every share is exact.
    """
    rng = np.random.default_rng(0)
    figures = rng.integers(1, 60, (125, 8)).astype(float)  # whole numbers: many ties
    passed = rng.random((125, 8)) < 0.7
    humans = [rng.integers(1, 60, rng.choice((16, 32, 64))).astype(float) for _ in figures]
    summed = {"pass": 0, "beyond": 0.0}
    for problem, distribution in enumerate(humans):
        for sample in range(8):
            if passed[problem, sample]:
                summed["pass"] += 1
                below = sum(value < figures[problem, sample] for value in distribution)
                summed["beyond"] += 1 - below / len(distribution)
    ranks = [
        percentile_ranks(np.where(good, row, NAN), distribution)
        for row, good, distribution in zip(figures, passed, humans, strict=True)
    ]
    assert over_tasks(passed.astype(float)) - summed["pass"] / 1000 == 0
    assert over_tasks(ranks) - summed["beyond"] / 1000 == 0


def test_lesson_29_unanswered_samples_are_omitted() -> None:
    assert over_tasks([[1, NAN], [NAN, NAN], [0, 1]]) == 0.75
    assert math.isnan(over_tasks([[NAN]]))


def test_lesson_32_better_than_the_best_human_is_detected() -> None:
    assert ratios_to_best([1], [4, 8]).tolist() == [4]
    assert places([3.9], [4, 8]) == [Place.BETTER]


def test_geometric_mean_of_nothing_is_unknown() -> None:
    assert math.isnan(geometric_mean([NAN]))


@pytest.mark.parametrize("distribution", [[], [1, NAN]])
def test_no_distribution_is_refused(distribution: list[float]) -> None:
    for function in (percentile_ranks, mercury_beyond, places, ratios_to_best):
        with pytest.raises(ValueError, match="at least one figure"):
            function([1], distribution)


def test_impossible_values_are_refused() -> None:
    with pytest.raises(ValueError, match="ties"):
        percentile_ranks([1], [1], "best")
    with pytest.raises(ValueError, match="no program"):
        place_shares([])
    for k in (0, 4):
        with pytest.raises(ValueError, match="samples"):
            pass_at_k([3, 5], [1, 1], k)


# ------------------------------------------------------------------ for any figures


@given(figure=st.floats(0.001, 1e6), humans=FIGURES)
def test_ranks_agree_with_counting(figure: float, humans: list[float]) -> None:
    at_least = sum(human >= figure for human in humans) / len(humans)
    above, below = sum(human > figure for human in humans), sum(human < figure for human in humans)
    assert percentile_ranks([figure], humans)[0] == pytest.approx(at_least)
    middle = (above + (len(humans) - above - below) / 2) / len(humans)
    assert percentile_ranks([figure], humans, MIDRANK)[0] == pytest.approx(middle)


@given(figures=FIGURES, humans=FIGURES, factor=st.sampled_from([2.0, 0.5, 1024.0]))
def test_ranks_and_places_do_not_depend_on_units(
    figures: list[float], humans: list[float], factor: float
) -> None:
    scaled, others = np.array(figures) * factor, np.array(humans) * factor
    for ties in (AT_LEAST, MIDRANK):
        assert (
            percentile_ranks(figures, humans, ties) == percentile_ranks(scaled, others, ties)
        ).all()
    assert places(figures, humans) == places(scaled, others)
    assert mercury_beyond(figures, humans) == pytest.approx(mercury_beyond(scaled, others))


@given(figures=FIGURES, humans=FIGURES)
def test_cheaper_program_ranks_no_worse(figures: list[float], humans: list[float]) -> None:
    ordered = sorted(figures)
    for ranks in (percentile_ranks(ordered, humans), mercury_beyond(ordered, humans)):
        assert (np.diff(ranks) <= 0).all()
        assert ((ranks >= 0) & (ranks <= 1)).all()


@given(humans=FIGURES)
def test_places_follow_from_ranks(humans: list[float]) -> None:
    best, worst = min(humans), max(humans)
    assert places([best * 0.99, best, worst, worst * 1.01], humans) == [
        "better",
        "middle",
        "middle",
        "worse",
    ]
    assert percentile_ranks([worst * 1.01], humans)[0] == 0
    assert percentile_ranks([best], humans)[0] == 1


@given(
    st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n)))
)
def test_pass_at_k_agrees_with_trying_every_choice(drawn: tuple[int, int, int]) -> None:
    n, c, k = drawn
    choices = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k([n], [c], k)[0] == pytest.approx(sum(map(any, choices)) / len(choices))


# ------------------------------------------------------------------ Mercury's own scores


# Human run times, the model's run time (None: it failed) and the stored score of three published
# completions of GPT-4.
PUBLISHED_SCORES = {
    "spiral-matrix": (
        (
            0.0002751350402832031,
            0.00027871131896972656,
            0.0002849102020263672,
            0.0004515647888183594,
        ),
        0.0003330707550048828,
        0.6716216216216216,
    ),
    "permutation-sequence": (
        (0.00041484832763671875, 0.02144002914428711, 0.8836908340454102, 1.9145543575286865),
        0.00034332275390625,
        1.0000373669596112,
    ),
    "expression-add-operators": ((3.119155168533325, 5.0105507373809814), None, 0.0),
}


@pytest.mark.parametrize("name", PUBLISHED_SCORES)
def test_mercurys_published_scores(name: str) -> None:
    """Only the fastest and the slowest human matter, so few are listed; scores are clipped at 1."""
    humans, own, stored = PUBLISHED_SCORES[name]
    (score,) = mercury_beyond([NAN if own is None else own], humans)
    assert score == pytest.approx(min(stored, 1))


@pytest.mark.shared
@pytest.mark.skipif(not MERCURY.is_dir(), reason="../shared/data/mercury is not there")
@pytest.mark.parametrize("file", sorted(MERCURY.glob("*_eval*.json")), ids=lambda file: file.stem)
def test_mercurys_stored_scores_follow_from_its_run_times(file: Path) -> None:
    """Unlike the paper's, stored scores are not clipped at the fastest human."""
    samples = [sample for listed in json.loads(file.read_text()).values() for sample in listed]
    compared = 0
    for sample in samples:
        if len(set(sample["runtimes"])) > 1:
            passed = sample["result"]["result"] == "passed"
            (own,) = mercury_beyond(
                [sample["result"]["runtime"] if passed else NAN], sample["runtimes"]
            )
            assert own == pytest.approx(min(max(sample["beyond_p"], 0), 1))
            compared += 1
    assert compared
