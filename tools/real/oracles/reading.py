"""Reads inputs strictly: exactly the expected lines, tokens and values, and nothing after them."""

import json
import re
import string
from itertools import pairwise

INTEGER = re.compile(r"0|-?[1-9][0-9]*")
LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits


def require(condition: object, reason: str) -> None:
    """Refuse an input unless a condition holds."""
    if not condition:
        raise ValueError(reason)


class Lines:
    """Reads the lines of an input in order."""

    def __init__(self, stdin: str) -> None:
        self.left = stdin.removesuffix("\n").split("\n")[::-1]

    def line(self) -> str:
        """Return the next line."""
        require(self.left, "a line is missing")
        return self.left.pop()

    def ints(self, count: int | None, low: int, high: int) -> list[int]:
        """Return the integers of the next line, each within the bounds, separated by one space.

        There must be `count` of them; None allows any count.
        """
        words = self.line().split(" ")
        require(count is None or len(words) == count, f"{len(words)} values, expected {count}")
        require(all(INTEGER.fullmatch(word) for word in words), "a value is not an integer")
        numbers = [int(word) for word in words]
        require(
            all(low <= value <= high for value in numbers), f"a value is not in [{low}, {high}]"
        )
        return numbers

    def mixed(self, *bounds: tuple[int, int]) -> list[int]:
        """Return the integers of the next line, each within its own bounds."""
        words = self.line().split(" ")
        require(len(words) == len(bounds), f"{len(words)} values, expected {len(bounds)}")
        require(all(INTEGER.fullmatch(word) for word in words), "a value is not an integer")
        numbers = [int(word) for word in words]
        require(
            all(low <= value <= high for value, (low, high) in zip(numbers, bounds, strict=False)),
            "a value is out of its bounds",
        )
        return numbers

    def text(self, alphabet: str, low: int, high: int) -> str:
        """Return the next line: low to high characters of an alphabet."""
        line = self.line()
        text(line, alphabet, low, high)
        return line

    def edges(self, count: int, n: int) -> list[list[int]]:
        """Return the edges in `count` lines: two different vertices of 1 to n, made zero-based."""
        pairs = [[vertex - 1 for vertex in self.ints(2, 1, n)] for _ in range(count)]
        require(all(u != v for u, v in pairs), "a loop")
        return pairs

    def end(self) -> None:
        """Require the end of the input."""
        require(not self.left, "an extra line")


def text(value: object, alphabet: str, low: int, high: int) -> None:
    """Require a text of low to high characters of an alphabet."""
    require(
        isinstance(value, str) and low <= len(value) <= high,
        f"not a text of {low} to {high} characters",
    )
    require(set(str(value)) <= set(alphabet), "a character is not allowed")


def values(stdin: str, count: int) -> list:
    """Return the arguments of a function: one JSON value per line."""
    lines = stdin.removesuffix("\n").split("\n")
    require(len(lines) == count, f"{len(lines)} lines, expected {count}")
    return [json.loads(line) for line in lines]


def integer(value: object, low: int, high: int) -> None:
    """Require an integer within bounds, not true or false."""
    require(type(value) is int and low <= value <= high, f"not an integer in [{low}, {high}]")


def integers(values: object, count: tuple[int, int], low: int, high: int) -> None:
    """Require a list of integers; count: its smallest and largest length."""
    require(
        isinstance(values, list) and count[0] <= len(values) <= count[1],
        f"not a list of {count[0]} to {count[1]} values",
    )
    for value in values:
        integer(value, low, high)


def rows(values: object, count: tuple[int, int], size: int, low: int, high: int) -> None:
    """Require a list of lists of `size` integers; count: its smallest and largest length."""
    require(
        isinstance(values, list) and count[0] <= len(values) <= count[1],
        f"not a list of {count[0]} to {count[1]} rows",
    )
    for row in values:
        integers(row, (size, size), low, high)


