"""This machine: worker threads, each on a core of its own.

Judging fills every core; measuring takes one core for the program and one for the supervisor.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Concatenate, ParamSpec, TypeVar

from venus_toolkit.engine import Machine, Seat, describe_machine
from venus_toolkit.engine.spreading import core_pairs, one_core, spread
from venus_toolkit.measure import quiet_cores, usable_cores
from venus_toolkit.sandbox import Program, Sandbox
from venus_toolkit.supervisor import Cores

Item = TypeVar("Item")
Result = TypeVar("Result")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class LocalSeat:
    """Cores of this machine."""

    sandbox: Sandbox
    cores: Cores
    here: Machine | None = None

    def at(self, about: str) -> LocalSeat:
        """Return the same seat: there is only this machine."""
        return self

    def machine(self) -> Machine:
        """Return this machine."""
        return self.here or describe_machine(self.sandbox)

    def on(self, machine: Machine) -> LocalSeat:
        """Return the same seat."""
        return self

    def run(self, work: Callable[Concatenate[Sandbox, Cores, P], Result], *args: P.args, **kwargs: P.kwargs) -> Result:
        """Do the work, now and here."""
        return work(self.sandbox, self.cores, *args, **kwargs)

    def forget(self, program: Program) -> None:
        """Free what a compiled program takes."""
        self.sandbox.discard(self.sandbox.compile(program))


class LocalEngine:
    """Runs a function over items on `jobs` worker threads.

    Args:
        sandbox: Where programs run.
        jobs: Workers; None takes one for each core.
        cores: Those that programs run on; None: all.
    """

    def __init__(self, sandbox: Sandbox, jobs: int | None = None, cores: Sequence[int] | None = None) -> None:
        self._sandbox = sandbox
        self._cores = list(cores or usable_cores())
        self._machine = describe_machine(sandbox)
        self.jobs = jobs or len(self._cores)

    @property
    def here(self) -> LocalEngine:
        """This engine: there is no other place."""
        return self

    def judging(self, work: Callable[[Item, Seat], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result, as they come, every core busy; the first exception ends it all."""
        chairs = [one_core(self._cores[number % len(self._cores)]) for number in range(self.jobs)]
        return self._spread(work, items, chairs)

    def measuring(
        self, work: Callable[[Item, Seat], Result], items: Iterable[Item], share_cores: bool = False
    ) -> Iterator[tuple[Item, Result]]:
        """Like judging, with two cores for each worker and the last pair first, unless they are to share one.

        However many jobs are asked for, no two programs are measured on one core.
        """
        chairs = [one_core(core) for core in self._cores] if share_cores else core_pairs(self._cores)
        return self._spread(work, items, chairs[: self.jobs])

    def seat(self) -> LocalSeat:
        """Return a seat for measuring one item after the other."""
        return LocalSeat(self._sandbox, quiet_cores(), self._machine)

    def beside(self) -> set[int]:
        """Return the cores on which no measured program runs, for other work; all of them where there is only one."""
        programs = {pair.program for pair in core_pairs(self._cores)}
        return {core for core in self._cores if core not in programs} or set(self._cores)

    def prefer(self, about: str, fingerprint: str) -> None:
        """Do nothing: there is only this machine."""

    def renew(self) -> None:
        """Do nothing: the sandbox belongs to somebody else."""

    def close(self) -> None:
        """Do nothing: the sandbox belongs to somebody else."""

    def _spread(
        self, work: Callable[[Item, Seat], Result], items: Iterable[Item], chairs: Sequence[Cores]
    ) -> Iterator[tuple[Item, Result]]:
        numbers, local = count(), threading.local()

        def one(item: Item) -> Result:
            if not hasattr(local, "seat"):
                local.seat = LocalSeat(self._sandbox, chairs[next(numbers)], self._machine)
            return work(item, local.seat)

        return spread(one, items, len(chairs), lambda: 2 * len(chairs))
