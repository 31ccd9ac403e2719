"""Bounds that stand outside the description of the input.

In tables of test groups, and in the story.

Each row of such a table bounds the inputs of its group, so the widest bound of all rows is one for
every input. A bound in the story counts only for values that the description leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from venus_toolkit.builders.inputs.promises.constraints import read, sentences
from venus_toolkit.builders.inputs.promises.prose import BRACKETS, compared_anywhere
from venus_toolkit.builders.inputs.spec.drawing.bounds import Bounds
from venus_toolkit.builders.inputs.spec.expressions import Range, infinite
from venus_toolkit.builders.inputs.spec.names import Names
from venus_toolkit.builders.inputs.spec.promises import Compare

# The number of a group, its points, and what it says: ``2  31  1 <= N <= 1000``.
ROW = re.compile(
    r"^[ \t]*(?:(?:sub)?(?:task|group)[ \t]*)?(?P<number>\d{1,2})[ \t.:|]+(?P<points>\d{1,3})"
    r"(?:(?:p|[ \t]*(?:%|pts|points?))(?!\w))?(?P<said>[ \t].*|)$",
    re.IGNORECASE | re.MULTILINE,
)
MOST_READ = 200  # sentences and brackets of a story
# A row that allows other values too says nothing that can be widened.
DEPENDS = re.compile(r"\b(?:or|except|unless|otherwise|if|some)\b|%", re.IGNORECASE)
TERM = re.compile(r"(?P<name>[A-Za-z]\w*)(?:\[[i-l]\])*|len\((?P<text>[A-Za-z]\w*)\)")
CONSTANT = re.compile(r"[-+*/ ()\d]+")


class Group(NamedTuple):
    """What one row says: of single values, and of two that are compared."""

    spans: Bounds
    pairs: frozenset[tuple[str, str, str]]


def table_of_groups(text: str) -> list[str]:
    """Return the lines of the first table of test groups.

    Numbered from 0 or 1 on, with 100 points in all.
    """
    found: list[re.Match[str]] = []
    all_points = 100
    most_groups = 30
    for match in ROW.finditer(text):
        follows = found and int(match["number"]) == int(found[-1]["number"]) + 1
        found = [*found, match] if follows else [match] if int(match["number"]) < 2 else []
        if len(found) > 1 and sum(int(one["points"]) for one in found) == all_points:
            return [one[0] for one in found[:most_groups]]
    return []


def widest(table: Sequence[str], names: Names) -> list[str]:
    """Return as constraints what the rows of a table have in common.

    ``1 <= N <= 1000`` where N is at most that.
    """
    written: dict[str, str] = {}
    groups = [_group(match["said"], names, written) for row in table if (match := ROW.match(row))]
    found = []
    for name, term in written.items():
        spans = [group.spans.open_range(name) for group in groups]
        low, high = min(span.low for span in spans), max(span.high for span in spans)
        ends = [
            "" if infinite(low) else f"{int(low)} <= ",
            "" if infinite(high) else f" <= {int(high)}",
        ]
        found += [term.join(ends)] if any(ends) else []
    pairs = dict.fromkeys(pair for group in groups for pair in group.pairs)
    return found + [
        f"{written[left]} {sign} {written[right]}"
        for left, sign, right in pairs
        if all(
            (left, sign, right) in group.pairs or _sure(group.spans, left, sign, right)
            for group in groups
        )
    ]


def _group(said: str, names: Names, written: dict[str, str]) -> Group:
    """Read a row; the first way to write each of its values is kept in `written`, by the value's name."""
    relations: list[tuple[str, str, str]] = []
    compared = () if DEPENDS.search(said) else compared_anywhere(said, names)
    for one in (one for one in compared if isinstance(one, Compare)):
        left, sign, right = _turned(one)
        ends = [_known(left, names, written), _known(right, names, written)]
        if all(ends) and sign in ("<", "<=", "==") and not one.conditions:
            relations.append((ends[0], sign, ends[1]))
    pairs = frozenset(one for one in relations if one[0] in written and one[2] in written)
    return Group(Bounds(relations), pairs)


