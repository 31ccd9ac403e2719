"""Plans how to draw inputs of a specification: comparisons over flat names, and traits of values.

A flat name stands for all values at one position of the layout: ``A`` for ``A[i]`` in lines,
``nums_at`` for ``nums[i]`` in JSON, ``len_S`` for the length of a text.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..expressions import EVERYTHING, infinite, interval, names_in, parse
from ..layout import (
    Choice,
    Item,
    Layout,
    Line,
    Loop,
    Many,
    Node,
    Relation,
    Scalar,
    Tuple,
    counts,
    nodes_of,
    own_nodes,
    scalars,
)
from ..names import Names, last_place, names_of
from ..promises import (
    Compare,
    Distinct,
    Graph,
    Is,
    Letters,
    OneOf,
    Permutation,
    Promise,
    Sorted,
    TotalBound,
)
from ..specification import Spec, SpecError
from ..structures import unfold
from .bounds import Bounds

# A number that bounds the values of an array counts as a length if it is at most this.
LENGTH_LIKE = 5_000_000
OPERATORS = {"<=": 0, "<": 1}
BRANCHES = re.compile(r"\w+ ?- ?1")  # the number of edges of a tree
ABS = re.compile(r"abs\((\w+(?:\[\w\])*)\)")
NEIGHBOURS = re.compile(
    r"(\w+)\[i\] (!=|<=?|>=?) \1\[i ([-+]) 1\]|(\w+)\[i ([-+]) 1\] (!=|<=?|>=?) \4\[i\]"
)
# The end of a row and the start of the next one: ``R[i] < L[i + 1]``.
CHAIN = re.compile(r"(\w+\[i\](?:\[\d\])?) (<=?) (\w+)\[i \+ 1\](\[\d\])?")
ROW = re.compile(r"(\w+)\[([i-l])\]\[([i-l])\]")
MULTIPLE = re.compile(r"([1-9]\d{0,8}) \* ([A-Za-z]\w*)")
OPPOSITE = {"+": "-", "-": "+"}
LENGTH = re.compile(r"(len_\w+) ([-+]) (\d{1,9})")
SUM = re.compile(r"\(?sum\((?:(\w+)|len\((\w+)\[i\]\))\)\)?")
END = re.compile(r"(\w+)\[(?:([01])|[A-Za-z]\w*(?: - 1)?)\]")
PLACE = re.compile(r"i( [-+] \d{1,9})?")
# The properties of single values or of one list that drawing keeps.
OF_VALUES = frozenset({"prime", "palindrome", "power", "brackets", "no leading zero", "trimmed",
                       "single spaces", "of one length", "not all alike", "some", "some multiple",
                       "half", "heap"})  # fmt: skip
OF_ANOTHER = frozenset({"in", "permutation of", "same multiset", "same sum"})


@dataclass(frozen=True, slots=True)
class Edges:
    """Two columns of rows that are the edges of a graph.

    kinds: those of `Graph`; ``distinct`` alone means that no two rows are equal. nodes: the number
    of nodes, as an expression. ordered: the first end of each edge is the smaller one.
    """

    kinds: frozenset[str]
    nodes: str = "0"
    ordered: bool = False

    @property
    def rows_only(self) -> bool:
        """Whether these are distinct rows, not a graph."""
        return self.kinds == {"distinct"}


class Plan:
    """A specification prepared for `synthesis`.

    Attributes:
        layout: The layout; rows whose lengths share a limit are its test cases.
        relations: Comparisons of flat names, in the order of the readings.
        traits: The traits of values with their arguments, by name.
        edges: Graphs, by the name of their first column.
        unsupported: Promises that drawing does not keep by construction.
    """

    def __init__(self, spec: Spec, *witnesses: str) -> None:
        self.spec, self.layout = spec, unfold(spec.layout)
        self.relations: list[Relation] = []
        self.alphabets: dict[str, str] = {}
        self.choices: dict[str, list[Any]] = {}
        self.traits: dict[str, dict[str, tuple[str, ...]]] = {}
        self.matrices: dict[str, dict[str, Any]] = {}
        self.sums: dict[str, tuple[str, str]] = {}
        self.graphs: dict[str, Graph] = {}
        self.unsupported: list[Promise] = []
        totals: list[tuple[str, str]] = []
        known = {node.name for node in scalars(self.layout.body)}
        self.names = names_of(self.layout, first=spec.first)
        self.flat = _Flat(self.names, known)
        graphs: list[Graph] = []
        for promise in spec.promises(*witnesses):
            if isinstance(promise, TotalBound):
                of, most = self.flat.term(promise.term), self.flat.term(promise.most)
                totals += [(of, most)] if of and most else []
                if not (of and most):
                    self.unsupported.append(promise)
            elif isinstance(promise, Graph):
                graphs.append(promise)
            elif isinstance(promise, Distinct) and (
                len(promise.terms) > 1 or f"{promise.terms[0].split('[')[0]}_at_0" in known
            ):
                term = promise.terms[0].split("[")[0]
                graphs.append(Graph(("simple" if promise.unordered else "distinct",), term))
            elif not self._add_promise(promise):
                self.unsupported.append(promise)
        totals = self._rows_as_cases(totals)
        self.edges, more = self._graphs(graphs)
        lengths = [r for r in self.relations if r.operator == "==" and r.right.isidentifier()]
        for relation in lengths:
            if "even" in self.traits.get(relation.left, ()):
                self.mark(relation.right, even=())
        more += [*self._enough_values(), *self._enough_in_all()]
        self.relations = list(dict.fromkeys([*self.relations, *more]))
        self.bounds = Bounds(self.relations)
        self.totals = dict(self._known_totals(totals, known))
        self._refuse_contradictions()
        self._order()

    def _order(self) -> None:
        """Determine which names are lengths, and which depend on others."""
        layout, bounds = self.layout, self.bounds
        # All cases together must fit into the total even if each has the smallest size.
        lows = {of: bounds.of(of, {}).low for of in self.totals}
        least = {of: 1 if infinite(low) else max(1, int(low)) for of, low in lows.items()}
        bounds.add(
            [(f"{layout.cases} * {least[of]}", "<=", str(most)) for of, most in self.totals.items()]
        )
        self.sizes = _sizes(layout)
        self.outer = {layout.cases} if layout.cases else set[str]()
        json = layout.style == "json"
        self.scalars = [
            *hidden(layout.body, json, self.spec.rectangular),
            *(node.name for node in _single_values(layout.body) if node.kind == "int"),
        ]
        self.elements = set(_element_names(layout.body, layout.cases))
        self.reached = self.elements | {f"len_{name}" for name in self.elements}
        sides = [r for r in self.relations if r.operator == "==" and r.left in self.sizes]
        defined = [r for r in sides if names_in(r.right)]
        self.follows = {r.left for r in defined}
        self.lengths = self.sizes | set(self._length_like())
        self.lengths |= {name for r in defined for name in names_in(r.right)}
        few_numbers = 3
        self.few = (
            not self.elements
            and not self.sizes - self.outer
            and len(self.scalars) <= few_numbers + 1
        )
        self.bits = self._corner_bits()
        self.has_texts = any(node.kind == "text" for node in scalars(layout.body))
        self._scopes: dict[int, tuple[frozenset[str], list[str]]] = {}
        self._partners: dict[tuple[str, ...], frozenset[str]] = {}
        self._forms: dict[tuple[int, str], tuple[Item, ...]] = {}

    def _length_like(self) -> Iterator[str]:
        """Yield the numbers that bound values of arrays, such as the number of nodes of a graph."""
        for name in self.reached:
            for left, _, right in self.bounds.relations.get(name, ()):
                for other in (names_in(left) | names_in(right)) - self.reached:
                    if self.bounds.open_range(other).high <= LENGTH_LIKE:
                        yield other

    def _corner_bits(self) -> dict[str, int]:
        """Return the bit of the seed that selects the end of the range, by name."""
        lengths = [name for name in self.scalars if name in self.lengths]
        others = [name for name in self.scalars if name not in self.lengths]
        every = [*lengths, *others, *sorted(self.elements)]
        if len(every) <= 4:
            return {name: bit for bit, name in enumerate(every)}
        # Lengths alternate between two bits, the other numbers share one, and all arrays one.
        bits = {name: place % 2 for place, name in enumerate(lengths)}
        return bits | dict.fromkeys(others, 2) | dict.fromkeys(sorted(self.elements), 3)

    def partners(self, names: Sequence[str]) -> frozenset[str]:
        """Return the names that share a relation with one of these."""
        key = tuple(names)
        if key not in self._partners:
            related = [r for name in names for r in self.bounds.relations.get(name, ())]
            sides = [names_in(r[0]) | names_in(r[2]) for r in related]
            self._partners[key] = frozenset().union(*sides)
        return self._partners[key]

    # -------------------------------------------------------------- the order of drawing

    def late(self, body: Sequence[Item]) -> frozenset[str]:
        """Return the numbers of a block that nothing depends on, to draw after its arrays."""
        return self._scope(body)[0]

    def ordered(self, body: Sequence[Item]) -> list[str]:
        """Return the other numbers of a block, in the order in which they are drawn."""
        return self._scope(body)[1]

    def form(self, choice: Choice, kind: str) -> tuple[Item, ...]:
        """Return a body with one form of a choice as its only line."""
        return self._forms.setdefault((id(choice), kind), (Line(dict(choice.kinds)[kind]),))

    def _scope(self, body: Sequence[Item]) -> tuple[frozenset[str], list[str]]:
        # By identity: bodies are parts of this plan, which keeps their ids in use.
        if id(body) not in self._scopes:
            outermost = body is self.layout.body and self.layout.style == "json"
            unseen = hidden(body, outermost, self.spec.rectangular)
            nodes = [node for item in body if isinstance(item, Line) for node in item.nodes]
            mine = [node.name for node in nodes if isinstance(node, Scalar) and whole(node)]
            late = self._late(body, set(mine))
            # Lengths first, as they may bound all other numbers; among them, those that define
            # others: `2N` before the length of the string that equals it.
            early = [name for name in [*unseen, *mine] if name not in late]
            key = {name: (name not in self.lengths, name in self.follows) for name in early}
            self._scopes[id(body)] = late, sorted(early, key=key.__getitem__)
        return self._scopes[id(body)]

    def _late(self, body: Sequence[Item], mine: set[str]) -> frozenset[str]:
        if not self.elements:
            return frozenset()
        related = {
            name: set[str]().union(
                *(names_in(r[0]) | names_in(r[2]) for r in self.bounds.relations.get(name, ()))
            )
            for name in mine
        }
        within = self.reached | set(_inner_names(body))
        limits = set[str]().union(*(names_in(limit) for _, limit in self.sums.values()))
        free = {name for name in mine - self.lengths - limits if not related[name] & within}
        # A number that bounds an early one is needed early itself.
        return frozenset(name for name in free if related[name] & mine <= free | self.lengths)

    def _refuse_contradictions(self) -> None:
        related = set[str]().union(*(names_in(r.left) | names_in(r.right) for r in self.relations))
        counted = set[str]().union(*map(names_in, counts(self.layout.body)))
        known = {node.name for node in scalars(self.layout.body)}
        unseen = counted if self.layout.style == "json" else set()
        for name in sorted((related | counted) - known - unseen - set(self.names.indices)):
            if not name.startswith("len_"):
                raise SpecError(f"the input has no {name}")
        for name in sorted(related):
            low, high = self.bounds.open_range(name)
            if low > high:
                raise SpecError(f"the promises contradict each other: {low} <= {name} <= {high}")

    def mark(self, name: str, **traits: tuple[str, ...]) -> None:
        """Add traits to a name; it keeps those that it has."""
        self.traits[name] = traits | self.traits.get(name, {})

    # -------------------------------------------------------------- one promise

    def _add_promise(self, promise: Promise) -> bool:
        """Add a promise to the plan; return whether drawing will keep it."""
        if isinstance(promise, Compare):
            simple = [c for part in _without_abs(promise) for c in self.flat.columns(part)]
            relations = [
                relation for part in simple for relation in self.flat.relations(part) if relation
            ]
            self.relations += relations
            # A list, not any(): every method has to run.
            noted = [self._matrix(promise), self._neighbours(promise), self._end(promise)]
            return any([bool(relations), *noted, self._sum(promise)])
        if isinstance(promise, Is):
            return self._is(promise)
        assert not isinstance(promise, (Graph, TotalBound))
        return self._of_one_name(promise)

    def _of_one_name(self, promise: Letters | OneOf | Distinct | Sorted | Permutation) -> bool:
        term = promise.terms[0] if isinstance(promise, Distinct) else promise.term
        letter = self.names.kind(term) == "letter"
        name = self.flat.value(term)
        if name is None:
            return False
        if isinstance(promise, Letters):
            old = self.alphabets.get(name, promise.letters)
            both = "".join(character for character in old if character in promise.letters)
            self.alphabets[name] = both or old
        elif isinstance(promise, OneOf):
            if letter and not re.search(r"\[[i-l]\]$", term):
                return False
            if letter:
                self.alphabets.setdefault(name, "".join(map(str, promise.values)))
            else:
                self.choices.setdefault(name, list(promise.values))
        elif isinstance(promise, Distinct):
            self.mark(name, **{"distinct letters" if letter else "distinct": ()})
        elif isinstance(promise, Sorted):
            self.mark(name, **{"descending" if promise.descending else "ascending": ()})
            self.mark(name, **({"distinct": ()} if promise.strict else {}))
        else:
            self.mark(name, permutation=())
            low, high = self.flat.term(promise.low), self.flat.term(promise.high)
            if not low or not high:
                return False
            self.relations += [Relation(low, "<=", name), Relation(name, "<=", high)]
            if count := self._count_of(promise.term):
                self.relations.append(Relation(count, "==", f"({high}) - ({low}) + 1"))
        return True

    def _is(self, promise: Is) -> bool:
        name, arguments = self.flat.value(promise.term), promise.arguments
        if promise.what in ("all different", "distinct together"):
            terms = (promise.term, *arguments)
            names = [flat for term in terms if (flat := self.flat.value(term))]
            if any(self._is_list(term) for term in terms):
                for flat in names:
                    self.mark(flat, together=tuple(names))
            else:
                self.relations += [
                    Relation(a, "!=", b) for a, b in itertools.combinations(names, 2)
                ]
            return len(names) == len(terms)
        if name is None:
            return False
        if promise.what == "different rows":
            self.mark(name, **{"different rows": ()})
            return True
        if promise.what == "index of" and (count := self._count_of(arguments[0])):
            first = self.names.base(arguments[0])
            last = last_place(count, first) if first else f"{count} - 1"
            self.relations += [Relation(str(first), "<=", name), Relation(name, "<=", last)]
            return True
        if promise.what in OF_ANOTHER:
            other = self.flat.value(arguments[0])
            counted = self._count_of(promise.term), self._count_of(arguments[0])
            if other is None or (promise.what != "in" and None in counted):
                return False
            if promise.what in ("permutation of", "same multiset"):
                promise = replace(promise, what="permutation of")
                both = sorted(map(str, counted), key=lambda count: not count.isidentifier())
                self.relations += [Relation(both[0], "==", both[1])] if both[0] != both[1] else []
            self.mark(name, **{promise.what: (other,)})
            return True
        if promise.what in OF_VALUES:
            self.mark(name, **{promise.what: arguments})
            if promise.what == "brackets":
                self.mark(f"len_{name}", even=())
                self.alphabets.setdefault(name, "()")
        return promise.what in OF_VALUES

    def _is_list(self, term: str) -> bool:
        return self.names.whole(term) != term

    def _count_of(self, term: str) -> str | None:
        """Return the length of the list or text of a term, as an expression."""
        whole = re.sub(r"\[\w\]$", "", term)
        return self.flat.term(f"len({whole})")

    def _matrix(self, promise: Compare) -> bool:
        """Add ``A[i][j] == A[j][i]`` or ``A[i][i] == 0``; return whether it is one of these."""
        text = f"{promise.left} == {promise.right}"
        mirrored = re.fullmatch(r"(\w+)\[(\w)\]\[(\w)\] == \1\[\3\]\[\2\]", text)
        diagonal = re.fullmatch(r"(\w+)\[(\w)\]\[\2\] == (-?\d{1,18})", text)
        name = self.flat.value(promise.left) if promise.operator == "==" else None
        if name and mirrored:
            self.matrices.setdefault(name, {})["symmetric"] = True
        elif name and diagonal:
            self.matrices.setdefault(name, {})["diagonal"] = int(diagonal[3])
        return bool(name and (mirrored or diagonal))

    def _neighbours(self, promise: Compare) -> bool:
        """Add ``A[i] < A[i + 1]`` or the like; return whether it is one of these."""
        match = NEIGHBOURS.fullmatch(f"{promise.left} {promise.operator} {promise.right}")
        name = self.flat.value(match[1] or match[4]) if match else None
        if chain := CHAIN.fullmatch(f"{promise.left} {promise.operator} {promise.right}"):
            second = f"{chain[3]}[i]{chain[4] or ''}"
            ends = self.flat.value(chain[1]), self.flat.value(second)
            if ends[0] and ends[1] and ends[0] != ends[1]:
                self.mark(ends[0], chain=("strict",) if chain[2] == "<" else ())
                return True
        if match is None or name is None:
            return False
        sign = match[2] or match[6]
        rising = ("<" in sign) == ((match[3] or OPPOSITE[match[5]]) == "+")
        if sign == "!=":
            self.mark(name, **{"neighbours differ": ()})
        elif len(promise.conditions) < 2:
            self.mark(name, **{"ascending" if rising else "descending": ()})
            self.mark(name, **({} if "=" in sign else {"distinct": ()}))
        return True

    def _end(self, promise: Compare) -> bool:
        """Add ``A[1] == 0`` or ``A[N] == 9``; return whether it is one of these."""
        for side, value in ((promise.left, promise.right), (promise.right, promise.left)):
            if promise.operator != "==" or not re.fullmatch(r"-?\d{1,18}", value):
                continue
            end = END.fullmatch(side)
            if (
                end
                and not end[0].endswith(("[i]", "[j]"))
                and (name := self.flat.value(f"{end[1]}[i]"))
            ):
                self.mark(name, **{"first" if end[2] else "last": (value,)})
                return True
        return False

    def _sum(self, promise: Compare) -> bool:
        """Add ``sum(A) <= K`` or ``sum(A) == sum(B)``; return whether it is one of these."""
        mirrored = {"==": "==", ">=": "<=", ">": "<"}.get(promise.operator)
        sides = [
            (promise.left, promise.operator, promise.right),
            (promise.right, mirrored, promise.left),
        ]
        for left, sign, limit in sides:
            summed, other = SUM.fullmatch(left), SUM.fullmatch(limit)
            if not summed or sign not in ("==", "<=", "<"):
                continue
            if sign == "==" and summed[1] and other and other[1]:
                # The later list is drawn with the sum of the earlier one.
                earlier, later = sorted((summed[1], other[1]), key=list(self.names.places).index)
                return self._is(Is(later, "same sum", (earlier,)))
            most, name = self.flat.term(limit), self.flat.value(f"{summed[1] or summed[2]}[i]")
            if most and name:
                name = name if summed[1] else f"len_{name}"
                bound = "==" if sign == "==" else "<=", f"{most} - 1" if sign == "<" else most
                self.sums.setdefault(name, bound)
                return True
        return False

    # -------------------------------------------------------------- sizes and totals

    def _rows_as_cases(self, totals: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Turn rows whose lengths share a limit into test cases; return all totals."""
        layout = self.layout
        for item in layout.body if layout.style == "lines" and not layout.cases else ():
            if not isinstance(item, Loop) or not item.count.isidentifier():
                continue
            own = [node for line in item.body if isinstance(line, Line) for node in line.nodes]
            used = set().union(*(names_in(node.count) for node in own if isinstance(node, Many)))
            mine = [node for node in own if isinstance(node, Scalar)]
            lengths = {f"len_{node.name}" for node in mine if node.kind == "text"}
            lengths |= {node.name for node in mine} & used
            shared = {
                name: limit
                for name, (sign, limit) in self.sums.items()
                if sign == "<=" and not names_in(limit) and name in lengths
            }
            if shared:
                self.layout = replace(layout, cases=item.count)
                self.sums = {k: bound for k, bound in self.sums.items() if k not in shared}
                return [*totals, *shared.items()]
        return totals

    def _known_totals(
        self, totals: Sequence[tuple[str, str]], known: set[str]
    ) -> Iterator[tuple[str, int]]:
        for of, limit in totals if self.layout.cases else ():
            most = interval(limit, lambda _: EVERYTHING)
            if (
                most.low == most.high
                and {name.removeprefix("len_") for name in names_in(of)} <= known
            ):
                yield of, int(most.high)

    def _enough_values(self) -> Iterator[Relation]:
        """Yield upper bounds of lengths: distinct values need as many possible numbers."""
        for node in _lists(self.layout.body):
            name = node.item.name if isinstance(node.item, Scalar) else ""
            if "distinct" in self.traits.get(name, ()) and names_in(node.count):
                ends = [r for r in self.relations if r.operator in OPERATORS]
                highs = [r for r in ends if r.left == name]
                lows = [r for r in ends if r.right == name]
                if highs and lows:
                    # high - low + 1 numbers, minus one for each excluded end.
                    spare = 1 - OPERATORS[highs[0].operator] - OPERATORS[lows[0].operator]
                    room = f"({highs[0].right}) - ({lows[0].left}) + {spare}"
                    yield Relation(node.count, "<=", room)

    def _enough_in_all(self) -> Iterator[Relation]:
        """Yield bounds of sums: count times the smallest value, count times the largest."""
        for count, name in self._counted():
            operator, limit = self.sums.get(name, ("", ""))
            for relation in self.relations if operator else ():
                if relation.operator not in OPERATORS:
                    continue
                if relation.right == name and relation.left.isdigit():
                    yield Relation(f"({count}) * {relation.left}", "<=", limit)
                if relation.left == name and operator == "==":
                    yield Relation(limit, "<=", f"({count}) * ({relation.right})")

    def _counted(self) -> Iterator[tuple[str, str]]:
        """Yield the count and the name of the values of each list and column."""
        for node in _lists(self.layout.body):
            if isinstance(node.item, Scalar):
                yield node.count, node.item.name
        for count, row in self._rows():
            yield from ((count, node.name) for node in row)

    # -------------------------------------------------------------- graphs

    def _rows(self) -> Iterator[tuple[str, Sequence[Scalar]]]:
        """Yield the count and the single values of each list of rows."""

        def within(items: Sequence[Item]) -> Iterator[tuple[str, Sequence[Scalar]]]:
            for item in items:
                if isinstance(item, Loop):
                    first = item.body[0]
                    case = item.count == self.layout.cases
                    if len(item.body) == 1 and isinstance(first, Line) and not case:
                        yield item.count, [n for n in first.nodes if isinstance(n, Scalar)]
                    yield from within(item.body)
                else:
                    many = (node for node in own_nodes(item) if isinstance(node, Many))
                    yield from ((n.count, n.item.items) for n in many if isinstance(n.item, Tuple))

        yield from within(self.layout.body)

    def _graphs(self, graphs: Sequence[Graph]) -> tuple[dict[str, Edges], list[Relation]]:
        edges: dict[str, Edges] = {}
        more: list[Relation] = []
        rows = [(count, row) for count, row in self._rows() if row]
        for promise in graphs:
            named = [
                row for row in rows
                if promise.term and self.flat.names.place(promise.term)
                and any(node.name.split("_at")[0] == promise.term for node in row[1])
            ]  # fmt: skip
            kinds = frozenset(promise.kinds)
            if kinds == {"distinct"}:
                for count, row in named or rows:
                    old = edges.get(row[0].name, Edges(frozenset()))
                    edges[row[0].name] = replace(old, kinds=old.kinds | kinds)
                    ends = [node.name for node in row if node.kind == "int"]
                    nodes = self._nodes(count, ends, False) if len(ends) == len(row) == 2 else None
                    if nodes:
                        below = Relation(ends[0], "<", ends[1]) in self.relations
                        pairs = f"({nodes}) * ({nodes} - 1) // 2" if below else f"({nodes}) ** 2"
                        more.append(Relation(count, "<=", pairs))
                deep = [] if named or rows else self._nested_lists(promise.term)
                for name in deep:
                    self.mark(name, **{"different rows": ()})
                if not rows and not deep:
                    self.unsupported.append(promise)
                continue
            count, nodes, ends = self._edges_of(promise, named or rows)
            if not nodes:
                self.unsupported.append(promise)
                continue
            old = edges.get(ends[0], Edges(frozenset()))
            smaller = [Relation(ends[0], sign, ends[1]) in self.relations for sign in ("<", "<=")]
            kinds |= {"loopless"} if smaller[0] else set()
            edges[ends[0]] = Edges(old.kinds | kinds, nodes, any(smaller))
            more += _possible(count, nodes, edges[ends[0]].kinds, self.spec.directed)
        return edges, more

    def _nested_lists(self, term: str) -> list[str]:
        """Return the names of values in lists of lists; with a term, only of the list it names."""
        return [
            node.item.item.name
            for node in _lists(self.layout.body)
            if isinstance(node.item, Many)
            and isinstance(node.item.item, Scalar)
            and term in ("", node.name)
        ]

    def _edges_of(
        self, promise: Graph, rows: Sequence[tuple[str, Sequence[Scalar]]]
    ) -> tuple[str, str, list[str]]:
        """Return the number of edges, the number of nodes, and the names of both ends of edges."""
        graphs: list[tuple[str, str, list[str]]] = []
        for count, row in rows:
            ends = [node.name for node in row[:2] if node.kind == "int"]
            nodes = self._nodes(count, ends, "tree" in promise.kinds) if len(ends) == 2 else None
            if nodes:
                graphs.append((count, nodes, ends))
        # A tree's edges are the n - 1 rows; other edges are the first rows, as queries come later.
        trees = [g for g in graphs if "tree" in promise.kinds and BRANCHES.fullmatch(g[0])]
        return (trees or graphs or [("", "", [])])[0]

    def _nodes(self, count: str, ends: Sequence[str], tree: bool) -> str | None:
        """Return the number of nodes if both ends of the edges have the same range, else None."""
        if tree and re.fullmatch(r"\w+ ?- ?1|len_\w+", count):
            return f"{count} + 1"
        relations = [r for r in self.relations if r.operator in OPERATORS]
        highs = [
            {(r.right, r.operator) for r in relations if r.left == end and r.right not in ends}
            for end in ends
        ]
        lows = [r.left for r in relations if r.right == ends[0] and r.left.isdigit()]
        ordered = Relation(ends[0], "<", ends[1]) in self.relations
        shared = highs[0] & highs[1] or (highs[1] if ordered else set())
        if not shared or not lows:
            return None
        high, operator = sorted(shared)[0]
        # high - low + 1 nodes, minus one if the upper end is excluded.
        return f"{high} - {int(lows[0]) - 1 + OPERATORS[operator]}"


