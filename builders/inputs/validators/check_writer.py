"""The lines of a validator: how an input is read, and what is checked of it.

It reads an input as strictly as the layout says, with the bounds that are known by then, and checks
the other promises of a scope (the whole input, or one test case) once all its values are read.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from venus_toolkit.builders.inputs.promises.terms import NotUnderstood
from venus_toolkit.builders.inputs.spec.layout import (
    Choice,
    Item,
    Layout,
    Line,
    Loop,
    Many,
    Node,
    Scalar,
    Tuple,
    own_nodes,
)
from venus_toolkit.builders.inputs.spec.names import Names
from venus_toolkit.builders.inputs.spec.promises import (
    Compare,
    Distinct,
    Graph,
    Is,
    Letters,
    OneOf,
    Permutation,
    Promise,
    Reading,
    Sorted,
    TotalBound,
)

PROPERTIES = {
    "prime": "is_prime({0})",
    "palindrome": "{0} == {0}[::-1]",
    "power": "is_power({0}, {1})",
    "brackets": "is_balanced({0})",
    "in": "{0} in {1}",
    "permutation of": "sorted({0}) == sorted({1})",
    "no leading zero": "{0} == '0' or {0}[:1] != '0'",
    "trimmed": "{0} == {0}.strip()",
    "single spaces": "'  ' not in {0}",
    "of one length": "len(set(map(len, {0}))) <= 1",
    "all different": "distinct([{all}])",
    "not all equal": "({first}) != ({second})",
    "not all alike": "len(set({0})) > 1",
    "some": "has_some({0}, '{2}', {1})",
    "some multiple": "has_multiple({0}, {1})",
    "half": "half_leave({0}, {1})",
    "same sum": "sum({0}) == sum({1})",
}
COMPARED = ("==", "!=", "<", "<=", ">", ">=")
# What is said of a whole list.
LISTS = ("permutation of", "same sum", "of one length", "not all alike", "some", "some multiple", "half")


def lines_of(
    layout: Layout,
    names: Names,
    readings: Sequence[Reading],
    loose: bool = False,
    directed: bool = False,
) -> list[str]:
    """Return the body of a validator; the arguments are those of `validator.validator_source`.

    Raises:
        NotUnderstood: A promise cannot be checked on this layout.
    """
    compiler = _Compiler(layout, names, readings, directed)
    return (
        compiler.lines_of_input(loose) if layout.style == "lines" else compiler.lines_of_arguments()
    )


@dataclass(slots=True)
class _Bounds:
    low: str | None = None
    high: str | None = None

    @property
    def arguments(self) -> str:
        if self.high is None:
            return "" if self.low is None else f", {self.low}"
        return f", {self.low}, {self.high}" if self.low is not None else f", high={self.high}"


@dataclass(slots=True)
class _Compiler:
    layout: Layout
    names: Names
    readings: Sequence[Reading]
    directed: bool
    said: set[Compare] = field(default_factory=set)  # checked where the value is read

    # -------------------------------------------------------------- reading

    def lines_of_input(self, loose: bool) -> list[str]:
        out = [f"read = Input(stdin{', loose=True' if loose else ''})"]
        out += [f"total_{index} = 0" for index, _ in enumerate(self._totals())]
        out += self._lists(self.layout.body)
        out += self._body(self.layout.body, {}, [])
        out.append("read.end()")
        out += self._checks(in_case=False)
        for index, (sentence, total) in enumerate(self._totals()):
            out.append(f"check(total_{index} <= {self._python(total.most)}, {sentence!r})")
        return out

    def lines_of_arguments(self) -> list[str]:
        out = ["read = Arguments(stdin)"]
        for item in self.layout.body:
            assert isinstance(item, Line)
            for node in item.nodes:
                name = node.name if isinstance(node, (Scalar, Many)) else ""
                out.append(f"{safe(name)} = read.value({name!r}, {_form(node)})")
        return [*out, "read.end()", *self._checks(in_case=False)]

    def _totals(self) -> list[tuple[str, TotalBound]]:
        return [
            (one.sentence, total)
            for one in self.readings
            for total in one.promises
            if isinstance(total, TotalBound)
        ]

    def _compared(self) -> Iterator[Compare]:
        return (
            promise
            for one in self.readings
            for promise in one.promises
            if isinstance(promise, Compare)
        )

    def _lists(self, items: Sequence[Item]) -> list[str]:
        """Return the lines that begin the lists of a scope, which rows are added to."""
        return [f"{safe(name)} = []" for name in self._in_rows(items)]

    def _in_rows(self, items: Sequence[Item]) -> Iterator[str]:
        for item in items:
            if isinstance(item, Choice) or (
                isinstance(item, Loop) and item.count != self.layout.cases
            ):
                yield from _all_names([item])

    def _body(self, items: Sequence[Item], local: Mapping[str, str], known: list[str]) -> list[str]:
        """Return the lines that read a body.

        `local` says what the values of this row are called here.
        """
        out: list[str] = []
        for item in items:
            if isinstance(item, Line):
                for node in item.nodes:
                    out += self._node(node, local, known)
                out.append("read.newline()")
            elif isinstance(item, Choice):
                out += self._choice(item, local, known)
            elif item.count == self.layout.cases:
                inner = list(known)
                block = [
                    *self._lists(item.body),
                    *self._body(item.body, local, inner),
                    *self._checks(in_case=True),
                ]
                for index, (_, total) in enumerate(self._totals()):
                    block.append(f"total_{index} += {self._summed(total.term)}")
                out += [f"for _ in range({self._count(item.count, local)}):", *_indented(block)]
            else:
                out += self._rows(item, local, known)
        return out

    def _rows(self, item: Loop, local: Mapping[str, str], known: list[str]) -> list[str]:
        """Return the lines that read rows.

        Each value into a variable, which is added to its list.
        """
        depth = 1 + sum(name.endswith("_of_row") for name in set(local.values()))
        mine = list(_all_names([one for one in item.body if not isinstance(one, Choice)]))
        inner = {
            **local,
            **{name: f"{safe(name)}{'_of_row' * depth}" for name in _all_names(item.body)},
        }
        # A list within the rows of rows begins anew with each of them.
        deeper = [f"{inner[name]} = []" for name in self._in_rows(item.body)]
        block = [*deeper, *self._body(item.body, inner, list(known))]
        block += [f"{local.get(name, safe(name))}.append({inner[name]})" for name in mine]
        return [f"for _ in range({self._count(item.count, local)}):", *_indented(block)]

    def _choice(self, item: Choice, local: Mapping[str, str], known: list[str]) -> list[str]:
        """Return the lines that read a line whose first word says what follows.

        Its values go to their lists.
        """
        out = ["kind = read.word('kind')"]
        for index, (kind, nodes) in enumerate(item.kinds):
            block = [line for node in nodes for line in self._node(node, local, list(known))]
            named = [node.name for node in nodes if isinstance(node, (Scalar, Many))]
            block += [f"{safe(name)}.append({local[name]})" for name in named if name in local]
            out += [f"{'elif' if index else 'if'} kind == {kind!r}:", *_indented(block or ["pass"])]
        return [
            *out,
            "else:",
            "    raise Refused(f'{kind!r} is not a kind of line')",
            "read.newline()",
        ]

    def _node(self, node: Node, local: Mapping[str, str], known: list[str]) -> list[str]:
        if isinstance(node, Tuple):
            raise NotUnderstood("values of a line in a tuple without a name")
        # Only a lone value can bound those that are read later.
        if isinstance(node, Scalar) and not local:
            known.append(node.name)
        return [
            f"{local.get(node.name, safe(node.name))} = {self._read(node, node.name, local, known)}"
        ]

    def _read(self, node: Node, name: str, local: Mapping[str, str], known: list[str]) -> str:
        """Return the expression that reads a node, whose values belong to `name`."""
        if isinstance(node, Tuple):
            return f"[{', '.join(self._read(item, name, local, known) for item in node.items)}]"
        if isinstance(node, Many) and not isinstance(node.item, Scalar):
            return (
                f"[{self._read(node.item, name, local, known)} for _ in "
                f"range({self._count(node.count, local)})]"
            )
        scalar = node.item if isinstance(node, Many) else node
        assert isinstance(scalar, Scalar)
        kind = {"int": "integer", "real": "real"}.get(scalar.kind, "word")
        bounds = (
            self._bounds(name, [one for one in known if one != name]).arguments
            if kind != "word"
            else ""
        )
        if isinstance(node, Many):
            return f"read.{kind}s({name!r}, {self._count(node.count, local)}{bounds})"
        if scalar.length is not None:
            bounds = f", {self._count(scalar.length, local)}"
        return f"read.{kind}({name!r}{bounds})"

    def _count(self, expression: str, local: Mapping[str, str]) -> str:
        return re.sub(
            r"[A-Za-z_]\w*",
            lambda m: local.get(m[0], m[0] if m[0] in ("min", "max") else safe(m[0])),
            expression,
        )

    def _bounds(self, name: str, known: Sequence[str]) -> _Bounds:
        """Return the first bounds of a name that are known when it is read."""
        bounds = _Bounds()
        value = self.names.whole(name)
        for compare in self._compared():
            for mine, operator, other in (
                (compare.left, compare.operator, compare.right),
                (compare.right, TURNED[compare.operator], compare.left),
            ):
                if (
                    self.names.whole(mine) != value
                    or compare.conditions
                    or not self._is_known(other, known)
                ):
                    continue
                step = {"<": " - 1", ">": " + 1"}.get(operator, "")
                if step and self.names.places[name].kind != "int":
                    continue
                if operator in ("<=", "<") and bounds.high is None:
                    bounds.high = self._python(other) + step
                elif operator in (">=", ">") and bounds.low is None:
                    bounds.low = self._python(other) + step
                else:
                    continue
                self.said.add(compare)
        return bounds

    def _is_known(self, expression: str, known: Sequence[str]) -> bool:
        names = {
            node.id for node in ast.walk(_tree(expression)) if isinstance(node, ast.Name)
        } - CALLS
        return names <= set(known) and "[" not in expression

    # -------------------------------------------------------------- checking

    def _checks(self, in_case: bool) -> list[str]:
        """Return the checks of a scope; those that run over the same places share their loops."""
        out: list[str] = []
        heads: list[str] = []
        for sentence, promises, _ in self.readings:
            mine = [p for p in promises if p not in self.said and not isinstance(p, TotalBound)]
            for promise in _chained([p for p in mine if self._is_in_case(p) == in_case]):
                lines = self._check(promise, sentence)
                shared = lines[:-1] if lines[:-1] == heads else []
                # A graph has several checks in a row, and no loop.
                heads = lines[:-1] if lines[0].startswith("for ") else []
                out += [line for line in lines[len(shared) :] if line not in out or len(lines) > 1]
        return out

    def _is_in_case(self, promise: Promise) -> bool:
        if isinstance(promise, Graph) and not promise.term:
            return self.layout.cases is not None
        words = re.findall(
            r"[A-Za-z_]\w*", str([getattr(promise, name) for name in promise.__slots__])
        )
        return any(self.names.places[word].in_case for word in words if word in self.names.places)

    def _check(self, promise: Promise, sentence: str) -> list[str]:
        if isinstance(promise, Compare):
            return self._everywhere(
                f"{promise.left} {promise.operator} {promise.right}", sentence, promise.conditions
            )
        if isinstance(promise, Letters):
            return self._letters(promise, sentence)
        if isinstance(promise, OneOf):
            return self._everywhere(f"{promise.term} in {promise.values!r}", sentence)
        if isinstance(promise, Distinct):
            return self._distinct(promise, sentence)
        if isinstance(promise, Sorted):
            flags = (", descending=True" if promise.descending else "") + (
                ", strict=True" if promise.strict else ""
            )
            return self._on_list(promise.term, f"ordered({{0}}{flags})", sentence)
        if isinstance(promise, Permutation):
            low, high = self._python(promise.low), self._python(promise.high)
            return self._on_list(promise.term, f"is_permutation({{0}}, {low}, {high})", sentence)
        if isinstance(promise, Graph):
            return self._graph(promise, sentence)
        assert isinstance(promise, Is)
        return self._is(promise, sentence)

    def _letters(self, promise: Letters, sentence: str) -> list[str]:
        term = promise.term
        if self.names.kind(term) == "letter" and re.search(r"\[[i-l*]\]$", term):
            term = re.sub(r"\[[^\[\]]*\]$", "", term)
        return self._everywhere(f"set({term}) <= set({promise.letters!r})", sentence)

    def _is(self, promise: Is, sentence: str) -> list[str]:
        if promise.what == "distinct together":
            listed = [term != self.names.whole(term) for term in (promise.term, *promise.arguments)]
            values = [self._python(term) for term in (promise.term, *promise.arguments)]
            parts = [
                f"*{value}" if stars else value for value, stars in zip(values, listed, strict=True)
            ]
            return [f"check(distinct([{', '.join(parts)}]), {sentence!r})"]
        if promise.what == "letters":
            letters, compared = promise.arguments
            return self._everywhere(f"letters_in({letters!r}, {promise.term}) {compared}", sentence)
        if promise.what == "letters in total":
            *others, letters, compared = promise.arguments
            texts = ", ".join((promise.term, *others))
            return self._loops([], f"letters_in({letters!r}, {texts}) {compared}", sentence, ())
        template = PROPERTIES[promise.what]
        if promise.what == "not all equal":
            both = (promise.term, *promise.arguments)
            half = len(both) // 2
            template = template.format(first=", ".join(both[:half]), second=", ".join(both[half:]))
            return self._everywhere(template, sentence)
        template = template.replace("{all}", ", ".join((promise.term, *promise.arguments)))
        if promise.what == "in":
            where = self._python(promise.arguments[0])
            return self._loops([], f"{self._indexed(promise.term)} in {where}", sentence, ())
        if promise.what in LISTS:
            others = [
                other if other in COMPARED else self._python(other) for other in promise.arguments
            ]
            return self._on_list(promise.term, template.format("{0}", *others), sentence)
        return self._everywhere(template.format(promise.term, *promise.arguments), sentence)

    def _on_list(self, term: str, template: str, sentence: str) -> list[str]:
        """Return the check of a list, or of every list where there are several."""
        place = self.names.place(term)
        text = place is not None and place.kind == "text" and place.depth == term.count("[")
        missing = 0 if text else (place.depth - term.count("[") if place else 0)
        if place is None or (missing < 1 and not text):
            raise NotUnderstood(f"{term} is no list")
        return self._loops([term], template.format(term), sentence, ())

    def _distinct(self, promise: Distinct, sentence: str) -> list[str]:
        # ``[*]``, which is all of a list, gets an index of its own.
        terms = [
            term.replace("[*]", f"[{self.names.indices[term.count('[') - 1]}]")
            for term in promise.terms
        ]
        first = re.findall(r"\[([i-l])\]", terms[0])
        if not first or any(re.findall(r"\[([i-l])\]", term) != first for term in terms):
            raise NotUnderstood(f"{terms} are no rows")
        if first == ["i"] and all(re.fullmatch(r"\w+\[i\]", term) for term in terms):
            lists = ", ".join(self._python(term[:-3]) for term in terms)
            rows = f"zip({lists})" if len(terms) > 1 else lists
            return [
                f"check(distinct({rows}{', unordered=True' if promise.unordered else ''}), "
                f"{sentence!r})"
            ]
        if len(terms) == 1:
            row = terms[0]
        else:
            row = f"sorted(({', '.join(terms)}))" if promise.unordered else f"({', '.join(terms)})"
        # Of a text's letters, and of ``A_{i,1} ... A_{i,N}``, those of one row are meant; else all
        # there are.
        apart = self.names.kind(terms[0]) == "letter" or "[*]" in promise.terms[0]
        inner = first[-1:] if apart else first
        outer = [index for index in first if index not in inner]
        loops = " ".join(
            f"for {index} in range({self._length(terms[0], index)})" for index in inner
        )
        return self._loops(
            [re.sub(rf"\[{inner[0]}\].*", "", terms[0])] if outer else [],
            f"distinct({row} {loops})",
            sentence,
            (),
        )

    def _length(self, term: str, index: str) -> str:
        return f"len({term[: term.index(f'[{index}]')]})"

    def _graph(self, promise: Graph, sentence: str) -> list[str]:
        """Return the checks of edges.

        The only rows of two numbers, or those that the sentence names.
        """
        edges, ends, count = self._edges(promise.term, promise.kinds)
        calls = []
        nodes = self._nodes(ends)
        for kind in promise.kinds:
            if kind in ("simple", "loopless"):
                calls.append("has_no_loops({edges})")
            if kind in ("simple", "no multi-edges"):
                calls.append(
                    f"has_no_multi_edges({{edges}}{', directed=True' if self.directed else ''})"
                )
            if kind == "distinct":
                calls.append("distinct({rows})")
            if kind == "tree":
                calls.append(f"is_tree({nodes or f'{count} + 1'}, {{edges}})")
            if kind == "connected":
                if not nodes:
                    raise NotUnderstood("a graph of how many nodes?")
                calls.append(f"is_connected({nodes}, {{edges}})")
        return [
            f"check({call.format(edges=edges, rows=edges)}, {sentence!r})"
            for call in dict.fromkeys(calls)
        ]

    def _edges(self, term: str, kinds: Sequence[str]) -> tuple[str, tuple[str, str], str]:
        """Return the edges, the terms of their ends, and how many there are."""
        if self.layout.style == "json":
            pairs = [
                name
                for name, place in self.names.places.items()
                if place.depth == 2 and place.kind == "int"
            ]
            name = term or (pairs[0] if len(pairs) == 1 else "")
            if name not in pairs:
                raise NotUnderstood("which values are the edges?")
            return safe(name), (f"{name}[i][0]", f"{name}[i][1]"), f"len({safe(name)})"
        rows = [
            item
            for item in _repeats(self.layout.body)
            if item.count != self.layout.cases and len(item.body) == 1
        ]
        found = []
        for item in rows:
            line = item.body[0]
            ints = (
                [node for node in line.nodes if isinstance(node, Scalar)]
                if isinstance(line, Line)
                else []
            )
            if len(ints) >= 2 and all(node.kind == "int" for node in ints[:2]):
                found.append((ints, item.count))
        if len(found) > 1 and "tree" in kinds:
            found = [one for one in found if re.fullmatch(r"\w+ ?- ?1", one[1])] or found
        if len(found) > 1:
            found = [
                (ints, count)
                for ints, count in found
                if self._nodes((f"{ints[0].name}[i]", f"{ints[1].name}[i]"))
            ]
        if not found or (len(found) > 1 and "tree" in kinds):
            raise NotUnderstood("which rows are the edges?")
        # Queries about the nodes of a graph come after its edges.
        (ints, count) = found[0]
        names = [node.name for node in ints]
        return (
            f"list(zip({', '.join(map(safe, names))}))",
            (f"{names[0]}[i]", f"{names[1]}[i]"),
            self._count(count, {}),
        )

    def _nodes(self, ends: tuple[str, str]) -> str | None:
        """Return how many nodes there are: what both ends of the edges are bounded by."""
        lows, highs = [list[str]() for _ in ends], [list[str]() for _ in ends]
        for compare in self._compared():
            left, right = self.names.whole(compare.left), self.names.whole(compare.right)
            for place, end in enumerate(ends):
                whole_row = re.sub(r"\[\d\]$", "[j]", end)
                if left in (end, whole_row) and compare.operator in ("<=", "<"):
                    highs[place].append(
                        compare.right + ("" if compare.operator == "<=" else " - 1")
                    )
                if right in (end, whole_row) and compare.operator in ("<=", "<"):
                    lows[place].append(compare.left)
        ordered = any((p.left, p.right) == ends and p.operator == "<" for p in self._compared())
        shared = [high for high in highs[0] if high in highs[1]] or (highs[1] if ordered else [])
        shared = [high for high in shared if "[" not in high]
        low = next((low for low in lows[0] if low in ("0", "1")), None)
        if not shared or low is None:
            return None
        return self._python(shared[0] if low == "1" else f"{shared[0]} + 1").replace(" - 1 + 1", "")

    def _everywhere(self, test: str, sentence: str, conditions: Sequence[str] = ()) -> list[str]:
        """Return the check of an expression for every place that its terms stand for."""
        return self._loops([], self._indexed(test), sentence, conditions)

    def _indexed(self, text: str) -> str:
        """Return an expression with an index for every list that is named without one."""
        tree = _Whole(self.names).visit(_tree(text))
        return ast.unparse(ast.fix_missing_locations(tree))

    def _loops(
        self, walked: Sequence[str], test: str, sentence: str, conditions: Sequence[str]
    ) -> list[str]:
        """Return a check inside the loops over the indices that are free in it."""
        bodies = [_tree(text) for text in (*walked, test, *conditions)]
        spans = _spans(bodies, self.names)
        free = {n.id for tree in bodies for n in _outside(tree) if n.id in self.names.indices}
        if free - set(spans):
            raise NotUnderstood(f"over what does {sorted(free)} run?")
        lines: list[str] = []
        bases = {self.names.base(c) for found in spans.values() for c, _ in found}
        # Loops count as the statement does where an index is a value too, else as Python does.
        shift = bool(free or conditions or len(bases) > 1)
        done: list[str] = []
        for index in sorted(
            spans, key=lambda name: (min(len(_indices(c)) for c, _ in spans[name]), name)
        ):
            # In T[i][i] the second i is bound by the first.
            reachable = [
                container for container, _ in spans[index] if _indices(container) <= set(done)
            ]
            if not reachable:
                raise NotUnderstood(f"over what does {index} run?")
            container = max(reachable, key=lambda one: len(_indices(one)))
            if done and not _indices(container) & set(done):
                raise NotUnderstood("every pair of places")
            offsets = [offset for _, offset in spans[index]]
            start = max(self.names.base(c) for c, _ in spans[index]) if shift else 0
            last = max(0, *offsets) - (self.names.base(container) if shift else 0)
            length = f"len({self._python(container, shift)})"
            if last:
                length += f" - {last}" if last > 0 else f" + {-last}"
            first = start + max(0, -min(offsets))
            lines.append(f"for {index} in range({f'{first}, ' if first else ''}{length}):")
            done.append(index)
        tests = [self._python(one, shift) for one in conditions]
        if tests:
            lines.append(f"if {' and '.join(tests)}:")
        lines.append(f"check({self._python(test, shift)}, {sentence!r})")
        return ["    " * depth + line for depth, line in enumerate(lines)]

    def _summed(self, term: str) -> str:
        whole = self._indexed(term)
        found = list(_spans([_tree(whole)], self.names))
        if len(found) > 1:
            raise NotUnderstood("a sum of sums")
        loops = "".join(f" for {index} in range({self._length(whole, index)})" for index in found)
        return f"sum({self._python(whole)}{loops})" if found else self._python(whole)

    def _python(self, text: str, shift: bool = False) -> str:
        """Return a term as Python: names that are safe, indices that count from 0, powers that end."""
        tree = _PythonSpelling(self.names, shift).visit(_tree(text))
        return ast.unparse(ast.fix_missing_locations(tree))


TURNED = {"<=": ">=", "<": ">", ">=": "<=", ">": "<", "==": "==", "!=": "!="}
CALLS = frozenset({
    "int", "min", "max", "len", "sum", "abs", "set", "gcd", "sorted", "distinct", "is_prime", "is_power", "is_balanced",
    "map", "ordered", "is_permutation", "power", "range", "letters_in",
    "has_some", "has_multiple", "half_leave",
})  # fmt: skip


def _indices(term: str) -> set[str]:
    return set(re.findall(r"\b[i-l]\b", term))


def _tree(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


class _Whole(ast.NodeTransformer):
    """Gives an index to every list that is named without one, but where the whole list is meant."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        if called == "sum":
            return self._sum(node)
        if called == "len" and node.args:
            text = ast.unparse(node.args[0])
            place = self.names.place(text)
            # The length of a list is said without an index, that of a text in a list means each of
            # them.
            each = place is not None and place.kind == "text" and text.count("[") < place.depth
            if self.names.style == "json" or not each:
                return node
            return _tree(f"len({self.names.whole(text)})")
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def _sum(self, node: ast.Call) -> ast.AST:
        text = ast.unparse(node.args[0])
        place = self.names.place(text)
        if place and place.depth == 1 and "[" not in text and place.kind != "text":
            return node
        inner = _Whole(self.names).visit(_tree(text))
        found = list(_spans([inner], self.names))
        whole = ast.unparse(inner)
        loops = " ".join(
            f"for {index} in range(len({whole[: whole.index(f'[{index}]')].rpartition('(')[2]}))"
            for index in found
        )
        if not found:
            raise NotUnderstood("a sum of one value")
        return _tree(f"sum({whole} {loops})")

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return _tree(self.names.whole(ast.unparse(node)))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        whole = self.names.whole(node.id)
        return _tree(whole) if whole != node.id else node


