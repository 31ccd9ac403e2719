"""What a build remembers of a problem when its work is done: the figures; programs and tests lie on disk."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import pyarrow as pa

from venus_toolkit.builders.case import Case
from venus_toolkit.builders.curation.behaviour import answers
from venus_toolkit.builders.facts import unexpected
from venus_toolkit.builders.generation.inputs import Inputs
from venus_toolkit.builders.quality.score import Cost, Quality, separate
from venus_toolkit.builders.stages.measuring import Figures
from venus_toolkit.builders.workshop import Workshop, tests_digest
from venus_toolkit.records import Judgement, Measurement, Problem, TestCase, Verdict, from_plain, to_plain

STAGE = "tests"


class Results(NamedTuple):
    """What became of the solutions of one problem in one language, by their ids; `unexpected` says what surprises.

    machine is the type of machine that the measurements are of; empty where there are none, or none of this build.
    """

    judgements: Mapping[str, Judgement]
    measurements: Mapping[str, Measurement]
    unexpected: Mapping[str, str]
    machine: str = ""

    @property
    def passing(self) -> list[str]:
        """The solutions that are accepted."""
        return [name for name, each in self.judgements.items() if each.verdict == Verdict.ACCEPTED]


@dataclass(frozen=True, slots=True)
class Finished:
    """A problem of which everything is known.

    Attributes:
        problem: With the programs that were used.
        made: How its inputs were made; the inputs themselves are left out.
        tests: Under which key its tests are journalled.
        test_count: How many they are.
        answers: Digests of inputs and outputs: columns slug, input, output.
        quality: How good the tests are.
        results: By language.
    """

    problem: Problem
    made: Inputs
    tests: str
    test_count: int
    answers: pa.Table
    quality: Quality | None
    results: Mapping[str, Results]


def results_of(case: Case, language: str, judgements: Mapping[str, Judgement], figures: Figures) -> Results:
    """Return what is remembered of a problem's solutions in one language."""
    solutions = [unit.solution for unit in case.units(language)]
    return Results(judgements, figures.of_each, unexpected(solutions, judgements), figures.machine)


def finish_case(shop: Workshop, case: Case, results: Mapping[str, Results]) -> Finished:
    """Journal the tests of a problem and return the rest."""
    key = tests_digest(case.tests)
    if not shop.store.has(STAGE, key):
        shop.store.put(STAGE, key, to_plain(list(case.tests)))
    quality = case.quality and replace(case.quality, separation=separate(_costs(case, results)))
    made = case.made._replace(tests=())
    return Finished(case.problem, made, key, len(case.tests), answers({case.slug: case.tests}), quality, results)


def read_tests(shop: Workshop, finished: Finished) -> list[TestCase]:
    """Return the tests of a finished problem."""
    return [from_plain(TestCase, test) for test in shop.store.get(STAGE, finished.tests)]


def _costs(case: Case, results: Mapping[str, Results]) -> list[Cost]:
    """Return what each judged solution costs; one that was refused for its time costs more than all others."""
    costs = []
    for solution in case.entry.solutions:
        found = results.get(solution.language)
        name = solution.solution_id
        measured = found and found.measurements.get(name)
        refused = found and name in found.judgements and found.judgements[name].verdict == Verdict.TIME_LIMIT
        cpu_ns = measured.cpu_ns if measured else math.inf if refused else None
        if cpu_ns is not None:
            costs.append(Cost(solution.language, solution.expected, cpu_ns))
    return costs
