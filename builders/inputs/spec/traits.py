"""What promises mean for a generator.

Comparisons over the names of a shape, and what comparisons cannot say.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .expressions import names_in, parse
from .layout import Layout, Relation, scalars
from .names import Names, last_place
from .promises import (
    Compare,
    Distinct,
    Graph,
    Is,
    Letters,
    OneOf,
    Permutation,
    Promise,
    Sorted,
    TotalBound,
)

GRAPHS = {"no multi-edges": ("simple",), "simple": ("simple", "loopless")}


@dataclass(slots=True)
class Traits:
    """What a generator is told of its values beside relations."""

    alphabets: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[Any]] = field(default_factory=dict)
    traits: dict[str, list[str]] = field(default_factory=dict)
    totals: list[tuple[str, str]] = field(default_factory=list)
    graph: set[str] = field(default_factory=set)
    matrices: dict[str, dict[str, Any]] = field(default_factory=dict)
    sums: dict[str, list[str]] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)

    def mark(self, name: str, *traits: str) -> None:
        """Give `name` traits it does not have yet."""
        have = self.traits.setdefault(name, [])
        have += [trait for trait in traits if trait not in have]


def traits_of(promises: Sequence[Promise], names: Names, layout: Layout) -> Traits:
    """Return what promises mean for the generator of a layout.

    What it cannot be told, the validator refuses.
    """
    found = Traits()
    known = {node.name for node in scalars(layout.body)}
    flat = _Flat(names, known)
    for promise in promises:
        if isinstance(promise, Compare):
            compared = [each for one in _without_abs(promise) for each in flat.columns(one)]
            found.relations += [relation for one in compared for relation in flat.relations(one)]
            _matrix(promise, flat, found)
            _list_wide(promise, flat, found)
        elif isinstance(promise, TotalBound):
            of, most = flat.term(promise.term), flat.term(promise.most)
            found.totals += [(of, most)] if of and most else []
        elif isinstance(promise, Graph):
            found.graph |= {kind for one in promise.kinds for kind in GRAPHS.get(one, (one,))}
        elif isinstance(promise, Distinct) and len(promise.terms) > 1:
            found.graph |= {"simple" if promise.unordered else "distinct"}
        elif isinstance(promise, Is):
            if promise.what == "all different":
                every = [
                    name for term in (promise.term, *promise.arguments) if (name := flat.term(term))
                ]
                found.relations += [
                    Relation(a, "!=", b) for at, a in enumerate(every) for b in every[at + 1 :]
                ]
            elif promise.what == "prime" and (name := flat.value(promise.term)):
                found.mark(name, "prime")
        else:
            _mark(promise, flat, found)
    return found


ABS = re.compile(r"abs\((\w+(?:\[\w\])*)\)")


def _without_abs(promise: Compare) -> list[Compare]:
    """Return ``-c <= x`` and ``x <= c`` for ``abs(x) <= c``."""
    if not (inner := ABS.fullmatch(promise.left)) or promise.operator not in ("<", "<="):
        return [promise]
    low = replace(promise, left=f"-({promise.right})", right=inner[1])
    return [low, replace(promise, left=inner[1])]


def _matrix(promise: Compare, flat: _Flat, found: Traits) -> None:
    """Note ``A[i][j] == A[j][i]`` and ``A[i][i] == 0``."""
    mirrored = re.fullmatch(
        r"(\w+)\[(\w)\]\[(\w)\] == \1\[\3\]\[\2\]", f"{promise.left} == {promise.right}"
    )
    diagonal = re.fullmatch(
        r"(\w+)\[(\w)\]\[\2\] == (-?\d{1,18})", f"{promise.left} == {promise.right}"
    )
    name = flat.value(promise.left) if promise.operator == "==" and (mirrored or diagonal) else None
    if name and mirrored:
        found.matrices.setdefault(name, {})["symmetric"] = True
    elif name and diagonal:
        found.matrices.setdefault(name, {})["diagonal"] = int(diagonal[3])


PLACE = re.compile(r"i( [-+] \d{1,9})?")
BESIDE = re.compile(
    r"(\w+)\[i\] (!=|<=?|>=?) \1\[i ([-+]) 1\]|(\w+)\[i ([-+]) 1\] (!=|<=?|>=?) \4\[i\]"
)
ROW = re.compile(r"(\w+)\[([i-l])\]\[([i-l])\]")
MULTIPLE = re.compile(r"([1-9]\d{0,8}) \* ([A-Za-z]\w*)")
OPPOSITE = {"+": "-", "-": "+"}
LENGTH = re.compile(r"(len_\w+) ([-+]) (\d{1,9})")
SUM = re.compile(r"\(?sum\((?:(\w+)|len\((\w+)\[i\]\))\)\)?")


END = re.compile(r"(\w+)\[(?:([01])|[A-Za-z]\w*(?: - 1)?)\]")


def _list_wide(promise: Compare, flat: _Flat, found: Traits) -> None:
    """Note what is said of neighbours, ``A[i] < A[i + 1]``, of an end, ``A[1] == 0``, and of a sum, ``sum(A) <= K``."""
    if beside := BESIDE.fullmatch(f"{promise.left} {promise.operator} {promise.right}"):
        name, sign = flat.value(beside[1] or beside[4]), beside[2] or beside[6]
        rising = ("<" in sign) == ((beside[3] or OPPOSITE[beside[5]]) == "+")
        if name and sign == "!=":
            found.mark(name, "neighbours differ")
        elif name and len(promise.conditions) < 2:
            found.mark(
                name,
                "ascending" if rising else "descending",
                *([] if "=" in sign else ["distinct"]),
            )
    for side, value in ((promise.left, promise.right), (promise.right, promise.left)):
        end = (
            END.fullmatch(side)
            if promise.operator == "==" and re.fullmatch(r"-?\d{1,18}", value)
            else None
        )
        if end and not end[0].endswith(("[i]", "[j]")) and (name := flat.value(f"{end[1]}[i]")):
            found.mark(name, f"{'first' if end[2] else 'last'} is {value}")
    mirrored = {"==": "==", ">=": "<=", ">": "<"}.get(promise.operator)
    sides = [
        (promise.left, promise.operator, promise.right),
        (promise.right, mirrored, promise.left),
    ]
    for summed, sign, limit in ((SUM.fullmatch(left), sign, right) for left, sign, right in sides):
        most = flat.term(limit) if summed and sign in ("==", "<=", "<") else None
        name = flat.value(f"{summed[1] or summed[2]}[i]") if summed and most else None
        if summed and most and name:
            name = name if summed[1] else f"len_{name}"
            found.sums.setdefault(
                name, ["==" if sign == "==" else "<=", f"{most} - 1" if sign == "<" else most]
            )


def _mark(
    promise: Letters | OneOf | Distinct | Sorted | Permutation, flat: _Flat, found: Traits
) -> None:
    term = promise.terms[0] if isinstance(promise, Distinct) else promise.term
    letter = flat.names.kind(term) == "letter"
    name = flat.value(term)
    if name is None:
        return
    if isinstance(promise, Letters):
        found.alphabets.setdefault(name, promise.letters)
    elif isinstance(promise, OneOf):
        if not letter:
            found.choices.setdefault(name, list(promise.values))
        elif re.search(r"\[[i-l]\]$", term):
            found.alphabets.setdefault(name, "".join(map(str, promise.values)))
    elif isinstance(promise, Distinct):
        found.mark(name, "distinct letters" if letter else "distinct")
    elif isinstance(promise, Sorted):
        found.mark(
            name,
            "descending" if promise.descending else "ascending",
            *(["distinct"] if promise.strict else []),
        )
    else:
        found.mark(name, "permutation")
        low, high = flat.term(promise.low), flat.term(promise.high)
        if low and high:
            found.relations += [Relation(low, "<=", name), Relation(name, "<=", high)]


class _Flat(ast.NodeTransformer):
    """Spells terms with the flat names of a shape.

    ``nums[i]`` is ``nums_at``, ``len(S[i])`` is ``len_S``.
    """

    def __init__(self, names: Names, known: set[str]) -> None:
        self.names, self.known = names, known

    def relations(self, promise: Compare) -> Iterator[Relation]:
        """Yield the relation that says the same; none where a shape has no words for it."""
        left, right = self.term(promise.left), self.term(promise.right)
        if left is None or right is None or left == right:
            return
        # What holds beside the diagonal of a matrix is drawn everywhere; the diagonal is set after
        # that.
        if promise.conditions and (
            promise.conditions != ("i != j",)
            or not re.search(r"\[i\]\[j\]|\[j\]\[i\]", promise.left + promise.right)
        ):
            return
        if re.search(r"\[(\w)\]\[\1\]", promise.left + promise.right):
            return
        if promise.operator in (">", ">="):
            left, right = right, left
        operator = promise.operator.replace(">", "<")
        yield _isolated(Relation(left, operator, right))
        # ``P < i``: what a place says of its value bounds all values by the first or the last
        # place.
        bases = set(re.findall(r"[A-Za-z_]\w*", f"{promise.left} {promise.right}")) & set(
            self.names.places
        )
        name = next((name for name in sorted(bases) if self.names.places[name].counts), None)
        if name and "i" not in self.names.places and operator in ("<", "<="):
            first = self.names.base(name)
            if PLACE.fullmatch(right):
                yield Relation(
                    left,
                    operator,
                    right.replace("i", last_place(self.names.places[name].counts[0], first)),
                )
            if PLACE.fullmatch(left):
                yield Relation(left.replace("i", str(first)), operator, right)

    def columns(self, promise: Compare) -> Iterator[Compare]:
        """Yield what is said of each column of rows that a shape knows by their columns.

        ``cost[i][j] <= 9``.
        """
        for base, first, second in ROW.findall(f"{promise.left} {promise.right}"):
            width = next((n for n in itertools.count() if f"{base}_at_{n}" not in self.known), 0)
            if width and not promise.conditions:
                for column in map(str, range(width)):
                    spelt, place = f"{base}[{first}][{second}]", f"{base}[{first}][{column}]"
                    yield replace(
                        promise,
                        left=promise.left.replace(spelt, place),
                        right=promise.right.replace(spelt, place),
                    )
                return
        yield promise

    def term(self, text: str) -> str | None:
        """Return a term in the words of a shape, or None."""
        try:
            flat = ast.unparse(self.visit(ast.parse(text, mode="eval").body))
            parse(flat)
        except (_NoWord, SyntaxError, ValueError):
            return None
        return flat

    def value(self, term: str) -> str | None:
        """Return the name of the single values that a term speaks of, or None."""
        base = re.match(r"\w+", term)
        if base is None or base[0] not in self.names.places:
            return None
        return self._name(base[0], re.findall(r"\[([^\[\]]*)\]", self.names.whole(term)))

    def _name(self, base: str, subscripts: Sequence[str]) -> str | None:
        if self.names.style == "lines":
            return base
        spelt = base
        for subscript in subscripts[: self.names.places[base].depth]:
            place = f"{spelt}_{subscript}"
            spelt = place if subscript.isdigit() and place in self.known else f"{spelt}_at"
        return spelt if spelt in self.known else None

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.names.places:
            return node
        name = self.value(node.id)
        if name is None:
            raise _NoWord
        return ast.Name(name, node.ctx)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        text = ast.unparse(node)
        name = self.value(text)
        # A shape speaks of all values of a list, never of one place, and of texts only as a whole.
        if name is None or self.names.kind(text) == "letter" or re.search(r"\[\w+ ", text):
            raise _NoWord
        if self.names.style == "lines" and re.search(r"\[(?![i-l]\])", text):
            raise _NoWord
        return ast.Name(name, node.ctx)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        if called == "len":
            text = ast.unparse(node.args[0])
            base = re.match(r"\w+", text)
            place = self.names.places.get(base[0]) if base else None
            if base is None or place is None or self.names.kind(text) == "letter":
                raise _NoWord
            subscripts = text.count("[")
            if place.kind == "text" and (
                subscripts == place.depth
                or (subscripts == 0 < place.depth and self.names.style == "lines")
            ):
                return ast.Name(f"len_{self.value(text)}", ast.Load())
            if self.names.style == "json":
                return ast.Name("len_" + base[0] + "_at" * subscripts, ast.Load())
            if subscripts < len(place.counts):
                return ast.parse(place.counts[subscripts], mode="eval").body
            raise _NoWord
        if called not in ("min", "max"):
            raise _NoWord
        return ast.Call(node.func, [self.visit(argument) for argument in node.args], [])


def _isolated(relation: Relation) -> Relation:
    """Return a relation with a name alone on its side.

    Of ``2 <= len_a + 1`` and ``2 * k <= n`` it knows no bound.

    >>> _isolated(Relation("2", "<=", "len_edges + 1"))
    Relation(left='2 - 1', operator='<=', right='len_edges')
    >>> _isolated(Relation("2 * k", "<=", "n"))
    Relation(left='k', operator='<=', right='n // 2')
    """
    left, operator, right = relation
    if (found := LENGTH.fullmatch(left)) and not names_in(right):
        left, right = found[1], f"{right} {OPPOSITE[found[2]]} {found[3]}"
    elif (found := LENGTH.fullmatch(right)) and not names_in(left):
        left, right = f"{left} {OPPOSITE[found[2]]} {found[3]}", found[1]
    elif (
        (found := MULTIPLE.fullmatch(left))
        and operator == "<="
        and right.isidentifier()
        and right != found[2]
    ):
        left, right = found[2], f"{right} // {found[1]}"
    elif (found := MULTIPLE.fullmatch(right)) and operator == "<" and not names_in(left):
        left, right = f"{left} // {found[1]}", found[2]
    return Relation(left, operator, right)


class _NoWord(Exception):
    """A term that a shape has no word for."""
