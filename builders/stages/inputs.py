"""Test inputs for every problem: those that came with it first, then generated ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from venus_toolkit import __version__
from venus_toolkit.builders.case import Case
from venus_toolkit.builders.functions import Completed, complete
from venus_toolkit.builders.generation.inputs import Inputs, make_inputs
from venus_toolkit.builders.generation.model import Accepts
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.work import collect
from venus_toolkit.builders.workshop import Unit, Workshop
from venus_toolkit.engine import Seat
from venus_toolkit.records import TestCase, digest, from_plain, to_plain

STAGE = "generate"
ASKED = 3  # canonical solutions that try a model's inputs


def open_cases(shop: Workshop, entries: Sequence[Entry]) -> list[Case]:
    """Return each problem with its inputs, in the order given; inputs that could not be made are set aside."""
    cases: dict[str, Case] = {}
    completed = [_completed(shop, entry) for entry in entries]
    with shop.stage(STAGE):
        for each in completed:
            for test_id, reason in each.unfit.items():
                shop.drop(STAGE, each.entry.problem.slug, test_id, reason)
        work = lambda each, seat: _inputs(shop, each, seat)  # noqa: E731
        for number, ((entry, lacking, *_), made) in enumerate(shop.engine.here.judging(work, completed), 1):
            cases[entry.problem.slug] = Case(_with_programs(entry, made), made, made.tests)
            for test_id, reason in made.dropped.items():
                shop.drop(STAGE, entry.problem.slug, test_id, reason)
            if not made.tests:
                shop.drop(STAGE, entry.problem.slug, entry.problem.slug, _why_none(made, lacking))
            shop.report(STAGE, number, len(entries))
    return [cases[entry.problem.slug] for entry in entries]


def _why_none(made: Inputs, lacking: Mapping[str, str]) -> str:
    """Return why there are no inputs; first why there are no runners, where that is so: both need the signature."""
    runners = [f"no runner: {reason}".replace("\n", "; ") for reason in dict.fromkeys(lacking.values())]
    inputs = "; ".join(made.reasons) or "there is no way to make inputs for it"
    return "; ".join([*runners, f"no inputs: {inputs}"])


def _completed(shop: Workshop, entry: Entry) -> Completed:
    """Return the entry with runners in every language that is here, as far as they can be made."""
    here = {name: shop.languages[name] for name in shop.toolchains}
    completed = complete(entry, here)
    slug = entry.problem.slug
    shop.no_runner |= {(slug, name): reason for name, reason in completed.lacking.items()}
    return completed


def _with_programs(entry: Entry, made: Inputs) -> Entry:
    """Return the entry with the generator and the validator that were used: they are published with it."""
    generator = made.generator_source or entry.problem.generator
    return entry._replace(problem=replace(entry.problem, generator=generator, validator=made.validator_source))


def _inputs(shop: Workshop, completed: Completed, seat: Seat) -> Inputs:
    plan, entry, problem = shop.plan, completed.entry, completed.entry.problem
    if completed.typed:
        problem = replace(problem, starter_code={**problem.starter_code, "python": completed.typed})
    own = problem.generator and plan.generation.ways[0] == "own"
    matters = [problem.generator, problem.validator] if own else [problem, plan.model]
    key = digest(__version__, matters, entry.tests, plan.generation, shop.toolchains["python"].version)
    found = shop.store.get(STAGE, key)
    if found is not None:
        tests = tuple(from_plain(TestCase, test) for test in found["tests"])
        return Inputs(**{**found, "tests": tests, "reasons": tuple(found["reasons"])})
    accepts = _accepts(shop, entry, seat)
    made = make_inputs(shop.sandbox, problem, entry.tests, plan.generation, seat.cores, shop.model, accepts)
    if shop.model is None or made.way in ("own", "model"):  # a model that failed is asked again by the next build
        shop.store.put(STAGE, key, to_plain(made._asdict()))
    return made


def _accepts(shop: Workshop, entry: Entry, seat: Seat) -> Accepts:
    """Return what says, by test id, why a canonical solution cannot take an input; a limit is no reason."""

    def refused(tests: Sequence[TestCase]) -> dict[str, str]:
        found: dict[str, str] = {}
        for unit in shop.canonical(entry)[:ASKED]:
            for test, reason in _failures(shop, unit, tests, seat):
                found.setdefault(test, reason)
        return found

    return refused


def _failures(shop: Workshop, unit: Unit, tests: Sequence[TestCase], seat: Seat) -> list[tuple[str, str]]:
    program = shop.program(unit)
    if program is None:
        return []
    limits = shop.limits(unit.entry.problem)
    done = shop.attempt(unit, lambda: seat.run(collect, program, tests, limits, None))
    votes = done.votes if done else []
    return [(test.test_id, vote.reason) for test, vote in zip(tests, votes, strict=False) if vote.kind == "fails"]
