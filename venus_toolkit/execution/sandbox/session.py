"""A session on one supervisor process.

A thread writes all inputs without waiting for answers, so the supervisor never waits for an input.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Protocol

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.interruption import CancelScope, current
from venus_toolkit.core.records import Run
from venus_toolkit.execution.sandbox import Session, as_sequence, supervisor

GRACE_S = 2.0
WATCH_STEP_S = 1.0
# The system, a service manager or a terminal may send these to this process and to programs.
FROM_OUTSIDE = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
CANCELLATION_S = 0.02  # enough time for such a signal to cancel our scope
# In addition to the wall time of a run: for the supervisor's cleanup after it (seconds).
PATIENCE_S = 30.0


class Process(Protocol):
    """A running supervisor with its three streams: a process of this machine, or a container."""

    @property
    def stdin(self) -> IO[bytes]:
        """The stream of requests."""

    @property
    def stdout(self) -> IO[bytes]:
        """The stream of answers."""

    def error_message(self) -> str:
        """Return the error message or the exit status of a supervisor that stopped answering."""

    def kill(self) -> None:
        """Kill it and all its programs at once; `stdout` then ends."""

    def end(self, idle: bool, spent: bool) -> None:
        """End it and all its programs.

        Args:
            idle: Whether it has answered all requests.
            spent: Whether it exits by itself, because it could not remove temporary files.
        """


class SupervisedSession(Session):
    """Runs a program under a supervisor; replaces one that could not remove temporary files.

    Args:
        start: Starts a supervisor.
        clean_up: Called once at the end, when no process of the session is left.
        make_room: Called with the size of the largest input in bytes, which takes memory in
            addition to the program's.
        check: Called after a failed run; raises a SandboxError if the program is not to blame.
        patience_s: A supervisor that does not answer for this time is killed: it was stopped, or
            it hangs.
    """

    def __init__(
        self,
        start: Callable[[], Process],
        clean_up: Callable[[], None] = lambda: None,
        make_room: Callable[[int], None] = lambda size: None,
        check: Callable[[], None] = lambda: None,
        patience_s: float = math.inf,
    ) -> None:
        self._start = start
        self._clean_up = clean_up
        self._make_room = make_room
        self._check = check
        self._patience_s = patience_s
        self._process: Process | None = None
        self._scope: CancelScope = current()
        self._in_scope: object = None
        self._unanswered = 0
        self._reading = False

    def prepare(self) -> None:
        """Start the supervisor."""
        self._running()

    def _running(self) -> Process:
        """Return the supervisor, started if necessary; it is killed if the scope is cancelled."""
        if self._process is None:
            self._scope = current()
            self._scope.check()
            self._process = self._start()
            self._in_scope = self._scope.add(self._process.kill)
        return self._process

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        """Run the program on each input; the supervisor is killed if the caller stops early.

        Raises:
            SandboxError: The supervisor did not start or stopped answering, or a file that the
                program needs was removed.
            KeyboardInterrupt: The scope of this thread was cancelled.
        """
        waiting = as_sequence(stdins)
        self._make_room(max(map(len, waiting), default=0))
        while waiting:
            done = 0
            process = self._running()
            self._unanswered = len(waiting)
            # In a thread, because pipes are finite: a single thread could block on writing while
            # the supervisor blocks on its answers.
            feeder = threading.Thread(target=_feed, args=(process, waiting), daemon=True)
            feeder.start()
            finished = threading.Event()
            watchdog = threading.Thread(target=self._watch, args=(process, finished), daemon=True)
            watchdog.start()
            try:
                for answer in (self._answer(process) for _ in range(len(waiting))):
                    if answer is None:
                        self._scope.check()
                        raise SandboxError(
                            "the sandbox stopped", process.error_message(), "type: venus doctor"
                        )
                    run, dirty = answer
                    if run.signal in FROM_OUTSIDE:
                        self._scope.sleep(CANCELLATION_S)
                    self._scope.check()
                    done += 1
                    self._unanswered -= 1
                    complete = done == len(waiting)
                    # The supervisor exits after such an answer; another one gets the other inputs.
                    if dirty:
                        self._stop(spent=True)
                    if not run.clean:
                        self._check()
                    yield run
                    if dirty and not complete:
                        break
            finally:
                if done < len(waiting):
                    self._stop()
                feeder.join()  # it has written everything, or its pipe is closed
                finished.set()
                watchdog.join()
            waiting = waiting[done:]

    def _answer(self, process: Process) -> tuple[Run, bool] | None:
        self._reading = True
        try:
            return supervisor.read_answer(process.stdout)
        finally:
            self._reading = False

    def _watch(self, process: Process, finished: threading.Event) -> None:
        silent_s, waiting = 0.0, self._unanswered
        # In steps: if this process was stopped for a while, the supervisor was not silent.
        while not finished.wait(WATCH_STEP_S):
            silent = self._reading and waiting == self._unanswered
            silent_s = silent_s + WATCH_STEP_S if silent else 0.0
            waiting = self._unanswered
            if silent_s > self._patience_s:
                process.kill()
                return

    def _stop(self, spent: bool = False) -> None:
        process, self._process = self._process, None
        self._scope.discard(self._in_scope)
        if process:
            process.end(idle=not self._unanswered, spent=spent)
        self._unanswered = 0

    def close(self) -> None:
        """End the supervisor and free all resources."""
        try:
            self._stop()
        finally:
            self._clean_up()


class Child:
    """A supervisor process on this machine, with pipes as its standard streams."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        # stderr is not read during runs: a supervisor writes a single line, and only if it fails.
        self.stdin, self.stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._process = process

    def error_message(self) -> str:
        """Return its standard error, or its exit status."""
        # Killed first: the stderr of a live process might never end.
        self._process.kill()
        text = self._stderr.read().decode("utf-8", "replace").strip()
        return text or f"exit status {self._process.wait()}"

    def kill(self) -> None:
        """Kill its children, so that the processes around it end as well."""
        # The PID of a reaped process may already belong to another one.
        if self._process.returncode is None and not _kill_children(self._process.pid):
            self._process.kill()

    def end(self, idle: bool, spent: bool) -> None:
        """End the process: close the requests of an idle supervisor, or kill a busy one's children.

        The supervisor's parent (bubblewrap, or its own outer process) then reaps it and ends. A
        parent that was killed first would leave a zombie to the machine's init.
        """
        if idle:
            _close(self.stdin)
        # stdin is not closed: that would wait for the thread that writes to it
        elif not _kill_children(self._process.pid):
            self._process.kill()
        if not ends_within(self._process, GRACE_S):
            self._process.kill()
            self._process.wait()
        for pipe in (self.stdin, self.stdout, self._stderr):
            _close(pipe)


