# ruff: noqa: D102
"""Turns parse trees of the grammar into promises.

Each rule of `constraints.lark` has one method, with its name. A predicate becomes a function from
its subject to promises.
"""

from __future__ import annotations

import re
import string as alphabets
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from lark import Token, Tree

from venus_toolkit.builders.inputs.layouts.describe import NAMELESS
from venus_toolkit.builders.inputs.promises.promise_words import kinds_of
from venus_toolkit.builders.inputs.promises.terms import (
    NotUnderstood,
    enclosed,
    in_brackets,
    list_of,
    matrices,
    only_list,
    series_of,
    size_term,
)
from venus_toolkit.builders.inputs.spec.names import Names, ValuePlace, last_place
from venus_toolkit.builders.inputs.spec.promises import (
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

LETTERS = {
    "LOWERCASE": alphabets.ascii_lowercase,
    "UPPERCASE": alphabets.ascii_uppercase,
    "EITHER_CASE": alphabets.ascii_lowercase + alphabets.ascii_uppercase,
    "DIGITS": alphabets.digits,
    "PRINTABLE": "".join(map(chr, range(32, 127))),
    "SPACES": " ",
}
SIGNS = {"GE": ">=", "LE": "<=", "LT": "<", "GT": ">", "NE": "!=", "EQ": "=="}
NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "ten": "10"}
DIVIDES = {"/": "//", "mod": "%"}
DOTS = "..."
NO_PLACE = ValuePlace(0, "")


class Subject(NamedTuple):
    """The subject of a sentence. form: values, entries, letters, rows, graph or input."""

    form: str
    terms: tuple[str, ...] = ()


class Conditions(tuple[str | Compare, ...]):
    """The indices for which a sentence holds, and extra comparisons, as in ``(n <= m)``."""


Predicate = Callable[[Subject], list[Promise]]