def _turned(one: Compare) -> tuple[str, str, str]:
    """Return a comparison with the smaller side on the left."""
    signs = {">": "<", ">=": "<="}
    return (
        (one.right, signs[one.operator], one.left)
        if one.operator in signs
        else (one.left, one.operator, one.right)
    )


def _known(term: str, names: Names, written: dict[str, str]) -> str:
    """Return what relations call a side of a comparison.

    "" where it is neither a number nor all values of a name.
    """
    if CONSTANT.fullmatch(term):
        return term
    match = TERM.fullmatch(term)
    if match is None or (match["name"] or match["text"]) not in names.places:
        return ""
    name = match["name"] or f"len_{match['text']}"
    written.setdefault(name, term)
    return name


def _sure(spans: Bounds, left: str, sign: str, right: str) -> bool:
    """Whether a comparison holds for all values of a group."""
    less, more = spans.open_range(left), spans.open_range(right)
    if sign == "==":
        return less == more == Range(less.low, less.low)
    return less.high < more.low if sign == "<" else less.high <= more.low


def told_in_story(story: str, names: Names, told: Sequence[str]) -> Iterator[str]:
    """Yield the comparisons in a story that bound what the sentences `told` do not.

    ``a and b (1 <= a, b <= 100)``.
    """
    compared = " ".join(one for one in told if re.search("[<>]", one))
    open_names = {
        name
        for name in names.places
        if not re.search(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", compared)
    }
    found = dict.fromkeys(
        text
        for one in sentences(story)
        for text in (one, *(match[1] for match in BRACKETS.finditer(one)))
    )
    told_too = (text for text in list(found)[:MOST_READ] if _all_compared(text, names, open_names))
    yield from told_too if open_names else ()


def _all_compared(text: str, names: Names, wanted: set[str]) -> bool:
    """Whether a text is nothing but comparisons of values of the input, with one that is wanted."""
    promises = read(text, names) if re.search("[<>]", text) else None
    compared = [one for one in promises or () if isinstance(one, Compare)]
    sides = [
        side for one in compared for side in (one.left, one.right) if not CONSTANT.fullmatch(side)
    ]
    terms = [match["name"] or match["text"] for side in sides if (match := TERM.fullmatch(side))]
    plain = len(compared) == len(promises or ()) and len(terms) == len(sides)
    return plain and set(terms) <= set(names.places) and not wanted.isdisjoint(terms)


def told_of_copies(told: Sequence[str], names: Names) -> Iterator[str]:
    """Yield what sentences say of ``x_i`` for later lines whose values they call so too, ``x_2`` in the layout."""
    text = " ".join(told)
    copies = [
        match.groups()
        for name, place in names.places.items()
        if (match := re.fullmatch(r"([A-Za-z]\w*?)(_[2-9])", name))
        and match[1] in names.places
        and names.places[match[1]][:2] == place[:2]
        and not re.search(rf"(?<!\w){re.escape(match[1])}_?\{{?{match[2][1]}\b", text)
    ]
    found = [match[1] for sentence in told for match in BRACKETS.finditer(sentence)][:MOST_READ]
    for number in sorted({number for _, number in copies}):
        mine = {base for base, its in copies if its == number}
        chosen: list[str] = []
        for base in sorted(mine):
            about = [inside for inside in found if _called({base}).search(inside)]
            # Where it is said of each block anew, what is said of this one counts.
            chosen += about[: int(number[1])][-1:]
        for inside in dict.fromkeys(chosen):
            said = _called(mine).sub(rf"\g<1>{number}", inside)
            if _all_compared(said, names, {base + number for base in mine}):
                yield said


def _called(bases: set[str]) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w|])({'|'.join(map(re.escape, sorted(bases)))})(?=_\{{?[i-l]\b|\[[i-l]\]|(?![\w|]))"
    )
