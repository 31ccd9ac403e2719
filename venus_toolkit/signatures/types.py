"""The model of a signature (types, functions, the class that they belong to) and the JSON values of its types.

Values travel as JSON: 64-bit integers as numbers without rounding, a character as a text of one, a
linked list as an array, a binary tree level by level with null for what is missing (after its last
value nothing), an N-ary tree level by level with null after each group of children, a graph as its
lists of neighbours by 1-based label, what is absent as null. Of a list with random pointers every
node is a pair, its value and the index that it points to; a tree with pointers to the next node on
the level goes in like any tree and comes out along these pointers, null after each level.

Some values are parts of others. A node of a tree or list that came before is its value; as a result
a node of a list is its index. A list with a cycle, and one that shares its end with the list before
it, take two lines: the values, then the index that the last node links to (-1: none), or the number
of nodes that are shared.
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
    """What a type is, apart from what it is made of."""

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
    RANDOM_LIST = "random_list"  # a list whose nodes point to any other node, too
    NEXT_TREE = "next_tree"  # a binary tree whose nodes point to the next one on their level, too
    NODE = "node"  # a node of an earlier tree or list, which is the element
    CYCLIC_LIST = "cyclic_list"  # a linked list, and on a line of its own where its end links to
    # a linked list, and on a line of its own how many nodes it shares with the one before
    JOINED_LIST = "joined_list"


SCALARS = (Kind.INT, Kind.LONG, Kind.FLOAT, Kind.BOOL, Kind.CHAR, Kind.STRING)
NODES = (Kind.LINKED_LIST, Kind.TREE, Kind.NARY_TREE, Kind.GRAPH, Kind.RANDOM_LIST, Kind.NEXT_TREE)
# what is on the second line of such a list
SECOND_LINES = {Kind.CYCLIC_LIST: "pos", Kind.JOINED_LIST: "shared"}
LARGEST_INT = 2**31 - 1
LARGEST_LONG = 2**63 - 1
ASCII = "".join(map(chr, range(32, 127)))


@dataclass(frozen=True, slots=True)
class Type:
    """A type: its kind, the type of its elements (lists, optional values, nodes), and the name of its node class."""

    kind: Kind
    element: Type | None = None
    node: str = ""

    def __str__(self) -> str:
        """Return the type as every language's reader knows it, such as ``list<list<int>>``."""
        return f"{self.kind}<{self.element}>" if self.element else str(self.kind)

    @property
    def declared(self) -> Type:
        """The type as code declares it.

        That a node is part of something, or a list has a cycle, no language says.
        """
        if self.kind in SECOND_LINES:
            return Type(Kind.LINKED_LIST, self.element, self.node)
        return self.of if self.kind == Kind.NODE else self

    @property
    def of(self) -> Type:
        """The type of the elements.

        Raises:
            ValueError: The type should have elements and does not name their type.
        """
        if self.element is None:
            raise ValueError(f"the type {self.kind} does not say what it is made of")
        return self.element


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method.

    `changed` is the index of the argument that is the result. Where the function returns a number
    as well, the result is that many of its first values.
    """

    name: str
    parameters: tuple[Parameter, ...]
    returns: Type
    changed: int | None = None


@dataclass(frozen=True, slots=True)
class Signature:
    """What a solution defines.

    A class with one method (`design` is false; `holder` is empty for a free function), or a class
    to design: then `constructor` holds the arguments of its constructor, and the input is two
    lines: the list of operations, of which the first is the name of the class, and the list of
    their lists of arguments; the output is the list of results, null for the constructor and for
    what returns nothing. `nodes` are node classes that solutions may use beside those of parameters
    and results: comments name them.
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
        """Return what each line of an input holds.

        Nothing for a class to design, whose two lines say it themselves.
        """
        lines = []
        for each in () if self.design else self.functions[0].parameters:
            lines.append(
                replace(each, type=each.type.declared) if each.type.kind in SECOND_LINES else each
            )
            if each.type.kind in SECOND_LINES:
                lines.append(Parameter(SECOND_LINES[each.type.kind], Type(Kind.INT)))
        return tuple(lines)


def valid(value: Value, wanted: Type) -> bool:
    """Return whether `value`, as `json.loads` gives it, is one of the type `wanted`.

    A character is ASCII, because C++ and Go hold it in a byte. An integer is a valid floating point
    number too. Trees have no null at the end; every node of a graph is reachable from the first.
    """
    match wanted.kind:
        case Kind.INT | Kind.LONG:
            top = LARGEST_INT if wanted.kind == Kind.INT else LARGEST_LONG
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
            return isinstance(value, list) and all(valid(item, wanted.of) for item in value)
        case Kind.RANDOM_LIST:
            # Pairs of a value and the index of a node, or null.
            return isinstance(value, list) and all(
                isinstance(node, list)
                and len(node) == 2
                and valid(node[0], wanted.of)
                and (node[1] is None or (type(node[1]) is int and 0 <= node[1] < len(value)))
                for node in value
            )
        case Kind.NODE:
            # As a result it may be absent, or the index in a list.
            return value is None or valid(value, Type(Kind.INT)) or valid(value, wanted.of.of)
        case Kind.OPTIONAL:
            return value is None or valid(value, wanted.of)
        case Kind.TREE | Kind.NARY_TREE:
            return _is_tree(value, wanted)
        case Kind.NEXT_TREE:
            return _is_tree(value, wanted) or _is_levels(value, wanted)
        case Kind.GRAPH:
            return _is_graph(value)
        case Kind.VOID:
            return value is None


