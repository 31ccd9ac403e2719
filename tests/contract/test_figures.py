"""Programs gain nothing by manipulating their figures, and no information passes between runs.

bench/cheats explains both detections. The tests try a few cheats of each kind, or all with
--thorough.
"""

from __future__ import annotations

import pytest

from bench.cheats.residuals import (
    LIMITS,
    MOST,
    Cheat,
    answers,
    cheats,
    compiled,
    forged,
    gain,
    take_turns,
    told,
)
from venus_toolkit.core.errors import MachineError
from venus_toolkit.core.records import MIB, Run, TestCase
from venus_toolkit.execution.measuring.measure import measure_interleaved
from venus_toolkit.execution.measuring.ranking import ranking_key
from venus_toolkit.execution.measuring.rounds import DISAGREEMENT, MeasureOptions
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.emulator import find_emulator

# A server measures in a sandbox of this machine: test_figures_everywhere.py.
pytestmark = [pytest.mark.serial, pytest.mark.isolation, pytest.mark.here]
SAMPLE = {
    "memory": {"memfd-in-flight", "attributes", "leader-exits", "garbage-before"},
    "cpu": {"in-vforks", "in-child"},
    "vanish": {"clone-drops", "file-emptied", "exec-without-leader"},
    "kernel": {"aio-rings", "terminals"},
    "count": {"zeroed", "a-little"},
    "secret": {
        "attribute-of-stdout",
        "lock-of-stdout",
        "page-cache",
        "time-of-null",
        "words-of-supervisor",
    },
}
ROUNDS = (2, 3, 4)
"""More runs if the first ones seem to show a gain, since other work may disturb a figure."""
BASE_BYTES = 12 * MIB


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "cheat" in metafunc.fixturenames:
        # tests/execution/test_repeats.py
        chosen = [cheat for cheat in cheats() if cheat.about != "memo"]
        if not metafunc.config.getoption("--thorough"):
            chosen = [cheat for cheat in chosen if cheat.name in SAMPLE.get(cheat.family, ())]
        if metafunc.function is test_hidden_memory_counts_for_the_limit:
            large = [
                cheat
                for cheat in chosen
                if cheat.about == "memory" and cheat.mib * MIB > 2 * BASE_BYTES
            ]
            chosen = [cheat for cheat in large if not cheat.before]
        else:
            chosen = [
                cheat
                for cheat in chosen
                if (cheat.about == "secret")
                == (metafunc.function is test_no_information_passes_between_runs)
            ]
        metafunc.parametrize(
            "cheat", [pytest.param(cheat, id=f"{cheat.family}/{cheat.name}") for cheat in chosen]
        )


def test_cheats_gain_nothing(sandbox: Sandbox, cheat: Cheat) -> None:
    if cheat.about == "count":
        skip_uncounted()
    runs: dict[bytes, list[Run]] = {}
    most = cheat.open.get(sandbox.name, MOST)
    for rounds in ROUNDS:
        for stdin, more in take_turns(sandbox, cheat, rounds).items():
            runs.setdefault(stdin, []).extend(more)
        result = forged(sandbox, cheat, runs) if cheat.about == "count" else gain(cheat, runs)
        if result.worst <= most:
            return
    raise AssertionError(f"{cheat.does}: {result.factors}")


def test_flagged_programs_are_not_ranked(sandbox: Sandbox) -> None:
    by_name = {cheat.name: cheat for cheat in cheats() if cheat.family == "vanish"}
    program = compiled(sandbox, by_name["file-emptied"].source)
    tests = [TestCase("only", by_name["file-emptied"].stdin("file-emptied").decode(), "ok\n")]
    plain = [TestCase("only", by_name["file-emptied"].stdin("plain").decode(), "ok\n")]
    options = MeasureOptions(repeats=2)
    cheat, twin = (
        measure_interleaved(sandbox, [program], inputs, LIMITS, options, reference=False)
        .measured(0)
        .total
        for inputs in (tests, plain)
    )
    for objective in ("time", "memory", "integral"):
        assert ranking_key(cheat, objective, "absolute") is None
        assert ranking_key(twin, objective, "absolute")
    assert DISAGREEMENT in cheat.noise
    assert DISAGREEMENT not in twin.noise


def skip_uncounted() -> None:
    try:
        find_emulator()
    except MachineError as error:
        pytest.skip(f"instructions cannot be counted: {error.why}")


def test_hidden_memory_counts_for_the_limit(sandbox: Sandbox, cheat: Cheat) -> None:
    limits = LIMITS.changed(memory_bytes=BASE_BYTES + cheat.mib * MIB // 2)
    with sandbox.session(compiled(sandbox, cheat.source), limits) as session:
        (run,) = session.run([cheat.stdin(cheat.name)])
    assert not run.clean


def test_no_information_passes_between_runs(sandbox: Sandbox, cheat: Cheat) -> None:
    known = cheat.open.get(sandbox.name, "nobody")
    if known == "the next run":
        pytest.skip(f"it is not stopped: {cheat.stops}")
    outputs = answers(sandbox, cheat)
    assert told(outputs) in ("nobody", known), outputs
