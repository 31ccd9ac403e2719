"""Results as a card shows them, and as the ``model-index`` of its header.

The form of the index is that of huggingface_hub's ``eval_results_to_model_index``: results of one task and one split of
one dataset together, each with its metrics. Keys without a value are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from venus_toolkit.errors import UsageError

TASK = "text-generation"


@dataclass(frozen=True, slots=True)
class Result:
    """One figure that was measured.

    Attributes:
        metric: Its id, such as ``pass@1`` or ``beyond_time``.
        value: In the unit of the metric.
        dataset: Hub id of the dataset.
        revision: Of the dataset, a tag or a commit.
        config: Of the dataset, such as a language.
        split: Of the dataset.
        name: The metric in words; its id where this is empty.
        unit: Such as ``%``; empty for a plain number.
        interval: 95 % interval, or None where there is none.
        n: Number of problems behind it, or None where that is not known.
        args: What else the figure depends on, such as the temperature.
    """

    metric: str
    value: float
    dataset: str
    revision: str
    config: str = ""
    split: str = "test"
    name: str = ""
    unit: str = ""
    interval: tuple[float, float] | None = None
    n: int | None = None
    args: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a figure that is none.

        Raises:
            UsageError: The value or an end of the interval is not finite.
        """
        if not all(map(math.isfinite, (self.value, *(self.interval or ())))):
            fix = "leave the result out: unknown is no figure"
            raise UsageError(f"the result {self.metric} cannot be put on a card", f"its value is {self.value}", fix)

    @property
    def title(self) -> str:
        """What a table calls the metric."""
        return self.name or self.metric


def model_index(model: str, results: Iterable[Result]) -> list[dict[str, Any]]:
    """Return the ``model-index`` of a header.

    Args:
        model: The model's name.
        results: In the order in which they are to stand.
    """
    grouped: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        grouped.setdefault((result.dataset, result.config, result.split, result.revision), []).append(result)
    listed = [
        {"task": {"type": TASK}, "dataset": _dataset(each[0]), "metrics": [_metric(result) for result in each]}
        for each in grouped.values()
    ]
    return [{"name": model, "results": listed}]


def _dataset(result: Result) -> dict[str, Any]:
    values = {
        "name": result.dataset.split("/")[-1],
        "type": result.dataset,
        "config": result.config,
        "split": result.split,
        "revision": result.revision,
    }
    return {key: value for key, value in values.items() if value}


def _metric(result: Result) -> dict[str, Any]:
    args = dict(result.args)
    if result.interval:
        args |= {"low_95": result.interval[0], "high_95": result.interval[1]}
    if result.n is not None:
        args["problems"] = result.n
    values = {"type": result.metric, "value": result.value, "name": result.title, "args": args}
    return {key: value for key, value in values.items() if value not in ("", {})}
