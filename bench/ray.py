"""Overhead of Ray on one machine: interleaved builds by both engines, and empty calls."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.core.language import load_languages
from venus_toolkit.execution.engine import Engine, EngineOptions, WorkerEnvironment
from venus_toolkit.execution.engine.executor import open_engine
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

PAYLOAD = "x" * 2000


class EngineComparison(NamedTuple):
    """Median seconds of a build, seconds to start Ray, and milliseconds of a call."""

    local_s: float | None
    ray_s: float | None
    start_s: float
    local_call_ms: float
    ray_call_ms: float


def compare(folder: Path, rounds: int, plan: str = "bundled") -> EngineComparison:
    """Compare the engines; `rounds` 0 means no builds."""
    seconds: dict[str, list[float]] = {"local": [], "ray": []}
    for number in range(rounds):
        for name, times in seconds.items():
            times.append(_build(folder / f"{name}-{number}", name, plan))
    local_s, ray_s = (statistics.median(times) if times else None for times in seconds.values())
    python = load_languages()["python"]
    with open_sandbox("local", [python]) as sandbox:
        site = WorkerEnvironment(sandbox, (python,), {"python": sandbox.toolchain(python).version})
        here = _calls(lambda: open_engine(EngineOptions(), site))
        there = _calls(lambda: open_engine(EngineOptions("ray"), site))
    return EngineComparison(local_s, ray_s, there.start_s, here.call_ms, there.call_ms)


def _build(out: Path, engine: str, plan: str) -> float:
    words = ["build", "--lang", "cpp", "--plan", plan, "--engine", engine, "--out", str(out)]
    begun = time.monotonic()
    subprocess.run([sys.executable, "-m", "venus_toolkit", *words], capture_output=True, check=True)
    return time.monotonic() - begun


class _Calls(NamedTuple):
    start_s: float
    call_ms: float


def _calls(make: Callable[[], Engine], count: int = 500) -> _Calls:
    begun = time.monotonic()
    engine = make()
    ready = time.monotonic()
    try:
        for _ in engine.judging(
            lambda item, worker: worker.at(str(item % 8)).run(echo, PAYLOAD), range(count)
        ):
            pass
    finally:
        done = time.monotonic()
        engine.close()
    return _Calls(ready - begun, 1000 * (done - ready) / count)


def echo(sandbox: Sandbox, cores: Cores, text: str) -> str:
    """Return the text unchanged."""
    return text
