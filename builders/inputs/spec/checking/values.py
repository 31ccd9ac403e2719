"""The values of an input, read by its layout.

In the style ``lines`` a single space separates two words, a line neither begins nor ends with one,
and numbers are spelt as programs print them, unless white space is `loose`. In the style ``json``
every line is one JSON value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ..expressions import names_in
from ..layout import (
    Choice,
    Item,
    Layout,
    Line,
    Loop,
    Many,
    Node,
    Scalar,
    Tuple,
    lines_of,
    nodes_of,
)
from ..names import ValuePlace, names_of
from ..specification import SpecError
from .checks import InputError
from .terms import Terms
from .terms import parse as parse_term

LOOSE_INTEGER = re.compile(r"[+-]?[0-9]{1,4000}")
PADDED = re.compile(r"[+-]?0[0-9]+|[+-]?[0-9]{20,}|\+.*")  # often a text, not a number
REAL = re.compile(r"[+-]?([0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})([eE][+-]?[0-9]{1,3})?")
LONGEST_NUMBER = 4_001  # characters
EMPTY_ITEMS = 10_000  # how far a count may exceed the input's length: empty items take no space
MOST_IN_PART = 10_000_000  # the largest count in a part of an input
JSON_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "real": (int, float),
    "text": (str,),
    "bool": (bool,),
}

Scope = dict[str, Any]


@dataclass(slots=True)
class Values:
    """The values of an input by name.

    whole: those outside test cases; cases: those of each test case; kinds: the apparent kinds
    (`kind_of`) of words whose kind in the layout is ``word``.
    """

    whole: Scope = field(default_factory=dict)
    cases: list[Scope] = field(default_factory=list)
    kinds: dict[str, set[str]] = field(default_factory=dict)


class PartEnd(NamedTuple):
    """The index of the line after a part of an input, and the numbers known by then."""

    end: int
    known: Mapping[str, int]


class Reader:
    """Reads inputs of one layout.

    Args:
        layout: The layout of the inputs.
        loose: Whether any white space separates words, and a last empty line may be missing.
        known: The names of numbers that come earlier, if the layout is a part of an input.

    Raises:
        SpecError: The layout contradicts itself.
    """

    def __init__(self, layout: Layout, loose: bool = False, known: Iterable[str] = ()) -> None:
        self.layout, self.loose = layout, loose
        _check_names(layout)
        # Counts see the last value read of each list, so every name stands for a single value.
        names = names_of(layout)
        self.words = {name for name, place in names.places.items() if place.kind == "word"}
        single = {
            name: place._replace(depth=0, kind="int" if name in self.words else place.kind)
            for name, place in names.places.items()
        }
        single |= {name: ValuePlace(0, "int") for name in known}
        self.terms = Terms(replace(names, places=single))
        if layout.style == "json":
            self.forms = [(node.name, _fits(node)) for node in _json_nodes(layout)]
        else:
            before = set(known)
            self.steps = [self._item_reader(item, before, False) for item in layout.body]

    def read(self, text: str) -> Values:
        """Return the values of an input.

        Raises:
            InputError: The input has another layout.
        """
        values = Values()
        if self.layout.style == "json":
            self._read_json(text, values)
            return values
        rows = _Rows(text, self.loose, values)
        for step in self.steps:
            step(rows, values.whole)
        if rows.at + 1 < len(rows.lines):
            raise InputError(f"line {rows.at + 2} is an extra line")
        return values

    def read_part(self, lines: Sequence[str], at: int, known: Mapping[str, int]) -> PartEnd:
        """Read lines from index `at` on.

        Raises:
            InputError: The lines have another layout.
        """
        rows = _Rows("", self.loose, Values())
        rows.lines, rows.at, rows.most = lines, at - 1, MOST_IN_PART
        scope: Scope = dict(known)
        for step in self.steps:
            step(rows, scope)
        numbers = {name: value for name, value in scope.items() if type(value) is int}
        return PartEnd(rows.at + 1, numbers)

    # -------------------------------------------------------------- JSON

    def _read_json(self, text: str, values: Values) -> None:
        lines = text.rstrip("\n").split("\n")
        for number, (name, fits) in enumerate(self.forms):
            if number >= len(lines):
                raise InputError(f"{name} is missing")
            try:
                value = json.loads(lines[number], parse_constant=_refuse_constant)
                has_form = fits(value)
            except (ValueError, RecursionError):
                raise InputError(f"{name} is not JSON") from None
            if not has_form:
                raise InputError(f"{name} has another type")
            values.whole[name] = value
        if len(lines) > len(self.forms):
            raise InputError(f"line {len(self.forms) + 1} is an extra line")

    # -------------------------------------------------------------- lines

    def _item_reader(self, item: Item, known: set[str], in_row: bool) -> _Step:
        """Return a function that reads an item; `known` names the numbers before it."""
        if isinstance(item, Line):
            return self._line_reader(item, known)
        if isinstance(item, Choice):
            return self._choice_reader(item, known)
        count = self._count_reader(item.count, known)
        if not item.body:
            raise SpecError(f"layout: the loop over {item.count} has no lines")
        if item.count == self.layout.cases and not in_row:
            return self._cases_reader(item, count, known)
        names = all_names(item.body)
        columns = _columns(item)
        own = {scalar.name for scalar in columns or ()}
        if columns and not any(own & names_in(s.length) for s in columns if s.length):
            return self._columns_reader(columns, count, known)
        inner = set(known)
        steps = [self._item_reader(line, inner, True) for line in item.body]

        def read_rows(rows: _Rows, scope: Scope) -> None:
            lists: dict[str, list[Any]] = {name: [] for name in names}
            for _ in range(count(scope, rows)):
                for step in steps:
                    step(rows, scope)
                for name, values in lists.items():
                    # A row of a choice has only the values of its own form.
                    if name in scope:
                        values.append(scope.pop(name))
            scope.update(lists)

        return read_rows

    def _cases_reader(self, item: Loop, count: _Count, known: set[str]) -> _Step:
        names = all_names(item.body)
        inner = set(known)
        steps = [self._item_reader(line, inner, False) for line in item.body]

        def read_cases(rows: _Rows, scope: Scope) -> None:
            for _ in range(count(scope, rows)):
                for step in steps:
                    step(rows, scope)
                case = {name: scope.pop(name) for name in names if name in scope}
                rows.values.cases.append(case)

        return read_cases

    def _columns_reader(self, columns: Sequence[Scalar], count: _Count, known: set[str]) -> _Step:
        """Return a function that reads all rows of single values at once."""
        conversions = [self._conversion(scalar, known) for scalar in columns]

        def read_columns(rows: _Rows, scope: Scope) -> None:
            number = count(scope, rows)
            split = rows.take(number, columns)
            for scalar, convert, words in zip(columns, conversions, split, strict=True):
                scope[scalar.name] = convert(rows, words, scope)

        return read_columns

    def _line_reader(self, item: Line, known: set[str]) -> _Step:
        names = [node.name for node in item.nodes if isinstance(node, Scalar)]
        kinds = {node.kind for node in item.nodes if isinstance(node, Scalar)}
        if len(names) == len(item.nodes) and kinds == {"int"}:
            return self._integers_reader(names, known)
        nodes = [self._node_reader(node, known) for node in item.nodes]

        def read_line(rows: _Rows, scope: Scope) -> None:
            words = rows.next()
            place = 0
            for node in nodes:
                place = node(rows, words, place, scope)
            if place < len(words):
                raise rows.error("has too many words")

        return read_line

    def _integers_reader(self, names: Sequence[str], known: set[str]) -> _Step:
        """Return a function that reads a line of integers, fast: inputs may have 10^5 of them."""
        known.update(names)
        convert = (_loose_integers if self.loose else _strict_integers)(", ".join(names))

        def read_integers(rows: _Rows, scope: Scope) -> None:
            words = rows.next()
            if len(words) != len(names):
                raise rows.error(f"has {len(words)} words, not {len(names)}")
            scope.update(zip(names, convert(rows, words, scope), strict=True))

        return read_integers

    def _choice_reader(self, item: Choice, known: set[str]) -> _Step:
        forms, kinds = {}, kinds_of(item)
        for kind, nodes in item.kinds:
            inner = set(known)
            forms[kind] = [self._node_reader(node, inner) for node in nodes]

        def read_choice(rows: _Rows, scope: Scope) -> None:
            words = rows.next()
            nodes = forms.get(words[0]) if words else None
            if nodes is None:
                raise rows.error("does not begin with a known kind")
            scope[kinds], place = words[0], 1
            for node in nodes:
                place = node(rows, words, place, scope)
            if place < len(words):
                raise rows.error("has too many words")

        return read_choice

    def _node_reader(self, node: Node, known: set[str]) -> _NodeStep:
        """Return a function that reads a node from words at a place, and returns the next place."""
        if isinstance(node, Tuple):
            raise SpecError("layout: a tuple without a name")
        read = self._value_reader(node, node.name, known)
        name = node.name
        if isinstance(node, Scalar):
            known.add(name)

        def read_node(rows: _Rows, words: Sequence[str], place: int, scope: Scope) -> int:
            scope[name], place = read(rows, words, place, scope)
            return place

        return read_node

    def _value_reader(self, node: Node, name: str, known: set[str]) -> _ValueStep:
        """Return a function that returns the value of a node and the next place."""
        if isinstance(node, Scalar):
            convert = self._conversion(node, known)

            def read_scalar(rows: _Rows, words: Sequence[str], place: int, scope: Scope) -> Any:
                if place >= len(words):
                    raise rows.error(f"has no word for {name}")
                return convert(rows, words[place : place + 1], scope)[0], place + 1

            return read_scalar
        if isinstance(node, Tuple):
            parts = [self._value_reader(item, name, known) for item in node.items]

            def read_tuple(rows: _Rows, words: Sequence[str], place: int, scope: Scope) -> Any:
                values = []
                for part in parts:
                    value, place = part(rows, words, place, scope)
                    values.append(value)
                return values, place

            return read_tuple
        count = self._count_reader(node.count, known)
        if isinstance(node.item, Scalar):
            convert_all = self._conversion(node.item, known)

            def read_list(rows: _Rows, words: Sequence[str], place: int, scope: Scope) -> Any:
                end = place + count(scope, rows)
                if end > len(words):
                    raise rows.error(f"has no word for {name}")
                return convert_all(rows, words[place:end], scope), end

            return read_list
        inner = self._value_reader(node.item, name, known)

        def read_lists(rows: _Rows, words: Sequence[str], place: int, scope: Scope) -> Any:
            values = []
            for _ in range(count(scope, rows)):
                value, place = inner(rows, words, place, scope)
                values.append(value)
            return values, place

        return read_lists

    def _conversion(self, scalar: Scalar, known: set[str]) -> _Convert:
        """Return a function that converts words to values of one kind."""
        name = scalar.name
        if scalar.kind == "int":
            return _loose_integers(name) if self.loose else _strict_integers(name)
        if scalar.kind == "real":
            return _reals(name)
        if scalar.kind == "word":
            return _any_words(name)
        if scalar.length is None:
            return lambda rows, words, scope: list(words)
        length = self._count_reader(scalar.length, known)

        def read_texts(rows: _Rows, words: Sequence[str], scope: Scope) -> list[Any]:
            expected = length(scope, rows)
            for number, word in enumerate(words):
                if len(word) != expected:
                    raise rows.error(f"{name} has {len(word)} letters, not {expected}", number)
            return list(words)

        return read_texts

    def _count_reader(self, text: str, known: set[str]) -> _Count:
        """Return a function that calculates a count from the numbers read before it."""
        try:  # `draw` must calculate it too, and supports fewer operators than terms do
            unknown = names_in(text) - known
        except SpecError:
            raise SpecError(f"layout: {text[:80]!r} is not a count") from None
        if unknown:
            raise SpecError(f"layout: {', '.join(sorted(unknown))} is not read before {text!r}")
        names, call = self.terms.function(self.terms.spelt(parse_term(text)))
        # A text times a number could exceed the memory.
        may_be_texts = not self.words.isdisjoint(names)

        def count(scope: Scope, rows: _Rows) -> int:
            try:
                numbers = [scope[name] for name in names]
                if may_be_texts and any(type(number) is not int for number in numbers):
                    raise rows.error(f"{text} is not a count")
                value = call(*numbers)
            except (ArithmeticError, LookupError, TypeError, ValueError):
                value = None
            if type(value) is not int:
                raise rows.error(f"{text} is not a count")
            if value > rows.most:
                raise rows.error(f"{text} = {value} is more than the input has")
            return max(0, value)

        return count


_Step = Callable[["_Rows", Scope], None]
_NodeStep = Callable[["_Rows", Sequence[str], int, Scope], int]
_ValueStep = Callable[["_Rows", Sequence[str], int, Scope], Any]
_Convert = Callable[["_Rows", Sequence[str], Scope], list[Any]]
_Count = Callable[[Scope, "_Rows"], int]


class _Rows:
    """The lines of an input and the current position, `at`."""

    def __init__(self, text: str, loose: bool, values: Values) -> None:
        # Published tests often lack the last line feed, and every program accepts that.
        self.lines: Sequence[str] = (text.rstrip() if loose else text.removesuffix("\n")).split(
            "\n"
        )
        self.loose, self.values = loose, values
        self.at = -1
        self.most = len(text) + EMPTY_ITEMS

    def next(self) -> list[str]:
        """Return the words of the next line."""
        self.at += 1
        # Published tests often lack a last line without values.
        if self.at >= len(self.lines) + self.loose:
            raise InputError(f"the input ends before line {self.at + 1}")
        line = self.lines[self.at] if self.at < len(self.lines) else ""
        if self.loose:
            return line.split()
        words = line.split(" ") if line else []
        if "" in words:
            raise self.error("has an extra space")
        return words

    def take(self, count: int, columns: Sequence[Scalar]) -> list[Sequence[str]]:
        """Return the columns of the next lines, one word of each line per column."""
        first = self.at + 1
        separator = None if self.loose else " "
        split = [line.split(separator) for line in self.lines[first : first + count]]
        width = len(columns)
        for number, words in enumerate(split):
            if len(words) != width or "" in words:
                more = len(words) > width
                raise self.error("has too many words" if more else "has too few words", number + 1)
        if len(split) < count:
            raise InputError(f"the input ends before line {len(self.lines) + 1}")
        self.at += count
        return list(zip(*split, strict=True)) if split else [()] * width

    def error(self, problem: str, ahead: int = 0) -> InputError:
        """Return the error for the current line, or for one `ahead` lines later."""
        return InputError(f"line {self.at + 1 + ahead} {problem}")


# ------------------------------------------------------------------ words


def _strict_integers(name: str) -> _Convert:
    def read(rows: _Rows, words: Sequence[str], scope: Scope) -> list[Any]:
        try:
            if max(map(len, words), default=0) > LONGEST_NUMBER:
                raise ValueError
            values = list(map(int, words))
        except ValueError:
            values = []
        # Printed numbers have no leading zeros and no plus, so printing them again changes nothing.
        if [*map(str, values)] != (words if type(words) is list else [*words]):
            raise _conversion_error(rows, words, name, "an integer", STRICT_INTEGER)
        return values

    return read


STRICT_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,3999}")


def _loose_integers(name: str) -> _Convert:
    def read(rows: _Rows, words: Sequence[str], scope: Scope) -> list[Any]:
        if not all(map(LOOSE_INTEGER.fullmatch, words)):
            raise _conversion_error(rows, words, name, "an integer", LOOSE_INTEGER)
        return list(map(int, words))

    return read


def _reals(name: str) -> _Convert:
    def read(rows: _Rows, words: Sequence[str], scope: Scope) -> list[Any]:
        if not all(map(REAL.fullmatch, words)):
            raise _conversion_error(rows, words, name, "a number", REAL)
        return list(map(float, words))

    return read


def _any_words(name: str) -> _Convert:
    def read(rows: _Rows, words: Sequence[str], scope: Scope) -> list[Any]:
        rows.values.kinds.setdefault(name, set()).update(map(kind_of, words))
        return [int(word) if LOOSE_INTEGER.fullmatch(word) else word for word in words]

    return read


def kind_of(word: str) -> str:
    """Return the apparent kind of a word: int, real, text, or ``digits``: an int or a text."""
    if LOOSE_INTEGER.fullmatch(word):
        return "digits" if PADDED.fullmatch(word) else "int"
    return "real" if WRITTEN_REAL.fullmatch(word) else "text"


WRITTEN_REAL = re.compile(r"[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?")


def _conversion_error(
    rows: _Rows, words: Sequence[str], name: str, kind: str, spelling: re.Pattern[str]
) -> InputError:
    wrong = next((word for word in words if not spelling.fullmatch(word)), "")
    return rows.error(f"has {wrong[:40]!r} for {name}, which is not {kind}")


# ------------------------------------------------------------------ forms


def _columns(item: Loop) -> list[Scalar] | None:
    """Return the columns of rows that consist of single values; None for other rows."""
    line = item.body[0]
    if len(item.body) > 1 or not isinstance(line, Line) or not line.nodes:
        return None
    scalars = [node for node in line.nodes if isinstance(node, Scalar)]
    return scalars if len(scalars) == len(line.nodes) else None


def _json_nodes(layout: Layout) -> Iterator[Scalar | Many]:
    for item in layout.body:
        for node in item.nodes if isinstance(item, Line) else ():
            if isinstance(node, Tuple):
                raise SpecError("layout: a tuple without a name")
            yield node


def _fits(node: Node) -> Callable[[Any], bool]:
    """Return a function that says whether a JSON value has the form of a node."""
    if isinstance(node, Scalar):
        allowed = JSON_TYPES.get(node.kind, (str,))
        # Not isinstance: for Python True is an int.
        return lambda value: type(value) in allowed
    if isinstance(node, Tuple):
        parts = [_fits(item) for item in node.items]

        def fits_tuple(value: Any) -> bool:
            has_length = isinstance(value, list) and len(value) == len(parts)
            return has_length and all(fits(item) for fits, item in zip(parts, value, strict=True))

        return fits_tuple
    inner = _fits(node.item)
    return lambda value: isinstance(value, list) and all(map(inner, value))


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def kinds_of(choice: Choice) -> str:
    """Return the key of a choice's first words among the values; no value can have this name."""
    return "kind " + " ".join(kind for kind, _ in choice.kinds)


def all_names(items: Sequence[Item]) -> list[str]:
    """Return the distinct names in a body, those of values and the keys of choices."""
    names = {node.name: None for node in nodes_of(items) if not isinstance(node, Tuple)}
    return [*names, *(kinds_of(item) for item in lines_of(items) if isinstance(item, Choice))]


def _check_names(layout: Layout) -> None:
    """Refuse two values with one name, except in different forms of a choice."""
    before: set[str] = set()

    def check(items: Sequence[Item]) -> None:
        for item in items:
            if isinstance(item, Loop):
                check(item.body)
                continue
            forms = [item.nodes] if isinstance(item, Line) else [nodes for _, nodes in item.kinds]
            own = set()
            for nodes in forms:
                names = [node.name for node in nodes if isinstance(node, (Scalar, Many))]
                if len(set(names)) < len(names) or before & set(names):
                    twice = next(n for n in names if n in before or names.count(n) > 1)
                    raise SpecError(f"layout: two values have the name {twice}")
                own |= set(names)
            before.update(own)

    check(layout.body)
