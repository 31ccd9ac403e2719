"""Suites: one for each problem and language as long as it is in use, and not all of a build at once."""

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


def test_large_tests_of_earlier_problems_are_let_go() -> None:
    before = [weakref.ref(suite_of(name, of_size(name, MIB), RULES)) for name in "efghijklmnopqrst"]
    held = [each for each in before if each()]
    assert held == before[-(SUITES_BYTES // (8 * MIB) - 1) :]


def test_tests_that_several_languages_share_count_once() -> None:
    shared = of_size("c", 2 * MIB)
    suites = [
        suite_of("thrice", shared, Rules(Limits(wall_ns=n), OutputComparison(), None))
        for n in range(1, 8)
    ]
    assert [suite_of("thrice", shared, each.rules) is each for each in suites] == [True] * 7


def test_what_is_larger_than_all_that_may_be_held_is_held_alone() -> None:
    largest = of_size("d", 6 * MIB)
    assert suite_of("most", largest, RULES) is suite_of("most", largest, RULES)


def test_no_more_are_held_however_small_they_are() -> None:
    before = [
        weakref.ref(suite_of(f"small {number}", of_size("e", 1), RULES))
        for number in range(3 * SUITES)
    ]
    assert [bool(each()) for each in before] == [False] * 2 * SUITES + [True] * SUITES


def test_inputs_are_those_of_the_tests() -> None:
    inputs = EncodedInputs((TestCase("1", "7\n"), TestCase("2", "é\n"), TestCase("3", "")))
    assert list(inputs) == [b"7\n", b"\xc3\xa9\n", b""]
    assert (len(inputs), inputs[-1], list(inputs[1:])) == (3, b"", [b"\xc3\xa9\n", b""])
    assert list(inputs[3:]) == []
