"""Reads samples as the blocks of their layout, and varies their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from ..checking.checks import InputError
from ..checking.values import Reader, all_names, kinds_of
from ..layout import Choice, Item, Layout, Line, Many, Node, Scalar, Tuple
from ..specification import SpecError


class SampleBlock(NamedTuple):
    """One block of a sample: its numbers by name, and the values or inner blocks of each item."""

    numbers: dict[str, int]
    items: list[list[Any]]


def read_sample(layout: Layout, text: str) -> SampleBlock | None:
    """Return a sample as the blocks of a layout; None if it has another layout."""
    try:
        values = Reader(layout, loose=True).read(text)
    except (InputError, SpecError):
        return None
    return _block(layout, layout.body, _single_iterators(values.whole), {}, values.cases)


def _single_iterators(scope: Mapping[str, Any]) -> dict[str, Iterator[Any]]:
    return {name: iter([value]) for name, value in scope.items()}


def _block(
    layout: Layout,
    body: Sequence[Item],
    values: Mapping[str, Iterator[Any]],
    outside: Mapping[str, int],
    cases: Sequence[Mapping[str, Any]] = (),
) -> SampleBlock:
    """Return a block from the next value of each name, which is a list if the name is in a loop."""
    known = dict(outside)
    items: list[list[Any]] = []
    for item in body:
        if isinstance(item, Line):
            items.append([next(values[node.name]) for node in item.nodes])
            for node, value in zip(item.nodes, items[-1], strict=True):
                _record(node, value, known, layout.style == "json")
        elif isinstance(item, Choice):
            kind = next(values[kinds_of(item)])
            names = [n.name for n in dict(item.kinds)[kind] if not isinstance(n, Tuple)]
            items.append([kind, *(next(values[name]) for name in names)])
        elif item.count == layout.cases:
            inside = map(_single_iterators, cases)
            items.append([_block(layout, item.body, case, known) for case in inside])
        else:
            columns = {name: next(values[name]) for name in all_names(item.body)}
            inner = {name: iter(column) for name, column in columns.items()}
            rows = max(map(len, columns.values()), default=0)
            items.append([_block(layout, item.body, inner, known) for _ in range(rows)])
    return SampleBlock(known, items)


def _record(node: Node, value: Any, known: dict[str, int], is_json: bool) -> None:
    """Add a number or the length of a text to `known`; of a list, add only one of its values."""
    if isinstance(node, Scalar) and node.kind == "int":
        known[node.name] = value
    elif isinstance(node, Scalar) and node.kind == "text":
        known[f"len_{node.name}"] = len(value)
    elif isinstance(node, Many):
        if is_json:
            known[node.count] = len(value)
        if value:
            _record(node.item, value[0 if is_json else -1], known, is_json)
    elif isinstance(node, Tuple) and not is_json:
        for item, item_value in zip(node.items, value, strict=True):
            _record(item, item_value, known, is_json)


# ------------------------------------------------------------------ varying


def other_number(draw: Random, value: int, low: int, high: int, length: bool) -> int:
    """Return a variation of an old number.

    A length changes by at most 2, doubles, halves, or becomes the smallest; another number changes
    by 1, doubles, changes its sign, or becomes an end of the range.
    """
    if length:
        changed = draw.choice((value - 1, value + 1, value + 2, value // 2, 2 * value, low))
    else:
        changed = draw.choice(
            (value - 1, value + 1, value - 1, value + 1, 2 * value, -value, low, high)
        )
    return max(low, min(high, changed))


def resized(draw: Random, values: Sequence[Any], count: int) -> list[Any]:
    """Return `count` old values: a segment of them, or all with some repeated."""
    if len(values) >= count:
        first = draw.randrange(len(values) - count + 1)
        return list(values[first : first + count])
    return [*values, *draw.choices(values, k=count - len(values))] if values else []


def edited(draw: Random, values: Sequence[int], low: int, high: int) -> list[int]:
    """Return old values after one to three changes."""
    new = list(values)
    for _ in range(draw.randint(1, 3)):
        a, b = draw.randrange(len(new)), draw.randrange(len(new))
        change = draw.randrange(9)
        if change < 2:
            new[a] += draw.choice((-1, 1))
        elif change == 2:
            new[a] = draw.choice((low, high, draw.randint(low, high)))
        elif change == 3:
            new[a] = new[b]
        elif change == 4:
            new[a], new[b] = new[b], new[a]
        elif change == 5:
            by = draw.choice((-1, 1, low - min(new), high - max(new)))
            new = [value + by for value in new]
        elif change == 6:
            new = new[a:] + new[:a]
        elif change == 7:
            new[min(a, b) : max(a, b)] = new[min(a, b) : max(a, b)][::-1]
        else:
            new.sort(reverse=draw.random() < 0.5)
    return [max(low, min(high, value)) for value in new]


def edited_word(draw: Random, word: str, letters: str) -> str:
    """Return an old word with a letter replaced or copied, two swapped, or a segment reversed."""
    characters = list(word)
    a, b = draw.randrange(len(characters)), draw.randrange(len(characters))
    change = draw.randrange(5)
    if change < 2:
        characters[a] = draw.choice(letters)
    elif change == 2:
        characters[a], characters[b] = characters[b], characters[a]
    elif change == 3:
        characters[min(a, b) : max(a, b)] = characters[min(a, b) : max(a, b)][::-1]
    else:
        characters[a] = characters[b]
    return "".join(characters)
