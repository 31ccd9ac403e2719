"""No process of a run outlives its answer, and nothing of a session outlives the supervisor."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from venus_toolkit.core.records import NS_PER_MS, NS_PER_S, Limits, Run

Program = Callable[..., list[str]]
Start = Callable[..., object]
Called = Callable[[str], list[int]]
Eventually = Callable[..., bool]

KINDS = ["daemon", "session", "ignoring", "stopped", "busy", "zombies", "chain", "burst"]


@pytest.mark.parametrize("namespaces", [True, False], ids=["pid namespace", "subreaper"])
@pytest.mark.parametrize("kind", KINDS)
def test_no_process_remains_after_the_answer(
    program: Program, start: Start, called: Called, mark: str, kind: str, namespaces: bool
) -> None:
    session = start(
        program("leftover", kind, mark), limits=Limits(wall_ns=5 * NS_PER_S), namespaces=namespaces
    )
    for _ in range(2):
        run = session.run()
        assert called(mark) == []
        assert run.clean


def test_remaining_processes_are_detected(
    program: Program, start: Start, called: Called, eventually: Eventually, mark: str
) -> None:
    """Check that the search above can find a process."""
    session = start(program("leftover", "hang", mark), limits=Limits(wall_ns=2 * NS_PER_S))
    session.send()
    assert eventually(lambda: len(called(mark)) == 2)
    run, _ = session.answer()
    assert (run.limit, called(mark)) == ("wall", [])


@pytest.mark.parametrize("namespaces", [True, False], ids=["pid namespace", "subreaper"])
def test_fork_bomb(
    program: Program, start: Start, called: Called, mark: str, stranger: int, namespaces: bool
) -> None:
    shell = ["/bin/sh", "-c", "read -r line && exec $line"]
    limits = Limits(wall_ns=300 * NS_PER_MS, processes=40)
    session = start(
        shell, "--uid", str(stranger), "--gid", str(stranger), limits=limits, namespaces=namespaces
    )
    bomb = session.run(" ".join(program("leftover", "bomb", mark)).encode() + b"\n")
    assert called(mark) == []
    assert bomb.limit == "wall"
    assert bomb.processes <= 40
    after = session.run(" ".join(program("ending", "exit", 0)).encode() + b"\n")
    assert after.clean
    assert after.processes == 1


def test_processes_are_limited(program: Program, start: Start, mark: str, stranger: int) -> None:
    words = program("leftover", "forks", mark)
    session = start(
        words, "--uid", str(stranger), "--gid", str(stranger), limits=Limits(processes=20)
    )
    assert [int(session.run().stdout) for _ in range(3)] == [19] * 3


@pytest.mark.parametrize("user", ["root", "stranger"])
def test_killing_the_supervisor_ends_everything(
    program: Program,
    start: Start,
    called: Called,
    eventually: Eventually,
    mark: str,
    user: str,
    request: pytest.FixtureRequest,
) -> None:
    settings = {"user": request.getfixturevalue("stranger")} if user == "stranger" else {}
    session = start(
        program("leftover", "hang", mark), limits=Limits(wall_ns=60 * NS_PER_S), **settings
    )
    session.send()
    assert eventually(lambda: len(called(mark)) == 2)
    session.process.send_signal(signal.SIGKILL)
    assert eventually(lambda: not called(mark))


def test_killing_process_1_of_the_namespace_ends_everything(
    program: Program, start: Start, called: Called, eventually: Eventually, mark: str
) -> None:
    session = start(program("leftover", "hang", mark), limits=Limits(wall_ns=60 * NS_PER_S))
    session.send()
    assert eventually(lambda: len(called(mark)) == 2)
    pid = session.process.pid
    (inner,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    os.kill(int(inner), signal.SIGKILL)
    assert eventually(lambda: not called(mark))
    assert session.answer() is None
    assert session.process.wait(10) != 0


@pytest.mark.parametrize("namespaces", [True, False], ids=["pid namespace", "subreaper"])
def test_closed_stdin_ends_the_session_after_the_run(
    program: Program,
    start: Start,
    called: Called,
    eventually: Eventually,
    mark: str,
    namespaces: bool,
) -> None:
    limits = Limits(wall_ns=500 * NS_PER_MS)
    session = start(program("leftover", "hang", mark), limits=limits, namespaces=namespaces)
    session.send()
    assert eventually(lambda: len(called(mark)) == 2)
    session.process.stdin.close()
    answer = session.answer()
    assert answer
    assert answer[0].limit == "wall"
    assert session.process.wait(10) == 0
    assert called(mark) == []


def test_unread_answer_ends_the_session(
    program: Program, start: Start, called: Called, mark: str
) -> None:
    session = start(program("leftover", "hang", mark), limits=Limits(wall_ns=300 * NS_PER_MS))
    session.send()
    session.process.stdout.close()
    assert session.process.wait(20) == 0
    assert called(mark) == []


def test_cpu_time_of_leftover_processes_is_counted(
    program: Program, start: Start, mark: str
) -> None:
    session = start(program("leftover", "busy", mark))
    run: Run = session.run()
    assert run.cpu_ns >= 2 * NS_PER_MS
