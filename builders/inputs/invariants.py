"""Finds promises that all known inputs keep although no sentence makes them.

A promise is *suspected* if every known input keeps it, statements often make promises of its kind,
and chance does not explain it: inputs of the same sizes and ranges with random values hardly ever
keep it. Of the 5,040 orders of seven values, one is sorted, so a sorted list is suspected. The
value 7 in each of three samples is not, as statements hardly ever promise a single value.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from venus_toolkit.builders.inputs.spec.checking.checks import InputError
from venus_toolkit.builders.inputs.spec.checking.validate import Validator
from venus_toolkit.builders.inputs.spec.checking.values import Values
from venus_toolkit.builders.inputs.spec.layout import Item, Line, Loop, Scalar, counts
from venus_toolkit.builders.inputs.spec.promises import (
    Compare,
    Distinct,
    Graph,
    Is,
    Permutation,
    Promise,
    Reading,
    Sorted,
)
from venus_toolkit.builders.inputs.spec.specification import Spec, SpecError

# The largest probability that random values of the same sizes and ranges keep a suspected promise.
# On the 536 development tasks, 7 suspected promises are true and 3 are false. Statements promise
# trees, connected graphs and equal lengths often, so these need less evidence: 4 are true, 0 false.
CHANCE, CHANCE_OF_USUAL = 1 / 1000, 1 / 20
USUAL = (("tree",), ("connected",))
REDRAWN = 1_000  # random draws of the values of a case
LONGEST = 3_000  # characters of an input; a longer one would take too long
MOST_CASES = 30  # test cases to read, over all inputs
MOST_COLUMNS = 4  # columns of a list of rows to consider separately; wider rows are one column


class Candidate(NamedTuple):
    """A promise that statements often make, and the columns of values that it constrains.

    A column is spelt as a term: ``N``, ``A``, ``edges[i][0]``, ``len(A)``.
    """

    promise: Promise
    columns: tuple[str, ...]


def invariants(spec: Spec, inputs: Sequence[str], words: str) -> list[Reading]:
    """Return promises of all inputs that no sentence makes or denies and chance does not explain.

    Args:
        spec: The specification that was read from the statement.
        inputs: Allowed inputs: the samples and given tests.
        words: The text that may deny a promise: ``the values are not necessarily distinct``.

    Raises:
        SpecError: The specification cannot be checked.
    """
    validator, known = Validator(spec, ()), spec.promises("statement")
    cases, readings = _cases(validator, inputs), []
    for candidate in _unstated(validator, cases, known, words):
        promise = candidate.promise
        usual = getattr(promise, "kinds", "") in USUAL or candidate.columns[0].startswith("len(")
        chance = _chance(validator, candidate, cases)
        if chance <= (CHANCE_OF_USUAL if usual else CHANCE):
            known.append(promise)
            reason = f"all {len(inputs)} known inputs keep it, 1 in {1 / chance:.0f} by chance"
            readings.append(Reading(reason, (promise,), "suspected"))
    return readings


def needed(
    spec: Spec,
    inputs: Sequence[str],
    agreed: Sequence[str],
    disputed: Sequence[str],
    words: str,
) -> list[Reading]:
    """Return promises that accepted programs seem to need.

    Known inputs keep them, and all disputed inputs break them.

    Args:
        spec: The specification that was read from the statement.
        inputs: Allowed inputs.
        agreed: Inputs on which the programs agree.
        disputed: Inputs on which they disagree or crash.
        words: The text that may deny a promise.

    Raises:
        SpecError: The specification cannot be checked.
    """
    validator, known, readings = Validator(spec, ()), spec.promises("statement"), list[Reading]()
    bad, good = ([_cases(validator, [text]) for text in texts] for texts in (disputed, agreed))
    for candidate in _unstated(validator, _cases(validator, inputs), known, words) if bad else ():
        broken = [
            any(validator.breaks(case, candidate.promise) for case in cases)
            for cases in (*bad, *good)
        ]
        # By chance, disputed inputs would break it as often as the others.
        if all(broken[: len(bad)]) and (sum(broken) / len(broken)) ** len(bad) <= CHANCE:
            known.append(candidate.promise)
            reason = f"all {len(bad)} inputs on which accepted programs disagree or fail break it"
            readings.append(Reading(reason, (candidate.promise,), "suspected"))
    return readings


def _unstated(
    validator: Validator, cases: Sequence[Values], known: Sequence[Promise], words: str
) -> Iterator[Candidate]:
    """Yield the usual promises that all cases keep and that no sentence makes or denies.

    The caller may add promises to `known` meanwhile.
    """
    for candidate in _candidates(validator.spec, cases, known):
        try:
            broken = any(validator.breaks(case, candidate.promise) for case in cases)
        except SpecError:
            continue
        if (
            not broken
            and any(_is_evidence(candidate, case) for case in cases)
            and not is_implied(candidate.promise, known)
            and not is_denied(candidate.promise, words)
        ):
            yield candidate


# ------------------------------------------------------------------ values


def _cases(validator: Validator, inputs: Sequence[str]) -> list[Values]:
    """Return the first test cases of inputs, each as a separate input."""
    cases: list[Values] = []
    for text in inputs:
        if len(text) <= LONGEST and len(cases) < MOST_CASES:
            try:
                values = validator.parse(text)
            except InputError:
                continue
            cases += [Values(values.whole, [case]) for case in values.cases] or [values]
    return cases[:MOST_CASES]


def _scope(case: Values) -> dict[str, Any]:
    return {**case.whole, **(case.cases[0] if case.cases else {})}


def _column(case: Values, term: str) -> Any:
    """Return the values of a column; None if the case lacks it."""
    scope = _scope(case)
    if term.startswith("len("):
        return len(scope[term[4:-1]])
    base, _, place = term.partition("[i][")
    if not place:
        return scope.get(base)
    rows = scope.get(base, [])
    return [row[int(place[:-1])] for row in rows] if _width(rows) > int(place[:-1]) else None


def _with_columns(case: Values, columns: Mapping[str, Any]) -> Values:
    """Return a case with other values in some columns."""
    scope = _scope(case)
    for term, values in columns.items():
        base, _, place = term.partition("[i][")
        if term.startswith("len("):
            name = term[4:-1]
            scope[name] = (scope[name] * values)[:values] if scope[name] else scope[name]
        elif place:
            at = int(place[:-1])
            rows = zip(scope[base], values, strict=True)
            scope[base] = [[*row[:at], value, *row[at + 1 :]] for row, value in rows]
        else:
            scope[base] = values
    return Values(scope, [scope] if case.cases else [])


def _width(rows: Any) -> int:
    """Return the length of rows; 0 if they are not lists of one length."""
    widths = {len(row) if isinstance(row, list) else 0 for row in rows} if rows else set()
    return widths.pop() if len(widths) == 1 else 0


def _is_evidence(candidate: Candidate, case: Values) -> bool:
    """Whether a case is evidence for a promise.

    Authors of samples write few values, repeat one value, and use 1, 2, 3, 4 for any list.
    """
    first = _column(case, candidate.columns[0])
    if not isinstance(first, list) or isinstance(candidate.promise, (Graph, Compare)):
        return not isinstance(first, (list, str)) or len(first) > 0
    steps = {type(a) is type(b) is int and b - a for a, b in itertools.pairwise(first)}
    return len(set(map(str, first))) > 1 and not (len(steps) == 1 and steps <= {1, 2})


# ------------------------------------------------------------------ usual promises


def _candidates(
    spec: Spec, cases: Sequence[Values], known: Sequence[Promise]
) -> Iterator[Candidate]:
    """Yield the usual promises about values that every case has, the stronger before the weaker."""
    columns: dict[str, list[Any]] = {}
    for name, value in _scope(cases[0]).items() if cases else ():
        width = _width(value) if spec.layout.style == "json" and isinstance(value, list) else 0
        terms = [f"{name}[i][{at}]" for at in range(width)] if 0 < width <= MOST_COLUMNS else [name]
        terms += [f"len({name})"] * (spec.layout.style == "json" and isinstance(value, list))
        values = {term: [_column(case, term) for case in cases] for term in terms}
        columns |= {term: column for term, column in values.items() if None not in column}
    sizes = {
        name for count in counts(spec.layout.body) for name in re.findall(r"[A-Za-z_]\w*", count)
    }
    lists = [term for term, values in columns.items() if isinstance(values[0], list)]
    lengths = [term for term in columns if term.startswith("len(")]
    singles = set(columns).difference(lists, lengths, sizes)
    ends: list[str] = []
    for row in _rows(spec.layout.body, lists):
        shared = _upper_bounds(row[0], known) & _upper_bounds(row[1], known)
        # The ends of edges are numbers of nodes; rows of queries about nodes come later.
        if not ends and any(re.search("[A-Za-z]", most) for _, most in shared):
            ends = [*row[:2]]
            term = row[0].partition("[")[0] if "][" in row[0] else ""
            for kind in ("tree", "acyclic", "connected", "bipartite", "loopless", "no multi-edges"):
                if kind != "tree" or not spec.directed:
                    yield Candidate(Graph((kind,), term), row[:2])
        numbers = [term for term in row if all(type(one) is int for one in columns[term][0])]
        for first, second in itertools.permutations(numbers, 2):
            # A start and an end have the same bounds.
            if _upper_bounds(first, known) == _upper_bounds(second, known):
                for operator in ("<", "<="):
                    compared = Compare(_element(first), operator, _element(second))
                    yield Candidate(compared, (first, second))
        yield Candidate(Distinct(tuple(map(_element, row))), row)
    # The ends of edges are left out: authors list edges in order, and each leaf only once.
    lists = sorted(term for term in lists if term not in ends and "][" not in term)
    for term in lists:
        yield Candidate(Permutation(term, "1", f"len({term})"), (term,))
        yield Candidate(Permutation(term, "0", f"len({term}) - 1"), (term,))
        for strict, descending in itertools.product((True, False), (False, True)):
            yield Candidate(Sorted(term, descending, strict), (term,))
        yield Candidate(Distinct((_element(term),)), (term,))
    for first, second in itertools.combinations(lists, 2):
        yield Candidate(Is(second, "permutation of", (first,)), (first, second))
    for first, second in itertools.combinations(sorted(lengths), 2):
        yield Candidate(Compare(first, "==", second), (first, second))
    for single in sorted(singles):
        if isinstance(columns[single][0], str):
            for kind_of_text in ("brackets", "palindrome", "no leading zero"):
                if kind_of_text != "no leading zero" or "".join(columns[single]).isdigit():
                    yield Candidate(Is(single, kind_of_text), (single,))
        for term in lists:
            yield Candidate(Is(single, "in", (term,)), (single, term))


def _rows(items: Sequence[Item], lists: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the columns of each list of rows."""
    by_base = itertools.groupby(lists, key=lambda term: term.partition("[i][")[0])
    for row in (tuple(columns) for _, columns in by_base):
        if len(row) > 1:
            yield row
    for item in items:
        if isinstance(item, Loop):
            nodes = [node for line in item.body if isinstance(line, Line) for node in line.nodes]
            row = tuple(n.name for n in nodes if isinstance(n, Scalar) and n.name in lists)
            if len(row) > 1:
                yield row
            yield from _rows(item.body, [term for term in lists if "][" not in term])


