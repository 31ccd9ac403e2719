"""Whether time and count together order programs at least as well as the better of both.

python -m bench.joint [--languages cpp python ...] [--sessions 20] [--programs 30] [--step 1.03]
[--repeats 3] [--work 1] [--load 2] [--misses] [--limit-s 900]

Programs of bench/programs/steps of which each does `step` times the work of the one before are
counted once and measured in sessions, every other one beside `load` processes that compute in
bursts, half of the time. A line of JSON for each session has Kendall's tau with the true order by
time, by count and by both (`joint`), and the share of pairs that both tell apart; the last lines
have the means and the least of each language, without and with the load. A language ends after so
many sessions of either kind, or after `limit-s`.

With --misses every other program works on a table of 32 MB: it takes longer than its count says.
The true order is then that of the medians of its times over all sessions.
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

from bench.estimator import LANGUAGES, Posed, counted
from bench.overhead import PROGRAMS
from tests.sessions import tau
from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.records import Limits, Measurement, TestCase
from venus_toolkit.execution.measuring.joint import join
from venus_toolkit.execution.measuring.ranking import costlier, costs_of
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.local import LocalSandbox

# For each language the words that read the number of steps, those that set it, and a number that
# takes about 20 ms.
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
# Computes for a time that is drawn, and sleeps as long on average.
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
    """Return programs of which each does `step` times the work of the one before."""
    read, told, steps = STEPS[language]
    (file,) = (PROGRAMS / "steps").glob(f"{language}.*")
    text = file.read_text()
    assert read in text, f"{file} does not read its steps by {read}"
    large = text.replace(str(TABLE), str(LARGE_TABLE)).replace(str(TABLE - 1), str(LARGE_TABLE - 1))
    return [
        (large if misses and number % 2 else text).replace(
            read, told.format(round(work * steps * step**number))
        )
        for number in range(programs)
    ]


@contextmanager
def load(processes: int, limit_s: float) -> Iterator[None]:
    """Let so many processes compute in bursts, for `limit_s` at most."""
    argv = [sys.executable, "-c", BURSTS, str(limit_s)]
    started = [subprocess.Popen(argv) for _ in range(processes)]
    try:
        yield
    finally:
        for each in started:
            each.kill()
            each.wait()


def sessions(language: str, asked: argparse.Namespace) -> Iterator[tuple[int, list[Measurement]]]:
    """Yield how many processes computed beside each session, and what its programs cost."""
    codes = sources(language, asked.programs, asked.step, asked.work, asked.misses)
    end = time.monotonic() + asked.limit_s
    with LocalSandbox() as sandbox:
        compiled = [sandbox.compile(Program(LANGUAGES[language], code)) for code in codes]
        assert all(each.ok for each in compiled), compiled[0].log
        posed = Posed(sandbox, compiled, [TestCase("only", "", "")], Limits())
        counts = counted(posed)
        for number in range(2 * asked.sessions if asked.load else asked.sessions):
            beside = asked.load * (number % 2)
            left_s = end - time.monotonic()
            if left_s <= 0:
                break
            try:
                with load(beside, left_s):
                    rounds = posed.session(asked.repeats)
            except SandboxError as error:
                print(f"a session less: {error}", file=sys.stderr, flush=True)
                continue
            totals = [rounds.measured(place).total for place in range(len(compiled))]
            yield (
                beside,
                join(
                    [
                        replace(
                            each,
                            instructions=None if np.isnan(value) else round(value),
                            instructions_se=se / value,
                        )
                        for each, value, se in zip(totals, *counts, strict=True)
                    ]
                ),
            )


def line(measured: Sequence[Measurement], order: Sequence[int]) -> dict[str, float]:
    """Return tau by each figure, with the order from the cheapest program on, and the pairs that are apart."""
    found = {}
    for name, figure in FIGURES.items():
        costs = costs_of(measured, figure)
        found[name] = tau(costs.value[np.array(order)])
        found[f"{name}_apart"] = 2 * costlier(costs, costs).sum() / len(order) / (len(order) - 1)
    return {name: round(float(value), 4) for name, value in found.items()}


def main() -> None:
    """Print a line for each session, and for each language what all of them come to."""
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
        found = []
        for beside, measured in sessions(language, asked):
            found.append((beside, measured))
            if not asked.misses:
                said = line(measured, range(asked.programs))
                print(json.dumps({"language": language, "load": beside, **said}), flush=True)
        order: Sequence[int] = range(asked.programs)
        if asked.misses and found:
            times = np.array([[each.relative_time for each in one] for _, one in found], float)
            order = np.argsort(np.median(times, axis=0)).tolist()
        lines = defaultdict(list)
        for beside, measured in found:
            lines[beside].append(line(measured, order))
        for beside, each in lines.items():
            means = {name: statistics.fmean(one[name] for one in each) for name in each[0]}
            means |= {f"least_{name}": min(one[name] for one in each) for name in FIGURES}
            rounded = {name: round(value, 4) for name, value in means.items()}
            print(
                json.dumps(
                    {"language": language, "load": beside, "sessions": len(each), **rounded}
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()
