"""Selection: a seeded sample over all costs, and the threshold of passing solutions."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.curation_data import make_options
from venus_toolkit.builders.curation.problems import below_threshold
from venus_toolkit.builders.curation.stratified_sample import SolutionCost, beyond_cap

costs = st.lists(
    st.builds(
        SolutionCost,
        st.sampled_from(["p1", "p2"]),
        st.sampled_from(["cpp", "go"]),
        st.integers(0, 120).map(str),
        st.none() | st.floats(0, 100),
    ),
    max_size=60,
    unique_by=lambda each: (each.slug, each.language, each.solution_id),
)


def remaining(
    listed: Sequence[SolutionCost], folder: Path, **options: object
) -> set[tuple[str, str, str]]:
    dropped = beyond_cap(listed, make_options(**options), folder)
    gone = {(row.problem, row.detail["language"], row.item) for row in dropped}
    return {(row.slug, row.language, row.solution_id) for row in listed} - gone


@settings(max_examples=25, deadline=None)
@given(costs, st.integers(2, 12), st.integers(), st.randoms())
def test_sample_depends_on_rows_and_seed_only(
    listed: list[SolutionCost], most: int, seed: int, rng: random.Random
) -> None:
    with tempfile.TemporaryDirectory() as name:
        first = remaining(listed, Path(name), max_solutions=most, seed=seed)
        shuffled = rng.sample(listed, len(listed))
        assert remaining(shuffled, Path(name), max_solutions=most, seed=seed, threads=1) == first
    for group in {(row.slug, row.language) for row in listed}:
        mine = [row for row in listed if (row.slug, row.language) == group]
        sampled = [row for row in mine if (*group, row.solution_id) in first]
        assert len(sampled) == min(most, len(mine))
        measured = [row.cost for row in mine if row.cost is not None]
        if measured:
            assert {min(measured), max(measured)} <= {row.cost for row in sampled}


def test_sample_covers_all_costs(tmp_path: Path) -> None:
    listed = [SolutionCost("p", "cpp", str(number), float(number)) for number in range(1000)]
    names = [
        int(name) for _, _, name in remaining(listed, tmp_path, max_solutions=52, cost_strata=10)
    ]
    assert {0, 999} <= set(names)
    assert [sum(100 * stratum <= name < 100 * (stratum + 1) for name in names) for stratum in range(10)] == [
        6, *[5] * 8, 6,
    ]  # fmt: skip


def test_unmeasured_solutions_are_a_stratum(tmp_path: Path) -> None:
    listed = [
        SolutionCost("p", "cpp", str(number), float(number) if number < 90 else None)
        for number in range(100)
    ]
    names = [
        int(name) for _, _, name in remaining(listed, tmp_path, max_solutions=24, cost_strata=10)
    ]
    assert sum(name >= 90 for name in names) == 2


def test_seed_and_no_cap(tmp_path: Path) -> None:
    listed = [SolutionCost("p", "cpp", str(number), float(number)) for number in range(100)]
    assert remaining(listed, tmp_path, max_solutions=20, seed=1) != remaining(
        listed, tmp_path, max_solutions=20, seed=2
    )
    assert len(remaining(listed, tmp_path)) == 100
    assert beyond_cap([], make_options(max_solutions=2), tmp_path) == []


def test_problems_below_threshold() -> None:
    dropped = below_threshold(
        {"b": 15, "a": 3, "c": 16, "none": 0}, "cpp", make_options(min_solutions=16)
    )
    reason = "passing solutions in cpp, the threshold is 16: add solutions"
    assert [(row.stage, row.problem, row.reason) for row in dropped] == [
        ("threshold cpp", "a", f"3 {reason}, or type --min-solutions 3"),
        ("threshold cpp", "b", f"15 {reason}, or type --min-solutions 15"),
        ("threshold cpp", "none", f"0 {reason}"),
    ]
    assert below_threshold({"c": 16}, "cpp", make_options()) == []


@pytest.mark.parametrize("most", [2, 3])
def test_extremes_come_first(most: int, tmp_path: Path) -> None:
    listed = [SolutionCost("p", "cpp", str(number), float(number)) for number in range(10)]
    names = {int(name) for _, _, name in remaining(listed, tmp_path, max_solutions=most)}
    assert {0, 9} <= names
    assert len(names) == most
