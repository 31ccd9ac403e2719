"""Several programs on the same tests, in any languages, measured in turns.

Which is faster, and by how much.

No reference program runs beside them, for they are compared with each other. Of two whose figures
are apart by no more than their uncertainty neither is called faster.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from venus_toolkit.core.records import Comparison, Judgement, Limits, Measurement, TestCase, Verdict
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.judging.judge import judge
from venus_toolkit.execution.measuring.estimator import NORMAL_95
from venus_toolkit.execution.measuring.measure import measure_interleaved, out_of_the_way
from venus_toolkit.execution.measuring.ranking import Costs, Standing, costs_of, standings
from venus_toolkit.execution.measuring.rounds import FirstRuns, MeasureOptions, costs_of_runs
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.cores import quiet_cores
from venus_toolkit.execution.sandbox.opening import open_sandbox

FIGURES = {
    "wall": "wall_ns",
    "cpu": "cpu_ns",
    "memory": "peak_bytes",
    "integral": "integral_byte_ns",
}


class Compared(NamedTuple):
    """One of the programs.

    Attributes:
        judgement: What became of it.
        measurement: What it costs; None where it failed a test.
        standing: Its rank among those that were measured, with ties; None where it was not, or its
            repeats disagree.
        ratio: Its cost in multiples of the cheapest one's.
        within: Half of the 95 % interval of the ratio; None where it is not known.
    """

    judgement: Judgement
    measurement: Measurement | None = None
    standing: Standing | None = None
    ratio: float | None = None
    within: float | None = None


def compare_programs(
    programs: Sequence[Program],
    tests: Sequence[TestCase],
    limits: Limits,
    options: MeasureOptions,
    *,
    figure: str = "wall",
    sandbox: str = "auto",
    say: Callable[[str], None] = lambda _: None,
) -> list[Compared]:
    """Judge every program on every test, measure those that are accepted in turns, and rank them.

    Args:
        programs: What is compared, in the order of the result.
        tests: Those without an expected output are decided by how a program ends.
        limits: Of one test.
        options: How often, and how repeats become one figure.
        figure: One of FIGURES, by which they are ranked.
        sandbox: The name of one.
        say: Told what is being done.

    Raises:
        ToolchainError: A language is not installed.
        SandboxError: The sandbox failed.
        SourceError: There are no tests.
    """
    cores = quiet_cores()
    with open_sandbox(
        sandbox, list({each.language.id: each.language for each in programs}.values())
    ) as opened:
        checker = Checker(Comparison(), opened)
        compiled, judged = [], []
        for number, program in enumerate(programs, 1):
            say(f"judging {number} of {len(programs)} ({program.language.name})")
            compiled.append(opened.compile(program))
            with out_of_the_way(cores):
                judged.append(
                    judge(opened, compiled[-1], tests, checker, limits, cores=cores, compare=False)
                )
        accepted = [index for index, each in enumerate(judged) if each.verdict == Verdict.ACCEPTED]
        say(f"measuring {len(accepted)} in turns, {options.repeats} times")
        chosen = [compiled[index] for index in accepted]
        firsts = [FirstRuns(costs_of_runs(judged[index].runs), shared=False) for index in accepted]
        taken = measure_interleaved(
            opened,
            chosen,
            tests,
            limits,
            options,
            checker=checker,
            cores=cores,
            reference=False,
            judged=firsts,
        )
    found = [Compared(each) for each in judged]
    measured: dict[int, Measurement] = {}
    for place, index in enumerate(accepted):
        each = taken.measured(place)
        found[index] = Compared(each.decided(judged[index]))
        if each.total.repeats and not each.rejection:
            found[index] = found[index]._replace(measurement=each.total)
            if each.total.repeats_agree:
                measured[index] = each.total
    if not measured:
        return found
    costs = costs_of(list(measured.values()), FIGURES[figure])
    ratios, errors = _ratios(costs)
    for (index, total), standing, ratio, error in zip(
        measured.items(), standings(costs), ratios, errors, strict=True
    ):
        found[index] = Compared(
            found[index].judgement, total, standing, ratio, None if math.isnan(error) else error
        )
    return found


def _ratios(costs: Costs) -> tuple[list[float], list[float]]:
    """Return every cost as a multiple of the smallest one, and half of its 95 % interval.

    That of the smallest is 0.
    """
    best = int(np.argmin(costs.value))
    ratios = costs.value / costs.value[best]
    shares = np.hypot(costs.se / costs.value, costs.se[best] / costs.value[best])
    shares[best] = 0.0
    return [float(each) for each in ratios], [float(each) for each in NORMAL_95 * ratios * shares]
