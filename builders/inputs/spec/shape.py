"""A layout with everything that was found about its values, as the plain values that `synthesis` makes inputs from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .expressions import interval, names_in
from .layout import (
    Choice,
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
    looking,
    own_nodes,
    scalars,
)
from .traits import Traits

OPERATORS = {"<=": 0, "<": 1}
BRANCHES = re.compile(r"\w+ ?- ?1")  # how many edges a tree has


def make_shape(
    layout: Layout,
    relations: Sequence[Relation],
    traits: Traits,
    rectangular: bool = True,
    constants: Sequence[int] = (),
    words: Sequence[str] = (),
    first: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Return the shape that inputs are made from.

    `rectangular`: rows of a list of lists have one length.

    `constants` are numbers near which values are drawn, `words` are put into texts that may have
    their letters. `first` has the index of a list's first value where that is not 1.
    """
    layout, traits = _rows_as_cases(layout, traits)
    pairs, more = _pairs(layout, relations, traits)
    every = [
        *relations,
        *more,
        *_enough_values(layout, relations, traits),
        *_enough_in_all(layout, relations, traits),
    ]
    sizes = sorted(_sizes(layout))
    return {
        "style": layout.style,
        "body": [_plain_item(item) for item in layout.body],
        "hidden": _hidden(layout.body, layout.style == "json", rectangular),
        "cases": layout.cases,
        "sizes": sizes,
        "outer": [layout.cases] if layout.cases else [],
        "scalars": _walked(layout, rectangular),
        "relations": [list(relation) for relation in dict.fromkeys(every)],
        "totals": list(_totals(layout, traits)),
        "traits": {name: found for name, found in traits.traits.items() if found},
        "pairs": pairs,
        "matrices": traits.matrices,
        "alphabets": traits.alphabets,
        "choices": traits.choices,
        "constants": list(constants),
        "words": list(words),
        "sums": traits.sums,
        "first": dict(first or {}),
    }


def _rows_as_cases(layout: Layout, traits: Traits) -> tuple[Layout, Traits]:
    """Rows whose lengths have a limit for all of them together are drawn as test cases are.

    Those have such limits.
    """
    for item in layout.body if layout.style == "lines" and not layout.cases else ():
        if not isinstance(item, Loop) or not item.count.isidentifier():
            continue
        own = [node for line in item.body if isinstance(line, Line) for node in line.nodes]
        used = set().union(*(names_in(node.count) for node in own if isinstance(node, Many)))
        lengths = {
            f"len_{node.name}" for node in own if isinstance(node, Scalar) and node.kind == "text"
        }
        lengths |= {node.name for node in own if isinstance(node, Scalar)} & used
        fixed = {
            name: limit
            for name, (sign, limit) in traits.sums.items()
            if sign == "<=" and not names_in(limit)
        }
        shared = {name: limit for name, limit in fixed.items() if name in lengths}
        if shared:
            rest = {name: found for name, found in traits.sums.items() if name not in shared}
            totals = [*traits.totals, *shared.items()]
            return replace(layout, cases=item.count), replace(traits, totals=totals, sums=rest)
    return layout, traits


# ------------------------------------------------------------------ plain values


def _plain_item(item: Item) -> dict[str, Any]:
    if isinstance(item, Loop):
        body = [_plain_item(inner) for inner in item.body]
        return {"count": item.count, "body": body, "hidden": _hidden(item.body, False, True)}
    if isinstance(item, Choice):
        return {
            "kinds": {kind: [_plain_node(node) for node in nodes] for kind, nodes in item.kinds}
        }
    return {"line": [_plain_node(node) for node in item.nodes]}


def _plain_node(node: Node) -> dict[str, Any]:
    if isinstance(node, Scalar):
        return {"kind": node.kind, "name": node.name}
    if isinstance(node, Tuple):
        return {"kind": "tuple", "items": [_plain_node(item) for item in node.items]}
    return {"kind": "list", "name": node.name, "count": node.count, "item": _plain_node(node.item)}


