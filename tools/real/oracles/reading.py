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

    def ints(self, count: int | None, low: int, high: int) -> list[int]:
        """Return the integers of the next line, each within the bounds.

        There must be `count` of them, with one space between them; any count where it is None.
        """
        words = self.line().split(" ")
        need(
            count is None or len(words) == count, f"{len(words)} values where {count} are asked for"
        )
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

    def edges(self, count: int, n: int) -> list[list[int]]:
        """Return that many lines, each with two different vertices of 1 to n, counted from 0."""
        pairs = [[vertex - 1 for vertex in self.ints(2, 1, n)] for _ in range(count)]
        need(all(u != v for u, v in pairs), "a loop")
        return pairs

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


def rows(found: object, count: tuple[int, int], size: int, low: int, high: int) -> None:
    """A list of lists of `size` integers."""
    need(isinstance(found, list) and count[0] <= len(found) <= count[1], f"no list of {count} rows")
    for row in found:
        wholes(row, (size, size), low, high)


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


def simple(edges: list) -> None:
    """A graph without loops, and with one edge at most between two vertices."""
    need(all(u != v for u, v, *_ in edges), "a loop")
    distinct([sorted(edge[:2]) for edge in edges], "edges")


def tree(n: int, edges: list) -> None:
    """A tree of the vertices 0 to n - 1."""
    need(len(edges) == n - 1, "a wrong number of edges")
    connected(n, edges)


def acyclic(n: int, arcs: list) -> None:
    """A directed graph of the vertices 0 to n - 1 without a cycle."""
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
    need(len(free) == n, "a cycle")


def binary_tree(found: object, count: tuple[int, int], low: int, high: int) -> list:
    """Return the nodes of a binary tree that is written by levels: value, left and right child.

    A child is an index into the nodes, or None.
    """
    need(isinstance(found, list), "no list of nodes")
    nodes: list[list] = []
    places: list[tuple[int, int]] = [(-1, 0)]  # where the next values hang: parent, side
    for place, value in enumerate(found):
        need(place < len(places), "a node without a parent")
        if value is not None:
            whole(value, low, high)
            nodes.append([value, None, None])
            places += [(len(nodes) - 1, 1), (len(nodes) - 1, 2)]
            parent, side = places[place]
            if parent >= 0:
                nodes[parent][side] = len(nodes) - 1
    need(count[0] <= len(nodes) <= count[1], "a wrong number of nodes")
    return nodes


def search_tree(nodes: list) -> None:
    """In order, the values of a binary tree rise."""
    values, path = [], []
    node = 0 if nodes else None
    while path or node is not None:
        while node is not None:
            path.append(node)
            node = nodes[node][1]
        values.append(nodes[path[-1]][0])
        node = nodes[path.pop()][2]
    rising(values)


def prime(number: int) -> None:
    """A prime below 3 * 10^9, by Miller and Rabin."""
    odd, twos = number - 1, 0
    while odd and odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7):
        power = pow(base, odd, number)
        passes = power == 1 or any(pow(power, 2**k, number) == number - 1 for k in range(twos))
        need(number > 1 and (number == base or passes), "no prime")
        if number == base:
            return
