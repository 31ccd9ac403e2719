"""A verdict on every solution; a canonical one has run on every test already and is not run again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from venus_toolkit.builders.case import Case
from venus_toolkit.builders.workshop import Unit, Workshop, tests_digest
from venus_toolkit.judge import judge
from venus_toolkit.records import Judgement, Verdict, digest, from_plain, to_plain
from venus_toolkit.supervisor import Cores

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


def _judge(shop: Workshop) -> Callable[[tuple[Case, Unit], Cores], Judgement | None]:
    def judged(item: tuple[Case, Unit], cores: Cores) -> Judgement | None:
        case, unit = item
        return case.judgement(unit.solution.solution_id) or _judged(shop, case, unit, cores)

    return judged


def _judged(shop: Workshop, case: Case, unit: Unit, cores: Cores) -> Judgement | None:
    problem, tests, limits = case.problem, case.tests, shop.limits(case.problem)
    program = shop.program(unit)
    if program is None:
        return None
    key = digest(shop.identity(program), tests_digest(tests), limits, problem.comparison, problem.evaluator)
    found = shop.store.get("judge", key)
    if found is None:
        work = lambda compiled: judge(shop.sandbox, compiled, tests, shop.checker(problem), limits, cores=cores)  # noqa: E731
        judgement = shop.attempt(unit, program, work)
        if judgement is None:
            return None
        found = {**to_plain(judgement), "runs": [], "verdicts": []}
        shop.store.put("judge", key, found)
    return from_plain(Judgement, {**found, "verdict": Verdict(found["verdict"])})
