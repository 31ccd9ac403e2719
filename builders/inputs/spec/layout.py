"""Which values stand where in an input, and reading an input that is laid out so.

A layout is a small tree: a `Line` holds values, a `Choice` is a line of one of several forms that
its first word names, a `Loop` says how often a body of lines comes. Counts are expressions over
the numbers read before (``n``, ``n - 1``, ``2 * n``). In the style ``json`` every line is one JSON
value.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from .expressions import EVERYTHING, Range, interval, names_in
from .structures import Broken, Structure, flat_nodes, flatten, unfold

INTEGER = re.compile(r"[+-]?[0-9]+")
PADDED = re.compile(r"[+-]?0[0-9]+|[+-]?[0-9]{20,}|\+.*")  # digits, and often no number
REAL = re.compile(r"[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?")
CHECKED = 200  # values of a name that are kept and checked
MOST_LINES = 2_000_000


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


Node = Scalar | Many | Tuple | Structure


@dataclass(frozen=True, slots=True)
class Line:
    """One line of values; none at all is an empty line."""

    nodes: tuple[Node, ...] = ()


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
    # what the words of the kind ``word`` look like
    kinds: dict[str, set[str]] = field(default_factory=dict)


class ThisForm(NamedTuple):
    """What a line holds, and the place of its first value."""

    nodes: Sequence[Node]
    at: int


Known = dict[str, float]


# ------------------------------------------------------------------ walking


def nodes_of(items: Sequence[Item]) -> Iterator[Node]:
    """Yield what the lines of a body hold, from left to right, of a choice what each of its forms holds."""
    for item in items:
        if isinstance(item, Loop):
            yield from nodes_of(item.body)
        else:
            yield from own_nodes(item)


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


# ------------------------------------------------------------------ reading


def read_input(layout: Layout, text: str, relations: Sequence[Relation] = ()) -> Seen:
    """Return what `text` holds, and which relations do not hold in it.

    Raises:
        Unfit: The text is not laid out so.
    """
    try:
        reader = _InputReader(flatten(layout, text), relations)
    except Broken as error:
        raise Unfit(str(error)) from None
    layout = unfold(layout)
    if layout.style == "json":
        for item in layout.body:
            assert isinstance(item, Line)
            reader.json_line(item.nodes[0])
        reader.check_sizes()
    else:
        reader.body(layout.body, {})
    reader.end()
    return reader.seen


def rows_of(text: str) -> list[str]:
    """Return the lines of an input, without those that are empty at its end."""
    return [line.strip() for line in text.rstrip().split("\n")]


class PartRead(NamedTuple):
    """Where the part of an input ends that was read, and the numbers that were read in it."""

    end: int
    known: Mapping[str, float]


def read_part(
    items: Sequence[Item], rows: Sequence[str], at: int, known: Mapping[str, float]
) -> PartRead:
    """Read the rows from `at` on as `items`.

    Raises:
        Unfit: They are not laid out so.
    """
    reader = _InputReader("", ())
    reader.rows, reader.at = rows, at
    inner = dict(known)
    reader.body(items, inner)
    return PartRead(reader.at, inner)


class _InputReader:
    def __init__(self, text: str, relations: Sequence[Relation]) -> None:
        self.rows: Sequence[str] = rows_of(text)
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
            if isinstance(item, Loop):
                count = count_of(item.count, known)
                # An input may announce any number of lines, and be no input of this layout at all.
                for _ in range(min(count, MOST_LINES)):
                    # A copy for each: what one case names must not be known in the next.
                    self.body(item.body, dict(known))
            else:
                self._line(item, known)
        # At the end of a scope: a relation may compare numbers of different lines.
        self._check(
            [name for item in items if isinstance(item, Line) for name in _names(item.nodes)], known
        )

    def _line(self, line: Line | Choice, known: Known) -> None:
        # A list of no values has a line of its own, unless the input ends there.
        words = (
            self._next().split()
            if self.at < len(self.rows) or not _may_be_empty(line, known)
            else []
        )
        nodes, at = ThisForm(line.nodes, 0) if isinstance(line, Line) else self._form(line, words)
        inner = known if isinstance(line, Line) else dict(known)
        for node in nodes:
            at = self._node(node, words, at, inner)
        if isinstance(line, Choice):
            self._check(list(_names(nodes)), inner)
        if at < len(words):
            raise Unfit(f"line {self.at} has too many words: {self.rows[self.at - 1][:40]!r}")

    def _form(self, choice: Choice, words: Sequence[str]) -> ThisForm:
        nodes = dict(choice.kinds).get(words[0]) if words else None
        if nodes is None:
            raise Unfit(f"line {self.at} is of no known kind: {self.rows[self.at - 1][:40]!r}")
        return ThisForm(nodes, 1)

    def _node(self, node: Node, words: Sequence[str], at: int, known: Known) -> int:
        """Read a node from the words of a line and return the place after it."""
        if isinstance(node, Scalar):
            if at >= len(words):
                raise Unfit(f"line {self.at} has too few words: {node.name} is missing")
            self._keep(node, self._read(node, words[at], known), known, None)
            return at + 1
        if isinstance(node, Tuple):
            inner = dict(known)
            for item in node.items:
                at = self._node(item, words, at, inner)
            self._check([item.name for item in node.items], inner)
            return at
        count = count_of(node.count, known)
        if isinstance(node.item, Scalar):
            self._values(node.item, words[at : at + count], count, known)
            return at + count
        for _ in range(count):
            at = self._node(node.item, words, at, known)
        return at

    def _values(self, node: Scalar, words: Sequence[str], count: int, known: Known) -> None:
        if len(words) < count:
            raise Unfit(f"line {self.at} has too few words: {node.name} is missing")
        values = [self._read(node, word, known) for word in words]
        # Places count from 1 here and from 0 in JSON, as statements of either style write a_i and
        # a[i].
        for index, value in enumerate(values[:CHECKED], start=1):
            self._keep(node, value, known, index)
        # Of long lists only the first are compared one by one: the range of the others is enough.
        rest = [
            value if isinstance(value, (int, float)) else len(value) for value in values[CHECKED:]
        ]
        if rest:
            name = node.name if isinstance(values[0], (int, float)) else f"len_{node.name}"
            old = self.seen.ranges[name]
            self.seen.ranges[name] = Range(min(old.low, *rest), max(old.high, *rest))

    def _read(self, node: Scalar, word: str, known: Mapping[str, float]) -> float | str:
        if node.kind == "text" and node.length and count_of(node.length, known) != len(word):
            raise Unfit(
                f"line {self.at}: {node.name} has {len(word)} characters, not {node.length}"
            )
        if node.kind == "word":
            self.seen.kinds.setdefault(node.name, set()).add(kind_of(word))
        if node.kind == "text" or (node.kind == "word" and not INTEGER.fullmatch(word)):
            return word
        try:
            if node.kind != "real" and not INTEGER.fullmatch(word):
                raise ValueError
            return float(word) if node.kind == "real" else int(word)
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
                if not holds(
                    interval(relation.left, look), relation.operator, interval(relation.right, look)
                ):
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
                raise Unfit(f"{node.name} is {type(value).__name__}, expected {node.kind}")
            if not isinstance(value, bool):
                self._keep(node, value, known, index)
            return
        if not isinstance(value, list):
            raise Unfit(f"a list is wanted, got {type(value).__name__}")
        if isinstance(node, Tuple):
            if len(value) != len(node.items):
                raise Unfit(f"{len(value)} values, expected {len(node.items)}")
            inner = dict(known)
            for item, one in zip(node.items, value, strict=True):
                self._json(item, one, inner)
            self._check([item.name for item in node.items], inner)
            return
        self._keep(Scalar(node.count), len(value), known, None)
        for number, one in enumerate(value):
            self._json(node.item, one, known, number)


JSON_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "real": (int, float),
    "text": (str,),
    "bool": (bool,),
}


def kind_of(word: str) -> str:
    """Return what a word looks like: int, real, text, or ``digits`` that may be either."""
    if INTEGER.fullmatch(word):
        return "digits" if PADDED.fullmatch(word) else "int"
    return "real" if REAL.fullmatch(word) else "text"


def _may_be_empty(line: Line | Choice, known: Known) -> bool:
    return isinstance(line, Line) and all(
        isinstance(n, Many) and count_of(n.count, known) == 0 for n in line.nodes
    )


def _names(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
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
    most_things = 10**9  # that a number may count: others are values
    if low != high or not 0 <= low <= most_things:
        raise Unfit(f"{expression} is not a count here")
    return int(low)


def holds(left: Range, operator: str, right: Range) -> bool:
    """Whether a comparison of two known values is true."""
    a, b = left.low, right.low
    return {"<=": a <= b, "<": a < b, "==": a == b, "!=": a != b}[operator]
