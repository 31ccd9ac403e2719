"""Whether the native CPU time of a program agrees with the count of its instructions.

A count can be forged: the emulator's plugin shares the address space of the program. CPU time
cannot, for the kernel takes it. So where somebody gains by a low count (answers of a model), two
things have to hold before it decides:

1. Instructions per nanosecond of CPU time lie within those of trusted programs for the same task,
   and by no more than `WIDENED` beyond them on either side. Among honest solutions of one task the
   rate differs by cache misses, vector instructions and time in the kernel; a forger divides its
   count, and so its rate, by what it gains.
2. No rival that executes more instructions surely takes less CPU time.

Otherwise time decides, and the record says so. What is left to a forger is less than a factor of
`WIDENED` times the rate of its honest program over the lowest one that is trusted, and no place
before a rival that CPU time shows to be faster.

Both figures are gross, with the start of the process in them: only a build counts the floor, and
taken from one of the two it would bend the rates of short programs.
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
# Of 196 bundled solutions (C++ and Python, 14 tasks), each against the others of its task, 28 were
# outside with 1, 4 with 1.5, 1 with 2 (its rate was too high, by which nobody gains) and none with
# 2.5. docs/measurement.md has more.
WIDENED = 2.0
# Beside programs for other tasks: the rates of honest programs of a language span a tenfold band.
# docs/measurement.md has what this refuses.
OTHER_TASK = 10.0


class Band(NamedTuple):
    """The least and the most instructions per nanosecond of CPU time that are believed."""

    lowest: float
    highest: float


def band_of(trusted: Sequence[Measurement], widened: float = WIDENED) -> Band | None:
    """Return what is believed beside trusted programs for the same task.

    None where none of them has both figures.

    It is `widened` on either side, more where they are for other tasks (OTHER_TASK).

    >>> band_of([Measurement(cpu_ns=100, instructions=400), Measurement(cpu_ns=200, instructions=200)])
    Band(lowest=0.5, highest=8.0)
    """
    rates = [rate for program in trusted if (rate := _rate(program)) is not None]
    return Band(min(rates) / widened, max(rates) * widened) if rates else None


def objection(
    own: Measurement, rivals: Sequence[Measurement], band: Band | None, widths: float = 1.0
) -> str:
    """Return why the count of a program is not believed, in words; empty where its CPU time agrees.

    Args:
        own: What the program cost.
        rivals: What the programs cost that it is compared with, measured in turns with it.
        band: That of trusted programs for the same task.
        widths: By how many times the uncertainty of their difference a rival has to be faster.
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
            f"CPU time contradicts the count: {(more & faster).sum()} that execute more "
            "instructions surely take less"
        )
    return ""


def like_reference(
    sandbox: Sandbox,
    language: Language,
    counter: Counter,
    measured: Measurement,
) -> Measurement | None:
    """Return what a program of the same CPU time would count if it were like the reference program.

    Up to the time of the empty program it starts, and then executes as many instructions in a
    nanosecond as the reference after its start (all the time where there is no empty program). None
    where it was not measured, or what it is compared with cannot be counted.
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
