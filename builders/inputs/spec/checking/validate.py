"""Checks inputs against a specification.

A `Validator` compiles a specification once: each promise becomes a function of the values of an
input. It refuses an input with another layout, and names the sentences that an input breaks.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ..expressions import name_nodes
from ..layout import Item, Line, Loop, Scalar
from ..names import names_of
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
from ..structures import StructureError, flatten, unfold
from .checks import COMPARISONS, InputError
from .terms import Terms, call, compared, constant, parse
from .values import Reader, Values

# The functions in `checks` for the properties of single values, by name.
OF_VALUES = {
    "prime": "is_prime",
    "palindrome": "is_palindrome",
    "power": "is_power",
    "brackets": "is_balanced",
    "no leading zero": "has_no_leading_zero",
    "trimmed": "is_trimmed",
    "single spaces": "has_single_spaces",
}
# The functions in `checks` for the properties of whole lists, by name.
OF_LISTS = {
    "permutation of": "has_same_values",
    "same multiset": "has_same_values",
    "same sum": "has_same_sum",
    "of one length": "is_of_one_length",
    "not all alike": "is_not_all_alike",
    "some": "has_some",
    "some multiple": "has_multiple",
    "half": "half_leave",
    "heap": "is_heap",
    "different rows": "distinct",
}
OF_OTHERS = ("in", "index of", "letters", "letters in total", "all different", "not all equal",
             "distinct together")  # fmt: skip
PROPERTIES = (*OF_VALUES, *OF_LISTS, *OF_OTHERS)
# Arguments that are words, not terms.
WORDS = {*COMPARISONS, "max", "min"}
MOST_ARGUMENTS = 200

Holds = Callable[[Values], bool]


def validate(spec: Spec, text: str, witnesses: Sequence[str] = ("statement",)) -> list[str]:
    """Return the reasons why an input is not allowed; none if it is.

    For many inputs, create a `Validator` once.

    Raises:
        SpecError: The specification cannot be checked.
    """
    return Validator(spec, witnesses).reasons(text)


class Validator:
    """Checks inputs.

    Args:
        spec: The specification of the inputs.
        witnesses: The witnesses whose promises are checked (`Reading`).

    Raises:
        SpecError: The specification cannot be checked; the text says where and why.
    """

    def __init__(self, spec: Spec, witnesses: Sequence[str] = ("statement",)) -> None:
        self.spec = spec
        self.names = names_of(spec.layout, first=spec.first)
        self.terms = Terms(self.names)
        if spec.layout.style == "json" and not all(isinstance(i, Line) for i in spec.layout.body):
            raise SpecError("layout: an input in JSON has lines of one value only")
        flat = unfold(spec.layout)
        self._is_flat = flat == spec.layout
        self._reader = Reader(flat, spec.loose)
        self._tests: dict[Promise, ast.expr | Holds] = {}
        self._holds: dict[Promise, Holds] = {}
        # The bounds of its edge ends give a graph's number of nodes, whichever sentence has them.
        self._comparisons = [
            promise
            for reading in spec.readings
            if reading.witness in ("statement", *witnesses)
            for promise in reading.promises
            if isinstance(promise, Compare)
        ]
        self._checks: list[tuple[str, Promise]] = []
        for number, reading in enumerate(spec.readings):
            for place, promise in enumerate(reading.promises):
                if reading.witness not in witnesses:
                    continue
                try:
                    self._test(promise)
                except SpecError as error:
                    raise SpecError(f"readings[{number}].promises[{place}]: {error}") from None
                self._checks.append((reading.sentence, promise))
        try:
            self._together = self._all_of([promise for _, promise in self._checks])
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
            raise SpecError(f"not valid: {error}") from None

    def reasons(self, text: str) -> list[str]:
        """Return why an input is not allowed: its layout, or the sentences that it breaks."""
        try:
            values = self.parse(text)
        except InputError as error:
            return [str(error)]
        # Most inputs keep all promises, and one combined test is faster than one per promise.
        if all(_safely(holds, values) for holds in self._together):
            return []
        broken = [sentence for sentence, promise in self._checks if self.breaks(values, promise)]
        return [f"broken: {sentence}" for sentence in dict.fromkeys(broken)]

    def refuse(self, text: str) -> None:
        """Refuse an input that is not allowed.

        Raises:
            InputError: The input is not allowed; the text says why.
        """
        if reasons := self.reasons(text):
            raise InputError("; ".join(reasons))

    def parse(self, text: str) -> Values:
        """Return the values of an input, for `breaks`.

        Raises:
            InputError: The input has another layout.
        """
        try:
            return self._reader.read(text if self._is_flat else flatten(self.spec.layout, text))
        except StructureError as error:
            raise InputError(str(error)) from None

    def breaks(self, values: Values, promise: Promise) -> bool:
        """Whether an input breaks a promise, even one that the specification does not contain.

        Raises:
            SpecError: The promise cannot be checked.
        """
        return not _safely(self._prepared(promise), values)

    def _prepared(self, promise: Promise) -> Holds:
        if promise not in self._holds:
            test = self._test(promise)
            self._holds[promise] = self._scoped(test) if isinstance(test, ast.expr) else test
        return self._holds[promise]

    def _test(self, promise: Promise) -> ast.expr | Holds:
        """Return a promise's test: an expression or, for a total (it has no scope), a function."""
        if promise not in self._tests:
            try:
                self._tests[promise] = (
                    self._total(promise)
                    if isinstance(promise, TotalBound)
                    else self._spelt(promise)
                )
            except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
                if isinstance(error, SpecError):
                    raise
                raise SpecError(f"not valid: {error}") from None
        return self._tests[promise]

    # -------------------------------------------------------------- scopes

    def _all_of(self, promises: Iterable[Promise]) -> list[Holds]:
        """Return functions that are all true only if all promises hold."""
        holds: list[Holds] = []
        tests: dict[bool, list[ast.expr]] = {}
        for test in map(self._test, dict.fromkeys(promises)):
            if isinstance(test, ast.expr):
                tests.setdefault(self._is_in_case(self.terms.names_in(test)), []).append(test)
            else:
                holds.append(test)
        for scope in tests.values():
            holds.append(self._scoped(ast.BoolOp(ast.And(), [ast.Constant(True), *scope]), False))
        return holds

    def _is_in_case(self, names: Iterable[str]) -> bool:
        return any(self.names.places[name].in_case for name in names)

    def _scoped(self, test: ast.expr, without: bool = True) -> Holds:
        """Return a function that says whether a test holds.

        A test that uses values of test cases has to hold in each.

        without: The result if the input lacks the values.
        """
        names, decide = self.terms.function(test)
        in_case = self._is_in_case(names)

        def holds(values: Values) -> bool:
            whole = values.whole
            for scope in values.cases if in_case else (whole,):
                try:
                    arguments = [scope[name] if name in scope else whole[name] for name in names]
                except KeyError:  # the value belongs to a form of a choice that this input lacks
                    if without:
                        continue
                    return False
                if not decide(*arguments):
                    return False
            return True

        return holds

    def _total(self, promise: TotalBound) -> Holds:
        whole = self.terms.whole(parse(promise.term))
        runs = self.terms.containers([whole])
        if len(runs) > 1:
            raise SpecError("the total of a list of lists cannot be checked")
        summed = call("sum", self.terms.generator(whole, runs)) if runs else whole
        names, amount = self.terms.function(self.terms.spelt(summed))
        bound_names, most = self.terms.function(self.terms.spelt(parse(promise.most)))

        def holds(values: Values) -> bool:
            total = sum(
                amount(*[scope[n] if n in scope else values.whole[n] for n in names])
                for scope in values.cases or [values.whole]
            )
            return bool(total <= most(*[values.whole[n] for n in bound_names]))

        return holds

    # -------------------------------------------------------------- promises

    def _spelt(self, promise: Promise) -> ast.expr:
        everywhere, whole = self.terms.everywhere, self._whole
        if isinstance(promise, Compare):
            return self._compare(promise)
        if isinstance(promise, Letters):
            term = promise.term
            if self.names.kind(term) == "letter" and re.search(r"\[[i-l*]\]$", term):
                term = re.sub(r"\[[^\[\]]*\]$", "", term)
            letters = constant(frozenset(promise.letters))
            return everywhere(compared(call("set", whole(term)), "<=", letters))
        if isinstance(promise, OneOf):
            values = constant(frozenset(promise.values))
            return everywhere(ast.Compare(whole(promise.term), [ast.In()], [values]))
        if isinstance(promise, Distinct):
            return self._distinct(promise)
        if isinstance(promise, Sorted):
            flags = [ast.Constant(promise.descending), ast.Constant(promise.strict)]
            return self._of_list("ordered", promise.term, flags)
        if isinstance(promise, Permutation):
            ends = [parse(promise.low), parse(promise.high)]
            return self._of_list("is_permutation", promise.term, ends)
        if isinstance(promise, Graph):
            return self._graph(promise)
        assert isinstance(promise, Is)
        return self._is(promise)

    def _whole(self, term: str) -> ast.expr:
        return self.terms.whole(parse(term))

    def _compare(self, promise: Compare) -> ast.expr:
        left, right = self._whole(promise.left), self._whole(promise.right)
        conditions = [parse(condition) for condition in promise.conditions]
        if not conditions:
            # A bound of all values of a list only needs its smallest or largest value.
            mirrored = {"<=": ">=", "<": ">", ">=": "<=", ">": "<"}
            for side, operator, other in (
                (left, promise.operator, right),
                (right, mirrored.get(promise.operator, ""), left),
            ):
                name = self._all_of_list(side)
                indices = {node.id for node in name_nodes(other)} & set(self.names.indices)
                if operator in mirrored and name and not indices:
                    depth = ast.Constant(self.names.places[name].depth)
                    extreme = "highest" if operator[0] == "<" else "lowest"
                    values = call(extreme, ast.Name(name, ast.Load()), depth)
                    return self.terms.everywhere(compared(values, operator, other))
        return self.terms.everywhere(compared(left, promise.operator, right), (), conditions)

    def _all_of_list(self, tree: ast.expr) -> str:
        """Return the name of the list of numbers if a term means all its values, else ""."""
        name = re.match(r"\w*", ast.unparse(tree))[0]  # type: ignore[index]
        place = self.names.places.get(name)
        is_whole = place and ast.unparse(tree) == self.names.whole(name)
        return name if place and is_whole and place.depth and place.kind in ("int", "real") else ""

    def _of_list(self, function: str, term: str, arguments: Sequence[ast.expr] = ()) -> ast.expr:
        """Return the test of a list, or of each list in a list of lists."""
        tree = parse(term)
        place = self.names.place(term)
        missing = place.depth - term.count("[") if place else 0
        is_text = place is not None and place.kind == "text" and missing == 0
        if not isinstance(tree, (ast.Name, ast.Subscript)) or (missing < 1 and not is_text):
            raise SpecError(f"{term} is not a list")
        return self.terms.everywhere(call(function, tree, *arguments))

    def _distinct(self, promise: Distinct) -> ast.expr:
        if not promise.terms:
            raise SpecError("no values are named that have to be distinct")
        # ``[*]`` means the whole list, so it gets its own index.
        terms = [
            term.replace("[*]", f"[{(self.names.indices + '*')[term.count('[') - 1]}]")
            for term in promise.terms
        ]
        first = re.findall(r"\[([i-l])\]", terms[0])
        if not first or any(re.findall(r"\[([i-l])\]", term) != first for term in terms):
            raise SpecError(f"{', '.join(promise.terms)}: not the values of one row")
        unordered = ast.Constant(promise.unordered)
        if first == ["i"] and all(re.fullmatch(r"\w+\[i\]", term) for term in terms):
            lists = [parse(term[:-3]) for term in terms]
            rows = call("zip", *lists) if len(lists) > 1 else lists[0]
            return self.terms.spelt(call("distinct", rows, unordered))
        row = parse(terms[0])
        if len(terms) > 1:
            row = ast.Tuple([parse(term) for term in terms], ast.Load())
        # Letters are distinct within each text, and ``A_{i,1} ... A_{i,N}`` within each row; other
        # values within the whole list of lists.
        apart = self.names.kind(terms[0]) == "letter" or "[*]" in promise.terms[0]
        inner = first[-1:] if apart else first
        outer = [parse(re.sub(rf"\[{inner[0]}\].*", "", terms[0]))] if inner != first else []
        values = self.terms.generator(row, inner)
        return self.terms.everywhere(call("distinct", values, unordered), outer)

    def _is(self, promise: Is) -> ast.expr:
        terms = [promise.term, *promise.arguments]
        if len(terms) > MOST_ARGUMENTS:
            raise SpecError(f"{len(terms)} terms, at most {MOST_ARGUMENTS} are checked")
        if promise.what in OF_VALUES:
            arguments = map(self._whole, terms)
            return self.terms.everywhere(call(OF_VALUES[promise.what], *arguments))
        if promise.what in OF_LISTS:
            others = [ast.Constant(o) if o in WORDS else parse(o) for o in promise.arguments]
            return self._of_list(OF_LISTS[promise.what], promise.term, others)
        if promise.what not in OF_OTHERS:
            raise SpecError(f"{promise.what!r} is not one of {', '.join(PROPERTIES)}")
        least = {"letters": 3, "letters in total": 3, "in": 2, "index of": 2}
        if len(terms) < least.get(promise.what, 1):
            raise SpecError(f"{promise.what} lacks an argument")
        return getattr(self, f"_{promise.what.replace(' ', '_')}")(*terms)  # type: ignore[no-any-return]

    def _in(self, term: str, where: str) -> ast.expr:
        values = parse(where)
        if self._is_text(where):
            test = ast.Compare(self._whole(term), [ast.In()], [values])
        else:
            test = ast.Compare(self._whole(term), [ast.In()], [call("frozenset", values)])
        return self.terms.everywhere(test)

    def _is_text(self, term: str) -> bool:
        place = self.names.place(term)
        return place is None or (place.kind == "text" and place.depth <= term.count("["))

    def _index_of(self, term: str, where: str) -> ast.expr:
        first = ast.Constant(self.names.base(where))
        return self.terms.everywhere(call("is_index", self._whole(term), parse(where), first))

    def _letters(self, term: str, letters: str, amount: str) -> ast.expr:
        return self.terms.everywhere(_counted(letters, [self._whole(term)], amount))

    def _letters_in_total(self, *terms: str) -> ast.expr:
        *texts, letters, amount = terms
        return self.terms.everywhere(_counted(letters, list(map(parse, texts)), amount))

    def _all_different(self, *terms: str) -> ast.expr:
        return self.terms.everywhere(call("distinct", self._row(terms)))

    def _not_all_equal(self, *terms: str) -> ast.expr:
        half = len(terms) // 2
        return self.terms.everywhere(
            compared(self._row(terms[:half]), "!=", self._row(terms[half:]))
        )

    def _row(self, terms: Sequence[str]) -> ast.expr:
        return ast.Tuple(list(map(self._whole, terms)), ast.Load())

    def _distinct_together(self, *terms: str) -> ast.expr:
        values: list[ast.expr] = []
        for term in terms:
            is_list = term != self.names.whole(term)
            values.append(ast.Starred(parse(term), ast.Load()) if is_list else parse(term))
        return self.terms.spelt(call("distinct", ast.Tuple(values, ast.Load())))

    # -------------------------------------------------------------- graphs

    def _graph(self, promise: Graph) -> ast.expr:
        """Return the test of a graph; its edges are named by the promise, or else found."""
        edges, ends, count = self._edges(promise.term, promise.kinds)
        nodes = self._nodes(ends)
        directed = ast.Constant(self.spec.directed)
        tests = []
        for kind in promise.kinds:
            if kind == "connected" and not nodes:
                raise SpecError("the number of nodes is unknown: no promise bounds both edge ends")
            kinds = {
                "simple": ["has_no_loops", "has_no_multi_edges"],
                "loopless": ["has_no_loops"],
                "no multi-edges": ["has_no_multi_edges"],
                "distinct": ["distinct"],
                "tree": ["is_tree"],
                "connected": ["are_joined"],
                "acyclic": ["is_acyclic"],
                "bipartite": ["is_bipartite"],
            }
            if kind not in kinds:
                raise SpecError(f"{kind!r} is not one of {', '.join(kinds)}")
            for function in kinds[kind]:
                arguments = [parse(edges) if re.fullmatch(r"\w+", edges) else _zipped(edges)]
                if function in ("is_tree", "are_joined"):
                    arguments.insert(0, parse(nodes or f"{count} + 1"))
                if function in ("has_no_multi_edges", "is_acyclic"):
                    arguments.append(directed)
                tests.append(self.terms.spelt(call(function, *arguments)))
        return ast.BoolOp(ast.And(), tests) if len(tests) > 1 else tests[0]

    def _edges(self, term: str, kinds: Sequence[str]) -> tuple[str, tuple[str, str], str]:
        """Return the edges, the terms of their ends, and their count."""
        if self.spec.layout.style == "json":
            pairs = [
                name
                for name, place in self.names.places.items()
                if place.depth == 2 and place.kind == "int"
            ]
            name = term or (pairs[0] if len(pairs) == 1 else "")
            if name not in pairs:
                raise SpecError("cannot tell which values are the edges of the graph")
            return name, (f"{name}[i][0]", f"{name}[i][1]"), f"len({name})"
        rows = []
        for item in _loops(self.spec.layout.body):
            line = item.body[0]
            if item.count == self.spec.layout.cases or len(item.body) > 1:
                continue
            nodes = line.nodes if isinstance(line, Line) else ()
            ints = [node for node in nodes if isinstance(node, Scalar)]
            if len(ints) >= 2 and all(node.kind == "int" for node in ints[:2]):
                rows.append(([node.name for node in ints], item.count))
        if len(rows) > 1 and "tree" in kinds:
            rows = [row for row in rows if re.fullmatch(r"\w+ ?- ?1", row[1])] or rows
        if len(rows) > 1:
            rows = [row for row in rows if self._nodes((f"{row[0][0]}[i]", f"{row[0][1]}[i]"))]
        if not rows or (len(rows) > 1 and "tree" in kinds):
            raise SpecError("cannot tell which rows are the edges of the graph")
        # The first rows are the edges; queries about the nodes come after them.
        names, count = rows[0]
        return ", ".join(names), (f"{names[0]}[i]", f"{names[1]}[i]"), count

    def _nodes(self, ends: tuple[str, str]) -> str:
        """Return the term for the number of nodes: the common upper bound of both edge ends."""
        lows: tuple[list[str], list[str]] = ([], [])
        highs: tuple[list[str], list[str]] = ([], [])
        ordered = False
        for promise in self._comparisons:
            left, right, operator = promise.left, promise.right, promise.operator
            if operator in (">", ">="):
                left, right, operator = right, left, operator.replace(">", "<")
            if operator not in ("<", "<="):
                continue
            ordered |= (left, right) == ends and operator == "<"
            for place, end in enumerate(ends):
                same = (end, re.sub(r"\[\d\]$", "[j]", end))
                if self.names.whole(left) in same:
                    highs[place].append(right if operator == "<=" else f"{right} - 1")
                if self.names.whole(right) in same and operator == "<=":
                    lows[place].append(left)
        shared = [high for high in highs[0] if high in highs[1]] or (highs[1] if ordered else [])
        shared = [high for high in shared if "[" not in high]
        low = next((low for low in lows[0] if low in ("0", "1")), "")
        if not shared or not low:
            return ""
        return shared[0] if low == "1" else f"{shared[0]} + 1"


def _counted(letters: str, texts: Sequence[ast.expr], amount: str) -> ast.expr:
    """Return the test that texts contain letters as often as an amount says: ``>= 2``."""
    operator, _, number = amount.partition(" ")
    return compared(call("letters_in", ast.Constant(letters), *texts), operator, parse(number))


def _zipped(names: str) -> ast.expr:
    """Return the rows of several columns."""
    columns = [parse(name) for name in names.split(", ")]
    rows = ast.Starred(call("zip", *columns), ast.Load())
    return ast.List([rows], ast.Load())


def _loops(items: Sequence[Item]) -> Iterator[Loop]:
    for item in items:
        if isinstance(item, Loop):
            yield item
            yield from _loops(item.body)


def _safely(holds: Holds, values: Values) -> bool:
    """Whether a promise holds; a promise that cannot be evaluated on the values does not."""
    try:
        return holds(values)
    except Exception:  # a text where a number is expected, an index beyond a list, a huge power
        return False
