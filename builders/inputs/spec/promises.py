"""The promises that a specification makes about the values of an input.

Terms are spelt as Python: ``A[i]`` for ``A_i``, ``len(S)`` for ``|S|`` and ``length of S``,
``edges[i][0]`` for the ``a_i`` of ``edges[i] = [a_i, b_i]``. Indices start as in the statement: at
1 in inputs of lines, at 0 in JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two terms, for every value of a free index that meets the conditions."""

    left: str
    operator: str
    right: str
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Letters:
    """A text consists of these letters."""

    term: str
    letters: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value is one of these."""

    term: str
    values: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Distinct:
    """No two rows of the terms (one per index) are equal; `unordered` rows count as multisets."""

    terms: tuple[str, ...]
    unordered: bool = False


@dataclass(frozen=True, slots=True)
class Sorted:
    """The values of a list are in order."""

    term: str
    descending: bool = False
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Permutation:
    """A list holds every number from low to high once."""

    term: str
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Graph:
    """Rows of two values are the edges of a graph with these properties.

    kinds: tree, connected, simple, loopless, no multi-edges, distinct, acyclic, bipartite. simple,
    no multi-edges and acyclic respect the direction of edges if the specification is directed.
    """

    kinds: tuple[str, ...]
    term: str = ""


@dataclass(frozen=True, slots=True)
class TotalBound:
    """The sum of a term over all test cases is at most the term `most`."""

    term: str
    most: str


@dataclass(frozen=True, slots=True)
class Is:
    """A value or a list has a named property; `validate.PROPERTIES` lists the names.

    Arguments by name: ``power`` the base; ``in``, ``permutation of`` (``same multiset``), ``same
    sum`` and ``index of`` the other list; ``some`` a term and the sign that compares with it;
    ``some multiple`` the divisor; ``half`` the remainder; ``heap`` ``max`` or ``min``, or nothing
    if either is allowed; ``letters`` the letters and a count, ``>= 2``; ``letters in total`` the
    other texts before the letters; ``all different``, ``distinct together`` and ``not all equal``
    the other terms (``not all equal`` compares the second half with the first).
    """

    term: str
    what: str
    arguments: tuple[str, ...] = ()


Promise = Compare | Letters | OneOf | Distinct | Sorted | Permutation | Graph | TotalBound | Is


class Reading(NamedTuple):
    """The promises from one sentence or other source.

    witness: ``statement`` (`validate` checks the promises and `draw` keeps them), ``suspected``
    (they hold in all samples, or accepted programs need them: `draw` keeps them unless told to
    break them, `validate` checks them on request), or ``guess`` (an assumed bound: only `draw`
    keeps it). sentence: the words of the statement, or the evidence for the other witnesses.
    """

    sentence: str
    promises: tuple[Promise, ...]
    witness: str = "statement"
