"""The share of bundled solutions whose estimated complexity is the one that complexity.toml declares.

python -m bench.complexity [--half aside] [--problem NAME] [--language cpp] [--slice 1/4]

Prints a line of JSON for each solution; --summary FILE summarises such lines.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.building import read_entry
from venus_toolkit.builders.sources.folder import CORPUS
from venus_toolkit.core.language import load_languages, render
from venus_toolkit.execution.measuring.complexity import Growth
from venus_toolkit.execution.measuring.scaling import complexity_of
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.cores import quiet_cores
from venus_toolkit.execution.sandbox.local import LocalSandbox

TABLE = Path(__file__).with_suffix(".toml")
HALVES = ("seen", "aside")


class Declaration(NamedTuple):
    """A solution, ``language/name``, and its declared complexity class."""

    half: str
    problem: str
    solution: str
    growth: Growth


def declarations() -> Iterator[Declaration]:
    """Yield the declarations, in the order of the table."""
    for half, problems in tomllib.loads(TABLE.read_text()).items():
        for problem, classes in problems.items():
            for growth, solutions in classes.items():
                for solution in solutions:
                    yield Declaration(half, problem, solution, Growth(growth))


def estimate(sandbox: LocalSandbox, declared: Declaration) -> dict[str, Any]:
    """Return a declared solution as a row with its estimated class and exponent, or with nulls."""
    languages = load_languages()
    language, name = declared.solution.split("/")
    entry = read_entry(CORPUS / declared.problem, languages)
    (solution,) = [
        s
        for s in entry.solutions
        if s.language == language and s.solution_id.rpartition("/")[2] == name
    ]
    problem = entry.problem
    code = (
        render(problem.runners[language], solution.code)
        if problem.style == "function"
        else solution.code
    )
    assert problem.generator
    program = Program(languages[language], code)
    # Slow solutions need more than the limit of the problem before their growth shows.
    limits = problem.limits.changed(
        cpu_ns=10 * problem.limits.cpu_ns, wall_ns=10 * problem.limits.wall_ns
    )
    complexity = complexity_of(
        sandbox, quiet_cores(), program, problem.generator, limits, "emulated"
    )
    row = {**declared._asdict(), "found": None, "exponent": None, "low": None, "high": None}
    return (
        row
        if complexity is None
        else {**row, "found": complexity.growth, **complexity._asdict(), "growth": declared.growth}
    )


def main() -> None:
    """Estimate declared solutions, or summarise lines of earlier calls."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=HALVES, default="aside")
    parser.add_argument("--problem")
    parser.add_argument("--language")
    parser.add_argument(
        "--slice",
        default="1/1",
        help="run a part of the solutions, such as 2/4: the second of every four",
    )
    parser.add_argument("--summary", type=Path)
    options = parser.parse_args()
    if options.summary:
        rows = [json.loads(line) for line in options.summary.read_text().splitlines()]
        wrong = [row for row in rows if row["found"] != row["growth"]]
        print(
            json.dumps(
                {"declared": len(rows), "found": len(rows) - len(wrong), "others": wrong}, indent=1
            )
        )
        return
    first, every = map(int, options.slice.split("/"))
    chosen = [
        entry
        for entry in declarations()
        if entry.half == options.half
        and options.problem in (None, entry.problem)
        and options.language in (None, entry.solution.partition("/")[0])
    ]
    with LocalSandbox() as sandbox:
        for entry in chosen[first - 1 :: every]:
            print(json.dumps(estimate(sandbox, entry)), flush=True)


if __name__ == "__main__":
    main()
