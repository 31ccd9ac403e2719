"""One supervisor process seen as a session: inputs go in ahead of the answers, so that the supervisor never waits."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator

from venus_toolkit import supervisor
from venus_toolkit.errors import SandboxError
from venus_toolkit.records import Run

Start = Callable[[], subprocess.Popen[bytes]]


class SupervisedSession:
    """Runs a program through a supervisor that `start` starts; starts another when temporary files stayed behind.

    Args:
        start: Starts the supervisor with pipes as its standard streams.
        clean_up: Called once at the end, when no process of the session is left.
    """

    def __init__(self, start: Start, clean_up: Callable[[], None] = lambda: None) -> None:
        self._start = start
        self._clean_up = clean_up
        self._process: subprocess.Popen[bytes] | None = None

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
        while waiting:
            done = 0
            process = self._process or self._start()
            self._process = process
            feeder = threading.Thread(target=_feed, args=(process, waiting), daemon=True)
            feeder.start()
            try:
                for run, dirty in self._answers(process, len(waiting)):
                    done += 1
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
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr, process.stdin):
            if pipe:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def close(self) -> None:
        """Kill what is left of the session and free what it took."""
        self._stop()
        self._clean_up()


def _feed(process: subprocess.Popen[bytes], stdins: list[bytes]) -> None:
    assert process.stdin
    with contextlib.suppress(BrokenPipeError, ValueError):  # the session was stopped
        for stdin in stdins:
            process.stdin.write(supervisor.request(stdin))
        process.stdin.flush()
