"""Requests and answers, failures of the supervisor, and sessions of many runs."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.records import NS_PER_S, Limits
from venus_toolkit.execution.sandbox import supervisor
from venus_toolkit.execution.sandbox.supervisor import Sampling

Program = Callable[..., list[str]]
Start = Callable[..., object]


def call(words: list[str], stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(words, input=stdin, capture_output=True, timeout=60)


def shell(script: str) -> list[str]:
    return ["/bin/sh", "-c", script]


# ------------------------------------------------------------------ failures of the supervisor


def test_version(binary: str) -> None:
    done = call([binary, "--version"])
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"venus-supervisor ")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "usage: venus-supervisor [OPTION...] -- PROGRAM [ARG...]"),
        (["--"], "usage: venus-supervisor [OPTION...] -- PROGRAM [ARG...]"),
        (["true"], "unknown option true"),
        (["--no-such-option", "--", "true"], "unknown option --no-such-option"),
        (
            ["--wall-ns", "soon", "--", "true"],
            "--wall-ns wants a number that is not negative, got soon",
        ),
        (
            ["--wall-ns", "-1", "--", "true"],
            "--wall-ns wants a number that is not negative, got -1",
        ),
        (
            ["--wall-ns", "1s", "--", "true"],
            "--wall-ns wants a number that is not negative, got 1s",
        ),
        (["--wall-ns", "", "--", "true"], "--wall-ns wants a number that is not negative, got "),
        (
            ["--wall-ns", "9" * 30, "--", "true"],
            "--wall-ns wants a number that is not negative, got 9999",
        ),
        (["--wall-ns"], "--wall-ns wants a number that is not negative, got nothing"),
        (["--wall-ns", "--", "true"], "--wall-ns wants a number that is not negative, got --"),
        (["--uid", "99999999999", "--", "true"], "--uid wants a number"),
        (["--chdir"], "--chdir wants"),
        (["--wipe"], "--wipe wants a directory"),
        (["--wipe", "/a"] * 9 + ["--", "true"], "--wipe wants a directory, at most 8 times"),
        (["join"], "usage: venus-supervisor join FILE... -- COMMAND [ARG...]"),
        (
            ["join", "/nowhere/cgroup.procs", "--", "true"],
            "cannot enter the cgroup /nowhere/cgroup.procs",
        ),
        (["join", "--", "/nowhere/program"], "cannot execute /nowhere/program: No such file"),
    ],
)
def test_bad_command_lines(binary: str, words: list[str], says: str) -> None:
    done = call([binary, *words])
    assert (done.returncode, done.stdout) == (3, b"")
    assert says in done.stderr.decode()
    assert done.stderr.startswith(b"venus-supervisor: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("namespaces", [[], ["--namespaces"]], ids=["bare", "namespaces"])
def test_unexecutable_program_is_a_sandbox_failure(
    binary: str, tmp_path: Path, namespaces: list[str]
) -> None:
    plain = tmp_path / "plain"
    plain.write_text("not a program")
    for path, why in ((Path("/nowhere/program"), "No such file"), (plain, "Permission denied")):
        done = call([binary, *namespaces, "--", str(path)], b"run 0\n")
        assert (done.returncode, done.stdout) == (3, b"")
        assert done.stderr.decode().startswith(f"venus-supervisor: cannot execute {path}: {why}")


def test_inaccessible_folder_is_a_sandbox_failure(binary: str) -> None:
    done = call([binary, "--chdir", "/nowhere", "--", "true"], b"run 0\n")
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"No such file" in done.stderr


@pytest.mark.parametrize(
    "words", [b"walk 4\n", b"run\n", b"run -1\n", b"run x\n", b"\n", b"run 1", b"9" * 100 + b"\n"]
)
def test_broken_requests(binary: str, words: bytes) -> None:
    done = call([binary, "--", "true"], words)
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"request" in done.stderr


def test_truncated_input_is_not_run(binary: str) -> None:
    done = call([binary, "--", "echo", "ran"], b"run 10\nabc")
    assert done.stdout == b""


def test_no_requests_no_answers(binary: str) -> None:
    done = call([binary, "--namespaces", "--", "true"])
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_truncated_answer_is_a_sandbox_failure(program: Program, binary: str) -> None:
    """Half an answer is not a run."""
    answer = call([binary, "--", *program("io", "pattern", 1000, 0)], b"run 0\n").stdout
    pieces = (answer[: len(answer) - 1], answer[:20] + b"\n", b"null\n", b"{}\n", b"\xff\n")
    for piece in pieces:
        read, write = os.pipe()
        with os.fdopen(read, "rb") as stream, os.fdopen(write, "wb") as feed:
            feed.write(piece)
            feed.close()
            with pytest.raises(SandboxError):
                supervisor.read_answer(stream)


# ------------------------------------------------------------------ join


def test_join_enters_the_groups_first(binary: str, tmp_path: Path) -> None:
    """Writing 0 to a cgroup's file adds the writing process; plain files show the write just as well."""
    procs = [tmp_path / "one", tmp_path / "two"]
    for file in procs:
        file.touch()
    done = call([binary, "join", *map(str, procs), "--", "cat", *map(str, procs)])
    assert (done.returncode, done.stdout) == (0, b"00")


# ------------------------------------------------------------------ many runs


