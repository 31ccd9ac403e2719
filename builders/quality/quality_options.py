"""Options of the examination of tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from venus_toolkit.builders.quality.score import GRADES
from venus_toolkit.core.options import NOT_NEGATIVE, check_bounds, one_of


@dataclass(frozen=True, slots=True)
class QualityOptions:
    """Options for examining, improving and reducing tests.

    Attributes:
        languages: Languages of the mutants; empty: the first of `cheapest` in which the problem has
            solutions.
        cheapest: Languages by the cost of a mutant, cheapest first.
        wrong: Maximum number of known wrong solutions to try for each problem, over all languages,
            sampled at random.
        mutants: Mutants for each problem and language.
        held_out: Additional mutants that steer neither the search for tests nor the choice among
            them; they are only counted, for the grade of a problem.
        pool: Inputs on which survivors are compared with their parents; 0: survivors stay
            undecided.
        batches: Maximum number of batches of additional inputs to try; 0: no test is added.
        batch: Inputs in each batch.
        patience: Stop after this many batches in a row without a new kill.
        rounds: Rounds in which a model, if one is configured, looks for gaps in a problem's tests;
            0: none.
        targeted: Maximum number of literal inputs to try from an answer, and of inputs from its
            generator.
        programs: Maximum number of plausible but wrong programs to try from an answer.
        reduce: Whether to drop redundant tests.
        depth: Number of tests that kill each mutant after `reduce`, if as many killed it before.
        largest: Number of largest inputs that are always kept.
        at_least: Smallest number of tests that `reduce` leaves.
        keep_given: Whether tests that came with the problem are always kept.
        min_grade: Problems whose tests have a worse grade are dropped; D keeps all.
        seed: Seed of the mutants, the pool and the batches.

    Raises:
        UsageError: A value is out of bounds.
    """

    languages: tuple[str, ...] = ()
    cheapest: tuple[str, ...] = ("python", "cpp")
    wrong: Annotated[int, NOT_NEGATIVE] = 50
    mutants: Annotated[int, NOT_NEGATIVE] = 4
    held_out: Annotated[int, NOT_NEGATIVE] = 4
    pool: Annotated[int, NOT_NEGATIVE] = 24
    batches: Annotated[int, NOT_NEGATIVE] = 2
    batch: Annotated[int, NOT_NEGATIVE] = 20
    patience: Annotated[int, NOT_NEGATIVE] = 1
    rounds: Annotated[int, NOT_NEGATIVE] = 3
    targeted: Annotated[int, NOT_NEGATIVE] = 12
    programs: Annotated[int, NOT_NEGATIVE] = 3
    reduce: bool = True
    depth: Annotated[int, NOT_NEGATIVE] = 2
    largest: Annotated[int, NOT_NEGATIVE] = 3
    at_least: Annotated[int, NOT_NEGATIVE] = 12
    keep_given: bool = True
    min_grade: Annotated[str, one_of(*GRADES)] = "D"
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse values out of bounds."""
        check_bounds(self, "see docs/quality.md")
