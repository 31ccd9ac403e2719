"""An instruction count is accepted if it agrees with the CPU time."""

from __future__ import annotations

import doctest

import pytest

from venus_toolkit.core.records import Measurement
from venus_toolkit.execution.measuring import agreement
from venus_toolkit.execution.measuring.agreement import MARGIN, Band, band_of, objection

MS = 1_000_000


def cost(cpu_ms: float, millions: float | None, se: float | None = 0.01) -> Measurement:
    """Return the figures of a program from its CPU time and its millions of instructions."""
    count = None if millions is None else round(millions * 1e6)
    return Measurement(
        cpu_ns=round(cpu_ms * MS), cpu_se=se, repeats=3, instructions=count, instructions_se=0.0
    )


HUMANS = [cost(10, 40), cost(20, 40), cost(30, 120)]  # 4, 2 and 4 instructions per ns
BAND = band_of(HUMANS)


def test_doctest_examples() -> None:
    assert doctest.testmod(agreement).failed == 0


def test_band_extends_the_rates_of_trusted_programs() -> None:
    assert band_of(HUMANS) == Band(2 / MARGIN, 4 * MARGIN)
    assert band_of([*HUMANS, cost(5, None), Measurement(instructions=1)]) == BAND
    assert band_of([cost(5, None)]) is None


@pytest.mark.parametrize(
    ("own", "message"),
    [
        (cost(10, 40), ""),
        (cost(9, 35), ""),
        (cost(100, 300), ""),  # far slower, with a high count
        (cost(10, 2), "CPU time contradicts the count"),  # forged: a twentieth of its count
        (cost(10, 9.9), "CPU time contradicts the count"),
        (cost(1, 100), "CPU time contradicts the count"),
        # forged within the band
        (cost(15, 35), "rivals with more instructions are faster (1)"),
        (cost(10.1, 35), ""),  # within the noise of the fastest
        (cost(10, None), "its instructions were not counted"),
        (Measurement(instructions=7), "its instructions were not counted"),
    ],
)
def test_count_is_accepted_if_cpu_time_agrees(own: Measurement, message: str) -> None:
    reason = objection(own, HUMANS, BAND)
    assert message in reason
    assert bool(reason) == bool(message)


def test_widths_raise_the_distance_of_faster_rivals() -> None:
    own = cost(10.4, 35)  # slower than HUMANS[0] by 2.7 standard errors of the difference
    assert "rivals with more instructions are faster (1)" in objection(own, HUMANS, BAND)
    assert objection(own, HUMANS, BAND, widths=2.0) == ""


def test_no_count_is_accepted_without_a_trusted_program() -> None:
    assert objection(cost(10, 40), HUMANS, None) == "no trusted program for the task was counted"


def test_single_repeats_contradict_nothing() -> None:
    """Without standard errors, only the band decides."""
    assert objection(cost(15, 35, se=None), HUMANS, BAND) == ""


@pytest.mark.parametrize("forged", [1.5, 2, 5, 20, 1000])
@pytest.mark.parametrize("rate", [2, 3, 4])
def test_gain_of_a_forger_is_bounded(forged: float, rate: float) -> None:
    """A program that takes 20 ms divides its true count by a factor."""
    honest = 20 * rate
    accepted = objection(cost(20, honest / forged), HUMANS, BAND) == ""
    if accepted:
        assert forged < MARGIN * rate / 2
        assert honest / forged >= 40  # it cannot beat the program that takes 10 ms
