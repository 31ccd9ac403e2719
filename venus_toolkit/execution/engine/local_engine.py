"""This machine: worker threads, each on a core of its own.

Judging fills every core; measuring takes one core for the program and one for the supervisor.
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from queue import SimpleQueue
from typing import Concatenate, ParamSpec, TypeVar, cast

from venus_toolkit.core.interruption import CancelScope, current
from venus_toolkit.execution.engine import Machine, Worker, describe_machine
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.cores import claim, quiet_cores, usable_cores, worker_cores
from venus_toolkit.execution.sandbox.supervisor import Cores

Item = TypeVar("Item")
Result = TypeVar("Result")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class LocalWorker:
    """Cores of this machine."""

    sandbox: Sandbox
    cores: Cores
    here: Machine | None = None

    def at(self, about: str) -> LocalWorker:
        """Return the same worker: there is only this machine."""
        return self

    def machine(self) -> Machine:
        """Return this machine."""
        return self.here or describe_machine(self.sandbox)

    def on(self, machine: Machine) -> LocalWorker:
        """Return the same worker."""
        return self

    def run(
        self,
        work: Callable[Concatenate[Sandbox, Cores, P], Result],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Result:
        """Do the work, now and here."""
        return work(self.sandbox, self.cores, *args, **kwargs)


class LocalEngine:
    """Runs a function over items on `jobs` worker threads, by default one for each core.

    `cores` None: all.

    Where the sandbox is a server, it has a worker for each core of its own, and chooses the cores:
    `cores` are numbers of its workers then.
    """

    def __init__(
        self, sandbox: Sandbox, jobs: int | None = None, cores: Sequence[int] | None = None
    ) -> None:
        self._sandbox = sandbox
        self._elsewhere = bool(sandbox.workers)
        self._cores = list(cores or usable_cores())
        self._machine = describe_machine(sandbox)
        self.jobs = jobs or len(self._cores)

    @property
    def here(self) -> LocalEngine:
        """This engine: there is no other place."""
        return self

    def judging(
        self, work: Callable[[Item, Worker], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result, as they come, every core busy.

        The first exception ends it all.
        """
        return self._spread(work, items, worker_cores(self._cores, workers=self.jobs))

    def measuring(
        self,
        work: Callable[[Item, Worker], Result],
        items: Iterable[Item],
        share_cores: bool = False,
    ) -> Iterator[tuple[Item, Result]]:
        """Like judging, the last core first.

        Nothing shares the core of a program, unless its supervisor is to.

        However many jobs are asked for, no two programs are measured on one core.
        """
        if share_cores or self._elsewhere:
            return self._spread(work, items, worker_cores(self._cores)[: self.jobs])
        return self._spread(work, items, claim(worker_cores(self._cores, pairs=True), self.jobs))

    def worker(self) -> LocalWorker:
        """Return a worker for measuring one item after the other."""
        return LocalWorker(self._sandbox, quiet_cores(), self._machine)

    def unmeasured_cores(self) -> set[int]:
        """Return the cores on which no measured program runs, for other work.

        All of them where there is only one.
        """
        if self._elsewhere:
            return set(usable_cores())
        programs = {pair.program for pair in worker_cores(self._cores, pairs=True)}
        return {core for core in self._cores if core not in programs} or set(self._cores)

    def prefer(self, about: str, fingerprint: str) -> None:
        """Do nothing: there is only this machine."""

    def close(self) -> None:
        """Do nothing: the sandbox belongs to somebody else."""

    def _spread(
        self,
        work: Callable[[Item, Worker], Result],
        items: Iterable[Item],
        free_cores: Sequence[Cores],
    ) -> Iterator[tuple[Item, Result]]:
        numbers, local = count(), threading.local()

        def one(item: Item) -> Result:
            if not hasattr(local, "worker"):
                local.worker = LocalWorker(self._sandbox, free_cores[next(numbers)], self._machine)
            return work(item, local.worker)

        # Twice the workers: they have something to begin while the caller is busy with a result.
        return spread(one, items, len(free_cores), lambda: 2 * len(free_cores))


def spread(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int, ahead: Callable[[], int]
) -> Iterator[tuple[Item, Result]]:
    """Yield each item with its result, as they come, from so many threads.

    The first exception ends it all.

    Items are read when there is room for one: as many as `ahead` says may be begun or waiting.

    What is under way then is cancelled. Ctrl-C may interrupt the caller anywhere. Locks that are
    made in Python, as those of `threading.Thread.start` and `concurrent.futures`, stay locked at
    times then, and threads would wait for them for ever. So none are used here.
    """
    scope = CancelScope(current())
    todo: SimpleQueue[tuple[Item] | None] = SimpleQueue()
    done: SimpleQueue[tuple[Item, Result | None, BaseException | None]] = SimpleQueue()
    ended: SimpleQueue[None] = SimpleQueue()
    under_way, workers, stopped = 0, 0, False

    def serve() -> None:
        scope.enter()
        for (item,) in iter(todo.get, None):
            if stopped:
                continue
            try:
                done.put((item, work(item), None))
            except BaseException as error:
                done.put((item, None, error))
        ended.put(None)

    def finished() -> tuple[Item, Result]:
        item, result, error = done.get()
        if error:
            raise error
        return item, cast("Result", result)

    try:
        for item in items:
            todo.put((item,))
            under_way += 1
            if workers < min(threads, under_way):
                _thread.start_new_thread(serve, ())
                workers += 1
            while under_way >= ahead():
                yield finished()
                under_way -= 1
        while under_way:
            yield finished()
            under_way -= 1
    except BaseException:
        scope.cancel()
        raise
    finally:
        stopped = True
        for _ in range(threads):
            todo.put(None)
        for _ in range(workers):
            ended.get()
        scope.close()
