"""Container overhead: runs compared with a bare loop, whole solutions with the local sandbox."""

from __future__ import annotations

import statistics
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench.overhead import PROGRAMS, STDIN, _floor, _per_run, build
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.local_engine import LocalEngine
from venus_toolkit.execution.sandbox import Compiled, File, Program, Sandbox
from venus_toolkit.execution.sandbox.cores import quiet_cores
from venus_toolkit.execution.sandbox.docker import daemon
from venus_toolkit.execution.sandbox.opening import open_sandbox

SOLUTION = """#include <iostream>
#include <vector>
int main() {
    std::vector<long long> seen;
    for (long long x; std::cin >> x;) seen.push_back(x + SERIAL);
    long long sum = 0;
    for (long long x : seen) sum += x;
    std::cout << sum << std::endl;
}
"""


class Overhead(NamedTuple):
    """Nanoseconds per run: medians over the rounds, and the median of the rounds' ratios."""

    program: str
    floor_ns: float
    ns: float
    ratio: float


class BareLoop(NamedTuple):
    """A loop that only starts a program and waits for it, and the program."""

    floor: Path
    program: Path


class Throughput(NamedTuple):
    """Solutions per second, medians over the rounds, and the median of the rounds' ratios."""

    tests: int
    local: float
    docker: float
    ratio: float


def why_not() -> str | None:
    """Return the reason why Docker cannot be measured on this machine, or None."""
    problem = daemon.problem()
    if problem:
        return problem[0]
    from venus_toolkit.execution.sandbox.docker.language_images import missing_images

    return "there is no image for C++" if missing_images([load_languages()["cpp"]]) else None


def docker_overhead(folder: Path, rounds: int, runs: int) -> list[Overhead]:
    """Compare interleaved bare and container runs of a static C and a dynamic C++ program."""
    floor, cpp = build(folder, "floor.c", ["gcc", "-O2"]), load_languages()["cpp"]
    (folder / "input").write_bytes(STDIN)
    static = build(folder, "tiny.c", ["gcc", "-O2", "-static"])
    with open_sandbox("docker", [cpp]) as sandbox:
        own = sandbox.compile(Program(cpp, (PROGRAMS / "tiny.cpp").read_text()))
        precompiled = replace(cpp, compile_argv=("install", "given", "main"))
        other = sandbox.compile(Program(precompiled, "", (File("given", static.read_bytes()),)))
        # The bare loop runs the same binary as the container, with this machine's libraries.
        return [
            _compare("static C", sandbox, other, BareLoop(floor, static), rounds, runs),
            _compare(
                "dynamic C++", sandbox, own, BareLoop(floor, own.folder / "main"), rounds, runs
            ),
        ]


def _compare(
    name: str, sandbox: Sandbox, compiled: Compiled, bare: BareLoop, rounds: int, runs: int
) -> Overhead:
    times = []
    folder = bare.floor.parent
    with sandbox.session(compiled, Limits(), quiet_cores()) as boxed:
        _per_run(boxed, 1)  # the start of a session counts in the throughput below, not here
        for _ in range(rounds):
            times.append((_floor(bare.floor, bare.program, folder, runs), _per_run(boxed, runs)))
    ratio = statistics.median(boxed_ns / bare_ns for bare_ns, boxed_ns in times)
    return Overhead(
        name, *(statistics.median(column) for column in zip(*times, strict=True)), ratio
    )


def docker_throughput(solutions: int, tests: int, rounds: int) -> Throughput:
    """Compile and judge different C++ programs on tiny inputs, as a build does."""
    cpp = load_languages()["cpp"]
    speeds = []
    for number in range(rounds):
        names = ("local", "docker") if number % 2 == 0 else ("docker", "local")
        rates = {}
        for name in names:
            programs = [
                Program(cpp, SOLUTION.replace("SERIAL", f"{number + 1}{n:03}"))
                for n in range(solutions)
            ]
            with open_sandbox(name, [cpp]) as sandbox:
                start = time.monotonic()
                work = partial(_judge, sandbox, tests=tests)
                assert all(clean for _, clean in LocalEngine(sandbox).judging(work, programs))
                rates[name] = solutions / (time.monotonic() - start)
        speeds.append((rates["local"], rates["docker"]))
    ratio = statistics.median(docker / local for local, docker in speeds)
    return Throughput(
        tests, *(statistics.median(column) for column in zip(*speeds, strict=True)), ratio
    )


def _judge(sandbox: Sandbox, program: Program, worker: Worker, tests: int) -> bool:
    compiled = sandbox.compile(program, worker.cores)
    assert compiled.ok, compiled.log
    with sandbox.session(compiled, Limits(), worker.cores) as session:
        return all(run.clean for run in session.run([STDIN] * tests))
