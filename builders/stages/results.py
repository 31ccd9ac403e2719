"""Judges the solutions, measures the accepted ones, and collects the results of each problem.

A canonical solution that has run on every test is not judged again. The accepted solutions of a
problem are measured in interleaved rounds, in all languages on one type of machine.
"""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple

import pyarrow as pa

from venus_toolkit.builders.curation.placement import draw
from venus_toolkit.builders.curation.problems import answers
from venus_toolkit.builders.inputs.make_inputs import ProblemInputs
from venus_toolkit.builders.quality.score import Quality, SolutionTime, separate, true_positives
from venus_toolkit.builders.stages.build_context import BuildContext, Unit
from venus_toolkit.builders.stages.problem_state import ProblemState
from venus_toolkit.builders.stages.step import Step, Where
from venus_toolkit.builders.stages.validate import DISSENTING, condemned
from venus_toolkit.core import __version__, records
from venus_toolkit.core.records import (
    Expectation,
    Judgement,
    Measurement,
    Problem,
    Solution,
    TestCase,
    Verdict,
)
from venus_toolkit.dataset.funnel import DISPUTED
from venus_toolkit.execution.engine import Machine, Worker, on_one_machine
from venus_toolkit.execution.engine.executor import SandboxFailure
from venus_toolkit.execution.engine.work import Measuring
from venus_toolkit.execution.judging.generators import sizes
from venus_toolkit.execution.measuring.complexity import Complexity, Growth
from venus_toolkit.execution.measuring.counting import InstructionCount, counter_facts
from venus_toolkit.execution.measuring.joint import join
from venus_toolkit.execution.measuring.scaling import complexity_of

log = logging.getLogger(__name__)
NOT_ENOUGH = "it fails generated tests that are not enough to call it wrong"
TESTS = "tests"  # the journal's table of the tests of each problem, by their digest


class LanguageResults(NamedTuple):
    """The results of the solutions of one problem in one language, by solution id.

    Attributes:
        judgements: The judgement of each solution that was neither dropped nor left unjudged.
        measurements: The measurements of accepted solutions.
        machine: The type of machine that measured them; empty if this build measured none.
        complexities: How the costs of some accepted solutions grow with the input.
        runs: The journal key of the figures on each test, and the solution ids in their order;
            None if nothing was measured or the plan does not request these figures.
    """

    judgements: Mapping[str, Judgement]
    measurements: Mapping[str, Measurement] = {}
    machine: str = ""
    complexities: Mapping[str, Complexity] = {}
    runs: tuple[str, tuple[str, ...]] | None = None

    @property
    def passing(self) -> list[str]:
        """The solutions that are accepted."""
        return [
            name
            for name, judgement in self.judgements.items()
            if judgement.verdict == Verdict.ACCEPTED
        ]


BySlug = Mapping[str, LanguageResults]


def judge_all(context: BuildContext, states: Sequence[ProblemState], language: str) -> BySlug:
    """Return the judgement of each solution in a language.

    Solutions for which the sandbox failed are dropped, and so are disputed ones.
    """
    by_slug = {state.slug: state for state in states}

    def work(unit: Unit, worker: Worker) -> Judgement | SandboxFailure | None:
        state, name = by_slug[unit.entry.problem.slug], unit.solution.solution_id
        # The votes of a canonical solution usually suffice.
        if judgement := state.judgement(name):
            return judgement
        program = context.program(unit)
        if program is None:
            return None
        suite = context.suite(state.problem, state.tests, language)
        judged = context.executor.judge(
            worker, suite, program, context.batch_lines(unit, state.tests)
        )
        if isinstance(judged, SandboxFailure):
            return judged
        if judged.carries_state:
            context.stateful.add((state.slug, name))
        judgement, expected = judged.judgement, unit.solution.expected
        several = state.problem.comparison.several
        if judgement.verdict not in DISSENTING or condemned(
            [test for test in state.tests if test.test_id == judgement.failing_test],
            state.generation.confidence,
            expected,
            several,
        ):
            return judgement
        # The first failure is not enough to call it wrong; all failures may be.
        verdicts = context.executor.try_tests(
            worker, suite, program, len(suite.tests), lambda all_of_them: [all_of_them]
        )
        if isinstance(verdicts, SandboxFailure):
            return verdicts
        failed = [test for test in state.tests if verdicts.of_each.get(test.test_id) in DISSENTING]
        if condemned(failed, state.generation.confidence, expected, several):
            return judgement
        context.drop(
            DISPUTED,
            state.slug,
            name,
            f"{NOT_ENOUGH}: {judgement.failing_test}: {judgement.reason}",
        )
        return None

    step = Step[Unit, Judgement | None](
        name=f"judge {language}",
        problem=lambda unit: unit.entry.problem.slug,
        subject=lambda unit: unit.solution.solution_id,
        work=work,
    )
    judgements_by_slug: dict[str, dict[str, Judgement]] = {slug: {} for slug in by_slug}
    for unit, judgement in context.results(
        step, [unit for state in states for unit in state.units(language)]
    ):
        if judgement is not None:
            judgements_by_slug[unit.entry.problem.slug][unit.solution.solution_id] = judgement
    return {slug: LanguageResults(judgements) for slug, judgements in judgements_by_slug.items()}


