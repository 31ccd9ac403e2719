"""What a model is asked: Jinja2 files beside this one, and the figures as they are shown in them.

Training, evaluation and derived sets render the same files, so that a model is trained on what it is asked later. The
placeholders are the paper's: ``target_lang``, ``question``, ``starter_code``, ``efficiency_instruction``,
``original_solution``, ``original_passed``, ``original_time``, ``original_memory``, ``original_integral``.

    baseline.md.j2   solve a problem
    improve.md.j2    better a solution, given its measured performance
    system.md.j2     the system prompt of both

A prompt asks for one of two forms of answer: ``block`` (one fenced code block) or ``thinking`` (the paper's
``<thinking>…</thinking><solution>…</solution>``). answers.py reads both.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from venus_toolkit.answers import fenced
from venus_toolkit.errors import UsageError
from venus_toolkit.language import Language
from venus_toolkit.llm import Message, Prompt
from venus_toolkit.records import NS_PER_MS, NS_PER_S

if TYPE_CHECKING:
    import jinja2

FOLDER = Path(__file__).parent
OBJECTIVES = ("time", "memory", "integral")
FORMS = ("block", "thinking")
UNKNOWN = "not measured"
MS_PER_S = NS_PER_S // NS_PER_MS


class Performance(NamedTuple):
    """What a program cost over all its tests, in the units of published data; None: unknown."""

    passed: bool = True
    time_ms: float | None = None
    memory_kib: float | None = None
    integral_kib_ms: float | None = None


UNMEASURED = Performance()


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked for; with `original` the prompt is ``improve.md.j2``, else ``baseline.md.j2``.

    style is ``stdin`` or ``function``, objective one of OBJECTIVES, form one of FORMS.
    """

    language: Language
    question: str
    objective: str
    starter_code: str = ""
    style: str = "stdin"
    original: str | None = None
    performance: Performance = UNMEASURED
    form: str = "block"


def render_prompt(request: Request) -> Prompt:
    """Return the system prompt and the question.

    Raises:
        UsageError: There is no such objective or form.
    """
    _check("objective", request.objective, OBJECTIVES)
    _check("form of answer", request.form, FORMS)
    environment = _environment(request.language)
    values = _placeholders(request)
    name = "baseline.md.j2" if request.original is None else "improve.md.j2"
    return (
        Message("system", environment.get_template("system.md.j2").render(values).strip()),
        Message("user", environment.get_template(name).render(values).strip()),
    )


def conversation(prompt: Prompt) -> list[dict[str, str]]:
    """Return a prompt as the list of role and content that training libraries read."""
    return [message._asdict() for message in prompt]


def _check(word: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise UsageError(f"unknown {word} {given!r}", "known are " + ", ".join(known), "choose one of them")


def _placeholders(request: Request) -> dict[str, Any]:
    shown = request.performance
    return {
        "target_lang": request.language.name,
        "fence": request.language.fences[0],
        "question": request.question,
        "starter_code": request.starter_code,
        "efficiency_instruction": _instructions()[request.objective],
        "style": request.style,
        "form": request.form,
        "original_solution": request.original,
        "original_passed": "yes" if shown.passed else "no",
        "original_time": _shown(shown.time_ms, 1, "ms"),
        "original_memory": _shown(shown.memory_kib, 1, "KiB"),
        "original_integral": _shown(shown.integral_kib_ms, MS_PER_S, "KiB·s"),
    }


def _shown(value: float | None, divisor: int, unit: str) -> str:
    """Return a figure with four digits, or the word for an unknown one."""
    if value is None:
        return UNKNOWN
    scaled = value / divisor
    return f"{scaled:.0f} {unit}" if scaled >= 1000 else f"{scaled:.4g} {unit}"


@cache
def _instructions() -> dict[str, str]:
    return tomllib.loads((FOLDER / "instructions.toml").read_text(encoding="utf-8"))


@cache
def _environment(language: Language) -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["fenced"] = lambda code: fenced(code, language)
    return environment