def ends_within(child: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether a child of this process ends within a time.

    A pidfd reports it at once, while `Popen.wait` polls with growing pauses.
    """
    # the kernel lacks pidfd, or Python was built on one that does
    with contextlib.suppress(OSError, AttributeError):
        descriptor = os.pidfd_open(child.pid)
        try:
            ended = select.poll()
            ended.register(descriptor, select.POLLIN)
            if not ended.poll(1000 * seconds):
                return False
        finally:
            os.close(descriptor)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(seconds)
    return child.returncode is not None


def _close(pipe: IO[bytes]) -> None:
    with contextlib.suppress(BrokenPipeError):  # the supervisor has ended
        pipe.close()


def _kill_children(pid: int) -> bool:
    """Kill the children of a process; returns whether there were any."""
    children: list[str] = []
    # Not every kernel has this file, and a child may end before it is killed.
    with contextlib.suppress(OSError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for child in children:
            os.kill(int(child), signal.SIGKILL)
    return bool(children)


def _feed(process: Process, stdins: Sequence[bytes]) -> None:
    with contextlib.suppress(BrokenPipeError, ValueError):  # the session was stopped
        for stdin in stdins:
            process.stdin.write(supervisor.request_line(len(stdin)))
            process.stdin.write(stdin)  # separately, to avoid a copy of a large input
        process.stdin.flush()
