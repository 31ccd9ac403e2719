"""Evaluators for outputs that need not be equal to be right, as Python source."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from venus_toolkit.signatures import views as runtime


def order_of_dissent(outputs: Sequence[str]) -> tuple[int, ...] | None:
    """Return the depths of lists whose order is all in which outputs differ, fewest and outermost first.

    The outputs are JSON texts of accepted solutions for one input. Empty where they are equal as
    they are, None where no order makes them equal or one is not JSON.
    """
    try:
        values = [json.loads(output) for output in outputs]
        depths = range(max(map(_depth, values), default=0))
        orders = (
            order for count in range(len(depths) + 1) for order in combinations(depths, count)
        )
        forms = ((order, [runtime.ordered(value, order) for value in values]) for order in orders)
        return next((order for order, form in forms if all(one == form[0] for one in form)), None)
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
    """Return Python source of ``evaluate``, which compares as `views.judge` does with the same arguments.

    It stands alone, never raises, and takes the input as a third argument only where there are
    views: these look at it.
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
    head, given = ("expected, actual, stdin", "stdin") if views else ("expected, actual", '""')
    return f"{text}\n\ndef evaluate({head}):\n    return judge(expected, actual, {given}, **{rules!r})\n"


def _depth(value: object) -> int:
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0