def _hidden(items: Sequence[Item], lists: bool, rectangular: bool) -> list[str]:
    """Return the lengths that are drawn with the numbers of a scope though no line shows them."""
    found = []
    for node in (node for item in items if isinstance(item, Line) for node in item.nodes):
        if isinstance(node, Scalar) and node.kind == "text":
            found.append(f"len_{node.name}")
        if lists and isinstance(node, Many):
            found.append(node.count)
            inner = node.item
            while rectangular and isinstance(inner, Many):
                found.append(inner.count)
                inner = inner.item
    return found


def _sizes(layout: Layout) -> set[str]:
    """Return the names that say how long something is."""
    lengths = {f"len_{node.name}" for node in scalars(layout.body) if node.kind == "text"}
    return lengths | {name for count in counts(layout.body) for name in names_in(count)}


def _walked(layout: Layout, rectangular: bool) -> list[str]:
    """Return the numbers that boundary tests put to their ends, one after the other."""
    lone = [node.name for node in _lone(layout.body) if node.kind == "int"]
    return [*_hidden(layout.body, layout.style == "json", rectangular), *lone]


def _lone(items: Sequence[Item]) -> Iterator[Scalar]:
    for item in items:
        if isinstance(item, Loop):
            # A repeat of one line is a list in lines: its values are many, and no boundary test is
            # about one of them.
            yield from _lone(item.body) if len(item.body) > 1 else ()
        elif isinstance(item, Line):
            yield from (node for node in item.nodes if isinstance(node, Scalar))


def _totals(layout: Layout, traits: Traits) -> Iterator[dict[str, Any]]:
    known = {node.name for node in scalars(layout.body)}
    for of, limit in traits.totals if layout.cases else ():
        most = interval(limit, looking({}))
        if most.low == most.high and {name.removeprefix("len_") for name in names_in(of)} <= known:
            yield {"of": of, "limit": int(most.high)}


# ------------------------------------------------------------------ rows that are pairs


def _rows_of(layout: Layout) -> Iterator[tuple[str, Sequence[Scalar]]]:
    """Yield the count and the first values of everything that is a list of rows."""

    def within(items: Sequence[Item]) -> Iterator[tuple[str, Sequence[Scalar]]]:
        for item in items:
            if isinstance(item, Loop):
                first = item.body[0]
                if len(item.body) == 1 and isinstance(first, Line) and item.count != layout.cases:
                    yield item.count, [node for node in first.nodes if isinstance(node, Scalar)]
                yield from within(item.body)
            else:
                many = (node for node in own_nodes(item) if isinstance(node, Many))
                yield from (
                    (node.count, node.item.items) for node in many if isinstance(node.item, Tuple)
                )

    yield from within(layout.body)


def _pairs(
    layout: Layout, relations: Sequence[Relation], traits: Traits
) -> tuple[dict[str, Any], list[Relation]]:
    pairs: dict[str, Any] = {}
    more: list[Relation] = []
    # The strictest first: a tree is simple, and a simple graph has no loops.
    kind = next((kind for kind in ("tree", "simple", "loopless") if kind in traits.graph), None)
    graphs = list[tuple[str, str, list[str]]]()
    for count, row in _rows_of(layout) if traits.graph else ():
        whole = [node.name for node in row[:2] if node.kind == "int"]
        nodes = _nodes(count, whole, relations, traits) if len(whole) == 2 else None
        if nodes and (kind or "connected" in traits.graph):
            graphs.append((count, nodes, whole))
        elif row and "distinct" in traits.graph:
            pairs[row[0].name] = {
                "kind": "distinct",
                "nodes": "0",
                "connected": False,
                "ordered": False,
            }
    # Beside a tree there may be other rows of two nodes, and after the edges of a graph come
    # queries.
    trees = [one for one in graphs if kind == "tree" and BRANCHES.fullmatch(one[0])]
    for count, nodes, whole in trees or graphs[:1]:
        connected = "connected" in traits.graph and kind != "tree"
        ordered = Relation(whole[0], "<", whole[1]) in relations
        pairs[whole[0]] = {
            "kind": kind or "simple",
            "nodes": nodes,
            "connected": connected,
            "ordered": ordered,
        }
        more += _possible(count, nodes, kind or "simple", connected)
    return pairs, more


