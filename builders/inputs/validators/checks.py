"""What a compiled validator is made of.

Reading an input strictly, and the properties that constraints speak of.

The classes and functions that a validator uses are copied into its text, so each stands on its own
here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any


class Refused(Exception):
    """An input that is not allowed; the text says why."""


def letters_in(letters: str, *texts: str | Sequence[str]) -> int:
    """Return how often any of these letters stands in texts, and in lists of texts."""
    return sum(text.count(letter) for each in texts for text in ([each] if isinstance(each, str) else each)
               for letter in letters)  # fmt: skip


def check(holds: bool, promise: str) -> None:
    """Refuse the input unless a promise holds."""
    if not holds:
        raise Refused(f"broken: {promise}")


class Input:
    """The words of an input of lines.

    One space between two and none at the ends, unless `loose`.
    """

    def __init__(self, stdin: str, loose: bool = False) -> None:
        self.loose = loose
        # Tests of others often lack the end of the last line, and every program reads them.
        self.lines = (stdin.rstrip() if loose else stdin.removesuffix("\n")).split("\n")
        self.at = -1
        self.open: list[str] | None = None
        self.place = 0

    def word(self, name: str, length: int | None = None) -> str:
        """Return the next word of the line, of a length where there is one."""
        self._open()
        if self.open is None or self.place >= len(self.open):
            raise Refused(f"line {self.at + 1} has no word for {name}")
        self.place += 1
        word = self.open[self.place - 1]
        if length is not None and len(word) != length:
            raise Refused(f"line {self.at + 1}: {name} has {len(word)} letters, not {length}")
        return word

    def text(self, name: str) -> str:
        """Return all that is left of the line, spaces too."""
        self._open()
        found = " ".join((self.open or [])[self.place :])
        self.place = len(self.open or [])
        return found

    def integer(self, name: str, low: float | None = None, high: float | None = None) -> int:
        """Return the next word as a whole number between two bounds."""
        word = self.word(name)
        if not re.fullmatch(r"[+-]?\d{1,4000}" if self.loose else r"0|-?[1-9]\d{0,3999}", word):
            raise Refused(f"line {self.at + 1}: {name} is not an integer: {word[:40]!r}")
        value: int = self._between(name, int(word), low, high)
        return value

    def real(self, name: str, low: float | None = None, high: float | None = None) -> float:
        """Return the next word as a number between two bounds."""
        word = self.word(name)
        if not re.fullmatch(r"[+-]?(\d{1,400}\.?\d{0,400}|\.\d{1,400})([eE][+-]?\d{1,3})?", word):
            raise Refused(f"line {self.at + 1}: {name} is not a number: {word[:40]!r}")
        value: float = self._between(name, float(word), low, high)
        return value

    def integers(
        self, name: str, count: int, low: float | None = None, high: float | None = None
    ) -> list[int]:
        """Return the next words as whole numbers."""
        return [self.integer(name, low, high) for _ in range(count)]

    def reals(
        self, name: str, count: int, low: float | None = None, high: float | None = None
    ) -> list[float]:
        """Return the next words as numbers."""
        return [self.real(name, low, high) for _ in range(count)]

    def words(self, name: str, count: int) -> list[str]:
        """Return the next words."""
        return [self.word(name) for _ in range(count)]

    def newline(self) -> None:
        """End the line: it has no more words."""
        self._open()
        if self.place < len(self.open or []):
            raise Refused(f"line {self.at + 1} has too many words")
        self.open = None

    def end(self) -> None:
        """End the input: it has no more lines."""
        if self.at + 1 < len(self.lines):
            raise Refused(f"line {self.at + 2} is one too many")

    def _open(self) -> None:
        if self.open is None:
            self.at, self.place = self.at + 1, 0
            # A last line without values is often left out.
            if self.at >= len(self.lines) + self.loose:
                raise Refused(f"it ends before line {self.at + 1}")
            line = self.lines[self.at] if self.at < len(self.lines) else ""
            self.open = (line.split() if self.loose else line.split(" ")) if line else []
            if "" in self.open:
                raise Refused(f"line {self.at + 1} has a space too many")

    def _between(self, name: str, value: Any, low: float | None, high: float | None) -> Any:
        if (low is not None and value < low) or (high is not None and value > high):
            raise Refused(f"line {self.at + 1}: {name} = {value} is not between {low} and {high}")
        return value


class Arguments:
    """The arguments of a function, one JSON value a line."""

    def __init__(self, stdin: str) -> None:
        self.lines = stdin.rstrip("\n").split("\n")
        self.at = 0

    def value(self, name: str, form: Any) -> Any:
        """Return the next argument, of the form of a type, or of a list.

        ``[[int]]``, ``[(int, str)]``.
        """
        if self.at >= len(self.lines):
            raise Refused(f"{name} is missing")
        self.at += 1
        try:
            value = json.loads(self.lines[self.at - 1])
        except ValueError:
            raise Refused(f"{name} is not JSON") from None
        if not self._fits(value, form):
            raise Refused(f"{name} has not the type {form}")
        return value

    def end(self) -> None:
        """End the input: it has no more lines."""
        if self.at < len(self.lines):
            raise Refused(f"line {self.at + 1} is one too many")

    def _fits(self, value: Any, form: Any) -> bool:
        if isinstance(form, list):
            return isinstance(value, list) and all(self._fits(item, form[0]) for item in value)
        if isinstance(form, tuple):
            same = isinstance(value, list) and len(value) == len(form)
            return same and all(
                self._fits(item, one) for item, one in zip(value, form, strict=True)
            )
        # Not isinstance: for Python True is an int.
        return type(value) is form or (form is float and type(value) is int)


def distinct(values: Iterable[Any], unordered: bool = False) -> bool:
    """Whether no two values are equal, in no order of theirs if `unordered`."""
    seen = [
        tuple(sorted(value) if unordered else value) if isinstance(value, (list, tuple)) else value
        for value in values
    ]
    return len(set(seen)) == len(seen)


def ordered(values: Sequence[Any], descending: bool = False, strict: bool = False) -> bool:
    """Whether each value stands on the right side of the next one."""
    some = values[::-1] if descending else values
    return all(
        some[i - 1] < some[i] if strict else some[i - 1] <= some[i] for i in range(1, len(some))
    )


def is_permutation(values: Sequence[int], low: int, high: int) -> bool:
    """Whether the values are all numbers from low to high."""
    return len(values) == high - low + 1 and set(values) == set(range(low, high + 1))


def power(base: int, exponent: int) -> int:
    """Return a power that is not too large to be computed."""
    if not 0 <= exponent <= 5_000:
        raise Refused(f"an exponent of {exponent}")
    return int(base**exponent)


def is_power(value: int, base: int) -> bool:
    """Whether a number is a power of a base."""
    while value > 1 and base > 1 and value % base == 0:
        value //= base
    return value == 1


def has_some(values: Iterable[Any], sign: str, other: Any) -> bool:
    """Whether one of the values compares so."""
    return any(
        {"==": value == other, "!=": value != other, "<": value < other, "<=": value <= other, ">": value > other,
         ">=": value >= other}[sign]
        for value in values
    )  # fmt: skip


def has_multiple(values: Iterable[int], of: int) -> bool:
    """Whether one of the values is a multiple."""
    return any(value % of == 0 for value in values)


def half_leave(values: Sequence[int], rest: int) -> bool:
    """Whether half of the values leave this rest when they are divided by 2."""
    return 2 * sum(value % 2 == rest for value in values) == len(values)


def is_prime(value: int) -> bool:
    """Whether a number below 3 * 10^24 is prime (Miller-Rabin with the bases that decide it)."""
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
    if value < 2 or any(value % base == 0 for base in bases):
        return value in bases
    odd, twos = value - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in bases:
        rest = pow(base, odd, value)
        for _ in range(twos):
            before, rest = rest, rest * rest % value
            if rest == 1 and before not in (1, value - 1):
                return False
        if rest != 1:
            return False
    return True


def is_balanced(text: str) -> bool:
    """Whether every bracket of a text is closed by its like."""
    opened = []
    for letter in text:
        if letter in "([{":
            opened.append(letter)
        elif letter in ")]}" and (not opened or opened.pop() + letter not in ("()", "[]", "{}")):
            return False
    return not opened


def is_connected(nodes: int, edges: Iterable[Sequence[int]]) -> bool:
    """Whether the edges join so many nodes into one graph."""
    parent: dict[int, int] = {}

    def root(node: int) -> int:
        while parent.setdefault(node, node) != node:
            parent[node] = node = parent[parent[node]]
        return node

    parts = nodes
    for edge in edges:
        a, b = root(edge[0]), root(edge[1])
        parts -= a != b
        parent[a] = b
    return parts <= 1


def is_tree(nodes: int, edges: Sequence[Sequence[int]]) -> bool:
    """Whether the edges are a tree of so many nodes."""
    return len(edges) == nodes - 1 and is_connected(nodes, edges)


def has_no_loops(edges: Iterable[Sequence[int]]) -> bool:
    """Whether no edge joins a node with itself."""
    return all(edge[0] != edge[1] for edge in edges)


def has_no_multi_edges(edges: Iterable[Sequence[int]], directed: bool = False) -> bool:
    """Whether no two nodes are joined twice (in the same direction, in a directed graph)."""
    return distinct(tuple(edge[:2]) if directed else tuple(sorted(edge[:2])) for edge in edges)
