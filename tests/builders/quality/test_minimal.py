"""The minimal set keeps every kill, and its size is close to the optimum."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venus_toolkit.builders.quality.assess import BATCH_SEED, Examination
from venus_toolkit.builders.quality.kills import InputRequest
from venus_toolkit.builders.quality.minimal import minimal_set
from venus_toolkit.builders.quality.quality_options import QualityOptions
from venus_toolkit.core.records import TestCase

BARE = QualityOptions(depth=1, largest=0, at_least=0)


def case(name: str, stdin: str = "x", size: str | None = None, kind: str = "generated") -> TestCase:
    return TestCase(name, stdin, "", kind, size)


def names(tests: tuple[TestCase, ...]) -> list[str]:
    return [test.test_id for test in tests]


# ------------------------------------------------------------------ against brute force

MATRICES = st.dictionaries(
    st.sampled_from("pqrstuv"), st.sets(st.sampled_from("abcdef")), max_size=7
)


def kills_everything(kills: dict[str, set[str]], chosen: set[str], depth: int) -> bool:
    return all(len(ids & chosen) >= min(depth, len(ids)) for ids in kills.values())


@given(MATRICES, st.integers(1, 3))
def test_minimal_set_keeps_kills_without_redundancy(kills: dict[str, set[str]], depth: int) -> None:
    tests = [case(name, size="s") for name in "abcdef"]
    options = QualityOptions(depth=depth, largest=0, at_least=0)
    chosen = set(names(minimal_set(kills, tests, options)))
    assert kills_everything(kills, chosen, depth)
    fixed = names(minimal_set({}, tests, options))
    needless = [name for name in chosen if kills_everything(kills, chosen - {name}, depth)]
    assert len(needless) <= len(fixed), "one test of the size class always stays"


@given(MATRICES)
def test_greedy_set_is_within_its_bound(kills: dict[str, set[str]]) -> None:
    tests = [case(name) for name in "abcdef"]
    fits = (
        n
        for n in range(7)
        for some in combinations("abcdef", n)
        if kills_everything(kills, set(some), 1)
    )
    smallest = next(fits)
    harmonic = sum(1 / k for k in range(1, len(kills) + 1))
    # the size class None always keeps one test
    assert len(minimal_set(kills, tests, BARE)) <= max(smallest * harmonic, smallest) + 1


# ------------------------------------------------------------------ fixed tests, and ties


def test_the_largest_and_one_of_each_size_class_stay() -> None:
    tests = [
        case("a", "1", "small"),
        case("b", "22", "small"),
        case("c", "333", "large"),
        case("d", "4444", "large"),
    ]
    chosen = minimal_set({}, tests, QualityOptions(depth=1, largest=1, at_least=0))
    assert names(chosen) == ["a", "d"]


def test_given_tests_stay_by_default() -> None:
    tests = [case("a", kind="given"), case("b", "xx", kind="given"), case("c", "xxx")]
    assert names(minimal_set({}, tests, BARE)) == ["a", "b"]
    assert names(
        minimal_set({}, tests, QualityOptions(depth=1, largest=0, at_least=0, keep_given=False))
    ) == ["a"]


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        ([case("a", "long"), case("b", "s")], ["b"]),
        ([case("b", "s"), case("a", "s")], ["a"]),
    ],
)
def test_ties_go_to_smaller_input_then_id(tests: list[TestCase], expected: list[str]) -> None:
    assert names(minimal_set({"m": {"a", "b"}}, tests, BARE)) == expected


def test_depth_keeps_more_than_one_killer() -> None:
    kills = {"m": {"a", "b", "c"}, "n": {"c"}}
    tests = [case(name) for name in "abc"]
    assert (
        names(minimal_set(kills, tests, BARE)) == ["c"] or len(minimal_set(kills, tests, BARE)) == 2
    )
    assert len(minimal_set(kills, tests, QualityOptions(depth=2, largest=0, at_least=0))) == 2


def test_at_least_fills_up_the_set() -> None:
    tests = [case(name) for name in "abcdef"]
    assert names(minimal_set({}, tests, QualityOptions(depth=1, largest=0, at_least=4))) == [
        "a",
        "b",
        "c",
        "d",
    ]


# ------------------------------------------------------------------ more tests


class Problem(Examination):
    """A problem whose programs each die on the batch that `dies` gives for them."""

    def __init__(self, dies: dict[str, int | None], refused: tuple[str, ...] = ()) -> None:
        self.dies = dies
        self.refused = refused
        self.asked: list[str] = []
        self.dead: list[str] = []
        self.batches = 0
        self.bench: Any = SimpleNamespace(inputs=self.inputs)

    def suspect(self, batch: InputRequest, names: object) -> dict[str, tuple[str, ...]]:
        return {
            name: (f"t{self.batches}",)
            for name, number in self.dies.items()
            if number == self.batches
        }

    def inputs(self, batch: InputRequest) -> list[TestCase]:
        assert batch.seed == BATCH_SEED + batch.count * self.batches
        return [case(f"t{self.batches}"), case(f"useless{self.batches}", "longer")]

    def killed(self, tests: Sequence[TestCase], names: Sequence[str]) -> dict[str, set[str]]:
        self.dead += names
        return {name: {test.test_id for test in tests} for name in names}

    def agree(self, inputs: Sequence[TestCase]) -> list[TestCase]:
        tests = [test for test in inputs if test.test_id not in self.refused]
        self.asked += [test.test_id for test in tests]
        return tests

    def improved(self, **options: int) -> tuple[list[str], list[str], int]:
        self.options = QualityOptions(**{"batches": 9, "patience": 2, **options})  # type: ignore[arg-type]
        added = self.improve(list(self.dies))
        return names(added), sorted(self.dead), self.batches


def test_only_inputs_that_kill_are_added() -> None:
    problem = Problem({"m": 0, "n": 1})
    assert problem.improved() == (["t0", "t1"], ["m", "n"], 2)
    assert problem.asked == ["t0", "t1"], "agreement is expensive: ask only about killing inputs"


def test_search_stops_after_patience() -> None:
    assert Problem({"m": None}).improved() == ([], [], 2)
    assert Problem({"m": 0, "n": None}).improved() == (["t0"], ["m"], 3)
    assert Problem({"m": 2, "n": None}).improved(patience=3) == (["t2"], ["m"], 6)


def test_search_without_programs_or_batches_ends_at_once() -> None:
    assert Problem({}).improved() == ([], [], 0)
    assert Problem({"m": 0}).improved(batches=0) == ([], [], 0)


def test_number_of_batches_is_bounded() -> None:
    assert Problem({"m": 5}).improved(batches=3, patience=9) == ([], [], 3)


def test_disputed_input_is_not_added() -> None:
    assert Problem({"m": 0}, refused=("t0",)).improved() == ([], [], 2)
