"""Reads a sample by the shape of its input, so that it can be varied inside it.

Embedded in every derived generator.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from ..expressions import EVERYTHING, Range, interval
from ..layout import Choice, Item, Layout, Line, Many, Node, Scalar, Tuple


class Old(NamedTuple):
    """One block of a sample: its numbers by name, and for each item of the body its values, or the blocks in it."""

    numbers: dict[str, int]
    items: list[list[Any]]


def read_sample(layout: Layout, text: str) -> Old | None:
    """Return a sample as its layout has it, or None where it is not laid out so."""
    try:
        return _Sample(layout.style, text).block(layout.body, {})
    except (ValueError, TypeError, LookupError, StopIteration, RuntimeError):
        return None


class _Sample:
    def __init__(self, style: str, text: str) -> None:
        self.json = style == "json"
        self.words: Iterator[str] = iter(text.strip().split("\n") if self.json else text.split())
        self.most = len(text)

    def block(self, body: Sequence[Item], outside: Mapping[str, int]) -> Old:
        known = dict(outside)
        items: list[list[Any]] = []
        for item in body:
            if isinstance(item, Line):
                items.append([self._node(node, known) for node in item.nodes])
            elif isinstance(item, Choice):
                kind = next(self.words)
                inner = dict(known)
                nodes = dict(item.kinds)[kind]
                items.append([kind, *(self._node(node, inner) for node in nodes)])
            else:
                count = self._count(item.count, known)
                items.append([self.block(item.body, known) for _ in range(count)])
        return Old(known, items)

    def _count(self, expression: str, known: Mapping[str, int]) -> int:
        low, high = interval(
            expression,
            lambda name: Range(known[name], known[name]) if name in known else EVERYTHING,
        )
        # An input may announce any number of things.
        if not low == high <= self.most:
            raise ValueError(expression)
        return int(low)

    def _node(self, node: Node, known: dict[str, int]) -> Any:
        if self.json:
            value = json.loads(next(self.words))
            self._lengths(node, value, known)
            return value
        if isinstance(node, Many):
            return [self._node(node.item, known) for _ in range(self._count(node.count, known))]
        if isinstance(node, Tuple):
            return [self._node(item, known) for item in node.items]
        word = next(self.words)
        if node.kind == "text":
            known[f"len_{node.name}"] = len(word)
            return word
        if node.kind == "int":
            known[node.name] = int(word)
        return int(word) if node.kind == "int" else float(word)

    def _lengths(self, node: Node, value: Any, known: dict[str, int]) -> None:
        if isinstance(node, Scalar) and node.kind == "int" and isinstance(value, int):
            known[node.name] = value
        elif isinstance(node, Scalar) and node.kind == "text" and isinstance(value, str):
            known[f"len_{node.name}"] = len(value)
        elif isinstance(node, Many) and isinstance(value, list):
            known[node.count] = len(value)
            if value:
                self._lengths(node.item, value[0], known)


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