def measure_all(
    context: BuildContext, states: Sequence[ProblemState], judged: BySlug, language: str
) -> BySlug:
    """Return the results with the measurements of accepted solutions.

    Problems with fewer of them than the plan's `min_solutions` are not measured.
    """
    by_slug = {state.slug: state for state in states}
    accepted: dict[str, list[Unit]] = {}
    for slug, state in by_slug.items():
        passing = set(judged[slug].passing)
        units = [unit for unit in state.units(language) if unit.solution.solution_id in passing]
        # Below the threshold, the problem is not published in this language.
        if len(units) >= context.plan.min_solutions:
            accepted[slug] = units
    total = sum(map(len, accepted.values())) * context.plan.measure.repeats
    stage, done = f"measure {language}", count(1)
    if total:
        context.report(stage, 0, total)

    def work(slug: str, worker: Worker) -> LanguageResults | SandboxFailure:
        advance = lambda: context.report(stage, next(done), total)  # noqa: E731
        return _measure_problem(
            context, by_slug[slug], judged[slug], accepted[slug], worker, advance
        )

    step = Step[str, LanguageResults](
        name=stage, problem=lambda slug: slug, work=work, where=Where.PAIRS, counted=False
    )
    measured = dict(context.results(step, list(accepted)))
    return {
        slug: measured.get(slug, judged[slug]._replace(measurements={}, machine="", runs=None))
        for slug in by_slug
    }


def _measure_problem(
    context: BuildContext,
    state: ProblemState,
    judged: LanguageResults,
    units: Sequence[Unit],
    worker: Worker,
    advance: Callable[[], None],
) -> LanguageResults | SandboxFailure:
    plan = context.plan
    solutions = [unit.solution for unit in units]
    replayed = (
        context.replay(solutions[0].language).find(solutions, state.tests) if plan.replay else None
    )
    if replayed:
        for _ in range(len(solutions) * plan.measure.repeats):
            advance()
        measurements = {
            solution.solution_id: measurement
            for solution, measurement in zip(solutions, replayed, strict=True)
        }
        return judged._replace(measurements=measurements, machine="")
    # Every accepted solution has a program; the strict zip below relies on that.
    programs = [program for unit in units if (program := context.program(unit))]
    options = Measuring(plan.measure, each_test=plan.runs)
    suite = context.suite(state.problem, state.tests, solutions[0].language)

    def measure_on(near: Worker, machine: Machine) -> LanguageResults | SandboxFailure:
        result = context.executor.measure(near, suite, programs, options, advance)
        if isinstance(result, SandboxFailure):
            return result
        measurements = {
            solution.solution_id: measurement
            for solution, measurement in zip(solutions, result, strict=True)
        }
        judgements, tests = dict(judged.judgements), suite.measured.tests
        for solution in solutions:
            name = solution.solution_id
            # A failure of a measured run overrides the acceptance.
            judgement = measurements[name].decided(judgements[name])
            if judgement.verdict in DISSENTING and not condemned(
                tests,
                state.generation.confidence,
                solution.expected,
                state.problem.comparison.several,
            ):
                context.drop(DISPUTED, state.slug, name, f"{NOT_ENOUGH}: {judgement.reason}")
                del judgements[name]
            else:
                judgements[name] = judgement
        # Only the key is kept, because the figures on all tests would not fit into memory.
        key = context.executor.measure_key(suite, programs, options, machine) if plan.runs else ""
        return LanguageResults(
            judgements,
            {name: m.total for name, m in measurements.items() if not m.rejection},
            machine.fingerprint,
            runs=(key, tuple(measurements)) if plan.runs else None,
        )

    return on_one_machine(worker.at(state.slug), measure_on)


