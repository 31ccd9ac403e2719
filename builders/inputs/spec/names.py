"""Where the values of a layout stand, by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .layout import Item, Layout, Loop, Node, Scalar, Tuple, own_nodes


class ValuePlace(NamedTuple):
    """Where a name's values stand.

    How many lists they are in, their kind, and whether in every test case anew.
    """

    depth: int
    kind: str
    in_case: bool = False
    counts: tuple[str, ...] = ()  # how many there are in each list, as the layout says it


@dataclass(frozen=True, slots=True)
class Names:
    """The values of a layout by name, and what else a statement calls them (as a term)."""

    places: Mapping[str, ValuePlace]
    style: str
    aliases: Mapping[str, str] = field(default_factory=dict)
    # the index of a list's first value, where it is said
    first: Mapping[str, int] = field(default_factory=dict)

    def base(self, term: str) -> int:
        """Return the index of the first value of the list that a term begins with."""
        return self.first.get(base_of(term), 1 if self.style == "lines" else 0)

    def place(self, term: str) -> ValuePlace | None:
        """Return where the values of a term stand.

        None where it begins with no name of the input.
        """
        return self.places.get(base_of(term))

    def find(self, base: str, subscripts: Sequence[str]) -> str | None:
        """Return the term for a written name with its subscripts.

        None where the input has no such value.
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
        numbers = [one for one in subscripts if one.isdigit()]
        if numbers and (whole := "_".join([base, *numbers])) in self.places:
            return whole + "".join(f"[{one}]" for one in subscripts if not one.isdigit())
        base = (
            base
            if base in self.places
            else next((n for n in self.places if n.lower() == base.lower()), base)
        )
        if base in self.places:
            place = self.places[base]
            # A letter of a text is a place too; a lone value with an index was named by its row.
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
        """The letters that are no values, and so stand for any place of a list."""
        return "".join(letter for letter in "ijkl" if letter not in self.places)

    def numbered(self, base: str) -> list[str]:
        """Return the names of lone values that are numbered: ``S_1`` and ``S_2`` for S."""
        return [
            name for name in self.places if re.fullmatch(rf"{re.escape(base)}_?\d+(_\d+)*", name)
        ]

    def whole(self, term: str) -> str:
        """Return a term with an index for every list that it leaves out: ``A`` is ``A[i]``."""
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
    """Return the name that a term begins with."""
    found = re.match(r"\w*", term)
    return found[0] if found else ""


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
    """Return the index of the last of `count` values: ``N`` for ``N - 1`` of them from 2 on."""
    whole = re.fullmatch(r"(.*?)\s*([-+])\s*(\d{1,9})", count)
    beside = (int(whole[2] + whole[3]) if whole else 0) + max(first, 1) - 1
    return (whole[1] if whole else count) + (
        f" {'-' if beside < 0 else '+'} {abs(beside)}" if beside else ""
    )
