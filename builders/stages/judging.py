"""A verdict on every solution; a canonical one has run on every test already and is not run again."""

from __future__ import annotations

from collections.abc import Sequence

from venus_toolkit.builders.stages.agreement import Agreed
from venus_toolkit.builders.workshop import Unit, Workshop, tests_digest
from venus_toolkit.judge import judge
from venus_toolkit.records import Judgement, Verdict, digest, from_plain, to_plain
from venus_toolkit.supervisor import Cores


def judge_all(shop: Workshop, units: Sequence[Unit], agreed: Agreed, language: str) -> dict[str, Judgement]:
    """Return the judgement of each solution by its id; one that the sandbox failed at is set aside."""
    judgements, stage = {}, f"judge {language}"
    with shop.stage(stage):
        work = lambda unit, cores: agreed.judgement(unit) or _judged(shop, unit, agreed, cores)  # noqa: E731
        for number, (unit, judgement) in enumerate(shop.engine.judging(work, units), 1):
            if judgement is not None:
                judgements[unit.solution.solution_id] = judgement
            shop.progress(stage, number, len(units))
    return judgements


def _judged(shop: Workshop, unit: Unit, agreed: Agreed, cores: Cores) -> Judgement | None:
    problem = unit.entry.problem
    tests, limits = agreed.tests[problem.slug], shop.limits(problem)
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
