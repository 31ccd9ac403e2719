"""What every accepted solution costs, in rounds over all solutions of a problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from venus_toolkit.builders.case import Case
from venus_toolkit.builders.stages.judging import Judgements
from venus_toolkit.builders.workshop import Unit, Workshop, tests_digest
from venus_toolkit.measure import MeasureOptions, measure
from venus_toolkit.records import Judgement, Measurement, Verdict, digest, from_plain, to_plain
from venus_toolkit.supervisor import Cores

Measurements = Mapping[str, Mapping[str, Measurement]]  # by slug, then by solution id


class Group(NamedTuple):
    """A problem and its accepted solutions in one language: they are measured in turns."""

    case: Case
    units: list[Unit]


def measure_all(shop: Workshop, cases: Sequence[Case], judgements: Judgements, language: str) -> Measurements:
    """Return the measurement of each accepted solution in a language, of problems that have enough of them."""
    groups = [Group(case, _accepted(case, judgements[case.slug], language)) for case in cases]
    groups = [group for group in groups if len(group.units) >= shop.plan.min_solutions]
    total = sum(len(group.units) for group in groups) * shop.plan.repeats
    stage, done = f"measure {language}", 0
    measured: dict[str, Mapping[str, Measurement]] = {case.slug: {} for case in cases}

    def advance(rounds: int = 1) -> None:
        nonlocal done
        done += rounds
        shop.report(stage, done, total)

    with shop.stage(stage):
        work = lambda group, cores: _measured(shop, group, cores, advance)  # noqa: E731
        for group, result in shop.engine.measuring(work, groups, shop.plan.share_cores):
            measured[group.case.slug] = result
    return measured


def _accepted(case: Case, judgements: Mapping[str, Judgement], language: str) -> list[Unit]:
    said = [(unit, judgements.get(unit.solution.solution_id)) for unit in case.units(language)]
    return [unit for unit, judgement in said if judgement and judgement.verdict == Verdict.ACCEPTED]


def _measured(shop: Workshop, group: Group, cores: Cores, advance: Callable[..., None]) -> dict[str, Measurement]:
    plan, (case, units) = shop.plan, group
    tests, limits = case.tests, shop.limits(case.problem)
    options = MeasureOptions(plan.repeats, plan.aggregate)
    programs = [program for unit in units if (program := shop.program(unit))]
    identities = [shop.identity(program) for program in programs]
    key = digest(identities, tests_digest(tests), limits, options, plan.share_cores, dict(shop.sandbox.facts()))
    language = units[0].solution.language
    replayed = shop.replay(language).find((unit.solution for unit in units), tests) if plan.replay else None
    found = to_plain(replayed) if replayed else shop.store.get("measure", key)
    if found is None:
        compiled = [shop.sandbox.compile(program, cores) for program in programs]
        measured = measure(shop.sandbox, compiled, tests, limits, options, cores=cores, on_round=advance)
        for each in compiled:
            shop.sandbox.discard(each)
        found = to_plain(measured)
        shop.store.put("measure", key, found)
    else:
        advance(len(units) * plan.repeats)
    return {unit.solution.solution_id: from_plain(Measurement, one) for unit, one in zip(units, found, strict=True)}
