"""Standard streams: inputs and outputs are transferred completely and never block the program."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from venus_toolkit.core.records import MIB, NS_PER_S, Limits, Run

Program = Callable[..., list[str]]
Supervise = Callable[..., Run]

INPUTS = {
    "nothing": b"",
    "one byte": b"\0",
    "no newline": b"3 1 4",
    "like a request": b"run 4\nrun 0\n",
    "every byte": bytes(range(256)) * 3,
    "5 MB": random.Random(1).randbytes(5_000_000),
}


def pattern(count: int, step: int) -> bytes:
    """Return the output of ``io pattern``."""
    return bytes((at * step + at // 256) & 255 for at in range(count))


@pytest.mark.parametrize("stdin", INPUTS.values(), ids=INPUTS.keys())
def test_stdin_arrives_completely(program: Program, supervise: Supervise, stdin: bytes) -> None:
    run = supervise(program("io", "cat"), stdin=stdin)
    assert run.clean
    assert run.stdout == stdin


@pytest.mark.thorough
def test_arbitrary_bytes_roundtrip(program: Program, start: Callable[..., object]) -> None:
    session = start(program("io", "cat"))

    @settings(database=None, suppress_health_check=list(HealthCheck))
    @given(st.binary(max_size=2000))
    def check(stdin: bytes) -> None:
        assert session.run(stdin).stdout == stdin

    check()


def test_input_has_no_rest_of_a_longer_one(program: Program, start: Callable[..., object]) -> None:
    session = start(program("io", "cat"))
    assert session.run(b"a" * 100_000).stdout == b"a" * 100_000
    assert session.run(b"b").stdout == b"b"
    assert session.run(b"").stdout == b""


def test_unread_stdin(program: Program, supervise: Supervise) -> None:
    run = supervise(program("io", "unread"), stdin=b"x" * 5_000_000)
    assert run.clean
    assert run.stdout == b"did not look\n"


def test_stdin_is_a_file_with_an_end(program: Program, supervise: Supervise) -> None:
    assert supervise(program("io", "tail"), stdin=b"x" * 12345).stdout == b"12345 12345"


@pytest.mark.parametrize(
    ("out", "err"),
    [(0, 0), (1, 0), (0, 1), (200_000, 0), (0, 200_000), (200_000, 200_000), (3_000_001, 17)],
)
@pytest.mark.serial
def test_output_is_captured_exactly(
    program: Program, supervise: Supervise, out: int, err: int
) -> None:
    """Lesson 19: 200 kB of output do not block the run, and invalid UTF-8 is not an error."""
    run = supervise(program("io", "pattern", out, err))
    assert run.clean
    assert (run.stdout, run.stderr) == (pattern(out, 1), pattern(err, 7))
    assert (run.stdout_cut, run.stderr_cut) == (False, False)
    assert run.wall_ns < 5 * NS_PER_S


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 4097, 100_000])
def test_output_at_the_limit_is_complete(program: Program, supervise: Supervise, size: int) -> None:
    limits = Limits(output_bytes=max(size, 1))
    run = supervise(program("io", "pattern", size, size), limits=limits)
    assert run.clean
    assert (run.stdout, run.stdout_cut, run.stderr_cut) == (pattern(size, 1), False, False)


@pytest.mark.parametrize("limit", [1, 4095, 4096, 100_000])
def test_output_over_the_limit_is_truncated(
    program: Program, supervise: Supervise, limit: int
) -> None:
    limits = Limits(output_bytes=limit)
    run = supervise(program("io", "pattern", limit + 1, 0), limits=limits)
    assert (run.limit, run.stdout_cut, run.stderr_cut) == ("output", True, False)
    assert (run.stdout, run.stderr) == (pattern(limit, 1), b"")
    run = supervise(program("io", "pattern", limit, limit + 1), limits=limits)
    assert (run.limit, run.stdout_cut, run.stderr_cut) == ("output", False, True)
    assert (run.stdout, run.stderr) == (pattern(limit, 1), pattern(limit, 7))


def test_streams_may_be_closed(program: Program, supervise: Supervise) -> None:
    run = supervise(program("io", "close"))
    assert run.clean
    assert (run.stdout, run.stderr) == (b"", b"")


def test_output_of_a_killed_program_is_kept(program: Program, supervise: Supervise) -> None:
    limits = Limits(wall_ns=NS_PER_S)
    run = supervise(["/bin/sh", "-c", "echo before; echo said >&2; exec sleep 60"], limits=limits)
    assert (run.limit, run.stdout, run.stderr) == ("wall", b"before\n", b"said\n")


def test_stream_flags_do_not_reach_the_next_run(
    program: Program, start: Callable[..., object]
) -> None:
    session = start(program("io", "append"))
    runs = [session.run() for _ in range(3)]
    assert [run.stdout for run in runs] == [pattern(1000, 1)] * 3


def test_environment_is_passed(program: Program, supervise: Supervise) -> None:
    environment = {"PATH": "/usr/bin", "GREETING": "naïve\tand = signs", "EMPTY": ""}
    run = supervise(program("io", "environment"), environment=environment)
    lines = run.stdout.decode().splitlines()
    assert sorted(lines) == sorted(f"{name}={value}" for name, value in environment.items())


def test_arguments_are_passed(program: Program, supervise: Supervise) -> None:
    words = ["--", "--wall-ns", "a b", "", "$HOME", "ünï"]
    run = supervise(program("io", "arguments", *words))
    assert run.stdout.decode().splitlines() == words


def test_directory(program: Program, supervise: Supervise) -> None:
    assert supervise(program("io", "directory"), "--chdir", "/usr/bin").stdout == b"/usr/bin\n"


def test_a_program_is_found_in_path(supervise: Supervise) -> None:
    assert supervise(["true"], environment={"PATH": "/nowhere:/usr/bin:/bin"}).clean


def test_a_large_input_does_not_count_as_the_programs_memory(
    program: Program, supervise: Supervise
) -> None:
    run = supervise(
        program("io", "unread"), stdin=bytes(32 * MIB), limits=Limits(memory_bytes=8 * MIB)
    )
    assert run.clean
    assert run.peak_bytes < 4 * MIB
