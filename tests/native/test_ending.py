"""Ends of runs: exit codes, signals and limits; times have generous bounds."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest

from venus_toolkit.core.records import MIB, NS_PER_MS, NS_PER_S, Limits, Run

pytestmark = pytest.mark.serial

Program = Callable[..., list[str]]
Supervise = Callable[..., Run]

SHORT_WALL = Limits(wall_ns=200 * NS_PER_MS)
SHORT_CPU = Limits(cpu_ns=200 * NS_PER_MS, wall_ns=20 * NS_PER_S)
SMALL = Limits(memory_bytes=48 * MIB)


@pytest.mark.parametrize("code", [0, 1, 3, 127, 255])
def test_exit_code(program: Program, supervise: Supervise, code: int) -> None:
    run = supervise(program("ending", "exit", code))
    assert (run.exit_code, run.signal, run.limit) == (code, None, None)
    assert run.clean == (code == 0)


@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGABRT", "SIGFPE", "SIGTERM", "SIGPIPE"])
def test_signal(program: Program, supervise: Supervise, name: str) -> None:
    number = signal.Signals[name].value
    run = supervise(program("ending", "signal", number))
    assert (run.exit_code, run.signal, run.limit) == (None, number, None)


@pytest.mark.parametrize("action", ["hang", "ignore", "stop"])
def test_wall_limit(program: Program, supervise: Supervise, action: str) -> None:
    run = supervise(program("ending", action), limits=SHORT_WALL)
    assert (run.limit, run.exit_code, run.signal) == ("wall", None, signal.SIGKILL)
    assert SHORT_WALL.wall_ns <= run.wall_ns < 5 * NS_PER_S


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("burn", 15_000), id="alone"),
        pytest.param(("threads", 3, 15_000), id="threads"),
        pytest.param(("family", 3, 15_000), id="grandchildren"),
        pytest.param(("unwaited", 15_000), id="unwaited child"),
        pytest.param(("abandoned", 15_000), id="abandoned child"),
    ],
)
def test_cpu_limit_ends_the_run(
    program: Program, supervise: Supervise, words: tuple[object, ...]
) -> None:
    run = supervise(program("ending", *words), limits=SHORT_CPU)
    assert (run.limit, run.signal) == ("cpu", signal.SIGKILL)
    assert run.wall_ns < 10 * NS_PER_S


def test_cpu_limit_counts_successive_children(program: Program, supervise: Supervise) -> None:
    run = supervise(program("ending", "one-by-one", 8, 50), limits=SHORT_CPU)
    assert run.limit == "cpu"
    assert run.cpu_ns >= 200 * NS_PER_MS


def test_cpu_limit_ignores_waiting(program: Program, supervise: Supervise) -> None:
    limits = Limits(cpu_ns=100 * NS_PER_MS)
    run = supervise(program("memory", "touch", 1, 300), limits=limits)
    assert run.clean
    assert run.wall_ns > limits.cpu_ns


def test_memory_limit(program: Program, supervise: Supervise) -> None:
    run = supervise(program("memory", "endless"), limits=SMALL)
    assert (run.limit, run.signal) == ("memory", signal.SIGKILL)
    assert run.peak_bytes >= SMALL.memory_bytes


def test_memory_limit_catches_a_spike(program: Program, supervise: Supervise) -> None:
    run = supervise(program("memory", "spike", 64), limits=SMALL)
    assert run.limit == "memory"


def test_memory_limit_counts_all_processes_together(program: Program, supervise: Supervise) -> None:
    run = supervise(program("memory", "family", 3, 24, 3000), limits=SMALL)
    assert run.limit == "memory"
    assert run.wall_ns < 3 * NS_PER_S


def test_untouched_memory_does_not_count(program: Program, supervise: Supervise) -> None:
    run = supervise(program("memory", "untouched", 4096), limits=SMALL)
    assert run.clean
    assert run.peak_bytes < 4 * MIB


@pytest.mark.parametrize("descriptor", [1, 2])
def test_output_limit(program: Program, supervise: Supervise, descriptor: int) -> None:
    limits = Limits(output_bytes=MIB, file_bytes=64 * MIB)
    run = supervise(program("io", "flood", descriptor), limits=limits)
    assert run.limit == "output"
    assert (run.stdout_cut, run.stderr_cut) == (descriptor == 1, descriptor == 2)
    assert (len(run.stdout), len(run.stderr)) == ((MIB, 0) if descriptor == 1 else (0, MIB))
    assert run.wall_ns < 5 * NS_PER_S


def test_file_limit_before_output_limit(program: Program, supervise: Supervise) -> None:
    """If the file limit is not larger than the output limit, the kernel stops the program first.

    The run still counts as exceeding the output limit.
    """
    limits = Limits(output_bytes=MIB, file_bytes=1, wall_ns=3 * NS_PER_S)
    run = supervise(program("io", "flood", 1), limits=limits)
    assert (run.limit, run.stdout_cut, len(run.stdout)) == ("output", True, MIB)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        pytest.param(SHORT_WALL, ("ending", "hang"), id="wall"),
        pytest.param(SHORT_CPU, ("ending", "burn", 15_000), id="cpu"),
        pytest.param(SMALL, ("memory", "endless"), id="memory"),
    ],
)
def test_limit_does_not_affect_the_next_run(
    program: Program, start: Callable[..., object], limits: Limits, words: tuple[object, ...]
) -> None:
    session = start(["/bin/sh", "-c", "read -r words && exec $words"], limits=limits)
    assert session.run(" ".join(program(*words)).encode() + b"\n").limit
    run = session.run(" ".join(program("ending", "exit", 3)).encode() + b"\n")
    assert (run.exit_code, run.limit) == (3, None)
    assert run.peak_bytes < 16 * MIB
