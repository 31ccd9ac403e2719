"""The node classes that starter code defines, mostly in comments."""

from __future__ import annotations

import bisect
import re
from collections.abc import Mapping
from typing import NamedTuple

from venus_toolkit.signatures.grammar import SCALARS, Grammar
from venus_toolkit.signatures.spelling import read_type
from venus_toolkit.signatures.types import Kind, Type

LINKS: Mapping[frozenset[str], Kind] = {
    frozenset({"next"}): Kind.LINKED_LIST,
    frozenset({"left", "right"}): Kind.TREE,
    frozenset({"children"}): Kind.NARY_TREE,
    frozenset({"neighbors"}): Kind.GRAPH,
}
MORE_LINKS = {"child", "parent", "prev", "random", "bottomleft", "bottomright", "topleft", "topright"}
ALL_LINKS = MORE_LINKS.union(*LINKS)
INT = Type(Kind.INT)
USUAL = {
    "ListNode": Type(Kind.LINKED_LIST, INT, "ListNode"),
    "TreeNode": Type(Kind.TREE, INT, "TreeNode"),
}


class Nodes(NamedTuple):
    """The node classes that we support, by name, and the names of all, with those that have other links."""

    types: Mapping[str, Type]
    names: frozenset[str]


def find_nodes(raw: str, grammar: Grammar) -> Nodes:
    """Return the node classes that a text defines, in comments or not, and those that everybody knows."""
    text = _decoration(grammar.language.comment).sub("", raw)
    patterns = (grammar.find.holder, grammar.find.node)
    starts = sorted({match.start() for pattern in patterns for match in pattern.finditer(text)} | {len(text)})
    types, names = dict(USUAL), set(USUAL)
    for match in grammar.find.node.finditer(text):
        end = starts[bisect.bisect_right(starts, match.start())]
        fields = list(grammar.find.field.finditer(text, match.end(), end))
        links = frozenset(field["name"].lower() for field in fields) & ALL_LINKS
        name = match["name"].lstrip("_")
        if links:
            types.pop(name, None)
            names.add(name)
        if links in LINKS:
            types[name] = Type(LINKS[links], _value(fields, grammar), name)
    return Nodes(types, frozenset(names))


def _decoration(comment: str) -> re.Pattern[str]:
    """What makes a line a comment, so that what is defined in comments reads like code."""
    return re.compile(rf"^[ \t]*(?:(?:{re.escape(comment)}|/\*+|\*+/?)[ \t]*)+", re.MULTILINE)


def _value(fields: list[re.Match[str]], grammar: Grammar) -> Type:
    """The type of the value that a node holds; an integer where the language does not say."""
    for field in fields:
        if field["name"].lower() in ("val", "value") and "type" in field.re.groupindex:
            found = read_type(field["type"], grammar, {})
            return found if found and found.kind in SCALARS else INT
    return INT
