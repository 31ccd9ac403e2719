"""Guesses the bounds that the statement leaves out, from the known inputs.

`draw` respects them; `validate` does not check them. Each one lowers the confidence in the
specification.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

from venus_toolkit.builders.inputs.spec.checking.validate import Validator
from venus_toolkit.builders.inputs.spec.checking.values import Values
from venus_toolkit.builders.inputs.spec.drawing.bounds import last
from venus_toolkit.builders.inputs.spec.drawing.plan import Plan
from venus_toolkit.builders.inputs.spec.drawing.words import LETTERS
from venus_toolkit.builders.inputs.spec.expressions import Range, infinite, interval, names_in
from venus_toolkit.builders.inputs.spec.layout import (
    Item,
    Layout,
    Line,
    Loop,
    Many,
    Node,
    Relation,
    Scalar,
    Tuple,
    counts,
    own_nodes,
    scalars,
)
from venus_toolkit.builders.inputs.spec.names import Names
from venus_toolkit.builders.inputs.spec.promises import Compare, Letters, Reading
from venus_toolkit.builders.inputs.spec.specification import Spec
from venus_toolkit.builders.inputs.statements import Statement

LONGEST_STORY = 20_000  # characters to search for numbered objects
# ``The nodes are numbered from 1 to N.``
NUMBERED = re.compile(
    r"\b(?:numbered|indexed|labell?ed)(?: with| by)?(?: the)?(?: integers| numbers)?(?: from)? (?P<low>[01]) "
    r"(?:to|through|up to) (?P<high>[A-Za-z]\w?(?: ?- ?1)?)(?![\w^])"
)


class BoundGuess(NamedTuple):
    """A reading of the witness ``guess``, and the factor by which it lowers the confidence."""

    reading: Reading
    factor: float


def guesses(
    spec: Spec, names: Names, statement: Statement, inputs: Sequence[str]
) -> Iterator[BoundGuess]:
    """Yield guessed bounds for the values that a specification does not bound.

    Args:
        spec: The specification that was read from the statement.
        names: The names of its layout.
        statement: If it numbers objects, values may be such numbers.
        inputs: Inputs that are known to be allowed.

    Raises:
        SpecError: The promises contradict each other.
    """
    yield from _BoundGuesser(spec, names, inputs).all(statement)


def rectangular(layout: Layout, inputs: Sequence[str]) -> bool:
    """Return whether all rows of each list of lists in the inputs have the same length."""
    lines = [line for text in inputs for line in text.splitlines() if line.strip()]
    values = map(json.loads, lines if layout.style == "json" else ())
    return all(
        len({len(row) for row in value if isinstance(row, list)}) <= 1
        for value in values
        if isinstance(value, list)
    )


class _BoundGuesser:
    def __init__(self, spec: Spec, names: Names, inputs: Sequence[str]) -> None:
        self.spec, self.layout, self.names, self.inputs = spec, spec.layout, names, inputs
        self.plan = Plan(spec)
        self.validator = Validator(spec, ())
        self.observed = _ObservedValues()
        for text in inputs:
            self.observed.add(self.layout, self.validator.parse(text))

    def all(self, statement: Statement) -> Iterator[BoundGuess]:
        for relation in self._equal_lengths():
            yield self._guess([relation], 1.0, f"{relation.left} is {relation.right} in all inputs")
        yield from self._object_numbers(statement)
        for relation in list(self._implied_bounds()):
            yield self._guess([relation], 1.0, "implied by a sum or a product")
        yield from self._observed_letters()
        bounded = self.plan.bounds.open_range
        named = [name for node in scalars(self.layout.body) if (name := self._bound_name(node))]
        hidden = {count for count in counts(self.layout.body) if count.isidentifier()}
        hidden -= {node.name for node in scalars(self.layout.body)}
        for name in [*named, *sorted(hidden)]:
            yield from self._bound(name, bounded(name))

    def _guess(self, relations: Sequence[Relation], factor: float, reason: str) -> BoundGuess:
        reading = Reading(reason, tuple(map(self._promise, relations)), "guess")
        self.spec = replace(self.spec, readings=(*self.spec.readings, reading))
        # `Plan` also draws the values, so bounds mean the same when guessing and when drawing.
        self.plan = Plan(self.spec)
        return BoundGuess(reading, factor)

    def _promise(self, relation: Relation) -> Compare:
        left, right = (_to_terms(side, self.names) for side in (relation.left, relation.right))
        return Compare(left, relation.operator, right)

    def _kept_by_all(self, relations: Sequence[Relation], named: str = "") -> list[Relation]:
        """Return the relations that hold in all inputs; none if an input has no `named` value."""
        remaining = list(relations)
        for text in self.inputs if remaining else ():
            values = self.validator.parse(text)
            if named and named not in _ObservedValues().add(self.layout, values).ranges:
                return []
            remaining = [
                r for r in remaining if not self.validator.breaks(values, self._promise(r))
            ]
        return remaining

    # -------------------------------------------------------------- lengths and numbered objects

    def _equal_lengths(self) -> list[Relation]:
        """Return ``len_s == n`` for texts without a bound that have this length in all inputs."""
        placed = list(_nodes_with_rows(self.layout.body)) if self.layout.style == "lines" else []
        numbers = [
            (node.name, rows)
            for node, rows in placed
            if isinstance(node, Scalar) and node.kind == "int" and node.name != self.layout.cases
        ]
        bounded = {
            name for r in self.plan.relations for name in names_in(r.left) | names_in(r.right)
        }
        candidates: list[Relation] = []
        for node, rows in placed:
            for text in scalars([Line((node,))]):
                length = f"len_{text.name}"
                # An input may have none of these texts.
                if text.kind == "text" and length in self.observed.ranges.keys() - bounded:
                    # The length may be a number in the text's row or in an enclosing one.
                    around = [name for name, its in numbers if its == rows[: len(its)]]
                    candidates += [Relation(length, "==", number) for number in around]
        relations = self._kept_by_all(candidates)
        return list({relation.left: relation for relation in reversed(relations)}.values())[::-1]

    def _object_numbers(self, statement: Statement) -> Iterator[BoundGuess]:
        """Yield bounds of values that are numbers of the statement's numbered objects."""
        lines = self.layout.style == "lines"
        numbered = NUMBERED.search(statement.text[:LONGEST_STORY]) if lines else None
        single = {
            node.name
            for item in self.layout.body
            if isinstance(item, Line)
            for node in item.nodes
            if isinstance(node, Scalar)
        }
        if numbered is None or re.split(r"\W", numbered["high"])[0] not in single:
            return
        bounded = self.plan.bounds.open_range
        for node in scalars(self.layout.body):
            name = node.name
            if node.kind != "int" or name in single or not any(map(infinite, bounded(name))):
                continue
            low, high = numbered["low"], numbered["high"]
            between = [Relation(low, "<=", name), Relation(name, "<=", high)]
            if self.inputs and self._kept_by_all(between, name) == between:
                yield self._guess(
                    between,
                    0.85,
                    f"{name} is assumed to be an object number from {low} to {high}",
                )

    # -------------------------------------------------------------- bounds

    def _implied_bounds(self) -> Iterator[Relation]:
        """Yield upper bounds that a bounded sum (terms ≥ 0) or product (factors ≥ 1) implies."""
        bounded = self.plan.bounds.open_range
        for node in scalars(self.layout.body):
            name = f"len_{node.name}" if node.kind == "text" else node.name
            low, high = bounded(name)
            if high != float("inf") or (low < 0 and node.kind != "text"):
                continue
            if name in self.plan.sums:
                yield Relation(name, "<=", self.plan.sums[name][1])
                continue
            limits = (_largest_factor(name, relation, bounded) for relation in self.plan.relations)
            if limit := next(filter(None, limits), 0):
                yield Relation(name, "<=", str(limit))

    def _observed_letters(self) -> Iterator[BoundGuess]:
        for node in scalars(self.layout.body):
            if node.kind == "text" and node.name not in {
                *self.plan.alphabets,
                *self.plan.choices,
            }:
                letters = "".join(sorted(self.observed.letters.get(node.name, ())))
                promise = Letters(_to_terms(node.name, self.names), letters or LETTERS)
                reason = f"the letters of {node.name} are those in the known inputs"
                yield BoundGuess(Reading(reason, (promise,), "guess"), 0.85)

    def _bound_name(self, node: Scalar) -> str:
        """Return the name of the number that may lack a bound, or ""."""
        other = node.name in self.plan.choices or "permutation" in self.plan.traits.get(
            node.name, {}
        )
        name = f"len_{node.name}" if node.kind == "text" else node.name
        return "" if other or node.kind == "bool" else name

    def _bound(self, name: str, span: Range) -> Iterator[BoundGuess]:
        low, high = span
        if not infinite(low) and not infinite(high):
            return
        observed = self.observed.ranges.get(name, Range(1, 10))
        if name in counts(self.layout.body) and not infinite(high) and observed.low > 0:
            reason = f"the statement has no lower bound for {name}: 1 is assumed"
            yield self._guess([Relation("1", "<=", name)], 0.9, reason)
            return
        limits = f"{observed.low} to {observed.high}"
        source = "is in the known inputs" if name in self.observed.ranges else "is assumed"
        reason = f"the statement does not bound {name}: {limits} {source}"
        most = max(int(observed.high), 0 if infinite(low) else int(low))
        ends = [Relation(str(int(observed.low)), "<=", name)] if infinite(low) else []
        ends += [Relation(name, "<=", str(most))] if infinite(high) else []
        yield self._guess(ends, 0.8, reason)


