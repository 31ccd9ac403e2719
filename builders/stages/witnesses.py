"""Tests in doubt, against which solutions speak that are not in the panel.

Where a statement was not understood in full, generated inputs may break what it promises. Canonical
solutions may agree on them all the same, where they are translations of one another, and then right
solutions would be rejected. So other solutions run on such tests, too, and those that pass all
given tests are witnesses. One witness that its source calls right disputes a generated test by
answering otherwise, and the test is dropped; of witnesses without a claim it takes more than a
quarter. Where these dispute many tests, none is believed that the generator made, unless several
answers are right: then it is no fault of the inputs. What is added later, to kill mutants, is put
to the witnesses as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from venus_toolkit.builders.inputs.make_inputs import InputOptions, confidence_of_given
from venus_toolkit.builders.stages.agreement import STAGE, alike, panel
from venus_toolkit.builders.stages.build_context import BuildContext, Unit
from venus_toolkit.builders.stages.problem_state import ProblemState
from venus_toolkit.builders.stages.step import Step
from venus_toolkit.builders.stages.validate import DISSENTING, FULL
from venus_toolkit.core.records import Expectation, TestCase, Verdict
from venus_toolkit.dataset.funnel import BELOW, DISPUTED
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import SandboxFailure
from venus_toolkit.execution.engine.work import Verdicts

FEWEST = 3  # witnesses
NOT_BELIEVED = (
    f"{DISPUTED}: its generator makes inputs on which many solutions that pass the given "
    "tests answer otherwise"
)


def hear_witnesses(context: BuildContext, states: Sequence[ProblemState]) -> list[ProblemState]:
    """Return the problems, without the tests that witnesses speak against.

    Those that have none left are dropped.
    """
    doubted = {
        state.slug: state
        for state in states
        if (state.made.confidence < FULL or state.problem.comparison.several)
        and not all(map(_given, state.tests))
    }

    def tried(unit: Unit, worker: Worker) -> Verdicts | SandboxFailure | None:
        state = doubted[unit.entry.problem.slug]
        return _tried(context, state, unit, state.tests, worker)

    asked: list[Unit] = []
    # solutions of a problem, as different from each other as there are: a quarter of fewer says
    # little
    most_asked = 32
    for state in doubted.values():
        # Solutions that have not voted: those that the source calls right, and those without a
        # claim.
        others = [
            Unit(state.entry, each)
            for each in state.entry.solutions
            if each.language in context.executor.languages and each.solution_id not in state.votes
        ]
        claimed = [unit for unit in others if unit.solution.expected == Expectation.ACCEPTED]
        unclaimed = [unit for unit in others if unit.solution.expected == Expectation.UNKNOWN]
        asked += panel(context, claimed, most_asked)
        shown = state.problem.comparison.several or any(map(_given, state.tests))
        if len(unclaimed) >= FEWEST and shown:
            asked += panel(context, unclaimed, most_asked)
    step = Step[Unit, Verdicts | None](
        name=STAGE,
        problem=lambda unit: unit.entry.problem.slug,
        subject=lambda unit: unit.solution.solution_id,
        work=tried,
    )
    found: dict[str, dict[str, Verdicts]] = {state.slug: {} for state in states}
    for unit, said in context.results(step, asked):
        if said is not None:
            found[unit.entry.problem.slug][unit.solution.solution_id] = said
    kept = []
    for state in states:
        heard = _heard(state, found[state.slug], context.plan.generation)
        for test_id, reason in heard.disputed.items():
            context.drop(STAGE, state.slug, test_id, reason)
        why = "" if heard.tests else "no test is left"
        if heard.made.confidence < context.plan.generation.min_confidence:
            why = f"{BELOW}: {NOT_BELIEVED}"
        if heard.disputed and (why := why or alike(heard)):
            context.drop(STAGE, state.slug, state.slug, why)
        else:
            kept.append(heard)
    return kept


def _given(test: TestCase) -> bool:
    return test.kind == "given"


def _tried(
    context: BuildContext,
    state: ProblemState,
    unit: Unit,
    tests: Sequence[TestCase],
    worker: Worker,
) -> Verdicts | SandboxFailure | None:
    """Return what tests of a problem say of a solution; None where it has no runner."""
    program = context.program(unit)
    if program is None:
        return None
    suite = context.suite(state.problem, tests, unit.solution.language)
    return context.executor.try_tests(
        worker, suite, program, len(suite.tests), lambda all_of_them: [all_of_them]
    )


def _heard(
    state: ProblemState, found: Mapping[str, Verdicts], options: InputOptions
) -> ProblemState:
    """Return a problem with its witnesses, and without the tests that they speak against."""
    given = [test.test_id for test in state.tests if _given(test)]
    witnesses = {
        name: said
        for name, said in found.items()
        if all(said.of_each.get(test_id) == Verdict.ACCEPTED for test_id in given)
        # One that accepts no input at all says nothing of any.
        and Verdict.ACCEPTED in said.of_each.values()
    }
    claimed = {
        each.solution_id for each in state.entry.solutions if each.expected == Expectation.ACCEPTED
    }
    unclaimed = [said for name, said in witnesses.items() if name not in claimed]
    disputed = disputed_by(unclaimed)
    made = [test.test_id for test in state.tests if not _given(test)]
    many = 0.1  # of the made tests: with more of them disputed, all are dropped
    believed = state.problem.comparison.several or len(disputed) <= many * len(made)
    if not believed:
        disputed = dict.fromkeys(made, NOT_BELIEVED) | disputed
    disputed = (
        disputed_by([said for name, said in witnesses.items() if name in claimed], claimed=True)
        | disputed
    )
    state = replace(without(state, disputed), witnesses=tuple(witnesses))
    if believed:
        return state
    inputs = state.made._replace(
        way="given",
        confidence=confidence_of_given(state.problem, state.tests, options),
        reasons=(*state.made.reasons, NOT_BELIEVED),
    )
    problem = replace(state.problem, generator=None)
    return replace(state, entry=state.entry._replace(problem=problem), made=inputs)


def without(state: ProblemState, disputed: Mapping[str, str]) -> ProblemState:
    """Return a problem without its disputed tests, each with the reason."""
    kept = tuple(test for test in state.tests if test.test_id not in disputed)
    agreement = replace(
        state.agreement, tests=kept, dropped={**state.agreement.dropped, **disputed}
    )
    return replace(state, agreement=agreement, disputed=disputed)


def spoken_against(
    context: BuildContext, state: ProblemState, tests: Sequence[TestCase], worker: Worker
) -> dict[str, str]:
    """Return which further tests of a problem its witnesses speak against, with the reasons."""
    found: dict[str, str] = {}
    for claimed in (True, False):
        units = [
            Unit(state.entry, each)
            for each in state.entry.solutions
            if each.solution_id in state.witnesses
            and (each.expected == Expectation.ACCEPTED) == claimed
        ]
        said = [_tried(context, state, unit, tests, worker) for unit in units]
        found |= disputed_by([one for one in said if isinstance(one, Verdicts)], claimed)
    return found


def disputed_by(witnesses: Sequence[Verdicts], claimed: bool = False) -> dict[str, str]:
    """Return the tests that too many witnesses fail, each with how many.

    Of those that are claimed right, one is.
    """
    against = Counter(
        test_id
        for said in witnesses
        for test_id, verdict in said.of_each.items()
        if verdict in DISSENTING
    )
    claimed_reason = f"{DISPUTED}: a solution that its source calls right answers otherwise"
    if claimed:
        return dict.fromkeys(against, claimed_reason)
    too_many = 0.25  # of the witnesses
    return {
        test_id: (
            f"{DISPUTED}: {count} of {len(witnesses)} solutions that pass the given tests answer "
            "otherwise"
        )
        for test_id, count in against.items()
        if len(witnesses) >= FEWEST and count > too_many * len(witnesses)
    }
