"""The workers: threads with their own cores, which run one task at a time.

Tasks for any worker wait in a fair queue; tasks for one worker, such as those of a session, wait in
its own queue. A worker alternates between the two, so that neither can starve the other.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from venus_toolkit.core.interruption import CancelScope
from venus_toolkit.execution.sandbox.supervisor import Cores

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class QueueWorker:
    """A worker: its number, cores, own queue, number of sessions, and whether it is busy."""

    number: int
    cores: Cores
    own: deque[Task] = field(default_factory=deque)
    sessions: int = 0
    busy: bool = False


Task = Callable[[QueueWorker], None]


class QueuedTask(NamedTuple):
    """A task in the fair queue: its client, and whether it must run alone."""

    task: Task
    client: str | None  # None: from the own queue of a worker
    alone: bool = False


@dataclass(slots=True, eq=False)
class ClientShare:
    """The tasks of one client that wait and run, and the workers' time that it has used."""

    waiting: deque[QueuedTask] = field(default_factory=deque)
    running: int = 0
    used_s: float = 0.0


class FairQueue:
    """Tasks of several clients, which have equal shares of the workers' time (not of the tasks).

    The next task is the oldest one of the client that has used the least time (start-time fair
    queueing: Goyal, Vin and Cheng, 1996). A running task is charged the average time of a task, a
    moving average in which the latest task weighs 5 %. A client that was idle starts with the
    least time of the others, so being idle earns no credit. Callers hold a lock.
    """

    def __init__(self) -> None:
        self._shares: dict[str | None, ClientShare] = {}
        self._running = 0
        self._alone = False  # whether the running task must run alone
        self._mean_s = 0.1

    def put(self, task: QueuedTask, first: bool = False) -> None:
        """Add a task; with `first`, before the other tasks of its client."""
        if task.client not in self._shares:
            least_s = min(map(self._used_s, self._shares.values()), default=0.0)
            self._shares[task.client] = ClientShare(used_s=least_s)
        tasks = self._shares[task.client].waiting
        (tasks.appendleft if first else tasks.append)(task)

    def take(self) -> QueuedTask | None:
        """Return the task to start now.

        None: no task waits, a task runs alone, or the next one must wait to run alone.
        """
        shares = [share for share in self._shares.values() if share.waiting]
        if not shares or self._alone:
            return None
        share = min(shares, key=lambda share: (self._used_s(share), share.running))
        if share.waiting[0].alone and self._running:
            return None
        task = share.waiting.popleft()
        share.running += 1
        self._running += 1
        self._alone = task.alone
        return task

    def done(self, task: QueuedTask, seconds: float) -> None:
        """Charge the client of a finished task."""
        share = self._shares[task.client]
        share.running -= 1
        share.used_s += seconds
        self._running -= 1
        self._alone = False
        self._mean_s += 0.05 * (seconds - self._mean_s)
        if not share.waiting and not share.running:
            del self._shares[task.client]

    def _used_s(self, share: ClientShare) -> float:
        return share.used_s + share.running * self._mean_s


class WorkerPool:
    """Worker threads."""

    def __init__(self, cores: list[Cores]) -> None:
        self.workers = [QueueWorker(number, pair) for number, pair in enumerate(cores)]
        self._queue = FairQueue()
        self._change = threading.Condition()
        self._closed = False
        self._scope = CancelScope()
        self._threads = [
            # Daemons: a thread that is still busy after `close` must not keep the process alive.
            threading.Thread(
                target=self._work, args=(worker,), name=f"worker-{worker.number}", daemon=True
            )
            for worker in self.workers
        ]

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def put(self, task: Task, worker: QueueWorker) -> None:
        """Queue a task for one worker.

        A task must report its own result: an exception is only logged.
        """
        with self._change:
            worker.own.append(task)
            # A single notify could wake another worker, which cannot run the task.
            self._change.notify_all()

    def put_for(self, client: str, task: Task, *, first: bool = False, alone: bool = False) -> None:
        """Queue a task of a client for any free worker.

        Args:
            client: The client; all clients have equal shares of the workers' time.
            task: The task, as for `put`.
            first: Run it before the client's other tasks.
            alone: Run it while no other task of any client runs.
        """
        with self._change:
            self._queue.put(QueuedTask(task, client, alone), first)
            self._change.notify()

    def close(self, seconds: float) -> bool:
        """Start no more tasks, and cancel running ones after some seconds.

        Returns:
            Whether all workers finished in time.
        """
        with self._change:
            self._closed = True
            self._change.notify_all()
        self._join(seconds)
        finished = not any(thread.is_alive() for thread in self._threads)
        if not finished:
            self._scope.cancel()
            self._join(1.0)  # until the cancelled tasks have ended
        return finished

    def _join(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        for thread in self._threads:
            if thread.ident:  # `join` raises on a thread that was never started
                thread.join(max(0.0, end - time.monotonic()))

    def _work(self, worker: QueueWorker) -> None:
        self._scope.enter()
        own_first = True
        while task := self._next(worker, own_first):
            own_first = not own_first
            worker.busy = True
            began = time.monotonic()
            try:
                task.task(worker)
            except KeyboardInterrupt:  # the task was cancelled
                pass
            # The boundary of a worker: a failing task must not stop the next one.
            except Exception:
                log.exception("a task failed on worker %d", worker.number)
            worker.busy = False
            if task.client is not None:
                with self._change:
                    self._queue.done(task, time.monotonic() - began)
                    # Other workers may have waited for a task that runs alone, or to run one.
                    self._change.notify_all()

    def _next(self, worker: QueueWorker, own_first: bool) -> QueuedTask | None:
        with self._change:
            while not self._closed:
                if worker.own and own_first:
                    return QueuedTask(worker.own.popleft(), None)
                if task := self._queue.take():
                    return task
                if worker.own:
                    return QueuedTask(worker.own.popleft(), None)
                self._change.wait()
        return None
