"""The number of problems that separate Python programs, with given tests and with searched inputs.

python -m bench.separation SOURCE [--search] [--slice 1/2] [--programs 5] [--tests 4]

SOURCE is coffe:FOLDER, or any other source of `venus build --source`. For each problem, Python
programs that agree on the tests are measured three times on the largest given tests. With --search
they are measured on separating inputs, which are searched by CPU time in the generator derived from
the statement. Prints a line of JSON for each problem. --summary summarises a file of such lines:
the problems whose programs all tie, and the mean share of pairs that are apart.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from bench.estimator import relative
from venus_toolkit.builders.functions import complete
from venus_toolkit.builders.inputs.derive import NotDerived
from venus_toolkit.builders.inputs.flat import derived
from venus_toolkit.builders.inputs.programs import generator_text
from venus_toolkit.builders.inputs.run_generator import large_sizes, more_inputs
from venus_toolkit.builders.quality.separating import CPU_NS, Search, separating, time_each
from venus_toolkit.builders.sources import Entry, choose_source
from venus_toolkit.builders.stages.inputs import described
from venus_toolkit.core.language import load_languages, render
from venus_toolkit.core.records import NS_PER_S, Problem, TestCase
from venus_toolkit.execution.judging.generators import Request
from venus_toolkit.execution.measuring.measure import measure_interleaved
from venus_toolkit.execution.measuring.ranking import separation
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox
from venus_toolkit.execution.sandbox.cores import quiet_cores
from venus_toolkit.execution.sandbox.local import LocalSandbox

PYTHON = load_languages()["python"]
TRIED = 30  # programs to run in search of agreeing ones
CANDIDATES = 12  # generated inputs


def with_programs(entry: Entry) -> tuple[Entry, Problem]:
    """Return an entry with complete Python programs, and its problem in the form for generators."""
    completed = complete(entry, {"python": PYTHON})
    entry = completed.entry
    runner = entry.problem.runners.get("python", "")
    mine = (solution for solution in entry.solutions if solution.language == "python")
    if entry.problem.style == "function":
        mine = (replace(one, code=render(runner, one.code)) for one in mine if runner)
    return entry._replace(solutions=tuple(mine)), described(completed)


def searched(
    sandbox: Sandbox, entry: Entry, problem: Problem, programs: Sequence[Program], count: int
) -> list[TestCase] | str:
    """Return separating inputs, or the reason why there are none."""
    try:
        candidates = derived(problem, [test.stdin for test in entry.tests], entry.solutions)
        source = generator_text(candidates.spec)
    except NotDerived as error:
        return str(error)
    limits, cores = problem.limits.changed(cpu_ns=NS_PER_S, wall_ns=4 * NS_PER_S), quiet_cores()

    def make(asked: Sequence[Request]) -> list[TestCase]:
        return more_inputs(sandbox, source, None, asked, cores)

    read_costs = partial(time_each, sandbox, cores, limits=limits)
    search = Search(
        programs,
        Program(PYTHON, PYTHON.empty) if PYTHON.empty else None,
        lambda one, tests: read_costs(program=one, stdins=[test.stdin for test in tests]),
        make,
        large_sizes(source),
        CPU_NS,
        problem.slug,
    )
    candidates = separating(
        search, make([Request("max", seed) for seed in range(CANDIDATES)]), count
    )
    return candidates or "fewer than two programs have costs on large inputs"


def agreeing(
    sandbox: Sandbox, entry: Entry, tests: Sequence[TestCase], most: int
) -> list[Compiled]:
    """Return programs with the most common outputs on all tests."""
    seen: list[tuple[Compiled, tuple[bytes, ...]]] = []
    for solution in entry.solutions[:TRIED]:
        compiled = sandbox.compile(Program(PYTHON, solution.code))
        with sandbox.session(compiled, entry.problem.limits) as session:
            runs = list(session.run([test.stdin.encode() for test in tests]))
        if all(run.clean for run in runs):
            seen.append((compiled, tuple(b"\n".join(run.stdout.split()) for run in runs)))
    usual = Counter(outputs for _, outputs in seen).most_common(1)
    return [compiled for compiled, outputs in seen if outputs == usual[0][0]][:most]


def line(sandbox: Sandbox, entry: Entry, most: int, count: int, search: bool) -> dict[str, Any]:
    """Return the figures of a problem."""
    entry, problem = with_programs(entry)
    largest = sorted(entry.tests, key=lambda test: -len(test.stdin))[:count]
    programs = agreeing(sandbox, entry, largest, most)
    figures: dict[str, Any] = {"problem": entry.problem.slug, "programs": len(programs)}
    if len(programs) < most:
        return {**figures, "why": "too few programs agree"}
    tests: list[TestCase] | str = largest
    if search:
        tests = searched(sandbox, entry, problem, [program.program for program in programs], count)
        if isinstance(tests, str):
            return {**figures, "why": tests}
        programs = agreeing(sandbox, entry, tests, most)
        if len(programs) < most:
            return {**figures, "why": "too few programs agree on large inputs"}
    rounds = measure_interleaved(
        sandbox, programs, tests, entry.problem.limits, MeasureOptions(repeats=3)
    )
    separated = separation(relative(rounds))
    return {
        **figures,
        "share": separated.share,
        "groups": separated.groups,
        "characters": [len(test.stdin) for test in tests],
    }


def summary(lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Summarise lines: how many problems separate programs, and how well."""
    known = [line for line in lines if line.get("share") is not None]
    return {
        "problems": len(lines),
        "measured": len(known),
        "all_tie": sum(line["groups"] == 1 for line in known),
        "no_pair_apart": sum(line["share"] == 0 for line in known),
        "mean_share": statistics.fmean(line["share"] for line in known),
        "why": Counter(line["why"] for line in lines if "why" in line),
    }


def main() -> None:
    """Print a line for each problem."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source")
    parser.add_argument("--search", action="store_true")
    parser.add_argument(
        "--slice",
        default="1/1",
        help="run a part of the problems, such as 2/4: the second of each four",
    )
    parser.add_argument("--programs", type=int, default=5)
    parser.add_argument("--tests", type=int, default=4)
    parser.add_argument("--summary", action="store_true", help="the source is a file of lines")
    asked = parser.parse_args()
    if asked.summary:
        print(
            json.dumps(
                summary([json.loads(item) for item in Path(asked.source).read_text().splitlines()])
            )
        )
        return
    first, every = map(int, asked.slice.split("/"))
    problems = choose_source(asked.source).read({"python": PYTHON})
    entries = [item for item in problems if isinstance(item, Entry)]
    with LocalSandbox() as sandbox:
        for entry in entries[first - 1 :: every]:
            print(
                json.dumps(line(sandbox, entry, asked.programs, asked.tests, asked.search)),
                flush=True,
            )
    print(f"{len(entries)} problems", file=sys.stderr)


if __name__ == "__main__":
    main()
