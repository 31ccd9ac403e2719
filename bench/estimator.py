"""Accuracy of the measuring model on this machine: order of programs, and coverage of intervals.

python -m bench.estimator [--programs 30] [--repeats 3] [--sessions 3] [--language cpp]
[--step 1.03] [--work 1]

With --step 1 all programs are copies of one (A/A): the 95 % interval of 93 to 97 % of the pairs
should contain 0. With --work 0.1, a session takes a fraction of a second, so that many sessions fit
between other work of the machine.

With --copies of a bundled problem, the programs are its accepted solutions and copies of the best
one, which an earlier session determines. `better` counts copies that the rule of an evaluation
calls better than all human solutions, `ranked_above` those that the rule of a build ranks above
the best one.

The printed lines may be collected in a file; --summary FILE summarises it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bench.overhead import PROGRAMS
from bench.ranking import FAMILIES
from tests.building import read_entry
from tests.sessions import tau
from venus_toolkit.builders.inputs.run_generator import generate
from venus_toolkit.builders.sources.folder import CORPUS
from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.language import load_languages, render
from venus_toolkit.core.records import Expectation, Limits, TestCase
from venus_toolkit.execution.measuring.counting import open_counter, total
from venus_toolkit.execution.measuring.estimator import Floats
from venus_toolkit.execution.measuring.measure import measure_interleaved
from venus_toolkit.execution.measuring.ranking import (
    COUNT_NOISE,
    Costs,
    Place,
    costlier,
    costs_of,
    places,
    standings,
)
from venus_toolkit.execution.measuring.rounds import MeasureOptions, Rounds
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox
from venus_toolkit.execution.sandbox.local import LocalSandbox

LANGUAGES = load_languages()


class ProgramSet:
    """Programs that are measured together on the same tests."""

    def __init__(
        self,
        sandbox: Sandbox,
        programs: Sequence[Compiled],
        tests: Sequence[TestCase],
        limits: Limits,
    ):
        self.sandbox, self.programs, self.tests, self.limits = (
            sandbox,
            list(programs),
            list(tests),
            limits,
        )

    def session(self, repeats: int) -> Rounds:
        """Measure the programs interleaved in one session."""
        options = MeasureOptions(repeats=repeats)
        return measure_interleaved(self.sandbox, self.programs, self.tests, self.limits, options)


@contextmanager
def family(language: str, programs: int, step: float, work: float) -> Iterator[ProgramSet]:
    """Yield programs that each do `step` times the work of the previous one."""
    source, least = FAMILIES[language]
    text = (PROGRAMS / source).read_text()
    with LocalSandbox() as sandbox:
        compiled = [
            sandbox.compile(
                Program(
                    LANGUAGES[language],
                    text.replace("WORK", str(round(work * least * step**index))),
                )
            )
            for index in range(programs)
        ]
        yield ProgramSet(sandbox, compiled, [TestCase("only", "", "")], Limits())


@contextmanager
def humans(slug: str, language: str) -> Iterator[ProgramSet]:
    """Yield the accepted solutions of a bundled problem, with two of its large inputs."""
    entry = read_entry(CORPUS / slug, LANGUAGES)
    runner = entry.problem.runners.get(language, "CODE")
    codes = [
        render(runner, solution.code) if entry.problem.style == "function" else solution.code
        for solution in entry.solutions
        if solution.language == language and solution.expected == Expectation.ACCEPTED
    ]
    with LocalSandbox() as sandbox:
        tests = [
            test for test in generate(sandbox, entry.problem, 20, 0).tests if test.size == "large"
        ][:2]
        compiled = [sandbox.compile(Program(LANGUAGES[language], code)) for code in codes]
        yield ProgramSet(sandbox, compiled, tests, entry.problem.limits)


def relative(rounds: Rounds) -> Costs:
    """Return the costs of programs by the model, relative to the reference program."""
    return costs_of(
        [rounds.measured(index).total for index in range(len(rounds.of_each))], "relative_time"
    )


def figures(rounds: Rounds) -> dict[str, Floats]:
    """Return the costs of the programs by each estimator."""
    measured = [rounds.measured(index) for index in range(len(rounds.of_each))]
    ratios = [
        statistics.median(repeat.relative_time or 0.0 for repeat in one.repeats) for one in measured
    ]
    names = {"model": "relative_time", "wall": "wall_ns", "cpu": "cpu_ns"}
    values = {
        key: np.array([getattr(one.total, name) for one in measured], float)
        for key, name in names.items()
    }
    return {**values, "ratio": np.array(ratios)}


def ordered(posed: ProgramSet, repeats: int, step: float) -> dict[str, float]:
    """Measure a family in one session and return its figures."""
    rounds = posed.session(repeats)
    costs, pairs = relative(rounds), len(posed.programs) * (len(posed.programs) - 1) / 2
    line = {
        "median_se": float(np.median(costs.se / costs.value)),
        "apart": costlier(costs, costs).sum() / pairs,
    }
    order = {} if step == 1 else {key: tau(figure) for key, figure in figures(rounds).items()}
    return {**order, **line, "pairs": pairs}


def counted(posed: ProgramSet) -> Costs:
    """Return the instructions of each program, counted once on the first test."""
    counter = open_counter("emulated")
    assert counter
    inputs, counts = [posed.tests[0].stdin.encode()], []
    for program in posed.programs:
        runs = list(counter.count(posed.sandbox, program, inputs, posed.limits))
        counts.append(total(runs, program.program.language, counter.kind))
    value = np.array([program.instructions or np.nan for program in counts])
    return Costs(
        value, value * np.array([max(program.se or 0.0, COUNT_NOISE) for program in counts])
    )


def copied(costs: Costs, human: int) -> dict[str, float]:
    """Return how the copies after the first `human` programs compare with these."""
    known, copies = (
        Costs(costs.value[part], costs.se[part]) for part in (slice(human), slice(human, None))
    )
    best = int(np.argmin(known.value))
    ranked = [
        standings(Costs(np.append(known.value, value), np.append(known.se, se)))
        for value, se in zip(*copies, strict=True)
    ]
    return {
        "copies": len(copies.value),
        "better": sum(place == Place.BETTER for place in places(copies, known)),
        "ranked_above": sum(ranks[-1].tie_group < ranks[best].tie_group for ranks in ranked),
    }


def summary(lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Summarise sessions: mean and range of shares and taus, sums of copies and pairs."""
    pairs: dict[str, Any] = {"sessions": len(lines)}
    for name in dict.fromkeys(name for line in lines for name in line):
        values = [line[name] for line in lines if name in line]
        if name in ("copies", "better", "ranked_above", "pairs"):
            pairs[name] = sum(values)
        else:
            pairs[name] = {
                "mean": statistics.fmean(values),
                "least": min(values),
                "most": max(values),
            }
    return pairs


