"""How thoroughly tests are examined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from venus_toolkit.builders.quality.score import GRADES
from venus_toolkit.core.options import NOT_NEGATIVE, check_bounds, one_of


@dataclass(frozen=True, slots=True)
class QualityOptions:
    """Everything that decides how tests are examined, improved and thinned out.

    Attributes:
        languages: In which languages mutants are made; empty: in the first of `cheapest` that a
            problem is solved in.
        cheapest: Languages in the order of what a mutant costs.
        wrong: So many of the known wrong solutions of a problem are tried, in all languages, chosen
            by lot.
        mutants: Mutants for each problem and language.
        held_out: As many more that neither steer the search for tests nor the choice among them;
            they are only counted, and the grade of a problem rests on them.
        pool: Inputs on which survivors are compared with their parents; 0: survivors stay
            undecided.
        batches: How many batches of more inputs are tried at most; 0: no test is added.
        batch: Inputs in each batch.
        patience: Stop after so many batches in a row without a new kill.
        rounds: Answers in which a model, where there is one, attacks what a problem's tests miss;
            0: it is not asked.
        targeted: Inputs of an answer that are tried at most, as they are and of its generator each.
        programs: Plausible wrong programs of an answer that are tried at most.
        reduce: Whether tests that are not needed are dropped.
        depth: A mutant stays killed by so many tests where it was killed by as many.
        largest: So many of the largest inputs are always kept.
        at_least: Fewer tests than this are not left over.
        keep_given: Tests that came with the problem are never dropped.
        min_grade: Problems whose tests have a worse grade are left out; D keeps all.
        seed: Of the mutants, of the pool and of the batches.

    Raises:
        UsageError: A value is out of its bounds.
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
        """Refuse values out of their bounds."""
        check_bounds(self, "see docs/quality.md")