@dataclass(slots=True)
class _ObservedValues:
    """The ranges of values and of lengths of texts in the inputs, and the letters of texts."""

    ranges: dict[str, Range] = field(default_factory=dict)
    letters: dict[str, set[str]] = field(default_factory=dict)

    def add(self, layout: Layout, values: Values) -> _ObservedValues:
        """Add the values of an input."""
        for node, rows in _nodes_with_rows(layout.body):
            in_case = any(isinstance(row, Loop) and row.count == layout.cases for row in rows)
            loops = sum(isinstance(row, Loop) for row in rows) - in_case
            for scope in values.cases if in_case else (values.whole,):
                # Where a line may have several forms, an input need not contain all of them.
                if not isinstance(node, Tuple) and node.name in scope:
                    column = [scope[node.name]]
                    for _ in range(loops):
                        column = list(chain.from_iterable(column))
                    self._add(node, column)
        return self

    def _add(self, node: Node, column: Sequence[Any]) -> None:
        if isinstance(node, Many):
            self._widen(node.count, list(map(len, column)))
            self._add(node.item, list(chain.from_iterable(column)))
        elif isinstance(node, Tuple):
            for item, values in zip(node.items, zip(*column, strict=True), strict=False):
                self._add(item, values)
        elif node.kind == "text":
            self._widen(f"len_{node.name}", list(map(len, column)))
            self.letters.setdefault(node.name, set()).update(*column)
        elif node.kind != "bool":
            self._widen(node.name, column)

    def _widen(self, name: str, values: Sequence[float]) -> None:
        if values:
            low, high = self.ranges.get(name, (values[0], values[0]))
            self.ranges[name] = Range(min(low, *values), max(high, *values))


