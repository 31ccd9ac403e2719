"""Train and test splits: by problem, seeded, and unchanged when other problems are added."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.curation_data import make_options, problem
from venus_toolkit.builders.curation.curation_options import CurationOptions
from venus_toolkit.builders.curation.placement import draw, place
from venus_toolkit.core.records import Problem


def candidate(slug: str, difficulty: str = "", date: str | None = None) -> Problem:
    return dataclasses.replace(problem(), slug=slug, difficulty=difficulty, date=date)


UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
problems = st.dictionaries(
    st.text(max_size=3), st.sampled_from(["Easy", "Medium", "Hard"]), max_size=12
).map(lambda problems: [candidate(slug, difficulty) for slug, difficulty in problems.items()])
chosen = st.builds(
    lambda share, seed: make_options(test_fraction=share, seed=seed),
    st.floats(0.01, 0.99),
    st.integers(),
)


@UNHURRIED
@given(problems, chosen, st.booleans())
def test_all_problems_are_placed_and_no_split_is_empty(
    problems: list[Problem], options: CurationOptions, recorded: bool
) -> None:
    placed = place(problems, options, {} if recorded else None)
    assert set(placed) == {problem.slug for problem in problems}
    assert set(placed.values()) <= {"train", "test"}
    if len(problems) >= 2:
        assert set(placed.values()) == {"train", "test"}
    assert place(problems[::-1], options, {} if recorded else None) == placed


@UNHURRIED
@given(problems, problems, chosen, st.booleans())
def test_previous_placements_stay(
    first: list[Problem], more: list[Problem], options: CurationOptions, recorded: bool
) -> None:
    before = place(first, options, {} if recorded else None)
    after = place([*more, *first], options, before)
    assert {slug: after[slug] for slug in before} == before


@UNHURRIED
@given(problems, problems, st.integers())
def test_placement_by_hash_moves_only_to_an_empty_split(
    first: list[Problem], more: list[Problem], seed: int
) -> None:
    options = make_options(seed=seed, test_fraction=0.3)
    before, after = place(first, options), place([*first, *more], options)
    moved = [slug for slug in before if before[slug] != after[slug]]
    by_hash = {
        problem.slug: "test" if draw(problem.slug, seed) < 0.3 else "train" for problem in first
    }
    assert len(moved) <= 2
    assert all(by_hash[slug] != before[slug] or by_hash[slug] != after[slug] for slug in moved)
    assert not moved or len(set(by_hash.values())) < 2


@UNHURRIED
@given(problems, problems, chosen, st.booleans())
def test_removed_problem_keeps_its_split(
    first: list[Problem], more: list[Problem], options: CurationOptions, recorded: bool
) -> None:
    before = place(first, options, {} if recorded else None)
    between = place(more, options, before) if more else {}
    again = place([*more, *first], options, before | between)
    assert {slug: again[slug] for slug in before} == before


def test_share_is_met_on_average() -> None:
    problems = [candidate(f"p{n}", "Easy") for n in range(20_000)]
    share = list(place(problems, CurationOptions()).values()).count("test") / len(problems)
    assert share == pytest.approx(0.2, abs=0.01)


def test_recorded_placements_meet_share_per_difficulty() -> None:
    problems = [candidate(f"p{n}", ("Easy", "Medium", "Hard", "Hard")[n % 4]) for n in range(400)]
    placed = place(problems, CurationOptions(), previous={})
    tests = [problem.difficulty for problem in problems if placed[problem.slug] == "test"]
    assert {name: tests.count(name) for name in set(tests)} == {
        "Easy": 20,
        "Medium": 20,
        "Hard": 40,
    }


def test_growth_fills_shares_and_moves_none() -> None:
    first = [candidate(f"p{n}", "Easy") for n in range(50)]
    before = place(first, CurationOptions())
    more = [candidate(f"q{n}", "Easy") for n in range(150)]
    after = place([*first, *more], CurationOptions(), before)
    assert list(after.values()).count("test") == 40


def test_first_test_day() -> None:
    problems = [
        candidate("old", "", "2023-12-31"),
        candidate("new", "", "2024-01-01"),
        candidate("undated"),
    ]
    options = make_options(test_from="2024-01-01")
    assert place(problems, options) == {"old": "train", "new": "test", "undated": "train"}
    assert place(problems, options, {"new": "train", "old": "test"})["new"] == "train"


def test_zero_or_one_problem() -> None:
    assert place([], CurationOptions()) == {}
    assert set(place([candidate("only")], CurationOptions())) == {"only"}


def test_seed_changes_placements() -> None:
    problems = [candidate(f"p{n}") for n in range(40)]
    assert place(problems, make_options(seed=1)) != place(problems, make_options(seed=2))


def test_placements_are_stable() -> None:
    """These figures determine published splits, so they must never change."""
    assert [round(draw(slug, 0), 6) for slug in ("two-sum", "é", "\ud800")] == DRAWN


DRAWN = [0.595405, 0.540395, 0.527035]
