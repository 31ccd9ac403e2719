"""Reads bounds outside the description of the input: in tables of test groups, and in the story.

Each row of such a table bounds the inputs of its group, so the widest bound of all rows holds for
every input. A bound in the story counts only for values that the description leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from venus_toolkit.builders.inputs.promises.constraints import read, sentences
from venus_toolkit.builders.inputs.promises.prose import BRACKETS, comparisons_in
from venus_toolkit.builders.inputs.spec.drawing.bounds import Bounds
from venus_toolkit.builders.inputs.spec.expressions import Range, infinite
from venus_toolkit.builders.inputs.spec.names import Names
from venus_toolkit.builders.inputs.spec.promises import Compare

# The number of a group, its points, and its limits: ``2  31  1 <= N <= 1000``.
ROW = re.compile(
    r"^[ \t]*(?:(?:sub)?(?:task|group)[ \t]*)?(?P<number>\d{1,2})[ \t.:|]+(?P<points>\d{1,3})"
    r"(?:(?:p|[ \t]*(?:%|pts|points?))(?!\w))?(?P<limits>[ \t].*|)$",
    re.IGNORECASE | re.MULTILINE,
)
MOST_READ = 200  # sentences and bracketed texts to read
# A row with one of these words allows other values as well, so its bounds do not count.
DEPENDS = re.compile(r"\b(?:or|except|unless|otherwise|if|some)\b|%", re.IGNORECASE)
TERM = re.compile(r"(?P<name>[A-Za-z]\w*)(?:\[[i-l]\])*|len\((?P<text>[A-Za-z]\w*)\)")
CONSTANT = re.compile(r"[-+*/ ()\d]+")


class Group(NamedTuple):
    """The limits in one row: the ranges of values, and the comparisons of two values."""

    spans: Bounds
    pairs: frozenset[tuple[str, str, str]]


def table_of_groups(text: str) -> list[str]:
    """Return the lines of the first table of numbered test groups that give 100 points in total."""
    rows: list[re.Match[str]] = []
    all_points = 100
    most_groups = 30
    for match in ROW.finditer(text):
        follows = rows and int(match["number"]) == int(rows[-1]["number"]) + 1
        rows = [*rows, match] if follows else [match] if int(match["number"]) < 2 else []
        if len(rows) > 1 and sum(int(row["points"]) for row in rows) == all_points:
            return [row[0] for row in rows[:most_groups]]
    return []


def widest(table: Sequence[str], names: Names) -> list[str]:
    """Return the constraints that all rows of a table imply: the widest range of each value."""
    written: dict[str, str] = {}
    groups = [
        _read_row(match["limits"], names, written) for row in table if (match := ROW.match(row))
    ]
    constraints = []
    for name, term in written.items():
        spans = [group.spans.open_range(name) for group in groups]
        low, high = min(span.low for span in spans), max(span.high for span in spans)
        ends = [
            "" if infinite(low) else f"{int(low)} <= ",
            "" if infinite(high) else f" <= {int(high)}",
        ]
        constraints += [term.join(ends)] if any(ends) else []
    pairs = dict.fromkeys(pair for group in groups for pair in group.pairs)
    return constraints + [
        f"{written[left]} {sign} {written[right]}"
        for left, sign, right in pairs
        if all(
            (left, sign, right) in group.pairs or _always_holds(group.spans, left, sign, right)
            for group in groups
        )
    ]


def _read_row(limits: str, names: Names, written: dict[str, str]) -> Group:
    """Read a row; add the first spelling of each of its values to `written`, by name."""
    relations: list[tuple[str, str, str]] = []
    compared = () if DEPENDS.search(limits) else comparisons_in(limits, names)
    for comparison in (comparison for comparison in compared if isinstance(comparison, Compare)):
        left, sign, right = _smaller_left(comparison)
        ends = [_relation_name(left, names, written), _relation_name(right, names, written)]
        if all(ends) and sign in ("<", "<=", "==") and not comparison.conditions:
            relations.append((ends[0], sign, ends[1]))
    pairs = frozenset(
        comparison
        for comparison in relations
        if comparison[0] in written and comparison[2] in written
    )
    return Group(Bounds(relations), pairs)


def _smaller_left(one: Compare) -> tuple[str, str, str]:
    """Return a comparison with the smaller side on the left."""
    signs = {">": "<", ">=": "<="}
    return (
        (one.right, signs[one.operator], one.left)
        if one.operator in signs
        else (one.left, one.operator, one.right)
    )


def _relation_name(term: str, names: Names, written: dict[str, str]) -> str:
    """Return the name of one side of a comparison; "" unless it is a number or a whole list."""
    if CONSTANT.fullmatch(term):
        return term
    match = TERM.fullmatch(term)
    if match is None or (match["name"] or match["text"]) not in names.places:
        return ""
    name = match["name"] or f"len_{match['text']}"
    written.setdefault(name, term)
    return name


def _always_holds(spans: Bounds, left: str, sign: str, right: str) -> bool:
    """Whether a comparison holds for all values of a group."""
    less, more = spans.open_range(left), spans.open_range(right)
    if sign == "==":
        return less == more == Range(less.low, less.low)
    return less.high < more.low if sign == "<" else less.high <= more.low


def story_bounds(story: str, names: Names, known_sentences: Sequence[str]) -> Iterator[str]:
    """Yield the comparisons in a story that bound values which the known sentences leave open.

    For example: ``a and b (1 <= a, b <= 100)``.
    """
    compared = " ".join(sentence for sentence in known_sentences if re.search("[<>]", sentence))
    open_names = {
        name
        for name in names.places
        if not re.search(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", compared)
    }
    texts = dict.fromkeys(
        text
        for sentence in sentences(story)
        for text in (sentence, *(match[1] for match in BRACKETS.finditer(sentence)))
    )
    bounds = (text for text in list(texts)[:MOST_READ] if _is_comparison(text, names, open_names))
    yield from bounds if open_names else ()


def _is_comparison(text: str, names: Names, open_names: set[str]) -> bool:
    """Whether a text has only comparisons of input values, at least one of them in `open_names`."""
    promises = read(text, names) if re.search("[<>]", text) else None
    compared = [one for one in promises or () if isinstance(one, Compare)]
    sides = [
        side for one in compared for side in (one.left, one.right) if not CONSTANT.fullmatch(side)
    ]
    terms = [match["name"] or match["text"] for side in sides if (match := TERM.fullmatch(side))]
    plain = len(compared) == len(promises or ()) and len(terms) == len(sides)
    return plain and set(terms) <= set(names.places) and not open_names.isdisjoint(terms)


def copied_bounds(known_sentences: Sequence[str], names: Names) -> Iterator[str]:
    """Yield the bounds of ``x_i`` for later blocks that reuse the name (``x_2`` in the layout)."""
    text = " ".join(known_sentences)
    copies = [
        match.groups()
        for name, place in names.places.items()
        if (match := re.fullmatch(r"([A-Za-z]\w*?)(_[2-9])", name))
        and match[1] in names.places
        and names.places[match[1]][:2] == place[:2]
        and not re.search(rf"(?<!\w){re.escape(match[1])}_?\{{?{match[2][1]}\b", text)
    ]
    brackets = [match[1] for sentence in known_sentences for match in BRACKETS.finditer(sentence)][
        :MOST_READ
    ]
    for number in sorted({number for _, number in copies}):
        mine = {base for base, its in copies if its == number}
        chosen: list[str] = []
        for base in sorted(mine):
            about = [inside for inside in brackets if _names_pattern({base}).search(inside)]
            # If the statement bounds each block separately, the bound of this block counts.
            chosen += about[: int(number[1])][-1:]
        for inside in dict.fromkeys(chosen):
            bound = _names_pattern(mine).sub(rf"\g<1>{number}", inside)
            if _is_comparison(bound, names, {base + number for base in mine}):
                yield bound


def _names_pattern(bases: set[str]) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w|])({'|'.join(map(re.escape, sorted(bases)))})(?=_\{{?[i-l]\b|\[[i-l]\]|(?![\w|]))"
    )
