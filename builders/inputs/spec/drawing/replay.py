"""A sample by the shape of its input, and what is varied in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from ..checking.checks import Refused
from ..checking.values import Reader, all_names, kinds_of
from ..layout import Choice, Item, Layout, Line, Many, Node, Scalar, Tuple
from ..specification import SpecError


class Old(NamedTuple):
    """One block of a sample: its numbers by name, and for each item of the body its values, or the blocks in it."""

    numbers: dict[str, int]
    items: list[list[Any]]


def read_sample(layout: Layout, text: str) -> Old | None:
    """Return a sample as its layout has it, or None where it is not laid out so."""
    try:
        values = Reader(layout, loose=True).read(text)
    except (Refused, SpecError):
        return None
    return _block(layout, layout.body, _once(values.whole), {}, values.cases)


def _once(scope: Mapping[str, Any]) -> dict[str, Iterator[Any]]:
    return {name: iter([value]) for name, value in scope.items()}


def _block(
    layout: Layout,
    body: Sequence[Item],
    values: Mapping[str, Iterator[Any]],
    outside: Mapping[str, int],
    cases: Sequence[Mapping[str, Any]] = (),
) -> Old:
    """Return a block, whose values are the next ones of their names; those in loops are lists."""
    known = dict(outside)
    items: list[list[Any]] = []
    for item in body:
        if isinstance(item, Line):
            items.append([next(values[node.name]) for node in item.nodes])
            for node, value in zip(item.nodes, items[-1], strict=True):
                _note(node, value, known, layout.style == "json")
        elif isinstance(item, Choice):
            kind = next(values[kinds_of(item)])
            names = [n.name for n in dict(item.kinds)[kind] if not isinstance(n, Tuple)]
            items.append([kind, *(next(values[name]) for name in names)])
        elif item.count == layout.cases:
            items.append([_block(layout, item.body, _once(case), known) for case in cases])
        else:
            columns = {name: next(values[name]) for name in all_names(item.body)}
            inner = {name: iter(column) for name, column in columns.items()}
            rows = max(map(len, columns.values()), default=0)
            items.append([_block(layout, item.body, inner, known) for _ in range(rows)])
    return Old(known, items)


def _note(node: Node, value: Any, known: dict[str, int], is_json: bool) -> None:
    """Remember a number or the length of a text; of a list that of one value."""
    if isinstance(node, Scalar) and node.kind == "int":
        known[node.name] = value
    elif isinstance(node, Scalar) and node.kind == "text":
        known[f"len_{node.name}"] = len(value)
    elif isinstance(node, Many):
        if is_json:
            known[node.count] = len(value)
        if value:
            _note(node.item, value[0 if is_json else -1], known, is_json)
    elif isinstance(node, Tuple) and not is_json:
        for item, one in zip(node.items, value, strict=True):
            _note(item, one, known, is_json)


# ------------------------------------------------------------------ varying


def other_number(draw: Random, value: int, low: int, high: int, length: bool) -> int:
    """Return a number beside an old one.

    A length is moved by a few or halved, another number may go to an end.
    """
    if length:
        changed = draw.choice((value - 1, value + 1, value + 2, value // 2, 2 * value, low))
    else:
        changed = draw.choice(
            (value - 1, value + 1, value - 1, value + 1, 2 * value, -value, low, high)
        )
    return max(low, min(high, changed))


def resized(draw: Random, values: Sequence[Any], count: int) -> list[Any]:
    """Return `count` old values: a part of them, or all with some again."""
    if len(values) >= count:
        first = draw.randrange(len(values) - count + 1)
        return list(values[first : first + count])
    return [*values, *draw.choices(values, k=count - len(values))] if values else []


def edited(draw: Random, values: Sequence[int], low: int, high: int) -> list[int]:
    """Return old values after one to three changes."""
    made = list(values)
    for _ in range(draw.randint(1, 3)):
        a, b = draw.randrange(len(made)), draw.randrange(len(made))
        change = draw.randrange(9)
        if change < 2:
            made[a] += draw.choice((-1, 1))
        elif change == 2:
            made[a] = draw.choice((low, high, draw.randint(low, high)))
        elif change == 3:
            made[a] = made[b]
        elif change == 4:
            made[a], made[b] = made[b], made[a]
        elif change == 5:
            by = draw.choice((-1, 1, low - min(made), high - max(made)))
            made = [value + by for value in made]
        elif change == 6:
            made = made[a:] + made[:a]
        elif change == 7:
            made[min(a, b) : max(a, b)] = made[min(a, b) : max(a, b)][::-1]
        else:
            made.sort(reverse=draw.random() < 0.5)
    return [max(low, min(high, value)) for value in made]


def edited_word(draw: Random, word: str, letters: str) -> str:
    """Return an old word with a letter changed, two exchanged, a part turned round, or sorted."""
    made = list(word)
    a, b = draw.randrange(len(made)), draw.randrange(len(made))
    change = draw.randrange(5)
    if change < 2:
        made[a] = draw.choice(letters)
    elif change == 2:
        made[a], made[b] = made[b], made[a]
    elif change == 3:
        made[min(a, b) : max(a, b)] = made[min(a, b) : max(a, b)][::-1]
    else:
        made[a] = made[b]
    return "".join(made)
