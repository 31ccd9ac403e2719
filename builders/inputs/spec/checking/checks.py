"""The properties in promises, as functions of values."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
MOST_BITS = 4_000_000  # bits of a power
HIGHEST_EXPONENT = 5_000  # if the exponent is a value of the input


class InputError(Exception):
    """An input is not allowed; the text says why."""


def power(base: int, exponent: int) -> int:
    """Return a power.

    Raises:
        InputError: The exponent is negative or above `HIGHEST_EXPONENT`, or the power has more than
            `MOST_BITS` bits.
    """
    if not 0 <= exponent <= HIGHEST_EXPONENT or exponent * base.bit_length() > MOST_BITS:
        raise InputError(f"the exponent {exponent} is negative or too large")
    return int(base**exponent)


# ------------------------------------------------------------------ one value


def is_prime(value: int) -> bool:
    """Whether a number below 3 * 10^24 is prime (Miller-Rabin with bases that suffice there)."""
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


def is_power(value: int, base: int) -> bool:
    """Whether a number is a power of a base."""
    while value > 1 and base > 1 and value % base == 0:
        value //= base
    return value == 1


def is_palindrome(value: Sequence[Any]) -> bool:
    """Whether a text or list reads the same backwards."""
    return bool(value == value[::-1])


def is_balanced(text: str) -> bool:
    """Whether the brackets of a text are balanced: each has a partner of the same kind."""
    opened = []
    for letter in text:
        if letter in "([{":
            opened.append(letter)
        elif letter in ")]}" and (not opened or opened.pop() + letter not in ("()", "[]", "{}")):
            return False
    return not opened


def has_no_leading_zero(text: str) -> bool:
    """Whether a text of digits is 0 or does not begin with 0."""
    return text == "0" or text[:1] != "0"


def is_trimmed(text: str) -> bool:
    """Whether a text has no white space at its ends."""
    return text == text.strip()


def has_single_spaces(text: str) -> bool:
    """Whether a text has no two spaces in a row."""
    return "  " not in text


def is_index(value: int, values: Sequence[Any], first: int) -> bool:
    """Whether a number is an index of a list whose first value has the index `first`."""
    return first <= value < first + len(values)


# ------------------------------------------------------------------ lists


def lowest(values: Iterable[Any], depth: int) -> float:
    """Return the smallest number in nested lists; infinity if they are empty."""
    for _ in range(depth - 1):
        values = itertools.chain.from_iterable(values)
    return min(values, default=math.inf)


def highest(values: Iterable[Any], depth: int) -> float:
    """Return the largest number in nested lists; minus infinity if they are empty."""
    for _ in range(depth - 1):
        values = itertools.chain.from_iterable(values)
    return max(values, default=-math.inf)


def distinct(values: Iterable[Any], unordered: bool = False) -> bool:
    """Whether no two values are equal; with `unordered`, rows are compared as multisets."""
    hashable = list(values)
    if hashable and isinstance(hashable[0], (list, tuple)):
        hashable = [frozen(sorted(value) if unordered else value) for value in hashable]
    return len(set(hashable)) == len(hashable)


def frozen(value: Any) -> Any:
    """Return a hashable value: tuples instead of lists."""
    return tuple(map(frozen, value)) if isinstance(value, (list, tuple)) else value


def ordered(values: Sequence[Any], descending: bool = False, strict: bool = False) -> bool:
    """Whether the values are sorted."""
    compare = COMPARISONS[(">" if descending else "<") + ("" if strict else "=")]
    return all(map(compare, values, itertools.islice(values, 1, None)))


def is_permutation(values: Sequence[int], low: int, high: int) -> bool:
    """Whether the values are all whole numbers from low to high, each once."""
    return len(values) == high - low + 1 and set(values) == set(range(low, high + 1))


def has_same_values(values: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether two lists have the same values with the same frequencies."""
    return bool(sorted(values) == sorted(others))


def has_same_sum(values: Iterable[Any], others: Iterable[Any]) -> bool:
    """Whether two lists of numbers have the same sum."""
    return bool(sum(values) == sum(others))


