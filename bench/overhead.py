"""Overhead of supervision, compared with a bare posix_spawn + wait4 loop over the same binary."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import NS_PER_S, Limits
from venus_toolkit.execution.sandbox import Compiled, File, Program, cgroups, supervisor
from venus_toolkit.execution.sandbox.cores import quiet_cores
from venus_toolkit.execution.sandbox.local import LocalSandbox
from venus_toolkit.execution.sandbox.session import Child, SupervisedSession
from venus_toolkit.execution.sandbox.supervisor import Sampling

PROGRAMS = Path(__file__).parent / "programs"
STDIN = b"1 2 3 4 5\n"


class Overhead(NamedTuple):
    """Nanoseconds per run, as medians over the rounds, and median ratios to the bare loop."""

    program: str
    floor_ns: float
    direct_ns: float
    sandbox_ns: float
    direct_ratio: float
    sandbox_ratio: float


def overhead(folder: Path, rounds: int, runs: int) -> list[Overhead]:
    """Compare interleaved bare, supervised and sandboxed runs of a C and a C++ program."""
    floor = build(folder, "floor.c", ["gcc", "-O2"])
    programs = [
        build(folder, "tiny.c", ["gcc", "-O2", "-static"]),
        build(folder, "tiny.cpp", ["g++", "-O2"]),
    ]
    (folder / "input").write_bytes(STDIN)
    names = ["static C", "dynamic C++"]
    with LocalSandbox() as sandbox:
        return [
            _compare(name, floor, program, folder, sandbox, rounds, runs)
            for name, program in zip(names, programs, strict=True)
        ]


def _compare(
    name: str,
    floor: Path,
    program: Path,
    folder: Path,
    sandbox: LocalSandbox,
    rounds: int,
    runs: int,
) -> Overhead:
    inside = _inside(sandbox, program)
    times: list[tuple[float, float, float]] = []
    for _ in range(rounds):
        with _direct(program) as direct, sandbox.session(inside, Limits(), quiet_cores()) as boxed:
            times.append(
                (
                    _floor(floor, program, folder, runs),
                    _per_run(direct, runs),
                    _per_run(boxed, runs),
                )
            )
    medians = [statistics.median(column) for column in zip(*times, strict=True)]
    ratios = [statistics.median(row[i] / row[0] for row in times) for i in (1, 2)]
    return Overhead(name, *medians, *ratios)


def parts(folder: Path, rounds: int, runs: int) -> dict[str, float]:
    """Return the nanoseconds per run of a static C program, with one more part of the sandbox each time.

    They are medians of interleaved rounds.
    """
    floor = build(folder, "floor.c", ["gcc", "-O2"])
    program = build(folder, "tiny.c", ["gcc", "-O2", "-static"])
    (folder / "input").write_bytes(STDIN)
    times: dict[str, list[float]] = {}
    with LocalSandbox() as sandbox:
        inside = _inside(sandbox, program)
        group = cgroups.make_cgroup(Limits().memory_bytes, Limits().processes)
        try:
            steps: dict[str, Callable[[], SupervisedSession]] = {
                "a supervisor": lambda: _direct(program),
                "its filter": lambda: _direct(program, ["--seccomp", "--hide"]),
            }
            if group:
                steps["a control group"] = lambda: _direct(program, ["--seccomp", "--hide"], group)
            steps["all of the sandbox"] = lambda: sandbox.session(inside, Limits(), quiet_cores())
            for _ in range(rounds):
                times.setdefault("nothing", []).append(_floor(floor, program, folder, runs))
                for name, step in steps.items():
                    with step() as session:
                        times.setdefault(name, []).append(_per_run(session, runs))
        finally:
            if group:
                group.remove()
    return {name: statistics.median(values) for name, values in times.items()}


def _inside(sandbox: LocalSandbox, program: Path) -> Compiled:
    """Store an executable in the sandbox as a compiled program."""
    language = replace(load_languages()["cpp"], compile_argv=("install", "given", "main"))
    return sandbox.compile(Program(language, "", (File("given", program.read_bytes()),)))


def build(folder: Path, source: str, command: list[str]) -> Path:
    """Compile one of the benchmark's programs."""
    target = folder / Path(source).name.replace(".", "_")
    subprocess.run([*command, "-o", str(target), str(PROGRAMS / source)], check=True)
    return target


def _floor(floor: Path, program: Path, folder: Path, runs: int) -> float:
    with (folder / "input").open("rb") as stdin:
        done = subprocess.run(
            [floor, str(runs), program],
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=-1,
            check=True,
        )
    return float(done.stderr)


def _direct(
    program: Path, options: Sequence[str] = (), group: cgroups.Cgroup | None = None
) -> SupervisedSession:
    fds = group.fds if group else {}
    own = [word for option, fd in fds.items() for word in (option, str(fd))]
    binary = str(supervisor.binary())
    words = supervisor.argv(
        binary,
        Limits(),
        [str(program)],
        cores=quiet_cores(),
        extra=["--namespaces", *options, *own],
    )
    if group:
        words = [binary, "join", *group.procs, "--", *words]
    start = partial(
        subprocess.Popen, words, stdin=-1, stdout=-1, stderr=-1, pass_fds=tuple(fds.values())
    )
    return SupervisedSession(lambda: Child(start()))


def _per_run(session: SupervisedSession, runs: int) -> float:
    list(session.run([STDIN]))  # starts the supervisor and warms up
    start = time.monotonic_ns()
    list(session.run([STDIN] * runs))
    return (time.monotonic_ns() - start) / runs


def sampling_share(folder: Path, interval_ns: int, seconds: float = 2.0) -> float:
    """Return the share of a core that the supervisor uses to watch a sleeping program."""
    words = supervisor.argv(
        str(supervisor.binary()),
        Limits(wall_ns=int(60 * NS_PER_S)),
        ["/bin/sleep", str(seconds)],
        sampling=Sampling(interval_ns=interval_ns),
        extra=["--namespaces"],
    )
    before = _children_cpu()
    subprocess.run(
        words,
        input=supervisor.request_line(0),
        stdout=subprocess.DEVNULL,
        check=True,
        env=dict(os.environ),
    )
    return (_children_cpu() - before) / seconds


def sleeping_share(folder: Path, interval_ns: int, seconds: float = 2.0) -> float:
    """Return the share of a core that a loop with the same number of sleeps uses."""
    loop = build(folder, "sleeper.c", ["gcc", "-O2", "-static"])
    before = _children_cpu()
    subprocess.run([loop, str(interval_ns), str(int(seconds * NS_PER_S))], check=True)
    return (_children_cpu() - before) / seconds


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
