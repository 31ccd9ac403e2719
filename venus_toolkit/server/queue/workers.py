"""The workers: threads with a core of their own, each doing one thing at a time.

Work for any worker waits in a fair queue; work for a certain one (a session lives on its core)
waits at that worker. A worker takes from both by turns, so that neither keeps the other waiting for
ever.
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


class Waiting(NamedTuple):
    """A task in the fair queue: its client, and whether it must run alone."""

    task: Task
    client: str | None  # None: it waited for one worker
    alone: bool = False


@dataclass(slots=True, eq=False)
class ClientShare:
    """What one client has: tasks that wait and run, and the workers' time that it was given."""

    waiting: deque[Waiting] = field(default_factory=deque)
    running: int = 0
    used_s: float = 0.0


class FairQueue:
    """Tasks of several clients, which have equal shares of the workers' time (not of the tasks).

    The next task is the oldest one of the client that was given the least time, where a task that
    still runs counts as long as the mean one, in which the latest weighs 5 %
    (start-time fair queueing: Goyal, Vin and Cheng, 1996).
    A client that was idle begins with the least of the others: being idle earns no credit. Callers
    hold a lock.
    """

    def __init__(self) -> None:
        self._shares: dict[str | None, ClientShare] = {}
        self._running = 0
        self._alone = False  # whether a task runs that wants no company
        self._mean_s = 0.1

    def put(self, waiting: Waiting, first: bool = False) -> None:
        """Add a task; `first` before the others of its client."""
        if waiting.client not in self._shares:
            least_s = min(map(self._given_s, self._shares.values()), default=0.0)
            self._shares[waiting.client] = ClientShare(used_s=least_s)
        line = self._shares[waiting.client].waiting
        (line.appendleft if first else line.append)(waiting)

    def take(self) -> Waiting | None:
        """Return the task that begins now; None where none does.

        That is so where none waits, one runs alone, or the next one has to wait until it is alone.
        """
        shares = [share for share in self._shares.values() if share.waiting]
        if not shares or self._alone:
            return None
        share = min(shares, key=lambda share: (self._given_s(share), share.running))
        if share.waiting[0].alone and self._running:
            return None
        taken = share.waiting.popleft()
        share.running += 1
        self._running += 1
        self._alone = taken.alone
        return taken

    def done(self, taken: Waiting, seconds: float) -> None:
        """Charge the client of a task that has ended."""
        share = self._shares[taken.client]
        share.running -= 1
        share.used_s += seconds
        self._running -= 1
        self._alone = False
        self._mean_s += 0.05 * (seconds - self._mean_s)
        if not share.waiting and not share.running:
            del self._shares[taken.client]

    def _given_s(self, share: ClientShare) -> float:
        return share.used_s + share.running * self._mean_s


class WorkerPool:
    """Worker threads."""

    def __init__(self, cores: list[Cores]) -> None:
        self.workers = [QueueWorker(number, each) for number, each in enumerate(cores)]
        self._queue = FairQueue()
        self._change = threading.Condition()
        self._closed = False
        self._scope = CancelScope()
        self._threads = [
            # Daemons: one that is still at work when `close` gives up must not keep the process
            # alive.
            threading.Thread(
                target=self._work, args=(worker,), name=f"worker-{worker.number}", daemon=True
            )
            for worker in self.workers
        ]

    def start(self) -> None:
        """Start working."""
        for thread in self._threads:
            thread.start()

    def put(self, task: Task, worker: QueueWorker) -> None:
        """Have a task done by a certain worker.

        A task that raises is logged and forgotten: it has to say itself what became of it.
        """
        with self._change:
            worker.own.append(task)
            # A single notify could wake another worker, which has no use for the task.
            self._change.notify_all()

    def put_for(self, client: str, task: Task, *, first: bool = False, alone: bool = False) -> None:
        """Have a task of a client done by whichever worker is free, when it is its turn.

        Args:
            client: Clients have equal shares of the workers' time.
            task: What to do, as for `put`.
            first: Before the client's other tasks.
            alone: While no other task of any client runs.
        """
        with self._change:
            self._queue.put(Waiting(task, client, alone), first)
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
            self._join(1.0)  # until the cancelled tasks have ended
        return finished

    def _join(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        for thread in self._threads:
            if thread.ident:  # `join` raises on a thread that was never started
                thread.join(max(0.0, end - time.monotonic()))

    def _work(self, worker: QueueWorker) -> None:
        self._scope.enter()
        mine = True  # whose turn it is: what waits for this worker alone, or for any
        while taken := self._next(worker, mine):
            mine = not mine
            worker.busy = True
            began = time.monotonic()
            try:
                taken.task(worker)
            except KeyboardInterrupt:  # it was cancelled, and says nothing of what it was at
                pass
            # the boundary of a worker: whatever is wrong with a task, the next one is done
            except Exception:
                log.exception("a task failed on worker %d", worker.number)
            worker.busy = False
            if taken.client is not None:
                with self._change:
                    self._queue.done(taken, time.monotonic() - began)
                    # others may have waited for its end, to be alone or to have company
                    self._change.notify_all()

    def _next(self, worker: QueueWorker, mine: bool) -> Waiting | None:
        with self._change:
            while not self._closed:
                if worker.own and mine:
                    return Waiting(worker.own.popleft(), None)
                if taken := self._queue.take():
                    return taken
                if worker.own:
                    return Waiting(worker.own.popleft(), None)
                self._change.wait()
        return None
