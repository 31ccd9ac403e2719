"""What generated inputs say of programs that had no part in them.

Right ones condemned, wrong ones rejected.

    python -m tools.real.believed FOLDER --candidates 400 --problems 25

FOLDER has problem folders as the converters beside this write them. Half of the accepted Python
programs of a problem decide what is right on the inputs of its pool: those on which they disagree
are left out. The others, all wrong ones, and six without a claim (``unknown``) are then run on the
rest. Nothing is chosen from the pool, so this is cheaper than ``python -m tools.calibrate``, and it
is the most that any choice among these inputs could reject or condemn.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
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
LARGEST = 2_000  # characters of an input: answers are asked for, not times


def look(
    sandbox: Sandbox, completed: FunctionProblem, candidates: int
) -> tuple[float, str, Counter[str]]:
    """Return the confidence of a problem, why it is not surer, and what became of how many programs."""
    found = split(completed.entry, {"python": PYTHON}, 0)
    problem, cores = described(completed), Cores(0, 1)
    options = InputOptions(candidates=candidates, min_confidence=0.0, ways=("derived",))
    made = make_inputs(
        sandbox, problem, completed.entry.tests, options, programs=found.shown.solutions
    )
    tests = [test for test in made.tests if len(test.stdin) <= LARGEST]
    stdins = [test.stdin for test in tests]
    function = problem.style == "function"
    runner = completed.entry.problem.runners.get("python") if function else None
    if not tests or (function and not runner):
        return made.confidence, "; ".join(made.reasons), Counter(untested=1)

    def run(solution: Solution) -> list[ObservedRun]:
        program = whole_program(PYTHON, runner, solution.code, "")
        lines = stdins[0].count("\n") if function else None
        return observe(sandbox, cores, program, stdins, LIMITS, RunMode.TOGETHER, lines)

    shown = [run(each) for each in found.shown.solutions]
    right = {
        index: outputs.pop()
        for index in range(min(map(len, shown)))
        if len(outputs := {one[index].output for one in shown}) == 1 and None not in outputs
    }
    counts = Counter(inputs=len(right))
    unknown = [one for one in completed.entry.solutions if one.expected == Expectation.UNKNOWN]
    for each in (*found.held_out, *unknown[:6]):
        if each.language == "python":
            counts[_fate(each, run(each), tests, right, made.confidence)] += 1
    return made.confidence, "; ".join(made.reasons), counts


def _fate(
    each: Solution,
    seen: Sequence[ObservedRun],
    tests: Sequence[TestCase],
    right: dict[int, str | None],
    sure: float,
) -> str:
    """Return what its source says of a program, and what the inputs do."""
    failed = [
        tests[index]
        for index, one in enumerate(seen)
        if index in right and not one.timed_out and one.output != right[index]
    ]
    if not failed:
        return f"{each.expected}: passes"
    return (
        f"{each.expected}: {'rejected' if condemned(failed, sure, each.expected) else 'disputed'}"
    )


def main() -> None:
    """Look at every problem, and add up those that are published by default and the others."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--candidates", type=int, default=400, help="of the pool of a problem")
    parser.add_argument("--problems", type=int, default=25, help="stop at so many")
    asked = parser.parse_args()
    sums: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    with LocalSandbox() as sandbox:
        listed = (each for each in problems(asked.folder) if not isinstance(each, Rejected))
        for _, each in zip(range(asked.problems), listed, strict=False):
            confidence, why, counts = look(sandbox, each, asked.candidates)
            sums[confidence >= SURE] += counts + Counter(problems=1)
            slug = each.entry.problem.slug
            print(f"{slug} {confidence:g} {dict(sorted(counts.items()))} {why[:150]}", flush=True)
    for believed, counts in sums.items():
        print("published:" if believed else "not published:", dict(sorted(counts.items())))


if __name__ == "__main__":
    main()
