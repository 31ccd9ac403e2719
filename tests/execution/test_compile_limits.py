"""A compiler that exceeds a limit: the verdict is compile_error, and its reason names the limit."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import NS_PER_S, Run
from venus_toolkit.execution.judging.judge import compile_reason
from venus_toolkit.execution.sandbox import Compiled, Program, folders
from venus_toolkit.execution.sandbox.compiled import CompiledStore

CPP = load_languages()["cpp"]
ENDED = Run(
    exit_code=1, signal=None, limit=None, wall_ns=40 * NS_PER_S, cpu_ns=NS_PER_S, user_ns=0, system_ns=0,
    peak_bytes=0, peak_source="samples", cgroup_peak_bytes=None, integral_byte_ns=0,
    integral_error_byte_ns=0, samples=0, largest_gap_ns=0, processes=2, oom_kills=0, minor_faults=0,
    major_faults=0, voluntary_switches=0, involuntary_switches=0, stdout_cut=False, stderr_cut=False,
    containment="pid_namespace", accounting="cgroup", disagreement=None, instructions=None,
    uncounted=None, runnable_ns=0, stdout=b"", stderr=b"", trace=(),
)  # fmt: skip
KILLED = b"g++: fatal error: Killed signal terminated program as\ncompilation terminated.\n"
TOO_LARGE = b"g++: internal compiler error: File size limit exceeded signal terminated program as\n"


def accept_run(folder: Path, **changes: object) -> Compiled:
    folder.mkdir(exist_ok=True)
    run = dataclasses.replace(ENDED, **changes)  # type: ignore[arg-type]
    return folders.accept(Program(CPP, ""), folder, run, "/work")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"limit": "cpu"}, "error: the compiler exceeded its limit of 30 s of CPU time"),
        ({"limit": "wall"}, "error: the compiler exceeded its limit of 60 s"),
        ({"limit": "memory"}, "error: the compiler exceeded its limit of 4096 MiB of memory"),
        ({"limit": "output"}, "error: the compiler exceeded its limit of 64 MiB of messages"),
        ({"stderr": TOO_LARGE}, "error: the compiler exceeded its limit of 512 MiB of a file"),
        (
            {"stderr": KILLED, "cpu_ns": 28 * NS_PER_S},
            "error: the compiler exceeded its limit of 30 s of CPU time",
        ),
        # Killed for an unknown reason.
        ({"stderr": KILLED}, "g++: fatal error: Killed signal terminated program as"),
        ({"stderr": b"main.cpp:1: error: expected\n"}, "main.cpp:1: error: expected"),
    ],
)
def test_the_reason_names_the_limit(
    tmp_path: Path, changes: dict[str, object], reason: str
) -> None:
    compiled = accept_run(tmp_path / "program", **changes)
    assert not compiled.ok
    assert compile_reason(compiled.log) == reason


@pytest.mark.parametrize(("limit", "stored"), [("cpu", True), ("wall", False), ("memory", False)])
def test_only_cpu_time_failures_are_stored(tmp_path: Path, limit: str, stored: bool) -> None:
    store = CompiledStore(tmp_path / "store")
    program = Program(CPP, "")
    compiled = accept_run(tmp_path / "program", limit=limit, exit_code=None, signal=9)
    store.compile("ab", program, lambda: compiled)
    assert bool(store.find("ab", program)) == stored


def test_prepared_files_have_more_cpu_time() -> None:
    prepared = CPP.prepared
    assert prepared
    assert prepared.limits.cpu_ns > CPP.compile_limits.cpu_ns == 30 * NS_PER_S
    assert load_languages()["go"].compile_limits.cpu_ns == 60 * NS_PER_S
