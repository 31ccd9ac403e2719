"""Results whose order is free, by the statement or by accepted solutions that differ, and how to compare them.

A level says down to which depth lists are sorted before they are compared: 0 not at all, 1 the
outermost list, 2 the lists in it as well, and so on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from venus_toolkit.core.untrusted.templates import make_environment
from venus_toolkit.signatures.types import Kind, Type

GIVEN_BACK = re.compile(
    r"\b(?:return(?:ed|ing)?|output|print|answers?|results?|solutions?)\b", re.IGNORECASE
)


def order_freedom(statement: str, returns: Type | None = None) -> int | None:
    """Return the level down to which a statement leaves the order of the result free, or None where it does not say.

    Args:
        statement: Plain text, Markdown or HTML.
        returns: The type of the result: no level is deeper than its lists, and only lists have an
            order.
    """
    text = (
        re.sub(r"</?[a-zA-Z][^<>]*>|[*_`]", "", statement)
        .replace("&nbsp;", " ")
        .replace("\u2019", "'")
    )
    sentences = re.split(r"(?<=[.!?;])\s+|\n\s*\n", text)
    # Statements come from outside, and the patterns take long on very long sentences.
    levels = [_level_of(sentence) for sentence in sentences if len(sentence) <= 2_000]
    level = max(levels, default=0)  # one sentence that allows it is enough
    if returns is not None:
        level = min(level, _list_depth(returns))
    return level or None


def _level_of(sentence: str) -> int:
    no_matter = re.compile(
        r"\border\b[^.]*\b(?:do(?:es)? not|do(?:es)?n't) matter\b", re.IGNORECASE
    )
    of_what = re.compile(r"\border (?:of|in)\b|\border\b(?= (?:do|is))", re.IGNORECASE)
    if no_matter.search(sentence) and GIVEN_BACK.search(sentence):
        # "The order of the groups and the order in each do not matter" names two levels.
        return 2 if len(of_what.findall(sentence)) > 1 else 1
    any_order = re.compile(r"\b(?:in (?:an )?any|in (?:an )?arbitrary|any) order\b", re.IGNORECASE)
    # Sentences about the order of operations, or about results that are single values.
    not_of_the_result = re.compile(
        r"\breturn (?:the |a |an )?(?:minimum|maximum|number|length|sum|total|size|true|false|whether)\b"
        r"|\b(?:re-?arrange|re-?order|shuffle|permute|concatenate|perform|apply|process|choose|pick|visit)\w*\b[^.]*\border\b",
        re.IGNORECASE,
    )
    if not (any_order.search(sentence) and GIVEN_BACK.search(sentence)) or not_of_the_result.search(
        sentence
    ):
        return 0
    inner = re.compile(
        r"\b(?:with)?in each\b|\bof each\b|\beach (?:group|list|subset|pair|row|combination)\b",
        re.IGNORECASE,
    )
    return 2 if inner.search(sentence) else 1


def _list_depth(outer: Type) -> int:
    return 1 + _list_depth(outer.element) if outer.kind == Kind.LIST and outer.element else 0


def level_of_dissent(outputs: Sequence[str]) -> int | None:
    """Return the smallest level that makes outputs equal, JSON texts of accepted solutions for one input.

    0 where they are equal as they are, None where no order makes them equal or one is not JSON.
    """
    try:
        values = [json.loads(output) for output in outputs]
        deepest = max((_depth(value) for value in values), default=0)
        forms = ([ordered(value, level) for value in values] for level in range(deepest + 1))
        return next(
            (level for level, form in enumerate(forms) if all(each == form[0] for each in form)),
            None,
        )
    except (ValueError, RecursionError):
        return None


def evaluator_for(
    level: int, absolute: float = 0.0, relative: float = 0.0, calls: bool = False
) -> str:
    """Return Python source of ``evaluate(expected, actual)`` that sorts lists down to `level` before it compares.

    It compares line by line, floating point numbers with the tolerances, and what is not JSON as
    text. It never raises. A line with the results of `calls` is compared one result after the
    other.
    """
    environment = make_environment(keep_trailing_newline=True)
    source = Path(__file__).with_name("evaluate.py.j2").read_text(encoding="utf-8")
    template = environment.from_string(source)
    return template.render(
        level=int(level), absolute=float(absolute), relative=float(relative), calls=bool(calls)
    )


def ordered(value: Any, level: int) -> tuple[int, Any]:
    """Return a JSON value in a form that can be sorted and compared, its lists sorted down to `level`.

    The first of each pair says what the second is, so that ``true`` is not 1 and texts are never
    compared with numbers.
    """
    if isinstance(value, list):
        items = [ordered(item, level - 1) for item in value]
        return 4, sorted(items) if level > 0 else items
    if isinstance(value, dict):
        return 5, sorted((key, ordered(item, level)) for key, item in value.items())
    if isinstance(value, str):
        return 3, value
    if value is None:
        return 0, 0
    return (1 if isinstance(value, bool) else 2), value


def _depth(value: Any) -> int:
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0
