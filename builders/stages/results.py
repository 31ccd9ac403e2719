"""What becomes of the solutions.

A verdict on each, what the accepted ones cost, and what a build remembers of it all.

A canonical solution has run on every test already and is not judged again. The accepted ones of a
problem are measured in rounds over all of them, on one type of machine in all languages.
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
TESTS = "tests"  # in the journal: the tests of a problem, by their digest


class LanguageResults(NamedTuple):
    """What became of the solutions of one problem in one language, by their ids.

    machine is the type of machine that measured them; empty where none was measured, or none in
    this build. complexities are how the costs of some accepted solutions grow with the input. runs
    is the key under which the journal has their figures on each test, and their ids in the order
    there; None where none was measured, or the plan does not ask for them.
    """

    judgements: Mapping[str, Judgement]
    measurements: Mapping[str, Measurement] = {}
    machine: str = ""
    complexities: Mapping[str, Complexity] = {}
    runs: tuple[str, tuple[str, ...]] | None = None

    @property
    def passing(self) -> list[str]:
        """The solutions that are accepted."""
        return [name for name, each in self.judgements.items() if each.verdict == Verdict.ACCEPTED]


BySlug = Mapping[str, LanguageResults]


def judge_all(context: BuildContext, states: Sequence[ProblemState], language: str) -> BySlug:
    """Return the judgement of each solution in a language.

    One that the sandbox failed at is dropped.
    """
    by_slug = {state.slug: state for state in states}

    def work(unit: Unit, worker: Worker) -> Judgement | SandboxFailure | None:
        state, name = by_slug[unit.entry.problem.slug], unit.solution.solution_id
        # None: it is not canonical, or was not run on every test.
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
            state.made.confidence,
            expected,
            several,
        ):
            return judgement
        # What it failed first is not enough to call it wrong: whether all that it fails is.
        said = context.executor.try_tests(
            worker, suite, program, len(suite.tests), lambda all_of_them: [all_of_them]
        )
        if isinstance(said, SandboxFailure):
            return said
        failed = [test for test in state.tests if said.of_each.get(test.test_id) in DISSENTING]
        if condemned(failed, state.made.confidence, expected, several):
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
    found: dict[str, dict[str, Judgement]] = {slug: {} for slug in by_slug}
    for unit, judgement in context.results(
        step, [unit for state in states for unit in state.units(language)]
    ):
        if judgement is not None:
            found[unit.entry.problem.slug][unit.solution.solution_id] = judgement
    return {slug: LanguageResults(judgements) for slug, judgements in found.items()}


def measure_all(
    context: BuildContext, states: Sequence[ProblemState], judged: BySlug, language: str
) -> BySlug:
    """Return the results with what each accepted solution costs, of problems that have enough of them."""
    by_slug = {state.slug: state for state in states}
    accepted: dict[str, list[Unit]] = {}
    for slug, state in by_slug.items():
        passing = set(judged[slug].passing)
        units = [unit for unit in state.units(language) if unit.solution.solution_id in passing]
        # Below the threshold a problem is not published in this language: its figures would be for
        # nothing.
        if len(units) >= context.plan.min_solutions:
            accepted[slug] = units
    total = sum(map(len, accepted.values())) * context.plan.measure.repeats
    stage, done = f"measure {language}", count(1)
    if total:
        context.report(stage, 0, total)

    def work(slug: str, worker: Worker) -> LanguageResults | SandboxFailure:
        advance = lambda: context.report(stage, next(done), total)  # noqa: E731
        return _measured(context, by_slug[slug], judged[slug], accepted[slug], worker, advance)

    step = Step[str, LanguageResults](
        name=stage, problem=lambda slug: slug, work=work, where=Where.PAIRS, counted=False
    )
    measured = dict(context.results(step, list(accepted)))
    return {
        slug: measured.get(slug, judged[slug]._replace(measurements={}, machine="", runs=None))
        for slug in by_slug
    }


def _measured(
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
        by_id = {each.solution_id: one for each, one in zip(solutions, replayed, strict=True)}
        return judged._replace(measurements=by_id, machine="")
    # Each has one, for it was accepted; the strict zip below relies on that.
    programs = [program for unit in units if (program := context.program(unit))]
    how = Measuring(plan.measure, each_test=plan.runs)
    suite = context.suite(state.problem, state.tests, solutions[0].language)

    def measured(near: Worker, machine: Machine) -> LanguageResults | SandboxFailure:
        found = context.executor.measure(near, suite, programs, how, advance)
        if isinstance(found, SandboxFailure):
            return found
        by_id = {each.solution_id: one for each, one in zip(solutions, found, strict=True)}
        # One that was accepted and failed a test while it was measured is not accepted.
        final = {name: one.decided(judged.judgements[name]) for name, one in by_id.items()}
        tests, expected = (
            suite.measured.tests,
            {each.solution_id: each.expected for each in solutions},
        )
        judgements = dict(judged.judgements)
        for name, judgement in final.items():
            if judgement.verdict in DISSENTING and not condemned(
                tests, state.made.confidence, expected[name], state.problem.comparison.several
            ):
                context.drop(DISPUTED, state.slug, name, f"{NOT_ENOUGH}: {judgement.reason}")
                del judgements[name]
            else:
                judgements[name] = judgement
        # Only where they are is remembered: all figures on all tests would not fit into memory.
        key = context.executor.measure_key(suite, programs, how, machine) if plan.runs else ""
        return LanguageResults(
            judgements,
            {name: one.total for name, one in by_id.items() if not one.rejection},
            machine.fingerprint,
            runs=(key, tuple(by_id)) if plan.runs else None,
        )

    return on_one_machine(worker.at(state.slug), measured)


def measure_until_settled(
    context: BuildContext, states: Sequence[ProblemState], measured: Mapping[str, BySlug]
) -> Mapping[str, BySlug]:
    """Return the results in every language, by language, each problem's all measured on one type of machine.

    They are not where the last machine of a type was lost between two languages: then the earlier
    ones are done again.
    """
    while True:
        machines: dict[str, set[str]] = defaultdict(set)
        for found in measured.values():
            for slug, results in found.items():
                # Figures without a machine (replayed, or none) go with those of any other.
                machines[slug].update({results.machine} - {""})
        mixed = {slug for slug, types in machines.items() if len(types) > 1}
        if not mixed:
            return measured
        log.info("measuring again, on one type of machine: %s", ", ".join(sorted(mixed)))
        some = [state for state in states if state.slug in mixed]
        measured = {
            name: {**found, **measure_all(context, some, found, name)}
            for name, found in measured.items()
        }


def count_all(
    context: BuildContext, states: Sequence[ProblemState], measured: BySlug, language: str
) -> BySlug:
    """Return the results with the instructions of each solution that was measured here."""
    kind = context.plan.counter
    if not counter_facts(kind):
        return measured
    by_slug = {state.slug: state for state in states}
    # What was replayed has the counts of the release that it comes from.
    units = [
        unit
        for slug, state in by_slug.items()
        for unit in state.units(language)
        if measured[slug].machine and unit.solution.solution_id in measured[slug].measurements
    ]

    def work(unit: Unit, worker: Worker) -> tuple[InstructionCount, int | None] | None:
        state, program = by_slug[unit.entry.problem.slug], context.program(unit)
        suite = context.suite(state.problem, state.tests, language).measured
        found = (
            context.executor.count(worker, suite, program, kind, context.plan.runs)
            if program
            else None
        )
        # The solution has its other figures: a null says enough.
        if found is None or isinstance(found, SandboxFailure):
            return None
        empty = context.executor.count_empty(worker, suite, context.languages[language], kind)
        return found, None if empty is None else empty * len(suite.tests)

    step = Step[Unit, tuple[InstructionCount, int | None] | None](
        name=f"count {language}",
        problem=lambda unit: unit.entry.problem.slug,
        subject=lambda unit: unit.solution.solution_id,
        work=work,
    )
    found = {slug: dict(results.measurements) for slug, results in measured.items()}
    for unit, counted in context.results(step, units):
        if counted:
            mine, name = found[unit.entry.problem.slug], unit.solution.solution_id
            total, floor = counted
            mine[name] = replace(
                mine[name],
                instructions=total.instructions,
                instructions_se=total.se,
                floor_instructions=floor,
            )
    return {slug: results._replace(measurements=found[slug]) for slug, results in measured.items()}


def join_all(measured: BySlug) -> BySlug:
    """Return the results with the joint cost of each measured solution, by its time and its count."""
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
    """Return the results with how the costs of some measured solutions grow, where the generator takes sizes."""
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
        found = context.executor.run(
            worker, complexity_of, program, problem.generator, limits, plan.counter
        )
        # As with counts: of what the sandbox failed at nothing is known, and a null says enough.
        return [] if found is None or isinstance(found, SandboxFailure) else [found]

    step = Step[Unit, list[Complexity]](
        name=f"complexity {language}",
        problem=lambda unit: unit.entry.problem.slug,
        subject=lambda unit: unit.solution.solution_id,
        work=work,
        depends_on=depends_on,
        plain=records.to_plain,
        read=lambda kept: [Complexity(Growth(growth), *rest) for growth, *rest in kept],
    )
    found: dict[str, dict[str, Complexity]] = defaultdict(dict)
    for unit, fits in context.results(step, units):
        for fit in fits:
            found[unit.entry.problem.slug][unit.solution.solution_id] = fit
    return {
        slug: results._replace(complexities=found.get(slug, {}))
        for slug, results in measured.items()
    }


@dataclass(frozen=True, slots=True)
class ProblemResults:
    """A problem of which everything is known: the figures; programs and tests lie on disk.

    Attributes:
        problem: With the programs that were used.
        made: How its inputs were made; the inputs themselves are left out.
        tests: Under which key its tests are journalled.
        test_count: How many they are.
        answers: Digests of inputs and outputs: columns slug, input, output.
        quality: How good the tests are.
        results: By language.
        unexpected: The solutions that are not what they were said to be, by language and id.
    """

    problem: Problem
    made: ProblemInputs
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
    voted = {each.solution_id: state.judgement(each.solution_id) for each in state.entry.solutions}
    verdicts = {name: judgement.verdict for name, judgement in voted.items() if judgement}
    for name, found in results.items():
        verdicts |= {solution_id: each.verdict for solution_id, each in found.judgements.items()}
        for each in solutions[name]:
            judgement, cost = (
                found.judgements.get(each.solution_id),
                found.measurements.get(each.solution_id),
            )
            # One that was refused for its time costs more than all others.
            refused = judgement is not None and judgement.verdict == Verdict.TIME_LIMIT
            cpu_ns = cost.cpu_ns if cost else math.inf if refused else None
            if cpu_ns is not None:
                costs.append(SolutionTime(each.language, each.expected, cpu_ns))
    return ProblemResults(
        problem=state.problem,
        # A build holds one of these for each problem until the end: inputs and tests stay on disk.
        made=state.made._replace(tests=()),
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
            name: unexpected(solutions[name], found.judgements) for name, found in results.items()
        },
    )


def unexpected(
    solutions: Iterable[Solution], judgements: Mapping[str, Judgement]
) -> dict[str, str]:
    """Return the solutions that are not what they were said to be."""
    wanted = {
        Expectation.ACCEPTED: Verdict.ACCEPTED,
        Expectation.WRONG: Verdict.WRONG_ANSWER,
        Expectation.SLOW: Verdict.TIME_LIMIT,
    }
    found = {}
    for solution in solutions:
        judgement = judgements.get(solution.solution_id)
        if (
            judgement
            and solution.expected in wanted
            and judgement.verdict != wanted[solution.expected]
        ):
            why = (
                f": {judgement.reason} ({judgement.failing_test})" if judgement.failing_test else ""
            )
            found[solution.solution_id] = (
                f"labelled {solution.expected}, is {judgement.verdict}{why}"
            )
    return found


def read_tests(context: BuildContext, finished: ProblemResults) -> list[TestCase]:
    """Return the tests of a finished problem."""
    return [records.from_plain(TestCase, test) for test in context.store.get(TESTS, finished.tests)]
