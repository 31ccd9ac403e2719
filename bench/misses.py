"""Tests whether instructions with simulated cache misses order C++ programs as CPU time does.

python -m bench.misses FOLDER [--rounds 6] [--problem NAME ...]

Each accepted C++ solution of the bundled corpus runs on two large inputs of its problem: natively,
in rounds, on one core of a quiet machine, and once under the emulator with the plugin misses.c. The
folder keeps inputs, binaries and simulations. A pair is two solutions of one problem whose CPU
times differ by a factor of 1.5; the slower one takes more than 5 ms. The benchmark counts the pairs
that instructions order as CPU time does, and the pairs that a weighted sum of instructions and
misses orders so. The weights are not negative; they are fitted to the CPU times of every second
problem and tested on the others, and vice versa. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.building import read_entry
from venus_toolkit.builders.inputs.run_generator import generate
from venus_toolkit.builders.sources.folder import CORPUS
from venus_toolkit.core.language import load_languages, render
from venus_toolkit.core.records import Expectation
from venus_toolkit.dataset.card.release_facts import CLEARLY
from venus_toolkit.execution.measuring.estimator import Floats
from venus_toolkit.execution.sandbox.emulator import OPTIONS, find_emulator
from venus_toolkit.execution.sandbox.local import LocalSandbox

LANGUAGES = load_languages()
CPP = LANGUAGES["cpp"]
INPUTS = 2
FIGURES = ("insn", "l1", "l2", "l3", "tlb1", "tlb2")
SHORTEST_S = 0.005  # minimum time of a pair's slower program: less is mostly process start
PATIENCE_S = 400


class Cost(NamedTuple):
    """The cost of a program on all inputs: CPU time in seconds, and FIGURES."""

    cpu_s: float
    figures: Floats


def prepare(folder: Path, problem: Path) -> None:
    """Write the inputs of a problem and compile its solutions, unless they exist."""
    folder.mkdir(parents=True, exist_ok=True)
    entry = read_entry(problem, LANGUAGES)
    if not (folder / f"in{INPUTS - 1}").exists():
        with LocalSandbox() as sandbox:
            tests = [
                test
                for test in generate(sandbox, entry.problem, 20, 0).tests
                if test.size in ("large", "worst")
            ]
        for number, test in enumerate(tests[:INPUTS]):
            (folder / f"in{number}").write_text(test.stdin)
    for solution in entry.solutions:
        name = solution.solution_id.rpartition("/")[2]
        program = folder / f"{name}.bin"
        if (
            solution.language != CPP.id
            or solution.expected != Expectation.ACCEPTED
            or program.exists()
        ):
            continue
        runner = entry.problem.runners.get(CPP.id)
        source = folder / f"{name}.cpp"
        source.write_text(render(runner, solution.code) if runner else solution.code)
        # A temporary name until it is complete, so that an interrupted compilation is repeated.
        half = folder / f"{name}.part"
        subprocess.run(["g++", "-O2", "-std=gnu++20", "-o", half, source], check=True)
        half.rename(program)


def simulate(folder: Path, plugin: Path) -> None:
    """Run each program of a problem with the plugin, unless its result exists.

    Programs that take longer than PATIENCE_S are omitted.
    """
    for program in sorted(folder.glob("*.bin")):
        for number in range(INPUTS):
            out = program.with_suffix(f".{number}.json")
            if out.exists():
                continue
            half = out.with_suffix(".part")
            argv = [find_emulator().program, *OPTIONS, "-plugin", f"{plugin},out={half}", program]
            with (folder / f"in{number}").open("rb") as stdin:
                try:
                    subprocess.run(
                        argv, stdin=stdin, stdout=subprocess.DEVNULL, timeout=PATIENCE_S, check=True
                    )
                except subprocess.TimeoutExpired:
                    break
            half.rename(out)


def cpu_s(program: Path, stdin: Path) -> float:
    """Return the CPU time of one run in seconds.

    Raises:
        CalledProcessError: The program failed.
    """
    with stdin.open("rb") as file:
        process = subprocess.Popen([program], stdin=file, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, str(program))
    return usage.ru_utime + usage.ru_stime


def costs(folder: Path, rounds: int) -> list[Cost]:
    """Return the costs of the programs of a problem that were simulated on every input."""
    programs = [
        program
        for program in sorted(folder.glob("*.bin"))
        if all(program.with_suffix(f".{number}.json").exists() for number in range(INPUTS))
    ]
    inputs = [folder / f"in{number}" for number in range(INPUTS)]
    times = [
        [[cpu_s(program, stdin) for program in programs] for stdin in inputs] for _ in range(rounds)
    ]
    figures = []
    for column, program in enumerate(programs):
        read = [
            json.loads(program.with_suffix(f".{number}.json").read_text())
            for number in range(INPUTS)
        ]
        cpu = sum(
            statistics.median(time[number][column] for time in times) for number in range(INPUTS)
        )
        figures.append(
            Cost(cpu, np.array([sum(time[name] for time in read) for name in FIGURES], float))
        )
    return figures


def weights(problems: Sequence[Sequence[Cost]]) -> Floats:
    """Return the weights in seconds that fit the CPU times with least squared relative error.

    Every problem has the same weight in the fit.
    """
    rows = [(cost, 1 / cost.cpu_s / len(costs) ** 0.5) for costs in problems for cost in costs]
    table = np.array([cost.figures * weight for cost, weight in rows])
    target = np.array([cost.cpu_s * weight for cost, weight in rows])
    scale = np.maximum(table.max(axis=0), np.finfo(float).tiny)
    used = list(range(len(FIGURES)))
    while True:  # drop figures with negative weights, the most negative one first
        solution = np.linalg.lstsq(table[:, used] / scale[used], target, rcond=None)[0]
        if (solution >= 0).all():
            break
        used.pop(int(solution.argmin()))
    weight = np.zeros(len(FIGURES))
    weight[used] = solution / scale[used]
    return weight


def same_order(costs: Sequence[Cost], weight: Floats) -> Iterator[bool]:
    """Yield for each clearly separate pair whether the weighted figures order it as CPU times do."""
    for fast, slow in permutations(costs, 2):
        if slow.cpu_s > max(CLEARLY * fast.cpu_s, SHORTEST_S):
            yield float(fast.figures @ weight) < float(slow.figures @ weight)


def summary(problems: Sequence[Sequence[Cost]]) -> dict[str, object]:
    """Return how many pairs instructions, and weighted figures, order as CPU time does.

    The weights are cross-validated.
    """
    halves = [problems[0::2], problems[1::2]]
    fitted = [weights(half) for half in halves]
    alone = np.eye(len(FIGURES))[0]
    by_count = [same for item in problems for same in same_order(item, alone)]
    by_both = [
        same
        for others, weight in zip(halves[::-1], fitted, strict=True)
        for item in others
        for same in same_order(item, weight)
    ]
    return {
        "programs": sum(map(len, problems)),
        "pairs": len(by_count),
        "same_by_instructions": sum(by_count),
        "same_with_misses": sum(by_both),
        "weights_ns": [
            dict(zip(FIGURES, (1e9 * item).round(3).tolist(), strict=True)) for item in fitted
        ],
    }


def main() -> None:
    """Print the summary over the corpus."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument(
        "--problem", action="append", help="two or more problems (default: the whole corpus)"
    )
    options = parser.parse_args()
    problems = [
        folder
        for folder in sorted(CORPUS.iterdir())
        if folder.is_dir() and folder.name in (options.problem or [folder.name])
    ]
    if len(problems) < 2:
        parser.error(
            "name at least two problems: weights are fitted to one and tested on the other"
        )
    options.folder.mkdir(parents=True, exist_ok=True)
    plugin = options.folder / "misses.so"
    source = Path(__file__).with_suffix(".c")
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", plugin, source], check=True)
    for problem in problems:
        prepare(options.folder / problem.name, problem)
        simulate(options.folder / problem.name, plugin.resolve())
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(
        json.dumps(
            summary([costs(options.folder / problem.name, options.rounds) for problem in problems])
        )
    )


if __name__ == "__main__":
    main()
