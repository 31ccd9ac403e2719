"""Uses solutions outside the panel as witnesses for tests in doubt.

If the toolkit did not understand a statement in full, generated inputs may break its promises.
Canonical solutions that are translations of one another may still agree on such inputs, and correct
solutions would then be rejected. Therefore other solutions run on these tests, too. Those that pass
all given tests are witnesses. A generated test is dropped if a single witness labelled accepted
gives another answer, or if more than a quarter of the unlabelled witnesses do. If unlabelled
witnesses dispute many tests, all tests of the generator are dropped, unless several answers are
right: then the inputs may be valid. Tests that the next stage adds to kill mutants are checked in
the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from venus_toolkit.builders.inputs.make_inputs import InputOptions, confidence_of_given
from venus_toolkit.builders.stages.agreement import STAGE, panel, uninformative
from venus_toolkit.builders.stages.build_context import BuildContext, Unit
from venus_toolkit.builders.stages.problem_state import ProblemState
from venus_toolkit.builders.stages.step import Step
from venus_toolkit.builders.stages.validate import DISSENTING, FULL
from venus_toolkit.core.records import Expectation, TestCase, Verdict
from venus_toolkit.dataset.funnel import BELOW, DISPUTED
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import SandboxFailure
from venus_toolkit.execution.engine.work import Verdicts

FEWEST = 3  # unlabelled witnesses; fewer decide nothing
NOT_BELIEVED = (
    f"{DISPUTED}: its generator makes inputs on which many solutions that pass the given "
    "tests answer otherwise"
)


def discard_disputed_tests(
    context: BuildContext, states: Sequence[ProblemState]
) -> list[ProblemState]:
    """Return the problems without the tests that witnesses dispute.

    Problems without a test, or whose tests all expect one output, are dropped.
    """
    in_doubt = {
        state.slug: state
        for state in states
        if (state.generation.confidence < FULL or state.problem.comparison.several)
        and not all(map(_given, state.tests))
    }

    def work(unit: Unit, worker: Worker) -> Verdicts | SandboxFailure | None:
        state = in_doubt[unit.entry.problem.slug]
        return _try_tests(context, state, unit, state.tests, worker)

    candidates: list[Unit] = []
    # Dissimilar solutions per problem and label: with fewer, a quarter is weak evidence.
    most_candidates = 32
    for state in in_doubt.values():
        without_vote = [
            Unit(state.entry, solution)
            for solution in state.entry.solutions
            if solution.language in context.executor.languages
            and solution.solution_id not in state.votes
        ]
        labelled = [u for u in without_vote if u.solution.expected == Expectation.ACCEPTED]
        unlabelled = [u for u in without_vote if u.solution.expected == Expectation.UNKNOWN]
        candidates += panel(context, labelled, most_candidates)
        # Only given tests show which unlabelled solutions are correct.
        checkable = state.problem.comparison.several or any(map(_given, state.tests))
        if len(unlabelled) >= FEWEST and checkable:
            candidates += panel(context, unlabelled, most_candidates)
    step = Step[Unit, Verdicts | None](
        name=STAGE,
        problem=lambda unit: unit.entry.problem.slug,
        subject=lambda unit: unit.solution.solution_id,
        work=work,
    )
    verdicts_by_slug: dict[str, dict[str, Verdicts]] = {state.slug: {} for state in states}
    for unit, verdicts in context.results(step, candidates):
        if verdicts is not None:
            verdicts_by_slug[unit.entry.problem.slug][unit.solution.solution_id] = verdicts
    undisputed = []
    for state in states:
        updated = _apply_witnesses(state, verdicts_by_slug[state.slug], context.plan.generation)
        for test_id, reason in updated.disputed.items():
            context.drop(STAGE, state.slug, test_id, reason)
        reason = "" if updated.tests else "no test is left"
        if updated.generation.confidence < context.plan.generation.min_confidence:
            reason = f"{BELOW}: {NOT_BELIEVED}"
        if updated.disputed and (reason := reason or uninformative(updated)):
            context.drop(STAGE, state.slug, state.slug, reason)
        else:
            undisputed.append(updated)
    return undisputed


def _given(test: TestCase) -> bool:
    return test.kind == "given"


def _try_tests(
    context: BuildContext,
    state: ProblemState,
    unit: Unit,
    tests: Sequence[TestCase],
    worker: Worker,
) -> Verdicts | SandboxFailure | None:
    """Return the verdicts of a solution on tests of a problem; None if it has no runner."""
    program = context.program(unit)
    if program is None:
        return None
    suite = context.suite(state.problem, tests, unit.solution.language)
    return context.executor.try_tests(
        worker, suite, program, len(suite.tests), lambda all_of_them: [all_of_them]
    )


def _apply_witnesses(
    state: ProblemState, verdicts_by_id: Mapping[str, Verdicts], options: InputOptions
) -> ProblemState:
    """Return a problem with its witnesses and without the tests that they dispute."""
    given_ids = [test.test_id for test in state.tests if _given(test)]
    witnesses = {
        name: verdicts
        for name, verdicts in verdicts_by_id.items()
        if all(verdicts.of_each.get(test_id) == Verdict.ACCEPTED for test_id in given_ids)
        # A program that fails on every input is broken itself.
        and Verdict.ACCEPTED in verdicts.of_each.values()
    }
    labelled = {
        solution.solution_id
        for solution in state.entry.solutions
        if solution.expected == Expectation.ACCEPTED
    }
    unlabelled = [verdicts for name, verdicts in witnesses.items() if name not in labelled]
    disputed = disputed_by(unlabelled)
    generated_ids = [test.test_id for test in state.tests if not _given(test)]
    many = 0.1  # share of the generated tests: if more are disputed, all are dropped
    believed = state.problem.comparison.several or len(disputed) <= many * len(generated_ids)
    if not believed:
        disputed = dict.fromkeys(generated_ids, NOT_BELIEVED) | disputed
    disputed = (
        disputed_by(
            [verdicts for name, verdicts in witnesses.items() if name in labelled], labelled=True
        )
        | disputed
    )
    state = replace(without_tests(state, disputed), witnesses=tuple(witnesses))
    if believed:
        return state
    generation = state.generation._replace(
        way="given",
        confidence=confidence_of_given(state.problem, state.tests, options),
        reasons=(*state.generation.reasons, NOT_BELIEVED),
    )
    problem = replace(state.problem, generator=None)
    return replace(state, entry=state.entry._replace(problem=problem), generation=generation)


def without_tests(state: ProblemState, disputed: Mapping[str, str]) -> ProblemState:
    """Return a problem without its disputed tests; `disputed` has their reasons by test id."""
    tests = tuple(test for test in state.tests if test.test_id not in disputed)
    agreement = replace(
        state.agreement, tests=tests, dropped={**state.agreement.dropped, **disputed}
    )
    return replace(state, agreement=agreement, disputed=disputed)


def disputed_tests(
    context: BuildContext, state: ProblemState, tests: Sequence[TestCase], worker: Worker
) -> dict[str, str]:
    """Return the reasons of the new tests that a problem's witnesses dispute, by test id."""
    disputed: dict[str, str] = {}
    for labelled in (True, False):
        units = [
            Unit(state.entry, solution)
            for solution in state.entry.solutions
            if solution.solution_id in state.witnesses
            and (solution.expected == Expectation.ACCEPTED) == labelled
        ]
        results = [_try_tests(context, state, unit, tests, worker) for unit in units]
        verdicts = [result for result in results if isinstance(result, Verdicts)]
        disputed |= disputed_by(verdicts, labelled)
    return disputed


def disputed_by(witnesses: Sequence[Verdicts], labelled: bool = False) -> dict[str, str]:
    """Return the reasons of the tests that too many witnesses fail, by test id.

    Args:
        witnesses: The verdicts of each witness.
        labelled: Whether all are labelled accepted: then one suffices, otherwise more than a
            quarter of at least `FEWEST`.
    """
    votes_against = Counter(
        test_id
        for verdicts in witnesses
        for test_id, verdict in verdicts.of_each.items()
        if verdict in DISSENTING
    )
    if labelled:
        reason = f"{DISPUTED}: a solution labelled accepted answers otherwise"
        return dict.fromkeys(votes_against, reason)
    too_many = 0.25  # share of the witnesses
    return {
        test_id: (
            f"{DISPUTED}: {count} of {len(witnesses)} solutions that pass the given tests answer "
            "otherwise"
        )
        for test_id, count in votes_against.items()
        if len(witnesses) >= FEWEST and count > too_many * len(witnesses)
    }
