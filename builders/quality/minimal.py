"""Which tests are needed: few that still kill everything, the largest inputs, and one of every size class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from venus_toolkit.builders.quality.quality_options import QualityOptions
from venus_toolkit.core.records import EFFICIENCY, TestCase


def minimal_set(
    kills: Mapping[str, Collection[str]], tests: Sequence[TestCase], options: QualityOptions
) -> tuple[TestCase, ...]:
    """Return the tests to keep, in their order.

    What has to stay is taken first: given tests, those for efficiency or chosen for what they add,
    the largest inputs, one test of every size class. Then, greedily, the test that adds most kills,
    as long as a program is killed less often than wanted (Chvatal, "A Greedy Heuristic for the
    Set-Covering Problem", 1979: at most H(n) times as many as needed). What turned out to be
    needless is taken out again, and the set is filled up to `options.at_least` in the order of
    `tests`. Ties go to the smaller input, then to the smaller id.

    Args:
        kills: For each program the ids of the tests that kill it.
        tests: All tests; ids that are not among them are ignored.
        options: depth, largest, at_least and keep_given are used.
    """
    known = {test.test_id: test for test in tests}
    killers = {
        name: {test_id for test_id in ids if test_id in known} for name, ids in kills.items()
    }
    wanted = {name: min(options.depth, len(ids)) for name, ids in killers.items()}

    def missed(by: set[str]) -> list[str]:
        """Return the programs that some tests kill less often than wanted."""
        return [name for name, ids in killers.items() if len(ids & by) < wanted[name]]

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
    kept = set(fixed)
    # This ends: `wanted` is never more than the tests that kill a program.
    while left := missed(kept):
        gains = {
            test.test_id: sum(test.test_id in killers[name] for name in left)
            for test in ordered
            if test.test_id not in kept
        }
        kept.add(max(gains, key=gains.__getitem__))
    # A test that was taken early may be needless beside those that came after it; the largest go
    # first.
    for test in reversed(ordered):
        if test.test_id in kept - fixed and not missed(kept - {test.test_id}):
            kept.remove(test.test_id)
    for test in tests:
        if len(kept) < options.at_least:
            kept.add(test.test_id)
    return tuple(test for test in tests if test.test_id in kept)


def size_of(test: TestCase) -> int:
    """Return the bytes of a test's input."""
    return len(test.stdin.encode())


def _cheapest(test: TestCase) -> tuple[int, str]:
    return size_of(test), test.test_id