def grid(values: object, rows: tuple[int, int], columns: tuple[int, int]) -> None:
    """Require a list of rows of one length; rows, columns: the smallest and largest number."""
    require(
        isinstance(values, list) and rows[0] <= len(values) <= rows[1], "a wrong number of rows"
    )
    require(
        all(isinstance(row, list) and len(row) == len(values[0]) for row in values),
        "rows of different lengths",
    )
    require(columns[0] <= len(values[0]) <= columns[1], "a wrong number of columns")


def distinct(values: list, noun: str = "values") -> None:
    """Require distinct values."""
    keys = [tuple(value) if isinstance(value, list) else value for value in values]
    require(len(set(keys)) == len(keys), f"{noun} are not distinct")


def connected(n: int, edges: list) -> None:
    """Require a connected graph of the vertices 0 to n - 1."""
    parent = list(range(n))

    def root(vertex: int) -> int:
        while parent[vertex] != vertex:
            parent[vertex] = parent[parent[vertex]]
            vertex = parent[vertex]
        return vertex

    for a, b, *_ in edges:
        parent[root(a)] = root(b)
    require(len({root(vertex) for vertex in range(n)}) == 1, "not connected")


def increasing(values: list) -> None:
    """Require strictly increasing values."""
    require(all(a < b for a, b in pairwise(values)), "values are not increasing")


def simple(edges: list) -> None:
    """Require a graph without loops and multi-edges."""
    require(all(u != v for u, v, *_ in edges), "a loop")
    distinct([sorted(edge[:2]) for edge in edges], "edges")


def tree(n: int, edges: list) -> None:
    """Require a tree of the vertices 0 to n - 1."""
    require(len(edges) == n - 1, "a wrong number of edges")
    connected(n, edges)


def acyclic(n: int, arcs: list) -> None:
    """Require a directed graph of the vertices 0 to n - 1 without a cycle."""
    followers: list[list[int]] = [[] for _ in range(n)]
    waiting = [0] * n
    for u, v in arcs:
        followers[u].append(v)
        waiting[v] += 1
    free = [vertex for vertex in range(n) if not waiting[vertex]]
    for vertex in free:
        for follower in followers[vertex]:
            waiting[follower] -= 1
            if not waiting[follower]:
                free.append(follower)
    require(len(free) == n, "a cycle")


def binary_tree(values: object, count: tuple[int, int], low: int, high: int) -> list:
    """Return the nodes of a binary tree from its values level by level.

    A node is its value, left and right child; a child is an index into the nodes, or None.
    """
    require(isinstance(values, list), "not a list of nodes")
    nodes: list[list] = []
    places: list[tuple[int, int]] = [(-1, 0)]  # parent and side of the next values
    for place, value in enumerate(values):
        require(place < len(places), "a node without a parent")
        if value is not None:
            integer(value, low, high)
            nodes.append([value, None, None])
            places += [(len(nodes) - 1, 1), (len(nodes) - 1, 2)]
            parent, side = places[place]
            if parent >= 0:
                nodes[parent][side] = len(nodes) - 1
    require(count[0] <= len(nodes) <= count[1], "a wrong number of nodes")
    return nodes


def search_tree(nodes: list) -> None:
    """Require a binary search tree: strictly increasing values in order."""
    values, path = [], []
    node = 0 if nodes else None
    while path or node is not None:
        while node is not None:
            path.append(node)
            node = nodes[node][1]
        values.append(nodes[path[-1]][0])
        node = nodes[path.pop()][2]
    increasing(values)


def prime(number: int) -> None:
    """Require a prime below 3 * 10^9 (Miller-Rabin)."""
    odd, twos = number - 1, 0
    while odd and odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7):
        power = pow(base, odd, number)
        passes = power == 1 or any(pow(power, 2**k, number) == number - 1 for k in range(twos))
        require(number > 1 and (number == base or passes), "not a prime")
        if number == base:
            return
