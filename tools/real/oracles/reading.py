"""Strict reading of inputs: exactly the lines, tokens and values that are asked for, and nothing after them."""

import json
import re
import string
from itertools import pairwise

INTEGER = re.compile(r"0|-?[1-9][0-9]*")
LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits


def need(true: object, why: str) -> None:
    """Refuse an input."""
    if not true:
        raise ValueError(why)


class Lines:
    """The lines of an input, one after the other."""

    def __init__(self, stdin: str) -> None:
        self.left = stdin.removesuffix("\n").split("\n")[::-1]

    def line(self) -> str:
        """Return the next line."""
        need(self.left, "a line is missing")
        return self.left.pop()

    def ints(self, count: int, low: int, high: int) -> list[int]:
        """Return the integers of the next line.

        So many, with one space between them, each within the bounds.
        """
        words = self.line().split(" ")
        need(len(words) == count, f"{len(words)} values where {count} are asked for")
        need(all(INTEGER.fullmatch(word) for word in words), "no integer")
        found = [int(word) for word in words]
        need(all(low <= value <= high for value in found), f"a value is not in [{low}, {high}]")
        return found

    def mixed(self, *bounds: tuple[int, int]) -> list[int]:
        """Return the integers of the next line, each within bounds of its own."""
        words = self.line().split(" ")
        need(len(words) == len(bounds), f"{len(words)} values where {len(bounds)} are asked for")
        need(all(INTEGER.fullmatch(word) for word in words), "no integer")
        found = [int(word) for word in words]
        need(
            all(low <= value <= high for value, (low, high) in zip(found, bounds, strict=False)),
            "a value is out of its bounds",
        )
        return found

    def text(self, alphabet: str, low: int, high: int) -> str:
        """Return the next line: so many characters of an alphabet."""
        found = self.line()
        text(found, alphabet, low, high)
        return found

    def end(self) -> None:
        """Nothing may follow."""
        need(not self.left, "there is more")


def text(found: object, alphabet: str, low: int, high: int) -> None:
    """A text of so many characters of an alphabet."""
    need(
        isinstance(found, str) and low <= len(found) <= high,
        f"no text of {low} to {high} characters",
    )
    need(set(str(found)) <= set(alphabet), "a character that is not allowed")


def values(stdin: str, count: int) -> list:
    """Return the arguments of a function: one JSON value a line."""
    lines = stdin.removesuffix("\n").split("\n")
    need(len(lines) == count, f"{len(lines)} lines where {count} are asked for")
    return [json.loads(line) for line in lines]


def whole(found: object, low: int, high: int) -> None:
    """An integer within bounds; true and false are none."""
    need(type(found) is int and low <= found <= high, f"no integer in [{low}, {high}]")


def wholes(found: object, count: tuple[int, int], low: int, high: int) -> None:
    """A list of integers."""
    need(
        isinstance(found, list) and count[0] <= len(found) <= count[1], f"no list of {count} values"
    )
    for value in found:
        whole(value, low, high)


def grid(found: object, rows: tuple[int, int], columns: tuple[int, int]) -> None:
    """A list of rows of one length."""
    need(isinstance(found, list) and rows[0] <= len(found) <= rows[1], "a wrong number of rows")
    need(
        all(isinstance(row, list) and len(row) == len(found[0]) for row in found),
        "rows of different lengths",
    )
    need(columns[0] <= len(found[0]) <= columns[1], "a wrong number of columns")


def distinct(found: list, what: str = "values") -> None:
    """No value twice."""
    keys = [tuple(value) if isinstance(value, list) else value for value in found]
    need(len(set(keys)) == len(keys), f"{what} are not distinct")


def connected(n: int, edges: list) -> None:
    """A graph of the vertices 0 to n - 1 in one piece."""
    parent = list(range(n))

    def root(vertex: int) -> int:
        while parent[vertex] != vertex:
            parent[vertex] = parent[parent[vertex]]
            vertex = parent[vertex]
        return vertex

    for a, b, *_ in edges:
        parent[root(a)] = root(b)
    need(len({root(vertex) for vertex in range(n)}) == 1, "not connected")


def rising(found: list) -> None:
    """Each value is greater than the one before it."""
    need(all(a < b for a, b in pairwise(found)), "not rising")