def _nodes_with_rows(
    items: Sequence[Item], rows: tuple[Item, ...] = ()
) -> Iterator[tuple[Node, tuple[Item, ...]]]:
    """Yield the nodes of lines, each with its enclosing loops and, in a choice, its form."""
    for item in items:
        if isinstance(item, Loop):
            yield from _nodes_with_rows(item.body, (*rows, item))
        elif isinstance(item, Line):
            yield from ((node, rows) for node in own_nodes(item))
        else:
            yield from ((node, (*rows, Line(form))) for _, form in item.kinds for node in form)


def _largest_factor(name: str, relation: Relation, bounded: Callable[[str], Range]) -> int:
    """Return the largest value of a name in a bounded product or sum; 0 if it has no largest one.

    The other names take their smallest values.
    """
    left, sign, right = relation
    if sign not in ("<", "<=") or left == name or name not in names_in(left) - names_in(right):
        return 0
    most = interval(right, bounded).high

    def holds(value: int) -> bool:
        fixed = Range(value, value)
        low = interval(left, lambda other: fixed if other == name else bounded(other)).low
        return low <= most

    return last(1, 10**18, holds) if not infinite(most) and holds(1) and not holds(10**18) else 0


def _to_terms(expression: str, names: Names) -> str:
    """Rewrite an expression from a layout's own names to terms such as ``A[i]``, ``len(S)``."""
    return re.sub(r"[A-Za-z_]\w*", lambda name: _term(name[0], names), expression)


def _term(name: str, names: Names) -> str:
    if name in ("min", "max"):
        return name
    inner = name.removeprefix("len_")
    if names.style == "lines":
        if name != inner and name not in names.places and inner in names.places:
            return f"len({names.whole(inner)})"
        return names.whole(name) if name in names.places else name
    base, *places = re.split(r"_at(?=_|$)", inner)
    indices = iter(names.indices)
    term = base + "".join(f"[{place[1:] or next(indices)}]" for place in places)
    if name == inner:
        return term
    return f"len({term})"
