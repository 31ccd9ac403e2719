"""Checks that time and count combined order programs at least as well as the better of the two.

python -m bench.joint [--languages cpp python ...] [--sessions 20] [--programs 30] [--step 1.03]
[--repeats 3] [--work 1] [--load 2] [--misses] [--limit-s 900]

Programs of bench/programs/steps, each with `step` times the work of the previous one, are counted
once and measured in sessions. During every second session, `load` processes compute in bursts for
half of the time. A line of JSON for each session has Kendall's tau with the true order by time, by
count and by both (`joint`), and the share of pairs that are apart. The last lines have the mean and
the minimum for each language, without and with the load. A language ends after `sessions` sessions
of each kind, or after `limit-s`.

With --misses every second program works on a table of 32 MB and takes longer than its count
suggests. The true order is then that of the median times over all sessions.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from bench.estimator import LANGUAGES, ProgramSet, counted
from bench.overhead import PROGRAMS
from tests.sessions import tau
from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.records import Limits, Measurement, TestCase
from venus_toolkit.execution.measuring.joint import join
from venus_toolkit.execution.measuring.ranking import costlier, costs_of
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.local import LocalSandbox

# For each language: the code that reads the number of steps, the code that replaces it, and the
# number of steps that take about 20 ms.
STEPS = {
    "cpp": ("std::cin >> steps", "steps = {}", 1_000_000),
    "go": ("fmt.Scan(&steps)", "steps = {}", 1_000_000),
    "java": ("new Scanner(System.in).nextInt()", "{}", 1_000_000),
    "javascript": ('Number(require("fs").readFileSync(0, "utf8"))', "{}", 500_000),
    "python": ("int(input())", "{}", 50_000),
    "ruby": ("gets.to_i", "{}", 50_000),
    "rust": ("line.trim().parse().unwrap()", "{}", 1_000_000),
}
TABLE, LARGE_TABLE = 4096, 1 << 23  # cells
# Computes and sleeps for exponentially distributed times with equal means.
BURSTS = """import random, sys, time
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    until = time.monotonic() + random.expovariate(10)
    while time.monotonic() < until:
        pass
    time.sleep(random.expovariate(10))
"""
FIGURES = {"time": "relative_time", "count": "instructions", "joint": "joint_time"}


def sources(language: str, programs: int, step: float, work: float, misses: bool) -> list[str]:
    """Return programs that each do `step` times the work of the previous one."""
    reading, setting, least = STEPS[language]
    (file,) = (PROGRAMS / "steps").glob(f"{language}.*")
    text = file.read_text()
    assert reading in text, f"{file} does not read its steps by {reading}"
    large = text.replace(str(TABLE), str(LARGE_TABLE)).replace(str(TABLE - 1), str(LARGE_TABLE - 1))
    return [
        (large if misses and number % 2 else text).replace(
            reading, setting.format(round(work * least * step**number))
        )
        for number in range(programs)
    ]


@contextmanager
def load(processes: int, limit_s: float) -> Iterator[None]:
    """Run `processes` processes that compute in bursts, for at most `limit_s` seconds."""
    argv = [sys.executable, "-c", BURSTS, str(limit_s)]
    children = [subprocess.Popen(argv) for _ in range(processes)]
    try:
        yield
    finally:
        for process in children:
            process.kill()
            process.wait()


def sessions(language: str, asked: argparse.Namespace) -> Iterator[tuple[int, list[Measurement]]]:
    """Yield the number of load processes of each session, and the costs of its programs."""
    codes = sources(language, asked.programs, asked.step, asked.work, asked.misses)
    end = time.monotonic() + asked.limit_s
    with LocalSandbox() as sandbox:
        compiled = [sandbox.compile(Program(LANGUAGES[language], code)) for code in codes]
        assert all(program.ok for program in compiled), compiled[0].log
        posed = ProgramSet(sandbox, compiled, [TestCase("only", "", "")], Limits())
        counts = counted(posed)
        for number in range(2 * asked.sessions if asked.load else asked.sessions):
            busy = asked.load * (number % 2)
            left_s = end - time.monotonic()
            if left_s <= 0:
                break
            try:
                with load(busy, left_s):
                    rounds = posed.session(asked.repeats)
            except SandboxError as error:
                print(f"session skipped: {error}", file=sys.stderr, flush=True)
                continue
            totals = [rounds.measured(place).total for place in range(len(compiled))]
            yield (
                busy,
                join(
                    [
                        replace(
                            total,
                            instructions=None if np.isnan(value) else round(value),
                            instructions_se=se / value,
                        )
                        for total, value, se in zip(totals, *counts, strict=True)
                    ]
                ),
            )


def line(measured: Sequence[Measurement], order: Sequence[int]) -> dict[str, float]:
    """Return tau with `order` (cheapest first) and the share of pairs apart, for each figure."""
    figures = {}
    for name, figure in FIGURES.items():
        costs = costs_of(measured, figure)
        figures[name] = tau(costs.value[np.array(order)])
        figures[f"{name}_apart"] = 2 * costlier(costs, costs).sum() / len(order) / (len(order) - 1)
    return {name: round(float(value), 4) for name, value in figures.items()}


def main() -> None:
    """Print a line for each session, and a summary for each language."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--languages", nargs="+", default=sorted(STEPS), choices=sorted(STEPS))
    for name, default in (("sessions", 20), ("programs", 30), ("repeats", 3), ("load", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, default_ in (("step", 1.03), ("work", 1.0), ("limit-s", 900.0)):
        parser.add_argument(f"--{name}", type=float, default=default_)
    parser.add_argument("--misses", action="store_true")
    asked = parser.parse_args()
    for language in asked.languages:
        measured_sessions = []
        for busy, measured in sessions(language, asked):
            measured_sessions.append((busy, measured))
            if not asked.misses:
                figures = line(measured, range(asked.programs))
                print(json.dumps({"language": language, "load": busy, **figures}), flush=True)
        order: Sequence[int] = range(asked.programs)
        if asked.misses and measured_sessions:
            times = np.array(
                [[program.relative_time for program in costs] for _, costs in measured_sessions],
                float,
            )
            order = np.argsort(np.median(times, axis=0)).tolist()
        lines = defaultdict(list)
        for busy, measured in measured_sessions:
            lines[busy].append(line(measured, order))
        for busy, session_lines in lines.items():
            means = {
                name: statistics.fmean(row[name] for row in session_lines)
                for name in session_lines[0]
            }
            means |= {f"least_{name}": min(row[name] for row in session_lines) for name in FIGURES}
            rounded = {name: round(value, 4) for name, value in means.items()}
            print(
                json.dumps(
                    {"language": language, "load": busy, "sessions": len(session_lines), **rounded}
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()