def _upper_bounds(column: str, known: Sequence[Promise]) -> set[tuple[str, str]]:
    """Return the upper bounds of the values of a column, each with its operator."""
    return {
        (one.operator, one.right)
        for one in known
        if isinstance(one, Compare) and one.left == _element(column) and one.operator in ("<", "<=")
    }


def _element(column: str) -> str:
    """Return the term of a promise for the values of a column."""
    return column if "[" in column or "(" in column else f"{column}[i]"


# ------------------------------------------------------------------ chance


def _chance(validator: Validator, candidate: Candidate, cases: Sequence[Values]) -> float:
    """Return the probability that random values of the same sizes and ranges keep a promise."""
    draw, chance = random.Random(0), 1.0
    pools: dict[str, set[Any]] = {}
    for column, case in itertools.product(candidate.columns, cases):
        values = _column(case, column)
        pools.setdefault(column, set()).update(values if isinstance(values, str) else ())
        pools[column].update([values] if isinstance(values, (int, float)) else ())
    for case in cases:
        if _is_evidence(candidate, case):
            others = (
                _with_columns(case, _redraw(candidate, case, pools, draw)) for _ in range(REDRAWN)
            )
            keeping = sum(not validator.breaks(other, candidate.promise) for other in others)
            chance *= (keeping + 1) / (REDRAWN + 1)
    return chance


