"""Makes one input of a plan.

Values are drawn block by block: first the numbers that say how long things are, then arrays, and
last the numbers that nothing depends on, often from what the arrays hold. Every value is fitted to
what the relations leave open once those before it are known.

The families, and what their inputs are for (`FAMILIES`):

- ``tiny``: sizes up to the least + 5 and two to five different values: nearly every case that there
  is.
- ``multiscale``: sizes up to the least + 59; sizes and windows of values of every order of
  magnitude; ``middle`` alike with sizes up to the least + 999.
- ``replay``: a sample or given input, varied.
- ``corner``: sizes, numbers and arrays each at an end of their range; the seed says which, bit by
  bit.
- ``max``: sizes as large as may be, in characters up to `LARGEST`; the seed walks through the
  patterns.

A number instead of a family, ``1000`` or ``n=1000``, is how large all sizes, or the one of that
name, are to be.
"""

from __future__ import annotations

import heapq
import itertools
import json
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from ..expressions import names_in
from ..layout import Choice, Item, Line, Loop, Many, Node, Scalar, Tuple
from .bounds import Narrow, Row, Values, last
from .patterns import (
    PATTERNS,
    TREES,
    anywhere,
    array,
    echo,
    graph,
    independent,
    logarithmic,
    matrix,
    neighbours_differ,
    nested,
    prime_near,
    special,
    tree,
    with_sum,
    with_words,
    word,
)
from .plan import Edges, Plan, whole
from .replay import Old, edited, edited_word, other_number, read_sample, resized

FAMILIES = ("tiny", "multiscale", "middle", "replay", "corner", "max")
# The size classes of generators without families, for whoever asks for those.
FAMILY_OF = {
    "small": "tiny",
    "random": "multiscale",
    "boundary": "corner",
    "large": "max",
    "worst": "max",
}
# characters of an input, about: what a statement allows beyond that is not reached
LARGEST = 16_000_000
# what a block takes beside its characters: blocks are drawn one by one, which takes as long as many
# values
BLOCK = 100
# what a row takes at least of which no two may be equal: in twenty seconds a million are not drawn
DIFFERENT = 60
MANY_CASES = 500  # of one line each: more are drawn column by column
ROOM = {"tiny": 6_000, "multiscale": 24_000, "middle": 90_000, "replay": 30_000}
SPREAD = {"tiny": 5, "multiscale": 59, "middle": 999, "replay": 59}
BESIDE = 50  # lengths beside the one of which a size was asked
CONSTANTS = 0.12  # of the numbers, and of the windows of values, are about one that is spelt out
LONGEST_NEAR = 2_000  # a length is about a number that is spelt out up to here
DULL = 0.1  # of the inputs, and of test cases, have texts of one letter
WORDS = 0.25  # of the texts hold words that are spelt out
TRIES = 40
# How often the sizes of each attempt are halved: the first ones get stuck by chance, later ones find
# out which sizes are possible.
HALVINGS = (0, 0, 1, 3, 6, 10, 14, 18)
MOST_ROWS = 4_000_000  # that are listed where rows have to be different
MOST_EARLIER = 12  # arrays, and words, that later ones are made of
INDEX = "i"
BRACKETS = ("()", "[]", "{}", "<>")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def family_of(family: str) -> str:
    """Return the family that a name or a number stands for."""
    sized = "max" if ASKED.fullmatch(family) else "multiscale"
    return FAMILY_OF.get(family, family if family in FAMILIES else sized)


ASKED = re.compile(r"(?:(\w+)=)?(\d{1,18})")


NONE: Mapping[str, tuple[str, ...]] = {}
# What decides how a whole list is drawn.
ARRANGED = frozenset({"permutation", "permutation of", "same sum", "distinct", "ascending", "descending",
                      "neighbours differ"})  # fmt: skip
COMPARED: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


class Stuck(Exception):
    """What was drawn so far leaves no value for the rest; another attempt may do better."""


