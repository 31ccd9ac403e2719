"""The roles of tests, which select those on which programs are measured."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from venus_toolkit.builders.release_rows import problem_row, rows_of_tests
from venus_toolkit.core.records import (
    CORRECTNESS,
    EFFICIENCY,
    Limits,
    OutputComparison,
    Problem,
    TestCase,
    measured_tests,
)
from venus_toolkit.dataset.columns import TESTS
from venus_toolkit.execution.judging.checker import Rules
from venus_toolkit.execution.judging.generators import read_tests
from venus_toolkit.execution.judging.suite import Suite

TINY = TestCase("tiny-1", "1\n", "2\n", size="tiny", seed=1, role=CORRECTNESS, adds="coverage")
MAX = TestCase("max-1", "9\n", "18\n", size="max", seed=1, role=EFFICIENCY, adds="cost")
PLAIN = TestCase("small-1", "3\n", "6\n", size="small", seed=1)
RULES = Rules(Limits(), OutputComparison(), None)


@pytest.mark.parametrize(
    ("tests", "measured"),
    [
        ([TINY, MAX], [MAX]),
        ([PLAIN, MAX], [MAX]),
        ([TINY, PLAIN], [TINY, PLAIN]),
        ([PLAIN], [PLAIN]),
        ([], []),
    ],
)
def test_efficiency_tests_are_measured(tests: list[TestCase], measured: list[TestCase]) -> None:
    assert list(measured_tests(tests)) == measured
    assert list(Suite("twice", tuple(tests), RULES).measured.tests) == measured


def test_reseeded_tests_follow_their_roles() -> None:
    other = tuple(replace(test, stdin="7\n") for test in (TINY, MAX, PLAIN))
    suite = Suite("twice", (TINY, MAX, PLAIN), RULES, reseeded=(other, other))
    assert suite.measured.reseeded == ((other[1],), (other[1],))
    assert suite.measured.measured is suite.measured


def test_roles_survive_a_release() -> None:
    problem = Problem(
        "twice", 1, "Twice", "", "Easy", (), "stdin", "user", "MIT", Limits(), OutputComparison()
    )
    row = problem_row(problem, "python", Limits(), [TINY, MAX, PLAIN], [], {})
    assert read_tests(row["test_cases"]) == [TINY, MAX, PLAIN]
    # Tests without a role have no such field.
    assert "role" not in json.loads(row["test_cases"])[2]
    rows = list(rows_of_tests(problem, "derived", [TINY, PLAIN]))
    assert [(test_row["role"], test_row["adds"]) for test_row in rows] == [
        (CORRECTNESS, "coverage"),
        (None, None),
    ]
    assert set(rows[0]) == set(TESTS.names)
