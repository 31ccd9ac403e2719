"""Prompts: Jinja2 templates in this folder, filled with problems, programs and figures.

Training, evaluation and derived sets render the same templates, so a model is evaluated on the kind
of prompts that it was trained on. The placeholders are the paper's: ``target_lang``, ``question``,
``starter_code``, ``efficiency_instruction``, ``original_solution``, ``original_passed``,
``original_time``, ``original_memory``, ``original_integral``.

    baseline.md.j2   solve a problem
    improve.md.j2    improve a solution, given its measured performance; fix one that fails
    history.md.j2    earlier attempts, within improve.md.j2
    feedback.md.j2   the result of an answer, in a conversation
    system.md.j2     the system prompt of baseline and improve
    program.md.j2    the purpose of a user's own program, instead of a statement

A folder with files of these names replaces them (``PromptRequest.templates``); ``paper/`` is one,
with the structure of the paper's prompts. A prompt asks for one of two forms of answer: ``block`` (one
fenced code block) or ``thinking`` (the paper's ``<thinking>…</thinking><solution>…</solution>``).
answers.py reads both.

A prompt starts from a problem alone, or from a problem with a program and its result
(`PromptRequest.after`): in derived sets, in later turns of GRPO and in the loop.

Prompts quote no test, except with the feedback `DIFF`: see `failed`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.core.options import nearest
from venus_toolkit.core.records import (
    KIB,
    NS_PER_MS,
    NS_PER_S,
    Measurement,
    TestCase,
    Verdict,
)
from venus_toolkit.models.client import Message, Prompt
from venus_toolkit.models.prompts.template_process import make_prompt_environment, template_process

FOLDER = Path(__file__).parent
BUNDLED = {"paper": FOLDER / "paper"}  # folders of templates for --prompts
OBJECTIVES = ("time", "memory", "integral")
# the paper says "both time and memory" for the integral
OTHER_NAMES = {"both": "integral"}
FORMS = ("block", "thinking")
# Feedback on a failing program: only the verdict, or also the judge's message, which quotes tests.
VERDICT, DIFF = FEEDBACKS = ("verdict", "diff")


class Performance(NamedTuple):
    """The cost of a program over all its tests, in the units of published data; None: unknown.

    failure is the description of a failing program by `failed`; empty if unknown.
    """

    passed: bool = True
    time_ms: float | None = None
    memory_kib: float | None = None
    integral_kib_ms: float | None = None
    failure: str = ""


UNMEASURED = Performance()


def performance_of(total: Measurement | None) -> Performance:
    """Return the cost of a passing program in the units of a prompt."""
    if total is None:
        return UNMEASURED
    scales = (
        (total.wall_ns, NS_PER_MS),
        (total.peak_bytes, KIB),
        (total.integral_byte_ns, KIB * NS_PER_MS),
    )
    time_ms, memory_kib, integral = (
        None if value is None else value / unit for value, unit in scales
    )
    return Performance(True, time_ms, memory_kib, integral)


def failed(verdict: str, reason: str = "", feedback: str = VERDICT) -> Performance:
    """Return a prompt's description of a failing program, for training, evaluation and the loop.

    Args:
        verdict: The judge's verdict, or ``no_code``.
        reason: The judge's message, which quotes expected outputs and the program's output (which
            may contain the input).
        feedback: One of FEEDBACKS.

    >>> failed("wrong_answer", "line 1: expected '55', got '0'").failure
    'wrong answer'
    >>> failed("wrong_answer", "line 1: expected '55', got '0'", DIFF).failure
    "wrong answer: line 1: expected '55', got '0'"
    """
    words = [verdict.replace("_", " ")]
    # The reasons of these two verdicts quote no test.
    if feedback == DIFF or verdict in ("compile_error", "no_code"):
        words.append(reason[:2000])
    return Performance(False, failure=": ".join(filter(None, words)))


def outcome(
    verdict: str,
    reason: str = "",
    cost: Measurement | Performance | None = None,
    feedback: str = VERDICT,
) -> Performance:
    """Return a prompt's description of a program: its cost if it passes, else its failure.

    `cost` is the cost of a passing program; None: it was not measured. The other arguments are
    those of `failed`.
    """
    if verdict != Verdict.ACCEPTED:
        return failed(verdict, reason, feedback)
    return cost if isinstance(cost, Performance) else performance_of(cost)


class Attempt(NamedTuple):
    """An earlier attempt; outcome is one of the names in history.md.j2."""

    code: str
    outcome: str
    performance: Performance = UNMEASURED


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """The task of a prompt: ``improve.md.j2`` with an `original`, else ``baseline.md.j2``.

    style is ``stdin`` or ``function``, objective one of OBJECTIVES, form one of FORMS. Without
    show_original the original's code is left out, without show_feedback its cost; history has
    earlier attempts, oldest first. templates is a folder whose files replace those of this package.

    Raises:
        UsageError: show_original and show_feedback are both False.
    """

    language: Language
    question: str
    objective: str
    starter_code: str = ""
    style: str = "stdin"
    original: str | None = None
    performance: Performance = UNMEASURED
    form: str = "block"
    show_original: bool = True
    show_feedback: bool = True
    history: tuple[Attempt, ...] = ()
    templates: Path | None = None

    def __post_init__(self) -> None:
        """Refuse a prompt without the original and its cost."""
        if not (self.show_original or self.show_feedback):
            reason = "it would show neither the original nor its cost"
            raise UsageError("the prompt has nothing to improve", reason, "show one of them")

    def after(
        self,
        code: str,
        verdict: str,
        reason: str = "",
        cost: Measurement | Performance | None = None,
        feedback: str = VERDICT,
    ) -> PromptRequest:
        """Return a request to improve a program, or to fix it if it fails.

        The arguments after `code` are those of `outcome`.
        """
        return replace(self, original=code, performance=outcome(verdict, reason, cost, feedback))


def request_of_row(
    row: Mapping[str, Any],
    language: Language,
    objective: str,
    form: str,
    templates: Path | None = None,
) -> PromptRequest:
    """Return the prompt request for a row of a release, without a program."""
    return PromptRequest(
        language,
        row["question_content"] or "",
        objective,
        starter_code=row["code_prompt"] or "",
        style=row["style"] or "stdin",
        form=form,
        templates=templates,
    )


def template_folder(name: str) -> Path | None:
    """Return the folder of a ``--prompts`` value: one of BUNDLED, or the user's own.

    >>> template_folder("") is None, template_folder("paper") == FOLDER / "paper"
    (True, True)
    """
    return BUNDLED.get(name) or (Path(name) if name else None)


def render_prompt(request: PromptRequest) -> Prompt:
    """Return the system prompt and the question.

    Raises:
        UsageError: The objective or the form is unknown, or a user's template has an error.
    """
    _require("objective", request.objective, OBJECTIVES)
    _require("form of answer", request.form, FORMS)
    shown = request.performance
    values = {
        "target_lang": request.language.name,
        "fence": request.language.fences[0],
        "question": request.question,
        "starter_code": request.starter_code,
        "efficiency_instruction": _instructions()[request.objective],
        "style": request.style,
        "form": request.form,
        "original_solution": request.original,
        **{f"original_{name}": value for name, value in _figures(shown).items()},
        "original_failure": shown.failure,
        "show_original": request.show_original,
        "show_feedback": request.show_feedback,
        "history": [
            {
                "code": attempt.code,
                "outcome": attempt.outcome,
                "failure": attempt.performance.failure,
                **_figures(attempt.performance),
            }
            for attempt in request.history
        ],
    }
    name = "baseline.md.j2" if request.original is None else "improve.md.j2"
    return (
        Message("system", _render(request.language, request.templates, "system.md.j2", values)),
        Message("user", _render(request.language, request.templates, name, values)),
    )


def render_program(language: Language, about: str, examples: Sequence[TestCase]) -> str:
    """Return a statement for a user's program, from its description and examples."""
    values = {"about": about, "examples": examples, "target_lang": language.name}
    return _render(language, None, "program.md.j2", values)


