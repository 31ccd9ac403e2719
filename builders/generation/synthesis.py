"""Makes one input of a given shape. The text of this module ends up in every derived generator.

A shape is plain values (`Shape` below). Values are drawn scope by scope: first the numbers that say how long things
are, then all others; every number is drawn from what the relations leave open once those before it are known.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from venus_toolkit.builders.generation.expressions import EVERYTHING, Range, interval, names_in

Shape = Mapping[str, Any]
Values = dict[str, int]
# Values in one input, about: what a statement allows beyond that is not reached.
ROOM = {"small": 120, "boundary": 4_000, "random": 3_000, "large": 150_000, "worst": 300_000}
PATTERNS = ("high", "random", "ascending", "descending", "equal", "few", "alternating", "low")
TREES = ("random", "path", "star", "binary", "caterpillar", "bushy")
NUMBERS = Range(0, 10)
TRIES = 40
DEPTH = 4
INDEX = "i"


def write_input(shape: Shape, seed: int, size: str) -> str:
    """Return the input of `shape` for a seed and a size class; the same arguments give the same text."""
    lines = Maker(shape, seed, size if size in ROOM else "large").lines()
    return "".join(line + "\n" for line in lines)


class Maker:
    """Draws the values of one input."""

    def __init__(self, shape: Shape, seed: int, size: str) -> None:
        self.shape, self.seed, self.size = shape, seed, size
        self.random = random.Random(f"{seed} {size}")
        self.sizes: set[str] = set(shape["sizes"])
        self.outer: set[str] = set(shape["outer"])
        self.caps: Values = {}
        self.pattern = "random"
        self.edge = self._edge() if size == "boundary" else None
        self.relations: dict[str, list[Sequence[str]]] = {}
        self._relate(shape["relations"])
        self._relate(list(self._room_for_totals()))

    def _relate(self, relations: Sequence[Sequence[str]]) -> None:
        for relation in relations:
            for name in names_in(relation[0]) | names_in(relation[2]):
                self.relations.setdefault(name, []).append(relation)
        self.ranges: dict[tuple[Any, ...], Range] = {}
        self.related: dict[str, tuple[str, ...]] = {}
        self.compound: dict[str, list[Sequence[str]]] = {}

    def lines(self) -> list[str]:
        """Return the lines of the input."""
        self._next_pattern(0)
        room = ROOM[self.size]
        return list(self._block(self.shape["body"], self._scope(self.shape, {}, room, {}), room))

    # -------------------------------------------------------------- what a seed stands for

    def _next_pattern(self, index: int) -> None:
        """Choose how values are spread; large inputs walk through the patterns, others mix them."""
        if self.size == "random":
            self.pattern = "random"
        elif self.size == "boundary":
            self.pattern = ("low", "high", "equal", "random")[(self.seed + index) % 4]
        elif self.size == "small":
            self.pattern = self.random.choice(PATTERNS)
        else:
            self.pattern = PATTERNS[(self.seed + index) % len(PATTERNS)]

    def _edge(self) -> tuple[str, bool] | None:
        """Return the number that this boundary test puts to its smallest or largest value."""
        names = list(self.shape["scalars"])
        # Seeds 2k and 2k + 1 are for the smallest and the largest value of the same number.
        return (names[self.seed // 2 % len(names)], bool(self.seed % 2)) if names else None

    def _room_for_totals(self) -> Iterator[Sequence[str]]:
        """So many cases, each of the smallest size, must fit into what all of them may have together."""
        for total in self.shape["totals"]:
            least = max(1, int(self._of(total["of"], self._look({})).low))
            yield (f"{self.shape['cases']} * {least}", "<=", str(total["limit"]))

    # -------------------------------------------------------------- blocks, lines, values

    def _block(self, body: Sequence[Any], known: Values, room: int) -> Iterator[str]:
        for item in body:
            if "line" in item:
                yield self._line([self._value(node, known) for node in item["line"]])
            elif "kinds" in item:
                yield self._one_of(item["kinds"], known, room)
            elif item["count"] == self.shape["cases"]:
                yield from self._cases(item, known, room)
            else:
                yield from self._repeat(item, known, room)

    def _line(self, values: Sequence[Any]) -> str:
        if self.shape["style"] == "json":
            return json.dumps(values[0], ensure_ascii=False)
        return " ".join(str(word) for value in values for word in _flat(value))

    def _one_of(self, kinds: Mapping[str, Sequence[Any]], known: Values, room: int) -> str:
        """Return a line of one of several kinds, whose first word says which."""
        kind = self.random.choice(list(kinds))
        form = {
            "body": [{"line": kinds[kind]}],
            "hidden": [f"len_{n['name']}" for n in kinds[kind] if n["kind"] == "text"],
        }
        inner = self._scope(form, known, room, {})
        return self._line([kind, *(self._value(node, inner) for node in kinds[kind])])

    def _repeat(self, item: Mapping[str, Any], known: Values, room: int) -> Iterator[str]:
        count = self._count(item["count"], known)
        if len(item["body"]) == 1 and "line" in item["body"][0]:
            yield from map(self._line, self._rows(item["body"][0]["line"], count, known))
            return
        for _ in range(count):
            inner = self._scope(item, known, room // max(1, count), {})
            yield from self._block(item["body"], inner, room // max(1, count))

    def _cases(self, item: Mapping[str, Any], known: Values, room: int) -> Iterator[str]:
        """Write the test cases of one input, which share what is limited for all of them together."""
        count = self._count(item["count"], known)
        left = {total["of"]: int(total["limit"]) for total in self.shape["totals"]}
        for index in range(count):
            self._next_pattern(index)
            shares = {of: self._share(of, limit, count - index) for of, limit in left.items()}
            inner = self._scope(item, known, max(1, room // count), shares)
            yield from self._block(item["body"], inner, max(1, room // count))
            left = {of: limit - int(self._of(of, self._look(inner)).low) for of, limit in left.items()}

    def _share(self, of: str, left: int, cases: int) -> int:
        """Return what the next case may take of what is left for all."""
        # The smallest that every later case needs is kept back for it.
        least = max(0, int(self._of(of, self._look({})).low))
        most = left - least * (cases - 1)
        return max(least, min(most, self.random.choice((1, 1, 2, 3)) * left // cases))

    def _value(self, node: Mapping[str, Any], known: Values) -> Any:
        kind = node["kind"]
        if kind == "list":
            return self._list(node, known)
        if kind == "tuple":
            return self._row(node["items"], known)
        if whole(node) and node["name"] in known:
            return known[node["name"]]
        return self._draw(node, known, self.random.random())

    def _row(self, nodes: Sequence[Any], known: Values, place: float | None = None) -> list[Any]:
        """Return one row of values, each drawn with those before it known."""
        inner, row = dict(known), []
        for node in nodes:
            if node["kind"] in ("list", "tuple"):
                row.append(self._value(node, inner))
                continue
            row.append(self._draw(node, inner, self.random.random() if place is None else place))
            if whole(node):
                inner[node["name"]] = row[-1]
        return row

    def _list(self, node: Mapping[str, Any], known: Values) -> list[Any]:
        item, count = node["item"], self._count(node["count"], known)
        if item["kind"] == "tuple":
            return self._rows(item["items"], count, known)
        traits = self.shape["traits"].get(item.get("name", ""), ())
        if whole(item) and traits:
            return self._special(item, count, traits, known)
        if "distinct" in traits:
            return self._different([item], count, known, lambda row: row[0])
        if item["kind"] == "list":
            return [self._value(item, known) for _ in range(count)]
        indexed = any(INDEX in names_in(r[0]) | names_in(r[2]) for r in self.relations.get(item["name"], ()))
        inner = dict(known)
        made = []
        for index in range(count):
            if indexed and INDEX not in known:
                inner[INDEX] = index + (0 if self.shape["style"] == "json" else 1)
            made.append(self._draw(item, inner, (index + 0.5) / count))
        return made

    # -------------------------------------------------------------- lists that are not just values

    def _special(self, item: Mapping[str, Any], count: int, traits: Sequence[str], known: Values) -> list[int]:
        span = self._range(item["name"], known)
        low, high = int(span.low), int(span.high)
        if "parents" in traits:
            return [-1, *(max(0, index - 1 if self.pattern == "ascending" else self.random.randrange(index))
                          for index in range(1, count))]  # fmt: skip
        if "permutation" in traits:
            made = list(range(low, low + count))
        elif "distinct" in traits and high - low + 1 >= count:
            made = self.random.sample(range(low, high + 1), count)
        else:
            made = [int(self._draw(item, known, (index + 0.5) / count)) for index in range(count)]
        if "ascending" in traits or "descending" in traits:
            return sorted(made, reverse="descending" in traits)
        if "distinct" in traits or "permutation" in traits:
            self.random.shuffle(made)
            if self.pattern in ("ascending", "descending"):
                made.sort(reverse=self.pattern == "descending")
        return made

    def _rows(self, nodes: Sequence[Any], count: int, known: Values) -> list[list[Any]]:
        """Return rows of values, the first two columns as a graph where they are one."""
        names = [node.get("name", "") for node in nodes]
        pair = self.shape["pairs"].get(names[0]) if nodes else None
        if pair and pair["kind"] != "distinct":
            rest = nodes[2:]
            return [[a, b, *self._row(rest, known)] for a, b in self._edges(names[:2], pair, count, known)]
        if pair:
            return self._different(nodes, count, known, tuple)
        rows = [self._row(nodes, known, (index + 0.5) / count if len(nodes) == 1 else None) for index in range(count)]
        for column, name in enumerate(names):
            if "ascending" in self.shape["traits"].get(name, ()):
                rows.sort(key=lambda row: row[column])
        return rows

    def _different(self, nodes: Sequence[Any], count: int, known: Values, key: Any) -> list[Any]:
        """Return `count` different rows, fewer where no new one is found."""
        seen: dict[Any, None] = {}
        # Other patterns repeat values, and few rows would be different.
        pattern, self.pattern = self.pattern, "random"
        for _ in range(TRIES * count):
            if len(seen) < count:
                seen[key(self._row(nodes, known))] = None
        self.pattern = pattern
        return [list(row) if isinstance(row, tuple) else row for row in seen]

    def _edges(self, names: Sequence[str], pair: Mapping[str, Any], count: int, known: Values) -> list[tuple[int, int]]:
        span = self._range(names[0], known)
        base, nodes = int(span.low), int(self._of(pair["nodes"], self._look(known)).low)
        # Shuffled labels: a tree made by numbers would always have its root first.
        labels = list(range(base, base + nodes))
        self.random.shuffle(labels)
        edges = list(self._tree(nodes)) if pair["kind"] == "tree" or pair["connected"] else []
        seen = {(min(edge), max(edge)) for edge in edges}
        for _ in range(TRIES * count):
            if len(edges) >= count:
                break
            a, b = self.random.randrange(nodes), self.random.randrange(nodes)
            ends = sorted((labels[a], labels[b])) if pair["ordered"] else (labels[a], labels[b])
            allowed = a != b and self._holds(names[1], ends[1], {**known, names[0]: ends[0]})
            if allowed and (pair["kind"] == "loopless" or (min(a, b), max(a, b)) not in seen):
                edges.append((a, b))
                seen.add((min(a, b), max(a, b)))
        self.random.shuffle(edges)
        drawn = [(labels[a], labels[b]) for a, b in edges[:count]]
        return [(min(edge), max(edge)) for edge in drawn] if pair["ordered"] else drawn

    def _tree(self, nodes: int) -> Iterator[tuple[int, int]]:
        kind = TREES[self.seed % len(TREES)] if self.size != "random" else "random"
        for child in range(1, nodes):
            yield (
                {
                    "path": child - 1,
                    "star": 0,
                    "binary": (child - 1) // 2,
                    "caterpillar": max(0, child - 1 - child % 2),
                    "bushy": self.random.randrange(max(0, child - 10), child),
                }.get(kind, self.random.randrange(child)),
                child,
            )

    # -------------------------------------------------------------- the numbers of a scope

    def _scope(self, block: Mapping[str, Any], outside: Values, room: int, shares: Mapping[str, int]) -> Values:
        """Draw the numbers of a block so that what they ask for fits into `room`."""
        mine = [node["name"] for item in block["body"] for node in item.get("line", ()) if whole(node)]
        # Lengths first: all other numbers may be bounded by them.
        ordered = sorted([*block["hidden"], *mine], key=lambda name: name not in self.sizes)
        extra = [(of, "<=", str(share)) for of, share in shares.items()]
        self.caps = {}
        # Halve the longest until all fits: drawn again, since other numbers may depend on it.
        for _ in range(TRIES * 2):
            known = dict(outside)
            for name in ordered:
                known[name] = self._number(name, known, extra)
            # A length that is capped at 1 has nothing left to halve.
            lengths = [name for name in ordered if name in self.sizes and self.caps.get(name) != 1]
            if self._cost(block["body"], known) <= room or not lengths:
                break
            longest = max(lengths, key=lambda name: known[name])
            self.caps[longest] = max(1, known[longest] // 2)
        return known

    def _cost(self, body: Sequence[Any], known: Values) -> float:
        """Return how many values a body will have; lengths that are not drawn yet count as their smallest."""
        total = 0.0
        for item in body:
            if "line" in item:
                total += sum(self._node_cost(node, known) for node in item["line"])
            elif "kinds" in item:
                total += max(sum(self._node_cost(node, known) for node in nodes) for nodes in item["kinds"].values())
            else:
                times = self._of(item["count"], self._look(known)).low
                total += max(0, times) * self._cost(item["body"], known)
        return total

    def _node_cost(self, node: Mapping[str, Any], known: Values) -> float:
        if node["kind"] == "list":
            times = self._of(node["count"], self._look(known)).low
            return float(max(0, times) * self._node_cost(node["item"], known))
        if node["kind"] == "tuple":
            return sum(self._node_cost(item, known) for item in node["items"])
        if node["kind"] == "text" and node["name"] not in self.shape["choices"]:
            return max(1.0, float(self._look(known)(f"len_{node['name']}").low) / 4)
        return 1

    def _number(self, name: str, known: Values, extra: Sequence[Sequence[str]] = ()) -> int:
        """Draw a number that stands alone: a length, or a value of its own."""
        choices = self.shape["choices"].get(name)
        if choices:
            return int(self.random.choice(choices))
        span = self._fitting(name, self._range(name, known), known, extra)
        low, high = int(span.low), int(span.high)
        if name in self.sizes:
            high = max(low, min(high, self.caps.get(name, high)))
        for _ in range(TRIES):
            value = self._chosen(name, low, high)
            if self._holds(name, value, known, extra):
                break
        return value

    def _chosen(self, name: str, low: int, high: int) -> int:
        if self.edge and self.edge[0] == name:
            return high if self.edge[1] else low
        draw = self.random
        if self.size in ("small", "boundary"):
            return draw.randint(low, min(high, low + (9 if self.size == "small" else 3)))
        if name in self.outer and self.size != "random":
            return (low, min(high, low + draw.randrange(9)), high)[self.seed % 3]
        if name in self.sizes:
            return high if self.size in ("large", "worst") else logarithmic(draw, low, high)
        if self.size in ("large", "worst"):
            return (high, draw.randint(low, high), high - draw.randrange(min(high - low, 99) + 1))[self.seed % 3]
        return draw.randint(low, high) if draw.random() < 0.7 else logarithmic(draw, low, high)

    def _count(self, expression: str, known: Values) -> int:
        if expression.isidentifier() and expression not in known:
            return max(0, self._number(expression, known))
        return max(0, int(self._of(expression, self._look(known)).low))

    # -------------------------------------------------------------- single values

    def _draw(self, node: Mapping[str, Any], known: Values, place: float) -> Any:
        """Draw one value; `place` says where it stands among its like, from 0 to 1."""
        name, kind = node["name"], node["kind"]
        choices = self.shape["choices"].get(name)
        if choices:
            return self._choice(choices, place)
        if kind == "text":
            return self._text(name, known)
        if kind == "bool":
            return self.random.random() < 0.5
        span = self._fitting(name, self._range(name, known), known)
        if kind == "real":
            return round(self._spread(span.low, span.high, place), 4)
        low, high = int(span.low), int(span.high)
        if not self._compound(name):
            return self._whole(low, high, place)
        for _ in range(TRIES):
            value = self._whole(low, high, place)
            if self._holds(name, value, known):
                return value
            place = self.random.random()
        return value

    def _choice(self, choices: Sequence[Any], place: float) -> Any:
        if self.pattern in ("ascending", "descending", "low", "high"):
            return choices[min(len(choices) - 1, int(self._spread(0, len(choices), place)))]
        return self.random.choice(choices)

    def _whole(self, low: int, high: int, place: float) -> int:
        if self.size == "small" and self.random.random() < 0.6:
            near = 0 if low < 0 < high else low
            low, high = max(low, near - 6), min(high, near + 9)
        if high <= low:
            return low
        if self.pattern == "random":
            return self.random.randint(low, high)
        if self.pattern == "few":
            return low + (high - low) * self.random.randrange(3) // 2
        if self.pattern == "equal":
            return low + (high - low) * (self.seed % 5) // 5
        if self.pattern == "alternating":
            return self.random.choice((low, high))
        return max(low, min(high, round(self._spread(low, high, place))))

    def _spread(self, low: float, high: float, place: float) -> float:
        if self.pattern == "low":
            return low
        if self.pattern == "high":
            return high
        if self.pattern == "descending":
            place = 1 - place
        return low + (high - low) * (self.random.random() if self.pattern == "random" else place)

    def _text(self, name: str, known: Values) -> str:
        length = f"len_{name}"
        count = known[length] if length in known else self._number(length, known)
        # An empty word in a line cannot be read: words are split at spaces.
        count = max(1, count) if self.shape["style"] == "lines" else count
        letters = self.shape["alphabets"].get(name) or "abcdefghijklmnopqrstuvwxyz"
        if "distinct letters" in self.shape["traits"].get(name, ()):
            return "".join(self.random.sample(letters, min(count, len(letters))))
        if self.pattern in ("equal", "low", "high"):
            return (letters[0] if self.pattern == "low" else letters[-1]) * count
        if self.pattern == "alternating":
            return (letters * count)[:count]
        if self.pattern in ("few", "descending"):
            letters = letters[:2]
        made = "".join(self.random.choices(letters, k=count))
        return (made[: count // 2] + made[: (count + 1) // 2][::-1]) if self.pattern == "ascending" else made

    # -------------------------------------------------------------- ranges

    def _of(self, expression: str, look: Any) -> Range:
        return interval(expression, look)

    def _look(self, known: Values) -> Any:
        return lambda name: Range(known[name], known[name]) if name in known else self._range(name, known, True)

    def _range(self, name: str, known: Values, open_ended: bool = False) -> Range:
        """Return what the relations leave open for a name; both ends are finite, unless nothing at all is said."""
        # A range depends on what is known of related names alone; large lists ask for one 10^5 times.
        key = (name, *(known.get(other) for other in self._related(name)))
        if key not in self.ranges:
            self.ranges[key] = self.open_range(name, known)
        low, high = self.ranges[key]
        return EVERYTHING if open_ended and math.isinf(low) and math.isinf(high) else closed(low, high)

    def _related(self, name: str) -> tuple[str, ...]:
        """Return the names that have a say in the range of a name, directly or through others."""
        if name not in self.related:
            found = [name]
            for one in found:
                sides = [names_in(r[0]) | names_in(r[2]) for r in self.relations.get(one, ())]
                found += sorted(set().union(*sides) - set(found))
            self.related[name] = tuple(found[1:])
        return self.related[name]

    def open_range(self, name: str, known: Values | None = None, depth: int = 0) -> Range:
        """Return what the relations say of a name; an end of which they say nothing is infinite."""
        low, high = EVERYTHING
        known = known or {}

        def look(other: str) -> Range:
            return Range(known[other], known[other]) if other in known else self.open_range(other, known, depth + 1)

        # Of a <= b each side asks for the range of the other: DEPTH ends that.
        for left, operator, right in self.relations.get(name, ()) if depth < DEPTH else ():
            step = 1 if operator == "<" else 0
            if right == name and operator != "!=":
                low = max(low, interval(left, look).low + step)
            if left == name and operator != "!=":
                high = min(high, interval(right, look).high - step)
            if left == name and operator == "==":
                low = max(low, interval(right, look).low)
            if right == name and operator == "==":
                high = min(high, interval(left, look).high)
        return Range(low, high)

    def _fitting(self, name: str, span: Range, known: Values, extra: Sequence[Sequence[str]] = ()) -> Range:
        """Narrow a range by the relations in which the name is not alone on its side."""
        if not self._compound(name, extra) or span.high <= span.low:
            return span
        low, high = int(span.low), int(span.high)
        fits = [self._holds(name, end, known, extra) for end in (low, high)]
        # Sums and products are monotonic: where one end fits, bisection finds the last value that does.
        if fits == [True, False]:
            return Range(low, self._last(name, low, high, known, extra))
        return Range(self._last(name, high, low, known, extra), high) if fits == [False, True] else span

    def _last(self, name: str, good: int, bad: int, known: Values, extra: Sequence[Sequence[str]]) -> int:
        """Return the last good value on the way from a good one to a bad one."""
        while abs(bad - good) > 1:
            middle = (good + bad) // 2
            good, bad = (middle, bad) if self._holds(name, middle, known, extra) else (good, middle)
        return good

    def _compound(self, name: str, extra: Sequence[Sequence[str]] = ()) -> list[Sequence[str]]:
        if name not in self.compound:
            mine = self.relations.get(name, ())
            self.compound[name] = [r for r in mine if r[1] == "!=" or name not in (r[0], r[2])]
        return [*self.compound[name], *(r for r in extra if name in names_in(r[0]))] if extra else self.compound[name]

    def _holds(self, name: str, value: int, known: Values, extra: Sequence[Sequence[str]] = ()) -> bool:
        """Whether a value of a name can satisfy its compound relations, whatever is still open."""
        look = self._look({**known, name: value})
        return all(possible(interval(a, look), op, interval(b, look)) for a, op, b in self._compound(name, extra))


def whole(node: Mapping[str, Any]) -> bool:
    """Whether a node is a single whole number."""
    return bool(node["kind"] == "int")


def closed(low: float, high: float) -> Range:
    """Return a range with both ends finite; where they cross, the low end counts."""
    if math.isinf(low):
        low = NUMBERS.low if math.isinf(high) or high >= 0 else high - NUMBERS.high
    if math.isinf(high):
        high = low + NUMBERS.high
    return Range(low, max(low, high))


def possible(left: Range, operator: str, right: Range) -> bool:
    """Whether a comparison can be true for some values of both sides."""
    if operator == "!=":
        return not left.low == left.high == right.low == right.high
    if operator == "<":
        return left.low < right.high
    return left.low <= right.high and (operator == "<=" or right.low <= left.high)


def _flat(value: Any) -> Iterator[Any]:
    for item in value if isinstance(value, list) else ():
        yield from _flat(item)
    if not isinstance(value, list):
        yield value


def logarithmic(draw: random.Random, low: int, high: int) -> int:
    """Draw a number whose order of magnitude is uniform."""
    return low + min(high - low, int((high - low + 1) ** draw.random()) - 1)
