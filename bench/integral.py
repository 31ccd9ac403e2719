"""Accuracy of the memory integral on programs that follow a known profile and log it themselves."""

from __future__ import annotations

import statistics
import subprocess
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

from bench.overhead import build
from venus_toolkit.core.records import KIB, MIB, Limits, Run
from venus_toolkit.execution.measuring.rounds import NS_BETWEEN_SAMPLES
from venus_toolkit.execution.sandbox import supervisor
from venus_toolkit.execution.sandbox.cores import SAMPLED, quiet_cores
from venus_toolkit.execution.sandbox.session import Child, SupervisedSession
from venus_toolkit.execution.sandbox.supervisor import Cores, Sampling

LONG = [(shape, 64 * MIB, 200) for shape in ("step", "ramp", "sawtooth", "spikes")]
SHORT = [
    ("ramp", 4 * MIB, 4),
    ("step", 4 * MIB, 4),
    ("ramp", 1 * MIB, 2),
    ("step", 1 * MIB, 1),
    ("ramp", 1 * MIB, 1),
]
SHARED = [("ramp", 64 * MIB, 200), ("ramp", 4 * MIB, 4), ("step", 4 * MIB, 4)]


class Accuracy(NamedTuple):
    """Errors relative to the program's own log: median, 90th percentile and largest, in percent.

    gap_ms is the median over the runs of the largest gap between samples.
    """

    shape: str
    wall_ms: float
    median_percent: float
    p90_percent: float
    largest_percent: float
    peak_error_kib: float
    gap_ms: float


def accuracy(folder: Path, repeats: int) -> list[Accuracy]:
    """Measure every profile `repeats` times, with the sampling of measured programs."""
    program = build(folder, "profile.c", ["gcc", "-O2", "-static"])
    return [
        _profile(program, shape, size, length, repeats) for shape, size, length in [*LONG, *SHORT]
    ]


def shared(folder: Path, repeats: int) -> dict[int, list[Accuracy]]:
    """Measure profiles with 1 to `SAMPLED` + 1 supervisors on one core; return errors by number.

    The programs, which sleep between their steps, share the other core of a pair.
    """
    program = build(folder, "profile.c", ["gcc", "-O2", "-static"])
    counts = range(1, SAMPLED + 2)
    return {
        count: [_profile(program, *profile, repeats, at_once=count) for profile in SHARED]
        for count in counts
    }


def _profile(
    program: Path,
    shape: str,
    size: int,
    milliseconds: int,
    repeats: int,
    at_once: int | None = None,
) -> Accuracy:
    command = [
        str(program),
        shape,
        str(size),
        str(milliseconds),
        *(["sleeping"] if at_once else []),
    ]

    def repeat(_: int) -> list[Run]:
        with _session(command, quiet_cores()) as session:
            return list(session.run([b""] * repeats))

    with ThreadPoolExecutor(at_once or 1) as pool:
        runs = list(chain(*pool.map(repeat, range(at_once or 1))))
    errors = sorted((100 * (run.integral_byte_ns / truth(run) - 1) for run in runs), key=abs)
    peaks = [(run.peak_bytes - _highest(run)) / KIB for run in runs]
    return Accuracy(
        f"{shape} {size // MIB} MiB {milliseconds} ms",
        statistics.median(run.wall_ns for run in runs) / 1e6,
        statistics.median(errors),
        errors[int(0.9 * (len(errors) - 1))],
        errors[-1],
        max(peaks, key=abs),
        statistics.median(run.largest_gap_ns for run in runs) / 1e6,
    )


def _session(command: list[str], cores: Cores) -> SupervisedSession:
    words = supervisor.argv(
        str(supervisor.binary()),
        Limits(),
        command,
        cores=cores,
        sampling=Sampling(NS_BETWEEN_SAMPLES),
        extra=["--namespaces"],
    )
    return SupervisedSession(lambda: Child(subprocess.Popen(words, stdin=-1, stdout=-1, stderr=-1)))


def _log(run: Run) -> tuple[int, list[tuple[int, int]]]:
    base, *lines = run.stdout.decode().splitlines()
    return int(base), [(int(at), int(size)) for at, size in map(str.split, lines)]


def _highest(run: Run) -> int:
    base, log = _log(run)
    return base + max(size for _, size in log)


def truth(run: Run) -> float:
    """Return the integral according to a run's own log, in byte-nanoseconds.

    Before and after the log, only the base was resident.
    """
    base, log = _log(run)
    inside = sum((a[1] + b[1]) / 2 * (b[0] - a[0]) for a, b in pairwise(log))
    return inside + base * run.wall_ns
