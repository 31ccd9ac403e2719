"""What the inputs say of a layout whose values may be numbers or words.

A layout from a format block, from a search or from a program knows where its values stand; which of them are numbers
shows in all samples and given tests together. A layout that one of them does not fit is no layout of the problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from venus_toolkit.builders.generation.expressions import names_in
from venus_toolkit.builders.generation.layout import Layout, Node, Scalar, Unfit, changed, counts, read_input


def settled(layout: Layout, inputs: list[str]) -> Layout:
    """Return a layout with the kinds that its values have in all inputs.

    The kind ``digits`` is left for the caller to decide: words like ``0110``, which are numbers or texts.
    An input that does not fit becomes the first of them: it is likely to rule out the next layout too.

    Raises:
        Unfit: An input is not laid out so.
    """
    kinds: dict[str, set[str]] = {}
    for at, text in enumerate(inputs):
        try:
            found = read_input(layout, text).kinds
        except Unfit:
            inputs.insert(0, inputs.pop(at))
            raise
        for name, seen in found.items():
            kinds.setdefault(name, set()).update(seen)
    sizes = {name for count in counts(layout.body) for name in names_in(count)}
    return with_kinds(layout, {name: "int" if name in sizes else _kind(found) for name, found in kinds.items()})


def _kind(found: set[str]) -> str:
    return next(kind for kind in ("text", "real", "digits", "int") if kind in found)


def with_kinds(layout: Layout, kinds: Mapping[str, str]) -> Layout:
    """Return a layout whose open values have the kinds named; those that no input shows are numbers."""

    def change(node: Node) -> Node:
        if isinstance(node, Scalar) and node.kind == "word":
            return replace(node, kind=kinds.get(node.name, "int"))
        return node

    return replace(layout, body=changed(layout.body, change))
