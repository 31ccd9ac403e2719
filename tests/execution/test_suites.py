"""The cache of suites: equal suites are one object, and the cache is bounded."""

from __future__ import annotations

import weakref

from venus_toolkit.core.records import MIB, Limits, OutputComparison, TestCase
from venus_toolkit.execution.judging.checker import Rules
from venus_toolkit.execution.judging.suite import SUITES, SUITES_BYTES, EncodedInputs, suite_of

RULES = Rules(Limits(), OutputComparison(), None)
SLOWER = Rules(Limits(wall_ns=7), OutputComparison(), None)


def of_size(name: str, size: int) -> tuple[TestCase, ...]:
    return tuple(TestCase(f"max-{number}", name * size, "1\n") for number in range(8))


def test_the_same_tests_and_rules_are_one_suite() -> None:
    first = suite_of("twice", of_size("a", 1), RULES)
    assert suite_of("twice", of_size("a", 1), RULES) is first
    assert suite_of("twice", of_size("a", 1), SLOWER) is not first
    assert suite_of("twice", of_size("b", 1), RULES) is not first


def test_large_earlier_suites_are_evicted() -> None:
    before = [weakref.ref(suite_of(name, of_size(name, MIB), RULES)) for name in "efghijklmnopqrst"]
    cached = [reference for reference in before if reference()]
    assert cached == before[-(SUITES_BYTES // (8 * MIB) - 1) :]


def test_shared_tests_count_once() -> None:
    shared = of_size("c", 2 * MIB)
    suites = [
        suite_of("thrice", shared, Rules(Limits(wall_ns=n), OutputComparison(), None))
        for n in range(1, 8)
    ]
    assert [suite_of("thrice", shared, suite.rules) is suite for suite in suites] == [True] * 7


def test_suite_above_the_limit_is_cached_alone() -> None:
    largest = of_size("d", 6 * MIB)
    assert suite_of("most", largest, RULES) is suite_of("most", largest, RULES)


def test_number_of_suites_is_limited() -> None:
    before = [
        weakref.ref(suite_of(f"small {number}", of_size("e", 1), RULES))
        for number in range(3 * SUITES)
    ]
    assert [bool(reference()) for reference in before] == [False] * 2 * SUITES + [True] * SUITES


def test_inputs_are_those_of_the_tests() -> None:
    inputs = EncodedInputs((TestCase("1", "7\n"), TestCase("2", "é\n"), TestCase("3", "")))
    assert list(inputs) == [b"7\n", b"\xc3\xa9\n", b""]
    assert (len(inputs), inputs[-1], list(inputs[1:])) == (3, b"", [b"\xc3\xa9\n", b""])
    assert list(inputs[3:]) == []
