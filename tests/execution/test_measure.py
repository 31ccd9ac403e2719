"""Sums of measurements, ranking, units and cores; real runs are in tests/contract and bench."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from venus_toolkit.builders.release_rows import kibibyte_milliseconds, kibibytes, milliseconds
from venus_toolkit.core.memory import own_peak_bytes
from venus_toolkit.core.records import MIB, Run, TestCase, Verdict
from venus_toolkit.execution.measuring.measure import _run_in_order
from venus_toolkit.execution.measuring.pressure import Pressure
from venus_toolkit.execution.measuring.ranking import ranking_key
from venus_toolkit.execution.measuring.rounds import (
    MeasureOptions,
    Reference,
    Rejection,
    Round,
    Rounds,
    spread,
    summarise,
)
from venus_toolkit.execution.sandbox import Session
from venus_toolkit.execution.sandbox.cores import quiet_cores

pytestmark = pytest.mark.serial

ROOT = Path(__file__).resolve().parents[2]

BASE = Run(
    exit_code=0, signal=None, limit=None, wall_ns=10, cpu_ns=8, user_ns=8, system_ns=0, peak_bytes=1000,
    peak_source="rusage", cgroup_peak_bytes=None, integral_byte_ns=5000, integral_error_byte_ns=1, samples=3,
    largest_gap_ns=1, processes=1, oom_kills=0, minor_faults=0, major_faults=0, voluntary_switches=0,
    involuntary_switches=0, stdout_cut=False, stderr_cut=False, containment="pid_namespace",
)  # fmt: skip


def run(**values: int) -> Run:
    return replace(BASE, **values)


def test_times_are_sums_and_memory_is_a_maximum() -> None:
    rounds = [Round((run(wall_ns=10, peak_bytes=100), run(wall_ns=30, peak_bytes=300)), 4.0, True)]
    measured = summarise(rounds, 2, MeasureOptions(repeats=1))
    assert (measured.wall_ns, measured.peak_bytes, measured.integral_byte_ns) == (40, 300, 10000)


def test_lesson_37_wrong_output_leaves_no_figures() -> None:
    quick, honest = ((Round((run(),), 4.0, True),) for _ in range(2))
    wrong = Rejection(Verdict.WRONG_ANSWER, "it printed something else while it was measured")
    rounds = Rounds(MeasureOptions(repeats=1), 1, (quick, honest), (), {0: wrong})
    cheat, other = rounds.measured(0), rounds.measured(1)
    assert (cheat.total.wall_ns, cheat.total.repeats, cheat.repeats[0].wall_ns) == (None, 0, None)
    assert "wrong_output" in cheat.total.noise
    assert (other.total.wall_ns, other.rejection) == (10, None)


def test_each_test_takes_its_own_minimum() -> None:
    rounds = [
        Round((run(wall_ns=10), run(wall_ns=50)), 4.0, True),
        Round((run(wall_ns=20), run(wall_ns=30)), 4.0, True),
    ]
    assert summarise(rounds, 2, MeasureOptions()).wall_ns == 40
    assert summarise(rounds, 2, MeasureOptions(aggregate="median")).wall_ns == 55


def test_relative_time_cancels_drift() -> None:
    speeds = [1.2, 1, 1.3]
    rounds = [
        Round((run(cpu_ns=round(2e6 * speed)),), 1e6 * speed, True, at)
        for at, speed in enumerate(speeds)
    ]
    references = [
        Reference(1e6 * speed, at + side) for at, speed in enumerate(speeds) for side in (-0.2, 0.2)
    ]
    measured = (
        Rounds(MeasureOptions(), 1, (tuple(rounds),), references=tuple(references))
        .measured(0)
        .total
    )
    assert measured.relative_time == pytest.approx(2.0, rel=0.02)
    assert measured.relative_spread == pytest.approx(0.0)
    assert measured.cpu_se is not None
    assert measured.cpu_se > (measured.relative_se or 0)
    assert "reference_drift" in measured.noise


def test_floor_is_the_cost_of_an_empty_program() -> None:
    floor = tuple((run(wall_ns=5, cpu_ns=3, peak_bytes=70),) * 3 for _ in range(3))
    rounds = (Round((run(wall_ns=50), run(wall_ns=60)), None, True),) * 3
    measured = Rounds(MeasureOptions(), 2, (rounds,), floor=floor).measured(0).total
    assert (measured.floor_wall_ns, measured.floor_cpu_ns, measured.floor_peak_bytes) == (10, 6, 70)
    unknown = (
        Rounds(MeasureOptions(), 2, ((rounds[0]._replace(clean=False),) * 3,), floor=floor)
        .measured(0)
        .total
    )
    assert (unknown.wall_ns, unknown.floor_wall_ns, unknown.wall_se) == (None, None, None)


def test_lesson_10_unknown_is_none_never_zero() -> None:
    measured = summarise([Round((run(),), 4.0, False)], 1, MeasureOptions(repeats=1))
    assert (
        measured.wall_ns,
        measured.peak_bytes,
        measured.integral_byte_ns,
        measured.relative_time,
    ) == (None,) * 4
    assert "failed_repeat" in measured.noise
    assert ranking_key(measured, "time", "absolute") is None
    assert (milliseconds(None), kibibytes(None), kibibyte_milliseconds(None)) == (None, None, None)


def test_lesson_8_units_have_names_and_one_place() -> None:
    assert milliseconds(90_000_000_000) == 90_000.0
    assert kibibytes(1 << 30) == 1_048_576.0
    assert kibibyte_milliseconds(1024 * 1_000_000) == 1.0
    assert math.isclose(kibibyte_milliseconds((1 << 30) * 90 * 10**9) or 0, 94_371_840 * 1000)


def test_noise_is_flagged() -> None:
    busy = Round((run(wall_ns=1_000_000, involuntary_switches=5),), 4.0, True)
    assert "involuntary_switches" in summarise([busy], 1, MeasureOptions(repeats=1)).noise
    quiet = Round((run(wall_ns=1_000_000_000, involuntary_switches=5),), 4.0, True)
    assert summarise([quiet], 1, MeasureOptions(repeats=1)).noise == ()


def test_stolen_time_and_pressure_are_flagged() -> None:
    now = Pressure.now()
    assert "stolen_time" in now._replace(stolen=now.stolen - 10**9).since()
    assert "stolen_time" not in now._replace(total=now.total - 10**6).since()
    if now.waiting_us is not None:
        assert "cpu_pressure" in now._replace(waiting_us=now.waiting_us - 10**12).since()
        assert "cpu_pressure" not in now._replace(at_ns=now.at_ns - 10**18).since()


@pytest.mark.parametrize(
    ("values", "expected"), [([2.0, 3.0], 0.5), ([1.0], None), ([], None), ([0.0, 1.0], None)]
)
def test_spread(values: list[float], expected: float | None) -> None:
    assert spread(values) == expected


def test_ranking_follows_the_objective() -> None:
    rounds = Rounds(
        MeasureOptions(repeats=1),
        1,
        ((Round((run(),), 4.0, True),),),
        references=(Reference(4.0, 0),),
    )
    measured = rounds.measured(0).total
    keys = [
        ranking_key(measured, objective, "relative") for objective in ("time", "memory", "integral")
    ]
    assert keys == [pytest.approx(2.0), 1000, 5000]
    assert ranking_key(measured, "time", "absolute") == 10


def test_program_and_supervisor_use_two_cores() -> None:
    cores = quiet_cores()
    assert cores.apart == (cores.program != cores.sampler)


def test_peak_excludes_the_parent_process() -> None:
    """getrusage would report the 400 MiB of the parent, because exec keeps the largest peak."""
    large = bytearray(os.urandom(400 * MIB))
    script = "from venus_toolkit.core.memory import own_peak_bytes; print(own_peak_bytes())"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert own_peak_bytes() > len(large)
    assert int(done.stdout) < 200 * MIB


def test_no_reference_has_no_relative_time() -> None:
    measured = summarise(
        [Round((run(cpu_ns=80, wall_ns=90),), None, True)], 1, MeasureOptions(repeats=1)
    )
    assert (measured.wall_ns, measured.cpu_ns) == (90, 80)
    assert (measured.relative_time, measured.relative_spread) == (None, None)
    assert ranking_key(measured, "time", "relative") is None


class RecordingSession(Session):
    """A session that records its inputs and runs nothing."""

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        self.inputs = stdins
        return iter(())


def test_inputs_are_encoded_before_the_first_run() -> None:
    """Otherwise each input would be encoded during the previous run."""
    session = RecordingSession()
    _run_in_order(session, [TestCase("1", "7\n"), TestCase("2", "8\n")], [0, 1], lambda *_: None)
    assert session.inputs == [b"7\n", b"8\n"]
