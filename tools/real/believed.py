"""Judges held-out programs on generated inputs: accepted ones condemned, wrong ones rejected.

    python -m tools.real.believed FOLDER --candidates 400 --problems 25

FOLDER has problem folders as written by the converters in this package. Half of the accepted Python
programs of a problem determine the expected outputs for its pool of inputs; inputs on which they
disagree are discarded. The other accepted programs, all wrong ones, and six unlabelled ones
(``unknown``) then run on the rest. No tests are chosen from the pool, so this is cheaper than
``python -m tools.calibrate``; no choice from the pool can reject or condemn more programs.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from tools.calibrate.calibrator import split
from tools.real.inputs import problems
from venus_toolkit.builders.functions import FunctionProblem
from venus_toolkit.builders.inputs.make_inputs import SURE, InputOptions, make_inputs
from venus_toolkit.builders.quality.coverage import ObservedRun, RunMode, observe
from venus_toolkit.builders.sources import Rejected
from venus_toolkit.builders.stages.inputs import described
from venus_toolkit.builders.stages.validate import condemned
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import NS_PER_S, Expectation, Limits, Solution, TestCase
from venus_toolkit.dataset.task import whole_program
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.local import LocalSandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

PYTHON = load_languages()["python"]
LIMITS = Limits().changed(wall_ns=20 * NS_PER_S, cpu_ns=NS_PER_S)
LARGEST = 2_000  # characters of an input: outputs are compared, not times


def judge_problem(
    sandbox: Sandbox, completed: FunctionProblem, candidates: int
) -> tuple[float, str, Counter[str]]:
    """Return a problem's confidence, the reasons against more, and the programs by outcome."""
    parts = split(completed.entry, {"python": PYTHON}, 0)
    problem, cores = described(completed), Cores(0, 1)
    options = InputOptions(candidates=candidates, min_confidence=0.0, ways=("derived",))
    inputs = make_inputs(
        sandbox, problem, completed.entry.tests, options, programs=parts.shown.solutions
    )
    reasons = "; ".join(inputs.reasons)
    tests = [test for test in inputs.tests if len(test.stdin) <= LARGEST]
    stdins = [test.stdin for test in tests]
    function = problem.style == "function"
    runner = completed.entry.problem.runners.get("python") if function else None
    if not tests or (function and not runner):
        return inputs.confidence, reasons, Counter(untested=1)

    def run(solution: Solution) -> list[ObservedRun]:
        program = whole_program(PYTHON, runner, solution.code, "")
        lines = stdins[0].count("\n") if function else None
        return observe(sandbox, cores, program, stdins, LIMITS, RunMode.TOGETHER, lines)

    shown = [run(solution) for solution in parts.shown.solutions]
    expected = {
        index: outputs.pop()
        for index in range(min(map(len, shown)))
        if len(outputs := {runs[index].output for runs in shown}) == 1 and None not in outputs
    }
    counts = Counter(inputs=len(expected))
    unknown = [s for s in completed.entry.solutions if s.expected == Expectation.UNKNOWN]
    for solution in (*parts.held_out, *unknown[:6]):
        if solution.language == "python":
            counts[_outcome(solution, run(solution), tests, expected, inputs.confidence)] += 1
    return inputs.confidence, reasons, counts


def _outcome(
    solution: Solution,
    runs: Sequence[ObservedRun],
    tests: Sequence[TestCase],
    expected: dict[int, str | None],
    confidence: float,
) -> str:
    """Return the label of a program and its outcome: passes, rejected or disputed."""
    failed = [
        tests[index]
        for index, run in enumerate(runs)
        if index in expected and not run.timed_out and run.output != expected[index]
    ]
    if not failed:
        return f"{solution.expected}: passes"
    is_rejected = condemned(failed, confidence, solution.expected)
    return f"{solution.expected}: {'rejected' if is_rejected else 'disputed'}"


def main() -> None:
    """Judge every problem; print sums for problems published by default and for the others."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--candidates", type=int, default=400, help="inputs in the pool of a problem"
    )
    parser.add_argument("--problems", type=int, default=25, help="maximum number of problems")
    options = parser.parse_args()
    sums: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    with LocalSandbox() as sandbox:
        readable = (p for p in problems(options.folder) if not isinstance(p, Rejected))
        for problem in islice(readable, options.problems):
            confidence, reasons, counts = judge_problem(sandbox, problem, options.candidates)
            sums[confidence >= SURE] += counts + Counter(problems=1)
            figures = f"{confidence:g} {dict(sorted(counts.items()))}"
            print(f"{problem.entry.problem.slug} {figures} {reasons[:150]}", flush=True)
    for believed, counts in sums.items():
        print("published:" if believed else "not published:", dict(sorted(counts.items())))


if __name__ == "__main__":
    main()