def _possible(count: str, nodes: str, kinds: frozenset[str], directed: bool) -> Iterator[Relation]:
    """Yield the bounds that the number of edges must keep for such a graph to exist."""
    once = kinds & {"simple", "no multi-edges", "distinct"}
    pairs = f"({nodes}) * ({nodes} - 1)"
    if "acyclic" in kinds and not directed:
        yield Relation(count, "<=", f"{nodes} - 1")
    elif "bipartite" in kinds and once:
        yield Relation(count, "<=", f"({nodes} // 2) * (({nodes} + 1) // 2)")
    elif once:
        both_ways = directed and "acyclic" not in kinds
        yield Relation(count, "<=", pairs if both_ways else f"{pairs} // 2")
    elif kinds & {"loopless", "acyclic", "bipartite"} and not kinds & {"tree"}:
        # A single node allows no edges; more nodes allow any number.
        yield Relation(count, "<=", f"({nodes} - 1) * {10**12}")
    if "connected" in kinds:
        yield Relation(f"{nodes} - 1", "<=", count)


# ------------------------------------------------------------------ walking


def hidden(items: Sequence[Item], lists: bool = False, rectangular: bool = True) -> list[str]:
    """Return the lengths that no line shows; they are drawn with the numbers of their scope."""
    lengths = []
    for node in (node for item in items if isinstance(item, Line) for node in item.nodes):
        if isinstance(node, Scalar) and node.kind == "text":
            lengths.append(f"len_{node.name}")
        if lists and isinstance(node, Many):
            lengths.append(node.count)
            inner = node.item
            while rectangular and isinstance(inner, Many):
                lengths.append(inner.count)
                inner = inner.item
    return lengths


