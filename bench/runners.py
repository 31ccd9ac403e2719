"""Gain from batches: tests per second in one process, compared with one process per test."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

from tests.runners.support import LIMITS, case, made
from tests.runners.test_runner_solutions import PAIR, PASTED
from venus_toolkit.core.records import Run
from venus_toolkit.execution.judging.batch import BatchSandbox, batch_input, split_answers
from venus_toolkit.execution.sandbox import Compiled, Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.signatures import lines_of_case


class BatchGain(NamedTuple):
    """Tests per second, as medians over the rounds, and median ratios to a process for each test.

    `batch` is the batch alone; `checked` includes the sample of single runs that confirms it.
    """

    language: str
    tests: int
    alone: float
    batch: float
    checked: float
    batch_ratio: float
    checked_ratio: float
    same: bool


class TimedRuns(NamedTuple):
    """The outputs, and the seconds for all of them."""

    outputs: list[bytes]
    seconds: float


def batch_gain(language: str, tests: int, rounds: int) -> BatchGain:
    """Measure batches on `tests` tiny tests of a solution in a language."""
    stdins = [case([2, 7, n, 7, 3 * n], 2 * n).encode() for n in range(tests)]
    lines = lines_of_case(PAIR)
    text = batch_input(stdins, lines)
    assert text
    with open_sandbox("local") as sandbox:
        compiled = made(sandbox, PAIR, language, PASTED[language])
        assert compiled.ok, compiled.log
        ways: list[Callable[[], list[Run]]] = [
            lambda: _runs(sandbox, compiled, stdins),
            lambda: split_answers(_runs(sandbox, compiled, [text])[0], tests),
            lambda: _runs(BatchSandbox(sandbox, lines), compiled, stdins),
        ]
        timings = [[_timed(way) for way in ways] for _ in range(rounds)]
    alone, batch, checked = (
        [tests / timing[way].seconds for timing in timings] for way in range(3)
    )
    return BatchGain(
        language,
        tests,
        statistics.median(alone),
        statistics.median(batch),
        statistics.median(checked),
        statistics.median(b / a for a, b in zip(alone, batch, strict=True)),
        statistics.median(c / a for a, c in zip(alone, checked, strict=True)),
        all(
            runs.outputs == timing[0].outputs and len(runs.outputs) == tests
            for timing in timings
            for runs in timing
        ),
    )


def _runs(sandbox: Sandbox, compiled: Compiled, stdins: list[bytes]) -> list[Run]:
    with sandbox.session(compiled, LIMITS) as session:
        return list(session.run(stdins))


def _timed(way: Callable[[], list[Run]]) -> TimedRuns:
    start = time.perf_counter()
    outputs = [run.stdout for run in way()]
    return TimedRuns(outputs, time.perf_counter() - start)
