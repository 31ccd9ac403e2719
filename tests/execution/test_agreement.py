"""Whether CPU time agrees with a count: what is believed, and what is not."""

from __future__ import annotations

import doctest

import pytest

from venus_toolkit.core.records import Measurement
from venus_toolkit.execution.measuring import agreement
from venus_toolkit.execution.measuring.agreement import WIDENED, Band, band_of, objection

MS = 1_000_000


def cost(cpu_ms: float, millions: float | None, se: float | None = 0.01) -> Measurement:
    """A program that took so much CPU time and so many million instructions."""
    count = None if millions is None else round(millions * 1e6)
    return Measurement(
        cpu_ns=round(cpu_ms * MS), cpu_se=se, repeats=3, instructions=count, instructions_se=0.0
    )


HUMANS = [cost(10, 40), cost(20, 40), cost(30, 120)]  # 4, 2 and 4 instructions per ns
BAND = band_of(HUMANS)


def test_the_examples_are_true() -> None:
    assert doctest.testmod(agreement).failed == 0


def test_the_band_is_that_of_trusted_programs_and_a_little_wider() -> None:
    assert band_of(HUMANS) == Band(2 / WIDENED, 4 * WIDENED)
    assert band_of([*HUMANS, cost(5, None), Measurement(instructions=1)]) == BAND
    assert band_of([cost(5, None)]) is None


@pytest.mark.parametrize(
    ("own", "says"),
    [
        (cost(10, 40), ""),
        (cost(9, 35), ""),
        (cost(100, 300), ""),  # far slower, and says so
        (cost(10, 2), "CPU time contradicts the count"),  # forged: a twentieth of what it takes
        (cost(10, 9.9), "CPU time contradicts the count"),
        (cost(1, 100), "CPU time contradicts the count"),
        # forged within the band
        (cost(15, 35), "1 that execute more instructions surely take less"),
        (cost(10.1, 35), ""),  # within the noise of the fastest
        (cost(10, None), "its instructions were not counted"),
        (Measurement(instructions=7), "its instructions were not counted"),
    ],
)
def test_a_count_is_believed_where_cpu_time_agrees(own: Measurement, says: str) -> None:
    found = objection(own, HUMANS, BAND)
    assert says in found
    assert bool(found) == bool(says)


def test_a_faster_rival_may_have_to_be_faster_by_more() -> None:
    own = cost(10.4, 35)  # 2.7 standard errors of the difference slower than the first of HUMANS
    assert "1 that execute more instructions" in objection(own, HUMANS, BAND)
    assert objection(own, HUMANS, BAND, widths=2.0) == ""


def test_nothing_is_believed_without_a_trusted_program() -> None:
    assert objection(cost(10, 40), HUMANS, None) == "no trusted program for the task was counted"


def test_a_single_repeat_has_no_noise_to_be_beyond() -> None:
    """Then the band alone decides."""
    assert objection(cost(15, 35, se=None), HUMANS, BAND) == ""


@pytest.mark.parametrize("forged", [1.5, 2, 5, 20, 1000])
@pytest.mark.parametrize("rate", [2, 3, 4])
def test_what_is_left_to_a_forger_is_bounded(forged: float, rate: float) -> None:
    """A program that takes 20 ms divides its honest count; only so much of that is believed."""
    honest = 20 * rate
    believed = objection(cost(20, honest / forged), HUMANS, BAND) == ""
    if believed:
        assert forged < WIDENED * rate / 2
        assert honest / forged >= 40  # not before the program that takes 10 ms
