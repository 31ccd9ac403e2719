"""The model of a signature (types, functions, their class) and the JSON values of its types.

Values are JSON:
- a 64-bit integer is a number without rounding, a character a text of length 1, an absent value
  null;
- a linked list is an array; in a list with random pointers, every node is a pair of its value and
  the index that it points to;
- a binary tree is listed level by level with null for a missing child, without trailing nulls;
- a binary tree with pointers to the next node on the level is the same in an input; in a result it
  is listed along these pointers, with null after each level;
- an N-ary tree is listed level by level with null after each group of children;
- a graph is the list of its nodes' neighbours, by 1-based label.

Some values are parts of others. A node of an earlier tree or list is its value in an input; in a
result, a node of a list is its index. A list with a cycle, and one that shares its end with the
list before it, take two lines: the values, then the index that the last node links to (-1: none) or
the number of shared nodes.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

Value = Any


class Kind(StrEnum):
    """The outermost part of a type, without its elements."""

    INT = "int"  # 32 bits, signed
    LONG = "long"  # 64 bits, signed
    FLOAT = "float"  # IEEE double
    BOOL = "bool"
    CHAR = "char"
    STRING = "string"
    LIST = "list"
    LINKED_LIST = "linked_list"
    TREE = "tree"
    NARY_TREE = "nary_tree"
    GRAPH = "graph"
    OPTIONAL = "optional"
    VOID = "void"
    RANDOM_LIST = "random_list"  # a linked list with a second pointer to any node
    NEXT_TREE = "next_tree"  # a binary tree with pointers to the next node on the level
    NODE = "node"  # a node of an earlier tree or list, whose type is the element
    CYCLIC_LIST = "cyclic_list"  # a linked list and, on its own line, the target of the last node
    # a linked list and, on its own line, the number of nodes shared with the previous one
    JOINED_LIST = "joined_list"


SCALARS = (Kind.INT, Kind.LONG, Kind.FLOAT, Kind.BOOL, Kind.CHAR, Kind.STRING)
NODES = (Kind.LINKED_LIST, Kind.TREE, Kind.NARY_TREE, Kind.GRAPH, Kind.RANDOM_LIST, Kind.NEXT_TREE)
# the parameter on the second line of such a list
SECOND_LINES = {Kind.CYCLIC_LIST: "pos", Kind.JOINED_LIST: "shared"}
LARGEST_INT = 2**31 - 1
LARGEST_LONG = 2**63 - 1
ASCII = "".join(map(chr, range(32, 127)))


@dataclass(frozen=True, slots=True)
class Type:
    """A type: its kind, the type of its elements if it has any, and the name of its node class."""

    kind: Kind
    element: Type | None = None
    node: str = ""

    def __str__(self) -> str:
        """Return the type in a common notation, such as ``list<list<int>>``."""
        return f"{self.kind}<{self.element}>" if self.element else str(self.kind)

    @property
    def declared(self) -> Type:
        """The type as code declares it, without cycles and shared nodes."""
        if self.kind in SECOND_LINES:
            return Type(Kind.LINKED_LIST, self.element, self.node)
        return self.of if self.kind == Kind.NODE else self

    @property
    def of(self) -> Type:
        """The type of the elements.

        Raises:
            ValueError: The type has no element type.
        """
        if self.element is None:
            raise ValueError(f"the type {self.kind} has no element type")
        return self.element


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method.

    `changed` is the index of the argument that is changed in place and holds the result. If the
    function also returns a number n, the result is the first n values of that argument.
    """

    name: str
    parameters: tuple[Parameter, ...]
    returns: Type
    changed: int | None = None


