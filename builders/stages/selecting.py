"""What is published, and where: after everything ran, by what the solutions did and cost."""

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
    """placements: the split of each problem that stays; ranks: by what each language is ranked.

    published: the slugs of each language, in order; sampled: the solutions beyond the cap, by
    language and slug;
    references: the tests of each problem whose inputs are left out.
    """

    placements: Mapping[str, str]
    ranks: Mapping[str, str]
    published: Mapping[str, list[str]]
    sampled: Mapping[tuple[str, str], frozenset[str]]
    references: Mapping[str, frozenset[str]]


def select(
    context: BuildContext, ingested: IngestedSource, finished: Mapping[str, ProblemResults]
) -> SelectedSolutions:
    """Drop problems that answer alike, leak or lack solutions, sample what is left, and place it."""
    options, previous = context.plan.curation, ingested.placements
    left = dict(finished)

    def forget(dropped: Iterable[Dropped]) -> None:
        for row in dropped:
            context.drop(*row)
            left.pop(row.problem, None)

    with context.stage("select"):
        if len(left) > 1:
            answered = pa.concat_tables([each.answers for each in left.values()])
            # Of problems that answer alike the first stays: what the earlier release has, it keeps.
            order = sorted(
                left,
                key=lambda slug: (
                    slug not in (previous or {}),
                    left[slug].problem.problem_id,
                    slug,
                ),
            )
            forget(equal_behaviour(answered, order, options, context.scratch))
        # Every problem is placed, whatever languages are built: its split is the same in all of
        # them.
        placements = place((each.problem for each in left.values()), options, previous)
        # After placing: what leaks is what overlaps with a problem of the test split.
        forget(leaking_problems(ingested.staged, placements, options, context.scratch))
        placements = {slug: part for slug, part in placements.items() if slug in left}
        ranks: dict[str, str] = {}
        published: dict[str, list[str]] = {}
        sampled: dict[tuple[str, str], frozenset[str]] = {}
        for name in context.plan.lang:
            ranks[name] = _rank(context, left.values(), name)
            passing = {slug: len(each.results[name].passing) for slug, each in left.items()}
            few = set()
            for row in below_threshold(passing, name, options):
                context.drop(*row)
                few.add(row.problem)  # of this language only: another may have enough
            published[name] = [slug for slug in left if slug not in few]
            sampled |= _beyond_cap(
                context, [left[slug] for slug in published[name]], name, ranks[name]
            )
    return SelectedSolutions(placements, ranks, published, sampled, _references(context, left))


def _rank(context: BuildContext, finished: Iterable[ProblemResults], language: str) -> str:
    """Return how solutions are ranked.

    By time and count together where something was counted, else by relative time on a noisy
    machine, and by wall time on a quiet one.
    """
    if context.plan.rank != "auto":
        return context.plan.rank
    measured = [m for each in finished for m in each.results[language].measurements.values()]
    if any(each.instructions is not None for each in measured):
        return "joint"
    # Relative time is a ratio to the reference program run beside it: drift of the machine cancels
    # out.
    noisy = sum(bool(m.noise) for m in measured)
    # Of the measurements; with more of them noisy, wall times rank the machine, not the programs
    noisy_share = 0.10
    return "relative" if noisy > noisy_share * len(measured) else "absolute"


def _beyond_cap(
    context: BuildContext, published: Iterable[ProblemResults], language: str, rank: str
) -> dict[tuple[str, str], frozenset[str]]:
    costs = []
    for each in published:
        found = each.results[language]
        for name in found.passing:
            measured = found.measurements.get(name)
            cost = ranking_key(measured, "time", rank) if measured else None
            costs.append(SolutionCost(each.problem.slug, language, name, cost))
    beyond: dict[tuple[str, str], frozenset[str]] = {}
    for row in beyond_cap(costs, context.plan.curation, context.scratch):
        context.drop(*row)
        key = language, row.problem
        beyond[key] = beyond.get(key, frozenset()) | {row.item}
    return beyond


def _references(
    context: BuildContext, finished: Mapping[str, ProblemResults]
) -> dict[str, frozenset[str]]:
    """Return for each problem the tests whose large inputs are left out.

    Its generator makes them again to the byte. Where the sandbox failed at that, none is left out.
    """
    none = dict.fromkeys(finished, frozenset[str]())
    if context.plan.large_inputs != REFERENCE:
        return none
    executor, most = context.executor, context.plan.large_input_bytes

    def work(each: ProblemResults, worker: Worker) -> list[str]:
        large = [
            test
            for test in read_tests(context, each)
            if len(test.stdin.encode("utf-8", "replace")) > most
        ]
        return sorted(reproducible(executor.sandbox, large, each.problem.generator, worker.cores))

    python = executor.version(context.languages["python"])
    step = Step[ProblemResults, list[str]](
        name="reference",
        problem=lambda each: each.problem.slug,
        work=work,
        where=Where.HERE,
        depends_on=lambda each: [
            each.tests,
            each.problem.generator,
            most,
            python,
            executor.sandbox.name,
        ],
    )
    found = context.results(step, list(finished.values()))
    return none | {each.problem.slug: frozenset(ids) for each, ids in found}