class _PythonSpelling(ast.NodeTransformer):
    """Spells a term so that Python can run it."""

    def __init__(self, names: Names, shift: bool) -> None:
        self.names, self.shift = names, shift

    def visit_Name(self, node: ast.Name) -> ast.AST:
        known = node.id in self.names.places
        if not known and node.id not in CALLS and node.id not in self.names.indices:
            raise NotUnderstood(f"the input has no {node.id}")
        return ast.Name(safe(node.id) if known else node.id, node.ctx)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        slice_ = node.slice
        names = {n.id for n in ast.walk(slice_) if isinstance(n, ast.Name)}
        # What is written down counts as the statement does; a loop index may count from 0.
        less = (
            self.names.base(ast.unparse(node.value))
            if self.shift or not names & set(self.names.indices)
            else 0
        )
        if isinstance(slice_, ast.Slice) or less == 0:
            return ast.Subscript(self.visit(node.value), self.visit(slice_), node.ctx)
        return ast.Subscript(self.visit(node.value), _less(self.visit(slice_), less), node.ctx)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        left, right = self.visit(node.left), self.visit(node.right)
        if not isinstance(node.op, ast.Pow):
            return ast.BinOp(left, node.op, right)
        most_bits = 4_000_000  # of a number that a statement spells out
        if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
            if not isinstance(left.value, (int, float)) or not isinstance(right.value, int):
                raise NotUnderstood("no number")
            if right.value * math.log2(abs(float(left.value)) + 2) > most_bits:
                raise NotUnderstood("a number too large to be computed")
            return ast.BinOp(left, node.op, right)
        if isinstance(left, ast.UnaryOp) and isinstance(right, ast.Constant):
            return ast.BinOp(left, node.op, right)
        return ast.Call(ast.Name("power", ast.Load()), [left, right], [])