class Meaning:
    """Makes promises of a parse tree, for an input with these names.

    Raises:
        NotUnderstood: From any method: the sentence parses, but has no meaning for this input.
    """

    def __init__(self, names: Names, terms: dict[str, str]) -> None:
        self.names, self.terms = names, terms
        self.any = f"[{names.indices[:1] or 'i'}]"  # stands for any index

    def of(self, node: Tree[Token] | Token) -> Any:
        """Return the meaning of a node of a parse tree."""
        if isinstance(node, Token):
            if node.type in ("N", "T", "L", "X"):
                return self.terms[node[2:-1]]
            return node
        return getattr(self, str(node.data).lstrip("_"))(*map(self.of, node.children))

    # -------------------------------------------------------------- sentences

    def sentence(self, *parts: Any) -> list[Promise]:
        extras = [item for part in parts if isinstance(part, Conditions) for item in part]
        promises = [item for part in parts if not isinstance(part, Conditions) for item in part]
        promises += [item for item in extras if isinstance(item, Compare)]
        conditions = [item for item in extras if isinstance(item, str)]
        return [self._add_conditions(item, conditions) for item in dict.fromkeys(promises)]

    def _with_index(self, term: str) -> str:
        """Return a term with an index in place of ``[*]``, which is a whole list."""
        return term.replace("[*]", self.any)

    def body(self, *parts: list[Promise]) -> list[Promise]:
        return [one for part in parts for one in part]

    worded = body

    def permission(self, text: str) -> list[Promise]:
        # The words before ``may be`` may contain a promise.
        if kinds_of(re.split(r"\b(?:not|may|might|can)\b", text)[0]):
            raise NotUnderstood(text)
        return []

    def nothing(self, *parts: Any) -> Conditions:
        return Conditions()

    def filler(self, *parts: Any) -> Conditions:
        return Conditions()

    def condition(self, *parts: Conditions) -> Conditions:
        return Conditions(one for part in parts for one in part)

    def after(self, *parts: Any) -> Conditions:
        conditions = self.condition(*(part for part in parts if isinstance(part, Conditions)))
        on_values = any(isinstance(one, Compare) for one in conditions)
        if on_values and str(parts[0]).lower() in ("if", "when", "whenever", "for"):
            raise NotUnderstood("a condition on values")
        return conditions

    given = after

    def condition_compared(self, *parts: Any) -> Conditions:
        indices = set(self.names.indices)
        return Conditions(
            f"{one.left} {one.operator} {one.right}"
            if indices & set(re.findall(r"\b[a-z]\b", f"{one.left} {one.right}"))
            else one
            for one in self._chains(parts)
        )

    def condition_between(self, index: str, between: Predicate | None = None) -> Conditions:
        bounds = between(Subject("values", (index,))) if between else []
        return Conditions(
            f"{one.left} {one.operator} {one.right}" for one in bounds if isinstance(one, Compare)
        )

    def _add_conditions(self, promise: Promise, conditions: Sequence[str]) -> Promise:
        """Return a promise restricted to the indices where the conditions hold."""
        if not isinstance(promise, Compare):
            return promise
        places = self.names.places
        bases = set(re.findall(r"[A-Za-z_]\w*", f"{promise.left} {promise.right}")) & set(places)
        # ``1 <= i``, and ``i <= N`` for a list of length N, hold for each index.
        ends = {"1<=i", "0<=i", "i>=1", "i>=0"}
        for name in bases:
            first = self.names.base(name)
            lasts = [last_place(count, first).replace(" ", "") for count in places[name].counts]
            if self.names.style == "json":
                ends |= {f"i<len({name})", "i<n"}
            ends |= {f"{first}<=i", f"i>={first}"} | {
                one for last in lasts for one in (f"i<={last}", f"i<{last}+1")
            }
        restricting = [
            one for one in conditions if re.sub(r"\b[j-l]\b", "i", one).replace(" ", "") not in ends
        ]
        return replace(promise, conditions=tuple(restricting))

    # -------------------------------------------------------------- comparisons

    def operands(self, *terms: str) -> list[str]:
        return list(terms)

    numbers = operands

    def _join_series(self, terms: Sequence[str]) -> list[str]:
        """Return the terms of a list, ``A_1, A_2, ..., A_N`` as ``A[*]``."""
        listed = list(terms)
        while DOTS in listed:
            at = listed.index(DOTS)
            if not 0 < at < len(listed) - 1:
                raise NotUnderstood("a list without an end")
            series = series_of(listed[at - 1], listed[at + 1])
            begin = at - 1
            while begin and listed[begin - 1].rpartition("[")[0] == series[:-3]:
                begin -= 1
            listed[begin : at + 2] = [series]
        return listed

    text_subject = subject = lambda self, *parts: self._subject("values", parts)

    def _subject(self, form: str, parts: Sequence[Any]) -> Subject:
        terms = [one for part in parts for one in (part if isinstance(part, list) else [part])]
        return Subject(form, tuple(self._join_series(terms)))

    def entries(self, *parts: Any) -> Subject:
        return self._subject("entries", parts)

    def characters(self, *parts: Any) -> Subject:
        return self._subject("letters", parts)

    def row_subject(self, row: list[str]) -> Subject:
        if len(row) > 1:
            return Subject("rows", tuple(row))
        return Subject("values", tuple(row))

    def row(self, *terms: str) -> list[str]:
        return self._join_series([term for term in terms if not isinstance(term, Token)])

    def compared(self, *parts: Any) -> list[Promise]:
        groups, orders = self._orders(list(parts))
        chains = self._chains(groups) if len(groups) > 1 or not orders else []
        return [*orders, *(one for chain in chains for one in self._expand(chain))]

    def _orders(self, parts: list[Any]) -> tuple[list[Any], list[Promise]]:
        """Return a chain with ``A_i`` for ``A_1 < A_2 < ... < A_N``, and the promised order."""
        orders: list[Promise] = []
        while [DOTS] in parts[::2]:
            at = parts[::2].index([DOTS]) * 2
            if not 0 < at < len(parts) - 1 or len(parts[at - 2]) > 1 or len(parts[at + 2]) > 1:
                raise NotUnderstood("a chain without an end")
            sign, last = parts[at + 1], parts[at + 2][0]
            begin = at - 2
            while begin and parts[begin - 1] == sign and _same_list(parts[begin - 2], last):
                begin -= 2
            first = parts[begin][0]
            end = at + 3
            while end < len(parts) - 1 and parts[end] == sign and _same_list(parts[end + 1], last):
                end += 2
            last = parts[end - 1][0]
            element = list_of(series_of(first, last)) + self.any
            if sign not in ("<", "<=", ">", ">="):
                raise NotUnderstood(f"a chain of {sign}")
            if "[" in list_of(element):
                index = self.names.indices[element.count("[") - 1]
                element = f"{element[:-3]}[{index}]"
                orders.append(Compare(element, str(sign), f"{element[:-1]} + 1]"))
            else:
                orders.append(Sorted(list_of(element), sign[0] == ">", len(sign) == 1))
            # A bound at either end holds for each value; an equal value is such a bound.
            for sign_at, value in ((begin - 1, first), (end, last)):
                if 0 < sign_at < len(parts) and parts[sign_at] in ("=", "=="):
                    other = parts[sign_at - 1 if sign_at < at else sign_at + 1][0]
                    orders.append(Compare(value, "==", other))
                    parts[sign_at] = f"{sign[0]}="
            parts[begin:end] = [[element]]
        return parts, orders

    def _chains(self, parts: Sequence[Any]) -> list[Compare]:
        """Return the comparisons of chains, ``1 <= H, W <= 9, K <= 5``.

        In ``1 <= n <= m, k <= 6`` and ``a < b, c < d`` the comma ends a chain, in ``1 <= n, m <= 6``
        and ``n <= a_i, b_i <= m`` it joins two names.
        """
        comparisons: list[Compare] = []
        groups, signs = [self._join_series(parts[0])], list[str]()
        for at in range(1, len(parts), 2):
            signs.append("==" if parts[at] == "=" else str(parts[at]))
            group = self._join_series(parts[at + 1])
            of_lists = all("[" in one for one in group) and not any("[" in one for one in groups[0])
            inside = len(signs) == 1 and (of_lists or not _all_terms(groups[0]))
            last = at + 2 >= len(parts)
            if len(group) > 1 and (not _all_terms(group) or not (last or inside)):
                if last:
                    raise NotUnderstood("a list of numbers")
                comparisons += _compare_neighbours([*groups, group[:1]], signs)
                groups, signs = [group[1:]], []
            else:
                groups.append(group)
        return comparisons + _compare_neighbours(groups, signs)

    def _expand(self, one: Compare) -> list[Promise]:
        """Expand ``[*]`` in a comparison; ``A[i] != A[j]`` becomes `Distinct`."""
        one = replace(one, left=self._with_index(one.left), right=self._with_index(one.right))
        words = set(re.findall(r"[A-Za-z_]\w*", f"{one.left} {one.right}"))
        if not words & set(self.names.places):
            raise NotUnderstood("a comparison without values of the input")
        literal = re.fullmatch(r"-?\w|'\w'", one.right)
        texts = self.names.kind(one.left) in ("text", "letter")
        if texts and literal and one.right not in self.names.places:
            if one.operator != "==":
                raise NotUnderstood("a letter is compared")
            return [OneOf(one.left, (one.right.strip("'"),))]
        first, second = self.any[1], (self.names.indices[1:] or "j")[0]
        differs = one.operator == "!=" and self.any in one.left
        if differs and re.sub(rf"\b{second}\b", first, one.right) == one.left != one.right:
            return [Distinct((one.left,))]
        return [one]

    def either(self, *parts: Any) -> list[Promise]:
        """Combine alternatives: ``C_i = 0 or 1``, ``x_i != x_j or y_i != y_j``."""
        first, *others = parts
        alternatives: list[Promise] = list(first)
        for part in others:
            for one in part:
                left = alternatives[0].left if isinstance(alternatives[0], Compare) else ""
                alternatives.append(Compare(left, "==", one) if isinstance(one, str) else one)
        differ = [one.terms[0] for one in alternatives if isinstance(one, Distinct)]
        equalities = [
            one for one in alternatives if isinstance(one, Compare) and one.operator == "=="
        ]
        letters = [one for one in alternatives if isinstance(one, OneOf)]
        if len(differ) == len(alternatives):
            return [Distinct(tuple(differ))]
        if len(equalities) == len(alternatives) and len({one.left for one in equalities}) == 1:
            return [self._choice(equalities[0].left, [one.right for one in equalities])]
        if len(letters) == len(alternatives) and len({one.term for one in letters}) == 1:
            return [OneOf(letters[0].term, tuple(value for one in letters for value in one.values))]
        raise NotUnderstood("alternatives")

    def tuples_differ(self, *pairs: Promise) -> list[Promise]:
        return list(pairs)

    def pair(self, left: list[str], right: list[str]) -> Promise:
        unindexed, other = [
            [re.sub(r"\[[ij]\]", "", one) for one in side] for side in (left, right)
        ]
        if len(left) != len(right):
            raise NotUnderstood("rows of unlike lengths")
        if sorted(unindexed) == sorted(other) and left != right:
            return Distinct(tuple(re.sub(r"\bj\b", "i", one) for one in left), unindexed != other)
        return Is(left[0], "not all equal", (*left[1:], *right))

    def named_columns(self, row: str, *columns: str) -> list[Promise]:
        """Return the length of rows, which ``edges[i] = [ui, vi]`` shows."""
        return [Compare(f"len({row})", "==", str(len(columns)))]

    # -------------------------------------------------------------- expressions

    def number(self, text: str) -> str:
        if "e" in text.lower():
            return str(int(float(text)))
        # Python does not parse numbers like 01.
        return str(text) if "." in text or text == "0" else text.lstrip("0") or "0"

    def number_word(self, word: str) -> str:
        return NUMBERS[word.lower()]

    def dots(self, _: str) -> str:
        return DOTS

    def quoted(self, text: str) -> str:
        return repr(text[1:-1])

    def named(self, term: str) -> str:
        return term

    def brackets(self, inner: str) -> str:
        return inner if re.fullmatch(r"[\w\[\]]+", inner) else f"({inner})"

    def plus(self, left: str, right: str) -> str:
        return f"{left} + {right}"

    def minus(self, left: str, right: str) -> str:
        return f"{left} - {right}"

    def times(self, left: str, sign: str, right: str) -> str:
        return f"{_factor(left)} {DIVIDES.get(sign.lower(), sign)} {_factor(right)}"

    def negative(self, inner: str) -> str:
        return f"-{inner}"

    def raised(self, base: str, *power: str) -> str:
        return f"{base} ** {power[-1]}"

    def size_of(self, inner: str) -> str:
        return size_term(self.names, inner)

    def call(self, function: str, *inner: str) -> str:
        return f"{function.lower()}({', '.join(inner)})"

    def length(self, term: str) -> str:
        return f"len({term})"

    def sum(self, summed: str) -> str:
        of_list = re.fullmatch(r"\w+\[[i-l]\]", summed)
        return f"sum({list_of(summed) if of_list else summed})"

    def sum_lengths(self, *terms: str) -> str:
        name = list_of(terms[0]) if terms else next(iter(only_list(self.names, "text")), "")
        name = re.sub(r"\[\w+\]$", "", name)
        if not name or not self.names.places.get(name, NO_PLACE).depth:
            raise NotUnderstood("no text whose lengths to sum")
        return f"sum(len({name}{self.any}))"

    def series_sum(self, first: str, last: str) -> str:
        inner = re.fullmatch(r"len\((.+)\)", last)
        series = series_of(
            first.split(" + ")[0].removeprefix("len(").removesuffix(")"),
            inner[1] if inner else last,
        )
        return f"sum(len({series[:-3]}{self.any}))" if inner else f"sum({series[:-3]})"

    def matrix_side(self, side: str) -> str:
        lists = list(matrices(self.names))
        if len(lists) != 1:
            raise NotUnderstood("no list of rows, or several")
        return f"len({lists[0]})" if "row" in side.lower() else f"len({lists[0]}{self.any})"

    # -------------------------------------------------------------- subjects

    def lengths(self, *terms: str) -> Subject:
        return Subject(
            "values", tuple(f"len({self._with_index(term)})" for term in self._join_series(terms))
        )

    def given_values(self, *_: Any) -> Subject:
        return Subject("input", only_list(self.names, "int"))

    def given_texts(self, *_: Any) -> Subject:
        return Subject("input", only_list(self.names, "text"))

    def text(self, term: str) -> str:
        return term

    def predicated(self, subject: Subject, *predicates: Predicate) -> list[Promise]:
        return [promise for predicate in predicates for promise in predicate(subject)]

    of_values = of_texts = of_letters = predicated

    # -------------------------------------------------------------- amounts

    def sign(self, word: Token) -> str:
        return SIGNS[word.type]

    def bounded(self, sign: str, bound: str) -> Predicate:
        return lambda subject: [Compare(term, sign, bound) for term in _terms(subject)]

    def equals(self, bound: str) -> Predicate:
        return self.bounded("==", bound)

    def at_most(self, bound: str) -> Predicate:
        return self.bounded("<=", bound)

    def between(self, *ends: str) -> Predicate:
        low, high = (end for end in ends if not isinstance(end, Token))
        return _all_of([self.bounded(">=", low), self.bounded("<=", high)])

    def size(self, *amounts: Predicate) -> Predicate:
        return _all_of(amounts)

    integers = size

    def string(self, *parts: Any) -> Predicate:
        return _all_of([self.binary() if isinstance(part, Token) else part for part in parts])

    def at_least(self, word: str) -> Predicate:
        return self.bounded(">=", str(int(word.lower() == "positive")))

    def parity(self, word: str) -> Predicate:
        rest = str(int(word.lower() == "odd"))
        return lambda subject: [
            Compare(f"{in_brackets(term)} % 2", "==", rest) for term in _terms(subject)
        ]

    def satisfying(self, promises: list[Promise]) -> Predicate:
        return lambda subject: promises

    def has_length(self, size: Predicate) -> Predicate:
        return lambda subject: size(
            Subject("values", tuple(f"len({self._with_index(term)})" for term in _terms(subject)))
        )

    def has_count(self, size: str) -> Predicate:
        return self.has_length(self.equals(size))

    def count(self, low: str, high: str | None = None) -> Predicate:
        size = self.between(low, high) if high else self.equals(low)
        return self.has_length(size)

    # -------------------------------------------------------------- properties

    def _is(self, kind: str, *arguments: str) -> Predicate:
        return lambda subject: [Is(term, kind, arguments) for term in _terms(subject)]

    def prime(self) -> Predicate:
        return self._is("prime")

    def palindrome(self) -> Predicate:
        return self._is("palindrome")

    def balanced(self) -> Predicate:
        return self._is("brackets")

    def no_leading_zero(self) -> Predicate:
        return self._is("no leading zero")

    def trimmed(self) -> Predicate:
        return self._is("trimmed")

    def single_spaces(self) -> Predicate:
        return self._is("single spaces")

    def inside(self, where: str) -> Predicate:
        return self._is("in", where)

    def power_of(self, base: str) -> Predicate:
        return self._is("power", base)

    def multiple(self, divisor: str) -> Predicate:
        return lambda subject: [
            Compare(f"{in_brackets(term)} % {in_brackets(divisor)}", "==", "0")
            for term in _terms(subject)
        ]

    def some_multiple(self, divisor: str) -> Predicate:
        return lambda subject: [
            Is(list_of(term), "some multiple", (divisor,)) for term in _terms(subject)
        ]

    def not_empty(self) -> Predicate:
        return self.has_length(self.bounded(">=", "1"))

    def alike(self, size: Predicate | None = None) -> Predicate:
        def read(subject: Subject) -> list[Promise]:
            first, *others = subject.terms
            if not others:
                raise NotUnderstood("no second value to compare")
            equal: list[Promise] = [Compare(first, "==", term) for term in others]
            return equal + (size(subject) if size else [])

        return read

    def rows_of_one_length(self) -> list[Promise]:
        if len(list(matrices(self.names))) != 1:
            raise NotUnderstood("no list of rows, or several")
        return self.same_length()(Subject("rows"))

    def same_length(self) -> Predicate:
        def read(subject: Subject) -> list[Promise]:
            first, *others = subject.terms or tuple(matrices(self.names)) or ("",)
            if not first:
                raise NotUnderstood("no list of rows")
            if not others:
                return [Is(list_of(first), "of one length")]
            return [Compare(f"len({first})", "==", f"len({term})") for term in others]

        return read

    def ordered(self, order: Predicate) -> Predicate:
        return order

    def order(self, *words: str) -> Predicate:
        text = words[0].lower()
        # Non-decreasing values are in ascending order.
        falls = ("descend" in text or "decreas" in text) != text.startswith("non")
        strict = text.startswith("strictly")

        def read(subject: Subject) -> list[Promise]:
            promises: list[Promise] = []
            for term in _terms(subject):
                if re.search(r"\[[i-l]\]\[\d+\]$", term):
                    # A column: each row is compared with the next.
                    sign = (">" if falls else "<") + "=" * (not strict)
                    promises.append(Compare(term, sign, re.sub(r"\[([i-l])\]", r"[\1 + 1]", term)))
                else:
                    promises.append(Sorted(list_of(term), falls, strict))
            return promises

        return read

    def permutation(self, values: Predicate) -> Predicate:
        return values

    def mutual(self) -> Predicate:
        return self._mutual

    def _mutual(self, subject: Subject) -> list[Promise]:
        first, *others = map(list_of, _terms(subject))
        return [Is(first, "permutation of", (other,)) for other in others]

    def distinct_integers(self, between: Predicate | None = None) -> Predicate:
        bounds = [between] if between else []
        return lambda subject: [
            promise
            for predicate in (self._distinct, *bounds)
            for promise in predicate(Subject("entries", subject.terms))
        ]

    def of_list(self, other: str) -> Predicate:
        return lambda subject: [
            Is(list_of(term), "permutation of", (list_of(other),)) for term in _terms(subject)
        ]

    def up_to(self, size: str) -> Predicate:
        return self.from_to("1", size)

    def from_to(self, *ends: Any) -> Predicate:
        if len(ends) == 1:
            bounds = ends[0](Subject("values", ("x",)))
            low, high = (one.right for one in bounds)
        else:
            low, high = ends[0], ends[-1]
        return lambda subject: [Permutation(list_of(term), low, high) for term in _terms(subject)]

    def distinct(self) -> Predicate:
        return self._distinct

    def _distinct(self, subject: Subject) -> list[Promise]:
        terms, whole = subject.terms, self.names.whole
        if subject.form == "graph" or (subject.form == "rows" and not terms):
            return [Graph(("distinct",))]
        if subject.form == "rows":
            rows = tuple(map(whole, terms)) if len(terms) > 1 else (list_of(terms[0]) + self.any,)
            return [Distinct(rows)]
        if not terms:
            raise NotUnderstood("no values to be distinct")
        if all("[" not in whole(term) for term in terms) and len(terms) > 1:
            return [Is(terms[0], "all different", tuple(terms[1:]))]
        promises: list[Promise] = []
        if len(terms) > 1:
            # ``A_1, ..., A_N, B_1, ..., B_M`` are distinct together; ``A_i and B_i`` is ambiguous.
            if not all(whole(term).count("[") == term.count("[*]") for term in terms):
                raise NotUnderstood("distinct among themselves, or from each other?")
            lists = [term.removesuffix("[*]") for term in terms]
            promises.append(Is(lists[0], "distinct together", tuple(lists[1:])))
            terms = tuple(term for term in terms if term.endswith("[*]"))
        for term in terms:
            spelt = whole(self._with_index(term))
            if subject.form == "values" and spelt.count("[") == 2 and "[" not in term:
                spelt = spelt[:-3]  # the rows themselves, not their values
            if subject.form == "entries" and term.endswith(self.any) and spelt != term:
                # The values of one row; another row may have the same ones.
                spelt = f"{spelt[:-3]}[*]"
            elif term.endswith(self.any):
                spelt = term
            if subject.form == "letters" and self.names.kind(spelt) == "text":
                spelt += "[" + self.names.indices[spelt.count("[")] + "]"
            promises.append(Distinct((spelt,)))
        return promises

    # -------------------------------------------------------------- choices and letters

    def choice(self, *words: str) -> list[str]:
        return list(words)

    def chosen(self, words: list[str]) -> Predicate:
        return lambda subject: [
            self._choice(self.names.whole(term), words) for term in _terms(subject)
        ]

    def _choice(self, term: str, words: Sequence[str]) -> Promise:
        kind = self.names.kind(term)
        if kind == "int":
            if not all(re.fullmatch(r"-?\d{1,18}", word) for word in words):
                raise NotUnderstood("choices of a number")
            return OneOf(term, tuple(int(word) for word in words))
        if kind not in ("text", "letter"):
            raise NotUnderstood("choices of a value without a kind")
        return OneOf(self._with_index(term), tuple(words))

    def words(self, *words: str) -> list[str]:
        return [self._literal(word) for word in words]

    quoted_words = words

    def _literal(self, text: str) -> str:
        """Return a letter or word without quotes or the mark of a name."""
        text = text[2:-1] if text.startswith("⟨") else text
        quoted = re.fullmatch(r"'(.+)'|\"(.+)\"|\((.)\)", text)
        return next(filter(None, quoted.groups())) if quoted else str(text)

    def letter(self, text: str) -> str:
        return self._literal(text)

    def kind_item(self, token: Token) -> str:
        if token.type != "SPAN":
            return LETTERS[token.type]
        plain = re.sub(r"⟨.(\w)⟩|['\"]", lambda m: m[1] or "", token)
        low, high = re.findall(r"\b[A-Za-z0-9]\b", plain)[-2:]
        if low > high:
            raise NotUnderstood(token)
        return "".join(map(chr, range(ord(low), ord(high) + 1)))

    def letters(self, *items: str) -> str:
        return "".join(dict.fromkeys("".join(items)))

    kinds = letters

    def consists(self, *parts: Any) -> Predicate:
        *counts, letters = parts

        def read(subject: Subject) -> list[Promise]:
            promises = [promise for count in counts for promise in count(subject)]
            terms = [self._with_index(term) for term in _terms(subject)]
            if isinstance(letters, list):
                if subject.form == "letters" and all(len(word) == 1 for word in letters):
                    return [*promises, *(Letters(term, "".join(letters)) for term in terms)]
                return [
                    *promises,
                    *(self._choice(self.names.whole(term), letters) for term in terms),
                ]
            return [*promises, *(Letters(term, letters) for term in terms)]

        return read

    def binary(self) -> Predicate:
        return self.consists("01")

    def letter_count(self, *parts: Any) -> Predicate:
        words = [str(part).lower() for part in parts if isinstance(part, Token)]
        sign, number = "==", ""
        rest = [part for part in parts if not isinstance(part, Token)]
        if rest[0] in SIGNS.values():
            sign = rest.pop(0)
        number, letters = rest
        for word in words:
            sign = {"or more": ">=", "or fewer": "<=", "or less": "<="}.get(word, sign)
        if sign == "==" and len(letters) > 1:
            raise NotUnderstood("10 digits are a length")
        if any("other than" in word for word in words):
            letters = "".join(sorted(set(LETTERS["PRINTABLE"]) - set(letters)))
        bound = f"{sign} {number}"

        def read(subject: Subject) -> list[Promise]:
            first, *others = _terms(subject)
            if "in total" in words or "in all" in words:
                return [Is(first, "letters in total", (*others, letters, bound))]
            return [Is(term, "letters", (letters, bound)) for term in (first, *others)]

        return read

    def counted(self, count: Predicate) -> Predicate:
        return count

    # -------------------------------------------------------------- rows, totals, graphs

    def of_rows(self, *parts: Any) -> list[Promise]:
        rows = [part for part in parts if not isinstance(part, Token)]
        row = rows[0] if rows else ()
        return self._distinct(Subject("rows", (row,) if isinstance(row, str) else tuple(row)))

    def totals(self, terms: Any) -> list[str]:
        return list(terms.terms) if isinstance(terms, Subject) else self._join_series(terms)

    def of_total(self, terms: list[str], most: str) -> list[Promise]:
        return [TotalBound(term, most) for term in terms]

    def of_graph(self, *predicates: Predicate) -> list[Promise]:
        return [one for predicate in predicates for one in predicate(Subject("graph"))]

    def graph(self, kinds: list[str]) -> Predicate:
        return lambda subject: [Graph(tuple(kinds), list_of(one)) for one in subject.terms or ("",)]

    def graph_kinds(self, *words: str) -> list[str]:
        singular = [word.lower().removesuffix("s") for word in words]
        kinds = [one for one in singular if one not in ("undirected", "directed", "weighted")]
        if not kinds:
            raise NotUnderstood("no kind of graph")
        return kinds

    def edge_kinds(self, *words: str) -> list[str]:
        kinds = {"loop": "loopless", "cycl": "acyclic"}
        matches = [re.search("loop|cycl", word.lower()) for word in words]
        return [kinds[one[0]] if one else "no multi-edges" for one in matches]

    def no_edges(self, kinds: list[str]) -> list[Promise]:
        return [Graph(tuple(kinds))]

    def connected(self) -> list[Promise]:
        return [Graph(("connected",))]

    # -------------------------------------------------------------- phrases

    def list_phrase(self, *parts: Any) -> list[Promise]:
        predicates = [part for part in parts if callable(part)]
        terms = [
            list_of(term) if isinstance(part, list) else term
            for part in parts
            if not callable(part)
            for term in (part if isinstance(part, list) else [part])
        ] or self._nameless()
        if not predicates or not terms:
            raise NotUnderstood("no predicate or no list")
        apart = self.distinct() in predicates and len(terms) > 1
        if apart and not any(self.names.whole(term) != term for term in terms):
            # ``distinct integers x and y``, ``a pair of distinct integers s_i and t_i``
            promises: list[Promise] = [
                Compare(left, "!=", right)
                for at, left in enumerate(terms)
                for right in terms[at + 1 :]
            ]
            predicates = [predicate for predicate in predicates if predicate != self.distinct()]
        else:
            promises = []
        if self.mutual() in predicates:
            return [
                promise
                for predicate in predicates
                for promise in predicate(Subject("values", tuple(terms)))
            ]
        alone = [Subject("entries", (term,)) for term in terms]
        return promises + [
            promise for one in alone for predicate in predicates for promise in predicate(one)
        ]

    def compared_phrase(self, *parts: Any) -> list[Promise]:
        *predicates, compared = parts
        sides = [side for one in compared for side in (one.left, one.right)]
        names = dict.fromkeys(side for side in sides if list_of(side) in self.names.places)
        subject = Subject("values", tuple(names))
        return [*compared, *(promise for predicate in predicates for promise in predicate(subject))]

    def _nameless(self) -> list[str]:
        """Return the only list of numbers, or the only one without a name in the statement."""
        lists = [n for n, place in self.names.places.items() if place.kind == "int" and place.depth]
        unnamed = [name for name in lists if name.startswith(NAMELESS)]
        return lists if len(lists) == 1 else unnamed if len(unnamed) == 1 else []

    def permutation_phrase(self, *parts: Any) -> list[Promise]:
        (values,) = (part for part in parts if not isinstance(part, list))
        lists = {
            list_of(term)
            for part in parts
            if part is not values
            for term in self._join_series(part)
        }
        known = tuple(term for term in self.names.places if term in lists)
        return list(values(Subject("values", known)))

    def graph_phrase(self, *words: str) -> list[Promise]:
        kinds = [*words[:-1], *{"tree": ["tree"], "dag": ["acyclic"]}.get(words[-1].lower(), [])]
        return [Graph(tuple(self.graph_kinds(*kinds)))] if kinds else []

    def phrase(self, promises: list[Promise]) -> list[Promise]:
        return promises

    # -------------------------------------------------------------- some values

    def not_alike(self, operands: list[str]) -> list[Promise]:
        terms = [list_of(term) for term in self._join_series(operands)]
        lists = [term for term in terms if self.names.places.get(term, NO_PLACE).depth]
        if len(lists) == len(terms) == 1:
            return [Is(terms[0], "not all alike")]
        if len(terms) < 2 or lists:
            raise NotUnderstood("no list of values that differ")
        # One value that differs from the first is enough: ``(A, A) != (B, C)``.
        return [Is(terms[0], "not all equal", (*[terms[0]] * (len(terms) - 2), *terms[1:]))]

    def some_place(self, *parts: Any) -> list[Promise]:
        compared, *others = parts[-1]
        if others or not isinstance(compared, Compare) or not compared.left.endswith(self.any):
            raise NotUnderstood("no list with such a value")
        return [Is(list_of(compared.left), "some", (compared.right, compared.operator))]

    def half_of(self, term: str, word: str) -> list[Promise]:
        return [Is(list_of(term), "half", (str(int(word.lower() == "odd")),))]

    def spaces(self) -> list[Promise]:
        texts = [name for name, place in self.names.places.items() if place.kind == "text"]
        if len(texts) != 1:
            raise NotUnderstood("several texts, or none")
        return [Is(texts[0], "trimmed")]

    def neighbours(self, term: str, *_: Any) -> list[Promise]:
        return [Compare(list_of(term) + self.any, "!=", f"{list_of(term)}{self.any[:-1]} + 1]")]

    def no_two(self, term: str, *_: Any) -> list[Promise]:
        return self._distinct(Subject("values", (term,)))

    def same_sums(self, left: str, right: str) -> list[Promise]:
        return [Is(list_of(left), "same sum", (list_of(right),))]

    def trivial(self, *_: Any) -> list[Promise]:
        return []


