"""Tests in doubt, against which solutions speak of which nobody says whether they are right.

Where a statement was not understood in full, generated inputs may break what it promises. Canonical solutions may agree
on them all the same, where they are translations of one another, and then right solutions would be rejected. So some
solutions without a claim run on such tests, too. Those that pass all given tests are witnesses. A made test on which
too many of them answer otherwise is dropped; where that is so of many tests, none is believed that the generator made.
What is added later, to kill mutants, is put to the witnesses as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from venus_toolkit.builders.build_context import BuildContext, Unit
from venus_toolkit.builders.generation.inputs import SURE
from venus_toolkit.builders.problem_state import ProblemState
from venus_toolkit.builders.stages.agreement import STAGE, alike, ask, panel, vote
from venus_toolkit.builders.step import Step
from venus_toolkit.core.records import Expectation, TestCase
from venus_toolkit.dataset.funnel import Dropped
from venus_toolkit.execution.checker import Answer, Rules
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.executor import SandboxFailure
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.supervisor import Cores
from venus_toolkit.execution.work import Vote

ASKED = 32  # solutions of a problem, as different from each other as there are: a quarter of fewer says little
FEWEST = 3  # witnesses
TOO_MANY = 0.25  # of the witnesses
MANY = 0.1  # of the made tests: with more of them disputed, all are dropped
NOT_BELIEVED = "its generator makes inputs on which many solutions that pass the given tests answer otherwise"


def hear_witnesses(context: BuildContext, states: Sequence[ProblemState]) -> list[ProblemState]:
    """Return the problems, without the tests that witnesses speak against; those that have none left are dropped."""
    doubted = {state.slug: state for state in states if state.made.confidence < SURE and any(map(_given, state.tests))}
    units = {slug: panel(context, _unclaimed(context, state), ASKED) for slug, state in doubted.items()}
    units = {slug: asked for slug, asked in units.items() if len(asked) >= FEWEST}
    votes = ask(context, {slug: replace(state, inputs=state.tests) for slug, state in doubted.items()}, units)
    step = Step[ProblemState, ProblemState](
        name=STAGE,
        problem=lambda state: state.slug,
        work=lambda state, worker: _heard(context, state, votes[state.slug], worker),
        drops=partial(_drops, doubted),
        counted=False,
    )
    heard = {state.slug: found for state, found in context.results(step, [doubted[slug] for slug in units])}
    kept = []
    for state in (heard.get(state.slug, state) for state in states):
        why = alike(state) if state.slug in heard else ""
        if why:
            context.drop(STAGE, state.slug, state.slug, why)
        else:
            kept.append(state)
    return kept


def _given(test: TestCase) -> bool:
    return test.kind == "given"


def _unclaimed(context: BuildContext, state: ProblemState) -> list[Unit]:
    return [
        Unit(state.entry, each)
        for each in state.entry.solutions
        if each.expected == Expectation.UNKNOWN and each.language in context.executor.languages
    ]


def _heard(
    context: BuildContext, state: ProblemState, votes: Mapping[str, Sequence[Vote]], worker: Worker
) -> ProblemState | SandboxFailure:
    """Return a problem with its witnesses, and without the tests that they speak against."""
    passed = _passed(context, state, state.tests, votes, worker)
    if isinstance(passed, SandboxFailure):
        return passed
    given = [place for place, test in enumerate(state.tests) if _given(test)]
    witnesses = {name: mine for name, mine in passed.items() if all(mine[place] for place in given)}
    disputed = disputed_by(state.tests, list(witnesses.values()))
    made = [test for test in state.tests if not _given(test)]
    believed = len(disputed) <= MANY * len(made)
    if not believed:
        disputed = dict.fromkeys((test.test_id for test in made), NOT_BELIEVED) | disputed
    state = replace(without(state, disputed), witnesses=tuple(witnesses))
    if believed:
        return state
    inputs = state.made._replace(way="given", confidence=1.0, reasons=(*state.made.reasons, NOT_BELIEVED))
    problem = replace(state.problem, generator=None)
    return replace(state, entry=state.entry._replace(problem=problem), made=inputs)


def without(state: ProblemState, disputed: Mapping[str, str]) -> ProblemState:
    """Return a problem without its disputed tests, each with the reason."""
    kept = tuple(test for test in state.tests if test.test_id not in disputed)
    agreement = replace(state.agreement, tests=kept, dropped={**state.agreement.dropped, **disputed})
    return replace(state, agreement=agreement, disputed=disputed)


def spoken_against(
    context: BuildContext, state: ProblemState, tests: Sequence[TestCase], worker: Worker
) -> dict[str, str]:
    """Return which further tests of a problem its witnesses speak against, with the reasons."""
    if not state.witnesses:
        return {}
    votes: dict[str, Sequence[Vote]] = {}
    for solution in state.entry.solutions:
        if solution.solution_id in state.witnesses:
            said = vote(context, Unit(state.entry, solution), tests, worker)
            if said and not isinstance(said, SandboxFailure):
                votes[solution.solution_id] = said
    passed = _passed(context, state, tests, votes, worker)
    return {} if isinstance(passed, SandboxFailure) else disputed_by(tests, list(passed.values()))


def _passed(
    context: BuildContext,
    state: ProblemState,
    tests: Sequence[TestCase],
    votes: Mapping[str, Sequence[Vote]],
    worker: Worker,
) -> dict[str, list[bool | None]] | SandboxFailure:
    outputs = context.outputs({vote.output for said in votes.values() for vote in said if vote.kind == "answer"})
    rules = context.suite(state.problem, tests).rules
    found = context.executor.run(worker.at(state.slug), passes, tests, list(votes.values()), outputs, rules)
    return found if isinstance(found, SandboxFailure) else dict(zip(votes, found, strict=True))


def passes(
    sandbox: Sandbox,
    _: Cores,
    tests: Sequence[TestCase],
    votes: Sequence[Sequence[Vote]],
    outputs: Mapping[str, str],
    rules: Rules,
) -> list[list[bool | None]]:
    """Return for each solution which tests it passes, on a worker; None where a limit says nothing of its answer."""
    checker = rules.checker(sandbox)
    found: list[list[bool | None]] = []
    for said in votes:
        answers = [
            Answer(test.stdout or "", outputs[vote.output], test.stdin)
            for test, vote in zip(tests, said, strict=True)
            if vote.kind == "answer"
        ]
        right = iter(checker.passes(answers))
        found.append(
            [next(right) if vote.kind == "answer" else None if vote.kind == "abstains" else False for vote in said]
        )
    return found


def disputed_by(tests: Sequence[TestCase], passed: Sequence[Sequence[bool | None]]) -> dict[str, str]:
    """Return the tests that too many witnesses fail, each with how many; `passed` says which each of them passes."""
    against = {test.test_id: sum(mine[place] is False for mine in passed) for place, test in enumerate(tests)}
    return {
        test_id: f"{count} of {len(passed)} solutions that pass the given tests answer otherwise"
        for test_id, count in against.items()
        if len(passed) >= FEWEST and count > TOO_MANY * len(passed)
    }


def _drops(before: Mapping[str, ProblemState], state: ProblemState, heard: ProblemState) -> Iterator[Dropped]:
    for test_id, reason in heard.agreement.dropped.items():
        if test_id not in before[state.slug].agreement.dropped:
            yield Dropped(STAGE, state.slug, test_id, reason)
