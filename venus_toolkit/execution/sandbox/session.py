"""One supervisor process seen as a session.

Inputs go in ahead of the answers, so that the supervisor never waits.
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
# By these a machine, a service manager or a terminal ends us, and maybe programs with us.
FROM_OUTSIDE = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
HINT_S = 0.02  # until such a signal, which came for all, has cancelled our scope
# beyond the wall time of a run: for its end, and for what has to be emptied after it
PATIENCE_S = 30.0


class Process(Protocol):
    """A running supervisor with its three streams: a process of this machine, or a container."""

    @property
    def stdin(self) -> IO[bytes]:
        """Takes requests."""

    @property
    def stdout(self) -> IO[bytes]:
        """Gives answers."""

    def last_words(self) -> str:
        """Return what a supervisor that stopped answering said of it, or its exit status."""

    def kill(self) -> None:
        """Kill it at once with all that runs in it.

        Whoever waits for an answer reads the end of them.
        """

    def end(self, idle: bool, spent: bool) -> None:
        """End it with all that runs in it.

        Args:
            idle: It has answered all requests.
            spent: It exits by itself, because something stayed behind that it could not empty.
        """


class SupervisedSession(Session):
    """Runs a program through a supervisor that `start` starts.

    Starts another when temporary files stayed behind.

    Args:
        start: Starts the supervisor.
        clean_up: Called once at the end, when no process of the session is left.
        make_room: Told the size of the largest input, which takes memory beside the program's.
        check: Called after a run that did not end well; raises SandboxError where that was not the
            program's doing.
        patience_s: A supervisor that answers nothing for so long is killed: somebody stopped it, or
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
        """Start the supervisor, which gets ready by itself."""
        self._running()

    def _running(self) -> Process:
        """Return the supervisor, which a cancelled scope kills; started where there is none."""
        if self._process is None:
            self._scope = current()
            self._scope.check()
            self._process = self._start()
            self._in_scope = self._scope.add(self._process.kill)
        return self._process

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        """Run the program on each input.

        A session that is left early is killed with what is still running.

        Raises:
            SandboxError: The supervisor did not start or stopped answering, or what the program
                needs is gone.
            KeyboardInterrupt: The scope of this thread was cancelled.
        """
        waiting = as_sequence(stdins)
        self._make_room(max(map(len, waiting), default=0))
        while waiting:
            done = 0
            process = self._running()
            self._unanswered = len(waiting)
            # In a thread: pipes are finite, and a single one could block on writing while answers
            # wait to be read.
            feeder = threading.Thread(target=_feed, args=(process, waiting), daemon=True)
            feeder.start()
            over = threading.Event()
            watchdog = threading.Thread(target=self._watch, args=(process, over), daemon=True)
            watchdog.start()
            try:
                for answer in (self._answer(process) for _ in range(len(waiting))):
                    if answer is None:
                        self._scope.check()
                        raise SandboxError(
                            "the sandbox stopped", process.last_words(), "type: venus doctor"
                        )
                    run, dirty = answer
                    if run.signal in FROM_OUTSIDE:
                        self._scope.sleep(HINT_S)
                    self._scope.check()
                    done += 1
                    self._unanswered -= 1
                    finished = done == len(waiting)
                    # After such an answer the supervisor exits by itself; inputs that are left go
                    # to another one.
                    if dirty:
                        self._stop(spent=True)
                    if not run.clean:
                        self._check()
                    yield run
                    if dirty and not finished:
                        break
            finally:
                if done < len(waiting):
                    self._stop()
                feeder.join()  # it has written everything, or its pipe is closed by now
                over.set()
                watchdog.join()
            waiting = waiting[done:]

    def _answer(self, process: Process) -> tuple[Run, bool] | None:
        self._reading = True
        try:
            return supervisor.read_answer(process.stdout)
        finally:
            self._reading = False

    def _watch(self, process: Process, over: threading.Event) -> None:
        silent_s, waiting = 0.0, self._unanswered
        # Step by step: where all of us were stopped for a while, nobody was silent.
        while not over.wait(WATCH_STEP_S):
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
        """End what is left of the session and free what it took."""
        try:
            self._stop()
        finally:
            self._clean_up()


class Child:
    """A supervisor that is a process of this machine, with pipes as its standard streams."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        # Nobody reads stderr while it works: a supervisor writes one line there, and only when it
        # fails.
        self.stdin, self.stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._process = process

    def last_words(self) -> str:
        """Return what it said on its standard error, or its exit status."""
        # Dead, it leaves an end to read: the stderr of a live process could be waited on for ever.
        self._process.kill()
        text = self._stderr.read().decode("utf-8", "replace").strip()
        return text or f"exit status {self._process.wait()}"

    def kill(self) -> None:
        """Kill it from within, which takes along whoever started it."""
        # One that was reaped may have left its number to another process.
        if self._process.returncode is None and not _kill_children(self._process.pid):
            self._process.kill()

    def end(self, idle: bool, spent: bool) -> None:
        """End the process: an idle supervisor ends with its requests, a busy one is killed from within.

        Whoever started the supervisor (bubblewrap, or its own outer half) then reaps it and ends:
        killed first, it would leave a zombie to the machine's init.
        """
        if idle:
            _close(self.stdin)
        # closing stdin would wait for the thread that writes to it
        elif not _kill_children(self._process.pid):
            self._process.kill()
        if not ends_within(self._process, GRACE_S):
            self._process.kill()
            self._process.wait()
        for pipe in (self.stdin, self.stdout, self._stderr):
            _close(pipe)


def ends_within(child: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether a child of ours ends within a time.

    The kernel says when, `Popen.wait` looks after 1, 3, 7, 15 ms.
    """
    # a kernel that cannot say it, or a Python built for one
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
    with contextlib.suppress(BrokenPipeError):  # requests that nobody will read
        pipe.close()


def _kill_children(pid: int) -> bool:
    """Kill the children of a process; returns whether there were any to be found."""
    children: list[str] = []
    # Not every kernel has this file, and a child may be gone before it is killed.
    with contextlib.suppress(OSError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for child in children:
            os.kill(int(child), signal.SIGKILL)
    return bool(children)


def _feed(process: Process, stdins: Sequence[bytes]) -> None:
    with contextlib.suppress(BrokenPipeError, ValueError):  # the session was stopped
        for stdin in stdins:
            process.stdin.write(supervisor.request_line(len(stdin)))
            process.stdin.write(stdin)  # apart: it may be large, and joined it would be there twice
        process.stdin.flush()
