"""Reduces tests to a small set that kills as much and keeps the largest inputs and all sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from venus_toolkit.builders.quality.quality_options import QualityOptions
from venus_toolkit.core.records import EFFICIENCY, TestCase


def minimal_set(
    kills: Mapping[str, Collection[str]], tests: Sequence[TestCase], options: QualityOptions
) -> tuple[TestCase, ...]:
    """Return the tests to keep, in their order.

    The fixed ones come first: given tests, tests for efficiency or with a reason in `adds`, the
    largest inputs, and one test of every size class. Then a greedy choice adds the test with the
    most new kills until every program is killed `options.depth` times (Chvatal, "A Greedy Heuristic
    for the Set-Covering Problem", 1979: at most H(n) times as many as needed). Tests that later
    ones made redundant are removed, and the set is filled up to `options.at_least` in the order of
    `tests`. Ties go to the smaller input, then to the smaller id.

    Args:
        kills: For each program the ids of the tests that kill it.
        tests: All tests; other ids in `kills` are ignored.
        options: depth, largest, at_least and keep_given are used.
    """
    known = {test.test_id: test for test in tests}
    killers = {
        name: {test_id for test_id in ids if test_id in known} for name, ids in kills.items()
    }
    depths = {name: min(options.depth, len(ids)) for name, ids in killers.items()}

    def missed(by: set[str]) -> list[str]:
        """Return the programs that these tests kill too rarely."""
        return [name for name, ids in killers.items() if len(ids & by) < depths[name]]

    fixed = {test.test_id for test in tests if test.adds or test.role == EFFICIENCY}
    fixed |= {test.test_id for test in tests if options.keep_given and test.kind == "given"}
    largest = sorted(tests, key=lambda test: (-size_of(test), test.test_id))[: options.largest]
    fixed |= {test.test_id for test in largest}
    counts = Counter(test_id for ids in killers.values() for test_id in ids)
    for size in {test.size for test in tests} - {
        test.size for test in tests if test.test_id in fixed
    }:
        of_size = [test for test in tests if test.size == size]
        fixed.add(min(of_size, key=lambda test: (-counts[test.test_id], *_cheapest(test))).test_id)
    ordered = sorted(tests, key=_cheapest)
    chosen = set(fixed)
    # This ends: no program's depth exceeds the number of tests that kill it.
    while left := missed(chosen):
        gains = {
            test.test_id: sum(test.test_id in killers[name] for name in left)
            for test in ordered
            if test.test_id not in chosen
        }
        chosen.add(max(gains, key=gains.__getitem__))
    # Later tests may have made an early one redundant. Try to remove the largest first.
    for test in reversed(ordered):
        if test.test_id in chosen - fixed and not missed(chosen - {test.test_id}):
            chosen.remove(test.test_id)
    for test in tests:
        if len(chosen) < options.at_least:
            chosen.add(test.test_id)
    return tuple(test for test in tests if test.test_id in chosen)


def size_of(test: TestCase) -> int:
    """Return the size of a test's input in bytes."""
    return len(test.stdin.encode())


def _cheapest(test: TestCase) -> tuple[int, str]:
    return size_of(test), test.test_id