def _redraw(
    candidate: Candidate, case: Values, pools: Mapping[str, set[Any]], draw: random.Random
) -> dict[str, Any]:
    """Return random values of the columns of a candidate; a comparison gets swapped pairs."""
    values = {column: _column(case, column) for column in candidate.columns}
    if isinstance(candidate.promise, Compare) and candidate.promise.operator != "==":
        pairs = [draw.sample(row, 2) for row in zip(*values.values(), strict=True)]
        return {column: [pair[at] for pair in pairs] for at, column in enumerate(values)}

    def other(column: str, value: Any) -> Any:
        if isinstance(value, str):
            return "".join(draw.choices(sorted(pools[column]), k=len(value)))
        if not isinstance(value, list):
            return draw.randint(int(min(pools[column])), int(max(pools[column])))
        if all(type(one) is int for one in value):
            low, high = min(value, default=0), max(value, default=0)
            return [draw.randint(low, high) for _ in value]
        letters = sorted({letter for one in value if isinstance(one, str) for letter in one})
        return [
            "".join(draw.choices(letters, k=len(one))) if isinstance(one, str) else one
            for one in value
        ]

    return {column: other(column, value) for column, value in values.items()}


# ------------------------------------------------------------------ words

SUBJECTS: tuple[tuple[type[Any] | tuple[type[Any], ...], re.Pattern[str]], ...] = tuple(
    (kinds, re.compile(words, re.IGNORECASE))
    for kinds, words in (
        (Sorted, r"sorted|order|ascending|descending|increasing|decreasing|monoton"),
        (
            (Permutation, Distinct),
            r"permutation|distinct|duplicat|unique|same|repeat|equal|identical|more than once",
        ),
        (Graph, r"connected|reachable|multi-?\s?edge|multiple edge|self-?\s?loop|cycl|bipartite"),
        (Is, r"valid|balanced|palindrom|leading zero"),
        (Compare, r"necessarily"),
    )
)
"""The words of sentences about each kind of promise."""
NOT_PROMISED = re.compile(
    r"not necessarily|need not|do(?:es)? not (?:have|need) to|possibly"
    r"|(?:may|might|can|could)(?! (?:safely )?(?:assume|be assumed))"
    r"|not guaranteed|any order|arbitrary",
    re.IGNORECASE,
)


