"""The contract of every sandbox, as tests.

A new backend is one line in BACKENDS. Tests marked ``isolation`` require more than a backend
without isolation can give; all others hold for every backend. Programs are written in Python and
C++, so both have to be installed.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import functools
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from bench.chaos.traces import cgroups
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import MIB, NS_PER_S, Limits, Run
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox, bubblewrap
from venus_toolkit.execution.sandbox.docker import daemon
from venus_toolkit.execution.sandbox.opening import open_sandbox

PROGRAMS = Path(__file__).parent / "programs"
ROOT = Path(__file__).resolve().parents[2]


class Backend(NamedTuple):
    """One kind of sandbox.

    Attributes:
        isolates: Whether programs are isolated from this machine.
        problem: Returns the reason why the backend is not available here, or None.
        traces: Returns the leftovers of process `pid` on this machine: folders, control groups,
            containers.
        image: Whether programs see the files of an image.
        elsewhere: Whether a server provides folders and cores.
    """

    name: str
    isolates: bool
    problem: Callable[[], str | None]
    traces: Callable[[int], set[str]]
    image: bool = False
    elsewhere: bool = False

    @property
    def address(self) -> str:
        """The value of --sandbox."""
        return served() if self.name == "remote" else self.name

    def open(self) -> Sandbox:
        """Return a fresh sandbox of this kind."""
        return open_sandbox(self.address)


def bubblewrap_problem() -> str | None:
    """Return the reason why bubblewrap does not work here, or None."""
    problem = bubblewrap.isolation_problem()
    return f"{problem[0]}; {problem[1]}" if problem else None


def local_traces(pid: int) -> set[str]:
    """Return the temporary folders and control groups with a process's number in their name."""
    folders = Path(tempfile.gettempdir()).glob(f"venus-*-{pid}-*")
    return {str(folder) for folder in folders} | cgroups({pid})


def docker_problem() -> str | None:
    """Return the reason why no Docker daemon with images can be used here, or None."""
    problem = daemon.problem()
    if problem:
        return f"{problem[0]}; {problem[1]}"
    from venus_toolkit.execution.sandbox.docker.language_images import missing_images

    lacking = missing_images([load_languages()[name] for name in ("python", "cpp")])
    return f"there is no image of {', '.join(lacking)}" if lacking else None


def docker_traces(pid: int) -> set[str]:
    """Return the folders with a process's number in their name, and whether it has containers.

    The number of containers depends on the pool.
    """
    from venus_toolkit.execution.sandbox.docker import docker_client
    from venus_toolkit.execution.sandbox.docker.docker_client import connect

    folders = {str(folder) for folder in Path(tempfile.gettempdir()).glob(f"venus-*-{pid}-*")}
    with contextlib.closing(connect()) as client:
        makers = [
            docker_client.maker(container["Labels"]) for container in client.containers(all=True)
        ]
    return folders | {"containers" for maker in makers if maker and maker.pid == str(pid)}


@functools.cache
def served() -> str:
    """Return the address of a server that runs until the end of the tests."""
    folder = tempfile.TemporaryDirectory(prefix="served-")
    generous = ["--most-wall-s", "1000", "--body-mib", "300"]
    words = [
        sys.executable,
        "-m",
        "venus_toolkit",
        "serve",
        "--port",
        "0",
        "--queue",
        folder.name,
        *generous,
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)
    atexit.register(folder.cleanup)
    atexit.register(server.communicate)
    atexit.register(server.terminate)
    assert server.stdout
    return server.stdout.readline().strip()


def remote_problem() -> str | None:
    """Return the reason why a server with bubblewrap is not available here, or None."""
    if not importlib.util.find_spec("fastapi"):
        return "the extra `serve` is not installed"
    return bubblewrap_problem()


def remote_traces(pid: int) -> set[str]:
    """Return the state of all clients at the server, and the leftovers of a process here.

    Only the server knows which client belongs to which process.
    """
    with urllib.request.urlopen(f"{served()}/v1/status") as answer:
        sessions = json.load(answer)["sessions"]
    return {f"session {number}" for number in range(sessions)} | local_traces(pid)


def no_problem() -> str | None:
    """A backend that works everywhere."""
    return None


BACKENDS = (
    Backend("local", True, bubblewrap_problem, local_traces),
    Backend("unsafe", False, no_problem, local_traces),
    Backend("docker", True, docker_problem, docker_traces, image=True),
    Backend("remote", True, remote_problem, remote_traces, elsewhere=True),
)
ATTACKED = ("test_attacks", "test_isolation", "test_a_whole_build")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize each test with its backends."""
    if "backend" in metafunc.fixturenames:
        isolating = metafunc.definition.get_closest_marker("isolation")
        backends = [backend for backend in BACKENDS if backend.isolates or not isolating]
        if metafunc.definition.get_closest_marker("here"):
            backends = [backend for backend in backends if not backend.elsewhere]
        marked = [
            pytest.param(b, marks=pytest.mark.docker if b.name == "docker" else (), id=b.name)
            for b in backends
        ]
        metafunc.parametrize("backend", marked, indirect=True, scope="session")


@pytest.hookimpl(tryfirst=True)  # before -m and ../conftest.py read the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave tests to a thorough run if a quick run covers them elsewhere at less cost.

    A server runs programs in the sandbox `local` of its machine, where attacks are tested; the
    other tests cover what a server adds (sessions, files, tidiness). Without isolation, attacks on
    compilers are tested in two languages.
    """
    for item in items:
        if item.path.parent != Path(__file__).parent or not isinstance(item, pytest.Function):
            continue
        values = item.callspec.params if hasattr(item, "callspec") else {}
        backend, attack = values.get("backend"), values.get("attack")
        again = backend in BACKENDS and backend.elsewhere and item.path.stem in ATTACKED
        costly = attack and attack.kind == "compile" and attack.language not in ("cpp", "python")
        if again or (costly and not backend.isolates):
            item.add_marker(pytest.mark.only_thorough)


