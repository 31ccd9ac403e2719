"""Isolation of the supervisor from the program that it runs."""

from __future__ import annotations

import errno
import platform
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from venus_toolkit.core.records import Run

Program = Callable[..., list[str]]
Supervise = Callable[..., Run]

REFUSED = {errno.EPERM, errno.EACCES, errno.ESRCH, errno.ENOENT}
DENIED = [
    "shmget", "socket-vsock", "socket-netlink", "socket-packet", "process_vm_readv", "bpf", "perf_event_open",
    "userfaultfd", "io_uring_setup", "keyctl", "mount", "setns", "clone3", "clone", "unshare", "ptrace",
    "socket-inet", "socket-inet6", "affinity", "fadvise", "mincore", "utimensat", "preadv2", "clock", "hugetlb",
    "memfd_create", "pipe size",
]  # fmt: skip
ALLOWED = ["thread", "fork", "socket-unix", "socketpair", "limit", "priority"]


def told(run: Run) -> dict[str, int]:
    """Return the errno of each attempt from the output of ``forbidden``."""
    assert run.clean, run
    return {
        what: int(number)
        for what, number in (line.split(": ") for line in run.stdout.decode().splitlines())
    }


def test_the_program_has_three_descriptors(program: Program, supervise: Supervise) -> None:
    assert supervise(program("forbidden", "descriptors")).stdout == b"0\n1\n2\n"


def test_the_program_lists_three_descriptors(supervise: Supervise) -> None:
    """The fourth is the directory that ls itself reads."""
    assert supervise(["ls", "/proc/self/fd"]).stdout.split() == [b"0", b"1", b"2", b"3"]


def test_forged_record_is_ignored(
    program: Program, start: Callable[..., object], stranger: int
) -> None:
    """Lesson 7: the program cannot write to the log of measurements."""
    session = start(program("forbidden", "forge"), "--uid", str(stranger), "--gid", str(stranger))
    for _ in range(3):
        run = session.run()
        assert run.clean
        assert run.stdout.startswith(b'{"exit_code":0,')
        assert run.stdout.count(b"\n") == 1
        assert run.stderr == run.stdout
        assert (run.wall_ns > 1, run.peak_bytes > 1) == (True, True)


def test_process_1_is_out_of_reach_of_another_user(
    program: Program, supervise: Supervise, stranger: int
) -> None:
    run = supervise(
        program("forbidden", "process-1"), "--uid", str(stranger), "--gid", str(stranger)
    )
    assert {what: number for what, number in told(run).items() if number not in REFUSED} == {}


@pytest.mark.parametrize("filtered", [[], ["--seccomp"]], ids=["bare", "seccomp"])
def test_process_1_is_out_of_reach_of_its_own_user(
    program: Program, supervise: Supervise, stranger: int, filtered: list[str]
) -> None:
    """Without root, supervisor and program run as the same user.

    The kernel protects process 1 from signals inside its namespace.
    """
    run = supervise(program("forbidden", "process-1"), *filtered, user=stranger)
    answers = told(run)
    signals = ("kill", "stop", "terminate")
    assert {
        what: number
        for what, number in answers.items()
        if what not in signals and number not in REFUSED
    } == {}
    assert run.containment == "pid_namespace"


def test_process_1_is_not_slowed_or_limited_by_its_own_user(
    program: Program, supervise: Supervise, stranger: int
) -> None:
    """A program that reduces the supervisor's CPU time or descriptors could end its session without a verdict."""
    run = supervise(program("forbidden", "own-user"), "--seccomp", user=stranger)
    assert {what: number for what, number in told(run).items() if number not in REFUSED} == {}


def test_program_runs_as_the_given_user(supervise: Supervise, stranger: int) -> None:
    status = supervise(
        ["cat", "/proc/self/status"], "--uid", str(stranger), "--gid", str(stranger)
    ).stdout.decode()
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert fields["Uid"].split() == fields["Gid"].split() == [str(stranger)] * 4
    assert fields["Groups"].split() == []
    assert {int(fields[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {0}


def test_denied_system_calls_return_an_error(program: Program, supervise: Supervise) -> None:
    answers = told(supervise(program("forbidden", "system-calls"), "--seccomp"))
    assert [what for what in DENIED if answers[what] == 0] == []


def test_ordinary_system_calls_still_work(program: Program, supervise: Supervise) -> None:
    answers = told(supervise(program("forbidden", "system-calls"), "--seccomp"))
    assert {what: answers[what] for what in ALLOWED} == dict.fromkeys(ALLOWED, 0)


@pytest.mark.parametrize("what", ["shmget", "clone3", "clone", "unshare", "ptrace"])
def test_denied_system_calls_succeed_without_the_filter(
    program: Program, supervise: Supervise, what: str
) -> None:
    """Without the filter, the tests above would fail."""
    assert told(supervise(program("forbidden", "system-calls")))[what] == 0


@pytest.mark.skipif(
    platform.machine() != "x86_64", reason="this processor has one table of system calls"
)
def test_foreign_system_call_table_is_closed(program: Program, supervise: Supervise) -> None:
    run = supervise(program("forbidden", "foreign"), "--seccomp")
    assert (run.signal, run.stdout) == (signal.SIGSYS, b"")


def test_filter_applies_to_the_program_itself(supervise: Supervise) -> None:
    status = supervise(
        ["grep", "-E", "^(Seccomp|NoNewPrivs):", "/proc/self/status"], "--seccomp"
    ).stdout
    assert status.split() == [b"NoNewPrivs:", b"1", b"Seccomp:", b"2"]


def test_program_has_no_core_dumps_or_locked_memory(supervise: Supervise) -> None:
    """A limit of one byte is too small for a core file; unlike 0, it also disables a core dump handler."""
    limits = supervise(["cat", "/proc/self/limits"]).stdout.decode().splitlines()
    found = {line[:26].strip(): line[26:].split()[:2] for line in limits}
    assert found["Max core file size"] == ["1", "1"]
    assert found["Max locked memory"] == ["0", "0"]


@pytest.mark.parametrize("user", ["root", "stranger"])
def test_oom_killer_picks_the_program_first(
    supervise: Supervise, user: str, request: pytest.FixtureRequest
) -> None:
    settings = {"user": request.getfixturevalue("stranger")} if user == "stranger" else {}
    # Wait a moment: the kernel applies a score to all processes that share memory, as a child does
    # until its execve.
    words = ["sh", "-c", "sleep 0.2; cat /proc/self/oom_score_adj /proc/1/oom_score_adj; true"]
    ours = Path("/proc/self/oom_score_adj").read_text().split()
    assert supervise(words, **settings).stdout.decode().split() == ["1000", *ours]
