"""What a specification promises of the values of an input.

Terms are spelt as Python, whatever the statement calls them: ``A[i]`` for ``A_i``, ``len(S)`` for
``|S|`` and ``length of S``, ``edges[i][0]`` for the ``a_i`` of ``edges[i] = [a_i, b_i]``. Indices
count from where the statement counts them: from 1 in inputs of lines, from 0 in JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Compare:
    """Two terms are compared; an index that is free in them stands for every place, where the conditions hold."""

    left: str
    operator: str
    right: str
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Letters:
    """A text has these letters only."""

    term: str
    letters: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value is one of these."""

    term: str
    values: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Distinct:
    """No two rows of terms with the same index are equal, in either order of their values if `unordered`."""

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
    """The values of a list are those from low to high, each once."""

    term: str
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Graph:
    """The rows of two values are edges of such a graph.

    kinds: tree, connected, simple, loopless, no multi-edges, distinct, acyclic, bipartite; where
    the edges of the specification have a direction, they have it in simple, no multi-edges and
    acyclic.
    """

    kinds: tuple[str, ...]
    term: str = ""


@dataclass(frozen=True, slots=True)
class TotalBound:
    """The sum of a term over all test cases is at most this."""

    term: str
    most: str


@dataclass(frozen=True, slots=True)
class Is:
    """A value, or a list, has a property that has a name; `validate.PROPERTIES` lists them.

    Arguments: of ``power`` the base; of ``in``, ``permutation of`` (``same multiset``), ``same
    sum`` and ``index of`` the other list; of ``some`` a term and the sign that compares with it; of
    ``some multiple`` the divisor; of ``half`` the rest; of ``heap`` ``max`` or ``min``, or nothing
    where either is allowed; of ``letters`` the letters and an amount, ``>= 2``; of ``letters in
    total`` the other texts before them; of ``all different``, ``distinct together`` and ``not all
    equal`` the other terms (of the last the second half is compared with the first).
    """

    term: str
    what: str
    arguments: tuple[str, ...] = ()


Promise = Compare | Letters | OneOf | Distinct | Sorted | Permutation | Graph | TotalBound | Is


class Reading(NamedTuple):
    """What one witness says of the inputs.

    witness: ``statement`` (a sentence; `validate` checks it and `draw` keeps it), ``suspected`` (it
    holds in all samples, or accepted programs need it: `draw` keeps it unless it is asked to break
    it, `validate` checks it on request), or ``guess`` (a bound that nobody stated: only `draw`
    keeps it). sentence: the words of the statement, or what the other witnesses show.
    """

    sentence: str
    promises: tuple[Promise, ...]
    witness: str = "statement"
