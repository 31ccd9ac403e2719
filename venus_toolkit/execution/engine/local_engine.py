"""The engine of this machine: worker threads, each with its own core.

Judging uses every core; measuring takes one core for the program and one for the supervisor.
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
        """Return this worker: there is only one machine."""
        return self

    def machine(self) -> Machine:
        """Return this machine."""
        return self.here or describe_machine(self.sandbox)

    def on(self, machine: Machine) -> LocalWorker:
        """Return this worker."""
        return self

    def run(
        self,
        work: Callable[Concatenate[Sandbox, Cores, P], Result],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Result:
        """Call the function in this thread."""
        return work(self.sandbox, self.cores, *args, **kwargs)


class LocalEngine:
    """Runs a function over items on `jobs` worker threads, by default one for each core.

    Args:
        sandbox: Runs the programs. A server has its own workers and chooses their cores.
        jobs: The number of threads.
        cores: The cores to use, or numbers of the server's workers. None: all.
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
        """This engine."""
        return self

    def judging(
        self, work: Callable[[Item, Worker], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result in order of completion; uses every core.

        The first exception cancels all other work.
        """
        return self._spread(work, items, worker_cores(self._cores, workers=self.jobs))

    def measuring(
        self,
        work: Callable[[Item, Worker], Result],
        items: Iterable[Item],
        share_cores: bool = False,
    ) -> Iterator[tuple[Item, Result]]:
        """Like `judging`, but start with the last core and reserve a core for each program.

        With `share_cores`, the supervisor of a program runs on the same core. No two programs are
        measured on one core, however large `jobs` is.
        """
        if share_cores or self._elsewhere:
            return self._spread(work, items, worker_cores(self._cores)[: self.jobs])
        return self._spread(work, items, claim(worker_cores(self._cores, pairs=True), self.jobs))

    def worker(self) -> LocalWorker:
        """Return a worker that measures one item after another."""
        return LocalWorker(self._sandbox, quiet_cores(), self._machine)

    def unmeasured_cores(self) -> set[int]:
        """Return the cores that no measured program uses, or all cores if every core is used."""
        if self._elsewhere:
            return set(usable_cores())
        programs = {pair.program for pair in worker_cores(self._cores, pairs=True)}
        return {core for core in self._cores if core not in programs} or set(self._cores)

    def prefer(self, about: str, fingerprint: str) -> None:
        """Do nothing: there is only this machine."""

    def close(self) -> None:
        """Do nothing: the caller owns the sandbox."""

    def _spread(
        self,
        work: Callable[[Item, Worker], Result],
        items: Iterable[Item],
        free_cores: Sequence[Cores],
    ) -> Iterator[tuple[Item, Result]]:
        numbers, local = count(), threading.local()

        def process(item: Item) -> Result:
            if not hasattr(local, "worker"):
                local.worker = LocalWorker(self._sandbox, free_cores[next(numbers)], self._machine)
            return work(item, local.worker)

        # Twice the workers, so that none is idle while the caller processes a result.
        return spread(process, items, len(free_cores), lambda: 2 * len(free_cores))


def spread(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int, ahead: Callable[[], int]
) -> Iterator[tuple[Item, Result]]:
    """Yield each item with its result in order of completion, using at most `threads` threads.

    `ahead` returns how many items may be running or waiting; further items are read only when some
    of these are done. The first exception cancels all running work.

    Ctrl-C may interrupt the caller anywhere. It can leave locks that are implemented in Python
    locked, such as those of `threading.Thread.start` and `concurrent.futures`, so that threads wait
    for ever. So this function uses none of them.
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

    def next_result() -> tuple[Item, Result]:
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
                yield next_result()
                under_way -= 1
        while under_way:
            yield next_result()
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
