"""What the model of a session is worth on this machine: tau with the true order, and how often intervals hold it.

python -m tests.bench.estimator [--programs 30] [--repeats 3] [--sessions 3] [--language cpp] [--step 1.03]

With --step 1 all programs are copies of one (A/A): the share of pairs whose 95 % interval holds 0 is to be 93 to 97 %.
"""

from __future__ import annotations

import argparse
import json
import statistics

import numpy as np

from tests.bench.overhead import PROGRAMS
from tests.bench.ranking import FAMILIES
from tests.sessions import tau
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits, TestCase
from venus_toolkit.execution.estimator import Floats
from venus_toolkit.execution.measure import MeasureOptions, Rounds, measure_interleaved
from venus_toolkit.execution.ranking import costlier, costs_of
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.local import LocalSandbox


def session(language: str, programs: int, repeats: int, step: float) -> Rounds:
    """Measure programs of which each does `step` times the work of the one before."""
    source, work = FAMILIES[language]
    text = (PROGRAMS / source).read_text()
    with LocalSandbox() as sandbox:
        compiled = [
            sandbox.compile(Program(load_languages()[language], text.replace("WORK", str(round(work * step**index)))))
            for index in range(programs)
        ]
        test = [TestCase("only", "", "")]
        return measure_interleaved(sandbox, compiled, test, Limits(), MeasureOptions(repeats=repeats))


def figures(rounds: Rounds) -> dict[str, Floats]:
    """Return what the programs cost by each estimator."""
    measured = [rounds.measured(index) for index in range(len(rounds.of_each))]
    ratios = [statistics.median(each.relative_time or 0.0 for each in one.repeats) for one in measured]
    names = {"model": "relative_time", "wall": "wall_ns", "cpu": "cpu_ns"}
    found = {key: np.array([getattr(one.total, name) for one in measured], float) for key, name in names.items()}
    return {**found, "ratio": np.array(ratios)}


def main() -> None:
    """Print a line of JSON for each session."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", default="cpp", choices=sorted(FAMILIES))
    for name, default in (("programs", 30), ("repeats", 3), ("sessions", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--step", type=float, default=1.03)
    asked = parser.parse_args()
    for _ in range(asked.sessions):
        rounds = session(asked.language, asked.programs, asked.repeats, asked.step)
        costs = costs_of([rounds.measured(index).total for index in range(asked.programs)], "relative_time")
        pairs = asked.programs * (asked.programs - 1) / 2
        said = {"median_se": float(np.median(costs.se / costs.value)), "apart": costlier(costs, costs).sum() / pairs}
        order = {} if asked.step == 1 else {key: round(tau(each), 4) for key, each in figures(rounds).items()}
        print(json.dumps({**order, **{name: round(float(value), 4) for name, value in said.items()}}), flush=True)


if __name__ == "__main__":
    main()
