"""What a batch is worth: tests per second in one process for all of them, against one process for each."""

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


class Worth(NamedTuple):
    """Tests per second, medians over the rounds, and the medians of the rounds' ratios to one process for each test.

    batch is the batch alone, checked with the sample that is run alone before it is believed.
    """

    language: str
    tests: int
    alone: float
    batch: float
    checked: float
    batch_ratio: float
    checked_ratio: float
    same: bool


class Timed(NamedTuple):
    """Outputs, and the seconds that they took."""

    outputs: list[bytes]
    seconds: float


def worth(language: str, tests: int, rounds: int) -> Worth:
    """Return what batches are worth on `tests` tiny tests of a solution in a language."""
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
    alone, batch, checked = ([tests / one[way].seconds for one in timings] for way in range(3))
    return Worth(
        language,
        tests,
        statistics.median(alone),
        statistics.median(batch),
        statistics.median(checked),
        statistics.median(b / a for a, b in zip(alone, batch, strict=True)),
        statistics.median(c / a for a, c in zip(alone, checked, strict=True)),
        all(
            one.outputs == timing[0].outputs and len(one.outputs) == tests
            for timing in timings
            for one in timing
        ),
    )


def _runs(sandbox: Sandbox, compiled: Compiled, stdins: list[bytes]) -> list[Run]:
    with sandbox.session(compiled, LIMITS) as session:
        return list(session.run(stdins))


def _timed(way: Callable[[], list[Run]]) -> Timed:
    start = time.perf_counter()
    outputs = [run.stdout for run in way()]
    return Timed(outputs, time.perf_counter() - start)
