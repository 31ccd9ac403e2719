"""Makes one input of a plan.

Values are drawn block by block: first the numbers that say how long things are (`numbers`), then
arrays (`rows`, of `columns`, `words` and `edges`), and last the numbers that nothing depends on,
often from what the arrays hold. Every value is fitted to what the relations leave open once those
before it are known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..expressions import names_in
from ..layout import Choice, Item, Line, Loop, Many, Node, Scalar
from .bounds import Values
from .numbers import count_of, number
from .patterns import PATTERNS, array, logarithmic
from .plan import whole
from .replay import Old, resized
from .rows import node_cost, rows_of, value_of
from .state import LARGEST, ROOM, TRIES, Drawing

# what a block takes beside its characters: blocks are drawn one by one, which takes as long as many
# values
BLOCK = 100
MANY_CASES = 500  # of one line each: more are drawn column by column


def input_of(state: Drawing) -> str:
    """Return the input."""
    state.room = ROOM.get(state.family, LARGEST)
    body = state.plan.layout.body
    known = _scope(state, body, {}, state.room, {}, state.old)
    lines = _block(state, body, known, state.room, state.old)
    return "".join(_line(state, values) + "\n" for values in lines)


def _line(state: Drawing, values: Sequence[Any]) -> str:
    if state.plan.layout.style == "json":
        return json.dumps(values[0], ensure_ascii=False)
    return " ".join(
        " ".join(flat(value)) if isinstance(value, list) else str(value) for value in values
    )


def _block(
    state: Drawing, body: Sequence[Item], known: Values, room: int, old: Old | None
) -> list[list[Any]]:
    lines: list[list[Any]] = []
    late = state.plan.late(body)
    open_places: list[tuple[list[Any], int, str]] = []
    for at, item in enumerate(body):
        before = old.items[at] if old else []
        if isinstance(item, Line):
            line: list[Any] = []
            for place, node in enumerate(item.nodes):
                if isinstance(node, Scalar) and node.name in late:
                    open_places.append((line, place, node.name))
                    line.append(None)
                else:
                    line.append(value_of(state, node, known, before[place] if before else None))
            lines.append(line)
        elif isinstance(item, Choice):
            lines += _kinds(state, item, 1, known, before)
        elif item.count == state.plan.layout.cases:
            lines += _cases(state, item, known, room, before)
        else:
            lines += _repeat(state, item, known, room, before)
    for line, place, name in open_places:
        line[place] = known[name] = number(state, name, known, (), old)
    return lines


def _repeat(
    state: Drawing, item: Loop, known: Values, room: int, old: Sequence[Old]
) -> list[list[Any]]:
    count = _block_count(state, item, known, room)
    first = item.body[0]
    rows = [block.items[0] for block in old if not isinstance(first, Loop)]
    if len(item.body) == 1 and isinstance(first, Choice):
        return _kinds(state, first, count, known, rows)
    if _are_rows(state, item):
        assert isinstance(first, Line)
        return rows_of(state, first.nodes, count, known, rows)
    lines = []
    for index in range(count):
        before = old[index] if index < len(old) else None
        inner = _scope(state, item.body, known, room // max(1, count), {}, before)
        lines += _block(state, item.body, inner, room // max(1, count), before)
    return lines


def _are_rows(state: Drawing, item: Loop) -> bool:
    """Whether a repeat is of one line, so that it is drawn column by column.

    A test case is so in large inputs.
    """
    first = item.body[0]
    if len(item.body) > 1 or not isinstance(first, Line) or _uneven(state, first.nodes):
        return False
    large = state.family in ("corner", "max") and not state.plan.totals
    return item.count != state.plan.layout.cases or (large and all(map(whole, first.nodes)))


def _kinds(
    state: Drawing, choice: Choice, count: int, known: Values, old: Sequence[Any]
) -> list[list[Any]]:
    """Return lines of several kinds, each named by its first word.

    Those of one kind are drawn together.
    """
    names = [kind for kind, _ in choice.kinds]
    if state.family == "replay" and old:
        wanted = [line[0] for line in resized(state.random, old, count)]
    else:
        wanted = [names[place] for place in array(state.random, count, 0, len(names) - 1)]
    lines: dict[str, Iterator[list[Any]]] = {}
    for kind, nodes in choice.kinds:
        mine, before = wanted.count(kind), [line[1:] for line in old if line[0] == kind]
        if not _uneven(state, nodes):
            lines[kind] = iter(rows_of(state, nodes, mine, known, before))
            continue
        body, room = state.plan.form(choice, kind), state.room // max(1, count)
        lines[kind] = iter([_block(state, body, _scope(state, body, known, room, {}, None), room, None)[0]
                            for _ in range(mine)])  # fmt: skip
    # Rows that had to be different may be fewer than were wanted.
    return [[kind, *line] for kind in wanted if (line := next(lines[kind], None)) is not None]


def _uneven(state: Drawing, nodes: Sequence[Node]) -> bool:
    """Whether a line holds a list that a number of the same line counts."""
    mine = {node.name for node in nodes if isinstance(node, Scalar)}
    return any(isinstance(node, Many) and names_in(node.count) & mine for node in nodes)


def _cases(
    state: Drawing, item: Loop, known: Values, room: int, old: Sequence[Old]
) -> list[list[Any]]:
    """Return the lines of the test cases, which share what is limited for all of them together."""
    count, first = _block_count(state, item, known, room), item.body[0]
    if count > MANY_CASES and isinstance(first, Line) and _are_rows(state, item):
        return rows_of(state, first.nodes, count, known, [block.items[0] for block in old])
    left = dict(state.plan.totals)
    least = {of: max(0, int(state.bounds.of(of, {}).low)) for of in left}
    # One huge case among tiny ones, cases of one size, or of any.
    mode = (
        (state.seed + state.seed // len(PATTERNS)) % 3
        if state.family == "max"
        else state.random.randrange(1, 3)
    )
    huge = state.random.randrange(count) if mode == 0 and count else -1
    lines = []
    for index in range(count):
        state.fresh(index)
        shares = {
            of: _share(state, limit, least[of], count - index, mode, index == huge)
            for of, limit in left.items()
        }
        before = old[index] if index < len(old) else state.random.choice(old) if old else None
        mine = max(1, room // 2 if index == huge else room // (2 * count if mode == 0 else count))
        inner = _scope(state, item.body, known, mine, shares, before)
        lines += _block(state, item.body, inner, mine, before)
        left = {of: limit - int(state.bounds.of(of, inner).low) for of, limit in left.items()}
    return lines


def _share(state: Drawing, left: int, least: int, cases: int, mode: int, huge: bool) -> int:
    """Return what the next case may take of what is left for all."""
    # The smallest that every later case needs is kept back for it.
    most = left - least * (cases - 1)
    if mode == 0:
        return (
            most
            if huge
            else min(most, least + logarithmic(state.random, 0, max(0, left // (20 * cases))))
        )
    return max(
        least, min(most, (1 if mode == 1 else state.random.choice((1, 1, 2, 3))) * left // cases)
    )


def _scope(
    state: Drawing,
    body: Sequence[Item],
    outside: Values,
    room: int,
    shares: Mapping[str, int],
    old: Old | None,
) -> Values:
    """Draw the numbers of a block so that what they ask for fits into `room` characters."""
    ordered = state.plan.ordered(body)
    extra = [(of, "<=", str(share)) for of, share in shares.items()]
    state.caps, state.room = {}, room
    # Shorten the longest until all fits: drawn again, since other numbers may depend on it.
    for _ in range(TRIES * 2):
        known = dict(outside)
        for name in ordered:
            known[name] = number(state, name, known, extra, old)
        lengths = [
            name for name in ordered if name in state.plan.sizes and state.caps.get(name) != 1
        ]
        cost = _cost(state, body, known)
        if cost <= room or not lengths:
            break
        longest = max(lengths, key=lambda name: known[name])
        # At most by half: several lengths may have to share what is too much.
        state.caps[longest] = max(1, int(known[longest] * max(0.5, 0.999 * room / cost)))
    return known


def _cost(state: Drawing, body: Sequence[Item], known: Values) -> float:
    """Return how many characters a body will have.

    Lengths that are not drawn yet count as their smallest.
    """
    total = 0.0
    for item in body:
        if isinstance(item, Line):
            total += sum(node_cost(state, node, known) for node in item.nodes)
        elif isinstance(item, Choice):
            total += max(
                sum(node_cost(state, node, known) for node in nodes) for _, nodes in item.kinds
            )
        else:
            each = _cost(state, item.body, known) + (0 if _are_rows(state, item) else BLOCK)
            total += float(max(0, state.bounds.of(item.count, known).low)) * each
    return total


def _block_count(state: Drawing, item: Loop, known: Values, room: int) -> int:
    """Return how many blocks there are.

    Where no line has said it before, as many as there is room for.
    """
    if item.count not in known:
        each = (0 if _are_rows(state, item) else BLOCK) + _cost(state, item.body, known)
        state.caps[item.count] = max(1, int(room / max(1.0, each)))
    return count_of(state, item.count, known)


def flat(value: Any) -> Iterator[str]:
    """Yield the words of a list, and of the lists in it."""
    for item in value:
        if isinstance(item, list):
            yield from flat(item)
        else:
            yield str(item)
