"""Suites: the tests and rules of one problem. Recent suites are cached, since digests are slow."""

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
    """The tests and rules of one problem.

    Attributes:
        problem: The name of the problem.
        tests: The tests; votes need no expected outputs.
        rules: The limits and the comparison.
        reseeded: The tests of each repeat of a measurement, if these differ from `tests`.
    """

    problem: str
    tests: tuple[TestCase, ...]
    rules: Rules
    reseeded: tuple[tuple[TestCase, ...], ...] = ()

    @cached_property
    def measured(self) -> Suite:
        """The suite with only the tests on which programs are measured."""
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
        """The identity of the inputs and limits, which determine the runs of a program."""
        return digest([test.stdin for test in self.tests], self.rules.limits)


class EncodedInputs(Sequence[bytes]):
    """The standard inputs of tests, encoded on access, so that large ones take no extra memory."""

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
    """The most recently used suites, so that each digest is computed once.

    At most `SUITES` suites with `SUITES_BYTES` of tests are cached, and always the last one.
    """

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._cache: dict[Suite, tuple[Suite, int]] = {}

    def get(self, suite: Suite) -> Suite:
        with self._mutex:
            entry = self._cache.pop(suite, None)
            if entry is None:
                entry = suite, sum(len(test.stdin) + len(test.stdout or "") for test in suite.tests)
            self._cache[entry[0]] = entry
            while len(self._cache) > 1 and (len(self._cache) > SUITES or self._size > SUITES_BYTES):
                self._cache.pop(next(iter(self._cache)))
            return entry[0]

    @property
    def _size(self) -> int:
        # The suites of a problem in several languages share their tests.
        return sum({id(suite.tests): size for suite, size in self._cache.values()}.values())


_suites = _Suites()


def suite_of(problem: str, tests: tuple[TestCase, ...], rules: Rules) -> Suite:
    """Return a suite: the same object for equal arguments while it is cached.

    Its tuple of tests is the same object, too, so an engine sends it to a node only once
    (engine/serialization.py).
    """
    return _suites.get(Suite(problem, tests, rules))
