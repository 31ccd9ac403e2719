"""A closed sandbox or a killed process leaves nothing behind, and missing tools are reported."""

from __future__ import annotations

import dataclasses
import glob
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from venus_toolkit.core.errors import EXIT_MACHINE, SandboxError, UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import NS_PER_S, Limits
from venus_toolkit.execution.sandbox import Program, bubblewrap
from venus_toolkit.execution.sandbox.opening import NAMES, open_sandbox

ROOT = Path(__file__).resolve().parents[2]
LIMITS = Limits(wall_ns=20 * NS_PER_S)
Make = Callable[[str, str], Program]


def descriptors() -> int:
    """Return the number of open files of this process."""
    return len(os.listdir("/proc/self/fd"))


def test_a_closed_sandbox_leaves_nothing(
    backend: object,
    program: Make,
    called: Callable[[str], list[int]],
    eventually: Callable[..., bool],
    mark: str,
) -> None:
    me = os.getpid()
    before, files = backend.traces(me), descriptors()
    source = (
        f"import ctypes, os\nctypes.CDLL(None).prctl(15, b'{mark}')\nos.fork()\nos.setsid()\n"
        "print(os.getpid())"
    )
    with backend.open() as sandbox:
        compiled = sandbox.compile(program("python", source))
        for _ in range(3):
            with sandbox.session(compiled, LIMITS) as session:
                assert len(list(session.run([b"", b""]))) == 2
                assert backend.traces(me) > before
        with sandbox.session(compiled, LIMITS):
            pass
        sandbox.compile(program("python", "print("))
    assert backend.traces(me) == before
    assert eventually(lambda: not called(mark))
    # fewer if another sandbox of this process has removed a container
    assert descriptors() <= files


def test_compiled_programs_stay_only_in_the_store(backend: object, program: Make) -> None:
    """The store is bounded (execution/test_compiled.py).

    A sandbox without isolation removes its own programs when it is closed.
    """
    if backend.elsewhere:
        pytest.skip("the store is on the server")
    with backend.open() as sandbox:
        assert sandbox.compile(program("python", "print('first')")).ok
        traces = backend.traces(os.getpid())
        compiled = sandbox.compile(program("python", "print('second')"))
        assert backend.traces(os.getpid()) == traces
        # Limited in depth, since an attack may have left deeply nested folders in a sandbox of this
        # process.
        depths = ("*.py", "*/*.py", "*/*/*.py")
        paths = [path for trace in traces for depth in depths for path in Path(trace).glob(depth)]
        temporary = [path for path in paths if path.parent != compiled.folder]
        assert not [path for path in temporary if path.read_text() == "print('second')"]
    assert compiled.folder.exists() == backend.isolates


def test_scratch_files_are_removed_with_the_sandbox(
    backend: object, program: Make, mark: str
) -> None:
    source = (
        f"import tempfile\npath = f'{{tempfile.gettempdir()}}/{mark}'\nopen(path, 'w').close()\n"
        "print(path)"
    )
    with (
        backend.open() as sandbox,
        sandbox.session(sandbox.compile(program("python", source)), LIMITS) as session,
    ):
        (run,) = session.run([b""])
    assert not Path(run.stdout.decode().strip()).exists()


@pytest.mark.here
def test_a_killed_compiler_leaves_nothing(mark: str) -> None:
    """Without isolation its temporary files would stay in /tmp."""
    language = load_languages()["cpp"]
    hasty = dataclasses.replace(
        language, compile_limits=language.compile_limits.changed(wall_ns=NS_PER_S)
    )
    source = f'asm("# {mark}\\n.rept 1000000000\\n.quad 1\\n.endr");\nint main() {{}}\n'
    with open_sandbox("unsafe") as sandbox:
        compiled = sandbox.compile(Program(hasty, source))
        assert (compiled.ok, compiled.run.limit) == (False, "wall")
    # Compilers of other tests may run there.
    process = subprocess.run(
        ["grep", "-ls", mark, *glob.glob("/tmp/cc*.s"), "/dev/null"], capture_output=True, text=True
    )
    assert process.stdout == ""


def test_a_sandbox_may_be_closed_twice(backend: object) -> None:
    sandbox = backend.open()
    sandbox.close()
    sandbox.close()


ENDLESS = """
import sys
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.opening import open_sandbox

name, mark = sys.argv[1:]
source = f"import ctypes, os, time\\nctypes.CDLL(None).prctl(15, b'{mark}')\\nos.fork(), os.setsid()\\ntime.sleep(3600)"
sandbox = open_sandbox(name)
compiled = sandbox.compile(Program(load_languages()["python"], source))
with sandbox.session(compiled, Limits(wall_ns=10**12)) as session:
    list(session.run([b""] * 100))
"""
FRESH = """
import sys
from venus_toolkit.execution.sandbox.opening import open_sandbox
open_sandbox(sys.argv[1]).close()
"""


