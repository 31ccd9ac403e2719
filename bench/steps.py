"""Precision of a single instruction count, at any load.

python -m bench.steps [cpp rust ...] [--runs 20] [--programs 30] [--plain]

Prints a line of JSON for each language: the spread of repeated counts of one program, (largest -
smallest) / smallest, and Kendall's tau with the true order of programs that each take 0.2, 1 and
3 % more steps than the previous one, counted once each. The smallest program takes about as many
instructions as the start of its process, which hides part of the difference.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os

import numpy as np

from bench.overhead import PROGRAMS
from tests.sessions import tau
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits
from venus_toolkit.execution.measuring.counting import open_counter
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.local import LocalSandbox

LANGUAGES = load_languages()
APART = (1.002, 1.01, 1.03)  # ratios between the steps of consecutive programs
LEAST = {
    "cpp": 100_000,
    "rust": 100_000,
    "go": 100_000,
    "java": 60_000,
    "javascript": 60_000,
    "python": 40_000,
}
USUAL = 40_000  # the steps of the first program in other languages


def line(language: str, runs: int, programs: int, plain: bool) -> dict[str, object]:
    """Return the figures of a language."""
    (source,) = (PROGRAMS / "steps").glob(f"{language}.*")
    least, counter = LEAST.get(language, USUAL), open_counter("emulated")
    assert counter
    with LocalSandbox() as sandbox:
        how = LANGUAGES[language]
        if plain:
            how = dataclasses.replace(how, counting=how.counting._replace(constants=()))
        compiled = sandbox.compile(Program(how, source.read_text()))
        assert compiled.ok, compiled.log

        def counts(steps: list[int]) -> list[int]:
            counts_ = list(
                counter.count(sandbox, compiled, [b"%d\n" % step for step in steps], Limits())
            )
            assert all(run.instructions for run in counts_), [run.uncounted for run in counts_]
            return [run.instructions or 0 for run in counts_]

        same = counts([least] * runs)
        orders = {
            f"tau_{apart}": tau(
                np.array(counts([round(least * apart**index) for index in range(programs)]), float)
            )
            for apart in APART
            if programs
        }
    spread = (max(same) - min(same)) / min(same)
    return {
        "language": language,
        "instructions": min(same),
        "spread": spread,
        **orders,
        "load": os.getloadavg()[0],
    }


def main() -> None:
    """Print a line for each language."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("languages", nargs="*", default=sorted(LANGUAGES))
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--programs", type=int, default=30)
    parser.add_argument(
        "--plain", action="store_true", help="without the constants of the emulator (clock, …)"
    )
    asked = parser.parse_args()
    for language in asked.languages:
        print(json.dumps(line(language, asked.runs, asked.programs, asked.plain)), flush=True)


if __name__ == "__main__":
    main()
