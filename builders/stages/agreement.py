"""Which tests are good: every canonical solution of every language runs on every input, and they have to agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from venus_toolkit import __version__
from venus_toolkit.builders import validate
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.stages.inputs import Inputs
from venus_toolkit.builders.workshop import Unit, Workshop
from venus_toolkit.errors import SourceError
from venus_toolkit.records import Expectation, Judgement, TestCase, digest, from_plain, to_plain
from venus_toolkit.supervisor import Cores

STAGE = "validate"


class Agreed(NamedTuple):
    """What the canonical solutions said, and what came of it.

    inputs are those that they ran on; tests the good ones; votes and right (the digests of outputs that are as good as
    the expected one) are by solution and by test. All are by slug first.
    """

    inputs: Inputs
    tests: dict[str, tuple[TestCase, ...]]
    votes: dict[str, dict[str, list[validate.Vote]]]
    right: dict[str, dict[str, list[str]]]

    def judgement(self, unit: Unit) -> Judgement | None:
        """Return the judgement of a canonical solution: it ran on every test already, on the same machine."""
        slug = unit.entry.problem.slug
        said = self.votes[slug].get(unit.solution.solution_id)
        if said is None:
            return None
        by_test = {test.test_id: vote for test, vote in zip(self.inputs[slug], said, strict=True)}
        kept = {test.test_id: by_test[test.test_id] for test in self.tests[slug]}
        return validate.judgement_of(kept, self.right[slug])


def agree(shop: Workshop, entries: Sequence[Entry], inputs: Inputs) -> Agreed:
    """Run the canonical solutions and keep the tests on which they agree; everything else is set aside."""
    canonical = [unit for entry in entries if inputs[entry.problem.slug] for unit in _canonical(shop, entry)]
    votes: dict[str, dict[str, list[validate.Vote]]] = {entry.problem.slug: {} for entry in entries}
    with shop.stage(STAGE):
        vote = lambda unit, cores: _vote(shop, unit, inputs[unit.entry.problem.slug], cores)  # noqa: E731
        for number, (unit, said) in enumerate(shop.engine.judging(vote, canonical), 1):
            if said is not None:
                votes[unit.entry.problem.slug][unit.solution.solution_id] = said
            shop.progress(STAGE, number, len(canonical))
        todo = [entry for entry in entries if votes[entry.problem.slug]]
        work = lambda entry, _: _count(shop, entry, inputs[entry.problem.slug], votes[entry.problem.slug])  # noqa: E731
        counted = {entry.problem.slug: found for entry, found in shop.engine.judging(work, todo)}
    tests = {slug: found.tests for slug, found in counted.items() if found.tests}
    for entry in entries:
        if entry.problem.slug not in tests:
            shop.drop(STAGE, entry.problem.slug, entry.problem.slug, "no test is left")
    return Agreed(inputs, tests, votes, {slug: found.right for slug, found in counted.items()})


def _canonical(shop: Workshop, entry: Entry) -> list[Unit]:
    return [
        Unit(entry, solution)
        for solution in entry.solutions
        if solution.expected == Expectation.ACCEPTED and solution.language in shop.toolchains
    ]


def _vote(shop: Workshop, unit: Unit, tests: Sequence[TestCase], cores: Cores) -> list[validate.Vote] | None:
    limits = shop.limits(unit.entry.problem)
    program = shop.program(unit)
    if program is None:
        return None
    key = digest(shop.identity(program), [test.stdin for test in tests], limits)
    found = shop.store.get("votes", key)
    if found is None:
        work = lambda compiled: validate.collect_votes(shop.sandbox, compiled, tests, limits, cores)  # noqa: E731
        done = shop.attempt(unit, program, work)
        if done is None:
            return None
        said, outputs = done
        for name, text in outputs.items():
            if not shop.store.has("output", name):
                shop.store.put("output", name, text)
        found = to_plain(said)
        shop.store.put("votes", key, found)
    return [validate.Vote(*vote) for vote in found]


def _count(
    shop: Workshop, entry: Entry, tests: Sequence[TestCase], votes: Mapping[str, Sequence[validate.Vote]]
) -> validate.Agreement:
    ordered = {name: votes[name] for name in sorted(votes)}
    problem = entry.problem
    key = digest(__version__, to_plain(list(tests)), to_plain(ordered), problem.comparison, problem.evaluator)
    found = shop.store.get("agree", key)
    if found is None:
        found = to_plain(_counted(shop, entry, tests, ordered))
        shop.store.put("agree", key, found)
    for test_id, reason in found["dropped"].items():
        shop.drop(STAGE, problem.slug, test_id, reason, found["dissent"].get(test_id))
    for name, reason in found["quarantined"].items():
        shop.drop("quarantine", problem.slug, name, reason)
    return validate.Agreement(**{**found, "tests": tuple(from_plain(TestCase, test) for test in found["tests"])})


def _counted(
    shop: Workshop, entry: Entry, tests: Sequence[TestCase], votes: Mapping[str, Sequence[validate.Vote]]
) -> validate.Agreement:
    said = {vote.output for voter in votes.values() for vote in voter if vote.kind == "answer"}
    outputs: dict[str, Any] = {name: shop.store.get("output", name) for name in sorted(said)}
    try:
        return validate.agree(tests, votes, outputs, shop.checker(entry.problem))
    except SourceError as error:
        return validate.Agreement(dropped={test.test_id: str(error) for test in tests})
