"""Reliability of rankings: Kendall's tau between two passes over programs whose work differs by 3 %."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from bench.overhead import PROGRAMS
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits, Measurement, TestCase
from venus_toolkit.execution.measuring.measure import measure_interleaved
from venus_toolkit.execution.measuring.ranking import ranking_key
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.local import LocalSandbox

STEP = 1.03
FAMILIES = {"cpp": ("work.c", 9_000_000), "python": ("work.py.txt", 90_000)}


class Ranking(NamedTuple):
    """Tau between two passes, and the lower tau with the true order, by relative and wall time."""

    language: str
    programs: int
    repeats: int
    relative: float
    wall: float
    relative_truth: float
    wall_truth: float


def ranking(language: str, programs: int, repeats: int) -> Ranking:
    """Measure a family of programs twice and compare the orders."""
    source, work = FAMILIES[language]
    text = (PROGRAMS / source).read_text()
    test = [TestCase("only", "", "")]
    with LocalSandbox() as sandbox:
        compiled = [
            sandbox.compile(
                Program(
                    load_languages()[language], text.replace("WORK", str(round(work * STEP**i)))
                )
            )
            for i in range(programs)
        ]
        rounds = [
            measure_interleaved(sandbox, compiled, test, Limits(), MeasureOptions(repeats=repeats))
            for _ in range(2)
        ]
    passes = [[session.measured(index).total for index in range(programs)] for session in rounds]
    relative = [_keys(measured, "relative") for measured in passes]
    wall = [_keys(measured, "absolute") for measured in passes]
    true = list(range(programs))
    return Ranking(
        language,
        programs,
        repeats,
        tau(*relative),
        tau(*wall),
        min(tau(keys, true) for keys in relative),
        min(tau(keys, true) for keys in wall),
    )


def _keys(measured: Sequence[Measurement], rank: str) -> list[float]:
    return [key for m in measured if (key := ranking_key(m, "time", rank)) is not None]


def tau(left: Sequence[float], right: Sequence[float]) -> float:
    """Return Kendall's tau-a of two lists over the same items: (concordant - discordant) / pairs."""
    pairs = list(combinations(range(len(left)), 2))
    signs = [(left[i] - left[j]) * (right[i] - right[j]) for i, j in pairs]
    return (sum(s > 0 for s in signs) - sum(s < 0 for s in signs)) / len(pairs)