def _terms(subject: Subject) -> tuple[str, ...]:
    """Return the terms of a subject.

    Raises:
        NotUnderstood: The subject has no terms.
    """
    if not subject.terms:
        raise NotUnderstood("no subject")
    return subject.terms


def _all_of(predicates: Sequence[Predicate]) -> Predicate:
    return lambda subject: [promise for predicate in predicates for promise in predicate(subject)]


def _factor(text: str) -> str:
    return f"({text})" if re.search(r"[^*] [-+] ", text) and not enclosed(text) else text


def _all_terms(group: Sequence[str]) -> bool:
    return all(re.match(r"[A-Za-z(]", text) for text in group)


def _same_list(group: Sequence[str], term: str) -> bool:
    return len(group) == 1 and group[0].rpartition("[")[0] == term.rpartition("[")[0] != ""


def _compare_neighbours(groups: Sequence[Sequence[str]], operators: Sequence[str]) -> list[Compare]:
    """Return the comparisons of neighbours in a chain."""
    if not operators:
        raise NotUnderstood("no comparison")
    groups, operators = list(groups), list(operators)
    if set(operators) == {"=="} and all(text.isdecimal() for text in groups[-1]):
        # ``a[i].length == b[i].length == 2`` sets each to 2, as one list may have more rows.
        groups, operators = [[text for group in groups[:-1] for text in group], groups[-1]], ["=="]
    return [
        Compare(a, operator, b)
        for left, operator, right in zip(groups, operators, groups[1:], strict=False)
        for a in left
        for b in right
        if a != b
    ]
