"""Scripts in tools/: remains of killed scripts, installation of a browser, and retries of tests."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WITH_DOCKER = str(ROOT / "tools/with-docker")
Eventually = Callable[..., bool]


def processes_of(folder: Path) -> list[str]:
    """Return the command lines of all processes that mention a folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue  # the process ended during the search
        if str(folder) in words:
            found.append(words)
    return found


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A temporary folder with a short name, since paths of sockets have at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="venus-tools-") as folder:
        yield Path(folder)


@pytest.fixture
def environment(temporary: Path) -> Mapping[str, str]:
    """The environment for with-docker; skips the test if no daemon can be started."""
    if os.geteuid() != 0 or not shutil.which("dockerd"):
        pytest.skip("this is not root, or dockerd is not installed")
    environment = {**os.environ, "TMPDIR": str(temporary)}
    done = subprocess.run([WITH_DOCKER, "true"], env=environment, capture_output=True, text=True)
    if done.returncode == 75:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    assert list(temporary.iterdir()) == []
    return environment


@pytest.mark.docker
@pytest.mark.slow
def test_killed_with_docker_leaves_nothing(
    environment: Mapping[str, str], temporary: Path, eventually: Eventually
) -> None:
    """Its daemon ends with it, and the next run removes its folder."""
    words = [WITH_DOCKER, "sh", "-c", "echo ready; exec sleep 60"]
    with subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        (room,) = temporary.glob("venus-docker-*")  # the daemon may create further files
        assert processes_of(room)
        process.kill()
        try:
            assert eventually(lambda: not processes_of(room)), processes_of(room)
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # the command that it ran
    subprocess.run([WITH_DOCKER, "true"], env=environment, check=True)
    assert list(temporary.iterdir()) == []
    assert str(temporary) not in Path("/proc/mounts").read_text()


BUILDING = """
import sys
from venus_toolkit.execution.machine import debian
debian._run(['sh', '-c', sys.argv[1]], 'no')
"""


def test_image_build_ends_with_its_parent(
    eventually: Eventually, called: Callable[[str], list[int]], mark: str
) -> None:
    """An orphaned package manager would fill the folder that the next build removes."""
    words = [sys.executable, "-c", BUILDING, f"echo {mark} > /proc/self/comm; sleep 60; true"]
    with subprocess.Popen(words, env={**os.environ, "PYTHONPATH": str(ROOT)}) as process:
        assert eventually(lambda: called(mark))
        process.kill()
    assert eventually(lambda: not called(mark))


# ------------------------------------------------------------------ setup-machine --browser


def run_without(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run setup-machine with only the programs of one folder and the essentials of a shell script."""
    for name in ("dirname", "sh", "env", "id"):
        (path / name).symlink_to(shutil.which(name) or "")
    said = {"capture_output": True, "text": True, "env": {"PATH": str(path)}}
    return subprocess.run(
        [shutil.which("sh") or "sh", ROOT / "tools/setup-machine", *words], **said
    )


def test_installed_browser_is_kept(tmp_path: Path) -> None:
    (tmp_path / "chromium").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "chromium").chmod(0o755)
    done = run_without(tmp_path, "--browser")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_browser_installation_fails(tmp_path: Path) -> None:
    done = run_without(tmp_path, "--browser")
    assert done.returncode == 0
    assert "cannot install chromium: there is no apt-get" in done.stderr
    assert "missing: chromium. Lost without it: the tests of pages" in done.stderr


# ------------------------------------------------------------------ tests that pass only on retry

FLAKY = """
from pathlib import Path
import pytest

@pytest.mark.parametrize("number", range({}))
def test_flaky(number, request):
    mark = Path(__file__).with_name(f"mark{{number}}")
    again = mark.exists()
    mark.touch()
    assert again
"""


@pytest.mark.parametrize(("flaky", "code"), [(0, 0), (1, 0), (6, 1)])
def test_flaky_tests_are_listed_and_limited(tmp_path: Path, flaky: int, code: int) -> None:
    (tmp_path / "test_it.py").write_text(FLAKY.format(flaky) + "\ndef test_good():\n    pass\n")
    words = [
        ROOT / "tools/pytest-twice",
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-c",
        os.devnull,
        "test_it.py",
    ]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    _, _, listed = done.stdout.partition("passed only on retry: ")
    assert [f"test_it.py::test_flaky[{number}]" in listed for number in range(flaky)] == [
        True
    ] * flaky
    assert bool(listed) == bool(flaky)
