"""Train and test: by problem, seeded, the same whatever else is there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venus_toolkit.builders.split import split

names = st.sets(st.text(min_size=1, max_size=8), max_size=30)
fractions = st.floats(0.01, 0.99)


@given(names, fractions, st.integers())
def test_everybody_is_placed_once_and_both_parts_have_somebody(slugs: set[str], share: float, seed: int) -> None:
    placed = split(slugs, share, seed)
    assert set(placed) == slugs
    assert set(placed.values()) <= {"train", "test"}
    if len(slugs) >= 2:
        assert set(placed.values()) == {"train", "test"}


@given(names, fractions, st.integers())
def test_the_order_of_the_problems_does_not_matter(slugs: set[str], share: float, seed: int) -> None:
    assert split(sorted(slugs), share, seed) == split(sorted(slugs, reverse=True), share, seed)


@pytest.mark.parametrize(
    ("count", "share", "wanted"), [(10, 0.2, 2), (12, 0.2, 2), (13, 0.2, 3), (2, 0.9, 1), (3, 0.01, 1)]
)
def test_the_share_is_kept(count: int, share: float, wanted: int) -> None:
    placed = split([f"p{n}" for n in range(count)], share, 0)
    assert list(placed.values()).count("test") == wanted


def test_nobody_and_one() -> None:
    assert split([], 0.2, 0) == {}
    assert split(["only"], 0.2, 0) == {"only": "train"}


def test_the_seed_decides() -> None:
    slugs = [f"p{n}" for n in range(20)]
    assert split(slugs, 0.5, 0) == split(slugs, 0.5, 0)
    assert split(slugs, 0.5, 0) != split(slugs, 0.5, 1)
