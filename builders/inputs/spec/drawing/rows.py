"""Draws rows of values: column by column, then fitted to each other, sorted, made distinct."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from ..layout import Many, Node, Scalar, Tuple
from .bounds import KnownNumbers, Row, RowLimits, fitting_part
from .columns import integers
from .edges import edge_like_columns, edges_of, like_edges
from .numbers import count_of
from .patterns import array, independent, logarithmic, matrix
from .plan import name_of, whole
from .state import NONE, ROOM, TRIES, DrawError, Drawing
from .words import texts

# The minimum cost of a distinct row, in characters. It limits the number of distinct rows, because
# drawing a million of them takes over 20 s.
DISTINCT_ROW = 60
MOST_ROWS = 4_000_000  # possible rows that are enumerated to draw distinct ones
INDEX = "i"


def value_of(state: Drawing, node: Node, known: KnownNumbers, old: Any = None) -> Any:
    """Return the value of a node."""
    if isinstance(node, Many):
        return _list(state, node, known, old)
    if isinstance(node, Tuple):
        return rows_of(state, node.items, 1, known, [old] if old else [])[0]
    if whole(node) and node.name in known:
        return known[node.name]
    values = _column(state, node, 1, known, [] if old is None else [old])
    state.drawn[node.name] = values
    return values[0]


def _list(state: Drawing, node: Many, known: KnownNumbers, old: Any = None) -> list[Any]:
    item, count = node.item, count_of(state, node.count, known)
    is_tuple = isinstance(item, Tuple)
    before = old if isinstance(old, list) else []
    rows = rows_of(
        state,
        item.items if isinstance(item, Tuple) else [item],
        count,
        known,
        before if is_tuple else [[value] for value in before],
        fewest := _fewest(state, node.count, known),
    )
    if fewest is not None:
        known[node.count] = len(rows)
    return rows if is_tuple else [row[0] for row in rows]


def _fewest(state: Drawing, count: str, known: KnownNumbers) -> int | None:
    """Return the minimum length of a list; None if the input fixes its length."""
    if state.plan.layout.style != "json" or count not in known:
        return None
    others = {name: value for name, value in known.items() if name != count}
    return max(0, int(state.bounds.range(count, others).low))


def rows_of(
    state: Drawing,
    nodes: Sequence[Node],
    count: int,
    known: KnownNumbers,
    old: Sequence[Any] = (),
    fewest: int | None = None,
) -> list[list[Any]]:
    """Return rows of values, drawn column by column and then fitted to each other.

    There are `count` rows. If `fewest` is set and the rows must be distinct, `fewest` are enough.

    Raises:
        DrawError: No such rows are found, or fewer than `fewest` distinct ones.
    """
    if not count or not nodes:
        return [[] for _ in range(count)]
    names = [name_of(node) for node in nodes]
    edges = state.plan.edges.get(names[0])
    first: list[list[int]] = []
    if edges and not edges.rows_only:
        ends = edges_of(state, names, edges, count, known, old)
        first = [list(column) for column in zip(*ends, strict=True)]
    elif state.family not in ("corner", "replay") and like_edges(state, nodes, known, count):
        first = edge_like_columns(state, names, count, known)
    columns: list[Sequence[Any]] = [*first]
    for place, node in enumerate(nodes[len(first) :], len(first)):
        before = [row[place] for row in old if len(row) > place]
        columns.append(_nested(state, node, count, known, before) if isinstance(node, Many)
                       else _column(state, node, count, known, before))  # fmt: skip
    fit(state, nodes, columns, known, len(first) if edges and not edges.rows_only else 0)
    traits = [state.traits(name) for name in names]
    if len(nodes) > 1:
        _order(state, names, columns)
    rows = [list(row) for row in zip(*columns, strict=True)]
    lone = traits[0] if len(nodes) == 1 else NONE
    apart = len(nodes) == 1 and "different rows" in state.traits(inner_name(nodes[0]))
    if apart or "distinct" in lone or (edges and edges.rows_only):
        rows = _make_distinct(state, nodes, rows, known, count if fewest is None else fewest)
        if "distinct" in lone and ("ascending" in lone or "descending" in lone):
            rows.sort(reverse="descending" in lone)
    for place, name in enumerate(names):
        state.drawn[name] = columns[place] if len(nodes) > 1 else [row[place] for row in rows]
    return rows


def _order(state: Drawing, names: Sequence[str], columns: list[Sequence[Any]]) -> None:
    """Sort rows by the column that has to be sorted; if several have to, sort each separately.

    Sorting separately keeps ``a <= b`` between two columns.
    """
    descending_by_place = {
        place: "descending" in traits
        for place, name in enumerate(names)
        if (traits := state.traits(name)).keys() & {"ascending", "descending"}
    }
    chain = [place for place, name in enumerate(names) if "chain" in state.traits(name)]
    if chain:
        # The end of each row is at most the start of the next one.
        values = sorted(value for column in columns[: chain[0] + 1] for value in column)
        if len(set(values)) < len(values) and "strict" in state.traits(names[chain[0]])["chain"]:
            raise DrawError("different values")
        columns[: chain[0] + 1] = [values[place :: chain[0] + 1] for place in range(chain[0] + 1)]
    elif len(descending_by_place) == 1:
        (place, descending) = next(iter(descending_by_place.items()))
        rows = sorted(zip(*columns, strict=True), key=lambda row: row[place], reverse=descending)
        columns[:] = [list(column) for column in zip(*rows, strict=True)]
    if len(descending_by_place) > 1 and not chain:
        for place, descending in descending_by_place.items():
            columns[place] = sorted(columns[place], reverse=descending)


def _nested(
    state: Drawing, node: Many, count: int, known: KnownNumbers, old: Sequence[Any]
) -> list[list[Any]]:
    """Return `count` lists; a square matrix with its promised diagonal and symmetry."""
    lists = _lists(state, node, count, known, old)
    square = state.plan.matrices.get(inner_name(node))
    if square and all(len(row) == count for row in lists):
        for i in range(count):
            if "symmetric" in square:
                lists[i][:i] = [row[i] for row in lists[:i]]
            lists[i][i] = square.get("diagonal", lists[i][i])
    return lists


def _lists(
    state: Drawing, node: Many, count: int, known: KnownNumbers, old: Sequence[Any]
) -> list[list[Any]]:
    """Return `count` lists; a matrix if they hold integers and have one length."""
    item = node.item
    even = not node.count.isidentifier() or node.count in known
    free = not state.traits(inner_name(item)).keys() - {"different rows"}
    if isinstance(item, Scalar) and whole(item) and even and not old and free:
        width = count_of(state, node.count, known)
        choices = state.plan.choices.get(item.name)
        low, high = (0, len(choices) - 1) if choices else state.window(item.name, known)
        lists = (
            matrix(state.random, count, width, low, high) if width else [[] for _ in range(count)]
        )
        if state.bounds.row_limits(item.name, known, (INDEX,)) is None:
            return [[choices[value] for value in row] for row in lists] if choices else lists
    if not even:
        room = max(1, int(state.room // (count * max(1.0, node_cost(state, item, known)))))
        state.caps[node.count] = min(room, state.caps.get(node.count, room))
    before = [*old, *[None] * count]
    return [_list(state, node, known, before[place]) for place in range(count)]


def _make_distinct(
    state: Drawing, nodes: Sequence[Node], rows: list[list[Any]], known: KnownNumbers, fewest: int
) -> list[list[Any]]:
    """Replace repeated rows; return `fewest` or more distinct ones.

    Raises:
        DrawError: That number of distinct rows does not exist, or is not found.
    """
    if len(nodes) == 1 and whole(nodes[0]) and len({row[0] for row in rows}) == len(rows):
        return rows
    distinct = dict(zip(map(repr_of, rows), rows, strict=True))
    target, state.windows = len(rows), {}
    if all(map(whole, nodes)) and len(distinct) < target:
        # If few rows are possible, enumerate them: random draws would miss the last ones.
        spans = [state.bounds.range(name_of(node), known) for node in nodes]
        possible = math.prod(int(span.high - span.low) + 1 for span in spans)
        if possible < min(4 * target + 100, MOST_ROWS):
            every = itertools.product(*(range(int(low), int(high) + 1) for low, high in spans))
            fitted: list[Sequence[Any]] = [list(column) for column in zip(*every, strict=True)]
            fit(state, nodes, fitted, known, 0)
            rows = [list(row) for row in dict.fromkeys(zip(*fitted, strict=True))]
            state.random.shuffle(rows)
            rows = [row for row in rows if tuple(row) not in distinct]
            distinct |= {tuple(row): row for row in rows[: target - len(distinct)]}
    for _ in range(8):
        if len(distinct) >= target:
            break
        before = len(distinct)
        # More than are missing, as some of the new rows will repeat others.
        more = min(target, 2 * (target - before) + 100)
        columns: list[Sequence[Any]] = [
            _nested(state, node, more, known, ())
            if isinstance(node, Many)
            else _column(state, node, more, known, (), True)
            for node in nodes
        ]
        fit(state, nodes, columns, known, 0)
        if len(nodes) > 1:
            _order(state, [name_of(node) for node in nodes], columns)
        for row in zip(*columns, strict=True):
            if len(distinct) < target:
                distinct.setdefault(repr_of(row), list(row))
        # If enough other rows existed, the chance of drawing none of them would be below e**-8.
        if len(distinct) == before and target - before > 8:
            break
    if len(distinct) < fewest:
        raise DrawError("different rows")
    rows = list(distinct.values())
    for place, node in enumerate(nodes if len(nodes) > 1 else ()):
        if (traits := state.traits(name_of(node))).keys() & {"ascending", "descending"}:
            rows.sort(key=lambda row: row[place], reverse="descending" in traits)
    return rows


def fit(
    state: Drawing,
    nodes: Sequence[Node],
    columns: list[Sequence[Any]],
    known: KnownNumbers,
    done: int,
) -> None:
    """Change values that break a relation within a row, or between lists at one index.

    The first `done` columns stay as they are.

    Raises:
        DrawError: No change keeps the relations of a row.
    """
    names, count = [name_of(node) for node in nodes], len(columns[0])
    # Lists on other lines are related to these columns index by index.
    lists = [
        name
        for name, column in state.drawn.items()
        if len(column) == count and name not in names and name in state.plan.partners(names)
    ]
    rules = [
        state.bounds.row_limits(name, known, (INDEX, *lists, *names[:place]))
        if whole(node) and place >= done
        else None
        for place, (name, node) in enumerate(zip(names, nodes, strict=True))
    ]
    if not any(rules):
        return
    starts = state.plan.spec.first
    firsts = [starts[name] for name in names if name in starts]
    first = 0 if state.plan.layout.style == "json" else max(firsts, default=1)
    spans = [
        state.bounds.range(name, known) if rule else None
        for name, rule in zip(names, rules, strict=True)
    ]
    fitted = [list(column) for column in columns]

    def fit_row(index: int) -> None:
        row: Row = {INDEX: index + first}
        for name in lists:
            row[name] = state.drawn[name][index]
        for name, rule, span, column in zip(names, rules, spans, fitted, strict=True):
            if rule and span:
                column[index] = _fit_value(
                    state, name, column[index], int(span.low), int(span.high), rule, row
                )
            row[name] = column[index]

    for index in range(count):
        for again in range(TRIES):
            try:
                fit_row(index)
                break
            except DrawError:
                if again == TRIES - 1 or done:
                    raise
                # The first values of the row leave none for the last: draw others, mostly small.
                for name, node, column in zip(names, nodes, fitted, strict=True):
                    if whole(node):
                        low, high = map(int, state.bounds.range(name, known))
                        column[index] = logarithmic(state.random, low, high)
    columns[:] = fitted


def _fit_value(
    state: Drawing, name: str, value: int, low: int, high: int, rule: RowLimits, row: Row
) -> int:
    """Return the value, or another one from low to high, that keeps the relations of its row."""
    for end in rule.lows:
        low = max(low, int(end(row)))
    for end in rule.highs:
        high = min(high, int(end(row)))
    if low > high:
        raise DrawError(f"a value of {name} between {low} and {high}")
    if not low <= value <= high:
        value = state.random.randint(low, high)

    def fits(candidate: int) -> bool:
        row[name] = candidate
        return all(test(row) for test in rule.tests)

    if fits(value):
        return value
    low, high = map(int, fitting_part(low, high, fits))
    for _ in range(TRIES):
        value = state.random.randint(low, high)
        if fits(value):
            return value
    raise DrawError(f"a value of {name}")


def _column(
    state: Drawing,
    node: Node,
    count: int,
    known: KnownNumbers,
    old: Sequence[Any] = (),
    plain: bool = False,
) -> list[Any]:
    """Return `count` values of a node that follow a pattern.

    `plain` values are independent of each other, over the whole range.
    """
    if isinstance(node, Tuple):
        return [rows_of(state, node.items, 1, known)[0] for _ in range(count)]
    assert isinstance(node, Scalar)
    name, kind, draw = node.name, node.kind, state.random
    choices = state.plan.choices.get(name)
    if choices:
        # Draw indices of choices, so that patterns apply to them.
        places = (independent if plain else array)(
            draw, count, *state.window_in(name, 0, len(choices) - 1)
        )
        return [choices[place] for place in places]
    if kind == "text":
        return texts(state, name, count, known, old, plain)
    if kind == "bool":
        return [bool(value) for value in array(draw, count, 0, 1)]
    if kind == "real":
        low, high = state.bounds.range(name, known)
        scale = draw.choice((1, 10, 100, 10_000))
        low, high = state.window_in(name, int(low * scale), int(high * scale))
        return [value / scale for value in array(draw, count, low, high)]
    return integers(state, name, count, known, old, plain)


def node_cost(state: Drawing, node: Node, known: KnownNumbers) -> float:
    """Return the approximate number of characters of a node."""
    if isinstance(node, Many):
        count = max(0.0, state.bounds.of(node.count, known).low)
        return count * node_cost(state, node.item, known)
    if isinstance(node, Tuple):
        edges = state.plan.edges.get(node.items[0].name)
        slow = edges and edges.rows_only and state.family not in ROOM
        cost = sum(node_cost(state, item, known) for item in node.items)
        return max(DISTINCT_ROW, cost) if slow else cost
    if node.kind == "text" and node.name not in state.plan.choices:
        return 1 + max(1.0, float(state.bounds.range_of(known)(f"len_{node.name}").low))
    if node.kind == "int" and node.name not in state.plan.choices:
        low, high = state.bounds.range(node.name, known)
        return max(len(str(int(low))), len(str(int(high)))) + (
            2 if state.plan.layout.style == "json" else 1
        )
    return 8


def repr_of(row: Sequence[Any]) -> Any:
    """Return a hashable value that identifies a row."""
    return tuple(map(repr, row)) if any(isinstance(value, list) for value in row) else tuple(row)


def inner_name(node: Node) -> str:
    """Return the name of the innermost values of a node."""
    return inner_name(node.item) if isinstance(node, Many) else name_of(node)
