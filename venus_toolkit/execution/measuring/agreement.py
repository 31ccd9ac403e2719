"""Checks whether the CPU time of a program agrees with its instruction count.

A program can forge its count, because the emulator's plugin shares its address space. It cannot
forge its CPU time, which the kernel measures. So for untrusted programs (answers of a model), a
count is used only under two conditions:

1. Its rate, the number of instructions per nanosecond of CPU time, lies within the range of trusted
   programs for the same task, or at most a factor `MARGIN` outside. Rates of honest solutions of
   one task differ by cache misses, vector instructions and time in the kernel; a forger divides its
   count, and so its rate, by the factor that it gains.
2. No rival that executes more instructions takes significantly less CPU time.

Otherwise CPU time is used instead, and the record says so. So a forger can gain less than a factor
`MARGIN` times its own honest rate over the lowest trusted rate, and cannot pass a rival that is
faster in CPU time.

Both figures are gross, including the start of the process. Only a build counts the floor, and to
subtract it from one figure alone would distort the rates of short programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Measurement
from venus_toolkit.execution.measuring.counting import Counter
from venus_toolkit.execution.measuring.measure import REFERENCE_LIMITS
from venus_toolkit.execution.measuring.ranking import costlier, costs_of
from venus_toolkit.execution.sandbox import Program, Sandbox

INSTRUCTIONS = "instructions"
# Of 196 bundled solutions (C++ and Python, 14 tasks), each compared with the others of its task, 28
# were outside with a margin of 1, 4 with 1.5, 1 with 2 (its rate was too high, which is no
# advantage) and none with 2.5. docs/measurement.md has more.
MARGIN = 2.0
# The margin to programs for other tasks: the rates of honest programs of a language span a tenfold
# band. docs/measurement.md has its effect.
OTHER_TASK = 10.0


class Band(NamedTuple):
    """The accepted range of instructions per nanosecond of CPU time."""

    lowest: float
    highest: float


def band_of(trusted: Sequence[Measurement], margin: float = MARGIN) -> Band | None:
    """Return the range of rates of trusted programs, extended by a factor `margin` on either side.

    Use `OTHER_TASK` as the margin for programs for other tasks. None: no trusted program has both
    figures.

    >>> first = Measurement(cpu_ns=100, instructions=400)
    >>> band_of([first, Measurement(cpu_ns=200, instructions=200)])
    Band(lowest=0.5, highest=8.0)
    """
    rates = [rate for program in trusted if (rate := _rate(program)) is not None]
    return Band(min(rates) / margin, max(rates) * margin) if rates else None


def objection(
    own: Measurement, rivals: Sequence[Measurement], band: Band | None, widths: float = 1.0
) -> str:
    """Return why the CPU time of a program contradicts its count, or "" if they agree.

    Args:
        own: The figures of the program.
        rivals: The figures of other programs, whose runs were interleaved with it.
        band: The range of rates of trusted programs.
        widths: The factor of 1.96 standard errors by which a rival must be faster.
    """
    rate, count = _rate(own), own.instructions
    if rate is None or count is None:
        return "its instructions were not counted"
    if band is None:
        return "no trusted program for the task was counted"
    if not band.lowest <= rate <= band.highest:
        text = (
            f"{rate:.2g} instructions per ns of CPU time, and {band.lowest:.2g} to "
            f"{band.highest:.2g} are believed"
        )
        return f"CPU time contradicts the count: {text}"
    counted = [rival for rival in rivals if _rate(rival) is not None]
    more = costlier(costs_of(counted, INSTRUCTIONS), costs_of([own], INSTRUCTIONS))[:, 0]
    faster = costlier(costs_of([own], "cpu_ns"), costs_of(counted, "cpu_ns"), widths=widths)[0]
    if (more & faster).any():
        return (
            "CPU time contradicts the count: rivals with more instructions are faster "
            f"({(more & faster).sum()})"
        )
    return ""


def like_reference(
    sandbox: Sandbox,
    language: Language,
    counter: Counter,
    measured: Measurement,
) -> Measurement | None:
    """Return the count of a hypothetical program with the same CPU time and the reference's rate.

    It takes the time and the instructions of the empty program to start, if there is one, and then
    executes instructions at the rate of the reference program after its start. None: the program
    was not measured, or the reference cannot be counted.
    """
    if not (measured.cpu_ns and measured.relative_time):
        return None
    counts: list[int | None] = []
    for code in (language.reference, language.empty):
        if not code:
            counts.append(0)
            continue
        compiled = sandbox.compile(Program(language.usual, code))
        (run,) = counter.count(sandbox, compiled, [b""], REFERENCE_LIMITS)
        counts.append(run.instructions)
    reference, empty = counts
    floor_ns = measured.floor_cpu_ns or 0
    start_ns = floor_ns / measured.tests
    work_ns = measured.cpu_ns / measured.relative_time - start_ns
    if reference is None or empty is None or work_ns <= 0:
        return None
    rate = (reference - empty) / work_ns
    executed = empty * measured.tests + rate * max(0, measured.cpu_ns - floor_ns)
    return Measurement(cpu_ns=measured.cpu_ns, instructions=round(executed))


def _rate(measured: Measurement) -> float | None:
    return (
        measured.instructions / measured.cpu_ns
        if measured.instructions and measured.cpu_ns
        else None
    )
