"""Inputs of trees, lists with cycles, graphs and calls of a class, and the flat inputs that they are made from.

An input is flat when each of its lines is a value or a list of values: a tree is the list of its
nodes' values, a node in it one value, a class its constructor's arguments, the numbers of the
methods that are called, and a list for each parameter of a method. What draws and checks numbers
knows flat inputs alone. ``fold`` makes an input of a flat one, and ``flatten`` a flat one of an
input, or says what is wrong with it. The text of this module ends up in generators and validators.

A structure is a mapping: ``kind``, ``name`` and what is said of the kind in `FOLDS`. There is one
for each flat line; those of a class stand in one structure of the kind ``class``, whose lines are
one in all (see `fold_calls`).
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

Structure = Mapping[str, Any]
# levels of a tree: solutions recurse, and a stack of 50,000 calls has to be enough for them
DEEPEST = 5_000
LEFT, RIGHT = 0, 1
ARRANGEMENTS = ("complete", "random", "left", "right", "zigzag", "bushy")


class Broken(ValueError):
    """An input is no such structure; the text says why."""


def fold(structures: Sequence[Structure], text: str, seed: int) -> str:
    """Return the input that a flat one stands for; how it is arranged depends on the seed."""
    random = Random(f"{seed} structure")
    values = [json.loads(line) for line in text.splitlines()]
    done: dict[str, Any] = {}
    if structures and structures[0]["kind"] == "class":
        return "".join(_json_line(value) for value in fold_calls(structures[0], values, random))
    for structure, value in zip(structures, values, strict=True):
        done[structure["name"]] = FOLDS[structure["kind"]](structure, value, done, random)
    return "".join(_json_line(value) for value in done.values())


def flatten(structures: Sequence[Structure], text: str) -> str:
    """Return the flat form of an input.

    Raises:
        Broken: It is no such input.
    """
    try:
        values = [json.loads(line) for line in text.splitlines()]
    except ValueError as error:
        raise Broken(f"a line is not JSON: {error}") from None
    if structures and structures[0]["kind"] == "class":
        return "".join(_json_line(value) for value in flatten_calls(structures[0], values))
    if len(values) != len(structures):
        raise Broken(f"there are {len(values)} lines, expected {len(structures)}")
    before: dict[str, Any] = {}
    flat = []
    for structure, value in zip(structures, values, strict=True):
        flat.append(FLATS[structure["kind"]](structure, value, before))
        before[structure["name"]] = value
    return "".join(_json_line(value) for value in flat)


def _json_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _demand(right: bool, why: str) -> None:
    if not right:
        raise Broken(why)


# ------------------------------------------------------------------ trees


def fold_tree(
    structure: Structure, values: list[Any], done: Mapping[str, Any], random: Random
) -> list[Any]:
    """A binary tree, level by level.

    search: a search tree of different values; complete: every level is full but the last, which is
    so from the left;
    perfect: that is full, too.
    """
    if structure.get("perfect"):
        return values[: (1 << (len(values) + 1).bit_length() - 1) - 1]
    if structure.get("search"):
        values = sorted(dict.fromkeys(values))
    children = _branches(
        len(values),
        random,
        "complete" if structure.get("complete") else random.choice(ARRANGEMENTS),
    )
    order = list(range(len(values)))
    if structure.get("search"):
        order = _places_in_order(children)
    label = dict(zip(order, values, strict=True))
    return _levels(children, label)


def _branches(count: int, random: Random, shape: str) -> list[list[int | None]]:
    """Return the left and right child of each node of a tree, whose root is 0."""
    children: list[list[int | None]] = [[None, None] for _ in range(count)]
    depth = [0] * count
    free = [(0, LEFT), (0, RIGHT)]
    for node in range(1, count):
        parent, side = (
            node - 1,
            node % 2 if shape == "zigzag" else RIGHT if shape == "right" else LEFT,
        )
        if shape == "complete":
            parent, side = (node - 1) // 2, (node - 1) % 2
        elif shape in ("random", "bushy") or depth[parent] >= DEEPEST:
            # Bushy: near the end of the list are the deepest places.
            least = len(free) // 2 if shape == "random" and random.random() < 0.5 else 0
            at = random.randrange(least, len(free))
            free[at], free[-1] = free[-1], free[at]
            while children[free[-1][0]][free[-1][1]] is not None or depth[free[-1][0]] >= DEEPEST:
                free.pop()
                at = random.randrange(len(free))
                free[at], free[-1] = free[-1], free[at]
            parent, side = free.pop()
        children[parent][side] = node
        depth[node] = depth[parent] + 1
        free += [(node, LEFT), (node, RIGHT)]
    return children


def _places_in_order(children: Sequence[Sequence[int | None]]) -> list[int]:
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


def _levels(children: Sequence[Sequence[int | None]], label: Mapping[int, Any]) -> list[Any]:
    found: list[Any] = []
    waiting: deque[int | None] = deque([0] if children else [])
    while waiting:
        node = waiting.popleft()
        found.append(None if node is None else label[node])
        waiting.extend(() if node is None else children[node])
    while found and found[-1] is None:
        found.pop()
    return found


def flat_tree(structure: Structure, value: Any, before: Mapping[str, Any]) -> list[Any]:
    """Return the values of the nodes."""
    _demand(isinstance(value, list), "a tree is a list")
    _demand(
        not value or (value[0] is not None and value[-1] is not None),
        "a tree begins and ends with a node",
    )
    # What the values below a place lie between, in a search tree.
    places: deque[tuple[Any, Any]] = deque([(None, None)])
    for item in value:
        _demand(bool(places), "a node has no parent")
        least, most = places.popleft()
        if item is None:
            continue
        if structure.get("search"):
            fits = (least is None or least < item) and (most is None or item < most)
            _demand(fits, f"{item} stands on the wrong side of a search tree")
        places.extend([(least, item), (item, most)])
    if structure.get("complete"):
        _demand(None not in value, "the tree is not complete")
    if structure.get("perfect"):
        _demand(None not in value and len(value) + 1 & len(value) == 0, "a level is not full")
    return [item for item in value if item is not None]


def fold_nary_tree(
    structure: Structure, values: list[Any], done: Mapping[str, Any], random: Random
) -> list[Any]:
    """A tree level by level, a null after each group of children."""
    shape, width = random.choice(("path", "star", "random")), random.choice((2, 3, 10))
    depth = [0] * len(values)
    kids: list[list[int]] = [[] for _ in values]
    for node in range(1, len(values)):
        parent = {"path": node - 1, "star": 0}.get(
            shape, random.randrange(max(0, node - width), node)
        )
        if depth[parent] >= min(DEEPEST, structure.get("depth", DEEPEST)) - 1:
            parent = 0
        kids[parent].append(node)
        depth[node] = depth[parent] + 1
    found: list[Any] = [values[0], None] if values else []
    waiting = deque([0] if values else [])
    left = iter(values[1:])
    while waiting:
        for child in kids[waiting.popleft()]:
            found.append(next(left))
            waiting.append(child)
        found.append(None)
    while found and found[-1] is None:
        found.pop()
    return found


def flat_nary_tree(structure: Structure, value: Any, before: Mapping[str, Any]) -> list[Any]:
    """Return the values of the nodes."""
    _demand(isinstance(value, list), "a tree is a list")
    if not value:
        return []
    _demand(value[0] is not None and value[-1] is not None, "a tree begins and ends with a node")
    _demand(len(value) == 1 or value[1] is None, "a tree has one root")
    groups = 1
    for item in value:
        groups += -1 if item is None else 1
        _demand(groups > 0, "a group of children has no parent")
    return [item for item in value if item is not None]


# ------------------------------------------------------------------ lists


def fold_same(structure: Structure, value: Any, done: Mapping[str, Any], random: Random) -> Any:
    """A value that is what it is."""
    return value


def flat_same(structure: Structure, value: Any, before: Mapping[str, Any]) -> Any:
    """Return the value."""
    return value


def fold_position(structure: Structure, value: int, done: Mapping[str, Any], random: Random) -> int:
    """An index in the list ``of``, or -1; a third of the lists have no cycle."""
    count = len(done[structure["of"]])
    if not count or random.random() < 1 / 3:
        return -1
    return value if -1 <= value < count else random.randrange(count)


def flat_position(structure: Structure, value: Any, before: Mapping[str, Any]) -> int:
    """Return the index."""
    _demand(
        type(value) is int and -1 <= value < len(before[structure["of"]]),
        f"{value} is not an index of the list",
    )
    return int(value)


def fold_shared(structure: Structure, value: int, done: dict[str, Any], random: Random) -> int:
    """How many nodes the lists ``of`` share at their ends.

    The second takes the values of the first there.
    """
    one, other = (done[name] for name in structure["of"])
    most = min(len(one), len(other))
    count = value if 0 <= value <= most else random.randint(0, most)
    if count:
        done[structure["of"][1]] = other[: len(other) - count] + one[len(one) - count :]
    return count


def flat_shared(structure: Structure, value: Any, before: Mapping[str, Any]) -> int:
    """Return the number."""
    one, other = (before[name] for name in structure["of"])
    _demand(
        type(value) is int and 0 <= value <= min(len(one), len(other)),
        f"{value} nodes cannot be shared",
    )
    _demand(not value or one[-value:] == other[-value:], "shared nodes have different values")
    return int(value)


def fold_random_list(
    structure: Structure, values: list[Any], done: Mapping[str, Any], random: Random
) -> list[Any]:
    """Pairs of a value and the index of any node, or null."""
    links = [None if random.random() < 0.2 else random.randrange(len(values)) for _ in values]
    return [list(pair) for pair in zip(values, links, strict=True)]


def flat_random_list(structure: Structure, value: Any, before: Mapping[str, Any]) -> list[Any]:
    """Return the values."""
    pairs = isinstance(value, list) and all(
        isinstance(each, list) and len(each) == 2 for each in value
    )
    _demand(pairs, "a list with random pointers is one of pairs")
    for _, place in value:
        _demand(
            place is None or (type(place) is int and 0 <= place < len(value)),
            f"{place} is not an index of the list",
        )
    return [each for each, _ in value]


# ------------------------------------------------------------------ nodes and graphs


def fold_node(structure: Structure, value: Any, done: Mapping[str, Any], random: Random) -> Any:
    """The value of a node of ``of``.

    Unlike: the names of nodes that it has to be different from.
    """
    there = [item for item in done[structure["of"]] if item is not None]
    others = [done[name] for name in structure["unlike"]]
    fresh = [item for item in there if item not in others] if others else there
    if value in fresh:
        return value
    return random.choice(fresh or there or [value])


def flat_node(structure: Structure, value: Any, before: Mapping[str, Any]) -> Any:
    """Return the value."""
    _demand(value is not None and value in before[structure["of"]], f"there is no node {value}")
    _demand(
        all(value != before[name] for name in structure["unlike"]),
        f"{structure['name']} is not another node",
    )
    return value


def fold_graph(
    structure: Structure, values: list[Any], done: Mapping[str, Any], random: Random
) -> list[list[int]]:
    """The neighbours of each node.

    Base: the first label; directed, acyclic, connected: what it is.
    """
    count, base = len(values), structure["base"]
    dense = random.choice((0.0, 0.5, 1.0, 3.0))
    rows: list[dict[int, None]] = [{} for _ in range(count)]

    def join(one: int, other: int) -> None:
        rows[one][other] = None
        if not structure["directed"]:
            rows[other][one] = None

    shape = random.choice(("path", "star", "random"))
    for node in range(1, count):
        if structure["connected"] or random.random() < 0.8:
            join({"path": node - 1, "star": 0}.get(shape, random.randrange(node)), node)
    for _ in range(int(dense * count) if count > 1 else 0):
        one, other = sorted(
            random.sample(range(count), 2), reverse=structure["directed"] and random.random() < 0.5
        )
        join(*(sorted((one, other)) if structure["acyclic"] else (one, other)))
    # Other labels than the order in which nodes were joined; the first stays, for it is where a
    # graph is entered.
    labels = [0, *random.sample(range(1, count), count - 1)] if count else []
    found: list[list[int]] = [[] for _ in range(count)]
    for node, row in enumerate(rows):
        found[labels[node]] = sorted(labels[other] + base for other in row)
    return found


def flat_graph(structure: Structure, value: Any, before: Mapping[str, Any]) -> list[int]:
    """Return the labels."""
    _demand(
        isinstance(value, list) and all(isinstance(row, list) for row in value),
        "a graph is a list of lists",
    )
    count, base = len(value), structure["base"]
    for node, row in enumerate(value):
        right = all(type(other) is int and base <= other < base + count for other in row)
        _demand(right, "a neighbour is not a node")
        _demand(
            len(set(row)) == len(row) and node + base not in row,
            "a node is its own neighbour, or one twice",
        )
    edges = {(node, other - base) for node, row in enumerate(value) for other in row}
    if not structure["directed"]:
        _demand(
            all((other, one) in edges for one, other in edges), "an edge goes in one direction only"
        )
    if structure["connected"] and count:
        seen, waiting = {0}, [0]
        while waiting:
            new = {other - base for other in value[waiting.pop()]} - seen
            seen |= new
            waiting += new
        _demand(len(seen) == count, "the graph is not connected")
    if structure["acyclic"]:
        _demand(_is_acyclic(count, edges), "the graph has a cycle")
    return list(range(base, base + count))


def _is_acyclic(count: int, edges: set[tuple[int, int]]) -> bool:
    into, following = [0] * count, [list[int]() for _ in range(count)]
    for one, other in edges:
        into[other] += 1
        following[one].append(other)
    free = [node for node in range(count) if not into[node]]
    for node in free:
        for other in following[node]:
            into[other] -= 1
            if not into[other]:
                free.append(other)
    return len(free) == count


# ------------------------------------------------------------------ calls of a class


def fold_calls(
    structure: Structure, lines: Sequence[Any], random: Random
) -> tuple[list[str], list[Any]]:
    """Return operations and arguments for the lines of a flat class.

    The lines are the constructor's arguments, ``parameters``, then the numbers of the methods that
    are called, then a list of arguments for each name in ``pools``. ``methods`` maps names to the
    pools of their parameters, one for each or, where it is in ``rows``, one for all. ``filled`` are
    the methods that are only called while something is inside: ``grows`` put it there and
    ``shrinks`` take it away. ``known`` are the methods whose argument is one of those that are
    inside.
    """
    done: dict[str, Any] = {}
    first = len(structure["parameters"])
    for each, value in zip(structure["parameters"], lines[:first], strict=True):
        done[each["name"]] = FOLDS[each["kind"]](each, value, done, random)
    names = list(structure["methods"])
    pools = dict(zip(structure["pools"], lines[first + 1 :], strict=True))
    used = dict.fromkeys(pools, 0)
    operations, arguments = [structure["name"]], [list(done.values())]
    inside, held = _inside(structure, arguments[0]), list[Any]()
    growing = [name for name in names if name in structure["grows"]]
    needs = {*structure["filled"], *structure["known"]}
    for number in lines[first]:
        name = names[number % len(names)]
        if name in needs and (inside <= 0 or (name in structure["known"] and not held)):
            if not growing:
                continue
            name = random.choice(growing)
        wanted = structure["methods"][name]
        if any(not pools[pool] for pool in wanted):
            continue
        given = [pools[pool][used[pool] % len(pools[pool])] for pool in wanted]
        if name in structure["known"]:
            # Any of those inside, moved to the end, where taking it out costs nothing.
            at = random.randrange(len(held))
            held[at], held[-1] = held[-1], held[at]
            given = [held.pop() if name in structure["shrinks"] else held[-1]]
        elif structure["known"] and name in structure["grows"]:
            held += given[:1]
        operations.append(name)
        arguments.append(given[0] if name in structure["rows"] else given)
        for pool in wanted:
            used[pool] += 1
        inside += (name in structure["grows"]) - (name in structure["shrinks"])
    return operations, arguments


def flatten_calls(structure: Structure, lines: Sequence[Any]) -> list[Any]:
    """Return the flat lines of the calls of a class."""
    _demand(
        len(lines) == 2 and all(isinstance(each, list) and each for each in lines),
        "there are two lists",
    )
    operations, arguments = lines
    _demand(
        len(operations) == len(arguments) and operations[0] == structure["name"],
        "it begins with the constructor",
    )
    _demand(all(isinstance(each, list) for each in arguments), "arguments are lists")
    _demand(
        len(arguments[0]) == len(structure["parameters"]), "the constructor has other arguments"
    )
    before: dict[str, Any] = {}
    flat: list[Any] = []
    for each, value in zip(structure["parameters"], arguments[0], strict=True):
        flat.append(FLATS[each["kind"]](each, value, before))
        before[each["name"]] = value
    names = list(structure["methods"])
    pools: dict[str, list[Any]] = {name: [] for name in structure["pools"]}
    inside, numbers, held = _inside(structure, arguments[0]), [], Counter[str]()
    for name, given in zip(operations[1:], arguments[1:], strict=True):
        _demand(name in names, f"there is no method {name}")
        given = [given] if name in structure["rows"] else given
        _demand(len(given) == len(structure["methods"][name]), f"{name} has other arguments")
        _demand(
            name not in structure["filled"] or inside > 0, f"{name} is called with nothing inside"
        )
        if name in structure["known"]:
            _demand(held[repr(given[0])] > 0, f"{name} is called with a value that is not inside")
            held[repr(given[0])] -= name in structure["shrinks"]
        elif structure["known"] and name in structure["grows"]:
            held.update(map(repr, given[:1]))
        numbers.append(names.index(name))
        for pool, value in zip(structure["methods"][name], given, strict=True):
            pools[pool].append(value)
        inside += (name in structure["grows"]) - (name in structure["shrinks"])
    return [*flat, numbers, *pools.values()]


def _inside(structure: Structure, given: Sequence[Any]) -> int:
    """Return how much is inside at first.

    What the constructor gets, where nothing else fills it.
    """
    lists = [each for each in given if isinstance(each, (list, str))]
    return 0 if structure["grows"] or not lists else sum(item is not None for item in lists[0])


Fold = Callable[[Structure, Any, Any, Random], Any]
Flat = Callable[[Structure, Any, Any], Any]
FOLDS: dict[str, Fold] = {
    "same": fold_same, "tree": fold_tree, "nary_tree": fold_nary_tree, "position": fold_position,
    "shared": fold_shared, "random_list": fold_random_list, "node": fold_node, "graph": fold_graph,
}  # fmt: skip
FLATS: dict[str, Flat] = {
    "same": flat_same, "tree": flat_tree, "nary_tree": flat_nary_tree, "position": flat_position,
    "shared": flat_shared, "random_list": flat_random_list, "node": flat_node, "graph": flat_graph,
}  # fmt: skip
