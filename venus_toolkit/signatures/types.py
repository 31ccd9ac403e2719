"""The model of a signature: types, functions, and the class that they belong to.

Values travel as JSON: 64-bit integers as numbers without rounding, a character as a text of one, a linked list as an
array, a binary tree level by level with null for what is missing (after its last value nothing), an N-ary tree level by
level with null after each group of children, a graph as its lists of neighbours by 1-based label, what is absent as
null.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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


@dataclass(frozen=True, slots=True)
class Type:
    """A type: its kind, the type of its elements (lists, optional values, nodes), and the name of its node class."""

    kind: Kind
    element: Type | None = None
    node: str = ""

    def __str__(self) -> str:
        """Return the type in words that every language's reader knows, such as ``list<list<int>>``."""
        return f"{self.kind}<{self.element}>" if self.element else str(self.kind)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method; `changed` is the index of the argument that is the result where nothing is returned."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: Type
    changed: int | None = None


@dataclass(frozen=True, slots=True)
class Signature:
    """What a solution defines.

    A class with one method (`design` is false; `holder` is empty for a free function), or a class to design: then
    `constructor` holds the arguments of its constructor, and the input is two lines: the list of operations, of which
    the first is the name of the class, and the list of their lists of arguments; the output is the list of results,
    null for the constructor and for what returns nothing.
    """

    functions: tuple[Function, ...]
    holder: str = "Solution"
    constructor: tuple[Parameter, ...] = ()
    design: bool = False
