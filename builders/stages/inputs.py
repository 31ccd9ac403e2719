"""Test inputs for every problem: those that came with it, or those that its generator makes."""

from __future__ import annotations

from collections.abc import Sequence

from venus_toolkit import __version__
from venus_toolkit.builders.generation.run import Generated, generate
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.workshop import Workshop
from venus_toolkit.errors import SourceError
from venus_toolkit.records import TestCase, digest, from_plain, to_plain
from venus_toolkit.supervisor import Cores

STAGE = "generate"
Inputs = dict[str, tuple[TestCase, ...]]


def make_inputs(shop: Workshop, entries: Sequence[Entry]) -> Inputs:
    """Return the inputs of each problem by slug; inputs that could not be made are set aside."""
    with shop.stage(STAGE):
        inputs = {entry.problem.slug: entry.tests[: shop.plan.tests] for entry in entries if entry.tests}
        todo = [entry for entry in entries if not entry.tests]
        work = lambda entry, cores: _generated(shop, entry, cores)  # noqa: E731
        for number, (entry, made) in enumerate(shop.engine.judging(work, todo), 1):
            inputs[entry.problem.slug] = made.tests
            for test_id, reason in made.dropped.items():
                shop.drop(STAGE, entry.problem.slug, test_id, reason)
            shop.progress(STAGE, number, len(todo))
    return inputs


def _generated(shop: Workshop, entry: Entry, cores: Cores) -> Generated:
    problem, plan = entry.problem, shop.plan
    key = digest(__version__, problem.generator, plan.tests, plan.seed, shop.toolchains["python"].version)
    found = shop.store.get(STAGE, key)
    if found is not None:
        return Generated(tuple(from_plain(TestCase, test) for test in found[0]), found[1])
    try:
        made = generate(shop.sandbox, problem, plan.tests, plan.seed, cores)
    except SourceError as error:
        made = Generated((), {"generator": str(error)})
    shop.store.put(STAGE, key, to_plain(list(made)))
    return made
