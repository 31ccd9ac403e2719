"""Trees, lists with cycles, graphs and calls of a class, as nodes of a layout.

A `Structure` stands in a line of a layout of the style ``json`` and is built from flat nodes: a
tree from the list of its nodes' values, a node of it from one value, a class from its constructor's
arguments, the numbers of the called methods, and a list of arguments for each parameter of a
method. Promises are about flat values. To draw an input, draw one of ``unfold(layout)`` and `fold`
it; to check one, `flatten` it, which refuses other structures, and check the flat input.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, NamedTuple, TypeVar

Layout = TypeVar("Layout", bound=Any)  # stands for `layout.Layout`, as that module imports this one
# Levels of a tree; the stack of a recursive solution has room for 50,000 calls.
DEEPEST = 5_000
LEFT, RIGHT = 0, 1
ARRANGEMENTS = ("complete", "random", "left", "right", "zigzag", "bushy")


class StructureError(ValueError):
    """An input does not have the structure; the text says why."""


@dataclass(frozen=True, slots=True)
class Structure:
    """A value that is more than a number, a text or a list of them.

    Attributes:
        kind: One of `KINDS`, which lists the options of each.
        name: The name of the argument or of the class.
        options: The promises about the structure.
        nodes: The flat nodes: one, or those of the lines of a class.

    Raises:
        ValueError: The kind or one of its options does not exist.
    """

    kind: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    nodes: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        """Refuse kinds and options that this version does not know."""
        if self.kind not in KINDS:
            raise ValueError(f"kind {self.kind!r} is not one of {', '.join(KINDS)}")
        known = KINDS[self.kind].options
        for option, value in self.options.items():
            if type(value) is not known.get(option):
                expected = known[option].__name__ if option in known else ", ".join(known) or "none"
                raise ValueError(f"{self.name}.{option} = {value!r}: {expected} is expected")
        missing = {"of", "methods"} & set(known) - set(self.options)
        if missing:
            raise ValueError(f"{self.name}: {', '.join(missing)} is missing")
        if self.kind != "class" and len(self.nodes) != 1:
            raise ValueError(f"{self.name} has {len(self.nodes)} nodes: one flat node is expected")
        if self.kind == "class":
            lists = self["methods"].values()
            if not all(isinstance(p, list) and all(type(n) is str for n in p) for p in lists):
                raise ValueError(f"{self.name}.methods: lists of names are expected")
            first = len(self.nodes) - len(_pools(self))
            if first < 1 or [node.name for node in self.nodes[first:]] != _pools(self):
                raise ValueError(f"{self.name}: its last lines are not {', '.join(_pools(self))}")

    def __getitem__(self, option: str) -> Any:
        """Return an option, or the default of its type: False, 0, an empty list."""
        return self.options.get(option, KINDS[self.kind].options[option]())


# ------------------------------------------------------------------ whole inputs


def unfold(layout: Layout) -> Layout:
    """Return the layout of the flat inputs, which has no structures."""
    if layout.style != "json":
        return layout
    body: Sequence[Any] = layout.body
    lines = [
        replace(line, nodes=(inner,))
        for line in body
        for node in line.nodes
        for inner in flat_nodes(node)
    ]
    flat: Layout = replace(layout, body=tuple(lines))
    return flat


def flat_nodes(node: Any) -> list[Any]:
    """Return the flat nodes of a structure; any other node is its own flat node."""
    inner = node.nodes if isinstance(node, Structure) else ()
    return [flat for part in inner for flat in flat_nodes(part)] or [node]


def check_structures(layout: Any) -> None:
    """Refuse structures that do not fit the rest of a layout.

    Raises:
        ValueError: A structure does not fit; the text names it.
    """

    def check(nodes: Sequence[Any], is_whole: bool) -> None:
        for number, node in enumerate(nodes):
            before = [other.name for other in nodes[:number] if hasattr(other, "name")]
            if not isinstance(node, Structure):
                continue
            of = node.options.get("of", [])
            for name in [of] if isinstance(of, str) else of:
                if name not in before:
                    raise ValueError(f"{node.name}: there is no {name} before it")
            if layout.style != "json" or (
                node.kind == "class" and not (is_whole and nodes == [node])
            ):
                raise ValueError(f"{node.name}: a {node.kind} does not stand here")
            check(node.nodes, False)

    check([node for item in layout.body for node in getattr(item, "nodes", ())], True)


def fold(layout: Any, text: str, seed: int) -> str:
    """Return the input for a flat one; the seed determines the shape of its structures."""
    return fold_nodes(_nodes(layout), text, seed) if layout.style == "json" else text


def flatten(layout: Any, text: str) -> str:
    """Return the flat form of an input.

    Raises:
        StructureError: The input does not have the structures of the layout.
    """
    return flatten_nodes(_nodes(layout), text) if layout.style == "json" else text


def _nodes(layout: Any) -> list[Any]:
    body: Sequence[Any] = layout.body
    return [node for line in body for node in line.nodes]


def fold_nodes(nodes: Sequence[Any], text: str, seed: int) -> str:
    """Do what `fold` does, for the nodes of all lines of a layout."""
    random = Random(f"{seed} structure")
    values = [json.loads(line) for line in text.splitlines()]
    if isinstance(nodes[0], Structure) and nodes[0].kind == "class":
        return _lines(fold_calls(nodes[0], values, random))
    return _lines(_fold_values(nodes, values, random))


def flatten_nodes(nodes: Sequence[Any], text: str) -> str:
    """Do what `flatten` does, for the nodes of all lines of a layout."""
    try:
        values = [json.loads(line) for line in text.splitlines()]
    except (ValueError, RecursionError) as error:
        raise StructureError(f"a line is not JSON: {error}") from None
    if isinstance(nodes[0], Structure) and nodes[0].kind == "class":
        return _lines(flatten_calls(nodes[0], values))
    return _lines(_flat_values(nodes, values))


def _lines(values: Sequence[Any]) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def _fold_values(nodes: Sequence[Any], values: Sequence[Any], random: Random) -> list[Any]:
    done: dict[str, Any] = {}
    for node, value in zip(nodes, values, strict=True):
        is_plain = not isinstance(node, Structure)
        done[node.name] = value if is_plain else KINDS[node.kind].fold(node, value, done, random)
    return list(done.values())


def _flat_values(nodes: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    _demand(len(values) == len(nodes), f"there are {len(values)} values, expected {len(nodes)}")
    before: dict[str, Any] = {}
    flat = []
    for node, value in zip(nodes, values, strict=True):
        try:
            is_plain = not isinstance(node, Structure)
            flat.append(value if is_plain else KINDS[node.kind].flatten(node, value, before))
        except (TypeError, LookupError, AttributeError):
            raise StructureError(f"{node.name} is not a {node.kind}") from None
        before[node.name] = value
    return flat


def _demand(condition: bool, reason: str) -> None:
    if not condition:
        raise StructureError(reason)


# ------------------------------------------------------------------ trees

Children = list[list[int | None]]


def fold_tree(
    tree: Structure, values: list[Any], done: Mapping[str, Any], random: Random
) -> list[Any]:
    """Return a binary tree, level by level.

    Options: search: a search tree, with distinct values unless `equal`; swapped: the number of its
    values that are out of place; heap: ``max`` or ``min``; complete: every level but the last is
    full, and the last is filled from the left; perfect: every level is full; balanced: the heights
    of the children of a node differ by at most one; height: the largest number of levels.
    """
    count = len(values)
    if tree["perfect"]:
        count = (1 << (count + 1).bit_length() - 1) - 1
    if tree["search"] and not tree["equal"]:
        values = sorted(dict.fromkeys(values))
        count = min(count, len(values))
    deepest = min(tree["height"] or DEEPEST, DEEPEST)
    count = min(count, (1 << min(deepest, 60)) - 1)
    values = values[:count]
    if tree["complete"] or tree["perfect"]:
        children = _branches(count, random, "complete", deepest)
    elif tree["balanced"]:
        children = _balanced(count, random)
    else:
        children = _branches(count, random, random.choice(ARRANGEMENTS), deepest)
    order = list(range(count))
    if tree["search"]:
        values, order = sorted(values), _in_order(children)
        if count >= tree["swapped"] > 1:
            places = random.sample(range(count), tree["swapped"])
            moved = [values[place] for place in places]
            for place, value in zip(places, moved[1:] + moved[:1], strict=True):
                values[place] = value
    elif tree["heap"]:
        values, order = sorted(values, reverse=tree["heap"] == "max"), _downwards(children, random)
    label = dict(zip(order, values, strict=True))
    levels: list[Any] = []
    waiting: deque[int | None] = deque([0] if children else [])
    while waiting:
        node = waiting.popleft()
        levels.append(None if node is None else label[node])
        waiting.extend(() if node is None else children[node])
    return _trimmed(levels)


def _trimmed(levels: list[Any]) -> list[Any]:
    while levels and levels[-1] is None:
        levels.pop()
    return levels


def _branches(count: int, random: Random, shape: str, deepest: int) -> Children:
    """Return the left and right child of each node of a tree, whose root is 0."""
    children: Children = [[None, None] for _ in range(count)]
    depth = [1] * count
    free = [(0, LEFT), (0, RIGHT)]
    for node in range(1, count):
        parent, side = node - 1, node % 2 if shape == "zigzag" else int(shape == "right")
        if shape == "complete":
            parent, side = (node - 1) // 2, (node - 1) % 2
        elif shape in ("random", "bushy") or depth[parent] >= deepest:
            # The deepest free places are near the end of the list, so a bushy tree draws from all.
            least = len(free) // 2 if shape == "random" and random.random() < 0.5 else 0
            at = random.randrange(least, len(free))
            free[at], free[-1] = free[-1], free[at]
            while children[free[-1][0]][free[-1][1]] is not None or depth[free[-1][0]] >= deepest:
                free.pop()
                at = random.randrange(len(free))
                free[at], free[-1] = free[-1], free[at]
            parent, side = free.pop()
        children[parent][side] = node
        depth[node] = depth[parent] + 1
        free += [(node, LEFT), (node, RIGHT)]
    return children


def _balanced(count: int, random: Random) -> Children:
    """Return a tree in which the heights of the children of every node differ by at most one."""
    fewest = [0, 1]  # the least number of nodes, by height
    while fewest[-1] <= count:
        fewest.append(fewest[-1] + fewest[-2] + 1)

    def heights(size: int) -> list[int]:
        return [h for h, least in enumerate(fewest) if least <= size < 1 << h]

    children: Children = [[None, None] for _ in range(count)]
    parts = [(count, random.choice(heights(count)), 0)] if count else []
    while parts:
        size, height, root = parts.pop()
        if size == 1:
            continue
        pairs = [(height - 1, height - 1), (height - 1, height - 2), (height - 2, height - 1)]
        random.shuffle(pairs)
        for left, right in pairs:
            least = max(fewest[left], size - (1 << right))
            most = min((1 << left) - 1, size - 1 - fewest[right])
            if min(left, right) >= 0 and least <= most:
                split = random.randint(least, most)
                if split:
                    children[root][LEFT] = root + 1
                    parts.append((split, left, root + 1))
                if size - 1 - split:
                    children[root][RIGHT] = root + 1 + split
                    parts.append((size - 1 - split, right, root + 1 + split))
                break
    return children


def _in_order(children: Sequence[Sequence[int | None]]) -> list[int]:
    """Return the nodes of a tree from the leftmost to the rightmost."""
    order: list[int] = []
    stack: list[int] = []
    node: int | None = 0 if children else None
    while stack or node is not None:
        while node is not None:
            stack.append(node)
            node = children[node][LEFT]
        order.append(stack.pop())
        node = children[order[-1]][RIGHT]
    return order


def _downwards(children: Children, random: Random) -> list[int]:
    """Return the nodes of a tree in an order in which parents come before their children."""
    order: list[int] = []
    waiting = [0] if children else []
    while waiting:
        at = random.randrange(len(waiting))
        waiting[at], waiting[-1] = waiting[-1], waiting[at]
        order.append(waiting.pop())
        waiting += [child for child in children[order[-1]] if child is not None]
    return order


def flat_tree(tree: Structure, value: Any, before: Mapping[str, Any]) -> list[Any]:
    """Return the values of the nodes."""
    _demand(isinstance(value, list), "the tree is not a list")
    ends_well = not value or (value[0] is not None and value[-1] is not None)
    _demand(ends_well, "the tree does not begin and end with a node")
    values: list[Any] = []
    children: Children = []
    level: list[int] = []
    parents: list[int | None] = []
    places: deque[tuple[int | None, int]] = deque([(None, LEFT)])
    for item in value:
        _demand(bool(places), "a node has no parent")
        parent, side = places.popleft()
        if item is None:
            continue
        node = len(values)
        values.append(item)
        children.append([None, None])
        parents.append(parent)
        level.append(1 if parent is None else level[parent] + 1)
        if parent is not None:
            children[parent][side] = node
        places.extend([(node, LEFT), (node, RIGHT)])
    if tree["complete"] or tree["perfect"]:
        _demand(None not in value, "the tree is not complete")
    if tree["perfect"]:
        _demand(len(value) + 1 & len(value) == 0, "a level is not full")
    if tree["height"]:
        _demand(max(level, default=0) <= tree["height"], f"it has {max(level, default=0)} levels")
    if tree["balanced"]:
        _demand(_is_balanced(children), "the heights of two children differ by more than one")
    if tree["heap"]:
        for node, parent in enumerate(parents):
            high, low = (parent, node) if tree["heap"] == "max" else (node, parent)
            fits = high is None or low is None or values[high] >= values[low]
            _demand(fits, f"{values[node]} stands on the wrong side of its parent in a heap")
    if tree["search"]:
        _demand_order(tree, [values[node] for node in _in_order(children)])
    return values


def _is_balanced(children: Children) -> bool:
    height = [1] * len(children)
    for node in reversed(range(len(children))):
        left, right = (0 if child is None else height[child] for child in children[node])
        if abs(left - right) > 1:
            return False
        height[node] = 1 + max(left, right)
    return True


def _demand_order(tree: Structure, values: list[Any]) -> None:
    """Refuse values, given from left to right, that the search tree cannot hold."""
    right = sorted(values)
    for one, other in itertools.pairwise(right):
        _demand(tree["equal"] or one != other, f"{one} is twice in a search tree")
    moved = [value for value, place in zip(values, right, strict=True) if value != place]
    if tree["swapped"]:
        _demand(len(moved) == tree["swapped"], f"{len(moved)} values are not in their places")
    elif moved:
        raise StructureError(f"{moved[0]} stands on the wrong side of a search tree")


def fold_nary_tree(
    tree: Structure, values: list[Any], done: Mapping[str, Any], random: Random
) -> list[Any]:
    """Return a tree level by level, with a null after each group of children.

    Option height: the largest number of levels.
    """
    shape, width = random.choice(("path", "star", "random")), random.choice((2, 3, 10))
    deepest = min(tree["height"] or DEEPEST, DEEPEST)
    values = values[: 1 if deepest == 1 else len(values)]
    depth = [1] * len(values)
    kids: list[list[int]] = [[] for _ in values]
    for node in range(1, len(values)):
        near = random.randrange(max(0, node - width), node)
        parent = {"path": node - 1, "star": 0}.get(shape, near)
        if depth[parent] >= deepest:
            parent = 0
        kids[parent].append(node)
        depth[node] = depth[parent] + 1
    levels: list[Any] = [values[0], None] if values else []
    waiting = deque([0] if values else [])
    following = iter(values[1:])
    while waiting:
        children = kids[waiting.popleft()]
        levels += [next(following) for _ in children] + [None]
        waiting.extend(children)
    return _trimmed(levels)


def flat_nary_tree(tree: Structure, value: Any, before: Mapping[str, Any]) -> list[Any]:
    """Return the values of the nodes."""
    _demand(isinstance(value, list), "the tree is not a list")
    if not value:
        return []
    _demand(
        value[0] is not None and value[-1] is not None,
        "the tree does not begin and end with a node",
    )
    _demand(len(value) == 1 or value[1] is None, "the tree has more than one root")
    levels = 1
    groups = deque([1])  # the levels of the groups of children still to come, the open one first
    for item in value:
        _demand(bool(groups), "a group of children has no parent")
        if item is None:
            groups.popleft()
        else:
            _demand(bool(groups), "a group of children has no parent")
            levels = max(levels, groups[0])
            groups.append(groups[0] + 1)
    _demand(not tree["height"] or levels <= tree["height"], f"it has {levels} levels")
    return [item for item in value if item is not None]


# ------------------------------------------------------------------ lists


def fold_linked_list(
    numbers: Structure, values: list[Any], done: Mapping[str, Any], random: Random
) -> list[Any]:
    """Return the digits of a number; the highest is not zero.

    Option leading: the position of the highest digit, ``first`` or ``last``.
    """
    at = -1 if numbers["leading"] == "last" else 0
    if len(values) > 1 and values[at] == 0:
        values[at] = random.choice([value for value in values if value] or [1])
    return values


def flat_linked_list(numbers: Structure, value: Any, before: Mapping[str, Any]) -> list[Any]:
    """Return the values."""
    at = -1 if numbers["leading"] == "last" else 0
    _demand(isinstance(value, list), "the linked list is not a list")
    _demand(len(value) < 2 or value[at] != 0, f"{numbers.name} has a leading zero")
    return list(value)


def fold_position(position: Structure, value: int, done: Mapping[str, Any], random: Random) -> int:
    """Return an index in the list ``of``, or -1: a third of the lists have no cycle."""
    count = len(done[position["of"]])
    if not count or random.random() < 1 / 3:
        return -1
    return value if -1 <= value < count else random.randrange(count)


def flat_position(position: Structure, value: Any, before: Mapping[str, Any]) -> int:
    """Return the index."""
    is_index = type(value) is int and -1 <= value < len(before[position["of"]])
    _demand(is_index, f"{value} is not an index of the list")
    return int(value)


def fold_shared(shared: Structure, value: int, done: dict[str, Any], random: Random) -> int:
    """Return the number of nodes that the two lists ``of`` share at their ends.

    There, the second list gets the values of the first.
    """
    one, other = (done[name] for name in shared["of"])
    most = min(len(one), len(other))
    count = value if 0 <= value <= most else random.randint(0, most)
    if count:
        done[shared["of"][1]] = other[: len(other) - count] + one[len(one) - count :]
    return count


def flat_shared(shared: Structure, value: Any, before: Mapping[str, Any]) -> int:
    """Return the number."""
    one, other = (before[name] for name in shared["of"])
    fits = type(value) is int and 0 <= value <= min(len(one), len(other))
    _demand(fits, f"{value} nodes cannot be shared")
    _demand(not value or one[-value:] == other[-value:], "shared nodes have different values")
    return int(value)


def fold_random_list(
    pairs: Structure, values: list[Any], done: Mapping[str, Any], random: Random
) -> list[Any]:
    """Return pairs of a value and the index of any node, or null."""
    links = [None if random.random() < 0.2 else random.randrange(len(values)) for _ in values]
    return [list(pair) for pair in zip(values, links, strict=True)]


def flat_random_list(pairs: Structure, value: Any, before: Mapping[str, Any]) -> list[Any]:
    """Return the values."""
    are_pairs = isinstance(value, list) and all(type(p) is list and len(p) == 2 for p in value)
    _demand(are_pairs, "the list with random pointers is not a list of pairs")
    for _, place in value:
        is_index = place is None or (type(place) is int and 0 <= place < len(value))
        _demand(is_index, f"{place} is not an index of the list")
    return [node for node, _ in value]


# ------------------------------------------------------------------ nodes and graphs


def fold_node(node: Structure, value: Any, done: Mapping[str, Any], random: Random) -> Any:
    """Return the value of a node of ``of`` that differs from the nodes named in ``unlike``."""
    present = [item for item in done[node["of"]] if item is not None]
    others = [done[name] for name in node["unlike"]]
    fresh = [item for item in present if item not in others] if others else present
    return value if value in fresh else random.choice(fresh or present or [value])


def flat_node(node: Structure, value: Any, before: Mapping[str, Any]) -> Any:
    """Return the value."""
    _demand(value is not None and value in before[node["of"]], f"there is no node {value}")
    is_other = all(value != before[name] for name in node["unlike"])
    _demand(is_other, f"{node.name} is not another node")
    return value


def fold_graph(
    graph: Structure, values: list[Any], done: Mapping[str, Any], random: Random
) -> list[list[int]]:
    """Return the neighbours of each node.

    Options: base: the first label; undirected: an edge is in the lists of both its ends; acyclic;
    connected: every node can be reached from the first.
    """
    count, base = len(values), graph["base"]
    is_forest = graph["undirected"] and graph["acyclic"]
    dense = 0.0 if is_forest else random.choice((0.0, 0.5, 1.0, 3.0))
    rows: list[dict[int, None]] = [{} for _ in range(count)]

    def join(one: int, other: int) -> None:
        rows[one][other] = None
        if graph["undirected"]:
            rows[other][one] = None

    shape = random.choice(("path", "star", "random"))
    for node in range(1, count):
        if graph["connected"] or random.random() < 0.8:
            join({"path": node - 1, "star": 0}.get(shape, random.randrange(node)), node)
    for _ in range(int(dense * count) if count > 1 else 0):
        one, other = sorted(random.sample(range(count), 2))
        is_reversed = not graph["acyclic"] and random.random() < 0.5
        join(*((other, one) if is_reversed else (one, other)))
    # Labels are shuffled to hide the order of construction. If all other nodes must be reached from
    # the first node, it keeps its label.
    fixed = min(count, int(graph["connected"] and not graph["undirected"]))
    labels = [*range(fixed), *random.sample(range(fixed, count), count - fixed)]
    neighbours: list[list[int]] = [[] for _ in range(count)]
    for node, row in enumerate(rows):
        neighbours[labels[node]] = sorted(labels[other] + base for other in row)
    return neighbours


def flat_graph(graph: Structure, value: Any, before: Mapping[str, Any]) -> list[int]:
    """Return the labels."""
    are_rows = isinstance(value, list) and all(isinstance(row, list) for row in value)
    _demand(are_rows, "the graph is not a list of lists")
    count, base = len(value), graph["base"]
    for node, row in enumerate(value):
        are_nodes = all(type(other) is int and base <= other < base + count for other in row)
        _demand(are_nodes, "a neighbour is not a node")
        is_simple = len(set(row)) == len(row) and node + base not in row
        _demand(is_simple, "a node has itself as a neighbour, or another node twice")
    edges = {(node, other - base) for node, row in enumerate(value) for other in row}
    if graph["undirected"]:
        both_ways = all((other, one) in edges for one, other in edges)
        _demand(both_ways, "an edge goes in one direction only")
    if graph["connected"] and count:
        _demand(_reached(value, base, 0) == count, "the graph is not connected")
    if graph["acyclic"]:
        _demand(_is_acyclic(count, edges, graph["undirected"]), "the graph has a cycle")
    return list(range(base, base + count))


def _reached(rows: Sequence[Sequence[int]], base: int, start: int) -> int:
    reached, waiting = {start}, [start]
    while waiting:
        new = {other - base for other in rows[waiting.pop()]} - reached
        reached |= new
        waiting += new
    return len(reached)


def _is_acyclic(count: int, edges: set[tuple[int, int]], undirected: bool) -> bool:
    """Whether removing nodes without predecessors (or leaves, if undirected) empties the graph."""
    into, following = [0] * count, [list[int]() for _ in range(count)]
    for one, other in edges:
        into[other] += 1
        following[one].append(other)
    free = dict.fromkeys(node for node in range(count) if into[node] <= undirected)
    waiting = list(free)
    for node in waiting:
        for other in following[node]:
            into[other] -= 1
            if into[other] <= undirected and other not in free:
                free[other] = None
                waiting.append(other)
    return len(free) == count


# ------------------------------------------------------------------ calls of a class


def fold_calls(design: Structure, lines: Sequence[Any], random: Random) -> list[list[Any]]:
    """Return operations and arguments for the lines of a flat class.

    The lines are the constructor's arguments, then the numbers of the called methods, then a list
    of arguments for each pool. Options: methods: each method's pools, one per parameter (one for
    all parameters of a method in ``rows``); grows, shrinks: the methods that add and remove an
    element; filled: the methods that need an element; known: the methods whose argument must be an
    element; most: the largest number of calls by method; once: the pools whose values must not
    repeat.
    """
    methods: dict[str, list[str]] = design["methods"]
    pools = _pools(design)
    first = len(lines) - len(pools) - 1
    arguments = [_fold_values(design.nodes[:first], lines[:first], random)]
    operations = [design.name]
    values = dict(zip(pools, lines[first + 1 :], strict=True))
    used: Counter[str] = Counter()
    calls = _Calls(design, arguments[0])
    names = list(methods)

    def may_be_called(name: str) -> bool:
        left = (
            used[p] < len(values[p]) or (values[p] and p not in design["once"])
            for p in methods[name]
        )
        return not calls.refusal(name, None) and all(left)

    for number in lines[first]:
        name = names[number % len(names)]
        if not may_be_called(name):
            others = [other for other in names if may_be_called(other)]
            if not others:
                break
            name = random.choice([other for other in others if other in design["grows"]] or others)
        args = [values[pool][used[pool] % len(values[pool])] for pool in methods[name]]
        if name in design["known"]:
            args = [calls.held_value(random)]
        calls.add(name, args)
        used.update(methods[name])
        operations.append(name)
        arguments.append(args[0] if name in design["rows"] else args)
    return [operations, arguments]


def flatten_calls(design: Structure, lines: Sequence[Any]) -> list[Any]:
    """Return the flat lines of the calls of a class."""
    are_lists = len(lines) == 2 and all(isinstance(line, list) and line for line in lines)
    _demand(are_lists, "the input is not a list of methods and a list of arguments")
    operations, arguments = lines
    starts = len(operations) == len(arguments) and operations[0] == design.name
    _demand(starts, "the first method is not the constructor, or the lists differ in length")
    _demand(
        all(isinstance(args, list) for args in arguments),
        "the arguments of a method are not a list",
    )
    methods: dict[str, list[str]] = design["methods"]
    pools: dict[str, list[Any]] = {name: [] for name in _pools(design)}
    flat = _flat_values(design.nodes[: len(design.nodes) - len(pools) - 1], arguments[0])
    calls, numbers = _Calls(design, arguments[0]), []
    for name, args in zip(operations[1:], arguments[1:], strict=True):
        _demand(isinstance(name, str) and name in methods, f"there is no method {name}")
        args = [args] if name in design["rows"] else args
        _demand(len(args) == len(methods[name]), f"{name} has other arguments")
        refusal = calls.refusal(name, args)
        _demand(not refusal, f"{name} is called {refusal}")
        calls.add(name, args)
        numbers.append(list(methods).index(name))
        for pool, value in zip(methods[name], args, strict=True):
            pools[pool].append(value)
    return [*flat, numbers, *pools.values()]


def _pools(design: Structure) -> list[str]:
    return [pool for pools in design["methods"].values() for pool in pools]


class _Calls:
    """The elements that the instance holds; they determine whether the next call is allowed."""

    def __init__(self, design: Structure, args: Sequence[Any]) -> None:
        self.design = design
        self.held: Counter[str] = Counter()
        self.values = 0  # the sum of `held`
        self.order: list[Any] = []  # every value that was added, including removed ones
        self.count: Counter[str] = Counter()
        # Without methods that add an element, the constructor's first list fills the instance.
        lists = [value for value in args if isinstance(value, (list, str))]
        at_first = 0 if design["grows"] or not lists else sum(v is not None for v in lists[0])
        self.inside = at_first

    def refusal(self, name: str, args: Sequence[Any] | None) -> str:
        """Return why a method may not be called now with these arguments; empty if it may.

        Without arguments (None) only the state counts.
        """
        design = self.design
        if name in design["filled"] and self.inside <= 0:
            return "with nothing inside"
        held = self.values if args is None else args and self.held[repr(args[0])]
        if name in design["known"] and not held:
            return "with a value that is not inside"
        most = design["most"].get(name)
        return "too often" if most is not None and self.count[name] >= most else ""

    def held_value(self, random: Random) -> Any:
        """Return a random value that the instance holds."""
        while True:
            at = random.randrange(len(self.order))
            self.order[at], self.order[-1] = self.order[-1], self.order[at]
            if self.held[repr(self.order[-1])] > 0:
                return self.order[-1]
            self.order.pop()

    def add(self, name: str, args: Sequence[Any]) -> None:
        """Record the call of a method."""
        design = self.design
        grows, shrinks = name in design["grows"], name in design["shrinks"]
        self.count[name] += 1
        self.inside += grows - shrinks
        if design["known"] and args and grows:
            self.held[repr(args[0])] += 1
            self.values += 1
            self.order.append(args[0])
        elif name in design["known"]:
            self.held[repr(args[0])] -= shrinks
            self.values -= shrinks


# ------------------------------------------------------------------ kinds


class StructureKind(NamedTuple):
    """The functions that fold and flatten a kind of structure, and its options with their types."""

    fold: Callable[[Structure, Any, Any, Random], Any]
    flatten: Callable[[Structure, Any, Any], Any]
    options: Mapping[str, type]


def _refuse_part_of_input(*_: Any) -> Any:
    raise StructureError("a class is not the whole input")


KINDS: dict[str, StructureKind] = {
    "tree": StructureKind(
        fold_tree,
        flat_tree,
        {"search": bool, "equal": bool, "swapped": int, "heap": str, "complete": bool}
        | {"perfect": bool, "balanced": bool, "height": int},
    ),
    "nary_tree": StructureKind(fold_nary_tree, flat_nary_tree, {"height": int}),
    "linked_list": StructureKind(fold_linked_list, flat_linked_list, {"leading": str}),
    "position": StructureKind(fold_position, flat_position, {"of": str}),
    "shared": StructureKind(fold_shared, flat_shared, {"of": list}),
    "random_list": StructureKind(fold_random_list, flat_random_list, {}),
    "node": StructureKind(fold_node, flat_node, {"of": str, "unlike": list}),
    "graph": StructureKind(
        fold_graph,
        flat_graph,
        {"base": int, "undirected": bool, "acyclic": bool, "connected": bool},
    ),
    "class": StructureKind(
        _refuse_part_of_input,
        _refuse_part_of_input,
        {"methods": dict, "rows": list, "grows": list, "shrinks": list, "filled": list}
        | {"known": list, "most": dict, "once": list},
    ),
}
