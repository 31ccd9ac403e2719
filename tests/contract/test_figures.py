"""Programs that bend their own figures gain nothing, and nothing is told from one run to the next.

bench/cheats says how both are found out. A few cheats of each kind are tried; with --thorough all
are.
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
"""More where the first seem to show a gain: a figure that others disturbed is no cheat."""
BASE_BYTES = 12 * MIB


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "cheat" in metafunc.fixturenames:
        # tests/execution/test_repeats.py
        chosen = [each for each in cheats() if each.about != "memo"]
        if not metafunc.config.getoption("--thorough"):
            chosen = [each for each in chosen if each.name in SAMPLE.get(each.family, ())]
        if metafunc.function is test_memory_that_is_hidden_counts_for_the_limit:
            large = [
                each
                for each in chosen
                if each.about == "memory" and each.mib * MIB > 2 * BASE_BYTES
            ]
            chosen = [each for each in large if not each.before]
        else:
            chosen = [
                each
                for each in chosen
                if (each.about == "secret") == (metafunc.function is test_nothing_is_told)
            ]
        metafunc.parametrize(
            "cheat", [pytest.param(each, id=f"{each.family}/{each.name}") for each in chosen]
        )


def test_no_figure_is_bent(sandbox: Sandbox, cheat: Cheat) -> None:
    if cheat.about == "count":
        skip_uncounted()
    runs: dict[bytes, list[Run]] = {}
    most = cheat.open.get(sandbox.name, MOST)
    for rounds in ROUNDS:
        for stdin, more in take_turns(sandbox, cheat, rounds).items():
            runs.setdefault(stdin, []).extend(more)
        found = forged(sandbox, cheat, runs) if cheat.about == "count" else gain(cheat, runs)
        if found.worst <= most:
            return
    raise AssertionError(f"{cheat.does}: {found.factors}")


def test_what_is_flagged_ranks_nowhere(sandbox: Sandbox) -> None:
    by_name = {cheat.name: cheat for cheat in cheats() if cheat.family == "vanish"}
    program = compiled(sandbox, by_name["file-emptied"].source)
    tests = [TestCase("only", by_name["file-emptied"].stdin("file-emptied").decode(), "ok\n")]
    plain = [TestCase("only", by_name["file-emptied"].stdin("plain").decode(), "ok\n")]
    options = MeasureOptions(repeats=2)
    cheat, twin = (
        measure_interleaved(sandbox, [program], each, LIMITS, options, reference=False)
        .measured(0)
        .total
        for each in (tests, plain)
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


def test_memory_that_is_hidden_counts_for_the_limit(sandbox: Sandbox, cheat: Cheat) -> None:
    limits = LIMITS.changed(memory_bytes=BASE_BYTES + cheat.mib * MIB // 2)
    with sandbox.session(compiled(sandbox, cheat.source), limits) as session:
        (run,) = session.run([cheat.stdin(cheat.name)])
    assert not run.clean


def test_nothing_is_told(sandbox: Sandbox, cheat: Cheat) -> None:
    known = cheat.open.get(sandbox.name, "nobody")
    if known == "the next run":
        pytest.skip(f"it is not stopped: {cheat.stops}")
    said = answers(sandbox, cheat)
    assert told(said) in ("nobody", known), said
