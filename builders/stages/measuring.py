"""What every accepted solution costs, in rounds over all solutions of a problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from venus_toolkit.builders.stages.agreement import Agreed
from venus_toolkit.builders.workshop import Unit, Workshop, tests_digest
from venus_toolkit.measure import MeasureOptions, measure
from venus_toolkit.records import Judgement, Measurement, Verdict, digest, from_plain, to_plain
from venus_toolkit.supervisor import Cores


def measure_all(
    shop: Workshop, units: Sequence[Unit], judgements: Mapping[str, Judgement], agreed: Agreed, language: str
) -> dict[str, Measurement]:
    """Return the measurement of each accepted solution by its id, of problems that have enough of them."""
    accepted: dict[str, list[Unit]] = {}
    for unit in units:
        judgement = judgements.get(unit.solution.solution_id)
        if judgement and judgement.verdict == Verdict.ACCEPTED:
            accepted.setdefault(unit.entry.problem.slug, []).append(unit)
    groups = [group for group in accepted.values() if len(group) >= shop.plan.min_solutions]
    total = sum(len(group) for group in groups) * shop.plan.repeats
    stage, done = f"measure {language}", 0
    measured: dict[str, Measurement] = {}

    def advance(rounds: int = 1) -> None:
        nonlocal done
        done += rounds
        shop.progress(stage, done, total)

    with shop.stage(stage):
        work = lambda group, cores: _measured(shop, group, agreed, cores, advance)  # noqa: E731
        for _, result in shop.engine.measuring(work, groups, shop.plan.share_cores):
            measured |= result
    return measured


def _measured(
    shop: Workshop, group: Sequence[Unit], agreed: Agreed, cores: Cores, advance: Callable[..., None]
) -> dict[str, Measurement]:
    problem, plan = group[0].entry.problem, shop.plan
    tests, limits = agreed.tests[problem.slug], shop.limits(problem)
    options = MeasureOptions(plan.repeats, plan.aggregate)
    programs = [program for unit in group if (program := shop.program(unit))]
    identities = [shop.identity(program) for program in programs]
    key = digest(identities, tests_digest(tests), limits, options, plan.share_cores, dict(shop.sandbox.facts()))
    language = group[0].solution.language
    replayed = shop.replay(language).find((unit.solution for unit in group), tests) if plan.replay else None
    found = to_plain(replayed) if replayed else shop.store.get("measure", key)
    if found is None:
        compiled = [shop.sandbox.compile(program, cores) for program in programs]
        measured = measure(shop.sandbox, compiled, tests, limits, options, cores=cores, on_round=advance)
        for each in compiled:
            shop.sandbox.discard(each)
        found = to_plain(measured)
        shop.store.put("measure", key, found)
    else:
        advance(len(group) * plan.repeats)
    return {unit.solution.solution_id: from_plain(Measurement, one) for unit, one in zip(group, found, strict=True)}