def _is_tree(value: Value, wanted: Type) -> bool:
    if not value or not isinstance(value, list):
        return isinstance(value, list)
    if value[0] is None or value[-1] is None:
        return False
    if not all(valid(item, wanted.of) for item in value if item is not None):
        return False
    binary = wanted.kind in (Kind.TREE, Kind.NEXT_TREE)
    # A binary tree fills places for children in the order of their parents. In an N-ary tree a null
    # ends the root's group and then the children of one node after the other, so the place counted
    # is a group that is still open.
    places = 1
    for item in value:
        if binary and not places:
            return False
        places += -1 if item is None else 1
        if not binary and places < 1:
            return False
    return binary or not value[1:] or value[1] is None


def _is_levels(value: Value, wanted: Type) -> bool:
    """Whether it is what comes out: the values of each level with a null after it."""
    if not isinstance(value, list) or not all(
        item is None or valid(item, wanted.of) for item in value
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


def random_value(wanted: Type, rng: random.Random, size: int = 8) -> Value:
    """Return a random JSON value of the type `wanted`, with the extremes of its range among the likely ones.

    Args:
        wanted: The type.
        rng: The source of randomness; the same state gives the same value.
        size: The most elements that a list or text has, and the most nodes of a list, tree or
            graph; 0 gives the smallest value.
    """
    match wanted.kind:
        case Kind.INT | Kind.LONG:
            top = LARGEST_INT if wanted.kind == Kind.INT else LARGEST_LONG
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
            # Characters that JSON writers escape in different ways.
            awkward = '"\\/\b\f\n\r\t\x01\x7f\u00e9\u20ac\u2028\U0001f600'
            letters = "abcxyzABC0189"
            alphabet = rng.choice([letters, ASCII, letters + awkward])
            return "".join(rng.choices(alphabet, k=rng.randint(0, size)))
        case Kind.LIST | Kind.LINKED_LIST | Kind.CYCLIC_LIST | Kind.JOINED_LIST:
            return [random_value(wanted.of, rng, size // 2) for _ in range(rng.randint(0, size))]
        case Kind.OPTIONAL:
            return random_value(wanted.of, rng, size) if rng.random() < 0.7 else None
        case Kind.TREE | Kind.NEXT_TREE:
            return _random_tree(wanted, rng, size)
        case Kind.RANDOM_LIST:
            count = rng.randint(0, size)
            links = [None, *range(count)]
            return [[random_value(wanted.of, rng, size), rng.choice(links)] for _ in range(count)]
        case Kind.NODE:
            return random_value(wanted.of.of, rng, size)
        case Kind.NARY_TREE:
            return _random_nary_tree(wanted, rng, size)
        case Kind.GRAPH:
            return _random_graph(rng, size)
        case Kind.VOID:
            return None


def _random_tree(wanted: Type, rng: random.Random, size: int) -> list[Value]:
    """Level by level: a null takes a place and has none below it."""
    values, places, left = [], 1, rng.randint(0, size)
    while places and left:
        # A null in the only place left would end the tree with a null.
        grows = rng.random() < 0.7 or places == 1
        values.append(random_value(wanted.of, rng, size // 2) if grows else None)
        places += 1 if grows else -1
        left -= grows
    return values


def _random_nary_tree(wanted: Type, rng: random.Random, size: int) -> list[Value]:
    left = rng.randint(0, size)
    values = [random_value(wanted.of, rng, size // 2)] if left else []
    nodes, left = left and 1, left - 1
    while nodes and left > 0:
        # The last open group gets a child, or the tree would end with a null.
        count = rng.randint(1 if nodes == 1 else 0, min(left, 3))
        values += [None, *(random_value(wanted.of, rng, size // 2) for _ in range(count))]
        nodes, left = nodes - 1 + count, left - count
    return values


def _random_graph(rng: random.Random, size: int) -> list[list[int]]:
    """Connected and undirected: every node has an edge to one before it, then some more edges."""
    count = rng.randint(0, size)
    edges = {(rng.randint(1, node - 1), node) for node in range(2, count + 1)}
    for _ in range(count if count > 1 else 0):
        low, high = sorted(rng.sample(range(1, count + 1), 2))
        edges.add((low, high))
    both = sorted(edges | {(high, low) for low, high in edges})
    return [[other for one, other in both if one == node] for node in range(1, count + 1)]
