"""A first-in, first-out queue in front of an engine: `submit` returns a Future."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.execution.engine import Engine, Worker

Result = TypeVar("Result")


class _Task(NamedTuple):
    work: Callable[[Worker], Any]
    future: Future[Any]


class WorkQueue:
    """Feeds the measuring workers of an engine, which stays open."""

    def __init__(self, engine: Engine, share_cores: bool) -> None:
        self._engine = engine
        self._share_cores = share_cores
        self._queue: SimpleQueue[_Task | None] = SimpleQueue()
        self._mutex = threading.Lock()
        self._open: set[Future[Any]] = set()  # futures that are not done
        self._closed = False
        self._reason: BaseException = SandboxError(
            "the work was not started",
            "the executor was closed first",
            "type the same command to continue",
        )
        self._thread = threading.Thread(target=self._serve, name="venus-queue", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Worker], Result]) -> Future[Result]:
        """Queue work and return at once."""
        future: Future[Result] = Future()
        with self._mutex:
            if not self._closed:
                self._open.add(future)
                self._queue.put(_Task(work, future))
                return future
        future.set_exception(self._reason)
        return future

    def close(self) -> None:
        """Wait for running work; work that has not started fails with a SandboxError."""
        self._refuse_more()
        self._thread.join()

    def _refuse_more(self) -> None:
        with self._mutex:
            self._closed = True
            # Under the lock, like every task, so that no task follows this sentinel.
            self._queue.put(None)

    def _serve(self) -> None:
        try:
            for _ in self._engine.measuring(
                self._process, iter(self._queue.get, None), self._share_cores
            ):
                pass
        # callers wait for every future, even when the interpreter shuts down
        except BaseException as error:
            self._reason = error
        finally:
            self._refuse_more()
            for future in self._open:
                future.set_exception(self._reason)

    def _process(self, task: _Task, worker: Worker) -> None:
        try:
            # The engine reads ahead, so a task may reach a worker after `close`.
            if self._closed:
                task.future.set_exception(self._reason)
            else:
                task.future.set_result(task.work(worker))
        except BaseException as error:  # the caller of `submit` gets every exception
            task.future.set_exception(error)
        self._open.discard(task.future)


def when_all(futures: list[Future[Any]], then: Callable[[], None]) -> None:
    """Call `then` once all futures are done, in the thread that completes the last one."""
    remaining, mutex = [len(futures)], threading.Lock()

    def on_done(_: object) -> None:
        with mutex:
            remaining[0] -= 1
            last = remaining[0] == 0
        if last:
            then()

    for future in futures:
        future.add_done_callback(on_done)
    if not futures:
        then()
