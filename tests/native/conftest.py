"""Controls the supervisor from outside: starts it with subprocess and speaks its protocol."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from venus_toolkit.core.records import Limits, Run
from venus_toolkit.execution.sandbox import supervisor
from venus_toolkit.execution.sandbox.supervisor import Sampling

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (Path(__file__).parent / "programs", ROOT / "bench" / "programs")
FLAGS = ("-O1", "-static", "-pthread", "-Wall", "-Wextra", "-Werror")
LIMITS, SAMPLING = Limits(), Sampling()
PATIENCE_S = 60
"""After so long a supervisor is killed, so that a hang is a failed test and not a hanging one."""


def request(stdin: bytes = b"") -> bytes:
    """Return the request for one run on `stdin`."""
    return supervisor.request_line(len(stdin)) + stdin


class Supervisor:
    """One supervisor process that runs one program on many inputs."""

    def __init__(
        self, words: Sequence[str], environment: Mapping[str, str], user: int | None
    ) -> None:
        privileges = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        self.process = subprocess.Popen(
            words, env=dict(environment), stdin=-1, stdout=-1, stderr=-1, cwd="/", **privileges
        )  # type: ignore[call-overload]
        self._watchdog = threading.Timer(PATIENCE_S, self.process.kill)
        self._watchdog.daemon = True
        self._watchdog.start()

    def send(self, stdin: bytes = b"") -> None:
        """Request a run on `stdin` without waiting for the answer."""
        self.process.stdin.write(request(stdin))
        self.process.stdin.flush()

    def answer(self) -> tuple[Run, bool] | None:
        """Read the next answer: the run, and whether the session ends with it."""
        return supervisor.read_answer(self.process.stdout)

    def run(self, stdin: bytes = b"") -> Run:
        """Run the program on `stdin`."""
        self.send(stdin)
        answer = self.answer()
        assert answer, self.last_words()
        return answer[0]

    def last_words(self) -> str:
        """End the supervisor and return its error messages."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        return self.process.stderr.read().decode()

    def close(self) -> None:
        """Wait for its end; kill it if it does not end."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._watchdog.cancel()
        self.process.stdout.close()
        self.process.stderr.close()


Open = Callable[..., Supervisor]


@pytest.fixture(scope="session")
def binary() -> str:
    """The supervisor, recompiled if its source is newer."""
    source, made = supervisor.SOURCE, supervisor.BINARY
    if not made.is_file() or made.stat().st_mtime < source.stat().st_mtime:
        command = ["make", "-C", str(ROOT), "native"]
        if not shutil.which("make"):
            command = ["gcc", f"@{source.with_suffix('.flags')}", "-o", str(made), str(source)]
        subprocess.run(command, check=True, capture_output=True)
    return str(supervisor.binary())


@pytest.fixture(scope="session")
def place() -> Iterator[Path]:
    """A folder that every user may enter, unlike pytest's temporary folders."""
    with tempfile.TemporaryDirectory(prefix="venus-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def folder(place: Path) -> Path:
    """An empty folder that every user may enter."""
    made = Path(tempfile.mkdtemp(dir=place))
    made.chmod(0o755)
    return made


@pytest.fixture(scope="session")
def program(place: Path) -> Callable[..., list[str]]:
    """Returns the argv of a C test program, compiled once: program("io", "cat")."""

    def compiled(name: str, *arguments: object) -> list[str]:
        made = place / name
        if not made.exists():
            (source,) = [found for folder in FOLDERS for found in folder.glob(f"{name}.c")]
            subprocess.run(["gcc", *FLAGS, "-o", str(made), str(source)], check=True)
        return [str(made), *map(str, arguments)]

    return compiled


@pytest.fixture
def start(binary: str) -> Iterator[Open]:
    """Starts supervisors, by default in separate PID namespaces, and closes them after the test."""
    with contextlib.ExitStack() as opened:

        def open_session(
            words: Sequence[str],
            *options: str,
            limits: Limits = LIMITS,
            sampling: Sampling = SAMPLING,
            environment: Mapping[str, str] | None = None,
            user: int | None = None,
            namespaces: bool = True,
        ) -> Supervisor:
            extra = [*(["--namespaces"] if namespaces else []), *options]
            command = supervisor.argv(binary, limits, words, sampling=sampling, extra=extra)
            session = Supervisor(command, environment or {"PATH": "/usr/bin:/bin"}, user)
            opened.callback(session.close)
            return session

        yield open_session


@pytest.fixture
def supervise(start: Open) -> Callable[..., Run]:
    """Runs a program once in a new session."""

    def run(words: Sequence[str], *options: str, stdin: bytes = b"", **settings: object) -> Run:
        session = start(words, *options, **settings)
        done = session.run(stdin)
        session.close()
        return done

    return run


@pytest.fixture(scope="session")
def stranger() -> int:
    """The id of an unprivileged user that no other process on this machine has."""
    if os.geteuid() != 0:
        pytest.skip("only root can start programs as another user")
    return 50_000 + os.getpid() % 10_000
