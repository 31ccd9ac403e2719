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

from venus_toolkit.core.interruption import CancelScope
from venus_toolkit.execution.supervisor import Cores

log = logging.getLogger(__name__)
CANCEL_S = 1.0  # until tasks that were cancelled have ended


@dataclass(slots=True, eq=False)
class Worker:
    """A worker: its number, its cores, what waits for it alone, how many sessions it has, whether it is at work."""

    number: int
    cores: Cores
    own: deque[Task] = field(default_factory=deque)
    sessions: int = 0
    busy: bool = False


Task = Callable[[Worker], None]


class Pool:
    """Worker threads."""

    def __init__(self, cores: list[Cores]) -> None:
        self.workers = [Worker(number, each) for number, each in enumerate(cores)]
        self._line: deque[Task] = deque()
        self._change = threading.Condition()
        self._closed = False
        self._scope = CancelScope()
        self._threads = [
            # Daemons: one that is still at work when `close` gives up must not keep the process alive.
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
                # A single notify could wake another worker, which has no use for the task.
                self._change.notify_all()
            else:
                self._change.notify()

    def close(self, seconds: float) -> bool:
        """Let workers finish what they are at, but begin nothing; whether they did within a time.

        What is still under way then is cancelled.
        """
        with self._change:
            self._closed = True
            self._change.notify_all()
        self._join(seconds)
        finished = not any(thread.is_alive() for thread in self._threads)
        if not finished:
            self._scope.cancel()
            self._join(CANCEL_S)
        return finished

    def _join(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        for thread in self._threads:
            if thread.ident:  # `join` raises on a thread that was never started
                thread.join(max(0.0, end - time.monotonic()))

    def _work(self, worker: Worker) -> None:
        self._scope.enter()
        mine = True  # whose turn it is: what waits for this worker alone, or for any
        while task := self._next(worker, mine):
            mine = not mine
            worker.busy = True
            try:
                task(worker)
            except KeyboardInterrupt:  # it was cancelled, and says nothing of what it was at
                pass
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