@dataclass(frozen=True, slots=True)
class Signature:
    """The functions or the class that a solution defines.

    Either one function (`design` is false), as a method of the class `holder` or, if that is empty,
    as a free function; or a class to design. For the latter, `constructor` has the parameters of
    the constructor. Its input has two lines: the list of operations, beginning with the name of the
    class, and the list of their lists of arguments. Its output is the list of results, null for the
    constructor and for methods without a result. `nodes` are further node classes that comments
    define for solutions.
    """

    functions: tuple[Function, ...]
    holder: str = "Solution"
    constructor: tuple[Parameter, ...] = ()
    design: bool = False
    nodes: tuple[Type, ...] = field(default=(), compare=False)

    def types(self) -> Iterator[Type]:
        """Yield the types of all parameters and results."""
        yield from (parameter.type for parameter in self.constructor)
        for function in self.functions:
            yield from (parameter.type for parameter in function.parameters)
            yield function.returns

    def lines(self) -> tuple[Parameter, ...]:
        """Return the parameter on each line of an input; none for a class to design."""
        lines = []
        for parameter in () if self.design else self.functions[0].parameters:
            kind = parameter.type.kind
            if kind in SECOND_LINES:
                lines.append(replace(parameter, type=parameter.type.declared))
                lines.append(Parameter(SECOND_LINES[kind], Type(Kind.INT)))
            else:
                lines.append(parameter)
        return tuple(lines)


def valid(value: Value, expected: Type) -> bool:
    """Return whether `value`, from `json.loads`, has the `expected` type.

    A character is ASCII, because it is a byte in C++ and Go. An integer is also a valid
    floating-point number. Trees have no trailing nulls; every node of a graph is reachable from the
    first.
    """
    match expected.kind:
        case Kind.INT | Kind.LONG:
            top = LARGEST_INT if expected.kind == Kind.INT else LARGEST_LONG
            # Not `isinstance`, for which a bool is an int.
            return type(value) is int and -top - 1 <= value <= top
        case Kind.FLOAT:
            return type(value) is int or (type(value) is float and math.isfinite(value))
        case Kind.BOOL:
            return isinstance(value, bool)
        case Kind.CHAR:
            return isinstance(value, str) and len(value) == 1 and value.isascii()
        case Kind.STRING:
            return isinstance(value, str)
        case Kind.LIST | Kind.LINKED_LIST | Kind.CYCLIC_LIST | Kind.JOINED_LIST:
            return isinstance(value, list) and all(valid(item, expected.of) for item in value)
        case Kind.RANDOM_LIST:
            # Pairs of a value and the index of a node, or null.
            return isinstance(value, list) and all(
                isinstance(node, list)
                and len(node) == 2
                and valid(node[0], expected.of)
                and (node[1] is None or (type(node[1]) is int and 0 <= node[1] < len(value)))
                for node in value
            )
        case Kind.NODE:
            # In a result it may be absent, or an index in a list.
            return value is None or valid(value, Type(Kind.INT)) or valid(value, expected.of.of)
        case Kind.OPTIONAL:
            return value is None or valid(value, expected.of)
        case Kind.TREE | Kind.NARY_TREE:
            return _is_tree(value, expected)
        case Kind.NEXT_TREE:
            return _is_tree(value, expected) or _is_levels(value, expected)
        case Kind.GRAPH:
            return _is_graph(value)
        case Kind.VOID:
            return value is None


def _is_tree(value: Value, expected: Type) -> bool:
    if not value or not isinstance(value, list):
        return isinstance(value, list)
    if value[0] is None or value[-1] is None:
        return False
    if not all(valid(item, expected.of) for item in value if item is not None):
        return False
    binary = expected.kind in (Kind.TREE, Kind.NEXT_TREE)
    # In a binary tree these are free places for children, in the order of their parents. In an
    # N-ary tree these are open groups of children: a null ends the root's group, then one group
    # after the other.
    open_places = 1
    for item in value:
        if binary and not open_places:
            return False
        open_places += -1 if item is None else 1
        if not binary and open_places < 1:
            return False
    return binary or not value[1:] or value[1] is None


def _is_levels(value: Value, expected: Type) -> bool:
    """Whether a value is the result form of a tree: the values of each level, then a null."""
    if not isinstance(value, list) or not all(
        item is None or valid(item, expected.of) for item in value
    ):
        return False
    return not value or (
        value[-1] is None and value[0] is not None and (None, None) not in itertools.pairwise(value)
    )


def _is_graph(value: Value) -> bool:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        return False
    if not all(type(label) is int and 1 <= label <= len(value) for row in value for label in row):
        return False
    reached = {1} if value else set()
    waiting = list(reached)
    while waiting:
        new = set(value[waiting.pop() - 1]) - reached
        reached |= new
        waiting.extend(new)
    return len(reached) == len(value)


