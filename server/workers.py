"""The workers: threads with a core of their own, each doing one thing at a time.

Work for any worker waits in one line; work for a certain one (a session lives on its core) waits at that worker. A
worker takes from both by turns, so that neither keeps the other waiting for ever.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from venus_toolkit.measure import DENSE_START_NS, usable_cores
from venus_toolkit.supervisor import Cores

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Worker:
    """A worker: its number, its cores, what waits for it alone, how many sessions it has, whether it is at work."""

    number: int
    cores: Cores
    own: deque[Task] = field(default_factory=deque)
    sessions: int = 0
    busy: bool = False


Task = Callable[[Worker], None]


def worker_cores(workers: int | None, apart: bool) -> list[Cores]:
    """Return the cores of each worker; more workers than cores share them, which doctors no figures but noise."""
    cores = usable_cores()
    if not apart or len(cores) == 1:
        return [Cores(core, core) for core in (cores * (workers or 1))[: workers or len(cores)]]
    pairs = [Cores(cores[at + 1], cores[at], DENSE_START_NS) for at in range(0, len(cores) - 1, 2)]
    return (pairs * (workers or 1))[: workers or len(pairs)]


class Pool:
    """Worker threads.

    Args:
        cores: Of each worker.
    """

    def __init__(self, cores: list[Cores]) -> None:
        self.workers = [Worker(number, each) for number, each in enumerate(cores)]
        self._line: deque[Task] = deque()
        self._change = threading.Condition()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, args=(worker,), name=f"worker-{worker.number}", daemon=True)
            for worker in self.workers
        ]

    def start(self) -> None:
        """Start working."""
        for thread in self._threads:
            thread.start()

    def put(self, task: Task, worker: Worker | None = None, first: bool = False) -> None:
        """Have a task done by any worker, or by a certain one; `first` before all that waits there.

        A task that raises is logged and forgotten: it has to say itself what became of it.
        """
        with self._change:
            line = worker.own if worker else self._line
            (line.appendleft if first else line.append)(task)
            if worker:
                self._change.notify_all()
            else:
                self._change.notify()

    def close(self, seconds: float) -> bool:
        """Let workers finish what they are at, but begin nothing; whether they did within a time."""
        with self._change:
            self._closed = True
            self._change.notify_all()
        end = time.monotonic() + seconds
        for thread in self._threads:
            if thread.ident:
                thread.join(max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    # -------------------------------------------------------------- the threads

    def _work(self, worker: Worker) -> None:
        mine = True
        while task := self._next(worker, mine):
            mine = not mine
            worker.busy = True
            try:
                task(worker)
            except Exception:  # the boundary of a worker: whatever is wrong with a task, the next one is done
                log.exception("a task failed on worker %d", worker.number)
            worker.busy = False

    def _next(self, worker: Worker, mine: bool) -> Task | None:
        with self._change:
            while not self._closed:
                lines = (worker.own, self._line) if mine else (self._line, worker.own)
                for line in lines:
                    if line:
                        return line.popleft()
                self._change.wait()
        return None
