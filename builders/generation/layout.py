"""Which values stand where in an input, and reading an input that is laid out so.

A layout is a small tree: a `Line` holds values, a `Repeat` says how often a body of lines comes. Counts are expressions
over the numbers read before (``n``, ``n - 1``, ``2 * n``). In the style ``json`` every line is one JSON value.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from venus_toolkit.builders.generation.expressions import EVERYTHING, Range, interval, names_in

INTEGER = re.compile(r"[+-]?\d+")
CHECKED = 200  # values of a name that are kept and checked
MOST_LINES = 2_000_000


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value. kind: int, real, bool or text (a text has its length in ``len_NAME``)."""

    name: str
    kind: str = "int"


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
    """One line of values; none at all is an empty line."""

    nodes: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Repeat:
    """`count` times the lines of the body."""

    count: str
    body: tuple[Line | Repeat, ...]


Item = Line | Repeat


@dataclass(frozen=True, slots=True)
class Layout:
    """A whole input; `cases` is the count of the repeat that holds the test cases, where there is one."""

    style: str
    body: tuple[Item, ...]
    cases: str | None = None


class Unfit(Exception):
    """An input is not laid out as thought; the text says where."""


class Relation(NamedTuple):
    """A comparison of two expressions: ``<=``, ``<``, ``==`` or ``!=``."""

    left: str
    operator: str
    right: str


@dataclass(slots=True)
class Seen:
    """What an input holds: the smallest and largest value of each name, texts, and relations that do not hold."""

    ranges: dict[str, Range] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    broken: set[Relation] = field(default_factory=set)
    checked: set[Relation] = field(default_factory=set)


Known = dict[str, float]


# ------------------------------------------------------------------ walking


def scalars(items: Sequence[Item]) -> Iterator[Scalar]:
    """Yield every scalar of a body, from left to right."""
    for item in items:
        if isinstance(item, Repeat):
            yield from scalars(item.body)
        else:
            for node in item.nodes:
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
        if isinstance(item, Repeat):
            yield item.count
            yield from counts(item.body)
        else:
            for node in item.nodes:
                while isinstance(node, Many):
                    yield node.count
                    node = node.item


# ------------------------------------------------------------------ reading


def read_input(layout: Layout, text: str, relations: Sequence[Relation] = ()) -> Seen:
    """Return what `text` holds, and which relations do not hold in it.

    Raises:
        Unfit: The text is not laid out so.
    """
    reader = _Reader(text, relations)
    if layout.style == "json":
        for item in layout.body:
            assert isinstance(item, Line)
            reader.json_line(item.nodes[0])
        reader.check_sizes()
    else:
        reader.body(layout.body, {})
    reader.end()
    return reader.seen


