"""A verdict on every solution; a canonical one has run on every test already and is not run again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from venus_toolkit.batch import judge_batch
from venus_toolkit.builders.case import Case
from venus_toolkit.builders.workshop import Unit, Workshop, tests_digest
from venus_toolkit.judge import judge
from venus_toolkit.records import Judgement, Verdict, digest, from_plain, to_plain
from venus_toolkit.sandbox import Compiled
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
    batches, checker = shop.batches(unit, tests), shop.checker(problem)
    rules = [limits, problem.comparison, problem.evaluator, batches is not None]
    key = digest(shop.identity(program), tests_digest(tests), rules)
    found = shop.store.get("judge", key)
    if found is None:

        def work(compiled: Compiled) -> Judgement:
            if batches:
                return judge_batch(batches, compiled, tests, checker, limits, cores)
            return judge(shop.sandbox, compiled, tests, checker, limits, cores=cores)

        judgement = shop.attempt(unit, program, work)
        if judgement is None:
            return None
        plain = {**to_plain(judgement), "runs": [], "verdicts": []}
        found = {"judgement": plain, "carries_state": bool(batches and batches.carries_state)}
        shop.store.put("judge", key, found)
    if found["carries_state"]:
        shop.stateful.add((problem.slug, unit.solution.solution_id))
    plain = found["judgement"]
    return from_plain(Judgement, {**plain, "verdict": Verdict(plain["verdict"])})
