"""Rates have counts and are null if these are zero; times separate slow from fast solutions."""

from __future__ import annotations

import json
import math

import pytest

from venus_toolkit.builders.quality.score import (
    Detection,
    MutantCounts,
    Quality,
    Rate,
    SolutionTime,
    Survivor,
    add,
    add_counts,
    count,
    quality_facts,
    quality_row,
    separate,
    true_positives,
)
from venus_toolkit.core.records import Expectation, Solution, Verdict

FAST, SLOW = Expectation.ACCEPTED, Expectation.SLOW


def test_a_rate_of_nothing_is_null() -> None:
    assert Rate(0, 0).value is None
    assert str(Rate(0, 0)) == "- (0/0)"
    assert str(Rate(33, 34)) == "0.971 (33/34)"
    assert add([Rate(1, 2), Rate(0, 0), Rate(3, 3)]) == Rate(4, 5)


# ------------------------------------------------------------------ mutants


def outcomes(**numbers: int) -> list[str]:
    return [name for name, number in numbers.items() for _ in range(number)]


def test_only_mutants_known_to_be_wrong_count() -> None:
    counts = count(outcomes(broken=1, killed=6, differing=2, same=4, unjudged=1))
    assert counts == MutantCounts(14, 1, 6, 2, 4, 0, 1)
    assert counts.rate == Rate(6, 8)


def test_an_undecided_survivor_leaves_no_rate() -> None:
    """Without a pool every survivor is undecided; ignoring them would always give a full rate."""
    assert count(outcomes(killed=6, undecided=1)).rate == Rate(0, 0)
    assert count(outcomes(killed=6)).rate == Rate(6, 6)


def test_counts_add_up() -> None:
    assert add_counts(
        [count(outcomes(killed=1, same=1)), count(outcomes(differing=2))]
    ) == MutantCounts(4, 0, 1, 2, 1)
    assert add_counts([]) == MutantCounts()


# ------------------------------------------------------------------ solutions


def solutions(**expected: Expectation) -> list[Solution]:
    return [
        Solution(name, "p", "python", "", expectation) for name, expectation in expected.items()
    ]


def test_true_positives_ignore_missing_verdicts() -> None:
    known = solutions(a=FAST, b=FAST, c=FAST, v=Expectation.WRONG, w=Expectation.WRONG, s=SLOW)
    verdicts = {
        "a": Verdict.ACCEPTED,
        "b": Verdict.TIME_LIMIT,
        "v": Verdict.ACCEPTED,
        "w": Verdict.WRONG_ANSWER,
        "s": Verdict.ACCEPTED,
    }
    assert true_positives(known, verdicts) == Rate(1, 2), "c has no verdict"


def costs(language: str, fast: list[float], slow: list[float]) -> list[SolutionTime]:
    return [SolutionTime(language, FAST, value) for value in fast] + [
        SolutionTime(language, SLOW, value) for value in slow
    ]


@pytest.mark.parametrize(
    ("fast", "slow", "auc"),
    [
        ([1, 2], [3, math.inf], 1.0),
        ([3, 4], [1, 2], 0.0),
        ([1, 3], [2], 0.5),
        ([2], [2], 0.5),
        ([math.inf], [math.inf], 0.5),
        ([1, 2, 4], [3, 5], 5 / 6),
    ],
)
def test_the_area_is_the_share_of_pairs_in_order(
    fast: list[float], slow: list[float], auc: float
) -> None:
    assert separate(costs("python", fast, slow)).auc == pytest.approx(auc)


def test_languages_are_not_compared_with_each_other() -> None:
    separation = separate(costs("cpp", [1, 2], [math.inf]) + costs("python", [50, 100, 200], [150]))
    assert separation.pairs == 5
    assert separation.auc == pytest.approx(4 / 5)
    assert separation.slow_refused == Rate(1, 2)
    assert separation.spread == pytest.approx(3.0)


def test_separation_is_null_without_slow_solutions() -> None:
    separation = separate(costs("python", [1], []))
    assert (separation.auc, separation.pairs, separation.slow_refused, separation.spread) == (
        None,
        0,
        Rate(0, 0),
        None,
    )


# ------------------------------------------------------------------ rows and facts

SURVIVOR = Survivor(
    "p/python/a~constant-1-abc", "constant", 1, "x = 1", "x = 2", "differing", "small-7"
)
QUALITY = Quality(
    slug="p",
    languages=("python",),
    before=Detection(20, Rate(1, 2), MutantCounts(4, killed=2, differing=2)),
    after=Detection(13, Rate(2, 2), MutantCounts(4, killed=3, differing=1)),
    held_out=MutantCounts(2, killed=1, differing=1),
    operators={"constant": MutantCounts(6, killed=4, differing=2)},
    survivors=(SURVIVOR, SURVIVOR._replace(outcome="same", differs_on=None)),
    missed=("p/python/wrong_x",),
    added=1,
    dropped=8,
    batches=2,
)


def test_row_has_counts_with_rates() -> None:
    row = quality_row(QUALITY)
    assert row["true_negative_mutants"] == {"rate": 0.75, "hits": 3, "n": 4}
    assert row["true_negative_mutants_before"] == {"rate": 0.5, "hits": 2, "n": 4}
    assert row["true_positive"] == {"rate": None, "hits": 0, "n": 0}
    assert (row["tests_before"], row["tests_added"], row["tests_dropped"], row["tests_after"]) == (
        20,
        1,
        8,
        13,
    )
    json.dumps(row, allow_nan=False)


def test_the_facts_are_over_all_problems() -> None:
    facts = quality_facts([QUALITY, QUALITY])
    assert facts["true_negative_wrong"] == {"rate": 1.0, "hits": 4, "n": 4}
    assert facts["operators"]["constant"]["made"] == 12
    assert [survivor["outcome"] for survivor in facts["survivors"]] == ["differing", "differing"]
    assert facts["missed"] == ["p/python/wrong_x"] * 2
    json.dumps(facts, allow_nan=False)
    assert quality_facts([])["true_positive"]["rate"] is None
