"""A verdict on every solution; a canonical one has run on every test already and is not run again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from venus_toolkit.builders.case import Case
from venus_toolkit.builders.work import judge_program
from venus_toolkit.builders.workshop import Unit, Workshop, tests_digest
from venus_toolkit.engine import Seat
from venus_toolkit.records import Judgement, Verdict, digest, from_plain, to_plain

Judgements = Mapping[str, Mapping[str, Judgement]]  # by slug, then by solution id


def judge_all(shop: Workshop, cases: Sequence[Case], language: str) -> Judgements:
    """Return the judgement of each solution in a language; one that the sandbox failed at is set aside."""
    found: dict[str, dict[str, Judgement]] = {case.slug: {} for case in cases}
    stage = f"judge {language}"
    todo = [(case, unit) for case in cases for unit in case.units(language)]
    with shop.stage(stage):
        for number, ((case, unit), judgement) in enumerate(shop.engine.judging(_judge(shop), todo), 1):
            if judgement is not None:
                found[case.slug][unit.solution.solution_id] = judgement
            shop.report(stage, number, len(todo))
    return found


def _judge(shop: Workshop) -> Callable[[tuple[Case, Unit], Seat], Judgement | None]:
    def judged(item: tuple[Case, Unit], seat: Seat) -> Judgement | None:
        case, unit = item
        return case.judgement(unit.solution.solution_id) or _judged(shop, case, unit, seat)

    return judged


def _judged(shop: Workshop, case: Case, unit: Unit, seat: Seat) -> Judgement | None:
    problem, tests, rules = case.problem, case.tests, shop.rules(case.problem)
    program = shop.program(unit)
    if program is None:
        return None
    lines = shop.batch_lines(unit, tests)
    key = digest(shop.identity(program), tests_digest(tests), [*rules, lines is not None])
    found = shop.store.get("judge", key)
    if found is None:
        near = seat.at(problem.slug)
        done = shop.attempt(unit, lambda: near.run(judge_program, program, tests, rules, lines))
        if done is None:
            return None
        found = {"judgement": to_plain(done.judgement), "carries_state": done.carries_state}
        shop.store.put("judge", key, found)
    if found["carries_state"]:
        shop.stateful.add((problem.slug, unit.solution.solution_id))
    plain = found["judgement"]
    return from_plain(Judgement, {**plain, "verdict": Verdict(plain["verdict"])})
