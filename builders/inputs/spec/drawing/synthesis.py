"""Draws one input from a plan.

Values are drawn block by block: first lengths and counts (`numbers`), then arrays (`rows`, made of
`columns`, `words` and `edges`), and last the numbers that nothing depends on, often computed from
the arrays. Every value is drawn from the range that the relations leave after the earlier values.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..expressions import names_in
from ..layout import Choice, Item, Line, Loop, Many, Node, Scalar
from .bounds import KnownNumbers
from .numbers import count_of, number
from .patterns import PATTERNS, array, logarithmic
from .plan import whole
from .replay import SampleBlock, resized
from .rows import node_cost, rows_of, value_of
from .state import LARGEST, ROOM, TRIES, Drawing

# The extra cost of a block in characters: drawing one takes as long as drawing many values.
BLOCK = 100
MANY_CASES = 500  # test cases of one line: more are drawn column by column


def input_of(state: Drawing) -> str:
    """Return the text of an input.

    Raises:
        DrawError: The drawn values leave none for the rest.
    """
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
    state: Drawing, body: Sequence[Item], known: KnownNumbers, room: int, old: SampleBlock | None
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
    state: Drawing, item: Loop, known: KnownNumbers, room: int, old: Sequence[SampleBlock]
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
    """Whether a loop is drawn column by column: a loop over single lines of equal length.

    A loop over test cases is drawn in this way only in large inputs.
    """
    first = item.body[0]
    if len(item.body) > 1 or not isinstance(first, Line) or _is_uneven(state, first.nodes):
        return False
    large = state.family in ("corner", "max") and not state.plan.totals
    return item.count != state.plan.layout.cases or (large and all(map(whole, first.nodes)))


def _kinds(
    state: Drawing, choice: Choice, count: int, known: KnownNumbers, old: Sequence[Any]
) -> list[list[Any]]:
    """Return lines of a choice, each with its kind first; lines of one kind are drawn together."""
    names = [kind for kind, _ in choice.kinds]
    if state.family == "replay" and old:
        sequence = [line[0] for line in resized(state.random, old, count)]
    else:
        sequence = [names[place] for place in array(state.random, count, 0, len(names) - 1)]
    lines: dict[str, Iterator[list[Any]]] = {}
    for kind, nodes in choice.kinds:
        times, before = sequence.count(kind), [line[1:] for line in old if line[0] == kind]
        if not _is_uneven(state, nodes):
            lines[kind] = iter(rows_of(state, nodes, times, known, before))
            continue
        body, room = state.plan.form(choice, kind), state.room // max(1, count)
        scopes = (_scope(state, body, known, room, {}, None) for _ in range(times))
        lines[kind] = iter([_block(state, body, scope, room, None)[0] for scope in scopes])
    # There may be fewer distinct rows than requested.
    return [[kind, *line] for kind in sequence if (line := next(lines[kind], None)) is not None]


def _is_uneven(state: Drawing, nodes: Sequence[Node]) -> bool:
    """Whether a line holds a list and its length, so that lines differ in length."""
    own = {node.name for node in nodes if isinstance(node, Scalar)}
    return any(isinstance(node, Many) and names_in(node.count) & own for node in nodes)


def _cases(
    state: Drawing, item: Loop, known: KnownNumbers, room: int, old: Sequence[SampleBlock]
) -> list[list[Any]]:
    """Return the lines of the test cases, which share the totals of the plan."""
    count, first = _block_count(state, item, known, room), item.body[0]
    if count > MANY_CASES and isinstance(first, Line) and _are_rows(state, item):
        return rows_of(state, first.nodes, count, known, [block.items[0] for block in old])
    left = dict(state.plan.totals)
    least = {of: max(0, int(state.bounds.of(of, {}).low)) for of in left}
    # Modes: 0 one huge case among tiny ones, 1 cases of one size, 2 cases of random sizes.
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
        own = max(1, room // 2 if index == huge else room // (2 * count if mode == 0 else count))
        inner = _scope(state, item.body, known, own, shares, before)
        lines += _block(state, item.body, inner, own, before)
        left = {of: limit - int(state.bounds.of(of, inner).low) for of, limit in left.items()}
    return lines


def _share(state: Drawing, left: int, least: int, cases: int, mode: int, huge: bool) -> int:
    """Return how much of the rest of a total the next case gets."""
    # Reserve the minimum for every later case.
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
    outside: KnownNumbers,
    room: int,
    shares: Mapping[str, int],
    old: SampleBlock | None,
) -> KnownNumbers:
    """Draw the numbers of a block so that its lists and texts fit into `room` characters."""
    ordered = state.plan.ordered(body)
    extra = [(of, "<=", str(share)) for of, share in shares.items()]
    state.caps, state.room = {}, room
    # Shorten the longest until the block fits. All are drawn again, as others may depend on it.
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
        # At most by half: several lengths may have to be shortened.
        state.caps[longest] = max(1, int(known[longest] * max(0.5, 0.999 * room / cost)))
    return known


def _cost(state: Drawing, body: Sequence[Item], known: KnownNumbers) -> float:
    """Return the expected number of characters of a body; unknown lengths count as the minimum."""
    total = 0.0
    for item in body:
        if isinstance(item, Line):
            total += sum(node_cost(state, node, known) for node in item.nodes)
        elif isinstance(item, Choice):
            total += max(
                sum(node_cost(state, node, known) for node in nodes) for _, nodes in item.kinds
            )
        else:
            per_block = _cost(state, item.body, known) + (0 if _are_rows(state, item) else BLOCK)
            total += float(max(0, state.bounds.of(item.count, known).low)) * per_block
    return total


def _block_count(state: Drawing, item: Loop, known: KnownNumbers, room: int) -> int:
    """Return the number of blocks of a loop; if it is drawn, at most as many as `room` allows."""
    if item.count not in known:
        per_block = (0 if _are_rows(state, item) else BLOCK) + _cost(state, item.body, known)
        state.caps[item.count] = max(1, int(room / max(1.0, per_block)))
    return count_of(state, item.count, known)


def flat(value: Any) -> Iterator[str]:
    """Yield the words of a nested list."""
    for item in value:
        if isinstance(item, list):
            yield from flat(item)
        else:
            yield str(item)