def _nodes(
    count: str, ends: Sequence[str], relations: Sequence[Relation], traits: Traits
) -> str | None:
    """Return how many nodes a graph has, if both ends of its edges run over the same numbers."""
    if "tree" in traits.graph and re.fullmatch(r"\w+ ?- ?1|len_\w+", count):
        return f"{count} + 1"
    highs = [
        {
            (r.right, r.operator)
            for r in relations
            if r.left == end and r.operator in OPERATORS and r.right not in ends
        }
        for end in ends
    ]
    lows = [
        r.left for r in relations if r.right == ends[0] and r.operator == "<=" and r.left.isdigit()
    ]
    shared = highs[0] & highs[1] or (
        highs[1] if Relation(ends[0], "<", ends[1]) in relations else set()
    )
    if not shared or not lows:
        return None
    high, operator = sorted(shared)[0]
    # high - low + 1 nodes, and one less where the upper end is excluded.
    return f"{high} - {int(lows[0]) - 1 + OPERATORS[operator]}"


def _possible(count: str, nodes: str, kind: str, connected: bool) -> list[Relation]:
    """Return what the number of edges must be for such a graph to exist."""
    found = [Relation(count, "<=", f"({nodes}) * ({nodes} - 1) // 2")] if kind == "simple" else []
    return found + ([Relation(f"{nodes} - 1", "<=", count)] if connected else [])


def _enough_values(
    layout: Layout, relations: Sequence[Relation], traits: Traits
) -> Iterator[Relation]:
    """Different values need enough numbers to choose from."""
    for node in _lists(layout.body):
        name = node.item.name if isinstance(node.item, Scalar) else ""
        if "distinct" in traits.traits.get(name, ()) and names_in(node.count):
            highs = [r for r in relations if r.left == name and r.operator in OPERATORS]
            lows = [r for r in relations if r.right == name and r.operator in OPERATORS]
            if highs and lows:
                # high - low + 1 numbers, less one for each end that is excluded.
                spare = 1 - OPERATORS[highs[0].operator] - OPERATORS[lows[0].operator]
                yield Relation(node.count, "<=", f"({highs[0].right}) - ({lows[0].left}) + {spare}")


def _enough_in_all(
    layout: Layout, relations: Sequence[Relation], traits: Traits
) -> Iterator[Relation]:
    """A sum needs room for so many of the smallest value, and one that is reached needs enough of the largest."""
    for count, name in _counted(layout):
        operator, limit = traits.sums.get(name, ("", ""))
        for relation in relations if operator else ():
            if (
                relation.operator in OPERATORS
                and relation.right == name
                and relation.left.isdigit()
            ):
                yield Relation(f"({count}) * {relation.left}", "<=", limit)
            if relation.operator in OPERATORS and relation.left == name and operator == "==":
                yield Relation(limit, "<=", f"({count}) * ({relation.right})")


def _counted(layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield how many there are of each value of a list or of rows, with its name."""
    for node in _lists(layout.body):
        if isinstance(node.item, Scalar):
            yield node.count, node.item.name
    for count, row in _rows_of(layout):
        yield from ((count, node.name) for node in row)


def _lists(items: Sequence[Item]) -> Iterator[Many]:
    for item in items:
        if isinstance(item, Loop):
            yield from _lists(item.body)
        else:
            yield from (node for node in own_nodes(item) if isinstance(node, Many))