def measure_until_settled(
    context: BuildContext, states: Sequence[ProblemState], measured: Mapping[str, BySlug]
) -> Mapping[str, BySlug]:
    """Return the results by language; each problem is measured on one type of machine.

    A problem is measured again if the last machine of a type was lost between two languages.
    """
    while True:
        machines: dict[str, set[str]] = defaultdict(set)
        for by_slug in measured.values():
            for slug, results in by_slug.items():
                # Results without a machine (replayed, or none) are compatible with any.
                machines[slug].update({results.machine} - {""})
        mixed = {slug for slug, types in machines.items() if len(types) > 1}
        if not mixed:
            return measured
        log.info("measuring again, on one type of machine: %s", ", ".join(sorted(mixed)))
        some = [state for state in states if state.slug in mixed]
        measured = {
            name: {**by_slug, **measure_all(context, some, by_slug, name)}
            for name, by_slug in measured.items()
        }


def count_all(
    context: BuildContext, states: Sequence[ProblemState], measured: BySlug, language: str
) -> BySlug:
    """Return the results with the instructions of each solution that was measured here."""
    kind = context.plan.counter
    if not counter_facts(kind):
        return measured
    by_slug = {state.slug: state for state in states}
    # Replayed measurements have the counts of their release.
    units = [
        unit
        for slug, state in by_slug.items()
        for unit in state.units(language)
        if measured[slug].machine and unit.solution.solution_id in measured[slug].measurements
    ]

    def work(unit: Unit, worker: Worker) -> tuple[InstructionCount, int | None] | None:
        state, program = by_slug[unit.entry.problem.slug], context.program(unit)
        suite = context.suite(state.problem, state.tests, language).measured
        result = (
            context.executor.count(worker, suite, program, kind, context.plan.runs)
            if program
            else None
        )
        # A solution without a count keeps its other figures.
        if result is None or isinstance(result, SandboxFailure):
            return None
        empty = context.executor.count_empty(worker, suite, context.languages[language], kind)
        return result, None if empty is None else empty * len(suite.tests)

    step = Step[Unit, tuple[InstructionCount, int | None] | None](
        name=f"count {language}",
        problem=lambda unit: unit.entry.problem.slug,
        subject=lambda unit: unit.solution.solution_id,
        work=work,
    )
    measurements = {slug: dict(results.measurements) for slug, results in measured.items()}
    for unit, counted in context.results(step, units):
        if counted:
            mine, name = measurements[unit.entry.problem.slug], unit.solution.solution_id
            total, floor = counted
            mine[name] = replace(
                mine[name],
                instructions=total.instructions,
                instructions_se=total.se,
                floor_instructions=floor,
            )
    return {
        slug: results._replace(measurements=measurements[slug])
        for slug, results in measured.items()
    }


def join_all(measured: BySlug) -> BySlug:
    """Return the results with the joint cost of each measured solution, from its time and count."""
    return {
        slug: results._replace(
            measurements=dict(
                zip(results.measurements, join([*results.measurements.values()]), strict=True)
            )
        )
        for slug, results in measured.items()
    }


def complexities_of_all(
    context: BuildContext, states: Sequence[ProblemState], measured: BySlug, language: str
) -> BySlug:
    """Return the results with the complexity of some measured solutions.

    It needs a counter, and a generator that takes sizes.
    """
    plan = context.plan
    if plan.complexity is False or not (facts := counter_facts(plan.counter)):
        return measured
    by_slug = {state.slug: state for state in states if sizes(state.problem.generator)}
    units: list[Unit] = []
    for slug, state in by_slug.items():
        mine = [
            unit
            for unit in state.units(language)
            if unit.solution.solution_id in measured[slug].measurements
        ]
        mine.sort(key=lambda unit: draw(unit.solution.solution_id, plan.seed))
        units += mine[: plan.complexity_solutions]
    python = context.executor.version(context.languages["python"])

    def depends_on(unit: Unit) -> object:
        program, problem = context.program(unit), by_slug[unit.entry.problem.slug].problem
        identity = context.executor.identity(program) if program else None
        counting = context.languages[language].counting
        return [
            __version__,
            identity,
            counting,
            problem.generator,
            plan.limits(problem.limits, language),
            facts,
            python,
        ]

    def work(unit: Unit, worker: Worker) -> list[Complexity] | SandboxFailure:
        program, problem = context.program(unit), by_slug[unit.entry.problem.slug].problem
        if program is None or problem.generator is None:
            return []
        limits = plan.limits(problem.limits, language)
        result = context.executor.run(
            worker, complexity_of, program, problem.generator, limits, plan.counter
        )
        # As with counts, a solution without a complexity keeps its other figures.
        return [] if result is None or isinstance(result, SandboxFailure) else [result]

    step = Step[Unit, list[Complexity]](
        name=f"complexity {language}",
        problem=lambda unit: unit.entry.problem.slug,
        subject=lambda unit: unit.solution.solution_id,
        work=work,
        depends_on=depends_on,
        plain=records.to_plain,
        read=lambda rows: [Complexity(Growth(growth), *rest) for growth, *rest in rows],
    )
    complexities: dict[str, dict[str, Complexity]] = defaultdict(dict)
    for unit, fits in context.results(step, units):
        for fit in fits:
            complexities[unit.entry.problem.slug][unit.solution.solution_id] = fit
    return {
        slug: results._replace(complexities=complexities.get(slug, {}))
        for slug, results in measured.items()
    }


