"""Which values stand where in an input.

A layout is a small tree: a `Line` holds values, a `Choice` is a line of one of several forms that
its first word names, a `Loop` says how often a body of lines comes. Counts are expressions over
the numbers read before (``n``, ``n - 1``, ``2 * n``). In the style ``json`` every line is one JSON
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
    """One value. kind: int, real, bool or text (a text has its length in ``len_NAME``).

    The kind ``word`` is for layouts whose kinds are still to be found: any word, which is a number
    where it reads like one. `length` is the length of a text where the layout says it.
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
    """A list whose places have names of their own, like the two ends of an edge."""

    items: tuple[Scalar, ...]


Node = Scalar | Many | Tuple


@dataclass(frozen=True, slots=True)
class Line:
    """One line of values; none at all is an empty line.

    A `Structure` may stand in a line of the style ``json``; `own_nodes` gives its flat nodes.
    """

    nodes: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One line whose first word, the kind, says which values follow.

    The queries ``1 x`` and ``2 l r``.
    """

    kinds: tuple[tuple[str, tuple[Node, ...]], ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """`count` times the lines of the body."""

    count: str
    body: tuple[Line | Choice | Loop, ...]


Item = Line | Choice | Loop


@dataclass(frozen=True, slots=True)
class Layout:
    """A whole input; `cases` is the count of the repeat that holds the test cases, where there is one."""

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
    """Yield what the lines of a body hold, from left to right, of a choice what each of its forms holds."""
    for line in lines_of(items):
        yield from own_nodes(line)


def lines_of(items: Sequence[Item]) -> Iterator[Line | Choice]:
    """Yield the lines of a body, those of its loops too."""
    for item in items:
        if isinstance(item, Loop):
            yield from lines_of(item.body)
        else:
            yield item


def own_nodes(item: Line | Choice) -> tuple[Node, ...]:
    """Return what one line may hold, of a structure its flat nodes."""
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
    """Return a body with what `change` makes of each of its nodes.

    Lists are changed before what they hold.
    """

    def within(node: Node) -> Node:
        node = change(node)
        if isinstance(node, Structure):
            return replace(node, nodes=tuple(map(within, node.nodes)))
        if isinstance(node, Many):
            return replace(node, item=within(node.item))
        if isinstance(node, Tuple):
            # Names only: a place of a row stays one value.
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
    """Return a body whose values have names of their own.

    Only the forms of a choice may share them.
    """
    seen: set[str] = set()

    def of(items: Sequence[Item]) -> tuple[Item, ...]:
        done: list[Item] = []
        for item in items:
            if isinstance(item, Loop):
                done.append(replace(item, body=of(item.body)))
                continue
            names = {node.name for own in own_nodes(item) for node in _scalars_of(own)}
            new = {
                name: next(each for each in _numbered(name) if each not in seen) for name in names
            }
            seen.update(new.values())
            done += changed([item], lambda node, new=new: named(node, new))  # type: ignore[misc]
        return tuple(done)

    return of(items)


def _numbered(name: str) -> Iterator[str]:
    return itertools.chain([name], (f"{name}_{number}" for number in itertools.count(2)))


def named(node: Node, names: Mapping[str, str]) -> Node:
    """Return a node with another name, if `names` has one for it."""
    return node if isinstance(node, Tuple) else replace(node, name=names.get(node.name, node.name))


def renamed(layout: Layout, names: Mapping[str, str]) -> Layout:
    """Return a layout with other names, in its counts too.

    A name that another value has already is not given.
    """
    taken = {node.name for node in scalars(layout.body)}
    names = {old: new for old, new in names.items() if old in taken and new not in taken}

    def written(count: str) -> str:
        return re.sub(r"[A-Za-z_]\w*", lambda match: names.get(match[0], match[0]), count)

    def change(node: Node) -> Node:
        node = named(node, names)
        if isinstance(node, Many):
            return replace(node, count=written(node.count))
        if isinstance(node, Scalar) and node.length:
            return replace(node, length=written(node.length))
        return node

    def of(items: Sequence[Item]) -> tuple[Item, ...]:
        done: list[Item] = []
        for item in items:
            if isinstance(item, Loop):
                done.append(Loop(written(item.count), of(item.body)))
            else:
                done += changed([item], change)
        return tuple(done)

    return replace(
        layout, body=of(layout.body), cases=written(layout.cases) if layout.cases else None
    )
