"""What programs of one problem are run on and judged by.

A few of these are held, for their identity takes a while.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import overload

from venus_toolkit.core.records import EFFICIENCY, MIB, TestCase, digest, measured_tests
from venus_toolkit.execution.judging.checker import Rules

SUITES, SUITES_BYTES = 64, 32 * MIB


@dataclass(frozen=True)
class Suite:
    """What programs of one problem are run on, and by which rules they are judged.

    Attributes:
        problem: The name of the problem: all work on it is done on machines of one type.
        tests: The tests; inputs without expected outputs will do for votes.
        rules: Limits and comparison.
        reseeded: The tests of each repeat of a measurement, where they have other inputs than
            `tests`.
    """

    problem: str
    tests: tuple[TestCase, ...]
    rules: Rules
    reseeded: tuple[tuple[TestCase, ...], ...] = ()

    @cached_property
    def measured(self) -> Suite:
        """The part of the suite that programs are measured on."""
        tests = measured_tests(self.tests)
        if len(tests) == len(self.tests):
            return self
        places = [index for index, test in enumerate(self.tests) if test.role == EFFICIENCY]
        return replace(
            self,
            tests=tests,
            reseeded=tuple(tuple(inputs[n] for n in places) for inputs in self.reseeded),
        )

    @cached_property
    def digest(self) -> str:
        """The identity of the tests and rules."""
        return digest(list(self.tests), list(self.rules), *map(list, self.reseeded))

    @cached_property
    def inputs_digest(self) -> str:
        """The identity of the inputs and limits: all that the run of a program depends on."""
        return digest([test.stdin for test in self.tests], self.rules.limits)


class EncodedInputs(Sequence[bytes]):
    """The standard inputs of tests, each encoded when it is asked for.

    Large ones are not held a second time.
    """

    def __init__(self, tests: Sequence[TestCase]) -> None:
        self._tests = tests

    def __len__(self) -> int:
        return len(self._tests)

    @overload
    def __getitem__(self, place: int) -> bytes: ...
    @overload
    def __getitem__(self, place: slice) -> EncodedInputs: ...
    def __getitem__(self, place: int | slice) -> bytes | EncodedInputs:
        if isinstance(place, slice):
            return EncodedInputs(self._tests[place])
        return self._tests[place].stdin.encode()


class _Suites:
    """The suites that were asked for last, so that their digests are taken once.

    They are at most SUITES, and have SUITES_BYTES of tests; the last one is held however large it
    is.
    """

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._held: dict[Suite, tuple[Suite, int]] = {}

    def get(self, asked: Suite) -> Suite:
        with self._mutex:
            entry = self._held.pop(asked, None)
            if entry is None:
                entry = asked, sum(len(test.stdin) + len(test.stdout or "") for test in asked.tests)
            self._held[entry[0]] = entry
            while len(self._held) > 1 and (len(self._held) > SUITES or self._size > SUITES_BYTES):
                self._held.pop(next(iter(self._held)))
            return entry[0]

    @property
    def _size(self) -> int:
        # In seven languages a problem has seven suites of the same tests.
        return sum({id(suite.tests): size for suite, size in self._held.values()}.values())


_suites = _Suites()


def suite_of(problem: str, tests: tuple[TestCase, ...], rules: Rules) -> Suite:
    """Return a suite: the same one for the same tests, as long as it is kept.

    It has the same tuple of tests, too, which an engine sends to a node once
    (engine/serialization.py).
    """
    return _suites.get(Suite(problem, tests, rules))