class _Reader:
    def __init__(self, text: str, relations: Sequence[Relation]) -> None:
        self.rows = [line.strip() for line in text.rstrip().split("\n")]
        self.at = 0
        self.seen = Seen()
        self.known: Known = {}
        # By name: a value is held against the relations that it is in, and no others.
        self.by_name: dict[str, list[Relation]] = {}
        for relation in relations:
            for name in names_in(relation.left) | names_in(relation.right):
                self.by_name.setdefault(name, []).append(relation)

    def end(self) -> None:
        if any(self.rows[self.at :]):
            raise Unfit(f"line {self.at + 1} is one too many: {self.rows[self.at][:40]!r}")

    def _next(self) -> str:
        if self.at >= len(self.rows):
            raise Unfit(f"it ends after line {len(self.rows)}")
        self.at += 1
        return self.rows[self.at - 1]

    def body(self, items: Sequence[Item], known: Known) -> None:
        for item in items:
            if isinstance(item, Repeat):
                count = count_of(item.count, known)
                # An input may announce any number of lines, and be no input of this layout at all.
                for _ in range(min(count, MOST_LINES)):
                    # A copy for each: what one case names must not be known in the next.
                    self.body(item.body, dict(known))
            else:
                self._words(item, known)
        # At the end of a scope: a relation may compare numbers of different lines.
        self._check([name for item in items if isinstance(item, Line) for name in _names(item)], known)

    def _words(self, line: Line, known: Known) -> None:
        words = iter(self._next().split())
        for node in line.nodes:
            many = isinstance(node, Many)
            count = count_of(node.count, known) if isinstance(node, Many) else 1
            inner = node.item if isinstance(node, Many) else node
            name = node.name if isinstance(node, (Many, Scalar)) else ""
            assert isinstance(inner, Scalar)
            for index in range(count):
                word = next(words, None)
                if word is None:
                    raise Unfit(f"line {self.at} has too few words: {name} is missing")
                # Places count from 1 here and from 0 in JSON, as statements of either style write a_i and a[i].
                self._keep(inner, self._read(inner, word), known, index + 1 if many else None)
        if next(words, None) is not None:
            raise Unfit(f"line {self.at} has too many words: {self.rows[self.at - 1][:40]!r}")

    def _read(self, node: Scalar, word: str) -> float | str:
        if node.kind == "text":
            return word
        try:
            if node.kind == "int" and not INTEGER.fullmatch(word):
                raise ValueError
            return int(word) if node.kind == "int" else float(word)
        except ValueError:
            raise Unfit(f"line {self.at}: {node.name} is not a number: {word[:40]!r}") from None

    def _keep(self, node: Scalar, value: float | str, known: Known, index: int | None) -> None:
        """Remember a value; one of a list is checked at once, with its place, the others when their scope is read."""
        name = node.name
        if isinstance(value, str):
            texts = self.seen.texts.setdefault(name, [])
            if len(texts) < CHECKED:
                texts.append(value)
            name, value = f"len_{name}", len(value)
        old = self.seen.ranges.get(name, Range(value, value))
        self.seen.ranges[name] = Range(min(old.low, value), max(old.high, value))
        if index is None:
            known[name] = value
        elif index <= CHECKED:
            self._check([name], {"i": index, **known, name: value})

    def _check(self, names: Sequence[str], known: Mapping[str, float]) -> None:
        look = looking(known)
        for relation in {relation for name in names for relation in self.by_name.get(name, ())}:
            # A name that is not known here belongs to another scope.
            if names_in(relation.left) | names_in(relation.right) <= set(known):
                self.seen.checked.add(relation)
                if not holds(interval(relation.left, look), relation.operator, interval(relation.right, look)):
                    self.seen.broken.add(relation)

    # -------------------------------------------------------------- JSON

    def json_line(self, node: Node) -> None:
        try:
            value = json.loads(self._next())
        except ValueError:
            raise Unfit(f"line {self.at} is not JSON") from None
        self._json(node, value, self.known)

    def check_sizes(self) -> None:
        self._check(list(self.known), self.known)

    def _json(self, node: Node, value: Any, known: Known, index: int | None = None) -> None:
        if isinstance(node, Scalar):
            # Not isinstance: for Python True is an int.
            if type(value) not in JSON_TYPES[node.kind]:
                raise Unfit(f"{node.name} is {type(value).__name__}, wanted is {node.kind}")
            if not isinstance(value, bool):
                self._keep(node, value, known, index)
            return
        if not isinstance(value, list):
            raise Unfit(f"a list is wanted, got {type(value).__name__}")
        if isinstance(node, Tuple):
            if len(value) != len(node.items):
                raise Unfit(f"{len(value)} values, wanted are {len(node.items)}")
            inner = dict(known)
            for item, one in zip(node.items, value, strict=True):
                self._json(item, one, inner)
            self._check([item.name for item in node.items], inner)
            return
        self._keep(Scalar(node.count), len(value), known, None)
        for number, one in enumerate(value):
            self._json(node.item, one, known, number)


JSON_TYPES: dict[str, tuple[type, ...]] = {"int": (int,), "real": (int, float), "text": (str,), "bool": (bool,)}


def _names(line: Line) -> Iterator[str]:
    for node in line.nodes:
        if isinstance(node, Scalar):
            yield f"len_{node.name}" if node.kind == "text" else node.name


def looking(known: Mapping[str, float]) -> Callable[[str], Range]:
    """Return what `interval` asks: the value of a known name, and every value for another."""
    return lambda name: Range(known[name], known[name]) if name in known else EVERYTHING


def count_of(expression: str, known: Mapping[str, float]) -> int:
    """Return the value of a count.

    Raises:
        Unfit: It is not known, or not a number of things.
    """
    low, high = interval(expression, looking(known))
    if low != high or math.isinf(low) or low < 0:
        raise Unfit(f"{expression} is not a count here")
    return int(low)


def holds(left: Range, operator: str, right: Range) -> bool:
    """Whether a comparison of two known values is true."""
    a, b = left.low, right.low
    return {"<=": a <= b, "<": a < b, "==": a == b, "!=": a != b}[operator]