def _sizes(layout: Layout) -> set[str]:
    """Return the names of lengths and counts."""
    lengths = {f"len_{node.name}" for node in scalars(layout.body) if node.kind == "text"}
    return lengths | {name for count in counts(layout.body) for name in names_in(count)}


def _single_values(items: Sequence[Item]) -> Iterator[Scalar]:
    for item in items:
        if isinstance(item, Loop):
            # The values of a loop over one line are elements of a list, which need no boundary
            # tests of their own.
            yield from _single_values(item.body) if len(item.body) > 1 else ()
        elif isinstance(item, Line):
            yield from (node for node in item.nodes if isinstance(node, Scalar))


def _element_names(body: Sequence[Item], cases: str | None, within: bool = False) -> Iterator[str]:
    """Yield the names with several values in an input: those in lists and in rows."""
    for item in body:
        if isinstance(item, Loop):
            rows = item.count != cases and len(item.body) == 1
            yield from _element_names(item.body, cases, within or rows)
            continue
        for node in own_nodes(item):
            many = within or isinstance(item, Choice)
            while isinstance(node, Many):
                node, many = node.item, True
            if many:
                row = node.items if isinstance(node, Tuple) else [node]
                yield from (scalar.name for scalar in row)


def _inner_names(body: Sequence[Item]) -> Iterator[str]:
    """Yield the names of single values in the blocks of a body."""
    for item in body:
        if isinstance(item, Loop):
            for inner in item.body:
                if isinstance(inner, Line):
                    yield from (node.name for node in inner.nodes if not isinstance(node, Tuple))
            yield from _inner_names(item.body)


