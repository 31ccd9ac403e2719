"""The positions of a layout's values, by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .layout import Item, Layout, Loop, Node, Scalar, Tuple, own_nodes


class ValuePlace(NamedTuple):
    """The position of a name's values.

    Attributes:
        depth: The number of lists around a value.
        kind: The kind of the values, as in `Scalar`.
        in_case: Whether every test case has its own values.
        counts: The length of each list, as the layout spells it.
    """

    depth: int
    kind: str
    in_case: bool = False
    counts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Names:
    """The values of a layout by name.

    Attributes:
        places: The position of each name's values.
        style: The style of the layout, ``lines`` or ``json``.
        aliases: Terms, by the other names that the statement uses for them.
        first: The index of a list's first value, if the statement gives it.
    """

    places: Mapping[str, ValuePlace]
    style: str
    aliases: Mapping[str, str] = field(default_factory=dict)
    first: Mapping[str, int] = field(default_factory=dict)

    def base(self, term: str) -> int:
        """Return the index of the first value of the list at the start of a term."""
        return self.first.get(base_of(term), 1 if self.style == "lines" else 0)

    def place(self, term: str) -> ValuePlace | None:
        """Return the position of a term's values; None if the input lacks the name."""
        return self.places.get(base_of(term))

    def find(self, base: str, subscripts: Sequence[str]) -> str | None:
        """Return the term for a name and its subscripts in a statement.

        None if the input has no such value.
        """
        if not subscripts and base in self.places:
            return base
        joined = "_".join([base, *subscripts])
        for whole in (joined, "".join([base, *subscripts])):
            if subscripts and whole in self.places:
                return whole
        for spelt in (joined, "".join([base, *subscripts])):
            if spelt in self.aliases:
                return self.aliases[spelt]
        numbers = [subscript for subscript in subscripts if subscript.isdigit()]
        if numbers and (whole := "_".join([base, *numbers])) in self.places:
            return whole + "".join(f"[{s}]" for s in subscripts if not s.isdigit())
        base = (
            base
            if base in self.places
            else next((n for n in self.places if n.lower() == base.lower()), base)
        )
        if base in self.places:
            place = self.places[base]
            # An index may select a letter of a text; a single value drops the index of its row.
            depth = place.depth + (place.kind == "text")
            subscripts = (
                list(subscripts)[:depth]
                if place.depth == 0 and place.kind != "text"
                else subscripts
            )
            return (
                base + "".join(f"[{s}]" for s in subscripts) if len(subscripts) <= depth else None
            )
        return base + "".join(f"[{s}]" for s in subscripts) if self.numbered(base) else None

    @property
    def indices(self) -> str:
        """The letters that stand for an index because no value has them as its name."""
        return "".join(letter for letter in "ijkl" if letter not in self.places)

    def numbered(self, base: str) -> list[str]:
        """Return the names of numbered single values: ``S_1`` and ``S_2`` for S."""
        return [
            name for name in self.places if re.fullmatch(rf"{re.escape(base)}_?\d+(_\d+)*", name)
        ]

    def whole(self, term: str) -> str:
        """Return a term with the indices that it leaves out: ``A[i]`` for ``A``."""
        place = self.place(term)
        missing = place.depth - term.count("[") if place else 0
        return term + "".join(
            f"[{index}]" for index in self.indices[term.count("[") :][: max(0, missing)]
        )

    def kind(self, term: str) -> str:
        """Return the kind of the values of a term: int, text, … or ``letter``."""
        name = base_of(term)
        name = name if name in self.places else next(iter(self.numbered(name)), "")
        if not name:
            return ""
        kind = self.places[name].kind
        return "letter" if kind == "text" and term.count("[") > self.places[name].depth else kind


def base_of(term: str) -> str:
    """Return the name at the start of a term."""
    match = re.match(r"\w*", term)
    return match[0] if match else ""


def names_of(
    layout: Layout, aliases: Mapping[str, str] | None = None, first: Mapping[str, int] | None = None
) -> Names:
    """Return the values of a layout by name."""
    places: dict[str, ValuePlace] = {}

    def within(items: Sequence[Item], counts: tuple[str, ...], in_case: bool) -> None:
        for item in items:
            if isinstance(item, Loop):
                case = item.count == layout.cases
                within(item.body, counts if case else (*counts, item.count), in_case or case)
            else:
                for node in own_nodes(item):
                    _place(node, counts, in_case, places)

    within(layout.body, (), False)
    return Names(places, layout.style, aliases or {}, first or {})


def _place(
    node: Node,
    counts: tuple[str, ...],
    in_case: bool,
    places: dict[str, ValuePlace],
    name: str = "",
) -> None:
    if isinstance(node, Scalar):
        places[name or node.name] = ValuePlace(len(counts), node.kind, in_case, counts)
    elif isinstance(node, Tuple):
        places[name] = ValuePlace(
            len(counts) + 1, node.items[0].kind if node.items else "int", in_case, (*counts, "")
        )
    else:
        _place(node.item, (*counts, node.count), in_case, places, name or node.name)


def last_place(count: str, first: int) -> str:
    """Return the index of the last of `count` values: ``N`` for ``N - 1`` values from index 2."""
    match = re.fullmatch(r"(.*?)\s*([-+])\s*(\d{1,9})", count)
    offset = (int(match[2] + match[3]) if match else 0) + max(first, 1) - 1
    return (match[1] if match else count) + (
        f" {'-' if offset < 0 else '+'} {abs(offset)}" if offset else ""
    )