def _less(index: ast.expr, amount: int) -> ast.expr:
    """Return an index less a number: ``i + 1`` less 1 is ``i``."""
    if isinstance(index, ast.Constant) and isinstance(index.value, int):
        return ast.Constant(index.value - amount)
    if (
        isinstance(index, ast.BinOp)
        and isinstance(index.right, ast.Constant)
        and isinstance(index.right.value, int)
    ):
        sign = 1 if isinstance(index.op, ast.Add) else -1
        rest = sign * index.right.value - amount
        if rest == 0:
            return index.left
        return ast.BinOp(index.left, ast.Add() if rest > 0 else ast.Sub(), ast.Constant(abs(rest)))
    return ast.BinOp(index, ast.Sub(), ast.Constant(amount))


def _spans(trees: Sequence[ast.AST], names: Names) -> dict[str, list[tuple[str, int]]]:
    """Return for every free index what it runs over, and how far beside itself it looks.

    ``A[i + 1]``.
    """
    found: dict[str, list[tuple[str, int]]] = {}
    bound = {
        loop.target.id
        for tree in trees for node in ast.walk(tree) if isinstance(node, ast.GeneratorExp)
        for loop in node.generators if isinstance(loop.target, ast.Name)
    }  # fmt: skip
    for node in (
        node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Subscript)
    ):
        index, offset = node.slice, 0
        if (
            isinstance(index, ast.BinOp)
            and isinstance(index.right, ast.Constant)
            and isinstance(index.right.value, int)
        ):
            offset = index.right.value if isinstance(index.op, ast.Add) else -index.right.value
            index = index.left
        if isinstance(index, ast.Name) and index.id in names.indices and index.id not in bound:
            found.setdefault(index.id, []).append((ast.unparse(node.value), offset))
    return found


