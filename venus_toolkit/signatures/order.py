"""Evaluators for problems with several right answers, as Python source."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from venus_toolkit.signatures import views as runtime


def order_of_dissent(outputs: Sequence[str]) -> tuple[int, ...] | None:
    """Return the depths of the lists to sort so that all outputs become equal.

    The outputs are JSON texts of accepted solutions for one input. The result has as few
    depths as possible, preferring outer ones; it is empty if the outputs are equal already. It is
    None if sorting does not make them equal, or an output is not JSON.
    """
    try:
        values = [json.loads(output) for output in outputs]
        depths = range(max(map(_depth, values), default=0))
        orders = (
            order for count in range(len(depths) + 1) for order in combinations(depths, count)
        )
        forms = ((order, [runtime.ordered(value, order) for value in values]) for order in orders)
        return next(
            (order for order, form in forms if all(value == form[0] for value in form)), None
        )
    except (ValueError, RecursionError):
        return None


def evaluator_for(
    order: Sequence[int] = (),
    absolute: float = 0.0,
    relative: float = 0.0,
    *,
    views: Sequence[str] = (),
    case: bool = False,
    calls: bool = False,
    words: bool = False,
) -> str:
    """Return Python source of ``evaluate``, which calls `views.judge` with the same arguments.

    The source is self-contained, and ``evaluate`` never raises. It takes the input as a third
    argument only if there are views, which may read it.
    """
    rules = {
        "views": tuple(views),
        "order": tuple(order),
        "case": case,
        "absolute": float(absolute),
        "relative": float(relative),
        "calls": calls,
        "words": words,
    }
    text = Path(runtime.__file__).read_text(encoding="utf-8")
    head, stdin = ("expected, actual, stdin", "stdin") if views else ("expected, actual", '""')
    call = f"judge(expected, actual, {stdin}, **{rules!r})"
    return f"{text}\n\ndef evaluate({head}):\n    return {call}\n"


def _depth(value: object) -> int:
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0