def is_denied(promise: Promise, words: str) -> bool:
    """Whether a sentence denies this kind of promise or, for an order, no sentence mentions order.

    Authors write samples in order: of six tasks with samples in order and no word about it, none
    promises the order.
    """
    subject = next(subject for kinds, subject in SUBJECTS if isinstance(promise, kinds))
    about = [
        sentence for sentence in re.split(r"(?<=[.!?])\s+|\n", words) if subject.search(sentence)
    ]
    return any(map(NOT_PROMISED.search, about)) or (isinstance(promise, Sorted) and not about)


IMPLIED = {
    "tree": ("acyclic", "connected", "bipartite", "loopless", "no multi-edges"),
    "acyclic": ("loopless", "no multi-edges"),
    "bipartite": ("loopless",),
    "simple": ("loopless", "no multi-edges"),
    "distinct": ("no multi-edges",),
}
NEIGHBOURS = re.compile(r"(\w+)\[i( [-+] 1)?\] (!=|[<>]=?) \1\[(?:i [-+] 1|j|i)\]")


def is_implied(promise: Promise, known: Sequence[Promise]) -> bool:
    """Whether known promises imply a promise, or a known one is deliberately weaker."""
    if isinstance(promise, Compare):
        return _is_implied_comparison(promise, known)
    if isinstance(promise, Graph):
        kinds = {kind for one in known if isinstance(one, Graph) for kind in one.kinds}
        return promise.kinds[0] in kinds.union(*(IMPLIED.get(kind, ()) for kind in kinds))
    for one in map(_of_neighbours, known):
        same = type(one) is type(promise) and getattr(one, "what", "") == getattr(
            promise, "what", ""
        )
        apart = isinstance(one, Permutation) or (isinstance(one, Sorted) and one.strict)
        if same or (apart and isinstance(promise, Distinct)):
            mine, theirs = _columns(promise), _columns(one)
            if theirs <= mine or theirs == {next(iter(mine)).partition("[")[0]}:
                return True
    return False


def _of_neighbours(promise: Promise) -> Promise:
    """Return ``A[i] < A[i + 1]`` as an order and ``A[i] != A[j]`` as distinct values."""
    compared = isinstance(promise, Compare) and NEIGHBOURS.fullmatch(
        f"{promise.left} {promise.operator} {promise.right}"
    )
    if not compared:
        return promise
    return Distinct((compared[1],)) if compared[3] == "!=" else Sorted(compared[1], strict=True)


def _columns(promise: Promise) -> set[str]:
    """Return the lists that a promise constrains."""
    terms = promise.terms if isinstance(promise, Distinct) else (getattr(promise, "term", ""),)
    return {term.removesuffix("[i]") for term in terms}


def _is_implied_comparison(promise: Compare, known: Sequence[Promise]) -> bool:
    """Whether known comparisons imply a comparison: ``L <= N`` from ``L <= R`` and ``R <= N``."""
    steps: dict[str, set[tuple[str, bool]]] = {}
    for one in known:
        if isinstance(one, Compare) and one.operator != "!=":
            strict, ends = one.operator in ("<", ">"), (one.left, one.right)
            both = (
                [ends, ends[::-1]]
                if one.operator == "=="
                else [ends[:: 1 if "<" in one.operator else -1]]
            )
            for left, right in both:
                steps.setdefault(left, set()).add((right, strict))
    reached = [(promise.left, False)]
    for term, strict in reached:
        further = ((right, strict or step) for right, step in steps.get(term, ()))
        reached += [one for one in further if one not in reached]
    if promise.operator == "==":
        return (promise.right, False) in reached
    return (promise.right, True) in reached or (
        promise.operator == "<=" and (promise.right, False) in reached
    )
