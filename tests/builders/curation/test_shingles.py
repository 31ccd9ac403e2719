"""Shingles: exact Jaccard index, its estimate by signatures, recall of bands, stable hashes."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from venus_toolkit.builders.curation.shingles import (
    BINS,
    Banding,
    choose_banding,
    fingerprint,
    jaccard,
)

lists_of_words = st.lists(st.lists(st.sampled_from("abcdef"), max_size=12), min_size=1, max_size=6)
ONE_A_BIN = Banding(BINS, 1)


def block(lists: list[list[str]]) -> pa.ListArray:
    return pa.array(lists, pa.list_(pa.string()))


def shingles_of(words: list[str], size: int) -> set[tuple[str, ...]]:
    """Return the runs of `size` words: one shorter run for fewer words, none for no words."""
    return (
        {tuple(words[i : i + size]) for i in range(max(len(words) - size + 1, 1))}
        if words
        else set()
    )


def exact(left: list[str], right: list[str], size: int) -> float:
    one, two = shingles_of(left, size), shingles_of(right, size)
    return len(one & two) / len(one | two) if one | two else 1.0


@settings(deadline=None)
@given(lists_of_words, st.integers(1, 6))
def test_jaccard_matches_definition(lists: list[list[str]], size: int) -> None:
    prints = fingerprint(block(lists), size, ONE_A_BIN)
    reversed_prints = fingerprint(block(lists[::-1]), size, ONE_A_BIN)
    index = jaccard(prints.shingles, reversed_prints.shingles)
    assert index == pytest.approx(
        [exact(a, b, size) for a, b in zip(lists, lists[::-1], strict=True)]
    )


@settings(deadline=None)
@given(lists_of_words)
def test_digests_are_equal_for_equal_lists(lists: list[list[str]]) -> None:
    digests = fingerprint(block(lists), 3, ONE_A_BIN).digest.to_pylist()
    for one, mine in zip(lists, digests, strict=True):
        for two, theirs in zip(lists, digests, strict=True):
            assert (one == two) == (mine == theirs)


@settings(deadline=None)
@given(lists_of_words, st.integers(0, 3))
def test_prints_do_not_depend_on_block(lists: list[list[str]], skip: int) -> None:
    whole = fingerprint(block(lists), 3, Banding(16, 8))
    part = fingerprint(block([["x", "y"]] * skip + lists)[skip:], 3, Banding(16, 8))
    assert whole.digest.equals(part.digest)
    assert whole.shingles.equals(part.shingles)
    assert whole.bands.equals(part.bands)


def numbers(rng: random.Random, count: int) -> list[str]:
    return [str(rng.randrange(10**9)) for _ in range(count)]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(30, 800), st.floats(0, 1))
def test_signatures_estimate_jaccard(seed: int, size: int, share: float) -> None:
    """Bound: five standard deviations of the share of equal bins, sqrt(J(1 - J)/BINS) <= 0.045."""
    rng = random.Random(seed)
    common = numbers(rng, round(size * share))
    pair = [common + numbers(rng, size - len(common)) for _ in range(2)]
    prints = fingerprint(block(pair), 1, ONE_A_BIN)
    bins = [np.array(row) for row in prints.bands.to_pylist()]
    index = jaccard(prints.shingles[:1], prints.shingles[1:])[0]
    assert np.mean(bins[0] == bins[1]) == pytest.approx(index, abs=0.25)


def test_signatures_are_unbiased() -> None:
    rng = random.Random(7)
    errors = []
    for _ in range(60):
        common = numbers(rng, 100)
        pair = [common + numbers(rng, 40) for _ in range(2)]
        prints = fingerprint(block(pair), 1, ONE_A_BIN)
        bins = [np.array(row) for row in prints.bands.to_pylist()]
        errors.append(
            np.mean(bins[0] == bins[1]) - jaccard(prints.shingles[:1], prints.shingles[1:])[0]
        )
    assert abs(np.mean(errors)) < 0.03


@pytest.mark.parametrize("words", [3, 10, 40, 300])
def test_bands_of_a_list_are_distinct(words: int) -> None:
    """Empty bins are filled from full ones, but a short list must not repeat a band."""
    bands = (
        fingerprint(block([numbers(random.Random(words), words)]), 2, Banding(16, 8))
        .bands[0]
        .as_py()
    )
    assert len(set(bands)) == 16


@pytest.mark.parametrize("threshold", [0.5, 0.7, 0.8, 0.9, 0.95, 1.0])
def test_banding_recall(threshold: float) -> None:
    banding = choose_banding(threshold)
    assert banding.bands * banding.rows <= BINS
    assert banding.recall(threshold) >= 0.999
    assert threshold < 0.7 or banding.recall(threshold - 0.5) < 0.2


@pytest.mark.parametrize(
    ("fold", "same"),
    [((), False), (("literals",), False), (("words",), False), (("literals", "words"), True)],
)
def test_folded_tokens_are_equal(fold: tuple[str, ...], same: bool) -> None:
    pair = [["x", "=", "12", '"a b"', "'", "#"], ["total", "=", "7", "r'c'", "'", "#"]]
    digests = fingerprint(block(pair), 2, ONE_A_BIN, fold).digest.to_pylist()
    assert (digests[0] == digests[1]) == same


def test_prints_are_stable() -> None:
    """A build compares fingerprints with those of an earlier release.

    Change these figures only together with `VERSION` of the staging module.
    """
    prints = fingerprint(block([["print", "(", "1", ")"], []]), 3, Banding(2, 8))
    assert prints.digest.to_pylist() == [DIGEST, 0]
    assert prints.shingles.to_pylist() == [SHINGLES, []]


DIGEST = 4875793067623015525
SHINGLES = [1310017362, 1707742744]
