"""One supervisor process seen as a session: inputs go in ahead of the answers, so that the supervisor never waits."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Protocol

from venus_toolkit import supervisor
from venus_toolkit.errors import SandboxError
from venus_toolkit.records import Run
from venus_toolkit.sandbox.processes import ends_within

GRACE_S = 2.0


class Process(Protocol):
    """A running supervisor with its three streams: a process of this machine, or a container."""

    @property
    def stdin(self) -> IO[bytes]:
        """Takes requests."""
        ...

    @property
    def stdout(self) -> IO[bytes]:
        """Gives answers."""
        ...

    def last_words(self) -> str:
        """Return what a supervisor that stopped answering said of it, or its exit status."""
        ...

    def end(self, idle: bool, spent: bool) -> None:
        """End it with all that runs in it.

        Args:
            idle: It has answered all requests.
            spent: It exits by itself, because something stayed behind that it could not empty.
        """
        ...


class SupervisedSession:
    """Runs a program through a supervisor that `start` starts; starts another when temporary files stayed behind.

    Args:
        start: Starts the supervisor.
        clean_up: Called once at the end, when no process of the session is left.
        make_room: Told the size of the largest input, which takes memory beside the program's.
        check: Called after a run that did not end well; raises SandboxError where that was not the program's doing.
    """

    def __init__(
        self,
        start: Callable[[], Process],
        clean_up: Callable[[], None] = lambda: None,
        make_room: Callable[[int], None] = lambda size: None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._start = start
        self._clean_up = clean_up
        self._make_room = make_room
        self._check = check
        self._process: Process | None = None
        self._unanswered = 0

    def __enter__(self) -> SupervisedSession:
        """Return the session itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the session."""
        self.close()

    def prepare(self) -> None:
        """Start the supervisor, which gets ready by itself.

        Raises:
            SandboxError: It did not start.
        """
        self._process = self._process or self._start()

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        """Run the program on each input; a session that is left early is killed with what is still running.

        Raises:
            SandboxError: The supervisor did not start or stopped answering, or what the program needs is gone.
        """
        waiting = list(stdins)
        self._make_room(max(map(len, waiting), default=0))
        while waiting:
            done = 0
            process = self._process = self._process or self._start()
            self._unanswered = len(waiting)
            feeder = threading.Thread(target=_feed, args=(process, waiting), daemon=True)
            feeder.start()
            try:
                for run, dirty in self._answers(process, len(waiting)):
                    done += 1
                    self._unanswered -= 1
                    finished = done == len(waiting)
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
                feeder.join()
            waiting = waiting[done:]

    def _answers(self, process: Process, count: int) -> Iterator[tuple[Run, bool]]:
        for _ in range(count):
            answer = supervisor.read_answer(process.stdout)
            if answer is None:
                raise SandboxError("the sandbox stopped", process.last_words(), "type: venus doctor")
            yield answer

    def _stop(self, spent: bool = False) -> None:
        process, self._process = self._process, None
        if process:
            process.end(idle=not self._unanswered, spent=spent)
        self._unanswered = 0

    def close(self) -> None:
        """End what is left of the session and free what it took."""
        self._stop()
        self._clean_up()


class Child:
    """A supervisor that is a process of this machine, with pipes as its standard streams."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self.stdin, self.stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._process = process

    def last_words(self) -> str:
        """Return what it said on its standard error, or its exit status."""
        self._process.kill()
        said = self._stderr.read().decode("utf-8", "replace").strip()
        return said or f"exit status {self._process.wait()}"

    def end(self, idle: bool, spent: bool) -> None:
        """End the process: an idle supervisor ends with its requests, a busy one is killed from within.

        Whoever started the supervisor (bubblewrap, or its own outer half) then reaps it and ends: killed first, it
        would leave a zombie to the machine's init.
        """
        if idle:
            _close(self.stdin)
        elif not _kill_children(self._process.pid):  # closing stdin would wait for the thread that writes to it
            self._process.kill()
        if not ends_within(self._process, GRACE_S):
            self._process.kill()
            self._process.wait()
        for pipe in (self.stdin, self.stdout, self._stderr):
            _close(pipe)


def _close(pipe: IO[bytes]) -> None:
    with contextlib.suppress(BrokenPipeError):  # requests that nobody will read
        pipe.close()


def _kill_children(pid: int) -> bool:
    """Kill the children of a process; returns whether there were any to be found."""
    children: list[str] = []
    with contextlib.suppress(OSError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for child in children:
            os.kill(int(child), signal.SIGKILL)
    return bool(children)


def _feed(process: Process, stdins: list[bytes]) -> None:
    with contextlib.suppress(BrokenPipeError, ValueError):  # the session was stopped
        for stdin in stdins:
            process.stdin.write(supervisor.request(stdin))
        process.stdin.flush()
