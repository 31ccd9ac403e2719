"""Cards of models and of evaluations: the facts are given in a record, and put through a template.

As with datasets, what people wrote into a card that is there already is kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from venus_toolkit.core.errors import UsageError
from venus_toolkit.dataset.card.header import join_headers, licence_keys
from venus_toolkit.dataset.card.markup import dump_header, join_cards, load_header, parse_card
from venus_toolkit.dataset.card.templates import render_template
from venus_toolkit.dataset.release import CARD


@dataclass(frozen=True, slots=True)
class ReportedResult:
    """One measured value of a metric."""

    metric: str  # its id, such as ``pass@1`` or ``beyond_time``
    value: float  # in the unit of the metric
    dataset: str  # Hub id of the dataset
    revision: str  # of the dataset, a tag or a commit
    config: str = ""  # of the dataset, such as a language
    split: str = "test"  # of the dataset
    name: str = ""  # the metric in words; its id where this is empty
    unit: str = ""  # such as ``%``; empty for a plain number
    interval: tuple[float, float] | None = None  # 95 % interval, if one was computed
    n: int | None = None  # number of problems behind it, or None where that is not known
    # what else the value depends on, such as the temperature
    args: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a value that is not a number.

        Raises:
            UsageError: The value or an end of the interval is not finite.
        """
        if not all(map(math.isfinite, (self.value, *(self.interval or ())))):
            fix = "leave the result out"
            raise UsageError(
                f"the result {self.metric} cannot be put on a card",
                f"its value is {self.value}",
                fix,
            )

    @property
    def title(self) -> str:
        """What a table calls the metric."""
        return self.name or self.metric


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a card says of a model that was trained. Empty or None: not known."""

    name: str  # of the model
    method: str  # ``sft``, ``dpo``, ``cold-start`` or ``grpo``
    base_model: str  # Hub id of the base model, or the name of a folder
    base_revision: str  # its commit
    dataset: str  # Hub id of the training data, or the name of a release
    dataset_revision: str  # its tag or commit
    configs: Mapping[str, str] = field(default_factory=dict)  # trained on: config to split
    license: str = ""  # SPDX identifier of the model
    rows: int | None = None  # training rows
    steps: int | None = None  # optimiser steps
    seconds: float | None = None  # wall time of the training
    seed: int | None = None  # every random choice followed from it
    command: str = ""  # what was typed
    # name to value
    hyperparameters: Mapping[str, Any] = field(default_factory=dict)
    # such as GPU, driver, versions of torch and trl
    environment: Mapping[str, Any] = field(default_factory=dict)
    results: tuple[ReportedResult, ...] = ()  # figures on held-out data
    languages: tuple[str, ...] = ()  # programming languages it was trained for
    limits: tuple[str, ...] = ()  # sentences beyond those that the template has
    # How it is asked: form (block or thinking), objectives, system, templates; `venus eval` follows
    # it.
    prompting: Mapping[str, Any] = field(default_factory=dict)
    base_is_local: bool = False  # it is a folder, which nothing on the Hub can be linked to


@dataclass(frozen=True, slots=True)
class EvaluationFacts:
    """What a card says of an evaluation. Empty or None: not known."""

    name: str  # of the run
    model: str  # Hub id or name of the model
    model_revision: str  # its commit
    dataset: str  # Hub id of the data, or the name of a release
    dataset_revision: str  # its tag or commit
    suite: str  # what was asked, such as ``litmus``
    results: tuple[ReportedResult, ...]  # the figures
    languages: tuple[str, ...] = ()  # programming languages that were asked for
    problems: int | None = None  # how many problems
    samples: int | None = None  # answers for each problem
    judged: int | None = None  # answers that have a verdict
    # by kind; not the model's, and counted in no figure
    failures: Mapping[str, int] = field(default_factory=dict)
    partial: bool = False  # whether the run ended before all was done
    # temperature and whatever else was set
    settings: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)  # of the machine that measured
    command: str = ""  # what was typed
    license: str = ""  # SPDX identifier of the results
    limits: tuple[str, ...] = ()  # sentences beyond those that the template has


def render_model_card(facts: ModelFacts, existing: str = "") -> str:
    """Return the README of a model, with a ``model-index`` where there are results.

    What people wrote into the `existing` card is kept.

    Raises:
        UsageError: The card that is there cannot be taken apart.
    """
    revision = {"dataset": facts.dataset, "revision": facts.dataset_revision}
    # Which parts of the data the model has seen: `venus eval` refuses to evaluate on them.
    seen = [
        {**revision, "config": config, "split": split} for config, split in facts.configs.items()
    ]
    header = {
        "library_name": "transformers",
        "pipeline_tag": "text-generation",
        **({} if facts.base_is_local else {"base_model": facts.base_model}),
        "datasets": [facts.dataset],
        **({"training_data": seen} if seen else {}),
        **({"prompting": dict(facts.prompting)} if facts.prompting else {}),
        "tags": ["code", "code-efficiency", "venus", facts.method, *facts.languages],
    }
    return _render("model.md.j2", facts, header, facts.name, existing)


def render_evaluation_card(facts: EvaluationFacts, existing: str = "") -> str:
    """Return the README of an evaluation, with its results in the ``model-index`` of the model.

    What people wrote into the `existing` card is kept.

    Raises:
        UsageError: The card that is there cannot be taken apart.
    """
    header = {
        "datasets": [facts.dataset],
        "tags": ["code", "code-efficiency", "venus", "evaluation", facts.suite, *facts.languages],
    }
    return _render("evaluation.md.j2", facts, header, facts.model, existing)


def _render(
    template: str,
    facts: ModelFacts | EvaluationFacts,
    keys: dict[str, Any],
    model: str,
    existing: str,
) -> str:
    """Fill a template, and join card and header with those that are there.

    The results are those of `model`.
    """
    header = {
        **(licence_keys([facts.license]) if facts.license else {}),
        "language": ["code"],
        **keys,
    }
    if facts.results:
        header["metrics"] = list(dict.fromkeys(result.metric for result in facts.results))
        header["model-index"] = model_index(model, facts.results)
    new = parse_card(render_template(template, {"facts": facts}), template)
    old = parse_card(existing, CARD) if existing else None
    theirs = load_header(old.header, CARD) if old else {}
    card = join_cards(old, new, CARD) if old and old.has_text else new
    return card._replace(header=dump_header(join_headers(header, theirs, Path()))).text


def model_index(model: str, results: Iterable[ReportedResult]) -> list[dict[str, Any]]:
    """Return the ``model-index`` of a header.

    Results of one split of one dataset together, each with its metrics.

    The form is that of huggingface_hub's ``eval_results_to_model_index``: keys without a value are
    left out.
    """
    metrics: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for result in results:
        low, high = result.interval or (None, None)
        args = _known({**result.args, "low_95": low, "high_95": high, "problems": result.n})
        metric = _known(
            {"type": result.metric, "value": result.value, "name": result.title, "args": args}
        )
        metrics.setdefault(
            (result.dataset, result.config, result.split, result.revision), []
        ).append(metric)
    listed = []
    for (dataset, config, split, revision), values in metrics.items():
        name = dataset.split("/")[-1]
        about = _known(
            {"name": name, "type": dataset, "config": config, "split": split, "revision": revision}
        )
        listed.append({"task": {"type": "text-generation"}, "dataset": about, "metrics": values})
    return [{"name": model, "results": listed}]


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, "", {})}
