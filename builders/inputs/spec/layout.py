"""The layout of an input: the order of its values and lines.

A layout is a small tree: a `Line` holds values, a `Choice` is a line whose first word selects one
of several forms, a `Loop` repeats a body of lines. Counts are expressions over numbers that come
earlier in the input (``n``, ``n - 1``, ``2 * n``). In the style ``json`` every line is one JSON
value.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from .structures import Structure, flat_nodes


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value. kind: int, real, bool or text (counts call the length of a text ``len_NAME``).

    The kind ``word`` is for layouts whose kinds are not inferred yet: any word, read as a number
    if it looks like one. `length` is the length of a text if the layout gives it.
    """

    name: str
    kind: str = "int"
    length: str | None = None


@dataclass(frozen=True, slots=True)
class Many:
    """`count` values of one form, a list in JSON."""

    name: str
    count: str
    item: Node


@dataclass(frozen=True, slots=True)
class Tuple:
    """A list of fixed length whose elements are named, like the two ends of an edge."""

    items: tuple[Scalar, ...]


Node = Scalar | Many | Tuple


@dataclass(frozen=True, slots=True)
class Line:
    """One line of values; without values, an empty line.

    A `Structure` may stand in a line of the style ``json``; `own_nodes` gives its flat nodes.
    """

    nodes: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One line whose first word, the kind, selects the values after it: ``1 x`` or ``2 l r``."""

    kinds: tuple[tuple[str, tuple[Node, ...]], ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """The lines of the body, `count` times."""

    count: str
    body: tuple[Line | Choice | Loop, ...]


Item = Line | Choice | Loop


@dataclass(frozen=True, slots=True)
class Layout:
    """A whole input; `cases` is the count of the loop over the test cases, if there is one."""

    style: str
    body: tuple[Item, ...]
    cases: str | None = None


class Relation(NamedTuple):
    """A comparison of two expressions: ``<=``, ``<``, ``==`` or ``!=``."""

    left: str
    operator: str
    right: str


# ------------------------------------------------------------------ walking


def nodes_of(items: Sequence[Item]) -> Iterator[Node]:
    """Yield the nodes of a body's lines from left to right; for a choice, those of all forms."""
    for line in lines_of(items):
        yield from own_nodes(line)


def lines_of(items: Sequence[Item]) -> Iterator[Line | Choice]:
    """Yield the lines of a body and of its loops."""
    for item in items:
        if isinstance(item, Loop):
            yield from lines_of(item.body)
        else:
            yield item


def own_nodes(item: Line | Choice) -> tuple[Node, ...]:
    """Return the nodes that one line may hold; for a structure, its flat nodes."""
    forms = [item.nodes] if isinstance(item, Line) else [nodes for _, nodes in item.kinds]
    return tuple(flat for nodes in forms for node in nodes for flat in flat_nodes(node))


def scalars(items: Sequence[Item]) -> Iterator[Scalar]:
    """Yield every scalar of a body, from left to right."""
    for node in nodes_of(items):
        yield from _scalars_of(node)


def _scalars_of(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Tuple):
        yield from node.items
    else:
        yield from _scalars_of(node.item)


def counts(items: Sequence[Item]) -> Iterator[str]:
    """Yield every count expression of a body, from left to right."""
    for item in items:
        if isinstance(item, Loop):
            yield item.count
            yield from counts(item.body)
        else:
            for node in own_nodes(item):
                while isinstance(node, Many):
                    yield node.count
                    node = node.item


def changed(items: Sequence[Item], change: Callable[[Node], Node]) -> tuple[Item, ...]:
    """Return a body with `change` applied to each node, to lists before their elements."""

    def within(node: Node) -> Node:
        node = change(node)
        if isinstance(node, Structure):
            return replace(node, nodes=tuple(map(within, node.nodes)))
        if isinstance(node, Many):
            return replace(node, item=within(node.item))
        if isinstance(node, Tuple):
            # A column of a row stays a single value, whatever `change` returns.
            return Tuple(
                tuple(item for item in map(change, node.items) if isinstance(item, Scalar))
            )
        return node

    def item_of(item: Item) -> Item:
        if isinstance(item, Loop):
            return replace(item, body=changed(item.body, change))
        if isinstance(item, Choice):
            return Choice(tuple((kind, tuple(map(within, nodes))) for kind, nodes in item.kinds))
        return Line(tuple(map(within, item.nodes)))

    return tuple(map(item_of, items))


def unique(items: Sequence[Item]) -> tuple[Item, ...]:
    """Return a body whose values have unique names; only the forms of a choice may share them."""
    seen: set[str] = set()

    def rename_body(items: Sequence[Item]) -> tuple[Item, ...]:
        done: list[Item] = []
        for item in items:
            if isinstance(item, Loop):
                done.append(replace(item, body=rename_body(item.body)))
                continue
            names = {node.name for own in own_nodes(item) for node in _scalars_of(own)}
            new = {name: next(n for n in _numbered_names(name) if n not in seen) for name in names}
            seen.update(new.values())
            done += changed([item], lambda node, new=new: named(node, new))  # type: ignore[misc]
        return tuple(done)

    return rename_body(items)


def _numbered_names(name: str) -> Iterator[str]:
    return itertools.chain([name], (f"{name}_{number}" for number in itertools.count(2)))


def named(node: Node, names: Mapping[str, str]) -> Node:
    """Return a node with its new name, if `names` has one for it."""
    return node if isinstance(node, Tuple) else replace(node, name=names.get(node.name, node.name))


def renamed(layout: Layout, names: Mapping[str, str]) -> Layout:
    """Return a layout with new names for its values, in its counts too.

    A value keeps its old name if the new one is in use.
    """
    used = {node.name for node in scalars(layout.body)}
    names = {old: new for old, new in names.items() if old in used and new not in used}

    def rename_count(count: str) -> str:
        return re.sub(r"[A-Za-z_]\w*", lambda match: names.get(match[0], match[0]), count)

    def change(node: Node) -> Node:
        node = named(node, names)
        if isinstance(node, Many):
            return replace(node, count=rename_count(node.count))
        if isinstance(node, Scalar) and node.length:
            return replace(node, length=rename_count(node.length))
        return node

    def rename_body(items: Sequence[Item]) -> tuple[Item, ...]:
        done: list[Item] = []
        for item in items:
            if isinstance(item, Loop):
                done.append(Loop(rename_count(item.count), rename_body(item.body)))
            else:
                done += changed([item], change)
        return tuple(done)

    cases = rename_count(layout.cases) if layout.cases else None
    return replace(layout, body=rename_body(layout.body), cases=cases)
