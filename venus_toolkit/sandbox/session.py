"""One supervisor process seen as a session: inputs go in ahead of the answers, so that the supervisor never waits."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

from venus_toolkit import supervisor
from venus_toolkit.errors import SandboxError
from venus_toolkit.records import Run

GRACE_S = 2.0
Start = Callable[[], subprocess.Popen[bytes]]


class SupervisedSession:
    """Runs a program through a supervisor that `start` starts; starts another when temporary files stayed behind.

    Args:
        start: Starts the supervisor with pipes as its standard streams.
        clean_up: Called once at the end, when no process of the session is left.
        make_room: Told the size of the largest input, which takes memory beside the program's.
    """

    def __init__(
        self,
        start: Start,
        clean_up: Callable[[], None] = lambda: None,
        make_room: Callable[[int], None] = lambda size: None,
    ) -> None:
        self._start = start
        self._clean_up = clean_up
        self._make_room = make_room
        self._process: subprocess.Popen[bytes] | None = None
        self._unanswered = 0

    def __enter__(self) -> SupervisedSession:
        """Return the session itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the session."""
        self.close()

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        """Run the program on each input; a session that is left early is killed with what is still running.

        Raises:
            SandboxError: The supervisor did not start or stopped answering.
        """
        waiting = list(stdins)
        self._make_room(max(map(len, waiting), default=0))
        while waiting:
            done = 0
            process = self._process or self._start()
            self._process = process
            self._unanswered = len(waiting)
            feeder = threading.Thread(target=_feed, args=(process, waiting), daemon=True)
            feeder.start()
            try:
                for run, dirty in self._answers(process, len(waiting)):
                    done += 1
                    self._unanswered -= 1
                    finished = done == len(waiting)
                    if dirty:
                        self._stop()
                    yield run
                    if dirty and not finished:
                        break
            finally:
                if done < len(waiting):
                    self._stop()
                feeder.join()
            waiting = waiting[done:]

    def _answers(self, process: subprocess.Popen[bytes], count: int) -> Iterator[tuple[Run, bool]]:
        assert process.stdout
        for _ in range(count):
            answer = supervisor.read_answer(process.stdout)
            if answer is None:
                raise SandboxError("the sandbox stopped", self._last_words(process), "type: venus doctor")
            yield answer

    def _last_words(self, process: subprocess.Popen[bytes]) -> str:
        assert process.stderr
        process.kill()
        said = process.stderr.read().decode("utf-8", "replace").strip()
        return said or f"exit status {process.wait()}"

    def _stop(self) -> None:
        """End the process: an idle supervisor ends with its requests, a busy one is killed from within.

        Whoever started the supervisor (bubblewrap, or its own outer half) then reaps it and ends: killed first, it
        would leave a zombie to the machine's init.
        """
        process, self._process = self._process, None
        if process is None:
            return
        if not self._unanswered:
            _close(process.stdin)
        elif not _kill_children(process.pid):  # closing stdin would wait for the thread that writes to it
            process.kill()
        self._unanswered = 0
        try:
            process.wait(timeout=GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            _close(pipe)

    def close(self) -> None:
        """Kill what is left of the session and free what it took."""
        self._stop()
        self._clean_up()


def _close(pipe: IO[bytes] | None) -> None:
    if pipe:
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


def _feed(process: subprocess.Popen[bytes], stdins: list[bytes]) -> None:
    assert process.stdin
    with contextlib.suppress(BrokenPipeError, ValueError):  # the session was stopped
        for stdin in stdins:
            process.stdin.write(supervisor.request(stdin))
        process.stdin.flush()