def random_value(type_: Type, rng: random.Random, size: int = 8) -> Value:
    """Return a random JSON value of a type; the extremes of its range are likely.

    Args:
        type_: The type.
        rng: The source of randomness; the same state gives the same value.
        size: The maximum number of elements of a list, characters of a text, or nodes of a list,
            tree or graph; 0 gives the smallest value.
    """
    match type_.kind:
        case Kind.INT | Kind.LONG:
            top = LARGEST_INT if type_.kind == Kind.INT else LARGEST_LONG
            return rng.choice([0, rng.randint(-9, 9), rng.randint(-top - 1, top), -top - 1, top])
        case Kind.FLOAT:
            # Extremes, a subnormal, and values without an exact decimal notation.
            notable = (0.0, -0.5, 0.1, 1 / 3, 100000.0, 1e21, -1.7976931348623157e308, 5e-324)
            return rng.choice(
                [rng.choice(notable), rng.uniform(-1000, 1000), float(rng.randint(-9, 9))]
            )
        case Kind.BOOL:
            return rng.random() < 0.5
        case Kind.CHAR:
            return rng.choice(ASCII)
        case Kind.STRING:
            # Characters that JSON libraries escape in different ways.
            awkward = '"\\/\b\f\n\r\t\x01\x7f\u00e9\u20ac\u2028\U0001f600'
            letters = "abcxyzABC0189"
            alphabet = rng.choice([letters, ASCII, letters + awkward])
            return "".join(rng.choices(alphabet, k=rng.randint(0, size)))
        case Kind.LIST | Kind.LINKED_LIST | Kind.CYCLIC_LIST | Kind.JOINED_LIST:
            return [random_value(type_.of, rng, size // 2) for _ in range(rng.randint(0, size))]
        case Kind.OPTIONAL:
            return random_value(type_.of, rng, size) if rng.random() < 0.7 else None
        case Kind.TREE | Kind.NEXT_TREE:
            return _random_tree(type_, rng, size)
        case Kind.RANDOM_LIST:
            count = rng.randint(0, size)
            links = [None, *range(count)]
            return [[random_value(type_.of, rng, size), rng.choice(links)] for _ in range(count)]
        case Kind.NODE:
            return random_value(type_.of.of, rng, size)
        case Kind.NARY_TREE:
            return _random_nary_tree(type_, rng, size)
        case Kind.GRAPH:
            return _random_graph(rng, size)
        case Kind.VOID:
            return None


def _random_tree(type_: Type, rng: random.Random, size: int) -> list[Value]:
    """Return a tree level by level; a null takes a place and has no places below it."""
    values, places, left = [], 1, rng.randint(0, size)
    while places and left:
        # A null in the last free place would be a trailing null.
        grows = rng.random() < 0.7 or places == 1
        values.append(random_value(type_.of, rng, size // 2) if grows else None)
        places += 1 if grows else -1
        left -= grows
    return values


def _random_nary_tree(type_: Type, rng: random.Random, size: int) -> list[Value]:
    left = rng.randint(0, size)
    values = [random_value(type_.of, rng, size // 2)] if left else []
    nodes, left = left and 1, left - 1
    while nodes and left > 0:
        # The last open group gets a child, or the null would be a trailing one.
        count = rng.randint(1 if nodes == 1 else 0, min(left, 3))
        values += [None, *(random_value(type_.of, rng, size // 2) for _ in range(count))]
        nodes, left = nodes - 1 + count, left - count
    return values


def _random_graph(rng: random.Random, size: int) -> list[list[int]]:
    """Return a connected undirected graph: an edge from each node to an earlier one, then more."""
    count = rng.randint(0, size)
    edges = {(rng.randint(1, node - 1), node) for node in range(2, count + 1)}
    for _ in range(count if count > 1 else 0):
        low, high = sorted(rng.sample(range(1, count + 1), 2))
        edges.add((low, high))
    both = sorted(edges | {(high, low) for low, high in edges})
    return [[end for start, end in both if start == node] for node in range(1, count + 1)]
