"""Cards of models and of evaluations, rendered from a record of facts.

As with datasets, text that people added to an existing card is kept.
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

    metric: str  # the id of the metric, such as ``pass@1`` or ``beyond_time``
    value: float  # in the unit of the metric
    dataset: str  # Hub id of the dataset
    revision: str  # of the dataset, a tag or a commit
    config: str = ""  # of the dataset, such as a language
    split: str = "test"  # of the dataset
    name: str = ""  # the name of the metric; default: its id
    unit: str = ""  # such as ``%``; empty for a plain number
    interval: tuple[float, float] | None = None  # 95 % interval, if computed
    n: int | None = None  # number of problems; None: unknown
    # other settings of the value, such as the temperature
    args: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Reject a value that is not a number.

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
        """The heading of the metric in a table."""
        return self.name or self.metric


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """The facts of a trained model's card; empty or None means unknown."""

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
    seed: int | None = None  # of every random choice
    command: str = ""  # the command line
    # name to value
    hyperparameters: Mapping[str, Any] = field(default_factory=dict)
    # such as GPU, driver, versions of torch and trl
    environment: Mapping[str, Any] = field(default_factory=dict)
    results: tuple[ReportedResult, ...] = ()  # figures on held-out data
    languages: tuple[str, ...] = ()  # programming languages it was trained for
    limits: tuple[str, ...] = ()  # sentences in addition to those of the template
    # Its prompting: form (block or thinking), objectives, system, templates; followed by `venus
    # eval`
    prompting: Mapping[str, Any] = field(default_factory=dict)
    base_is_local: bool = False  # the base model is a folder, so the card cannot link to it


@dataclass(frozen=True, slots=True)
class EvaluationFacts:
    """The facts of an evaluation's card; empty or None means unknown."""

    name: str  # of the run
    model: str  # Hub id or name of the model
    model_revision: str  # its commit
    dataset: str  # Hub id of the data, or the name of a release
    dataset_revision: str  # its tag or commit
    suite: str  # the benchmark, such as ``litmus``
    results: tuple[ReportedResult, ...]  # the figures
    languages: tuple[str, ...] = ()  # programming languages of the tasks
    problems: int | None = None  # number of problems
    samples: int | None = None  # number of answers to each problem
    judged: int | None = None  # number of answers with a verdict
    # by kind; not failures of the model, and not counted in any figure
    failures: Mapping[str, int] = field(default_factory=dict)
    partial: bool = False  # whether the run is incomplete
    # temperature and other settings
    settings: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)  # of the measuring machine
    command: str = ""  # the command line
    license: str = ""  # SPDX identifier of the results
    limits: tuple[str, ...] = ()  # sentences in addition to those of the template


def render_model_card(facts: ModelFacts, existing: str = "") -> str:
    """Return the README of a model, with a ``model-index`` if there are results.

    Text that people added to the `existing` card is kept.

    Raises:
        UsageError: The existing card cannot be parsed.
    """
    revision = {"dataset": facts.dataset, "revision": facts.dataset_revision}
    # `venus eval` refuses to evaluate the model on its training data.
    training_data = [
        {**revision, "config": config, "split": split} for config, split in facts.configs.items()
    ]
    header = {
        "library_name": "transformers",
        "pipeline_tag": "text-generation",
        **({} if facts.base_is_local else {"base_model": facts.base_model}),
        "datasets": [facts.dataset],
        **({"training_data": training_data} if training_data else {}),
        **({"prompting": dict(facts.prompting)} if facts.prompting else {}),
        "tags": ["code", "code-efficiency", "venus", facts.method, *facts.languages],
    }
    return _render("model.md.j2", facts, header, facts.name, existing)


def render_evaluation_card(facts: EvaluationFacts, existing: str = "") -> str:
    """Return the README of an evaluation, with its results in the ``model-index`` of the model.

    Text that people added to the `existing` card is kept.

    Raises:
        UsageError: The existing card cannot be parsed.
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
    """Fill a template, and join card and header with the existing ones; results are of `model`."""
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
    old_header = load_header(old.header, CARD) if old else {}
    card = join_cards(old, new, CARD) if old and old.has_text else new
    return card._replace(header=dump_header(join_headers(header, old_header, Path()))).text


def model_index(model: str, results: Iterable[ReportedResult]) -> list[dict[str, Any]]:
    """Return the ``model-index`` of a header, with results grouped by dataset and split.

    The format is that of huggingface_hub's ``eval_results_to_model_index``: keys without a value
    are left out.
    """
    metrics: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for result in results:
        low, high = result.interval or (None, None)
        args = _without_empty({**result.args, "low_95": low, "high_95": high, "problems": result.n})
        metric = _without_empty(
            {"type": result.metric, "value": result.value, "name": result.title, "args": args}
        )
        metrics.setdefault(
            (result.dataset, result.config, result.split, result.revision), []
        ).append(metric)
    entries = []
    for (dataset, config, split, revision), group in metrics.items():
        name = dataset.split("/")[-1]
        about = _without_empty(
            {"name": name, "type": dataset, "config": config, "split": split, "revision": revision}
        )
        entries.append({"task": {"type": "text-generation"}, "dataset": about, "metrics": group})
    return [{"name": model, "results": entries}]


def _without_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value not in (None, "", {})}