@pytest.fixture(scope="session")
def backend(request: pytest.FixtureRequest) -> Backend:
    """The kind of sandbox under test."""
    backend: Backend = request.param
    problem = backend.problem()
    if problem:
        pytest.skip(f"the sandbox {backend.name} is not available here: {problem}")
    return backend


@pytest.fixture(scope="session")
def sandbox(backend: Backend) -> Iterator[Sandbox]:
    """A sandbox that the tests share."""
    with backend.open() as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def program() -> Callable[[str, str], Program]:
    """Returns a program from its language and source.

    Its compiler has unusual limits, so the program is not in the user's store of compiled programs.
    """
    nonce_ns = time.time_ns() % NS_PER_S
    languages = {
        name: dataclasses.replace(
            language,
            compile_limits=language.compile_limits.changed(
                wall_ns=language.compile_limits.wall_ns + nonce_ns
            ),
        )
        for name, language in load_languages().items()
    }
    return lambda language, source: Program(languages[language], source)


@pytest.fixture(scope="session")
def compiled(
    sandbox: Sandbox, program: Callable[[str, str], Program]
) -> Callable[[str, str], Compiled]:
    """Compiles source in a language, and checks that it compiles."""

    def compile_it(language: str, source: str) -> Compiled:
        result = sandbox.compile(program(language, source))
        assert result.ok, result.log
        return result

    return compile_it


@pytest.fixture(scope="session")
def hostile(compiled: Callable[[str, str], Compiled]) -> Compiled:
    """A C++ program that does what the first line of its input names; see programs/hostile.cpp."""
    return compiled("cpp", (PROGRAMS / "hostile.cpp").read_text())


@pytest.fixture(scope="session")
def run(sandbox: Sandbox) -> Callable[..., list[Run]]:
    """Runs a compiled program on inputs in one session."""

    def runs(compiled: Compiled, *stdins: bytes, limits: Limits = LIMITS) -> list[Run]:
        with sandbox.session(compiled, limits) as session:
            return list(session.run(stdins))

    return runs


@pytest.fixture(scope="session")
def python(
    compiled: Callable[[str, str], Compiled], run: Callable[..., list[Run]]
) -> Callable[..., list[Run]]:
    """Runs Python source on inputs (by default an empty one) in one session."""
    return lambda source, *stdins, limits=LIMITS: run(
        compiled("python", source), *(stdins or (b"",)), limits=limits
    )


def descendants(pid: int) -> set[int]:
    """Return the processes below a process of this machine, in any namespace."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):  # the process ended in the meantime
            if folder.name.isdigit():
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(folder.name))
    pids, waiting = set(), [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        pids.update(below)
        waiting += below
    return pids


class Sight(NamedTuple):
    """A snapshot: our processes and traces here, and the output and cost of a quiet program."""

    processes: set[int]
    traces: set[str]
    found: list[str]
    run: Run


@pytest.fixture(scope="session")
def look(backend: Backend, sandbox: Sandbox) -> Callable[[str, Limits], Sight]:
    """Runs a quiet program of a language in the sandbox, and returns a snapshot."""
    languages = load_languages()

    def look(name: str, limits: Limits) -> Sight:
        language = languages[name]
        language = dataclasses.replace(
            language, compile_argv=("true",), run_argv=("sh", language.source_file)
        )
        probe = sandbox.compile(Program(language, (PROGRAMS / "probe.sh").read_text()))
        assert probe.ok, probe.log
        with sandbox.session(probe, limits) as session:
            (run,) = session.run([b"isolated" if backend.isolates else b"shared"])
        me = os.getpid()
        return Sight(
            descendants(me),
            backend.traces(me),
            run.stdout.decode().splitlines(),
            run.without_output(),
        )

    return look


@pytest.fixture(scope="session")
def undisturbed(
    look: Callable[[str, Limits], Sight],
) -> Callable[..., contextlib.AbstractContextManager[None]]:
    """Checks that a block leaves nothing behind and changes nothing for the next program.

    Its arguments are the language and limits of that program, since these decide which container
    runs it.
    """

    @contextlib.contextmanager
    def undisturbed(language: str = "python", limits: Limits = LIMITS) -> Iterator[None]:
        before = look(language, limits)
        yield
        after = look(language, limits)
        assert after.processes == before.processes, "processes remain"
        assert after.traces == before.traces, "traces remain"
        assert after.found == before.found
        assert is_like(after.run, before.run), (before.run, after.run)

    return undisturbed


def is_like(run: Run, before: Run) -> bool:
    """Whether the figures of a quick run equal those of an earlier one, within bounds."""
    return (
        run.clean
        and run.wall_ns < before.wall_ns + NS_PER_S
        and run.cpu_ns < before.cpu_ns + NS_PER_S // 2
        and run.processes == before.processes
        # Without isolation and on a busy machine, a run of a millisecond may have the peak of its
        # supervisor.
        and abs(run.peak_bytes - before.peak_bytes) < 4 * MIB
        and run.integral_byte_ns < (before.peak_bytes + 4 * MIB) * run.wall_ns
    )


@pytest.fixture(scope="session")
def like() -> Callable[[Run, Run], bool]:
    """Compares the figures of a quick run with those of an earlier one."""
    return is_like


LIMITS = Limits(wall_ns=20 * NS_PER_S, cpu_ns=20 * NS_PER_S, memory_bytes=256 * MIB)
