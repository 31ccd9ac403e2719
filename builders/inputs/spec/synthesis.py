"""Makes one input of a given shape. The text of this module ends up in every derived generator.

A shape is plain values (`Shape` below). Values are drawn block by block: first the numbers that say
how long things are, then arrays, and last the numbers that nothing depends on, often from what the
arrays hold. Every value is fitted to what the relations leave open once those before it are known.

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

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from .bounds import Bounds, Narrow, Row, Values, last
from .expressions import names_in
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
from .replay import Old, edited, edited_word, other_number, read_sample, resized

Shape = Mapping[str, Any]
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
# a number that bounds the values of an array is treated as a length up to here
LENGTH_LIKE = 5_000_000
FEW_NUMBERS = 3
BESIDE = 50  # lengths beside the one of which a size was asked
CONSTANTS = 0.12  # of the numbers, and of the windows of values, are about one that is spelt out
LONGEST_NEAR = 2_000  # a length is about a number that is spelt out up to here
WORDS = 0.25  # of the texts hold words that are spelt out
TRIES = 40
MOST_EARLIER = 12  # arrays, and words, that later ones are made of
INDEX = "i"
BRACKETS = ("()", "[]", "{}", "<>")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def write_input(shape: Shape, seed: int, family: str, samples: Sequence[str] = ()) -> str:
    """Return the input of `shape` for a seed and a family.

    The same arguments give the same text.
    """
    return "".join(line + "\n" for line in Maker(shape, seed, family, samples).lines())


def largest_sizes(shape: Shape) -> dict[str, int]:
    """Return the sizes that inputs may be asked for by a number, each with the largest.

    "" is all of them at once.
    """
    maker = Maker(shape, 0, "max")
    sized = maker.lengths or (set(shape["scalars"]) if maker.few else set())
    found = {
        name: maker.bounds.open_range(name).high for name in sorted(sized - set(shape["outer"]))
    }
    most = {name: int(min(high, LENGTH_LIKE)) for name, high in found.items()}
    return {"": max(most.values()), **(most if len(most) > 1 else {})} if most else {}


class Maker:
    """Draws the values of one input."""

    def __init__(self, shape: Shape, seed: int, family: str, samples: Sequence[str] = ()) -> None:
        self.shape, self.seed = shape, seed
        self.asked = re.fullmatch(r"(?:(\w+)=)?(\d{1,18})", family)
        self.family = FAMILY_OF.get(
            family, family if family in FAMILIES else "max" if self.asked else "multiscale"
        )
        self.random = Random(f"{seed} {family}")
        self.bounds = Bounds(shape["relations"])
        self.bounds.add(list(self._room_for_totals()))
        self.sizes: set[str] = set(shape["sizes"])
        self.elements = set(element_names(shape["body"], shape["cases"]))
        self.reached = self.elements | {f"len_{name}" for name in self.elements}
        self.lengths = self.sizes | set(self._length_like())
        self.few = (
            not self.elements
            and not self.sizes - set(shape["outer"])
            and len(shape["scalars"]) <= FEW_NUMBERS + 1
        )
        defined = [
            r for r in shape["relations"] if r[1] == "==" and r[0] in self.sizes and names_in(r[2])
        ]
        self.follows = {r[0] for r in defined}
        self.lengths |= {name for r in defined for name in names_in(r[2])}
        self.bits = self._corner_bits()
        self.late: dict[int, frozenset[str]] = {}
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
        # Large inputs walk through the patterns: all arrays of one, then only the first, then each
        # of its own.
        self.pattern = PATTERNS[(self.seed + index) % len(PATTERNS)]
        self.turn = self.seed // len(PATTERNS) % 3

    def _sample(self, samples: Sequence[str]) -> Old | None:
        for text in self.random.sample(list(samples), len(samples)):
            if old := read_sample(self.shape, text):
                return old
        return None

    def _room_for_totals(self) -> Iterator[Sequence[str]]:
        """So many cases, each of the smallest size, must fit into what all of them may have together."""
        for total in self.shape["totals"]:
            least = max(1, int(self.bounds.of(total["of"], {}).low))
            yield (f"{self.shape['cases']} * {least}", "<=", str(total["limit"]))

    def _length_like(self) -> Iterator[str]:
        """Yield the numbers that bound the values of arrays, like the number of nodes of a graph."""
        for name in self.reached:
            for left, _, right in self.bounds.relations.get(name, ()):
                for other in (names_in(left) | names_in(right)) - self.reached:
                    if self.bounds.open_range(other).high <= LENGTH_LIKE:
                        yield other

    def _corner_bits(self) -> dict[str, int]:
        """Return for each name the bit of the seed that puts it to an end of its range."""
        numbers = list(self.shape["scalars"])
        lengths = [name for name in numbers if name in self.lengths]
        groups = [
            lengths,
            [name for name in numbers if name not in self.lengths],
            sorted(self.elements),
        ]
        every = [name for group in groups for name in group]
        if len(every) <= 4:
            return {name: bit for bit, name in enumerate(every)}
        # Lengths by turns on two bits, the other numbers on one, all arrays on one.
        bits = {name: place % 2 for place, name in enumerate(groups[0])}
        return bits | dict.fromkeys(groups[1], 2) | dict.fromkeys(groups[2], 3)

    def _end(self, name: str, low: int, high: int) -> int:
        return high if self.seed >> self.bits.get(name, 3) & 1 else low

    # -------------------------------------------------------------- blocks and lines

    def lines(self) -> list[str]:
        """Return the lines of the input."""
        self.room = ROOM.get(self.family, LARGEST)
        known = self._scope(self.shape, {}, self.room, {}, self.old)
        return [
            self._line(values) for values in self._block(self.shape, known, self.room, self.old)
        ]

    def _line(self, values: Sequence[Any]) -> str:
        if self.shape["style"] == "json":
            return json.dumps(values[0], ensure_ascii=False)
        return " ".join(
            " ".join(flat(value)) if isinstance(value, list) else str(value) for value in values
        )

    def _block(
        self, block: Mapping[str, Any], known: Values, room: int, old: Old | None
    ) -> list[list[Any]]:
        lines: list[list[Any]] = []
        late = self._late(block)
        open_places: list[tuple[list[Any], int, str]] = []
        for at, item in enumerate(block["body"]):
            before = old.items[at] if old else []
            if "line" in item:
                line: list[Any] = []
                for place, node in enumerate(item["line"]):
                    if node.get("name") in late:
                        open_places.append((line, place, node["name"]))
                        line.append(None)
                    else:
                        line.append(self._value(node, known, before[place] if before else None))
                lines.append(line)
            elif "kinds" in item:
                lines += self._kinds(item["kinds"], 1, known, before)
            elif item["count"] == self.shape["cases"]:
                lines += self._cases(item, known, room, before)
            else:
                lines += self._repeat(item, known, room, before)
        for line, place, name in open_places:
            line[place] = known[name] = self._number(name, known, (), old)
        return lines

    def _late(self, block: Mapping[str, Any]) -> frozenset[str]:
        """Return the numbers of a block that nothing depends on.

        They are drawn when its arrays are known.
        """
        if id(block) not in self.late:
            mine = {
                node["name"]
                for item in block["body"]
                for node in item.get("line", ())
                if whole(node)
            }
            related = {
                name: set().union(
                    *(names_in(r[0]) | names_in(r[2]) for r in self.bounds.relations.get(name, ()))
                )
                for name in mine
            }
            within = self.reached | set(inner_names(block["body"]))
            limits = set().union(*(names_in(limit) for _, limit in self.shape["sums"].values()))
            free = {name for name in mine - self.lengths - limits if not related[name] & within}
            # One that bounds another which is drawn early is needed early itself.
            free = {name for name in free if related[name] & mine <= free | self.lengths}
            self.late[id(block)] = frozenset(free if self.elements else ())
        return self.late[id(block)]

    def _repeat(
        self, item: Mapping[str, Any], known: Values, room: int, old: Sequence[Old]
    ) -> list[list[Any]]:
        count = self._block_count(item, known, room)
        rows = [block.items[0] for block in old if "count" not in item["body"][0]]
        if len(item["body"]) == 1 and "kinds" in item["body"][0]:
            return self._kinds(item["body"][0]["kinds"], count, known, rows)
        if self._are_rows(item):
            return self._rows(item["body"][0]["line"], count, known, rows)
        lines = []
        for index in range(count):
            before = old[index] if index < len(old) else None
            inner = self._scope(item, known, room // max(1, count), {}, before)
            lines += self._block(item, inner, room // max(1, count), before)
        return lines

    def _are_rows(self, item: Mapping[str, Any]) -> bool:
        """Whether a repeat is of one line, so that it is drawn column by column.

        A test case is so in large inputs.
        """
        (first, *more) = item["body"]
        if more or "count" in first or ("line" in first and self._uneven(first["line"])):
            return False
        large = self.family in ("corner", "max") and not self.shape["totals"]
        return item["count"] != self.shape["cases"] or (
            large and all(map(whole, first.get("line", ())))
        )

    def _kinds(
        self, kinds: Mapping[str, Sequence[Any]], count: int, known: Values, old: Sequence[Any]
    ) -> list[list[Any]]:
        """Return lines of several kinds, each named by its first word.

        Those of one kind are drawn together.
        """
        names = list(kinds)
        if self.family == "replay" and old:
            wanted = [line[0] for line in resized(self.random, old, count)]
        else:
            wanted = [names[place] for place in array(self.random, count, 0, len(names) - 1)]
        lines: dict[str, Iterator[list[Any]]] = {}
        for kind, nodes in kinds.items():
            mine, before = wanted.count(kind), [line[1:] for line in old if line[0] == kind]
            if not self._uneven(nodes):
                lines[kind] = iter(self._rows(nodes, mine, known, before))
                continue
            form = {"body": [{"line": nodes}], "hidden": []}
            room = self.room // max(1, count)
            lines[kind] = iter([self._block(form, self._scope(form, known, room, {}, None), room, None)[0]
                                for _ in range(mine)])  # fmt: skip
        # Rows that had to be different may be fewer than were wanted.
        return [[kind, *line] for kind in wanted if (line := next(lines[kind], None)) is not None]

    def _uneven(self, nodes: Sequence[Any]) -> bool:
        """Whether a line holds a list that a number of the same line counts."""
        mine = {node["name"] for node in nodes if node["kind"] not in ("list", "tuple")}
        return any(node["kind"] == "list" and names_in(node["count"]) & mine for node in nodes)

    def _cases(
        self, item: Mapping[str, Any], known: Values, room: int, old: Sequence[Old]
    ) -> list[list[Any]]:
        """Return the lines of the test cases, which share what is limited for all of them together."""
        count = self._block_count(item, known, room)
        if count > MANY_CASES and self._are_rows(item):
            return self._rows(
                item["body"][0]["line"], count, known, [block.items[0] for block in old]
            )
        left = {total["of"]: int(total["limit"]) for total in self.shape["totals"]}
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
            inner = self._scope(item, known, mine, shares, before)
            lines += self._block(item, inner, mine, before)
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
        block: Mapping[str, Any],
        outside: Values,
        room: int,
        shares: Mapping[str, int],
        old: Old | None,
    ) -> Values:
        """Draw the numbers of a block so that what they ask for fits into `room` characters."""
        late = self._late(block)
        mine = [
            node["name"] for item in block["body"] for node in item.get("line", ()) if whole(node)
        ]
        # Lengths first: all other numbers may be bounded by them. After 2N a string's length is
        # known, not before it.
        numbers = [name for name in [*block["hidden"], *mine] if name not in late]
        ordered = sorted(numbers, key=lambda name: (name not in self.lengths, name in self.follows))
        extra = [(of, "<=", str(share)) for of, share in shares.items()]
        self.caps, self.room = {}, room
        # Shorten the longest until all fits: drawn again, since other numbers may depend on it.
        for _ in range(TRIES * 2):
            known = dict(outside)
            for name in ordered:
                known[name] = self._number(name, known, extra, old)
            lengths = [name for name in ordered if name in self.sizes and self.caps.get(name) != 1]
            cost = self._cost(block["body"], known)
            if cost <= room or not lengths:
                break
            longest = max(lengths, key=lambda name: known[name])
            # At most by half: several lengths may have to share what is too much.
            self.caps[longest] = max(1, int(known[longest] * max(0.5, 0.999 * room / cost)))
        return known

    def _cost(self, body: Sequence[Any], known: Values) -> float:
        """Return how many characters a body will have.

        Lengths that are not drawn yet count as their smallest.
        """
        total = 0.0
        for item in body:
            if "line" in item:
                total += sum(self._node_cost(node, known) for node in item["line"])
            elif "kinds" in item:
                total += max(
                    sum(self._node_cost(node, known) for node in nodes)
                    for nodes in item["kinds"].values()
                )
            else:
                each = self._cost(item["body"], known) + (0 if self._are_rows(item) else BLOCK)
                total += float(max(0, self.bounds.of(item["count"], known).low)) * each
        return total

    def _node_cost(self, node: Mapping[str, Any], known: Values) -> float:
        if node["kind"] == "list":
            return max(0.0, self.bounds.of(node["count"], known).low) * self._node_cost(
                node["item"], known
            )
        if node["kind"] == "tuple":
            pair = self.shape["pairs"].get(node["items"][0].get("name")) or {}
            least = DIFFERENT if pair.get("kind") == "distinct" and self.family not in ROOM else 0
            return max(least, sum(self._node_cost(item, known) for item in node["items"]))
        if node["kind"] == "text" and node["name"] not in self.shape["choices"]:
            return 1 + max(1.0, float(self.bounds.look(known)(f"len_{node['name']}").low))
        if node["kind"] == "int" and node["name"] not in self.shape["choices"]:
            low, high = self.bounds.range(node["name"], known)
            return max(len(str(int(low))), len(str(int(high)))) + (
                2 if self.shape["style"] == "json" else 1
            )
        return 8

    def _count(self, expression: str, known: Values) -> int:
        if expression.isidentifier() and expression not in known:
            return max(0, self._number(expression, known))
        return max(0, int(self.bounds.of(expression, known).low))

    def _block_count(self, item: Mapping[str, Any], known: Values, room: int) -> int:
        """Return how many blocks there are.

        Where no line has said it before, as many as there is room for.
        """
        if item["count"] not in known:
            each = (0 if self._are_rows(item) else BLOCK) + self._cost(item["body"], known)
            self.caps[item["count"]] = max(1, int(room / max(1.0, each)))
        return self._count(item["count"], known)

    def _number(
        self, name: str, known: Values, extra: Sequence[Sequence[str]] = (), old: Old | None = None
    ) -> int:
        """Draw a number that stands alone: a length, or a value of its own."""
        choices = self.shape["choices"].get(name)
        if choices:
            return int(self.random.choice(choices))
        span = self.bounds.fitting(name, known, extra)
        low, high = int(span.low), int(span.high)
        if name in self.sizes:
            high = max(low, min(high, self.caps.get(name, high)))
        for _ in range(TRIES):
            value = self._chosen(name, low, high, known, old)
            if "prime" in self._traits(name):
                value = prime_near(value, low, high)
            if self.bounds.holds(name, value, known, extra):
                break
        return value

    def _chosen(self, name: str, low: int, high: int, known: Values, old: Old | None) -> int:
        draw = self.random
        if high <= low:
            return low
        if self.family == "corner":
            return self._end(name, low, high)
        if self.asked and (name in self.lengths or self.few):
            return self._asked(name, low, high, self.asked)
        if old and name in old.numbers:
            value = max(low, min(high, old.numbers[name]))
            return (
                other_number(draw, value, low, high, name in self.lengths)
                if draw.random() < self.rate
                else value
            )
        if name in self.shape["outer"]:
            return self._cases_wanted(low, high)
        if name in self.lengths:
            return self._length(low, high)
        return self._scalar(low, high, known)

    def _asked(self, name: str, low: int, high: int, asked: re.Match[str]) -> int:
        """Return the size that was asked for by a number.

        Of everything, or of one name, and BESIDE of the others.
        """
        if name in self.shape["outer"]:
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
        most = min(high, low + SPREAD[self.family])
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
        if self.few and chance < (0.5 if wide else 0.2):
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
        if self.family == "tiny" and draw.random() < (0.3 if self.few else 0.6):
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
        constants = self.shape["constants"]
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

    def _value(self, node: Mapping[str, Any], known: Values, old: Any = None) -> Any:
        if node["kind"] == "list":
            return self._list(node, known, old)
        if node["kind"] == "tuple":
            return self._rows(node["items"], 1, known, [old] if old else [])[0]
        if whole(node) and node["name"] in known:
            return known[node["name"]]
        return self._column(node, 1, known, [] if old is None else [old])[0]

    def _list(self, node: Mapping[str, Any], known: Values, old: Any = None) -> list[Any]:
        item, count = node["item"], self._count(node["count"], known)
        before = old if isinstance(old, list) else []
        if item["kind"] == "tuple":
            return self._rows(item["items"], count, known, before)
        rows = self._rows([item], count, known, [[value] for value in before])
        return [row[0] for row in rows]

    def _rows(
        self, nodes: Sequence[Any], count: int, known: Values, old: Sequence[Any] = ()
    ) -> list[list[Any]]:
        """Return rows of values, drawn column by column and then fitted to each other."""
        if not count or not nodes:
            return [[] for _ in range(count)]
        names = [node.get("name", "") for node in nodes]
        pair = self.shape["pairs"].get(names[0]) or {}
        first: list[list[int]] = []
        if pair.get("kind", "distinct") != "distinct":
            first = [
                list(column)
                for column in zip(*self._edges(names, pair, count, known, old), strict=True)
            ]
            count = len(first[0]) if first else 0
        elif self.family not in ("corner", "replay") and self._like_edges(nodes, known, count):
            first = self._wished_edges(names, count, known)
        columns: list[Sequence[Any]] = [*first]
        for place, node in enumerate(nodes[len(first) :], len(first)):
            before = [row[place] for row in old if len(row) > place]
            columns.append(self._nested(node, count, known, before) if node["kind"] == "list"
                           else self._column(node, count, known, before))  # fmt: skip
        self._fit(
            nodes, columns, known, 0 if pair.get("kind", "distinct") == "distinct" else len(first)
        )
        rows = [list(row) for row in zip(*columns, strict=True)]
        if pair.get("kind") == "distinct" or (
            len(nodes) == 1 and "distinct" in self._traits(names[0])
        ):
            rows = self._different(nodes, rows, known)
        for place, name in enumerate(names if len(names) > 1 else ()):
            if "ascending" in self._traits(name):
                rows.sort(key=lambda row: row[place])
        return rows

    def _nested(
        self, node: Mapping[str, Any], count: int, known: Values, old: Sequence[Any]
    ) -> list[list[Any]]:
        """Return `count` lists of one form."""
        made = self._lists(node, count, known, old)
        square = self.shape["matrices"].get(node["item"].get("name"))
        if square and all(len(row) == count for row in made):
            for i in range(count):
                if "symmetric" in square:
                    made[i][:i] = [row[i] for row in made[:i]]
                made[i][i] = square.get("diagonal", made[i][i])
        return made

    def _lists(
        self, node: Mapping[str, Any], count: int, known: Values, old: Sequence[Any]
    ) -> list[list[Any]]:
        """Return `count` lists, a matrix where they hold numbers and have one length."""
        item = node["item"]
        even = not node["count"].isidentifier() or node["count"] in known
        if whole(item) and even and not old and not self._traits(item["name"]):
            width = self._count(node["count"], known)
            choices = self.shape["choices"].get(item["name"])
            low, high = (0, len(choices) - 1) if choices else self._window(item["name"], known)
            made = (
                matrix(self.random, count, width, low, high)
                if width
                else [[] for _ in range(count)]
            )
            if self.bounds.narrow(item["name"], known, (INDEX,)) is None:
                return [[choices[value] for value in row] for row in made] if choices else made
        if not even:
            room = max(1, int(self.room // (count * max(1.0, self._node_cost(item, known)))))
            self.caps[node["count"]] = min(room, self.caps.get(node["count"], room))
        before = [*old, *[None] * count]
        return [self._list(node, known, before[place]) for place in range(count)]

    def _different(
        self, nodes: Sequence[Any], rows: list[list[Any]], known: Values
    ) -> list[list[Any]]:
        """Return rows that all are different, fewer where no new one is found."""
        if len(nodes) == 1 and whole(nodes[0]) and len({row[0] for row in rows}) == len(rows):
            return rows
        kept = dict(zip(map(repr_of, rows), rows, strict=True))
        wanted, self.windows = len(rows), {}
        for _ in range(8):
            if len(kept) >= wanted:
                break
            before = len(kept)
            # some are there already, and some are equal
            more = min(wanted, 2 * (wanted - before) + 100)
            columns: list[Sequence[Any]] = [
                self._column(node, more, known, (), True) for node in nodes
            ]
            self._fit(nodes, columns, known, 0)
            for row in zip(*columns, strict=True):
                if len(kept) < wanted:
                    kept.setdefault(repr_of(row), list(row))
            # Were there as many more as are missing, one of them would have been met, but once in
            # e**8 times.
            if len(kept) == before and wanted - before > 8:
                break
        return list(kept.values())

    def _fit(
        self, nodes: Sequence[Any], columns: list[Sequence[Any]], known: Values, done: int
    ) -> None:
        """Change what breaks a relation between values of one row, or with their place."""
        names = [node.get("name", "") for node in nodes]
        rules = [
            self.bounds.narrow(name, known, (INDEX, *names[:place]))
            if whole(node) and place >= done
            else None
            for place, (name, node) in enumerate(zip(names, nodes, strict=True))
        ]
        if not any(rules):
            return
        firsts = [self.shape["first"][name] for name in names if name in self.shape["first"]]
        first = 0 if self.shape["style"] == "json" else max(firsts, default=1)
        spans = [
            self.bounds.range(name, known) if rule else None
            for name, rule in zip(names, rules, strict=True)
        ]
        made = [list(column) for column in columns]
        for index in range(len(made[0])):
            row: Row = {INDEX: index + first}
            for name, rule, span, column in zip(names, rules, spans, made, strict=True):
                if rule and span:
                    column[index] = self._narrowed(
                        name, column[index], int(span.low), int(span.high), rule, row
                    )
                row[name] = column[index]
        columns[:] = made

    def _narrowed(self, name: str, value: int, low: int, high: int, rule: Narrow, row: Row) -> int:
        for end in rule.lows:
            low = max(low, int(end(row)))
        for end in rule.highs:
            high = min(high, int(end(row)))
        if low > high:
            return low
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
                break
        return value

    def _traits(self, name: str) -> Sequence[str]:
        found: Sequence[str] = self.shape["traits"].get(name, ())
        return found

    # -------------------------------------------------------------- columns

    def _column(
        self,
        node: Mapping[str, Any],
        count: int,
        known: Values,
        old: Sequence[Any] = (),
        plain: bool = False,
    ) -> list[Any]:
        """Return `count` values of a node, of a pattern.

        `plain`: independent of each other, over the whole range.
        """
        name, kind, draw = node["name"], node["kind"], self.random
        choices = self.shape["choices"].get(name)
        if choices:
            # Choices are in order: their places are values from 0 on.
            places = (independent if plain else array)(
                draw, count, *self._window_in(name, 0, len(choices) - 1)
            )
            return [choices[place] for place in places]
        if kind == "text":
            return self._texts(name, count, known, old)
        if kind == "bool":
            return [bool(value) for value in array(draw, count, 0, 1)]
        if kind == "real":
            low, high = self.bounds.range(name, known)
            scale = draw.choice((1, 10, 100, 10_000))
            low, high = self._window_in(name, int(low * scale), int(high * scale))
            return [value / scale for value in array(draw, count, low, high)]
        span = self.bounds.range(name, known)
        low, high = int(span.low), int(span.high)
        if plain:
            return independent(draw, count, low, high)
        made = (
            self._special(name, count, low, high)
            if self._traits(name)
            else self._wish(name, count, low, high, old)
        )
        if (
            made
            and not self._traits(name)
            and self.family != "corner"
            and draw.random() < CONSTANTS
        ):
            for _ in range(draw.randint(1, 3)):
                if (near := self._near_a_constant(low, high)) is not None:
                    made[draw.randrange(count)] = near
        if "prime" in self._traits(name):
            made = [prime_near(value, low, high) for value in made]
        if made and name in self.shape["sums"]:
            made = self._summed(name, made, low, high, known)
        if made and len(self.arrays) < MOST_EARLIER:
            self.arrays.append(made)
        return made

    def _summed(self, name: str, made: list[int], low: int, high: int, known: Values) -> list[int]:
        """Return values with the sum that they have to have, or at most."""
        operator, limit = self.shape["sums"][name]
        spare = int(self.bounds.of(limit, known).low) - low * len(made)
        excess = [value - low for value in made]
        if spare < 0 or (operator == "<=" and sum(excess) <= spare):
            return made
        if operator == "<=" and self.family != "max" and self.random.random() < 0.5:
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

    def _special(self, name: str, count: int, low: int, high: int) -> list[int]:
        """Return a list of which the statement says more than relations can."""
        traits, draw = self._traits(name), self.random
        if "parents" in traits:
            parents = {child: parent for parent, child in tree(draw, count, draw.choice(TREES))}
            return [-1, *(parents[child] for child in range(1, count))]
        first, final = self._window_in(name, low, high)
        if "permutation" in traits:
            made = list(range(low, low + count))
        elif "distinct" in traits and high - low + 1 >= count:
            # A window that is too narrow for so many is widened, not given up.
            final = min(high, max(final, first + count + logarithmic(draw, 0, count) - 1))
            first = min(first, final - count + 1)
            made = draw.sample(range(first, final + 1), count)
        else:
            made = self._wish(name, count, low, high, ())
        if "ascending" in traits or "descending" in traits:
            made.sort(reverse="descending" in traits)
            for trait in traits:
                if said := re.fullmatch(r"(first|last) is (-?\d+)", trait):
                    made[0 if said[1] == "first" else -1] = int(said[2])
            return made
        if "neighbours differ" in traits and low < high:
            # One value alone cannot differ from itself: its window is widened.
            first = min(first, high - 1)
            return neighbours_differ(draw, made, range(first, max(final, first + 1) + 1))
        if "distinct" in traits or "permutation" in traits:
            order = draw.randrange(6)
            if order < 3:
                draw.shuffle(made)
            else:
                made.sort(reverse=order == 5)
            if order == 4 and count > 1:
                a, b = draw.randrange(count), draw.randrange(count)
                made[a], made[b] = made[b], made[a]
        return made

    # -------------------------------------------------------------- words

    def _texts(self, name: str, count: int, known: Values, old: Sequence[Any] = ()) -> list[str]:
        draw = self.random
        every = self.shape["alphabets"].get(name) or LETTERS
        some = (
            "".join(draw.sample(every, min(len(every), draw.randint(1, 3))))
            if draw.random() < 0.75
            else every
        )
        span = self.bounds.range(f"len_{name}", known)
        if (
            count > 1
            and span.low == span.high > 0
            and not old
            and draw.random() < 0.4
            and self.family != "corner"
        ):
            rows = matrix(draw, count, int(span.low), 0, len(some) - 1)
            return ["".join(some[value] for value in row) for row in rows]
        if count > 1:
            cost = max(1, self.room // count - 1)
            self.caps[f"len_{name}"] = min(cost, self.caps.get(f"len_{name}", cost))
        made = [
            self._text(name, every, some, known, old[at] if at < len(old) else None)
            for at in range(count)
        ]
        if "neighbours differ" in self._traits(name) and len(every) > 1:
            made = ["".join(neighbours_differ(draw, list(text), every)) for text in made]
        return made

    def _text(self, name: str, every: str, some: str, known: Values, old: Any) -> str:
        draw, length = self.random, f"len_{name}"
        count = known[length] if length in known else self._number(length, known)
        # An empty word in a line cannot be read: words are split at spaces.
        count = max(1, count) if self.shape["style"] == "lines" else count
        if "distinct letters" in self._traits(name):
            return "".join(draw.sample(every, min(count, len(every))))
        if self.family == "corner":
            return (every[-1] if self._end(name, 0, 1) else every[0]) * count
        if not count:
            return ""
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
            nested(draw, count, *draw.choice(pairs))
            if pairs and draw.random() < 0.5
            else word(draw, count, some)
        )
        if self.shape["words"] and draw.random() < WORDS:
            spelt_out = [
                one for one in self.shape["words"] if len(one) <= count and set(one) <= set(every)
            ]
            made = with_words(draw, made, spelt_out) if spelt_out else made
        if len(self.words) < MOST_EARLIER:
            self.words.append(made)
        return made

    # -------------------------------------------------------------- graphs

    def _edges(
        self,
        names: Sequence[str],
        pair: Mapping[str, Any],
        count: int,
        known: Values,
        old: Sequence[Any],
    ) -> list[tuple[int, int]]:
        """Return the edges of a graph that is a tree, simple or without loops, and connected where it has to be."""
        draw = self.random
        base = int(self.bounds.range(names[0], known).low)
        nodes = max(1, int(self.bounds.of(pair["nodes"], known).low))
        # Shuffled labels, mostly: a tree made by numbers would always have its root first.
        labels = list(range(base, base + nodes))
        if draw.random() < 0.75:
            draw.shuffle(labels)
        branches = pair["kind"] == "tree" or pair["connected"]
        edges = list(tree(draw, nodes, draw.choice(TREES))) if branches else []
        if not branches and self.family == "replay":
            edges = [(int(row[0]) - base, int(row[1]) - base) for row in old]
            edges = [(a, b) for a, b in edges if a != b and min(a, b) >= 0 and max(a, b) < nodes][
                :count
            ]
            labels.sort()
        rule = self.bounds.narrow(names[1], known, (names[0],))
        seen = {(min(edge), max(edge)) for edge in edges}
        more = graph(draw, nodes, count)
        for _ in range(TRIES * count):
            if len(edges) >= count or nodes < 2:
                break
            a, b = next(more)
            ends = sorted((labels[a], labels[b])) if pair["ordered"] else (labels[a], labels[b])
            row: Row = {names[0]: ends[0], names[1]: ends[1]}
            allowed = a != b and (rule is None or all(test(row) for test in rule.tests))
            if allowed and (pair["kind"] == "loopless" or (min(a, b), max(a, b)) not in seen):
                edges.append((a, b))
                seen.add((min(a, b), max(a, b)))
        draw.shuffle(edges)
        turned = [
            (labels[a], labels[b]) if draw.random() < 0.5 else (labels[b], labels[a])
            for a, b in edges[:count]
        ]
        return [(min(edge), max(edge)) for edge in turned] if pair["ordered"] else turned

    def _like_edges(self, nodes: Sequence[Any], known: Values, count: int) -> bool:
        """Whether to draw the first two columns as edges.

        Half the time where they have one range, up to a number.
        """
        if len(nodes) < 2 or not whole(nodes[0]) or not whole(nodes[1]):
            return False
        ends = [
            {
                r[2]
                for r in self.bounds.relations.get(node["name"], ())
                if r[0] == node["name"] and names_in(r[2])
            }
            for node in nodes[:2]
        ]
        low, high = self.bounds.range(nodes[1]["name"], known)
        same = ends[0] & ends[1] or ends[0] == {nodes[1]["name"]}
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


def element_names(body: Sequence[Any], cases: str | None, within: bool = False) -> Iterator[str]:
    """Yield the names of which an input has many values: those in lists and in rows."""
    for item in body:
        if "count" in item:
            rows = item["count"] != cases and len(item["body"]) == 1
            yield from element_names(item["body"], cases, within or rows)
            continue
        for node in (
            item["line"]
            if "line" in item
            else (each for nodes in item["kinds"].values() for each in nodes)
        ):
            many = within or "kinds" in item
            while node["kind"] == "list":
                node, many = node["item"], True
            if many:
                yield from (
                    each["name"] for each in (node["items"] if node["kind"] == "tuple" else [node])
                )


def inner_names(body: Sequence[Any]) -> Iterator[str]:
    """Yield the names of single values in the blocks of a body."""
    for item in body:
        if "count" in item:
            for each in item["body"]:
                yield from (
                    node["name"] for node in each.get("line", ()) if node["kind"] != "tuple"
                )
            yield from inner_names(item["body"])


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


def whole(node: Mapping[str, Any]) -> bool:
    """Whether a node is a single whole number."""
    return bool(node["kind"] == "int")
