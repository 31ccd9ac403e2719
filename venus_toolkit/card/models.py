"""Cards of models and of evaluations: what somebody else found out, in a record, through a template.

As with datasets, what people wrote into a card that is there already is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from venus_toolkit.card.dataset import README
from venus_toolkit.card.header import join_headers, licence_keys
from venus_toolkit.card.markup import dump_header, join_cards, load_header, parse_card
from venus_toolkit.card.results import Result, model_index
from venus_toolkit.card.words import render_template

MODEL, EVALUATION = "model.md.j2", "evaluation.md.j2"


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a card says of a model that was trained. Empty or None: not known.

    Attributes:
        name: Of the model.
        method: ``sft``, ``dpo``, ``cold-start`` or ``grpo``.
        base_model: Hub id of what it was trained from.
        base_revision: Its commit.
        dataset: Hub id of the training data, or the name of a release.
        dataset_revision: Its tag or commit.
        configs: Config to split that were trained on, such as ``{"cpp-sft": "time"}``.
        license: SPDX identifier of the model.
        rows: Training rows.
        steps: Optimiser steps.
        seconds: Wall time of the training.
        seed: Everything drawn by lot followed from it.
        command: What was typed.
        hyperparameters: Name to value, all that were set.
        environment: Such as GPU, driver, versions of torch and trl.
        results: Figures on held-out data.
        languages: Programming languages it was trained for.
        limits: Sentences beyond those that the template has.
    """

    name: str
    method: str
    base_model: str
    base_revision: str
    dataset: str
    dataset_revision: str
    configs: Mapping[str, str] = field(default_factory=dict)
    license: str = ""
    rows: int | None = None
    steps: int | None = None
    seconds: float | None = None
    seed: int | None = None
    command: str = ""
    hyperparameters: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    results: tuple[Result, ...] = ()
    languages: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluationFacts:
    """What a card says of an evaluation. Empty or None: not known.

    Attributes:
        name: Of the run.
        model: Hub id or name of the model.
        model_revision: Its commit.
        dataset: Hub id of the data, or the name of a release.
        dataset_revision: Its tag or commit.
        suite: What was asked, such as ``litmus``.
        results: The figures.
        languages: Programming languages that were asked for.
        problems: How many problems.
        samples: Answers for each problem.
        judged: Answers that have a verdict.
        failures: Failures that are not the model's (endpoint, sandbox), by kind; they count in no figure.
        partial: Whether the run ended before all was done.
        settings: Temperature and whatever else was set.
        environment: Of the machine that measured.
        command: What was typed.
        license: SPDX identifier of the results.
        limits: Sentences beyond those that the template has.
    """

    name: str
    model: str
    model_revision: str
    dataset: str
    dataset_revision: str
    suite: str
    results: tuple[Result, ...]
    languages: tuple[str, ...] = ()
    problems: int | None = None
    samples: int | None = None
    judged: int | None = None
    failures: Mapping[str, int] = field(default_factory=dict)
    partial: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""
    license: str = ""
    limits: tuple[str, ...] = ()


def render_model_card(facts: ModelFacts, existing: str = "") -> str:
    """Return the README of a model, with a ``model-index`` where there are results.

    Args:
        facts: What it says.
        existing: The card that is there; what people wrote into it is kept.

    Raises:
        UsageError: The card that is there cannot be taken apart.
    """
    header = {
        **(licence_keys([facts.license]) if facts.license else {}),
        "language": ["code"],
        "library_name": "transformers",
        "pipeline_tag": "text-generation",
        "base_model": facts.base_model,
        "datasets": [facts.dataset],
        **_training_data(facts),
        "tags": ["code", "code-efficiency", "venus", facts.method, *facts.languages],
        **_index(facts.name, facts.results),
    }
    return _join(MODEL, facts, header, existing)


def render_evaluation_card(facts: EvaluationFacts, existing: str = "") -> str:
    """Return the README of an evaluation, its results in the ``model-index`` under the name of the model.

    Args:
        facts: What it says.
        existing: The card that is there; what people wrote into it is kept.

    Raises:
        UsageError: The card that is there cannot be taken apart.
    """
    header = {
        **(licence_keys([facts.license]) if facts.license else {}),
        "language": ["code"],
        "datasets": [facts.dataset],
        "tags": ["code", "code-efficiency", "venus", "evaluation", facts.suite, *facts.languages],
        **_index(facts.model, facts.results),
    }
    return _join(EVALUATION, facts, header, existing)


def _training_data(facts: ModelFacts) -> dict[str, Any]:
    """Return which parts of the data the model has seen: `venus eval` refuses to evaluate on them."""
    of = {"dataset": facts.dataset, "revision": facts.dataset_revision}
    parts = [{**of, "config": config, "split": split} for config, split in facts.configs.items()]
    return {"training_data": parts} if parts else {}


def _index(model: str, results: tuple[Result, ...]) -> dict[str, Any]:
    if not results:
        return {}
    metrics = list(dict.fromkeys(result.metric for result in results))
    return {"metrics": metrics, "model-index": model_index(model, results)}


def _join(template: str, facts: ModelFacts | EvaluationFacts, header: dict[str, Any], existing: str) -> str:
    new = parse_card(render_template(template, {"facts": facts}), template)
    old = parse_card(existing, README) if existing else None
    theirs = load_header(old.header, README) if old else {}
    card = join_cards(old, new, README) if old and old.has_text else new
    return card._replace(header=dump_header(join_headers(header, theirs, Path()))).text
