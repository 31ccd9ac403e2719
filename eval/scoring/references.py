"""The human solutions that a program is compared with, and where their figures come from.

fresh      measured interleaved with the generated programs
cached     measured in an earlier evaluation: same environment, tests, limits and repeats
published  the dataset's figures, from any machine: ranks are less reliable, and every row says so

The cache keeps fresh figures, one file per task, and the inputs of each repeat. The name of a file
is the digest of everything that it depends on.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.records import Measurement, TestCase, digest, from_plain
from venus_toolkit.core.store import write_whole
from venus_toolkit.core.temporary import cache_folder
from venus_toolkit.eval.asking.tasks import PUBLISHED_ERRORS, PUBLISHED_FIGURES, HumanSolution
from venus_toolkit.eval.eval_options import PUBLISHED
from venus_toolkit.execution.engine import Machine, Worker
from venus_toolkit.execution.engine.executor import (
    Executor,
    SandboxFailure,
    known,
    plain_measured,
    read_measured,
)
from venus_toolkit.execution.engine.work import Measuring
from venus_toolkit.execution.judging.held_out import kept, reseeded_tests
from venus_toolkit.execution.judging.suite import Suite
from venus_toolkit.execution.measuring.measure import count_reseeded
from venus_toolkit.execution.measuring.rounds import Measured, Repeat
from venus_toolkit.execution.sandbox import Program


class HumanDistribution(NamedTuple):
    """The human solutions of a task, their figures in the same order, and where those come from."""

    references: tuple[HumanSolution, ...]
    measured: tuple[Measured, ...]
    origin: str


def published(references: Sequence[HumanSolution]) -> HumanDistribution:
    """Return the published figures of the solutions; those without figures are left out."""
    known = tuple(
        reference
        for reference in references
        if all(reference.published[name] is not None for name in PUBLISHED_FIGURES)
    )
    measured = []
    for reference in known:
        whole = {
            name: int(reference.published[name] or 0)
            for name in PUBLISHED_FIGURES
            if name != "relative_time"
        }
        # A release has no figures of single repeats, so the totals serve as the only repeat.
        repeat = Repeat(**whole, relative_time=reference.published["relative_time"])
        errors = {name: reference.published.get(name) for name in PUBLISHED_ERRORS}
        errors["repeats"] = int(errors["repeats"] or 1)
        measured.append(
            Measured(from_plain(Measurement, {**repeat._asdict(), **errors}), (repeat,))
        )
    return HumanDistribution(known, tuple(measured), PUBLISHED)


class Cache:
    """Figures of reference solutions on disk.

    Args:
        folder: The folder of the cache, created on the first write; None: in the user's cache.
        executor: The executor whose environment the figures belong to.
    """

    def __init__(self, folder: Path | None, executor: Executor) -> None:
        self._folder = folder or cache_folder("references")
        self._executor = executor

    def find(
        self, suite: Suite, programs: Sequence[Program], how: Measuring, machine: Machine
    ) -> list[Measured] | None:
        """Return the cached figures of these programs on these tests and this type of machine.

        Returns None if they are not in the cache.
        """
        try:
            entry = json.loads(
                self._path(suite, programs, how, machine).read_text(encoding="utf-8")
            )
            return [read_measured(figures) for figures in entry["figures"]]
        # missing or damaged: the programs are measured again
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(
        self,
        suite: Suite,
        programs: Sequence[Program],
        how: Measuring,
        machine: Machine,
        measured: Sequence[Measured],
    ) -> None:
        """Write the figures into the cache."""
        entry = {"task": suite.problem, "figures": list(map(plain_measured, measured))}
        write_whole(
            self._path(suite, programs, how, machine), json.dumps(entry).encode(), shared=True
        )

    def reseeded(
        self,
        worker: Worker,
        suite: Suite,
        generator: str,
        programs: Sequence[Program],
        repeats: int,
        seed: int,
    ) -> Suite | SandboxFailure:
        """Return the suite with new tests for each repeat, whose inputs follow from the seed.

        Returns the suite unchanged if the generator makes no new inputs or the reference solutions
        disagree.
        """

        def make_tests(number: int) -> list[TestCase]:
            tests = self._executor.run(
                worker.at(suite.problem),
                reseeded_tests,
                suite.tests,
                suite.rules,
                generator,
                programs,
                f"{seed} {suite.problem} {number}",
            )
            return known(tests, f"new inputs for {suite.problem} cannot be made")

        identities = [self._executor.identity(program) for program in programs]
        names = [
            digest(suite.digest, generator, identities, seed, number) for number in range(repeats)
        ]
        try:
            repeated = [
                kept(self._folder / f"{name}.json.gz", partial(make_tests, number))
                for number, name in enumerate(names)
            ]
        except SandboxError as error:  # not cached, and not the fault of a program
            return SandboxFailure(str(error).replace("\n", "; "))
        return (
            replace(suite, reseeded=tuple(repeated))
            if count_reseeded(suite.tests, repeated)
            else suite
        )

    def _path(
        self, suite: Suite, programs: Sequence[Program], how: Measuring, machine: Machine
    ) -> Path:
        return self._folder / f"{self._executor.measure_key(suite, programs, how, machine)}.json"
