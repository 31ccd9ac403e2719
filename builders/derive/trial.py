"""Is a model's answer worth learning from: its form, whether it passes, and what it costs beside the original.

A failure of the sandbox is tried once more and then attributed here: the answer is left for another time, and nothing
is said of the code.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from venus_toolkit.answers import read_answer, thinking_complaint
from venus_toolkit.builders.derive.options import DeriveOptions
from venus_toolkit.builders.derive.separation import FIGURES, Costs, costs_of, dearer
from venus_toolkit.errors import LanguageError, SandboxError
from venus_toolkit.measure import MeasureOptions
from venus_toolkit.records import Verdict, to_plain
from venus_toolkit.sandbox import Sandbox
from venus_toolkit.task import Task, judge_code, measure_beside

TRIES = 2
FORM, NO_FIGURES, DEARER = "form", "not measured", "dearer than the original"


class Tried(NamedTuple):
    """What came of an answer.

    verdict is that of the judge, or FORM; None: the sandbox failed. original and answer are the figures of both,
    measured beside each other; empty where the answer did not pass.
    """

    verdict: str | None
    reason: str = ""
    original: Mapping[str, Any] = {}
    answer: Mapping[str, Any] = {}


class Trial(Protocol):
    """Tries an answer."""

    def __call__(self, task: Task, original: str, text: str) -> Tried:
        """Return what came of the answer `text`, which was asked to better `original`."""
        ...


@dataclasses.dataclass(frozen=True, slots=True)
class SandboxTrial:
    """Judges and measures in a sandbox."""

    sandbox: Sandbox
    options: MeasureOptions

    def __call__(self, task: Task, original: str, text: str) -> Tried:
        """Return what came of the answer `text`, which was asked to better `original`."""
        complaint = thinking_complaint(text, task.language)
        code = read_answer(text, task.language).code
        if complaint or code is None:
            return Tried(FORM, complaint)
        error = ""
        for _ in range(TRIES):
            try:
                return self._judged(task, original, code)
            except SandboxError as failure:
                error = str(failure)
            except LanguageError as failure:
                return Tried(FORM, str(failure))
        return Tried(None, f"the sandbox failed {TRIES} times: {error}")

    def _judged(self, task: Task, original: str, code: str) -> Tried:
        judgement = judge_code(self.sandbox, task, code)
        if judgement.verdict != Verdict.ACCEPTED:
            return Tried(str(judgement.verdict), judgement.reason)
        before, after = measure_beside(self.sandbox, task, original, [code], self.options)
        for each in (original, code):
            self.sandbox.discard(self.sandbox.compile(task.program(each)))
        return Tried(str(judgement.verdict), "", to_plain(before), to_plain(after))


def refusal(tried: Tried, objective: str, rank: str, options: DeriveOptions) -> str:
    """Return why an answer is not kept, or "": it passed, and costs no more than the original beyond the noise."""
    if tried.verdict != Verdict.ACCEPTED:
        return tried.verdict or "the sandbox failed"
    figures = {name: _pair(tried, name) for name in FIGURES if name not in ("time", "memory", "integral")}
    shown = {name: np.zeros(2) for name in ("time", "memory", "integral")}
    costs = costs_of({**figures, **shown}, objective, rank, options)
    if not costs.comparable.all():
        return NO_FIGURES
    by_value = Costs(costs.value, costs.noise, costs.value)
    return DEARER if dearer(by_value, dataclasses.replace(options, min_ratio=1.0))[1, 0] else ""


def _pair(tried: Tried, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([_number(each.get(name)) for each in (tried.original, tried.answer)])


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
