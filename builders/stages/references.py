"""Which large inputs may be left out of a release, because their generator makes them again to the byte."""

from __future__ import annotations

from collections.abc import Mapping

from venus_toolkit.builders.plan import REFERENCE
from venus_toolkit.builders.stages.finished import Finished, read_tests
from venus_toolkit.builders.workshop import Workshop
from venus_toolkit.engine import Seat
from venus_toolkit.generators import reproducible
from venus_toolkit.records import digest

STAGE = "reference"


def find_references(shop: Workshop, finished: Mapping[str, Finished]) -> dict[str, frozenset[str]]:
    """Return for each problem the ids of the tests whose inputs are stored by reference; tried out, and journalled."""
    if shop.plan.large_inputs != REFERENCE:
        return {slug: frozenset() for slug in finished}
    found: dict[str, frozenset[str]] = {}
    with shop.stage(STAGE):
        work = lambda each, seat: _references(shop, each, seat)  # noqa: E731
        for number, (each, tests) in enumerate(shop.engine.here.judging(work, finished.values()), 1):
            found[each.problem.slug] = tests
            shop.report(STAGE, number, len(finished))
    return found


def _references(shop: Workshop, finished: Finished, seat: Seat) -> frozenset[str]:
    most, generator = shop.plan.large_input_bytes, finished.problem.generator
    key = digest(finished.tests, generator, most, shop.toolchains["python"].version, shop.sandbox.name)
    known = shop.store.get(STAGE, key)
    if known is None:
        large = [test for test in read_tests(shop, finished) if len(test.stdin.encode("utf-8", "replace")) > most]
        known = sorted(reproducible(shop.sandbox, large, generator, seat.cores))
        shop.store.put(STAGE, key, known)
    return frozenset(known)