def is_of_one_length(values: Iterable[Sequence[Any]]) -> bool:
    """Whether all rows have the same length."""
    return len(set(map(len, values))) <= 1


def is_not_all_alike(values: Iterable[Any]) -> bool:
    """Whether at least two of the values differ."""
    return len(set(map(frozen, values))) > 1


def has_some(values: Iterable[Any], other: Any, sign: str) -> bool:
    """Whether the comparison `sign` with `other` holds for one of the values."""
    return any(COMPARISONS[sign](value, other) for value in values)


def has_multiple(values: Iterable[int], of: int) -> bool:
    """Whether one of the values is a multiple of `of`."""
    return any(value % of == 0 for value in values)


def half_leave(values: Sequence[int], rest: int) -> bool:
    """Whether exactly half of the values leave the remainder `rest` modulo 2."""
    return 2 * sum(value % 2 == rest for value in values) == len(values)


def is_heap(values: Sequence[Any], top: str = "") -> bool:
    """Whether the values, level by level, are a binary heap.

    top: ``max`` or ``min``, the kind of the heap; empty for either.
    """
    signs = {"max": ">=", "min": "<="}
    return any(
        all(COMPARISONS[sign](values[(k - 1) // 2], values[k]) for k in range(1, len(values)))
        for name, sign in signs.items()
        if top in ("", name)
    )


def letters_in(letters: str, *texts: str | Sequence[str]) -> int:
    """Return how often these letters occur in total in texts or lists of texts."""
    flat = (text for part in texts for text in ([part] if isinstance(part, str) else part))
    return sum(text.count(letter) for text in flat for letter in letters)


# ------------------------------------------------------------------ graphs

Edges = Sequence[Sequence[int]]


def are_joined(nodes: int, edges: Edges) -> bool:
    """Whether the edges connect a graph with this number of nodes, regardless of direction."""
    roots: dict[int, int] = {}
    joined = sum(_join(roots, edge[0], edge[1]) for edge in edges)
    return nodes - joined <= 1


def is_tree(nodes: int, edges: Edges) -> bool:
    """Whether the edges form a tree with this number of nodes."""
    return len(edges) == nodes - 1 and are_joined(nodes, edges)


def has_no_loops(edges: Edges) -> bool:
    """Whether no edge joins a node to itself."""
    return all(edge[0] != edge[1] for edge in edges)


def has_no_multi_edges(edges: Edges, directed: bool = False) -> bool:
    """Whether no two nodes have two edges (in a directed graph: in the same direction)."""
    return distinct((edge[:2] for edge in edges), unordered=not directed)


def is_acyclic(edges: Edges, directed: bool = False) -> bool:
    """Whether the graph has no cycle."""
    if not directed:
        roots: dict[int, int] = {}
        return all(_join(roots, edge[0], edge[1]) for edge in edges)
    following: dict[int, list[int]] = {}
    before: dict[int, int] = {}
    for edge in edges:
        following.setdefault(edge[0], []).append(edge[1])
        before[edge[1]] = before.get(edge[1], 0) + 1
    free = [node for node in following if node not in before]
    while free:
        for node in following.pop(free.pop(), ()):
            before[node] -= 1
            if not before[node]:
                free.append(node)
    return not following


def is_bipartite(edges: Edges) -> bool:
    """Whether two colours suffice for no edge to join two nodes of the same colour."""
    # Each node has two copies, one per side. An odd cycle joins the copies of its nodes.
    roots: dict[int, int] = {}
    for edge in edges:
        a, b = 2 * edge[0], 2 * edge[1]
        _join(roots, a, b + 1)
        _join(roots, a + 1, b)
    return all(_root(roots, 2 * edge[0]) != _root(roots, 2 * edge[0] + 1) for edge in edges)


def _root(roots: dict[int, int], node: int) -> int:
    while roots.setdefault(node, node) != node:
        roots[node] = node = roots[roots[node]]
    return node


def _join(roots: dict[int, int], a: int, b: int) -> bool:
    """Join the components of two nodes; return False if they already shared one."""
    a, b = _root(roots, a), _root(roots, b)
    roots[a] = b
    return a != b
