"""Examines tests with mutants and known wrong solutions: adds useful ones, drops the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from venus_toolkit.builders.curation.placement import draw
from venus_toolkit.builders.quality.assess import Examination
from venus_toolkit.builders.quality.feedback import ModelFeedback
from venus_toolkit.builders.quality.kills import ProblemPrograms
from venus_toolkit.builders.quality.score import below, grade
from venus_toolkit.builders.stages.agreement import count_votes, drops_of, vote
from venus_toolkit.builders.stages.build_context import BuildContext, Unit
from venus_toolkit.builders.stages.problem_state import ProblemState
from venus_toolkit.builders.stages.step import Step
from venus_toolkit.builders.stages.witnesses import disputed_tests, without_tests
from venus_toolkit.core.records import Expectation, TestCase, Verdict
from venus_toolkit.dataset.funnel import Dropped
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import SandboxFailure

STAGE = "quality"


def examine(context: BuildContext, states: Sequence[ProblemState]) -> list[ProblemState]:
    """Return the problems with only their useful tests, and with these tests' quality, in order.

    Problems whose grade is below the plan's are dropped.
    """

    def drops(state: ProblemState, examined: ProblemState) -> Iterator[Dropped]:
        kept_ids = {test.test_id for test in examined.tests}
        reason = "the other tests kill every program that it kills"
        for test in state.tests:
            if test.test_id not in kept_ids:
                yield Dropped(STAGE, state.slug, test.test_id, reason)
        yield from drops_of(examined)

    step = Step[ProblemState, ProblemState](
        name=STAGE,
        problem=lambda state: state.slug,
        work=partial(_examine_problem, context),
        drops=drops,
    )
    results = {state.slug: examined for state, examined in context.results(step, states)}
    good_states, least = {}, context.plan.quality.min_grade
    for slug, examined in results.items():
        quality = examined.quality
        if quality and below(quality.grade, least):
            reason = (
                f"its tests have grade {quality.grade}, required is {least}: "
                f"{'; '.join(quality.caveats)}"
            )
            context.drop(STAGE, slug, slug, reason)
        else:
            good_states[slug] = examined
    return [good_states[state.slug] for state in states if state.slug in good_states]


def _examine_problem(context: BuildContext, state: ProblemState, worker: Worker) -> ProblemState:
    problem, solutions, options = state.problem, state.entry.solutions, context.plan.quality
    judgements = {name: state.judgement(name) for name in (s.solution_id for s in solutions)}
    verdicts = {name: judgement.verdict for name, judgement in judgements.items() if judgement}
    trusted = [
        solution for solution in solutions if verdicts.get(solution.solution_id) == Verdict.ACCEPTED
    ]
    # Wrong solutions of all installed languages, because builds of different languages share the
    # tests.
    installed = context.executor.languages
    wrong = [
        solution
        for solution in solutions
        if solution.expected == Expectation.WRONG and solution.language in installed
    ]
    wrong = sorted(wrong, key=lambda solution: draw(solution.solution_id, options.seed))[
        : options.wrong
    ]
    grown = state

    def agree(more: Sequence[TestCase]) -> tuple[TestCase, ...]:
        """Return the new inputs on which all canonical solutions agree and no witness disputes.

        Returns an empty tuple if the new votes would drop an earlier test.
        """
        nonlocal grown
        # All voters need a vote on every input: a solution for which the sandbox fails here loses
        # its earlier votes, too.
        votes = {}
        for solution in solutions:
            if (name := solution.solution_id) in grown.votes:
                new_votes = vote(context, Unit(grown.entry, solution), more, worker)
                if new_votes and not isinstance(new_votes, SandboxFailure):
                    votes[name] = [*grown.votes[name], *new_votes]
        larger = count_votes(
            context, replace(grown, inputs=(*grown.inputs, *more), votes=votes), worker
        )
        # The examination assumes that its tests stay, so it refuses inputs that would drop one.
        if not {test.test_id for test in grown.tests} <= {test.test_id for test in larger.tests}:
            return ()
        new_ids = {test.test_id for test in more}
        new = [test for test in larger.tests if test.test_id in new_ids]
        disputed = disputed_tests(context, larger, new, worker) if new else {}
        grown = without_tests(larger, {**grown.disputed, **disputed})
        return tuple(test for test in new if test.test_id not in disputed)

    programs = ProblemPrograms(
        context.executor, worker, problem, partial(context.plan.limits, problem.limits)
    )
    feedback = ModelFeedback(context.model, options) if context.model and options.rounds else None
    examination = Examination(programs, [*trusted, *wrong], options, feedback).run(
        state.tests, agree
    )
    quality = grade(examination.quality, state.generation.confidence, examination.tests)
    return replace(
        grown, agreement=replace(grown.agreement, tests=examination.tests), quality=quality
    )
