"""Which tests are good: every canonical solution of every language runs on every input, and they have to agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from venus_toolkit import __version__
from venus_toolkit.builders import validate
from venus_toolkit.builders.case import Case
from venus_toolkit.builders.stages.evaluating import with_evaluator, with_free_order
from venus_toolkit.builders.work import agree as decide
from venus_toolkit.builders.work import collect
from venus_toolkit.builders.workshop import Unit, Workshop
from venus_toolkit.engine import Seat
from venus_toolkit.records import TestCase, digest, from_plain, to_plain

STAGE = "validate"
Votes = Mapping[str, Sequence[validate.Vote]]


def agree(shop: Workshop, cases: Sequence[Case]) -> list[Case]:
    """Run the canonical solutions and keep the tests on which they agree; everything else is set aside.

    Returns the cases that have tests, in the order given.
    """
    by_slug = {case.slug: case for case in cases if case.inputs}
    canonical = [unit for case in by_slug.values() for unit in shop.canonical(case.entry)]
    votes: dict[str, dict[str, Sequence[validate.Vote]]] = {slug: {} for slug in by_slug}
    with shop.stage(STAGE):
        work = lambda unit, seat: vote(shop, unit, by_slug[unit.entry.problem.slug].inputs, seat)  # noqa: E731
        for number, (unit, said) in enumerate(shop.engine.judging(work, canonical), 1):
            if said is not None:
                votes[unit.entry.problem.slug][unit.solution.solution_id] = said
            shop.report(STAGE, number, len(canonical))
        todo = [replace(case, votes=votes[slug]) for slug, case in by_slug.items() if votes[slug]]
        settle = lambda case, seat: _settled(shop, case, seat)  # noqa: E731
        counted = {case.slug: done for case, done in shop.engine.judging(settle, todo)}
    for case in counted.values():
        record(shop, case)
    kept = {slug: case for slug, case in counted.items() if case.tests}
    for slug in by_slug:
        if slug not in kept:
            shop.drop(STAGE, slug, slug, "no test is left")
    return [kept[case.slug] for case in cases if case.slug in kept]


def vote(
    shop: Workshop, unit: Unit, tests: Sequence[TestCase], seat: Seat, alone: bool = False
) -> list[validate.Vote] | None:
    """Return what a canonical solution says of each test, or None where it could not be run.

    Tests share a process where the runner can do that, unless each is to run `alone`.
    """
    limits = shop.limits(unit.entry.problem)
    program = shop.program(unit)
    if program is None:
        return None
    lines = None if alone else shop.batch_lines(unit, tests)
    key = digest(shop.identity(program), [test.stdin for test in tests], limits, lines is not None)
    found = shop.store.get("votes", key)
    if found is None:
        near = seat.at(unit.entry.problem.slug)
        done = shop.attempt(unit, lambda: near.run(collect, program, tests, limits, lines))
        if done is None:
            return None
        for name, text in done.outputs.items():
            if not shop.store.has("output", name):
                shop.store.put("output", name, text)
        found = {"votes": to_plain(done.votes), "carries_state": done.carries_state}
        shop.store.put("votes", key, found)
    if found["carries_state"]:
        shop.stateful.add((unit.entry.problem.slug, unit.solution.solution_id))
    return [validate.Vote(*each) for each in found["votes"]]


def _settled(shop: Workshop, case: Case, seat: Seat) -> Case:
    """Return the case with what its votes come to, by another comparison where that finds more agreement."""
    found = _confirmed(shop, count(shop, case, seat), seat)
    for compared in (with_free_order, with_evaluator):
        other = compared(shop, found)
        if other.problem.evaluator == found.problem.evaluator:
            found = other
            continue
        better = count(shop, other, seat)
        found = max(found, better, key=_agreed)
    return found


def _agreed(case: Case) -> tuple[int, int]:
    """Return how much agreement there is: tests first, then solutions that still have a say."""
    return len(case.tests), -len(case.agreement.quarantined)


def _confirmed(shop: Workshop, case: Case, seat: Seat) -> Case:
    """Return the case with the votes of those who dissent collected anew, each test in a process of its own."""
    dissent = {name for said in case.agreement.dissent.values() for name in said} | set(case.agreement.quarantined)
    votes = dict(case.votes)
    for solution in case.entry.solutions:
        unit = Unit(case.entry, solution)
        if solution.solution_id in dissent & set(votes) and shop.batch_lines(unit, case.inputs) is not None:
            alone = vote(shop, unit, case.inputs, seat, alone=True)
            votes[solution.solution_id] = alone or votes[solution.solution_id]
    return count(shop, replace(case, votes=votes), seat) if votes != case.votes else case


def count(shop: Workshop, case: Case, seat: Seat) -> Case:
    """Return the case with what its votes come to."""
    votes = {name: case.votes[name] for name in sorted(case.votes)}
    problem = case.problem
    key = digest(__version__, to_plain(list(case.inputs)), to_plain(votes), problem.comparison, problem.evaluator)
    found = shop.store.get("agree", key)
    if found is None:
        found = to_plain(_counted(shop, case, votes, seat))
        shop.store.put("agree", key, found)
    tests = tuple(from_plain(TestCase, test) for test in found["tests"])
    return replace(case, agreement=validate.Agreement(**{**found, "tests": tests}))


def record(shop: Workshop, case: Case) -> None:
    """Set aside the tests that nobody agrees on, and the solutions that have no say any more."""
    agreement = case.agreement
    for test_id, reason in agreement.dropped.items():
        shop.drop(STAGE, case.slug, test_id, reason, agreement.dissent.get(test_id))
    for name, reason in agreement.quarantined.items():
        shop.drop("quarantine", case.slug, name, reason)


def _counted(shop: Workshop, case: Case, votes: Votes, seat: Seat) -> validate.Agreement:
    """Count, here unless an evaluator has to be run: outputs may be large."""
    said = {each.output for voter in votes.values() for each in voter if each.kind == "answer"}
    outputs: dict[str, str] = {name: shop.store.get("output", name) for name in sorted(said)}
    rules = shop.rules(case.problem)
    if rules.comparison.kind == "evaluator":
        return seat.at(case.slug).run(decide, case.inputs, votes, outputs, rules)
    return decide(shop.sandbox, seat.cores, case.inputs, votes, outputs, rules)
