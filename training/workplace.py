"""Where answers are tried: an engine that is fed as work comes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeVar

from venus_toolkit.engine import Engine, Seat
from venus_toolkit.errors import SandboxError

Result = TypeVar("Result")
TRIES = 2
CLOSED = SandboxError("the answer was not tried", "rewards were closed before", "go on from the last checkpoint")


class Job(NamedTuple):
    """A piece of work for a worker, and who hears of its end."""

    work: Callable[[Seat], Any]
    done: Future[Any]


class Workers:
    """Threads with a seat each: what they are given is begun in the order in which it came.

    Args:
        engine: Where seats are; it stays open.
        share_cores: A program and its sampler share a core.
    """

    def __init__(self, engine: Engine, share_cores: bool = True) -> None:
        self._engine = engine
        self._share_cores = share_cores
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._mutex = threading.Lock()
        self._taken: set[Future[Any]] = set()
        self._closed = False
        self._reason: BaseException = CLOSED
        self._thread = threading.Thread(target=self._serve, name="venus-rewards", daemon=True)
        self._thread.start()

    @property
    def count(self) -> int:
        """How many programs run at the same time, as far as that is known."""
        return self._engine.jobs if self._share_cores else max(1, self._engine.jobs // 2)

    def do(self, work: Callable[[Seat], Result]) -> Future[Result]:
        """Have a worker do something in its seat; returns at once."""
        done: Future[Result] = Future()
        with self._mutex:
            if not self._closed:
                self._queue.put(Job(work, done))
                return done
        done.set_exception(self._reason)
        return done

    def close(self) -> None:
        """End when the work that was begun is done; what was not begun fails as if the sandbox had."""
        self._close()
        self._thread.join()

    def _close(self) -> None:
        with self._mutex:
            self._closed = True
            self._queue.put(None)

    def _serve(self) -> None:
        try:
            for _ in self._engine.measuring(self._one, self._jobs(), self._share_cores):
                pass
        except BaseException as error:  # whoever waits must hear of it: at the latest, the interpreter is about to end
            self._reason = error
        finally:
            self._close()
            with suppress(Empty):
                while job := self._queue.get_nowait():
                    self._taken.add(job.done)
            for done in self._taken:
                done.set_exception(self._reason)

    def _jobs(self) -> Iterator[Job]:
        while job := self._queue.get():
            self._taken.add(job.done)
            yield job

    def _one(self, job: Job, seat: Seat) -> None:
        try:
            if self._closed:
                job.done.set_exception(self._reason)
            else:
                job.done.set_result(job.work(seat))
        except BaseException as error:  # whoever waits must hear of it, whatever it is
            job.done.set_exception(error)
        self._taken.discard(job.done)


def when_all(futures: Sequence[Future[Any]], then: Callable[[], None]) -> None:
    """Call `then` once all futures are done, however they ended: in the thread that ends the last one."""
    left, mutex = [len(futures)], threading.Lock()

    def one(_: object) -> None:
        with mutex:
            left[0] -= 1
            last = left[0] == 0
        if last:
            then()

    for future in futures:
        future.add_done_callback(one)
    if not futures:
        then()


def tried(work: Callable[[], Result]) -> Result:
    """Return what `work` returns; where the sandbox fails, it is tried once more.

    Raises:
        SandboxError: It failed again.
    """
    for _ in range(TRIES - 1):
        try:
            return work()
        except SandboxError:
            continue
    return work()
