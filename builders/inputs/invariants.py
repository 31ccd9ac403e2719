"""What all known inputs have in common although no sentence promises it.

A promise is *suspected* where every known input keeps it, statements often make one of its kind,
and chance does not explain it: inputs of the same sizes and ranges with other values hardly ever
keep it. A sorted list of seven values is one of 5,040; the value 7 in each of three samples is
nothing, for no usual promise says so.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from venus_toolkit.builders.inputs.spec.layout import (
    Choice,
    Item,
    Layout,
    Line,
    Loop,
    Node,
    Scalar,
    Tuple,
    Unfit,
    count_of,
    counts,
    rows_of,
)
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

# At most, that other values of the same sizes and ranges keep a suspected promise: in 419 tasks 7 of
# those that no sentence makes were true then and 6 were not. What graphs are, and that lengths are
# equal, is so often promised that less is enough: 4 were true and none was not.
CHANCE, CHANCE_OF_USUAL = 1 / 1000, 1 / 20
REDRAWN = 200  # times that the values of a case are drawn to find out
LONGEST = 3_000  # characters of an input that is looked at: a longer one would take too long
MOST_CASES = 30

Case = dict[str, Any]
"""The values of a test case: single ones by name, lists by the term of their elements, ``A[i]``."""


class Candidate(NamedTuple):
    """A promise of terms that statements often make, and whether a case keeps it.

    None where the case is too small to tell.
    """

    promise: Promise
    terms: tuple[str, ...]
    holds: Callable[[Case], bool | None]


def invariants(
    layout: Layout, inputs: Sequence[str], stated: Sequence[Reading], words: str
) -> list[Reading]:
    """Return what all inputs keep, no sentence says or denies, and chance does not explain.

    Args:
        layout: Of the inputs.
        inputs: Allowed ones: the samples and given tests.
        stated: What sentences promise.
        words: The text that may deny a promise: ``the values are not necessarily distinct``.
    """
    cases = _cases(layout, inputs)
    known = [promise for reading in stated for promise in reading.promises]
    readings = []
    for candidate in _unsaid(layout, cases, known, words):
        chance = _chance(candidate, cases, _sizes(layout))
        usual = getattr(candidate.promise, "operator", "") == "==" or isinstance(
            candidate.promise, Graph
        )
        if chance <= (CHANCE_OF_USUAL if usual else CHANCE):
            known.append(candidate.promise)
            telling = sum(candidate.holds(case) is not None for case in cases)
            why = f"{telling} known cases keep it, by chance 1 of {1 / chance:.0f}"
            readings.append(Reading(why, (candidate.promise,), "suspected"))
    return readings


def needed(
    layout: Layout,
    inputs: Sequence[str],
    agreed: Sequence[str],
    disputed: Sequence[str],
    stated: Sequence[Reading],
    words: str,
) -> list[Reading]:
    """Return what accepted programs seem to need: known inputs keep it, and all disputed ones break it.

    Args:
        layout: As for `invariants`, and so are inputs, stated and words.
        inputs: Allowed ones.
        agreed: Inputs on which the programs agree.
        disputed: Those on which they disagree or crash.
        stated: What sentences promise.
        words: The text that may deny a promise.
    """
    cases, bad = _cases(layout, inputs), [_cases(layout, [text]) for text in disputed]
    others = [_cases(layout, [text]) for text in (*agreed, *disputed)]
    known = [promise for reading in stated for promise in reading.promises]
    readings = []

    def breaks(candidate: Candidate, drawn: Sequence[Case]) -> bool:
        return any(candidate.holds(case) is False for case in drawn)

    for candidate in _unsaid(layout, cases, known, words) if bad else ():
        if all(breaks(candidate, drawn) for drawn in bad):
            usual = sum(breaks(candidate, drawn) for drawn in others) / len(others)
            if usual ** len(bad) <= CHANCE:
                known.append(candidate.promise)
                why = f"all {len(bad)} inputs on which accepted programs disagree or fail break it"
                readings.append(Reading(why, (candidate.promise,), "suspected"))
    return readings


def _unsaid(
    layout: Layout, cases: Sequence[Case], known: Sequence[Promise], words: str
) -> Iterator[Candidate]:
    """Yield the usual promises that all cases keep and that no sentence makes or denies.

    What is added to `known` meanwhile counts as said.
    """
    for candidate in _candidates(layout, cases, known, words):
        answers = {candidate.holds(case) for case in cases}
        if (
            True in answers
            and False not in answers
            and not follows(candidate.promise, known)
            and not denied(candidate.promise, words)
        ):
            yield candidate


# ------------------------------------------------------------------ values


def _cases(layout: Layout, inputs: Sequence[str]) -> list[Case]:
    """Return the values of the first test cases of inputs."""
    short = (text for text in inputs if len(text) <= LONGEST)
    cases = (case for text in short for case in _cases_of(layout, text))
    return list(itertools.islice(cases, MOST_CASES))


def _cases_of(layout: Layout, text: str) -> list[Case]:
    """Return the values of each test case of an input, none where it is not laid out so."""
    try:
        if layout.style == "json":
            lines = [node for item in layout.body if isinstance(item, Line) for node in item.nodes]
            values = [json.loads(line) for line in text.splitlines() if line.strip()]
            named = {
                getattr(node, "name", ""): value for node, value in zip(lines, values, strict=False)
            }
            return [_flat(named, lengths=True)]
        reader = _Lines(rows_of(text), layout.cases)
        whole = reader.body(layout.body, {})
        return [_flat({**whole, **case}) for case in reader.cases or [{}]]
    except (Unfit, ValueError, IndexError):
        return []


class _Lines:
    """Reads the lines of an input into lists by name, and the test cases apart."""

    def __init__(self, rows: Sequence[str], case_count: str | None) -> None:
        self.rows, self.case_count = iter(rows), case_count
        self.cases: list[dict[str, Any]] = []

    def body(self, items: Sequence[Item], known: Mapping[str, Any]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for item in items:
            inner = {**known, **values}
            if isinstance(item, Loop):
                passes = [
                    self.body(item.body, inner) for _ in range(count_of(item.count, _ints(inner)))
                ]
                if item.count == self.case_count:
                    self.cases = passes
                else:
                    shared = (
                        [name for name in passes[0] if all(name in one for one in passes)]
                        if passes
                        else []
                    )
                    values |= {name: [one[name] for one in passes] for name in shared}
                continue
            words = iter(next(self.rows, "").split())
            nodes: Sequence[Node] = (
                dict(item.kinds)[next(words)] if isinstance(item, Choice) else item.nodes
            )
            for node in nodes:
                self._node(node, words, inner, values)
                inner |= values
        return values

    def _node(
        self, node: Node, words: Iterator[str], known: Mapping[str, Any], values: dict[str, Any]
    ) -> None:
        def read(node: Node) -> Any:
            if isinstance(node, Scalar):
                word = next(words, "")
                return (
                    word
                    if node.kind == "text"
                    else float(word)
                    if node.kind == "real"
                    else int(word)
                )
            if isinstance(node, Tuple):
                return [read(item) for item in node.items]
            return [read(node.item) for _ in range(count_of(node.count, _ints(known)))]

        if isinstance(node, Tuple):
            for item in node.items:
                values[item.name] = read(item)
        else:
            values[node.name] = read(node)


def _ints(values: Mapping[str, Any]) -> dict[str, float]:
    return {name: value for name, value in values.items() if isinstance(value, (int, float))}


def _flat(named: Mapping[str, Any], lengths: bool = False) -> Case:
    """Return lists under the term of their elements, those of rows of one length by column."""
    case: Case = {}
    for name, value in named.items():
        if not isinstance(value, list):
            case[name] = value
        elif value and all(isinstance(row, list) for row in value):
            widths = {len(row) for row in value}
            if len(widths) == 1 and (width := widths.pop()) <= 4:
                case |= {f"{name}[i][{at}]": [row[at] for row in value] for at in range(width)}
        else:
            case[f"{name}[i]"] = value
        if lengths and isinstance(value, (list, str)):
            case[f"len({name})"] = len(value)
    return case


# ------------------------------------------------------------------ what is usual


def _candidates(
    layout: Layout, cases: Sequence[Case], known: Sequence[Promise], words: str
) -> Iterator[Candidate]:
    """Yield the usual promises of the values that every case has, the stronger before those that follow."""
    terms = [term for term in (cases[0] if cases else ()) if all(term in case for case in cases)]
    values = {term: [case[term] for case in cases] for term in terms}
    lists = [term for term in terms if isinstance(values[term][0], list)]
    numbers = [term for term in terms if all(type(value) is int for value in values[term])]
    texts = [term for term in terms if all(isinstance(value, str) for value in values[term])]
    for term in texts:
        yield from _of_text(term)
    ends: set[str] = set()
    for row in _rows(layout, lists):
        edges = list(_of_edges(row, known, "directed" in words.replace("undirected", "")))
        # People write edges in some order, and leaves once.
        ends.update(row[:2] if edges else ())
        yield from edges or _of_rows(row, known)
    lists = [term for term in lists if term not in ends]
    for term in lists:
        yield from _of_list(term)
    for first, second in itertools.combinations(sorted(lists), 2):
        yield Candidate(
            Is(_whole(second), "permutation of", (_whole(first),)),
            (first, second),
            lambda case, first=first, second=second: _telling(
                _sorted(case[first]) == _sorted(case[second]), case[first]
            ),
        )
    lengths = [term for term in numbers if term.startswith("len(")]
    for first, second in itertools.combinations(sorted(lengths), 2):
        yield Candidate(
            Compare(first, "==", second),
            (first, second),
            lambda case, first=first, second=second: bool(case[first] == case[second]),
        )
    singles = [*(set(numbers) - set(lengths) - _sizes(layout)), *texts]
    for single, listed in itertools.product(sorted(singles), lists):
        yield Candidate(
            Is(single, "in", (_whole(listed),)),
            (single, listed),
            lambda case, single=single, listed=listed: case[single] in case[listed],
        )


def _of_text(term: str) -> Iterator[Candidate]:
    yield Candidate(Is(term, "brackets"), (term,), lambda case: _balanced(case[term]))
    yield Candidate(
        Is(term, "palindrome"),
        (term,),
        lambda case: case[term] == case[term][::-1] if len(case[term]) > 1 else None,
    )
    yield Candidate(
        Is(term, "no leading zero"),
        (term,),
        lambda case: case[term] == "0" or case[term][0] != "0" if case[term].isdigit() else None,
    )


def _of_list(term: str) -> Iterator[Candidate]:
    whole = _whole(term)
    for low, high in (("1", f"len({whole})"), ("0", f"len({whole}) - 1")):
        yield Candidate(
            Permutation(whole, low, high),
            (term,),
            lambda case, low=low: _telling(
                _sorted(case[term]) == list(range(int(low), int(low) + len(case[term]))), case[term]
            ),
        )
    for strict, descending in itertools.product((True, False), (False, True)):
        yield Candidate(
            Sorted(whole, descending, strict),
            (term,),
            lambda case, strict=strict, descending=descending: _telling(
                case[term] == _sorted(set(case[term]) if strict else case[term], descending),
                case[term],
            ),
        )
    yield Candidate(
        Distinct((term,)), (term,), lambda case: _telling(_distinct(case[term]), case[term])
    )


def _of_rows(row: Sequence[str], known: Sequence[Promise]) -> Iterator[Candidate]:
    """Yield what two columns of rows usually are: a start and an end, if they have the same bounds."""
    for first, second in itertools.permutations(row, 2):
        for operator, test in (("<", int.__lt__), ("<=", int.__le__)):
            if _most(first, known) == _most(second, known):
                yield Candidate(
                    Compare(first, operator, second),
                    (first, second),
                    lambda case, first=first, second=second, test=test: (
                        all(
                            type(a) is type(b) is int and test(a, b)
                            for a, b in zip(case[first], case[second], strict=False)
                        )
                        if case[first]
                        else None
                    ),
                )
    yield Candidate(
        Distinct(tuple(row)),
        tuple(row),
        lambda case: _telling(
            _distinct(list(zip(*(case[term] for term in row), strict=True))), case[row[0]]
        ),
    )


def _of_edges(row: Sequence[str], known: Sequence[Promise], directed: bool) -> Iterator[Candidate]:
    """Yield what graphs usually are, of rows whose first two values number the same nodes."""
    lows = [one.left for one in known if isinstance(one, Compare) and one.right == row[0]]
    shared = sorted(_most(row[0], known) & _most(row[1], known))
    shared = [bound for bound in shared if re.search("[a-zA-Z]", bound[1])]
    base = next((int(low) for low in lows if low in ("0", "1")), None)
    if base is None or not shared:
        return
    operator, most = shared[0]
    term = row[0].partition("[")[0] if "][" in row[0] else ""
    for kind in ("tree", "acyclic", "connected", "bipartite", "loopless", "no multi-edges"):
        apart = any(
            isinstance(one, Compare) and {one.left, one.right} == set(row[:2]) for one in known
        )
        if (kind == "tree" and directed) or (kind == "loopless" and apart):
            continue

        def holds(case: Case, kind: str = kind) -> bool | None:
            count = _count(most, case) - base + (operator == "<=")
            if not 0 <= count <= LONGEST:
                return None
            edges = [(a - base, b - base) for a, b in zip(case[row[0]], case[row[1]], strict=True)]
            return _telling(_is_graph(kind, count, edges, directed), edges)

        yield Candidate(Graph((kind,), term), tuple(row[:2]), holds)


def _most(term: str, known: Sequence[Promise]) -> set[tuple[str, str]]:
    """Return the upper bounds of a term, each with its operator."""
    return {
        (one.operator, one.right)
        for one in known
        if isinstance(one, Compare) and one.left == term and one.operator in ("<", "<=")
    }


def _telling(holds: bool, values: Sequence[Any], least: int = 2) -> bool | None:
    """Return whether a list keeps a promise; None where that says nothing.

    People write few values, and 1, 2, 3, 4, for a list of any kind.
    """
    steps = {type(a) is type(b) is int and b - a for a, b in itertools.pairwise(values)}
    lazy = holds and len(steps) == 1 and steps <= {1, 2}
    return None if lazy or len(values) < least else holds


def _rows(layout: Layout, lists: Sequence[str]) -> list[list[str]]:
    """Return the terms of the columns of each list of rows."""
    rows: dict[str, list[str]] = {}
    for term in lists:
        if "][" in term:
            rows.setdefault(term.partition("[")[0], []).append(term)

    def within(items: Sequence[Item]) -> None:
        for number, item in enumerate(items):
            if isinstance(item, Loop):
                names = [
                    f"{node.name}[i]"
                    for line in item.body
                    if isinstance(line, Line)
                    for node in line.nodes
                    if isinstance(node, Scalar)
                ]
                rows[f"{number} {item.count} {names}"] = [name for name in names if name in lists]
                within(item.body)

    within(layout.body)
    return [row for row in rows.values() if len(row) > 1]


def _sizes(layout: Layout) -> set[str]:
    """Return the numbers that say how many others there are."""
    return {name for count in counts(layout.body) for name in re.findall(r"[A-Za-z_]\w*", count)}


def _whole(term: str) -> str:
    return term.removesuffix("[i]")


def _sorted(values: Any, descending: bool = False) -> list[Any]:
    try:
        return sorted(values, reverse=descending)
    except TypeError:  # values of several kinds have no order
        return []


def _distinct(values: Sequence[Any]) -> bool:
    return len(set(map(repr, values))) == len(values)


def _balanced(text: str) -> bool:
    pairs = {")": "(", "]": "[", "}": "{"}
    open_brackets: list[str] = []
    for letter in text:
        if letter in pairs.values():
            open_brackets.append(letter)
        elif letter not in pairs or not open_brackets or open_brackets.pop() != pairs[letter]:
            return False
    return bool(text) and not open_brackets


def _is_graph(kind: str, count: int, edges: Sequence[tuple[int, int]], directed: bool) -> bool:
    if any(not 0 <= end < count for edge in edges for end in edge):
        return False
    if kind == "loopless":
        return all(a != b for a, b in edges)
    if kind == "no multi-edges":
        return _distinct(edges if directed else [(min(edge), max(edge)) for edge in edges])
    # Each node has its tree and its side, which is how often the path to the root changes sides.
    parents, sides = list(range(count)), [0] * count

    def root(node: int) -> tuple[int, int]:
        side = 0
        while parents[node] != node:
            node, side = parents[node], side ^ sides[node]
        return node, side

    joined, odd = 0, False
    for a, b in edges:
        (top, side), (other, other_side) = root(a), root(b)
        if top == other:
            odd |= side == other_side
        else:
            parents[top], sides[top] = other, side ^ other_side ^ 1
            joined += 1
    if kind == "acyclic":
        return _no_way_back(count, edges) if directed else joined == len(edges)
    return {
        "bipartite": not odd,
        "connected": joined == count - 1,
        "tree": joined == count - 1 == len(edges),
    }[kind]


def _count(expression: str, case: Case) -> int:
    """Return the value of a bound; -1 where a case does not have it."""
    spelt = re.sub(r"len\(\w+\)", lambda length: str(case.get(length[0], "?")), expression)
    try:
        return count_of(spelt, _ints(case))
    except (Unfit, ValueError, SyntaxError):
        return -1


def _no_way_back(count: int, edges: Sequence[tuple[int, int]]) -> bool:
    """Whether directed edges have no cycle: nodes that nothing leads to go until none is left."""
    leads = [0] * count
    for _, end in edges:
        leads[end] += 1
    free = [node for node in range(count) if not leads[node]]
    for node in free:
        for start, end in edges:
            if start == node:
                leads[end] -= 1
                if not leads[end]:
                    free.append(end)
    return len(free) == count


# ------------------------------------------------------------------ chance


def _chance(candidate: Candidate, cases: Sequence[Case], sizes: set[str]) -> float:
    """Return how likely other values of the same sizes and ranges keep a promise in every case."""
    draw = random.Random(0)
    pools: dict[str, set[Any]] = {}
    for case in cases:
        for term in candidate.terms:
            values = case[term] if isinstance(case[term], (list, str)) else [case[term]]
            pools.setdefault(term, set()).update(values)
    chance = 1.0
    for case in cases:
        if candidate.holds(case) is not None and chance > CHANCE**2:
            redrawn = (case | _redrawn(candidate, case, pools, sizes, draw) for _ in range(REDRAWN))
            chance *= (sum(map(bool, map(candidate.holds, redrawn))) + 1) / (REDRAWN + 1)
    return chance


def _redrawn(
    candidate: Candidate,
    case: Case,
    pools: Mapping[str, set[Any]],
    sizes: set[str],
    draw: random.Random,
) -> Case:
    """Return other values of the terms of a candidate: for an order of two, the same ones swapped."""

    def other(term: str) -> Any:
        value = case[term]
        if isinstance(value, list) and all(type(one) is int for one in value):
            low, high = min(value, default=0), max(value, default=0)
            return [draw.randint(low, high) for _ in value]
        if isinstance(value, list):
            letters = sorted({letter for one in value if isinstance(one, str) for letter in one})
            return [
                "".join(draw.choices(letters, k=len(one))) if isinstance(one, str) else one
                for one in value
            ]
        if isinstance(value, str):
            return "".join(draw.choices(sorted(pools[term]), k=len(value)))
        low, high = min(pools[term]), max(pools[term])
        return value if term in sizes else draw.randint(low, high)

    if not isinstance(candidate.promise, Compare) or candidate.promise.operator == "==":
        return {term: other(term) for term in candidate.terms}
    rows = zip(*(case[term] for term in candidate.terms), strict=True)
    pairs = [draw.sample(row, 2) for row in rows]
    return {term: [pair[at] for pair in pairs] for at, term in enumerate(candidate.terms)}


# ------------------------------------------------------------------ words

SUBJECTS: tuple[tuple[type[Promise], str], ...] = (
    (Sorted, r"sorted|order|ascending|descending|increasing|decreasing|monoton"),
    (
        Permutation,
        r"permutation|distinct|duplicat|unique|same|repeat|equal|identical|more than once",
    ),
    (Distinct, r"distinct|duplicat|unique|same|repeat|equal|identical|more than once"),
    (
        Graph,
        r"connected|reachable|multi-?\s?edge|multiple edge|self-?\s?loop|cycle|acyclic|bipartite",
    ),
    (Is, r"valid|balanced|palindrom|leading zero"),
)
"""The words by which sentences speak of a kind of promise."""
NOT_PROMISED = re.compile(
    r"not necessarily|need not|do(?:es)? not (?:have|need) to|possibly"
    r"|(?:may|might|can|could)(?! (?:safely )?(?:assume|be assumed))"
    r"|not guaranteed|any order|arbitrary",
    re.IGNORECASE,
)


def denied(promise: Promise, words: str) -> bool:
    """Whether a sentence says that a promise of this kind is not made."""
    subjects = [words_of_it for kind, words_of_it in SUBJECTS if isinstance(promise, kind)]
    return any(
        NOT_PROMISED.search(sentence) and re.search(subject, sentence, re.IGNORECASE)
        for sentence in re.split(r"(?<=[.!?])\s+|\n", words)
        for subject in subjects
    )


IMPLIED = {
    "tree": ("acyclic", "connected", "bipartite", "loopless", "no multi-edges"),
    "acyclic": ("loopless", "no multi-edges"),
    "bipartite": ("loopless",),
    "simple": ("loopless", "no multi-edges"),
    "distinct": ("no multi-edges",),
}
NEIGHBOURS = re.compile(r"(\w+)\[i( [-+] 1)?\] (!=|[<>]=?) \1\[(?:i [-+] 1|j|i)\]")


def follows(promise: Promise, known: Sequence[Promise]) -> bool:
    """Whether a promise says nothing beyond what is known, or a known one says less than it on purpose."""
    if isinstance(promise, Compare):
        return _reaches(promise, known)
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
    """Return the lists that a promise speaks of."""
    terms = promise.terms if isinstance(promise, Distinct) else (getattr(promise, "term", ""),)
    return {_whole(term) for term in terms}


def _reaches(promise: Compare, known: Sequence[Promise]) -> bool:
    """Whether comparisons lead from the left side to the right one: ``L <= R`` and ``R <= N``."""
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