def whole(node: Node) -> bool:
    """Whether a node is a single integer."""
    return isinstance(node, Scalar) and node.kind == "int"


def name_of(node: Node) -> str:
    """Return the name of a single value; empty for lists and tuples."""
    return node.name if isinstance(node, Scalar) else ""


def _lists(items: Sequence[Item]) -> Iterator[Many]:
    return (node for node in nodes_of(items) if isinstance(node, Many))


# ------------------------------------------------------------------ flat names


def _without_abs(promise: Compare) -> list[Compare]:
    """Return ``-c <= x`` and ``x <= c`` for ``abs(x) <= c``."""
    if not (inner := ABS.fullmatch(promise.left)) or promise.operator not in ("<", "<="):
        return [promise]
    low = replace(promise, left=f"-({promise.right})", right=inner[1])
    return [low, replace(promise, left=inner[1])]


class _Flat(ast.NodeTransformer):
    """Rewrites terms with flat names: ``nums_at`` for ``nums[i]``, ``len_S`` for ``len(S[i])``."""

    def __init__(self, names: Names, known: set[str]) -> None:
        self.names, self.known = names, known

    def relations(self, promise: Compare) -> Iterator[Relation]:
        """Yield the relations for a comparison; none if flat names cannot express it."""
        left, right = self.term(promise.left), self.term(promise.right)
        if left is None or right is None or left == right:
            return
        # A relation off the diagonal of a matrix is drawn everywhere; the diagonal is set later.
        if promise.conditions and (
            promise.conditions != ("i != j",)
            or not re.search(r"\[i\]\[j\]|\[j\]\[i\]", promise.left + promise.right)
        ):
            return
        if re.search(r"\[(\w)\]\[\1\]", promise.left + promise.right):
            return
        if promise.operator in (">", ">="):
            left, right = right, left
        operator = promise.operator.replace(">", "<")
        yield _isolate_name(Relation(left, operator, right))
        # ``P < i``: a comparison with the index bounds all values by the first or last index.
        bases = set(re.findall(r"[A-Za-z_]\w*", f"{promise.left} {promise.right}")) & set(
            self.names.places
        )
        name = next((name for name in sorted(bases) if self.names.places[name].counts), None)
        if name and "i" not in self.names.places and operator in ("<", "<="):
            first = self.names.base(name)
            if PLACE.fullmatch(right):
                yield Relation(
                    left,
                    operator,
                    right.replace("i", last_place(self.names.places[name].counts[0], first)),
                )
            if PLACE.fullmatch(left):
                yield Relation(left.replace("i", str(first)), operator, right)

    def columns(self, promise: Compare) -> Iterator[Compare]:
        """Yield ``cost[i][j] <= 9`` for each column, if the columns of the rows have flat names."""
        for base, first, second in ROW.findall(f"{promise.left} {promise.right}"):
            width = next((n for n in itertools.count() if f"{base}_at_{n}" not in self.known), 0)
            if width and not promise.conditions:
                for column in map(str, range(width)):
                    spelt, place = f"{base}[{first}][{second}]", f"{base}[{first}][{column}]"
                    yield replace(
                        promise,
                        left=promise.left.replace(spelt, place),
                        right=promise.right.replace(spelt, place),
                    )
                return
        yield promise

    def term(self, text: str) -> str | None:
        """Return a term with flat names; None if they cannot express it."""
        try:
            flat = ast.unparse(self.visit(ast.parse(text, mode="eval").body))
            parse(flat)
        except (_NoFlatName, SyntaxError, ValueError):
            return None
        return flat

    def value(self, term: str) -> str | None:
        """Return the flat name of the values of a term, or None."""
        base = re.match(r"\w+", term)
        if base is None or base[0] not in self.names.places:
            return None
        return self._name(base[0], re.findall(r"\[([^\[\]]*)\]", self.names.whole(term)))

    def _name(self, base: str, subscripts: Sequence[str]) -> str | None:
        if self.names.style == "lines":
            return base
        spelt = base
        for subscript in subscripts[: self.names.places[base].depth]:
            place = f"{spelt}_{subscript}"
            spelt = place if subscript.isdigit() and place in self.known else f"{spelt}_at"
        return spelt if spelt in self.known else None

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.names.places:
            return node
        name = self.value(node.id)
        if name is None:
            raise _NoFlatName
        return ast.Name(name, node.ctx)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        text = ast.unparse(node)
        name = self.value(text)
        # A flat name stands for all values of a list, not one of them, and for texts, not letters.
        if name is None or self.names.kind(text) == "letter" or re.search(r"\[\w+ ", text):
            raise _NoFlatName
        if self.names.style == "lines" and re.search(r"\[(?![i-l]\])", text):
            raise _NoFlatName
        return ast.Name(name, node.ctx)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        if called == "len":
            text = ast.unparse(node.args[0])
            base = re.match(r"\w+", text)
            place = self.names.places.get(base[0]) if base else None
            if base is None or place is None or self.names.kind(text) == "letter":
                raise _NoFlatName
            subscripts = text.count("[")
            if place.kind == "text" and (
                subscripts == place.depth
                or (subscripts == 0 < place.depth and self.names.style == "lines")
            ):
                return ast.Name(f"len_{self.value(text)}", ast.Load())
            if self.names.style == "json":
                return ast.Name("len_" + base[0] + "_at" * subscripts, ast.Load())
            if subscripts < len(place.counts):
                return ast.parse(place.counts[subscripts], mode="eval").body
            raise _NoFlatName
        if called not in ("min", "max"):
            raise _NoFlatName
        return ast.Call(node.func, [self.visit(argument) for argument in node.args], [])


def _isolate_name(relation: Relation) -> Relation:
    """Return a relation with a name alone on its side, as `Bounds` needs it.

    >>> _isolate_name(Relation("2", "<=", "len_edges + 1"))
    Relation(left='2 - 1', operator='<=', right='len_edges')
    >>> _isolate_name(Relation("2 * k", "<=", "n"))
    Relation(left='k', operator='<=', right='n // 2')
    """
    left, operator, right = relation
    if (match := LENGTH.fullmatch(left)) and not names_in(right):
        left, right = match[1], f"{right} {OPPOSITE[match[2]]} {match[3]}"
    elif (match := LENGTH.fullmatch(right)) and not names_in(left):
        left, right = f"{left} {OPPOSITE[match[2]]} {match[3]}", match[1]
    elif (
        (match := MULTIPLE.fullmatch(left))
        and operator == "<="
        and right.isidentifier()
        and right != match[2]
    ):
        left, right = match[2], f"{right} // {match[1]}"
    elif (match := MULTIPLE.fullmatch(right)) and operator == "<" and not names_in(left):
        left, right = f"{left} // {match[1]}", match[2]
    return Relation(left, operator, right)


class _NoFlatName(Exception):
    """A term has no flat name."""
