"""Selects the published problems, their splits and solutions, from the results of all problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pyarrow as pa

from venus_toolkit.builders.curation.decontamination import leaking_problems
from venus_toolkit.builders.curation.placement import place
from venus_toolkit.builders.curation.problems import below_threshold, equal_behaviour
from venus_toolkit.builders.curation.stratified_sample import SolutionCost, beyond_cap
from venus_toolkit.builders.plan import REFERENCE
from venus_toolkit.builders.stages.build_context import BuildContext
from venus_toolkit.builders.stages.ingest import IngestedSource
from venus_toolkit.builders.stages.results import ProblemResults, read_tests
from venus_toolkit.builders.stages.step import Step, Where
from venus_toolkit.dataset.funnel import Dropped
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.judging.generators import reproducible
from venus_toolkit.execution.measuring.ranking import ranking_key


class SelectedSolutions(NamedTuple):
    """The published problems and solutions.

    Attributes:
        placements: The split of each remaining problem.
        ranks: The cost that ranks the solutions, by language.
        published: The slugs of the published problems, by language.
        sampled: The solutions left out by the cap, by language and slug.
        references: The tests of each problem that are published without their input, which the
            generator reproduces.
    """

    placements: Mapping[str, str]
    ranks: Mapping[str, str]
    published: Mapping[str, list[str]]
    sampled: Mapping[tuple[str, str], frozenset[str]]
    references: Mapping[str, frozenset[str]]


def select(
    context: BuildContext, ingested: IngestedSource, finished: Mapping[str, ProblemResults]
) -> SelectedSolutions:
    """Drop problems that answer alike, leak or lack solutions; place and sample the others."""
    options, previous = context.plan.curation, ingested.placements
    remaining = dict(finished)

    def forget(dropped: Iterable[Dropped]) -> None:
        for row in dropped:
            context.drop(*row)
            remaining.pop(row.problem, None)

    with context.stage("select"):
        if len(remaining) > 1:
            answered = pa.concat_tables(
                [problem_results.answers for problem_results in remaining.values()]
            )
            # The first of several equal problems stays, so those of the earlier release come first.
            order = sorted(
                remaining,
                key=lambda slug: (
                    slug not in (previous or {}),
                    remaining[slug].problem.problem_id,
                    slug,
                ),
            )
            forget(equal_behaviour(answered, order, options, context.scratch))
        # All problems are placed, so that the split does not depend on the languages of the build.
        placements = place(
            (problem_results.problem for problem_results in remaining.values()), options, previous
        )
        # This follows the placement, because a leak is an overlap with a problem of the test split.
        forget(leaking_problems(ingested.staged, placements, options, context.scratch))
        placements = {slug: part for slug, part in placements.items() if slug in remaining}
        ranks: dict[str, str] = {}
        published: dict[str, list[str]] = {}
        sampled: dict[tuple[str, str], frozenset[str]] = {}
        for name in context.plan.lang:
            ranks[name] = _rank(context, remaining.values(), name)
            passing = {
                slug: len(problem_results.results[name].passing)
                for slug, problem_results in remaining.items()
            }
            few = set()
            for row in below_threshold(passing, name, options):
                context.drop(*row)
                few.add(row.problem)  # in this language only
            published[name] = [slug for slug in remaining if slug not in few]
            sampled |= _beyond_cap(
                context, [remaining[slug] for slug in published[name]], name, ranks[name]
            )
    return SelectedSolutions(
        placements, ranks, published, sampled, _find_references(context, remaining)
    )


def _rank(context: BuildContext, finished: Iterable[ProblemResults], language: str) -> str:
    """Return the cost that ranks the solutions in a language.

    With ``auto`` it is ``joint`` (time and instructions) if any were counted, else ``relative``
    time on a noisy machine, else ``absolute`` time.
    """
    if context.plan.rank != "auto":
        return context.plan.rank
    measurements = [
        measurement
        for problem_results in finished
        for measurement in problem_results.results[language].measurements.values()
    ]
    if any(measurement.instructions is not None for measurement in measurements):
        return "joint"
    # Relative time is divided by the time of a reference program, which cancels machine drift.
    noisy = sum(bool(measurement.noise) for measurement in measurements)
    most_noisy = 0.10  # share of noisy measurements; above it, wall times rank the machine
    return "relative" if noisy > most_noisy * len(measurements) else "absolute"


def _beyond_cap(
    context: BuildContext, published: Iterable[ProblemResults], language: str, rank: str
) -> dict[tuple[str, str], frozenset[str]]:
    costs = []
    for problem_results in published:
        language_results = problem_results.results[language]
        for name in language_results.passing:
            measurement = language_results.measurements.get(name)
            cost = ranking_key(measurement, "time", rank) if measurement else None
            costs.append(SolutionCost(problem_results.problem.slug, language, name, cost))
    beyond: dict[tuple[str, str], frozenset[str]] = {}
    for row in beyond_cap(costs, context.plan.curation, context.scratch):
        context.drop(*row)
        key = language, row.problem
        beyond[key] = beyond.get(key, frozenset()) | {row.item}
    return beyond


def _find_references(
    context: BuildContext, finished: Mapping[str, ProblemResults]
) -> dict[str, frozenset[str]]:
    """Return for each problem the tests to publish without their large inputs.

    The problem's generator reproduces these inputs byte for byte. If the sandbox failed, all inputs
    are published.
    """
    none = dict.fromkeys(finished, frozenset[str]())
    if context.plan.large_inputs != REFERENCE:
        return none
    executor, large_bytes = context.executor, context.plan.large_input_bytes

    def work(problem_results: ProblemResults, worker: Worker) -> list[str]:
        large = [
            test
            for test in read_tests(context, problem_results)
            if len(test.stdin.encode("utf-8", "replace")) > large_bytes
        ]
        return sorted(
            reproducible(executor.sandbox, large, problem_results.problem.generator, worker.cores)
        )

    python = executor.version(context.languages["python"])
    step = Step[ProblemResults, list[str]](
        name="reference",
        problem=lambda problem_results: problem_results.problem.slug,
        work=work,
        where=Where.HERE,
        depends_on=lambda problem_results: [
            problem_results.tests,
            problem_results.problem.generator,
            large_bytes,
            python,
            executor.sandbox.name,
        ],
    )
    results = context.results(step, list(finished.values()))
    return none | {problem_results.problem.slug: frozenset(ids) for problem_results, ids in results}
