"""Bounds that the statement does not give, taken from what the known inputs show.

`draw` keeps them and `validate` does not check them. Each lowers the confidence of what is derived.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from venus_toolkit.builders.inputs.spec.drawing.bounds import last
from venus_toolkit.builders.inputs.spec.drawing.plan import Plan
from venus_toolkit.builders.inputs.spec.drawing.synthesis import LETTERS
from venus_toolkit.builders.inputs.spec.expressions import Range, infinite, interval, names_in
from venus_toolkit.builders.inputs.spec.layout import (
    Layout,
    Line,
    Relation,
    Scalar,
    Seen,
    Unfit,
    counts,
    read_input,
    scalars,
)
from venus_toolkit.builders.inputs.spec.names import Names
from venus_toolkit.builders.inputs.spec.promises import Compare, Letters, Reading
from venus_toolkit.builders.inputs.spec.specification import Spec
from venus_toolkit.builders.inputs.statements import Statement

LONGEST_STORY = 20_000  # characters that are searched for what is numbered
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
    """Yield what values are taken to be where a specification leaves them without a bound.

    Args:
        spec: What the statement says.
        names: The names of its layout.
        statement: It may say of what things the values are numbers.
        inputs: Inputs that are known to be allowed.

    Raises:
        SpecError: The promises contradict each other.
    """
    yield from _BoundGuesser(spec, names, inputs).all(statement)


def rectangular(layout: Layout, inputs: Sequence[str]) -> bool:
    """Return whether the rows of every list of lists in the inputs have one length."""
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
        self.seen = _evidence(spec.layout, inputs)

    def all(self, statement: Statement) -> Iterator[BoundGuess]:
        for relation in self._lengths():
            yield self._guess([relation], 1.0, f"{relation.left} is {relation.right} in all inputs")
        yield from self._numbered(statement)
        for relation in list(self._implied()):
            yield self._guess([relation], 1.0, "what a sum or a product allows")
        yield from self._letters()
        bounded = self.plan.bounds.open_range
        named = [name for node in scalars(self.layout.body) if (name := self._unbounded(node))]
        hidden = {count for count in counts(self.layout.body) if count.isidentifier()}
        hidden -= {node.name for node in scalars(self.layout.body)}
        for name in [*named, *sorted(hidden)]:
            yield from self._bound(name, bounded(name))

    def _guess(self, relations: Sequence[Relation], factor: float, why: str) -> BoundGuess:
        promises = [
            Compare(_spelt(left, self.names), operator, _spelt(right, self.names))
            for left, operator, right in relations
        ]
        reading = Reading(why, tuple(promises), "guess")
        self.spec = replace(self.spec, readings=(*self.spec.readings, reading))
        # Asked of the code that will draw the values, so that both mean the same by a bound.
        self.plan = Plan(self.spec)
        return BoundGuess(reading, factor)

    # -------------------------------------------------------------- lengths and numbers of things

    def _lengths(self) -> list[Relation]:
        """Return ``len_s == n`` for texts that have that length in all inputs and no bound of their own."""
        nodes = list(scalars(self.layout.body))
        numbers = [node.name for node in nodes if node.kind == "int"]
        unbound = [
            f"len_{node.name}"
            for node in nodes
            if node.kind == "text"
            and not any(
                f"len_{node.name}" in names_in(r.left) | names_in(r.right)
                for r in self.plan.relations
            )
        ]
        candidates = [
            Relation(length, "==", number)
            for length in unbound
            for number in numbers
            if number != self.layout.cases
        ]
        # An input may have none of the values that a relation is about: only what was checked holds.
        checked, broken = set[Relation](), set[Relation]()
        for text in self.inputs if candidates and self.layout.style == "lines" else ():
            try:
                seen = read_input(self.layout, text, candidates)
            except Unfit:
                continue
            checked |= seen.checked
            broken |= seen.broken
        by_length = {
            relation.left: relation
            for relation in reversed(candidates)
            if relation in checked - broken
        }
        return [by_length[length] for length in unbound if length in by_length]

    def _numbered(self, statement: Statement) -> Iterator[BoundGuess]:
        """Yield bounds of lists whose values are all numbers of what the statement numbers."""
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
            seen = [read_input(self.layout, text, between) for text in self.inputs]
            if seen and all(set(between) <= one.checked and not one.broken for one in seen):
                yield self._guess(
                    between, 0.85, f"{name} is taken for a number from {low} to {high}"
                )

    # -------------------------------------------------------------- bounds

    def _implied(self) -> Iterator[Relation]:
        """Yield the upper bounds that sums and products imply.

        Of values that are not negative, of factors from 1 on.
        """
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

    def _letters(self) -> Iterator[BoundGuess]:
        for node in scalars(self.layout.body):
            if node.kind == "text" and node.name not in {
                *self.plan.alphabets,
                *self.plan.choices,
            }:
                letters = "".join(sorted(set("".join(self.seen.texts.get(node.name, ())))))
                promise = Letters(_spelt(node.name, self.names), letters or LETTERS)
                why = f"the letters of {node.name} are those seen"
                yield BoundGuess(Reading(why, (promise,), "guess"), 0.85)

    def _unbounded(self, node: Scalar) -> str:
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
        shown = self.seen.ranges.get(name, Range(1, 10))
        if name in counts(self.layout.body) and not infinite(high) and shown.low > 0:
            why = f"the statement has no lower bound for {name}: 1 is taken"
            yield self._guess([Relation("1", "<=", name)], 0.9, why)
            return
        why = f"the statement does not bound {name}: {shown.low} to {shown.high} were seen"
        most = max(int(shown.high), 0 if infinite(low) else int(low))
        ends = [Relation(str(int(shown.low)), "<=", name)] if infinite(low) else []
        ends += [Relation(name, "<=", str(most))] if infinite(high) else []
        yield self._guess(ends, 0.8, why)


def _evidence(layout: Layout, inputs: Sequence[str]) -> Seen:
    """Return the smallest and largest values that the inputs show, and the texts."""
    every = Seen()
    for text in inputs:
        seen = read_input(layout, text)
        for name, span in seen.ranges.items():
            old = every.ranges.get(name, span)
            every.ranges[name] = Range(min(old.low, span.low), max(old.high, span.high))
        for name, texts in seen.texts.items():
            every.texts.setdefault(name, []).extend(texts)
    return every


def _largest_factor(name: str, relation: Relation, bounded: Callable[[str], Range]) -> int:
    """Return the largest value of a name in a product or sum that is bounded, the others at their least; 0 for none."""
    left, sign, right = relation
    if sign not in ("<", "<=") or left == name or name not in names_in(left) - names_in(right):
        return 0
    most = interval(right, bounded).high

    def holds(value: int) -> bool:
        fixed = Range(value, value)
        low = interval(left, lambda other: fixed if other == name else bounded(other)).low
        return low <= most

    return last(1, 10**18, holds) if not infinite(most) and holds(1) and not holds(10**18) else 0


def _spelt(expression: str, names: Names) -> str:
    """Return an expression over a layout's own names in terms: ``A[i]``, ``len(S)``."""
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
