"""Grades: the worst criterion decides, and few tried programs lower the grade."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest

from venus_toolkit.builders.quality.score import (
    Detection,
    MutantCounts,
    Quality,
    Rate,
    below,
    grade,
)
from venus_toolkit.core.records import TestCase

TESTS = [TestCase(str(n), f"{n}\n", f"{n * n}\n") for n in range(8)]
NONE = Detection(8, Rate(0, 0), MutantCounts())


def quality(
    killed: int = 0, differing: int = 0, refused: int = 0, wrong: int = 0, undecided: int = 0
) -> Quality:
    return Quality(
        slug="p",
        languages=("python",),
        before=NONE,
        after=Detection(8, Rate(refused, wrong), MutantCounts()),
        held_out=MutantCounts(killed + differing + undecided, 0, killed, differing, 0, undecided),
        operators={},
        survivors=(),
        missed=(),
        added=0,
        dropped=0,
        batches=0,
    )


@pytest.mark.parametrize(
    ("problem_quality", "confidence", "letter"),
    [
        (quality(killed=4), 1.0, "A"),
        (quality(killed=20, differing=1), 1.0, "A"),
        (quality(killed=4, differing=1), 1.0, "B"),
        (quality(killed=4, refused=3, wrong=5), 1.0, "C"),
        (quality(killed=4), 0.6, "B"),
        (quality(killed=4), 0.1, "D"),
        (quality(killed=1, differing=3), 1.0, "D"),
    ],
)
def test_worst_criterion_decides_the_grade(
    problem_quality: Quality, confidence: float, letter: str
) -> None:
    graded = grade(problem_quality, confidence, TESTS)
    assert graded.grade == letter
    assert bool(graded.caveats) == (letter != "A")


def letter_and_caveats(
    problem_quality: Quality, confidence: float, tests: Sequence[TestCase]
) -> tuple[str, tuple[str, ...]]:
    graded = grade(problem_quality, confidence, tests)
    return graded.grade, graded.caveats


def test_few_tried_programs_lower_the_grade() -> None:
    assert letter_and_caveats(quality(killed=3), 1.0, TESTS) == (
        "C",
        ("3 wrong programs were tried",),
    )
    assert letter_and_caveats(quality(), 1.0, TESTS) == ("D", ("0 wrong programs were tried",))
    assert letter_and_caveats(quality(killed=4, undecided=1), 1.0, TESTS)[0] == "D", (
        "an undecided survivor leaves no rate"
    )
    assert letter_and_caveats(quality(killed=4), 1.0, TESTS[:3]) == ("C", ("3 tests",))


def test_tests_that_expect_one_output_are_thin() -> None:
    alike = [dataclasses.replace(test, stdout="no\n") for test in TESTS]
    assert letter_and_caveats(quality(killed=9), 1.0, alike) == (
        "D",
        ("all tests expect the same output",),
    )


def test_grades_are_ordered() -> None:
    assert below("C", "B")
    assert not below("B", "B")
    assert not below("A", "D")
