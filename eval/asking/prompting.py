"""Prompts a model as it was trained: form, objective and system prompt from its card.

A model trained to think before it answers scores lower when asked for one code block, and its
figures do not show why. `venus train` writes the prompting of a model into its card under
``prompting``. Evaluations follow the card unless a flag says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.eval.asking.contamination import find_card, read_header
from venus_toolkit.eval.eval_options import EvalOptions, Prices
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.models.prompts import (
    FORMS,
    OBJECTIVES,
    OTHER_NAMES,
    PromptRequest,
    render_prompt,
)

FORM, OBJECTIVE = FORMS[0], OBJECTIVES[0]  # the defaults without a card


def make_eval_options(
    languages: Sequence[Language], *, default_form: str = FORM, **flags: Any
) -> EvalOptions:
    """Return the options of an evaluation: from flags, else the model's card, else the defaults.

    Args:
        languages: The languages of the tasks.
        default_form: The form of answers if the card names none.
        flags: Fields of EvalOptions, ``repeats``, ``price_prompt`` and ``price_completion``; None
            means that a flag is not set.

    Raises:
        UsageError: The options are invalid, or the card cannot be read.
    """
    values = {name: value for name, value in flags.items() if value is not None}
    prompts = str(values.pop("prompts", ""))
    form, objective, prompting = follow_card(
        values["model"],
        tuple(languages),
        form=values.pop("form", None),
        objective=values.pop("objective", None),
        templates=prompts,
        model_card=values.get("model_card", ""),
        default_form=default_form,
    )
    return EvalOptions(
        lang=tuple(language.id for language in languages),
        form=form,
        objective=objective,
        prompting=prompting,
        prompts=prompts,
        measure=MeasureOptions(values.pop("repeats", MeasureOptions().repeats)),
        prices=Prices(values.pop("price_prompt", None), values.pop("price_completion", None)),
        **values,
    )


def follow_card(
    model: str,
    languages: tuple[Language, ...],
    *,
    form: str | None = None,
    objective: str | None = None,
    templates: str = "",
    model_card: str = "",
    default_form: str = FORM,
) -> tuple[str, str, tuple[str, ...]]:
    """Return the form, the objective, and notes on how the model's card affects them.

    Arguments take precedence over the card, which is `model_card` or the one next to the weights.
    `default_form` applies if neither sets the form.

    Raises:
        UsageError: The card cannot be read, or names an unknown form.
    """
    objective = OTHER_NAMES.get(objective or "", objective)
    card = find_card(model, model_card)
    header = (read_header(card).get("prompting") if card else None) or {}
    if not isinstance(header, dict) or header.get("form") not in (None, *FORMS):
        reason = f"prompting is {header!r}, but its form must be one of {', '.join(FORMS)}"
        raise UsageError(
            f"the card {card} cannot be followed", reason, "fix its header, or give --form"
        )
    notes = []
    trained_form = header.get("form")
    objectives = [name for name in header.get("objectives") or () if name in OBJECTIVES]
    if form is None and trained_form:
        notes.append(f"form {trained_form}: its card says that the model was trained in this form")
    elif form and trained_form and form != trained_form:
        notes.append(
            f"form {form}, but its card says that the model was trained in the form {trained_form}"
        )
    if objective is None and len(objectives) == 1:
        objective = objectives[0]
        notes.append(f"objective {objective}: its card says that the model was trained for it")
    elif objectives and (objective or OBJECTIVE) not in objectives:
        notes.append(
            f"its card says that the model was trained for {', '.join(objectives)}, not for "
            f"{objective or OBJECTIVE}"
        )
    form, objective = form or trained_form or default_form, objective or OBJECTIVE
    system = header.get("system")
    if isinstance(system, str) and system.strip() and not templates:
        prompts = [
            render_prompt(PromptRequest(language, "", objective, form=form))
            for language in languages
        ]
        if system.strip() not in [
            next(message.content for message in prompt if message.role == "system").strip()
            for prompt in prompts
        ]:
            notes.append(
                "its card has another system prompt: name a folder with its templates by --prompts"
            )
    return form, objective, tuple(notes)
