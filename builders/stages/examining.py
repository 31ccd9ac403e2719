"""Examines tests by mutants and known wrong solutions, adds useful ones, drops the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from venus_toolkit.builders.curation.placement import draw
from venus_toolkit.builders.quality.assess import Examination
from venus_toolkit.builders.quality.feedback import ModelFeedback
from venus_toolkit.builders.quality.kills import ProblemPrograms
from venus_toolkit.builders.quality.score import below, grade
from venus_toolkit.builders.stages.agreement import count, drops_of, vote
from venus_toolkit.builders.stages.build_context import BuildContext, Unit
from venus_toolkit.builders.stages.problem_state import ProblemState
from venus_toolkit.builders.stages.step import Step
from venus_toolkit.builders.stages.witnesses import spoken_against, without
from venus_toolkit.core.records import Expectation, TestCase, Verdict
from venus_toolkit.dataset.funnel import Dropped
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import SandboxFailure

STAGE = "quality"


def examine(context: BuildContext, states: Sequence[ProblemState]) -> list[ProblemState]:
    """Return the problems with the tests that are worth keeping, and how good these are, in the order given."""

    def drops(state: ProblemState, examined: ProblemState) -> Iterator[Dropped]:
        kept = {test.test_id for test in examined.tests}
        reason = "the other tests kill every program that it kills"
        for test in state.tests:
            if test.test_id not in kept:
                yield Dropped(STAGE, state.slug, test.test_id, reason)
        yield from drops_of(examined)

    step = Step[ProblemState, ProblemState](
        name=STAGE, problem=lambda state: state.slug, work=partial(_examined, context), drops=drops
    )
    found = {state.slug: examined for state, examined in context.results(step, states)}
    good, least = {}, context.plan.quality.min_grade
    for slug, examined in found.items():
        quality = examined.quality
        if quality and below(quality.grade, least):
            why = (
                f"its tests have grade {quality.grade}, required is {least}: "
                f"{'; '.join(quality.caveats)}"
            )
            context.drop(STAGE, slug, slug, why)
        else:
            good[slug] = examined
    return [good[state.slug] for state in states if state.slug in good]


def _examined(context: BuildContext, state: ProblemState, worker: Worker) -> ProblemState:
    problem, solutions, options = state.problem, state.entry.solutions, context.plan.quality
    judged = {each.solution_id: state.judgement(each.solution_id) for each in solutions}
    verdicts = {name: judgement.verdict for name, judgement in judged.items() if judgement}
    trusted = [each for each in solutions if verdicts.get(each.solution_id) == Verdict.ACCEPTED]
    # Wrong ones in all languages that are here: the tests must not depend on the languages that are
    # built.
    here = context.executor.languages
    wrong = [
        each for each in solutions if each.expected == Expectation.WRONG and each.language in here
    ]
    wrong = sorted(wrong, key=lambda each: draw(each.solution_id, options.seed))[: options.wrong]
    grown = state

    def agree(more: Sequence[TestCase]) -> tuple[TestCase, ...]:
        """Return the inputs on which all canonical solutions agree.

        None if an agreed test were lost by them.

        Those that witnesses speak against are left out.
        """
        nonlocal grown
        # All votes have to be of one length: a solution that the sandbox fails at here has no vote
        # at all any more.
        votes = {}
        for solution in solutions:
            if (name := solution.solution_id) in grown.votes:
                said = vote(context, Unit(grown.entry, solution), more, worker)
                if said and not isinstance(said, SandboxFailure):
                    votes[name] = [*grown.votes[name], *said]
        larger = count(context, replace(grown, inputs=(*grown.inputs, *more), votes=votes), worker)
        # The examination relies on the tests that it was given: inputs whose votes would cost one
        # of them are refused.
        if not {test.test_id for test in grown.tests} <= {test.test_id for test in larger.tests}:
            return ()
        asked = {test.test_id for test in more}
        new = [test for test in larger.tests if test.test_id in asked]
        disputed = spoken_against(context, larger, new, worker) if new else {}
        grown = without(larger, {**grown.disputed, **disputed})
        return tuple(test for test in new if test.test_id not in disputed)

    bench = ProblemPrograms(
        context.executor, worker, problem, partial(context.plan.limits, problem.limits)
    )
    feedback = ModelFeedback(context.model, options) if context.model and options.rounds else None
    found = Examination(bench, [*trusted, *wrong], options, feedback).run(state.tests, agree)
    quality = grade(found.quality, state.made.confidence, found.tests)
    return replace(grown, agreement=replace(grown.agreement, tests=found.tests), quality=quality)