class Maker:
    """Draws the values of one input."""

    def __init__(
        self, plan: Plan, seed: int, family: str, samples: Sequence[str] = (), attempt: int = 0
    ) -> None:
        self.plan, self.seed, self.bounds = plan, seed, plan.bounds
        self.asked = ASKED.fullmatch(family)
        self.family = family_of(family)
        self.random = Random(f"{seed} {family}" + (f" {attempt}" if attempt else ""))
        self.halvings = HALVINGS[attempt % len(HALVINGS)]
        self.caps: Values = {}
        self.rate = self.random.choice((0.1, 0.3, 0.6))
        self.old = self._sample(samples) if self.family == "replay" else None
        self.room = 0
        self._fresh(0)

    # -------------------------------------------------------------- what a seed stands for

    def _fresh(self, index: int) -> None:
        """Forget what the test case before had: its windows of values and its arrays."""
        self.windows: dict[str, tuple[int, int]] = {}
        self.share_window = self.random.random() < (0.8 if self.family == "tiny" else 0.5)
        self.shared: tuple[int, int] | None = None
        self.arrays: list[list[int]] = []
        self.words: list[str] = []
        # All texts of one letter, some with another one at their end: a search that remembers
        # nothing tries everything before it fails.
        self.is_dull = self.plan.has_texts and self.random.random() < DULL
        self.letter = ""
        self.drawn: dict[str, Sequence[Any]] = {}
        self.one_length: dict[str, int] = {}
        # Large inputs walk through the patterns: all arrays of one, then only the first, then each
        # of its own.
        self.pattern = PATTERNS[(self.seed + index) % len(PATTERNS)]
        self.turn = self.seed // len(PATTERNS) % 3

    def _sample(self, samples: Sequence[str]) -> Old | None:
        for text in self.random.sample(list(samples), len(samples)):
            if old := read_sample(self.plan.layout, text):
                return old
        return None

    def _end(self, name: str, low: int, high: int) -> int:
        return high if self.seed >> self.plan.bits.get(name, 3) & 1 else low

    # -------------------------------------------------------------- blocks and lines

    def text(self) -> str:
        """Return the input."""
        self.room = ROOM.get(self.family, LARGEST)
        body = self.plan.layout.body
        known = self._scope(body, {}, self.room, {}, self.old)
        lines = self._block(body, known, self.room, self.old)
        return "".join(self._line(values) + "\n" for values in lines)

    def _line(self, values: Sequence[Any]) -> str:
        if self.plan.layout.style == "json":
            return json.dumps(values[0], ensure_ascii=False)
        return " ".join(
            " ".join(flat(value)) if isinstance(value, list) else str(value) for value in values
        )

    def _block(
        self, body: Sequence[Item], known: Values, room: int, old: Old | None
    ) -> list[list[Any]]:
        lines: list[list[Any]] = []
        late = self.plan.late(body)
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
                        line.append(self._value(node, known, before[place] if before else None))
                lines.append(line)
            elif isinstance(item, Choice):
                lines += self._kinds(item, 1, known, before)
            elif item.count == self.plan.layout.cases:
                lines += self._cases(item, known, room, before)
            else:
                lines += self._repeat(item, known, room, before)
        for line, place, name in open_places:
            line[place] = known[name] = self._number(name, known, (), old)
        return lines

    def _repeat(self, item: Loop, known: Values, room: int, old: Sequence[Old]) -> list[list[Any]]:
        count = self._block_count(item, known, room)
        first = item.body[0]
        rows = [block.items[0] for block in old if not isinstance(first, Loop)]
        if len(item.body) == 1 and isinstance(first, Choice):
            return self._kinds(first, count, known, rows)
        if self._are_rows(item):
            assert isinstance(first, Line)
            return self._rows(first.nodes, count, known, rows)
        lines = []
        for index in range(count):
            before = old[index] if index < len(old) else None
            inner = self._scope(item.body, known, room // max(1, count), {}, before)
            lines += self._block(item.body, inner, room // max(1, count), before)
        return lines

    def _are_rows(self, item: Loop) -> bool:
        """Whether a repeat is of one line, so that it is drawn column by column.

        A test case is so in large inputs.
        """
        first = item.body[0]
        if len(item.body) > 1 or not isinstance(first, Line) or self._uneven(first.nodes):
            return False
        large = self.family in ("corner", "max") and not self.plan.totals
        return item.count != self.plan.layout.cases or (large and all(map(whole, first.nodes)))

    def _kinds(
        self, choice: Choice, count: int, known: Values, old: Sequence[Any]
    ) -> list[list[Any]]:
        """Return lines of several kinds, each named by its first word.

        Those of one kind are drawn together.
        """
        names = [kind for kind, _ in choice.kinds]
        if self.family == "replay" and old:
            wanted = [line[0] for line in resized(self.random, old, count)]
        else:
            wanted = [names[place] for place in array(self.random, count, 0, len(names) - 1)]
        lines: dict[str, Iterator[list[Any]]] = {}
        for kind, nodes in choice.kinds:
            mine, before = wanted.count(kind), [line[1:] for line in old if line[0] == kind]
            if not self._uneven(nodes):
                lines[kind] = iter(self._rows(nodes, mine, known, before))
                continue
            body, room = self.plan.form(choice, kind), self.room // max(1, count)
            lines[kind] = iter([self._block(body, self._scope(body, known, room, {}, None), room, None)[0]
                                for _ in range(mine)])  # fmt: skip
        # Rows that had to be different may be fewer than were wanted.
        return [[kind, *line] for kind in wanted if (line := next(lines[kind], None)) is not None]

    def _uneven(self, nodes: Sequence[Node]) -> bool:
        """Whether a line holds a list that a number of the same line counts."""
        mine = {node.name for node in nodes if isinstance(node, Scalar)}
        return any(isinstance(node, Many) and names_in(node.count) & mine for node in nodes)

    def _cases(self, item: Loop, known: Values, room: int, old: Sequence[Old]) -> list[list[Any]]:
        """Return the lines of the test cases, which share what is limited for all of them together."""
        count, first = self._block_count(item, known, room), item.body[0]
        if count > MANY_CASES and isinstance(first, Line) and self._are_rows(item):
            return self._rows(first.nodes, count, known, [block.items[0] for block in old])
        left = dict(self.plan.totals)
        least = {of: max(0, int(self.bounds.of(of, {}).low)) for of in left}
        # One huge case among tiny ones, cases of one size, or of any.
        mode = (
            (self.seed + self.seed // len(PATTERNS)) % 3
            if self.family == "max"
            else self.random.randrange(1, 3)
        )
        huge = self.random.randrange(count) if mode == 0 and count else -1
        lines = []
        for index in range(count):
            self._fresh(index)
            shares = {
                of: self._share(limit, least[of], count - index, mode, index == huge)
                for of, limit in left.items()
            }
            before = old[index] if index < len(old) else self.random.choice(old) if old else None
            mine = max(
                1, room // 2 if index == huge else room // (2 * count if mode == 0 else count)
            )
            inner = self._scope(item.body, known, mine, shares, before)
            lines += self._block(item.body, inner, mine, before)
            left = {of: limit - int(self.bounds.of(of, inner).low) for of, limit in left.items()}
        return lines

    def _share(self, left: int, least: int, cases: int, mode: int, huge: bool) -> int:
        """Return what the next case may take of what is left for all."""
        # The smallest that every later case needs is kept back for it.
        most = left - least * (cases - 1)
        if mode == 0:
            return (
                most
                if huge
                else min(most, least + logarithmic(self.random, 0, max(0, left // (20 * cases))))
            )
        return max(
            least, min(most, (1 if mode == 1 else self.random.choice((1, 1, 2, 3))) * left // cases)
        )

    # -------------------------------------------------------------- the numbers of a block

    def _scope(
        self,
        body: Sequence[Item],
        outside: Values,
        room: int,
        shares: Mapping[str, int],
        old: Old | None,
    ) -> Values:
        """Draw the numbers of a block so that what they ask for fits into `room` characters."""
        ordered = self.plan.ordered(body)
        extra = [(of, "<=", str(share)) for of, share in shares.items()]
        self.caps, self.room = {}, room
        # Shorten the longest until all fits: drawn again, since other numbers may depend on it.
        for _ in range(TRIES * 2):
            known = dict(outside)
            for name in ordered:
                known[name] = self._number(name, known, extra, old)
            lengths = [
                name for name in ordered if name in self.plan.sizes and self.caps.get(name) != 1
            ]
            cost = self._cost(body, known)
            if cost <= room or not lengths:
                break
            longest = max(lengths, key=lambda name: known[name])
            # At most by half: several lengths may have to share what is too much.
            self.caps[longest] = max(1, int(known[longest] * max(0.5, 0.999 * room / cost)))
        return known

    def _cost(self, body: Sequence[Item], known: Values) -> float:
        """Return how many characters a body will have.

        Lengths that are not drawn yet count as their smallest.
        """
        total = 0.0
        for item in body:
            if isinstance(item, Line):
                total += sum(self._node_cost(node, known) for node in item.nodes)
            elif isinstance(item, Choice):
                total += max(
                    sum(self._node_cost(node, known) for node in nodes) for _, nodes in item.kinds
                )
            else:
                each = self._cost(item.body, known) + (0 if self._are_rows(item) else BLOCK)
                total += float(max(0, self.bounds.of(item.count, known).low)) * each
        return total

    def _node_cost(self, node: Node, known: Values) -> float:
        if isinstance(node, Many):
            count = max(0.0, self.bounds.of(node.count, known).low)
            return count * self._node_cost(node.item, known)
        if isinstance(node, Tuple):
            edges = self.plan.edges.get(node.items[0].name)
            slow = edges and edges.rows_only and self.family not in ROOM
            cost = sum(self._node_cost(item, known) for item in node.items)
            return max(DIFFERENT, cost) if slow else cost
        if node.kind == "text" and node.name not in self.plan.choices:
            return 1 + max(1.0, float(self.bounds.look(known)(f"len_{node.name}").low))
        if node.kind == "int" and node.name not in self.plan.choices:
            low, high = self.bounds.range(node.name, known)
            return max(len(str(int(low))), len(str(int(high)))) + (
                2 if self.plan.layout.style == "json" else 1
            )
        return 8

    def _count(self, expression: str, known: Values) -> int:
        if expression.isidentifier() and expression not in known:
            return max(0, self._number(expression, known))
        return max(0, int(self.bounds.of(expression, known).low))

    def _block_count(self, item: Loop, known: Values, room: int) -> int:
        """Return how many blocks there are.

        Where no line has said it before, as many as there is room for.
        """
        if item.count not in known:
            each = (0 if self._are_rows(item) else BLOCK) + self._cost(item.body, known)
            self.caps[item.count] = max(1, int(room / max(1.0, each)))
        return self._count(item.count, known)

    def _number(
        self, name: str, known: Values, extra: Sequence[Sequence[str]] = (), old: Old | None = None
    ) -> int:
        """Draw a number that stands alone: a length, or a value of its own."""
        choices = self.plan.choices.get(name)
        if choices:
            return int(self.random.choice(choices))
        span = self.bounds.fitting(name, known, extra)
        low, high = int(span.low), int(span.high)
        if name in self.plan.sizes:
            high = max(low, min(high, self.caps.get(name, high)))
            high = low + ((high - low) >> self.halvings)
        for attempt in range(2 * TRIES):
            # What a family wants may be impossible: the values between its ends are tried then.
            value = (
                self._chosen(name, low, high, known, old)
                if attempt < TRIES
                else self.random.randint(low, high)
            )
            if traits := self._traits(name):
                value = self._with_traits(name, [value], low, high)[0]
            if self.bounds.holds(name, value, known, extra):
                if "together" in traits:
                    self.drawn[name] = [value]
                return value
        raise Stuck(f"a value of {name}")

    def _chosen(self, name: str, low: int, high: int, known: Values, old: Old | None) -> int:
        draw = self.random
        if high <= low:
            return low
        if self.family == "corner":
            return self._end(name, low, high)
        if self.asked and (name in self.plan.lengths or self.plan.few):
            return self._asked(name, low, high, self.asked)
        if old and name in old.numbers:
            value = max(low, min(high, old.numbers[name]))
            return (
                other_number(draw, value, low, high, name in self.plan.lengths)
                if draw.random() < self.rate
                else value
            )
        if name in self.plan.outer:
            return self._cases_wanted(low, high)
        if name in self.plan.lengths:
            return self._length(low, high)
        return self._scalar(low, high, known)

    def _asked(self, name: str, low: int, high: int, asked: re.Match[str]) -> int:
        """Return the size that was asked for by a number.

        Of everything, or of one name, and BESIDE of the others.
        """
        if name in self.plan.outer:
            return low
        return max(low, min(high, int(asked[2]) if asked[1] in (None, name) else BESIDE))

    def _cases_wanted(self, low: int, high: int) -> int:
        draw = self.random
        if self.family == "max":
            mode = (self.seed + self.seed // len(PATTERNS)) % 3
            return (
                draw.choice((low, min(high, low + 9), high)),
                high,
                logarithmic(draw, low, high),
            )[mode]
        return logarithmic(draw, low, min(high, low + (29 if self.family == "tiny" else 11)))

    def _length(self, low: int, high: int) -> int:
        draw = self.random
        if self.family == "max":
            # Mostly all lengths at once; some inputs want one of them smaller.
            return (
                high
                if draw.random() < 0.85
                else draw.choice((high - 1, logarithmic(draw, low, high)))
            )
        if self.family != "tiny" and draw.random() < CONSTANTS:
            near = self._near_a_constant(low, min(high, LONGEST_NEAR))
            if near is not None:
                return near
        most = min(high, low + (SPREAD[self.family] >> self.halvings))
        return (
            logarithmic(draw, low, most) if self.family == "multiscale" else draw.randint(low, most)
        )

    def _scalar(self, low: int, high: int, known: Values) -> int:
        """Draw a number that is no length.

        Beside an earlier one, of what the arrays make, an end, or special.
        """
        draw, wide = self.random, high - low > 1000
        if draw.random() < CONSTANTS and (near := self._near_a_constant(low, high)) is not None:
            return near
        chance = draw.random()
        if self.plan.few and chance < (0.5 if wide else 0.2):
            return special(draw, low, high)
        if self.arrays and chance < 0.5:
            for _ in range(4):
                value = self._of_the_arrays()
                if low <= value <= high:
                    return value
        elif chance < 0.7 and known:
            return max(low, min(high, draw.choice(list(known.values())) + draw.randint(-1, 1)))
        if draw.random() < (0.5 if self.family == "max" else 0.12):
            return draw.choice((low, high, high - draw.randrange(min(high - low, 99) + 1)))
        if self.family == "tiny" and draw.random() < (0.3 if self.plan.few else 0.6):
            near = 0 if low < 0 < high and draw.random() < 0.5 else low
            return draw.randint(near, min(high, near + 9))
        if not wide and draw.random() < 0.5:
            return draw.randint(low, high)
        return (
            special(draw, low, high) if wide and draw.random() < 0.33 else anywhere(draw, low, high)
        )

    def _near_a_constant(self, low: int, high: int) -> int | None:
        """Return a number that is spelt out where programs decide, or one beside it.

        None where none is possible.
        """
        constants = self.plan.spec.constants
        fitting = [signed for one in constants for signed in (one, -one) if low <= signed <= high]
        return (
            max(low, min(high, self.random.choice(fitting) + self.random.choice((-1, 0, 0, 1))))
            if fitting
            else None
        )

    def _of_the_arrays(self) -> int:
        """Return an element, a sum of neighbours, or a sum or difference of two elements.

        Or one beside it.
        """
        draw = self.random
        values = draw.choice(self.arrays)
        a, b = draw.randrange(len(values)), draw.randrange(len(values))
        kind = draw.randrange(5)
        made = (
            values[a] if kind == 0
            else values[a] + values[b] if kind == 1
            else abs(values[a] - values[b]) if kind == 2
            else sum(values[min(a, b) : max(a, b) + 1]) if kind == 3
            else draw.choice((sum(values), max(values), min(values), len(values), len(set(values))))
        )  # fmt: skip
        return made + draw.choice((-1, 0, 0, 0, 1))

    # -------------------------------------------------------------- single values and lists

    def _value(self, node: Node, known: Values, old: Any = None) -> Any:
        if isinstance(node, Many):
            return self._list(node, known, old)
        if isinstance(node, Tuple):
            return self._rows(node.items, 1, known, [old] if old else [])[0]
        if whole(node) and node.name in known:
            return known[node.name]
        values = self._column(node, 1, known, [] if old is None else [old])
        self.drawn[node.name] = values
        return values[0]

    def _list(self, node: Many, known: Values, old: Any = None) -> list[Any]:
        item, count = node.item, self._count(node.count, known)
        before = old if isinstance(old, list) else []
        fewest = self._fewest(node.count, known)
        if isinstance(item, Tuple):
            tuples = self._rows(item.items, count, known, before, fewest)
            if fewest is not None:
                known[node.count] = len(tuples)
            return tuples
        rows = self._rows([item], count, known, [[value] for value in before], fewest)
        if fewest is not None:
            known[node.count] = len(rows)
        return [row[0] for row in rows]

    def _fewest(self, count: str, known: Values) -> int | None:
        """Return how many values a list may have at least whose length no value of the input says.

        None where it has a length that is given.
        """
        if self.plan.layout.style != "json" or count not in known:
            return None
        others = {name: value for name, value in known.items() if name != count}
        return max(0, int(self.bounds.range(count, others).low))

    def _rows(
        self,
        nodes: Sequence[Node],
        count: int,
        known: Values,
        old: Sequence[Any] = (),
        fewest: int | None = None,
    ) -> list[list[Any]]:
        """Return rows of values, drawn column by column and then fitted to each other.

        Where `fewest` are enough, there may be fewer different rows than `count`.
        """
        if not count or not nodes:
            return [[] for _ in range(count)]
        names = [name_of(node) for node in nodes]
        edges = self.plan.edges.get(names[0])
        first: list[list[int]] = []
        if edges and not edges.rows_only:
            ends = self._edges(names, edges, count, known, old)
            first = [list(column) for column in zip(*ends, strict=True)]
        elif self.family not in ("corner", "replay") and self._like_edges(nodes, known, count):
            first = self._wished_edges(names, count, known)
        columns: list[Sequence[Any]] = [*first]
        for place, node in enumerate(nodes[len(first) :], len(first)):
            before = [row[place] for row in old if len(row) > place]
            columns.append(self._nested(node, count, known, before) if isinstance(node, Many)
                           else self._column(node, count, known, before))  # fmt: skip
        self._fit(nodes, columns, known, len(first) if edges and not edges.rows_only else 0)
        traits = [self._traits(name) for name in names]
        if len(nodes) > 1:
            self._order(names, columns)
        rows = [list(row) for row in zip(*columns, strict=True)]
        lone = traits[0] if len(nodes) == 1 else NONE
        apart = len(nodes) == 1 and "different rows" in self._traits(inner_name(nodes[0]))
        if apart or "distinct" in lone or (edges and edges.rows_only):
            rows = self._different(nodes, rows, known, count if fewest is None else fewest)
            if "distinct" in lone and ("ascending" in lone or "descending" in lone):
                rows.sort(reverse="descending" in lone)
        for place, name in enumerate(names):
            self.drawn[name] = columns[place] if len(nodes) > 1 else [row[place] for row in rows]
        return rows

    def _order(self, names: Sequence[str], columns: list[Sequence[Any]]) -> None:
        """Sort rows by the column that is sorted; several such columns each for itself.

        Sorted so, each value of one column is still at most that of another one.
        """
        wanted = {
            place: "descending" in traits
            for place, name in enumerate(names)
            if (traits := self._traits(name)).keys() & {"ascending", "descending"}
        }
        chain = [place for place, name in enumerate(names) if "chain" in self._traits(name)]
        if chain:
            # The end of each row is before the start of the next one.
            values = sorted(value for column in columns[: chain[0] + 1] for value in column)
            if (
                len(set(values)) < len(values)
                and "strict" in self._traits(names[chain[0]])["chain"]
            ):
                raise Stuck("different values")
            columns[: chain[0] + 1] = [
                values[place :: chain[0] + 1] for place in range(chain[0] + 1)
            ]
        elif len(wanted) == 1:
            (place, descending) = next(iter(wanted.items()))
            rows = sorted(
                zip(*columns, strict=True), key=lambda row: row[place], reverse=descending
            )
            columns[:] = [list(column) for column in zip(*rows, strict=True)]
        for place, descending in wanted.items() if len(wanted) > 1 and not chain else ():
            columns[place] = sorted(columns[place], reverse=descending)

    def _nested(self, node: Many, count: int, known: Values, old: Sequence[Any]) -> list[list[Any]]:
        """Return `count` lists of one form."""
        made = self._lists(node, count, known, old)
        square = self.plan.matrices.get(inner_name(node))
        if square and all(len(row) == count for row in made):
            for i in range(count):
                if "symmetric" in square:
                    made[i][:i] = [row[i] for row in made[:i]]
                made[i][i] = square.get("diagonal", made[i][i])
        return made

    def _lists(self, node: Many, count: int, known: Values, old: Sequence[Any]) -> list[list[Any]]:
        """Return `count` lists, a matrix where they hold numbers and have one length."""
        item = node.item
        even = not node.count.isidentifier() or node.count in known
        free = not self._traits(inner_name(item)).keys() - {"different rows"}
        if isinstance(item, Scalar) and whole(item) and even and not old and free:
            width = self._count(node.count, known)
            choices = self.plan.choices.get(item.name)
            low, high = (0, len(choices) - 1) if choices else self._window(item.name, known)
            made = (
                matrix(self.random, count, width, low, high)
                if width
                else [[] for _ in range(count)]
            )
            if self.bounds.narrow(item.name, known, (INDEX,)) is None:
                return [[choices[value] for value in row] for row in made] if choices else made
        if not even:
            room = max(1, int(self.room // (count * max(1.0, self._node_cost(item, known)))))
            self.caps[node.count] = min(room, self.caps.get(node.count, room))
        before = [*old, *[None] * count]
        return [self._list(node, known, before[place]) for place in range(count)]

    def _different(
        self, nodes: Sequence[Node], rows: list[list[Any]], known: Values, fewest: int
    ) -> list[list[Any]]:
        """Return rows that all are different, `fewest` or more.

        Raises:
            Stuck: There are not as many, or they are not met.
        """
        if len(nodes) == 1 and whole(nodes[0]) and len({row[0] for row in rows}) == len(rows):
            return rows
        kept = dict(zip(map(repr_of, rows), rows, strict=True))
        wanted, self.windows = len(rows), {}
        if all(map(whole, nodes)) and len(kept) < wanted:
            # Of few possible rows chance would not meet the last ones.
            spans = [self.bounds.range(name_of(node), known) for node in nodes]
            possible = math.prod(int(span.high - span.low) + 1 for span in spans)
            if possible < min(4 * wanted + 100, MOST_ROWS):
                every = itertools.product(*(range(int(low), int(high) + 1) for low, high in spans))
                fitted: list[Sequence[Any]] = [list(column) for column in zip(*every, strict=True)]
                self._fit(nodes, fitted, known, 0)
                rows = [list(row) for row in dict.fromkeys(zip(*fitted, strict=True))]
                self.random.shuffle(rows)
                rows = [row for row in rows if tuple(row) not in kept]
                kept |= {tuple(row): row for row in rows[: wanted - len(kept)]}
        for _ in range(8):
            if len(kept) >= wanted:
                break
            before = len(kept)
            # some are there already, and some are equal
            more = min(wanted, 2 * (wanted - before) + 100)
            columns: list[Sequence[Any]] = [
                self._nested(node, more, known, ())
                if isinstance(node, Many)
                else self._column(node, more, known, (), True)
                for node in nodes
            ]
            self._fit(nodes, columns, known, 0)
            if len(nodes) > 1:
                self._order([name_of(node) for node in nodes], columns)
            for row in zip(*columns, strict=True):
                if len(kept) < wanted:
                    kept.setdefault(repr_of(row), list(row))
            # Were there as many more as are missing, one of them would have been met, but once in
            # e**8 times.
            if len(kept) == before and wanted - before > 8:
                break
        if len(kept) < fewest:
            raise Stuck("different rows")
        different = list(kept.values())
        for place, node in enumerate(nodes if len(nodes) > 1 else ()):
            if (traits := self._traits(name_of(node))).keys() & {"ascending", "descending"}:
                different.sort(key=lambda row: row[place], reverse="descending" in traits)
        return different

    def _fit(
        self, nodes: Sequence[Node], columns: list[Sequence[Any]], known: Values, done: int
    ) -> None:
        """Change what breaks a relation between values of one row or place."""
        names, count = [name_of(node) for node in nodes], len(columns[0])
        # Lists on other lines hold against these value by value.
        lists = [
            name
            for name, column in self.drawn.items()
            if len(column) == count and name not in names and name in self.plan.partners(names)
        ]
        rules = [
            self.bounds.narrow(name, known, (INDEX, *lists, *names[:place]))
            if whole(node) and place >= done
            else None
            for place, (name, node) in enumerate(zip(names, nodes, strict=True))
        ]
        if not any(rules):
            return
        starts = self.plan.spec.first
        firsts = [starts[name] for name in names if name in starts]
        first = 0 if self.plan.layout.style == "json" else max(firsts, default=1)
        spans = [
            self.bounds.range(name, known) if rule else None
            for name, rule in zip(names, rules, strict=True)
        ]
        made = [list(column) for column in columns]

        def fit_row(index: int) -> None:
            row: Row = {INDEX: index + first}
            for name in lists:
                row[name] = self.drawn[name][index]
            for name, rule, span, column in zip(names, rules, spans, made, strict=True):
                if rule and span:
                    column[index] = self._narrowed(
                        name, column[index], int(span.low), int(span.high), rule, row
                    )
                row[name] = column[index]

        for index in range(count):
            for again in range(TRIES):
                try:
                    fit_row(index)
                    break
                except Stuck:
                    if again == TRIES - 1 or done:
                        raise
                    # Its first values leave nothing for the last ones: others, small ones first.
                    for name, node, column in zip(names, nodes, made, strict=True):
                        if whole(node):
                            low, high = map(int, self.bounds.range(name, known))
                            column[index] = logarithmic(self.random, low, high)
        columns[:] = made

    def _narrowed(self, name: str, value: int, low: int, high: int, rule: Narrow, row: Row) -> int:
        for end in rule.lows:
            low = max(low, int(end(row)))
        for end in rule.highs:
            high = min(high, int(end(row)))
        if low > high:
            raise Stuck(f"a value of {name} between {low} and {high}")
        if not low <= value <= high:
            value = self.random.randint(low, high)

        def fits(one: int) -> bool:
            row[name] = one
            return all(test(row) for test in rule.tests)

        if fits(value):
            return value
        ends = [fits(low), fits(high)]
        # Sums and products are monotonic, as in `Bounds.fitting`.
        if ends == [True, False]:
            high = last(low, high, fits)
        elif ends == [False, True]:
            low = last(high, low, fits)
        for _ in range(TRIES):
            value = self.random.randint(low, high)
            if fits(value):
                return value
        raise Stuck(f"a value of {name}")

    def _traits(self, name: str) -> Mapping[str, tuple[str, ...]]:
        return self.plan.traits.get(name, NONE)

    # -------------------------------------------------------------- columns

    def _column(
        self,
        node: Node,
        count: int,
        known: Values,
        old: Sequence[Any] = (),
        plain: bool = False,
    ) -> list[Any]:
        """Return `count` values of a node, of a pattern.

        `plain`: independent of each other, over the whole range.
        """
        if isinstance(node, Tuple):
            return [self._rows(node.items, 1, known)[0] for _ in range(count)]
        assert isinstance(node, Scalar)
        name, kind, draw = node.name, node.kind, self.random
        choices = self.plan.choices.get(name)
        if choices:
            # Choices are in order: their places are values from 0 on.
            places = (independent if plain else array)(
                draw, count, *self._window_in(name, 0, len(choices) - 1)
            )
            return [choices[place] for place in places]
        if kind == "text":
            return self._texts(name, count, known, old, plain)
        if kind == "bool":
            return [bool(value) for value in array(draw, count, 0, 1)]
        if kind == "real":
            low, high = self.bounds.range(name, known)
            scale = draw.choice((1, 10, 100, 10_000))
            low, high = self._window_in(name, int(low * scale), int(high * scale))
            return [value / scale for value in array(draw, count, low, high)]
        span, traits = self.bounds.range(name, known), self._traits(name)
        low, high = int(span.low), int(span.high)
        if plain:
            return self._with_traits(name, independent(draw, count, low, high), low, high)
        if traits.keys() & ARRANGED:
            made = self._arranged(name, count, low, high)
        else:
            made = self._wish(name, count, low, high, old)
            if made and self.family != "corner" and draw.random() < CONSTANTS:
                for _ in range(draw.randint(1, 3)):
                    if (near := self._near_a_constant(low, high)) is not None:
                        made[draw.randrange(count)] = near
        if made and name in self.plan.sums:
            made = self._summed(name, made, low, high, known)
        if made and traits:
            made = self._with_traits(name, made, low, high)
        if made and len(self.arrays) < MOST_EARLIER:
            self.arrays.append(made)
        return made

    def _summed(self, name: str, made: list[int], low: int, high: int, known: Values) -> list[int]:
        """Return values with the sum that they have to have, or at most."""
        sign, limit = self.plan.sums[name]
        spare = int(self.bounds.of(limit, known).low) - low * len(made)
        excess = [value - low for value in made]
        if spare < 0:
            raise Stuck(f"a sum of {name}")
        if sign == "<=" and sum(excess) <= spare:
            return made
        if sign == "<=" and self.family != "max" and self.random.random() < 0.5:
            spare = logarithmic(self.random, 0, spare)
        return [low + value for value in with_sum(self.random, excess, spare, high - low)]

    def _wish(self, name: str, count: int, low: int, high: int, old: Sequence[Any]) -> list[int]:
        draw = self.random
        if old and self.family == "replay":
            made = [max(low, min(high, value)) for value in resized(draw, old, count)]
            return edited(draw, made, low, high) if draw.random() < self.rate + 0.2 else made
        first, final = self._window_in(name, low, high)
        fitting = [
            values
            for values in self.arrays
            if low <= values[0] <= high and low <= values[-1] <= high
        ]
        if (
            fitting
            and self.family != "corner"
            and draw.random() < 0.33
            and (self.family != "max" or self.turn)
        ):
            return [max(low, min(high, value)) for value in echo(draw, draw.choice(fitting), count)]
        if self.family == "max" and (self.turn == 0 or not self.arrays):
            return self.pattern(draw, count, first, final)
        if (self.family == "max" and self.turn == 1) or (
            self.family == "tiny" and draw.random() < 0.6
        ):
            return independent(draw, count, first, final)
        return array(draw, count, first, final)

    def _window(self, name: str, known: Values) -> tuple[int, int]:
        span = self.bounds.range(name, known)
        return self._window_in(name, int(span.low), int(span.high))

    def _window_in(self, name: str, low: int, high: int) -> tuple[int, int]:
        """Return the window that the values of a name keep to in this test case."""
        if self.family == "corner":
            end = self._end(name, low, high)
            return end, end
        if name not in self.windows:
            both = self.shared if self.share_window else None
            if both is None or both[0] > high or both[1] < low:
                both = self._new_window(low, high)
                self.shared = self.shared or both
            self.windows[name] = both
        first, final = (max(low, min(high, end)) for end in self.windows[name])
        return first, final

    def _new_window(self, low: int, high: int) -> tuple[int, int]:
        draw, whole_range = self.random, high - low
        if self.family == "tiny":
            width = draw.randint(1, 4)
        elif self.family == "max":
            width = (
                whole_range
                if self.turn == 0 or draw.random() < 0.5
                else logarithmic(draw, 0, whole_range)
            )
        else:
            width = logarithmic(draw, 0, whole_range)
        width = min(width, whole_range)
        anchor = draw.choice((low, low, -width // 2, high - width, draw.randint(low, high - width)))
        if draw.random() < CONSTANTS and (near := self._near_a_constant(low, high)) is not None:
            anchor = near - draw.randint(0, width)
        first = max(low, min(high - width, anchor))
        return first, first + width

    def _arranged(self, name: str, count: int, low: int, high: int) -> list[int]:
        """Return a list of different, ordered or unequal neighbouring values, or another's values."""
        traits, draw = self._traits(name), self.random
        if "permutation of" in traits and (other := self.drawn.get(traits["permutation of"][0])):
            if len(other) != count:
                raise Stuck("as many values")
            made = [int(value) for value in other]
            return self._shuffled(made)
        if "same sum" in traits and (other := self.drawn.get(traits["same sum"][0])):
            spare = sum(other) - low * count
            if not 0 <= spare <= (high - low) * count:
                raise Stuck("the same sum")
            wish = [value - low for value in self._wish(name, count, low, high, ())]
            return [low + value for value in with_sum(draw, wish, spare, high - low)]
        first, final = self._window_in(name, low, high)
        if "permutation" in traits:
            if low + count - 1 > high:
                raise Stuck(f"a permutation of {count} numbers")
            made = list(range(low, low + count))
        elif "distinct" in traits:
            if high - low + 1 < count:
                raise Stuck("different values")
            # A window that is too narrow for so many is widened, not given up.
            final = min(high, max(final, first + count + logarithmic(draw, 0, count) - 1))
            first = min(first, final - count + 1)
            made = draw.sample(range(first, final + 1), count)
        else:
            made = self._wish(name, count, low, high, ())
        if "ascending" in traits or "descending" in traits:
            made.sort(reverse="descending" in traits)
        elif "neighbours differ" in traits:
            if low == high and count > 1:
                raise Stuck("neighbours that differ")
            # One value alone cannot differ from itself: its window is widened.
            first = min(first, max(low, high - 1))
            made = neighbours_differ(draw, made, range(first, max(final, first + 1) + 1))
        elif "distinct" in traits or "permutation" in traits:
            made = self._shuffled(made)
        return made

    def _shuffled(self, values: list[int]) -> list[int]:
        """Return values in another order: any, ascending, descending, or with two exchanged."""
        draw, order = self.random, self.random.randrange(6)
        if order < 3:
            draw.shuffle(values)
        else:
            values.sort(reverse=order == 5)
        if order == 4 and len(values) > 1:
            a, b = draw.randrange(len(values)), draw.randrange(len(values))
            values[a], values[b] = values[b], values[a]
        return values

    def _with_traits(self, name: str, values: list[int], low: int, high: int) -> list[int]:
        """Return values changed so that they have what the traits of their name ask for."""
        draw, traits = self.random, self._traits(name)
        any_place = draw.randrange(len(values)) if traits else 0
        for trait, arguments in traits.items():
            if trait == "prime":
                values = [prime_near(value, low, high) for value in values]
            elif trait == "even":
                values = [value - value % 2 or 2 * (low > 0) for value in values]
                if not all(low <= value <= high for value in values):
                    values = [value + 2 * (value < low) for value in values]
                if not all(low <= value <= high for value in values):
                    raise Stuck("an even length")
            elif trait == "power":
                powers = [1]
                while powers[-1] <= high and int(arguments[0]) > 1:
                    powers.append(powers[-1] * int(arguments[0]))
                powers = [power for power in powers if low <= power <= high]
                if not powers:
                    raise Stuck("a power")
                values = [
                    sorted(powers, key=lambda power: abs(power - value))[0] for value in values
                ]
            elif trait == "in" and self.drawn.get(arguments[0]):
                inside = [value for value in self.drawn[arguments[0]] if low <= value <= high]
                values = [
                    value if value in inside else draw.choice(inside or [value]) for value in values
                ]
            elif trait == "together":
                taken = {
                    value
                    for other in arguments
                    if other != name
                    for value in self.drawn.get(other, ())
                }
                for place, value in enumerate(values):
                    if value in taken:
                        near = range(max(low, value - 2 * len(taken)), high + 1)
                        free = [one for one in near[: 4 * len(taken) + 1] if one not in taken]
                        if not free:
                            raise Stuck("different values")
                        values[place] = draw.choice(free)
                    taken.add(values[place])
            elif trait == "heap":
                sign = -1 if "max" in arguments else 1
                values = [sign * value for value in values]
                heapq.heapify(values)
                values = [sign * value for value in values]
            elif trait in ("first", "last"):
                values[0 if trait == "first" else -1] = int(arguments[0])
            elif trait == "half":
                odd, half = int(arguments[0]), len(values) // 2
                places = set(draw.sample(range(len(values)), half))
                values = [
                    value if value % 2 == (odd if place in places else 1 - odd)
                    else value + 1 if value < high else value - 1
                    for place, value in enumerate(values)
                ]  # fmt: skip
            elif trait == "not all alike" and len(set(values)) == 1 and low < high:
                values[any_place] = low if values[0] != low else high
            elif trait == "some multiple" and arguments[0].isdigit() and int(arguments[0]):
                multiple = high - high % int(arguments[0])
                if not any(value % int(arguments[0]) == 0 for value in values) and multiple >= low:
                    values[any_place] = multiple
            elif trait == "some" and re.fullmatch(r"-?\d+", arguments[0]):
                compared, limit = COMPARED[arguments[1]], int(arguments[0])
                ends = (low, high, limit - 1, limit, limit + 1)
                fitting = [one for one in ends if low <= one <= high and compared(one, limit)]
                if fitting and not any(compared(value, limit) for value in values):
                    values[any_place] = draw.choice(fitting)
        return values

    # -------------------------------------------------------------- words

    def _texts(
        self, name: str, count: int, known: Values, old: Sequence[Any] = (), plain: bool = False
    ) -> list[str]:
        draw, traits, length = self.random, self._traits(name), f"len_{name}"
        every = self.plan.alphabets.get(name) or LETTERS
        few = "".join(draw.sample(every, min(len(every), draw.randint(1, 3))))
        some = few if draw.random() < 0.75 else every
        if self.is_dull and every:
            # Of one letter, and signs that stand for letters.
            if not self.letter or self.letter not in every:
                self.letter = draw.choice(every)
            some = self.letter + "".join(sign for sign in every if not sign.isalnum())
        span = self.bounds.range(length, known)
        if "of one length" in traits and length not in known:
            if name not in self.one_length:
                self.one_length[name] = self._number(length, known)
            known = {**known, length: self.one_length[name]}
        if count > 1:
            cost = max(1, self.room // count - 1)
            self.caps[length] = min(cost, self.caps.get(length, cost))
        chance = draw.random() if count > 1 and span.low == span.high > 0 and not old else 1
        if chance < 0.4 and self.family != "corner" and not plain:
            rows = matrix(draw, count, int(span.low), 0, len(some) - 1)
            made = ["".join(some[value] for value in row) for row in rows]
        elif plain:
            made = [
                "".join(
                    draw.choices(some if self.is_dull else every, k=self._letters(length, known))
                )
                for _ in range(count)
            ]
        else:
            made = [
                self._text(name, every, some, known, old[at] if at < len(old) else None)
                for at in range(count)
            ]
        return [self._lettered(traits, text, every) for text in made] if traits else made

    def _letters(self, length: str, known: Values) -> int:
        count = known[length] if length in known else self._number(length, known)
        # An empty word in a line cannot be read: words are split at spaces.
        return max(1, count) if self.plan.layout.style == "lines" else count

    def _lettered(self, traits: Mapping[str, tuple[str, ...]], text: str, every: str) -> str:
        """Return a word changed so that it has what the traits of its name ask for."""
        draw, count = self.random, len(text)
        if "distinct letters" in traits and len(set(text)) < count:
            if count > len(every):
                raise Stuck("different letters")
            text = "".join(draw.sample(every, count))
        if "permutation of" in traits and (other := self.drawn.get(traits["permutation of"][0])):
            if len(other[0]) != count:
                raise Stuck("as many letters")
            text = "".join(draw.sample(other[0], count))
        if "brackets" in traits:
            pairs = [pair for pair in BRACKETS if set(pair) <= set(every)]
            if count % 2 or not pairs:
                raise Stuck("brackets of an even length")
            text = nested(draw, count, pairs, False)
        if "neighbours differ" in traits and count > 1:
            if len(every) < 2:
                raise Stuck("two letters")
            text = "".join(neighbours_differ(draw, list(text), every))
        inner = [letter for letter in every if letter != " "] or ["a"]
        if "single spaces" in traits:
            while "  " in text:
                text = text.replace("  ", " " + draw.choice(inner), 1)
        if "trimmed" in traits and text != text.strip():
            text = "".join(
                draw.choice(inner) if place in (0, count - 1) and letter == " " else letter
                for place, letter in enumerate(text)
            )
        if "no leading zero" in traits and count > 1 and text[0] == "0":
            text = draw.choice([letter for letter in every if letter != "0"] or ["0"]) + text[1:]
        if "not all alike" in traits and count > 1 and len(set(text)) == 1 and len(every) > 1:
            text = text[:-1] + draw.choice([letter for letter in every if letter != text[0]])
        if "palindrome" in traits:
            text = text[: (count + 1) // 2] + text[: count // 2][::-1]
        return text

    def _text(self, name: str, every: str, some: str, known: Values, old: Any) -> str:
        draw = self.random
        count = self._letters(f"len_{name}", known)
        if self.family == "corner":
            return (every[-1] if self._end(name, 0, 1) else every[0]) * count
        if not count:
            return ""
        if self.is_dull:
            end = draw.choice((self.letter, draw.choice(every)))
            return (draw.choice((some[:1], some)) * count)[: count - 1] + end
        if old and self.family == "replay":
            made = "".join(resized(draw, old, count))
            return edited_word(draw, made, every) if draw.random() < self.rate + 0.2 else made
        same = [one for one in self.words if len(one) == count]
        if self.words and draw.random() < 0.33:
            made = draw.choice(same) if same else (draw.choice(self.words) * count)[:count]
            if set(made) <= set(every):
                return draw.choice(
                    (made, made[::-1], edited_word(draw, made, every), made[1:] + made[:1])
                )
        pairs = [pair for pair in BRACKETS if set(pair) <= set(every)]
        made = (
            nested(draw, count, [draw.choice(pairs)], draw.random() < 0.5)
            if pairs and draw.random() < 0.5
            else word(draw, count, some)
        )
        if self.plan.spec.words and draw.random() < WORDS:
            spelt_out = [
                one for one in self.plan.spec.words if len(one) <= count and set(one) <= set(every)
            ]
            made = with_words(draw, made, spelt_out) if spelt_out else made
        if len(self.words) < MOST_EARLIER:
            self.words.append(made)
        return made

    # -------------------------------------------------------------- graphs

    def _edges(
        self,
        names: Sequence[str],
        wanted: Edges,
        count: int,
        known: Values,
        old: Sequence[Any],
    ) -> list[tuple[int, int]]:
        """Return the edges of a graph that is of the wanted kinds.

        Raises:
            Stuck: Not as many are met.
        """
        draw, kinds, directed = self.random, wanted.kinds, self.plan.spec.directed
        base = int(self.bounds.range(names[0], known).low)
        nodes = max(1, int(self.bounds.of(wanted.nodes, known).low))
        # Of an acyclic graph with directions every edge leads from an earlier node to a later one.
        forward = directed and bool(kinds & {"acyclic", "tree"})
        forest = "tree" in kinds or ("acyclic" in kinds and not directed)
        spanning = forest or "connected" in kinds
        once = bool(kinds & {"simple", "no multi-edges", "distinct"})
        loops = not kinds & {"simple", "loopless", "acyclic", "tree", "bipartite"}
        # Shuffled labels, mostly: a tree made by numbers would always have its root first.
        labels = list(range(base, base + nodes))
        if draw.random() < 0.75 and not (wanted.ordered and forward):
            draw.shuffle(labels)
        edges = list(tree(draw, nodes, draw.choice(TREES))) if spanning else []
        if forest and "tree" not in kinds:
            draw.shuffle(edges)
            edges = edges[:count]
        if not spanning and self.family == "replay" and not kinds & {"acyclic", "bipartite"}:
            edges = [(int(row[0]) - base, int(row[1]) - base) for row in old]
            edges = [(a, b) for a, b in edges if a != b and min(a, b) >= 0 and max(a, b) < nodes]
            edges = edges[:count]
            labels.sort()
        if len(edges) > count:
            raise Stuck("a connected graph of so few edges")
        # Colours of a graph of two sides: those of its tree, or any.
        side = [draw.randrange(2) for _ in range(nodes if "bipartite" in kinds else 0)]
        side[:2] = [0, 1][: len(side)]
        for a, b in edges if side else ():
            side[b] = 1 - side[a]
        rule = self.bounds.narrow(names[1], known, (names[0],))
        tests = rule.tests if rule else ()
        seen = {(a, b) if directed else (min(a, b), max(a, b)) for a, b in edges}

        def end(a: int, b: int) -> tuple[int, int]:
            one, other = labels[a], labels[b]
            return (min(one, other), max(one, other)) if wanted.ordered else (one, other)

        def candidates() -> Iterator[tuple[int, int]]:
            more = graph(draw, nodes, count)
            yield from (next(more) for _ in range(TRIES * count))
            # What is left over of a few nodes is met by going through all pairs.
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
            raise Stuck("so many edges")
        draw.shuffle(edges)
        if wanted.ordered or forward or (directed and once):
            return [end(a, b) for a, b in edges]
        return [end(a, b) if draw.random() < 0.5 else end(b, a) for a, b in edges]

    def _like_edges(self, nodes: Sequence[Node], known: Values, count: int) -> bool:
        """Whether to draw the first two columns as edges.

        Half the time where they have one range, up to a number.
        """
        if len(nodes) < 2 or not whole(nodes[0]) or not whole(nodes[1]):
            return False
        names = [name_of(node) for node in nodes[:2]]
        if any(self._traits(name) for name in names):
            return False
        ends = [
            {r[2] for r in self.bounds.relations.get(name, ()) if r[0] == name and names_in(r[2])}
            for name in names
        ]
        low, high = self.bounds.range(names[1], known)
        same = ends[0] & ends[1] or ends[0] == {names[1]}
        return bool(same) and high - low < 8 * count + 8 and self.random.random() < 0.5

    def _wished_edges(self, names: Sequence[str], count: int, known: Values) -> list[list[int]]:
        draw = self.random
        spans = [[int(end) for end in self.bounds.range(name, known)] for name in names[:2]]
        labels = list(range(min(span[0] for span in spans), max(span[1] for span in spans) + 1))
        if draw.random() < 0.75:
            draw.shuffle(labels)
        # Without loops and repeated edges mostly: many statements exclude them.
        simple, seen = draw.random() < 0.7, set[tuple[int, int]]()
        more, made = graph(draw, len(labels), count), list[tuple[int, int]]()
        for _ in range(4 * count):
            if len(made) == count:
                break
            a, b = next(more)
            if not simple or (a != b and (min(a, b), max(a, b)) not in seen):
                seen.add((min(a, b), max(a, b)))
                made.append((labels[a], labels[b]))
        made += [(draw.choice(labels), draw.choice(labels)) for _ in range(count - len(made))]
        ordered = any(
            r[0] == names[0] and r[2] == names[1] for r in self.bounds.relations.get(names[0], ())
        )
        made = [(min(edge), max(edge)) for edge in made] if ordered else made
        return [
            [max(low, min(high, edge[side])) for edge in made]
            for side, (low, high) in enumerate(spans)
        ]


def flat(value: Any) -> Iterator[str]:
    """Yield the words of a list, and of the lists in it."""
    for item in value:
        if isinstance(item, list):
            yield from flat(item)
        else:
            yield str(item)


def repr_of(row: Sequence[Any]) -> Any:
    """Return what tells a row from others."""
    return tuple(map(repr, row)) if any(isinstance(value, list) for value in row) else tuple(row)


def name_of(node: Node) -> str:
    """Return the name of a single value; lists and tuples have none."""
    return node.name if isinstance(node, Scalar) else ""


def inner_name(node: Node) -> str:
    """Return the name of the values in a list, or in the lists in it."""
    return inner_name(node.item) if isinstance(node, Many) else name_of(node)
