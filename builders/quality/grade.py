"""A grade for each problem, by what its tests were shown to do: A to D, and in words what keeps it from a better one.

Four things are asked, and the worst of them is the grade:

- how many of the held-out mutants, which no choice of tests used, the tests kill;
- how many of the known wrong programs they refuse;
- how sure it is that the inputs are allowed (the confidence of the generator; 1 where the problem brings its own);
- whether there was enough to try: fewer than `ENOUGH` wrong programs show little, none shows nothing.

Tests that all expect the same output tell hardly anything apart, whatever they kill. A problem graded D is called thin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from venus_toolkit.builders.quality.score import GRADES, THIN, Quality, Rate
from venus_toolkit.core.records import TestCase

ENOUGH = 4  # wrong programs that have been tried: mutants that were held out, and known ones
FEW_TESTS = 5
# The least that makes an A, a B, a C.
DETECTED = (0.95, 0.8, 0.5)
CONFIDENT = (0.9, 0.5, 0.25)


class Grade(NamedTuple):
    """The grade of a problem's tests, and why it is not A."""

    letter: str
    reasons: tuple[str, ...] = ()


def grade(quality: Quality, confidence: float, tests: Sequence[TestCase]) -> Grade:
    """Return what the tests of a problem were shown to be worth; `confidence` is that of their generator."""
    held_out, wrong = quality.held_out.rate, quality.after.wrong
    tried = held_out.n + wrong.n
    found = [
        (_level(confidence, CONFIDENT), f"confidence {confidence:g} that its inputs are allowed"),
        (_of_rate(held_out), f"{held_out.hits} of {held_out.n} held-out mutants killed"),
        (_of_rate(wrong), f"{wrong.hits} of {wrong.n} known wrong programs refused"),
    ]
    if tried < ENOUGH:
        found.append(("C" if tried else THIN, f"{tried} wrong programs were tried"))
    if len(tests) < FEW_TESTS:
        found.append(("C", f"{len(tests)} tests"))
    if len(tests) > 1 and len({test.stdout for test in tests}) == 1:
        found.append((THIN, "all tests expect the same output"))
    worst = max((letter for letter, _ in found), key=GRADES.index)
    return Grade(worst, tuple(why for letter, why in found if letter != GRADES[0]))


def below(letter: str, least: str) -> bool:
    """Whether a grade is worse than the least that is wanted."""
    return GRADES.index(letter) > GRADES.index(least)


def _of_rate(rate: Rate) -> str:
    # Nothing to take a share of is no fault of the tests: that too little was tried is counted once, above.
    return GRADES[0] if rate.value is None else _level(rate.value, DETECTED)


def _level(value: float, least: Sequence[float]) -> str:
    return next((letter for letter, bound in zip(GRADES, least, strict=False) if value >= bound), THIN)