def test_answers_come_in_order(program: Program, start: Start) -> None:
    session = start(program("io", "cat"))
    for number in range(100):
        session.send(b"%d" % number)
    assert [session.answer()[0].stdout for _ in range(100)] == [
        b"%d" % number for number in range(100)
    ]


@pytest.mark.serial
def test_an_answer_does_not_wait_for_the_next_run(start: Start) -> None:
    """A caller that stops at the first failure must not wait for later runs."""
    words = shell('read -r word; echo "$word"; [ "$word" = quick ] || exec sleep 60')
    session = start(words, limits=Limits(wall_ns=15 * NS_PER_S))
    requests = b"run 6\nquick\n" * 3 + b"run 5\nslow\n"
    began = time.monotonic()
    session.process.stdin.write(requests)
    session.process.stdin.flush()
    assert [session.answer()[0].stdout for _ in range(3)] == [b"quick\n"] * 3
    assert time.monotonic() - began < 10
    session.process.kill()


def resident_kib(pid: int) -> int:
    """Return the resident set of a process."""
    return next(
        int(line.split()[1])
        for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        if "VmRSS" in line
    )


def test_a_thousand_runs_leak_nothing(program: Program, start: Start) -> None:
    """With a limit of 40 descriptors, a leak of one per run would soon fail."""
    session = start(program("io", "cat"), namespaces=False)
    resource.prlimit(session.process.pid, resource.RLIMIT_NOFILE, (40, 40))
    session.run(b"first" * 50_000)
    before = resident_kib(session.process.pid)
    for number in range(1000):
        assert session.run(b"%d" % number).stdout == b"%d" % number
    assert resident_kib(session.process.pid) <= before + 128


def test_bursts_of_children_leak_nothing(program: Program, start: Start, mark: str) -> None:
    """The supervisor watches each process through a descriptor, and must close it even for short-lived ones."""
    session = start(
        program("leftover", "burst", mark), limits=Limits(processes=500), namespaces=False
    )
    resource.prlimit(session.process.pid, resource.RLIMIT_NOFILE, (400, 400))
    held = Path(f"/proc/{session.process.pid}/fd")
    if os.geteuid() != 0:
        pytest.skip("only root may see the descriptors of the supervisor")
    session.run()
    before = len(list(held.iterdir()))
    for _ in range(10):
        assert session.run().clean
    assert len(list(held.iterdir())) <= before


def test_large_outputs_are_not_kept(program: Program, start: Start) -> None:
    session = start(program("io", "pattern", 8_000_000, 0), namespaces=False)
    before = resident_kib(session.process.pid)
    for _ in range(5):
        assert len(session.run().stdout) == 8_000_000
    assert resident_kib(session.process.pid) <= before + 1024


def test_traces_of_many_runs(program: Program, start: Start) -> None:
    session = start(program("io", "cat"), sampling=Sampling(interval_ns=100_000, trace=True))
    assert all(session.run(b"x").trace for _ in range(50))


# ------------------------------------------------------------------ wiping


def test_wiped_folders_are_empty_for_the_next_run(start: Start, folder: Path) -> None:
    script = f"""cd {folder} && find . -mindepth 1 | wc -l
mkdir -p a/b/.c 'd e' && echo x > a/b/.c/f && ln -s / a/root && chmod 0 'd e'"""
    session = start(shell(script), "--wipe", str(folder))
    for _ in range(3):
        session.send()
        run, dirty = session.answer()
        assert (run.stdout.strip(), run.stderr, dirty) == (b"0", b"", False)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("what", ["ls", "touch x; rm x", "mkdir x", "true"])
def test_changed_folder_ends_the_session(start: Start, folder: Path, what: str) -> None:
    """Timestamps of the folder and inode numbers of its files would pass information to the next run."""
    session = start(shell(f"cd {folder} && {what}"), "--untouched", "--wipe", str(folder))
    session.send()
    run, dirty = session.answer()
    assert run.clean
    assert dirty == (what != "true")
    assert list(folder.iterdir()) == []


def test_wiping_follows_no_link(start: Start, folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("still here")
    session = start(shell(f"ln -s {tmp_path} {folder}/link"), "--wipe", str(folder))
    session.run()
    assert list(folder.iterdir()) == []
    assert kept.read_text() == "still here"


def test_slow_wipe_ends_the_session(start: Start, folder: Path) -> None:
    session = start(
        shell(f"cd {folder} && seq 50000 | xargs touch"),
        "--wipe",
        str(folder),
        limits=Limits(wall_ns=60 * NS_PER_S),
    )
    session.send()
    run, dirty = session.answer()
    assert run.clean
    assert dirty
    assert session.process.wait(10) == 0


def test_a_deep_folder_ends_the_session(start: Start, folder: Path) -> None:
    session = start(
        shell(f"cd {folder} && for i in $(seq 100); do mkdir d && cd d; done"),
        "--wipe",
        str(folder),
    )
    session.send()
    run, dirty = session.answer()
    assert run.clean
    assert dirty
    assert session.process.wait(10) == 0


def test_missing_folder_is_dirty(start: Start, place: Path) -> None:
    session = start(["true"], "--wipe", str(place / "missing"))
    session.send()
    run, dirty = session.answer()
    assert run.clean
    assert dirty
