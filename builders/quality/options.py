"""How thoroughly tests are examined."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QualityOptions:
    """Everything that decides how tests are examined, improved and thinned out.

    Attributes:
        languages: In which languages mutants are made; empty: in the first of `cheapest` that a problem is solved in.
        cheapest: Languages in the order of what a mutant costs.
        wrong: So many of the known wrong solutions of a problem are tried, in all languages, chosen by lot.
        mutants: Mutants for each problem and language.
        held_out: As many more that neither steer the search for tests nor the choice among them; they are only counted.
        pool: Inputs on which survivors are compared with their parents; 0: survivors stay undecided.
        batches: How many batches of more inputs are tried at most; 0: no test is added.
        batch: Inputs in each batch.
        patience: Stop after so many batches in a row without a new kill.
        reduce: Whether tests that are not needed are dropped.
        depth: A mutant stays killed by so many tests where it was killed by as many.
        largest: So many of the largest inputs are always kept.
        at_least: Fewer tests than this are not left over.
        keep_given: Tests that came with the problem are never dropped.
        seed: Of the mutants, of the pool and of the batches.
    """

    languages: tuple[str, ...] = ()
    cheapest: tuple[str, ...] = ("python", "cpp")
    wrong: int = 50
    mutants: int = 8
    held_out: int = 0
    pool: int = 24
    batches: int = 2
    batch: int = 20
    patience: int = 1
    reduce: bool = True
    depth: int = 2
    largest: int = 3
    at_least: int = 12
    keep_given: bool = True
    seed: int = 0