def _outside(tree: ast.AST) -> Iterator[ast.Name]:
    """Yield the names of an expression that are no index of a list."""
    if isinstance(tree, ast.GeneratorExp):
        return
    for child in ast.iter_child_nodes(tree):
        if isinstance(tree, ast.Subscript) and child is tree.slice:
            continue
        if isinstance(child, ast.Name):
            yield child
        yield from _outside(child)


def _chained(promises: Sequence[Promise]) -> list[Promise]:
    """Return the promises with ``1 <= n`` and ``n <= 5`` as one, ``1 <= n <= 5``."""
    done: list[Promise] = []
    for promise in promises:
        last = done[-1] if done else None
        if (
            isinstance(last, Compare)
            and isinstance(promise, Compare)
            and last.conditions == promise.conditions
        ):
            rising = {last.operator, promise.operator} <= {"<", "<="}
            if rising and last.right == promise.left:
                done[-1] = Compare(
                    f"{last.left} {last.operator} {last.right}",
                    promise.operator,
                    promise.right,
                    last.conditions,
                )
                continue
        done.append(promise)
    return done


def _form(node: Node) -> str:
    if isinstance(node, Scalar):
        return {"int": "int", "real": "float", "text": "str", "bool": "bool"}[node.kind]
    if isinstance(node, Tuple):
        return f"({', '.join(_form(item) for item in node.items)},)"
    return f"[{_form(node.item)}]"


def _all_names(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Loop):
            yield from _all_names(item.body)
        else:
            yield from (node.name for node in own_nodes(item) if isinstance(node, (Scalar, Many)))


def _repeats(items: Sequence[Item]) -> Iterator[Loop]:
    for item in items:
        if isinstance(item, Loop):
            yield item
            yield from _repeats(item.body)


def _indented(lines: Sequence[str]) -> list[str]:
    return ["    " + line for line in lines]


RESERVED = (
    frozenset({"read", "stdin", "check", "validate", "Input", "Arguments", "json", "re", "Refused"})
    | CALLS
)


def safe(name: str) -> str:
    """Return a name that Python has no other use for."""
    return f"{name}_" if keyword.iskeyword(name) or name in RESERVED else name
