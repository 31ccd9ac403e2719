"""The human solutions that a program is compared with, and where their figures come from.

fresh      measured interleaved with the generated programs
cached     measured in an earlier evaluation, in the same environment, with the same tests, limits and repeats
published  the dataset's own figures, of whatever machine made it: ranks say less then, and every row says so

Fresh figures are kept in the cache, a file for each task, and so are the inputs of each repeat that
they were taken on; a file is only ever found under a digest of all that it depends on.
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
    """The human solutions of a task with their figures, in the same order, and where these come from."""

    references: tuple[HumanSolution, ...]
    measured: tuple[Measured, ...]
    origin: str


def published(references: Sequence[HumanSolution]) -> HumanDistribution:
    """Return what the dataset says of its solutions; those without figures are left out."""
    known = tuple(
        known_reference
        for known_reference in references
        if all(known_reference.published[name] is not None for name in PUBLISHED_FIGURES)
    )
    measured = []
    for reference in known:
        whole = {
            name: int(reference.published[name] or 0)
            for name in PUBLISHED_FIGURES
            if name != "relative_time"
        }
        # A release has totals and no single repeats: the totals stand as the only repeat.
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
        folder: Where; made when it is first written to. None: in the user's cache.
        executor: Whose environment the figures belong to.
    """

    def __init__(self, folder: Path | None, executor: Executor) -> None:
        self._folder = folder or cache_folder("references")
        self._executor = executor

    def find(
        self, suite: Suite, programs: Sequence[Program], how: Measuring, machine: Machine
    ) -> list[Measured] | None:
        """Return what these programs cost on these tests and this type of machine.

        None: never measured.
        """
        try:
            entry = json.loads(
                self._path(suite, programs, how, machine).read_text(encoding="utf-8")
            )
            return [read_measured(each) for each in entry["figures"]]
        # nothing there, or torn: they are measured again
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
        """Keep the figures."""
        entry = {"task": suite.problem, "figures": [plain_measured(one) for one in measured]}
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
        """Return the suite with the tests of each repeat, whose inputs follow from the seed.

        It is returned as it is where the generator makes no other inputs or the reference solutions
        do not agree.
        """

        def make(number: int) -> list[TestCase]:
            tests = self._executor.run(
                worker.at(suite.problem),
                reseeded_tests,
                suite.tests,
                suite.rules,
                generator,
                programs,
                f"{seed} {suite.problem} {number}",
            )
            return known(tests, f"other inputs for {suite.problem} cannot be made")

        identities = [self._executor.identity(program) for program in programs]
        names = [
            digest(suite.digest, generator, identities, seed, number) for number in range(repeats)
        ]
        try:
            repeated = [
                kept(self._folder / f"{name}.json.gz", partial(make, number))
                for number, name in enumerate(names)
            ]
        except SandboxError as error:  # not kept, and nothing that a program did
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