def python(source: str, *words: str) -> subprocess.Popen[bytes]:
    """Start another Python on `source`."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", source, *words], env=environment, stderr=-1)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_process_leaves_nothing(
    backend: object,
    called: Callable[[str], list[int]],
    eventually: Callable[..., bool],
    mark: str,
    number: int,
) -> None:
    """Its programs die with it; opening the next sandbox removes its folder and control groups."""
    process = python(ENDLESS, backend.address, mark)
    try:
        assert eventually(lambda: len(called(mark)) == 2), (
            process.stderr.read() if process.poll() else "it hangs"
        )
        assert backend.traces(process.pid)
    finally:
        process.send_signal(number)
        process.wait()
        process.stderr.close()
    assert eventually(lambda: not called(mark))
    next_one = python(FRESH, backend.address)
    assert next_one.wait(60) == 0, next_one.stderr.read()
    next_one.stderr.close()
    assert eventually(lambda: backend.traces(process.pid) == set())


BURYING = """
import ctypes, os, sys, time
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.opening import open_sandbox

ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: adopt orphans, as init does
with open_sandbox(sys.argv[1]) as sandbox:
    source = "import sys, time\\ntime.sleep(60 if sys.stdin.read() == 'hang' else 0)"
    compiled = sandbox.compile(Program(load_languages()["python"], source))
    for stdins in ([b""], [b"", b"hang"], [b"hang"]):
        with sandbox.session(compiled, Limits(wall_ns=5 * 10**8)) as session:
            for run in session.run(stdins):
                break
time.sleep(0.3)
children = []
for name in filter(str.isdigit, os.listdir("/proc")):
    try:
        text = open(f"/proc/{name}/stat").read()
    except OSError:
        continue
    if int(text.rsplit(")", 1)[1].split()[1]) == os.getpid():
        children.append(text[:40])
print(*children, sep="; ")
"""


def test_no_zombies_remain(backend: object) -> None:
    """In many containers process 1 does not reap orphans, so ours would stay there for ever."""
    done = subprocess.run(
        [sys.executable, "-c", BURYING, backend.address],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().strip() == ""


def test_a_sandbox_in_use_is_not_swept(backend: object, program: Make) -> None:
    with backend.open() as sandbox:
        compiled = sandbox.compile(program("python", "print(1)"))
        with sandbox.session(compiled, LIMITS) as session:
            other = python(FRESH, backend.address)
            assert other.wait(60) == 0, other.stderr.read()
            other.stderr.close()
            assert [run.stdout for run in session.run([b""])] == [b"1\n"]


# ------------------------------------------------------------------ without the tools


@pytest.fixture
def isolation_checked_anew() -> Iterator[None]:
    """Clears the cached check of bubblewrap before and after the test."""
    bubblewrap.isolation_problem.cache_clear()
    yield
    bubblewrap.isolation_problem.cache_clear()


def refused(name: str) -> SandboxError:
    with pytest.raises(SandboxError) as caught:
        open_sandbox(name)
    return caught.value


@pytest.mark.usefixtures("isolation_checked_anew")
@pytest.mark.parametrize("name", ["auto", "local"])
def test_without_bubblewrap(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    which = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda word, *a, **k: None if word == "bwrap" else which(word, *a, **k)
    )
    error = refused(name)
    assert error.exit_code == EXIT_MACHINE
    assert error.what == "programs cannot be isolated on this machine"
    assert error.why == "bubblewrap (bwrap) is not installed"
    assert "apt-get install bubblewrap" in error.fix
    assert "--sandbox unsafe" in error.fix
    assert str(error).splitlines() == [f"{error.what}: {error.why}", error.fix]


@pytest.mark.usefixtures("isolation_checked_anew")
def test_with_a_bubblewrap_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"
    )
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    error = refused("local")
    assert error.why == "bubblewrap fails here (bwrap: No permissions to create new namespace)"
    assert "sysctl" in error.fix
    assert "--sandbox unsafe" in error.fix


def test_an_unknown_sandbox() -> None:
    with pytest.raises(UsageError) as caught:
        open_sandbox("chroot")
    assert caught.value.what == "unknown sandbox 'chroot'"
    assert all(name in caught.value.why for name in NAMES)
    assert caught.value.fix == "type: venus doctor"


@pytest.mark.isolation
def test_auto_isolates(backend: object) -> None:
    with open_sandbox("auto") as sandbox:
        assert sandbox.name != "unsafe"
