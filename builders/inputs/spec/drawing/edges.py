"""Draws edges of graphs: promised ones, and rows of two numbers that look like edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..expressions import names_in
from ..layout import Node
from .bounds import KnownNumbers
from .patterns import TREES, graph, tree
from .plan import Edges, name_of, whole
from .state import TRIES, DrawError, Drawing


def edges_of(
    state: Drawing,
    names: Sequence[str],
    promise: Edges,
    count: int,
    known: KnownNumbers,
    old: Sequence[Any],
) -> list[tuple[int, int]]:
    """Return `count` edges of a graph of the promised kinds.

    Raises:
        DrawError: Too few such edges are found.
    """
    draw, kinds, directed = state.random, promise.kinds, state.plan.spec.directed
    base = int(state.bounds.range(names[0], known).low)
    nodes = max(1, int(state.bounds.of(promise.nodes, known).low))
    # Every edge of a directed acyclic graph leads from an earlier node to a later one.
    forward = directed and bool(kinds & {"acyclic", "tree"})
    forest = "tree" in kinds or ("acyclic" in kinds and not directed)
    spanning = forest or "connected" in kinds
    once = bool(kinds & {"simple", "no multi-edges", "distinct"})
    loops = not kinds & {"simple", "loopless", "acyclic", "tree", "bipartite"}
    # Labels are mostly shuffled, or the root of a tree would always be first.
    labels = list(range(base, base + nodes))
    if draw.random() < 0.75 and not (promise.ordered and forward):
        draw.shuffle(labels)
    edges = list(tree(draw, nodes, draw.choice(TREES))) if spanning else []
    if forest and "tree" not in kinds:
        draw.shuffle(edges)
        edges = edges[:count]
    if not spanning and state.family == "replay" and not kinds & {"acyclic", "bipartite"}:
        edges = [(int(row[0]) - base, int(row[1]) - base) for row in old]
        edges = [(a, b) for a, b in edges if a != b and min(a, b) >= 0 and max(a, b) < nodes]
        edges = edges[:count]
        labels.sort()
    if len(edges) > count:
        raise DrawError(f"a connected graph of {count} edges")
    # The sides of a bipartite graph: by its spanning tree, or random.
    side = [draw.randrange(2) for _ in range(nodes if "bipartite" in kinds else 0)]
    side[:2] = [0, 1][: len(side)]
    for a, b in edges if side else ():
        side[b] = 1 - side[a]
    rule = state.bounds.row_limits(names[1], known, (names[0],))
    tests = rule.tests if rule else ()
    seen = {(a, b) if directed else (min(a, b), max(a, b)) for a, b in edges}

    def end(a: int, b: int) -> tuple[int, int]:
        one, other = labels[a], labels[b]
        return (min(one, other), max(one, other)) if promise.ordered else (one, other)

    def candidates() -> Iterator[tuple[int, int]]:
        more = graph(draw, nodes, count)
        yield from (next(more) for _ in range(TRIES * count))
        # Random edges rarely complete a dense graph of few nodes: try all pairs.
        pairs = [(a, b) for a in range(nodes) for b in range(nodes)] if nodes <= 2000 else []
        draw.shuffle(pairs)
        yield from pairs

    more = candidates() if len(edges) < count and not forest and nodes > 1 - loops else iter(())
    while len(edges) < count and (edge := next(more, None)):
        a, b = sorted(edge) if forward else edge
        if (a == b and not loops) or (side and side[a] == side[b]):
            continue
        pair = (a, b) if directed or a < b else (b, a)
        if once and pair in seen:
            continue
        if tests and not all(test(dict(zip(names, end(a, b), strict=False))) for test in tests):
            continue
        edges.append((a, b))
        seen.add(pair)
    if len(edges) < count:
        raise DrawError(f"{count} edges")
    draw.shuffle(edges)
    if promise.ordered or forward or (directed and once):
        return [end(a, b) for a, b in edges]
    return [end(a, b) if draw.random() < 0.5 else end(b, a) for a, b in edges]


def like_edges(state: Drawing, nodes: Sequence[Node], known: KnownNumbers, count: int) -> bool:
    """Whether to draw the first two columns as edges: half the time if they share a range."""
    if len(nodes) < 2 or not whole(nodes[0]) or not whole(nodes[1]):
        return False
    names = [name_of(node) for node in nodes[:2]]
    if any(state.traits(name) for name in names):
        return False
    ends = [
        {r[2] for r in state.bounds.relations.get(name, ()) if r[0] == name and names_in(r[2])}
        for name in names
    ]
    low, high = state.bounds.range(names[1], known)
    same = ends[0] & ends[1] or ends[0] == {names[1]}
    return bool(same) and high - low < 8 * count + 8 and state.random.random() < 0.5


def edge_like_columns(
    state: Drawing, names: Sequence[str], count: int, known: KnownNumbers
) -> list[list[int]]:
    """Return two columns that look like edges of a graph, if no graph is promised."""
    draw = state.random
    spans = [[int(end) for end in state.bounds.range(name, known)] for name in names[:2]]
    labels = list(range(min(span[0] for span in spans), max(span[1] for span in spans) + 1))
    if draw.random() < 0.75:
        draw.shuffle(labels)
    # Most graphs are simple, as many statements exclude loops and repeated edges.
    simple, seen = draw.random() < 0.7, set[tuple[int, int]]()
    more, edges = graph(draw, len(labels), count), list[tuple[int, int]]()
    for _ in range(4 * count):
        if len(edges) == count:
            break
        a, b = next(more)
        if not simple or (a != b and (min(a, b), max(a, b)) not in seen):
            seen.add((min(a, b), max(a, b)))
            edges.append((labels[a], labels[b]))
    edges += [(draw.choice(labels), draw.choice(labels)) for _ in range(count - len(edges))]
    ordered = any(
        r[0] == names[0] and r[2] == names[1] for r in state.bounds.relations.get(names[0], ())
    )
    edges = [(min(edge), max(edge)) for edge in edges] if ordered else edges
    return [
        [max(low, min(high, edge[side])) for edge in edges]
        for side, (low, high) in enumerate(spans)
    ]