def print_sessions(sessions: int, session: Callable[[], dict[str, float]]) -> None:
    """Print the figures of each session, except those in which a stalled machine hit a limit."""
    for _ in range(sessions):
        try:
            line = session()
        except SandboxError as error:
            print(f"session skipped: {error}", file=sys.stderr, flush=True)
            continue
        print(
            json.dumps({name: round(float(value), 4) for name, value in line.items()}), flush=True
        )


def main() -> None:
    """Print a line of JSON for each session."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--language", default="cpp", choices=sorted(LANGUAGES))
    for name, default in (("programs", 30), ("repeats", 3), ("sessions", 3), ("copies", 10)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, default_ in (("step", 1.03), ("work", 1.0)):
        parser.add_argument(f"--{name}", type=float, default=default_)
    parser.add_argument("--problem", help="a bundled problem whose best solution is copied")
    parser.add_argument(
        "--count", action="store_true", help="with --problem: by instructions, not by time"
    )
    parser.add_argument("--summary", type=Path)
    asked = parser.parse_args()
    if asked.summary:
        print(
            json.dumps(
                summary([json.loads(line) for line in asked.summary.read_text().splitlines()])
            )
        )
    elif asked.problem:
        with humans(asked.problem, asked.language) as posed:
            human = len(posed.programs)
            first = counted(posed) if asked.count else relative(posed.session(asked.repeats))
            best = int(np.argmin(first.value))
            posed.programs += [posed.programs[best]] * asked.copies

            def session() -> dict[str, float]:
                return copied(
                    counted(posed) if asked.count else relative(posed.session(asked.repeats)), human
                )

            print_sessions(asked.sessions, session)
    else:
        with family(asked.language, asked.programs, asked.step, asked.work) as posed:
            print_sessions(asked.sessions, lambda: ordered(posed, asked.repeats, asked.step))


if __name__ == "__main__":
    main()
