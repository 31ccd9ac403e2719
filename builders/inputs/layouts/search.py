"""Searches the simplest layouts, in a small grammar of lines, that all inputs fit.

A line is some values, a list with the length of an earlier number (``n``, ``n - 1``, ``n + 1``,
``2 * n``), values and then a list, or one of several kinds of values that its first word names.
Such a number may also count the repeats of a line or of a group of lines. Every step reads all
inputs at once, so a second input with other sizes rules out most layouts that fit the first one.
Layouts come in the order of their cost: each line, list and repeat has a cost, and a count that
adds or multiplies costs more than a plain number.

Values are named ``_1``, ``_2``, …; `layout.renamed` gives them real names.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from venus_toolkit.builders.inputs.spec.checking.checks import InputError
from venus_toolkit.builders.inputs.spec.checking.values import LOOSE_INTEGER, Reader
from venus_toolkit.builders.inputs.spec.expressions import names_in
from venus_toolkit.builders.inputs.spec.layout import (
    Choice,
    Item,
    Layout,
    Line,
    Loop,
    Many,
    Node,
    Scalar,
    counts,
    scalars,
)
from venus_toolkit.builders.inputs.spec.specification import SpecError

MOST_INPUTS = 8  # inputs to search
MOST_SECONDS = 2.0  # CPU time of a search
MOST_VALUES = 8  # in a line that is not a list
MOST_GROUPS = 200  # bodies of a repeated group to try for one count
# Costs, relative to 1 for a line: a value; a list; a value before a list; a form of a choice; a
# repeat; a constant count; each earlier use of the counting number; each number read before it.
PER_VALUE, LIST, LEAD, KIND, REPEAT, FIXED, USED, LATER = 0.06, 0.15, 0.1, 0.4, 0.5, 1.7, 0.03, 0.02


class DerivedCount(NamedTuple):
    """A count computed from a number, and its costs for lines and for lists."""

    of: Callable[[int], int]
    in_lines: float
    in_lists: float


DERIVED_COUNTS = {
    "n - 1": DerivedCount(lambda n: n - 1, 0.35, 0.1),
    "n + 1": DerivedCount(lambda n: n + 1, 1.2, 0.12),
    "2 * n": DerivedCount(lambda n: 2 * n, 0.6, 0.12),
}

Known = Mapping[str, int]


class Position(NamedTuple):
    """A line of one input, and the numbers read before it."""

    rows: Sequence[str]
    at: int
    known: Known

    def words(self) -> list[str]:
        """Return the words of the line."""
        return self.rows[self.at].split()


class Count(NamedTuple):
    """An expression for a number of things, its cost, and its value for known numbers."""

    text: str
    cost: float
    of: Callable[[Known], int]


class Form(NamedTuple):
    """A possible content of a line, its cost, and the numbers known after it at each position."""

    cost: float
    item: Line | Choice
    known: tuple[Known, ...]


class Extension(NamedTuple):
    """A possible next item, its cost, and the positions after it."""

    cost: float
    item: Item
    places: tuple[Position, ...]


def layouts(inputs: Sequence[str], prefix: Sequence[Item] = ()) -> Iterator[Layout]:
    """Yield layouts that begin with `prefix` and that some inputs fit, the simplest first.

    The search leaves long inputs out: the caller checks that a layout fits them.
    """
    until = time.process_time() + MOST_SECONDS
    places = [Position(text.rstrip().split("\n"), 0, {}) for text in _search_inputs(inputs)]
    start = _after_items(places, prefix)
    for items in _bodies(start, tuple(prefix), until) if start else ():
        yield Layout("lines", items, _cases(items))


def _after_items(places: Sequence[Position], items: Sequence[Item]) -> list[Position]:
    """Return the positions after `items`, read from `places` on; nothing if one does not fit."""
    known = {name for place in places for name in place.known}
    try:
        reader = Reader(Layout("lines", tuple(items)), loose=True, known=known)
        read = [reader.read_part(place.rows, place.at, place.known) for place in places]
    except (InputError, SpecError):
        return []
    return [Position(p.rows, part.end, part.known) for p, part in zip(places, read, strict=True)]


def _search_inputs(inputs: Sequence[str]) -> list[str]:
    """Return up to MOST_INPUTS short inputs with different first lines."""
    longest_input = 40_000  # characters
    short = sorted(
        {text for text in inputs if text.strip() and len(text) <= longest_input},
        key=len,
        reverse=True,
    )
    best = sorted({text.split("\n", 1)[0]: text for text in short}.values(), key=len)
    # The shortest show little (each number is 1) and the longest take most time.
    return (
        [best[at * len(best) // MOST_INPUTS] for at in range(MOST_INPUTS)]
        if len(best) > MOST_INPUTS
        else best
    )


def _cases(items: Sequence[Item]) -> str | None:
    """Return the count of test cases: a number alone in the first line, then a group to the end."""
    if len(items) != 2 or not isinstance(items[0], Line) or not isinstance(items[1], Loop):
        return None
    alone = len(items[0].nodes) == 1 and isinstance(items[0].nodes[0], Scalar)
    return (
        items[1].count
        if alone and len(items[1].body) > 1 and items[1].count.isidentifier()
        else None
    )


# ------------------------------------------------------------------ bodies and groups


class State(NamedTuple):
    """Items and the positions after them, in a heap by cost; tie keeps the order of equal costs.

    With a count, the next step searches a group of lines that repeats that often.
    """

    cost: float
    tie: int
    items: tuple[Item, ...]
    places: tuple[Position, ...]
    group: Count | None = None


def _bodies(
    places: Sequence[Position], items: tuple[Item, ...], until: float
) -> Iterator[tuple[Item, ...]]:
    """Yield the items from the positions to the ends of their inputs, the cheapest first."""
    tie = itertools.count()
    heap = [State(0.0, next(tie), items, tuple(places))]
    most_states = 1_000
    for _ in range(most_states):
        if not heap or time.process_time() > until:
            return
        cost, _, items, now, count = heapq.heappop(heap)
        if count:
            steps: Iterator[Extension] = _group(now, items, count, until)
        elif all(place.at >= len(place.rows) for place in now):
            yield items
            continue
        else:
            steps = itertools.chain(_steps(now, items), _boards(now, items))
            # The search of a group is slow, so it waits until nothing cheaper is left.
            for many, _ in _fitting_counts(now, items, height=2):
                heapq.heappush(
                    heap, State(cost + REPEAT + many.cost + 2, next(tie), items, now, many)
                )
            before = cost
        for step in steps:
            start = cost - 2 - REPEAT - count.cost if count else before
            heapq.heappush(
                heap, State(start + step.cost, next(tie), (*items, step.item), step.places)
            )


def _steps(places: Sequence[Position], items: Sequence[Item]) -> Iterator[Extension]:
    """Yield the lines, and the repeated lines, that may come next."""
    if all(place.at < len(place.rows) for place in places):
        for form in _forms(places, items):
            after = [
                Position(p.rows, p.at + 1, known)
                for p, known in zip(places, form.known, strict=True)
            ]
            yield Extension(form.cost, form.item, tuple(after))
    for count, times in _fitting_counts(places, items):
        row = [
            Position(p.rows, p.at + k, p.known)
            for p, many in zip(places, times, strict=True)
            for k in range(many)
        ]
        after = [
            Position(p.rows, p.at + many, p.known) for p, many in zip(places, times, strict=True)
        ]
        for form in _forms(row, items):
            yield Extension(
                REPEAT + count.cost + form.cost, Loop(count.text, (form.item,)), tuple(after)
            )


def _fitting_counts(
    places: Sequence[Position], items: Sequence[Item], height: int = 1
) -> Iterator[tuple[Count, list[int]]]:
    """Yield the counts for which each position has enough lines left: `height` for each repeat."""
    for count in _counts(places, items):
        times = [count.of(place.known) for place in places]
        left = [len(place.rows) - place.at for place in places]
        if (
            all(0 <= many * height <= lines for many, lines in zip(times, left, strict=True))
            and max(times) > 1
        ):
            yield count, list(map(int, times))


def _boards(places: Sequence[Position], items: Sequence[Item]) -> Iterator[Extension]:
    """Yield a board: a repeat of all lines that are left, if every input has the same number."""
    left = {len(place.rows) - place.at for place in places}
    largest_board = 12  # lines
    if len(left) == 1 and 2 < min(left) <= largest_board:
        row = [Position(p.rows, at, p.known) for p in places for at in range(p.at, len(p.rows))]
        after = tuple(Position(p.rows, len(p.rows), p.known) for p in places)
        # Lines whose lengths depend on a number are arrays with separate names, not a board.
        for form in _forms(row, items):
            if any(map(names_in, counts([form.item]))):
                continue
            yield Extension(REPEAT + FIXED + form.cost, Loop(str(min(left)), (form.item,)), after)


def _group(
    places: Sequence[Position], items: Sequence[Item], count: Count, until: float
) -> Iterator[Extension]:
    """Yield the repeat of the simplest lines that fit all groups of each input."""
    tie = itertools.count()
    firsts = tuple(place for place in places if count.of(place.known))
    heap = [State(0.0, next(tie), (), firsts)]
    most_items = 4  # lines and repeats in a repeated group
    for _ in range(MOST_GROUPS):
        if not heap or time.process_time() > until:
            return
        cost, _, body, now, _ = heapq.heappop(heap)
        item = Loop(count.text, body)
        if len(body) > 1 and (ends := _after_items(places, [item])):
            after = [Position(p.rows, end.at, p.known) for p, end in zip(places, ends, strict=True)]
            yield Extension(REPEAT + count.cost + cost, item, tuple(after))
            return
        for step in _steps(now, (*items, *body)) if len(body) < most_items else ():
            heapq.heappush(
                heap, State(cost + step.cost, next(tie), (*body, step.item), step.places)
            )


# ------------------------------------------------------------------ counts


def _counts(
    places: Sequence[Position], items: Sequence[Item], in_lists: bool = False
) -> Iterator[Count]:
    """Yield the expressions that may count things, over the numbers known at all positions."""
    if not places:
        return
    used = [name for count in counts(items) for name in names_in(count)]
    most_names = 8  # only the latest numbers may count things
    largest_count = 10_000_000
    names = [
        name
        for name in places[0].known
        if all(0 <= place.known.get(name, -1) <= largest_count for place in places)
    ][-most_names:]
    for place, name in enumerate(names):
        known_cost = USED * used.count(name) + LATER * place
        yield Count(name, known_cost, lambda known, a=name: known[a])  # type: ignore[misc]
        for text, derived in DERIVED_COUNTS.items():
            yield Count(
                text.replace("n", name),
                known_cost + (derived.in_lists if in_lists else derived.in_lines),
                lambda known, a=name, of=derived.of: of(known[a]),  # type: ignore[misc]
            )


# ------------------------------------------------------------------ forms of a line


def _forms(places: Sequence[Position], items: Sequence[Item]) -> Iterator[Form]:
    """Yield the forms that the lines at all the positions share."""
    words = [place.words() for place in places]
    widths = {len(line) for line in words}
    names = [
        f"_{number}"
        for number in itertools.islice(
            itertools.count(1 + len(list(scalars(items)))), MOST_VALUES + 1
        )
    ]
    if widths == {0}:
        yield Form(1 - LIST, Line(), tuple(place.known for place in places))
    elif len(widths) == 1 and max(widths) <= MOST_VALUES:
        width = max(widths)
        nodes = tuple(Scalar(name, "word") for name in names[:width])
        yield Form(1 + PER_VALUE * width, Line(nodes), _known_after(places, words, names[:width]))
    elif len(widths) == 1:
        name = names[0]
        many = Many(name, str(max(widths)), Scalar(name, "word"))
        yield Form(1 + LIST + FIXED, Line((many,)), tuple(place.known for place in places))
    if max(widths) > 1:
        yield from _lists(places, words, names)
    yield from _choice(places, words, names)


def _lists(
    places: Sequence[Position], words: Sequence[Sequence[str]], names: Sequence[str]
) -> Iterator[Form]:
    most_leads = 2  # values before a list in the same line
    for lead in range(min(most_leads, *map(len, words)) + 1):
        lengths = [len(line) - lead for line in words]
        if max(lengths) < 2:
            return
        known = _known_after(places, words, names[:lead])
        there = [Position(p.rows, p.at, k) for p, k in zip(places, known, strict=True)]
        for count in _counts(there, (), in_lists=True):
            if all(count.of(k) == length for k, length in zip(known, lengths, strict=True)):
                nodes: list[Node] = [Scalar(name, "word") for name in names[:lead]]
                nodes.append(Many(names[lead], count.text, Scalar(names[lead], "word")))
                yield Form(1 + LIST + LEAD * lead + count.cost, Line(tuple(nodes)), known)


def _choice(
    places: Sequence[Position], words: Sequence[Sequence[str]], names: Sequence[str]
) -> Iterator[Form]:
    """Yield the choice of kinds for a line whose first word decides how many words follow."""
    kinds: dict[str, set[int]] = {}
    most_kinds = 9
    for line in words:
        kinds.setdefault(line[0] if line else "", set()).add(len(line) - 1)
        if len(kinds) > most_kinds:
            return
    fixed = all(len(lengths) == 1 for lengths in kinds.values())
    widths = {max(lengths) for lengths in kinds.values()}
    if (
        "" in kinds
        or not fixed
        or len(widths) < 2
        or max(widths) > MOST_VALUES
        or len(words) < 2 * len(kinds)
    ):
        return
    if not (
        all(map(str.isalpha, kinds)) or all(kind.isdigit() and len(kind) == 1 for kind in kinds)
    ):
        return
    # Each kind has its own names: the same place may have another meaning in another kind.
    forms: list[tuple[str, tuple[Node, ...]]] = [
        (
            kind,
            tuple(Scalar(f"{names[place]}_{number}", "word") for place in range(max(kinds[kind]))),
        )
        for number, kind in enumerate(sorted(kinds), start=1)
    ]
    yield Form(1 + KIND * len(kinds), Choice(tuple(forms)), tuple(place.known for place in places))


def _known_after(
    places: Sequence[Position], words: Sequence[Sequence[str]], names: Sequence[str]
) -> tuple[Known, ...]:
    """Return the known numbers once the first words of a line have these names."""
    return tuple(
        {
            **place.known,
            **{n: int(word) for n, word in zip(names, line, strict=False) if _is_count(word)},
        }
        for place, line in zip(places, words, strict=True)
    )


def _is_count(word: str) -> bool:
    return len(word) < 9 and LOOSE_INTEGER.fullmatch(word) is not None
