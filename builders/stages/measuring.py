"""What every accepted solution costs, in rounds over all solutions of a problem, all on one type of machine."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from venus_toolkit.builders.case import Case
from venus_toolkit.builders.stages.judging import Judgements
from venus_toolkit.builders.work import measure_programs
from venus_toolkit.builders.workshop import Unit, Workshop, tests_digest
from venus_toolkit.engine import Machine, Onlooker, Seat, on_one_machine
from venus_toolkit.measure import MeasureOptions
from venus_toolkit.records import Judgement, Measurement, Verdict, digest, from_plain, to_plain

log = logging.getLogger(__name__)
PLACE, MACHINE = "place", "machine"  # by slug: the type of machine; by type: what it is


class Figures(NamedTuple):
    """The measurements of a problem's solutions in one language, by their ids, and the type of machine they are of.

    machine is empty where nothing was measured, or where measurements of an earlier build were taken.
    """

    of_each: Mapping[str, Measurement]
    machine: str = ""


Measurements = Mapping[str, Figures]  # by slug


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
    measured: dict[str, Figures] = {case.slug: Figures({}) for case in cases}

    def advance(rounds: int = 1) -> None:
        nonlocal done
        done += rounds
        shop.report(stage, done, total)

    with shop.stage(stage):
        work = lambda group, seat: _figures(shop, group, seat, advance)  # noqa: E731
        for group, result in shop.engine.measuring(work, groups, shop.plan.share_cores):
            measured[group.case.slug] = result
    return measured


def _accepted(case: Case, judgements: Mapping[str, Judgement], language: str) -> list[Unit]:
    said = [(unit, judgements.get(unit.solution.solution_id)) for unit in case.units(language)]
    return [unit for unit, judgement in said if judgement and judgement.verdict == Verdict.ACCEPTED]


def _figures(shop: Workshop, group: Group, seat: Seat, advance: Callable[..., None]) -> Figures:
    slug, solutions = group.case.slug, [unit.solution for unit in group.units]
    language = solutions[0].language
    replayed = shop.replay(language).find(solutions, group.case.tests) if shop.plan.replay else None
    if replayed:
        advance(len(solutions) * shop.plan.repeats)
        return _by_id(group, to_plain(replayed), "")
    shop.engine.prefer(slug, shop.store.get(PLACE, slug) or "")
    return on_one_machine(seat.at(slug), lambda near, machine: _measured(shop, group, near, machine, advance))


def _by_id(group: Group, found: Sequence[Mapping[str, object]], machine: str) -> Figures:
    measured = zip(group.units, found, strict=True)
    return Figures({unit.solution.solution_id: from_plain(Measurement, one) for unit, one in measured}, machine)


def _measured(shop: Workshop, group: Group, seat: Seat, machine: Machine, advance: Callable[..., None]) -> Figures:
    plan, (case, units) = shop.plan, group
    tests, limits = case.tests, shop.limits(case.problem)
    options = MeasureOptions(plan.repeats, plan.aggregate)
    programs = tuple(program for unit in units if (program := shop.program(unit)))
    identities = [shop.identity(program) for program in programs]
    key = digest(identities, tests_digest(tests), limits, options, plan.share_cores, machine.fingerprint)
    found, onlooker = shop.store.get("measure", key), Onlooker(advance)
    if found is None:
        found = to_plain(seat.run(measure_programs, programs, tests, limits, options, onlooker))
        shop.store.put("measure", key, found)
    shop.store.put(PLACE, case.slug, machine.fingerprint)
    shop.store.put(MACHINE, machine.fingerprint, machine.facts)
    advance(len(units) * plan.repeats - onlooker.told)
    return _by_id(group, found, machine.fingerprint)


# ------------------------------------------------------------------ figures of one problem never mix


def measure_until_settled(
    shop: Workshop, cases: Sequence[Case], judgements: Mapping[str, Judgements], measured: Mapping[str, Measurements]
) -> Mapping[str, Measurements]:
    """Return the measurements in every language, by language, each problem's all of one type of machine.

    They are not where the last machine of a type was lost between two languages: then the earlier ones are done again.
    """
    while moved := _of_several(measured.values()):
        log.info("measuring again, on one type of machine: %s", ", ".join(sorted(moved)))
        some = [case for case in cases if case.slug in moved]
        measured = {
            name: {**known, **measure_all(shop, some, judgements[name], name)} for name, known in measured.items()
        }
    return measured


def _of_several(measured: Iterable[Measurements]) -> set[str]:
    """Return the problems that were measured on more than one type of machine."""
    machines: dict[str, set[str]] = {}
    for found in measured:
        for slug, figures in found.items():
            machines.setdefault(slug, set()).update({figures.machine} - {""})
    return {slug for slug, types in machines.items() if len(types) > 1}