@dataclass(frozen=True, slots=True)
class ProblemResults:
    """The results of a problem; its solutions and tests stay on disk.

    Attributes:
        problem: The problem, with the generator, validator and evaluator in use.
        generation: How its inputs were made, without the inputs.
        tests: The journal key of its tests.
        test_count: The number of its tests.
        answers: Digests of inputs and outputs: columns slug, input, output.
        quality: The quality of the tests; None if the build does not examine them.
        results: The results of each language.
        unexpected: The solutions whose verdict contradicts their label, by language and id.
    """

    problem: Problem
    generation: ProblemInputs
    tests: str
    test_count: int
    answers: pa.Table
    quality: Quality | None
    results: Mapping[str, LanguageResults]
    unexpected: Mapping[str, Mapping[str, str]]


def finish_problem(
    context: BuildContext, state: ProblemState, results: Mapping[str, LanguageResults]
) -> ProblemResults:
    """Journal the tests of a problem and return the rest; `results` are by language."""
    key = records.digest(list(state.tests))
    if not context.store.has(TESTS, key):
        context.store.put(TESTS, key, records.to_plain(list(state.tests)))
    solutions = {name: [unit.solution for unit in state.units(name)] for name in results}
    costs = []
    # Judgements from votes cover the languages that this build does not judge.
    verdicts = {
        solution.solution_id: judgement.verdict
        for solution in state.entry.solutions
        if (judgement := state.judgement(solution.solution_id))
    }
    for name, language_results in results.items():
        judgements, measurements = language_results.judgements, language_results.measurements
        verdicts |= {
            solution_id: judgement.verdict for solution_id, judgement in judgements.items()
        }
        for solution in solutions[name]:
            judgement = judgements.get(solution.solution_id)
            measurement = measurements.get(solution.solution_id)
            # A solution that exceeds the time limit costs more than all others.
            too_slow = judgement is not None and judgement.verdict == Verdict.TIME_LIMIT
            cpu_ns = measurement.cpu_ns if measurement else math.inf if too_slow else None
            if cpu_ns is not None:
                costs.append(SolutionTime(solution.language, solution.expected, cpu_ns))
    return ProblemResults(
        problem=state.problem,
        # Without the inputs, because the results of all problems stay in memory until the end.
        generation=state.generation._replace(tests=()),
        tests=key,
        test_count=len(state.tests),
        answers=answers({state.slug: state.tests}),
        quality=state.quality
        and replace(
            state.quality,
            separation=separate(costs),
            positive=true_positives(state.entry.solutions, verdicts),
        ),
        results=results,
        unexpected={
            name: unexpected(solutions[name], language_results.judgements)
            for name, language_results in results.items()
        },
    )


def unexpected(
    solutions: Iterable[Solution], judgements: Mapping[str, Judgement]
) -> dict[str, str]:
    """Return the solutions whose verdict contradicts their label, with a description."""
    expected_verdicts = {
        Expectation.ACCEPTED: Verdict.ACCEPTED,
        Expectation.WRONG: Verdict.WRONG_ANSWER,
        Expectation.SLOW: Verdict.TIME_LIMIT,
    }
    mismatches = {}
    for solution in solutions:
        judgement = judgements.get(solution.solution_id)
        if (
            judgement
            and solution.expected in expected_verdicts
            and judgement.verdict != expected_verdicts[solution.expected]
        ):
            test, reason = judgement.failing_test, judgement.reason
            mismatches[solution.solution_id] = (
                f"labelled {solution.expected}, is {judgement.verdict}"
                + (f": {reason} ({test})" if test else "")
            )
    return mismatches


def read_tests(context: BuildContext, finished: ProblemResults) -> list[TestCase]:
    """Return the tests of a finished problem."""
    return [records.from_plain(TestCase, test) for test in context.store.get(TESTS, finished.tests)]