def render_feedback(
    language: Language,
    objective: str,
    verdict: str,
    complaint: str = "",
    performance: Performance = UNMEASURED,
    original: Performance | None = None,
    left: int = 1,
    templates: Path | None = None,
) -> str:
    """Return the message after an answer, which asks for a better one.

    Args:
        language: The language that the answer is written in.
        objective: One of OBJECTIVES.
        verdict: The judge's verdict; ``no_code`` without a program, ``lost`` if the sandbox
            failed.
        complaint: The reason of a failure, in words that reveal no test.
        performance: The cost of the program, if it passes.
        original: The cost of the original in the same rounds; None without one, or if it fails.
        left: Number of answers that may follow.
        templates: A folder whose files replace those of this package.

    Raises:
        UsageError: The objective is unknown.
    """
    _require("objective", objective, OBJECTIVES)
    values = {
        "verdict": verdict,
        "complaint": complaint,
        "figures": _figures(performance),
        "original": original and _figures(original),
        "left": left,
        "efficiency_instruction": _instructions()[objective],
    }
    return _render(language, templates, "feedback.md.j2", values)


def _require(kind: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        fix = nearest(value, known) + "choose one of them"
        raise UsageError(f"unknown {kind} {value!r}", "expected one of " + ", ".join(known), fix)


def _figures(shown: Performance) -> dict[str, str]:
    return {
        "passed": "yes" if shown.passed else "no",
        "time": _shown(shown.time_ms, 1, "ms"),
        "memory": _shown(shown.memory_kib, 1, "KiB"),
        "integral": _shown(shown.integral_kib_ms, NS_PER_S // NS_PER_MS, "KiB·s"),
    }


def _shown(value: float | None, divisor: int, unit: str) -> str:
    """Return a figure with four digits, or the text for an unknown one."""
    if value is None:
        return "not measured"
    scaled = value / divisor
    return f"{scaled:.0f} {unit}" if scaled >= 1000 else f"{scaled:.4g} {unit}"


@cache
def _instructions() -> dict[str, str]:
    return tomllib.loads((FOLDER / "instructions.toml").read_text(encoding="utf-8"))


def _render(
    language: Language, templates: Path | None, name: str, values: Mapping[str, Any]
) -> str:
    """Return a template filled with values; a user's template runs in a process with limits."""
    folders = (templates, FOLDER) if templates else (FOLDER,)
    fence = language.fences[0]
    if templates and templates not in BUNDLED.values():
        return template_process(os.getpid()).render(folders, fence, name, values).strip()
    return make_prompt_environment(folders, fence).get_template(name).render(values).strip()
