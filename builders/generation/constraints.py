"""The grammar of constraint sentences: ``S is a string of length N consisting of 0 and 1`` becomes promises.

A sentence is read from its first word to its last: it is either understood as a whole, or not at all. What its words
mean is written down in the tables of this module; terms and comparisons are read by `terms`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from venus_toolkit.builders.generation.terms import (
    DIGITS,
    LOWER,
    PRINTABLE,
    UPPER,
    Compare,
    Cursor,
    Distinct,
    Graph,
    Is,
    Letters,
    Names,
    NotUnderstood,
    OneOf,
    Permutation,
    Promise,
    Sorted,
    Total,
    chain,
    comparisons,
    expression,
    matrices,
    sized,
)

# ``105`` for ``10^5``: a superscript that was copied as plain text.
LOST_POWER = re.compile(r"(?<![\w.^*])(-?)10([3-9]|1[0-8])(?![\w.])")
LONGEST_SENTENCE = 600  # characters; statements are anybody's text
MOST_SENTENCES = 200
MOST_COMPARED = 60  # tokens from the start of a chain to its first sign

# What is said besides: it changes nothing, or is spelt in one way here. Possessive and bounded, all of them.
SPELLINGS = (
    ("≦", "<="),
    (r"\\?color\{\w{1,20}\}\{((?:[^{}]|\{[^{}]{0,40}\}){1,200})\}", r"\1"),
    (r"\^\{\s*\}", ""),
    (r"(?<=\w) _ ?(?=[\w{])", "_"),
    (r"(?<=[a-z0-9}])(<=|>=|!=|<|>)", r" \1"),
    (r"\(\s*([i-l])\s*=\s*(\w)\s*(?:,\s*\w\s*){0,8},\s*(\w)\s*\)", r"(\2 <= \1 <= \3)"),
    ("≧", ">="),
    (r"\\(?:ldots|dots|cdots)(?![a-z])", "..."),
    (r"\\[dt]?frac\{([^{}]{1,60})\}\{([^{}]{1,60})\}", r"((\1) // (\2))"),
    (r"\\(?:lbrace|\{)", "{"),
    (r"\\(?:rbrace|\})", "}"),
    (r"\\in(?![a-z])", " in "),
    (r"\\b?mod(?![a-z])", " mod "),
    (r"\\(?:ll?floor|rfloor|lceil|rceil|[bB]igg?[lr]?|displaystyle|[ ,;!:])", " "),
    (r"\\([a-z]+)", r"\1"),
    (r"[\u200b\ufeff]", ""),
    (r",? ?\(?(?:both |all )?inclusive(?:ly)?\)?(?=[\s,.;)]|$)", ""),
    (r"[,(]? ?(?:where|here),? [^,.;()]{1,20} (?:denotes?|is|represents?|means?) (?:the )?(?:length|"
    r"size|number|absolute)[^().;]{0,60}\)?", ""),
    (r"\([^()]{1,20} (?:denotes?|is|represents?) (?:the )?(?:length|size|number|absolute)[^()]{0,60}\)", ""),
    (r"\((?:a|A)\s*-\s*(?:z|Z)\)", ""),
    (r"\(\d\d:\d\d,[^()]{0,80}\)", ""),
    (r"\b([i-l])\s*=\s*([\w+-]{1,8})\s*,\s*(?:\w{1,8}\s*,\s*)?\.\.\.\s*,\s*([\w+ -]{1,12})", r"\2 <= \1 <= \3"),
    (r"\b(?:sum|Σ|∑)_?\{?\s*[i-l]'?\s*=\s*[01]\s*\}?\s*\^\s*(?:\{[\w -]{1,10}\}|\w)", "sum of "),
    (
        r"\|([A-Za-z])_\{?1\}?\|\s*\+\s*(?:\|\1_\{?2\}?\|\s*\+\s*)?\.\.\.\s*\+\s*\|\1_\{?\w\}?\|",
        r"sum of |\1_i|",
    ),
)  # fmt: skip
LEADS = re.compile(
    r"^(?:for (?:all|each|every) [i-l],? it is guaranteed that|these|"
    r"it is (?:also )?guaranteed(?: that)?|it's guaranteed that|(?:the )?(?:input|inputs|"
    r"testcases?|test cases?|tests?) "
    r"(?:is|are) generated (?:such that|in a way that|so that)|also|note that|moreover|additionally|"
    r"furthermore|and|you may assume that|"
    r"in addition|here|that is|in other words|the following (?:holds|conditions? (?:is|are) satisfied):?)[,:]?\s+",
    re.IGNORECASE,
)
# What stands among constraints and is none.
NO_CONSTRAINT = re.compile(
    r"follow[- ]?up|note: this (?:question|problem)|(?:can|could) you |answers within|your solution will be tested|"
    r"each (?:test )?group|to get (?:the )?points|(?:sub)?(?:task|group)s? ",
    re.IGNORECASE,
)
NO_PROMISE = re.compile(
    r"not necessarily|\bmay (?:not )?(?:be|contain|have|appear|occur)\b|is not guaranteed", re.IGNORECASE
)
SERIES = re.compile(
    r"[({]?\s*(?P<base>[A-Za-z][A-Za-z0-9]{0,15})_\{?(?P<first>[01])\}?\s*(?P<by>,|<=|<|>=|>|\+|!=)\s*"
    r"(?:(?P=base)_\{?[12]\}?\s*(?P=by)\s*)?(?:(?P=base)_\{?[23]\}?\s*(?P=by)\s*)?\.\.\.?\.?\s*(?P=by)\s*(?P=base)_(?P<last>\{[^{}]{1,12}\}|\w)\s*[)}]?"
)
NUMBERS = re.compile(
    r"[({\[]?\s*(?P<low>[01])\s*,\s*(?:[12]\s*,\s*)?(?:[23]\s*,\s*)?\.\.\.\s*,\s*\{?(?P<high>[\w]{1,4}(?:\s*[-+]\s*1)?)\}?\s*[)}\]]?"
)
QUANTIFIER = re.compile(
    r"[,(]?\s*\b(?:for|where|when|whenever|if|such that|"
    r"with)\s+(?P<what>[^()]{1,80}(?:\([^()]{1,60}\))?)\)?$|\((?P<bare>[^()]{1,60})\)$",
    re.IGNORECASE,
)
LEADING_QUANTIFIER = re.compile(
    r"^(?:for|when|if|whenever)\s+(?P<what>[^,]{1,60}(?:\([^()]{1,60}\))?),\s*", re.IGNORECASE
)
QUANTITIES = (
    "all", "every", "each", "any", "integer", "integers", "index", "indices", "valid", "possible", "pair", "pairs",
    "of", "such", "that", "satisfying", "with", "and", "distinct", "different", "the", "where", "from",
)  # fmt: skip
NOUNS = (
    "values", "value", "elements", "element", "integers", "numbers", "strings", "words", "entries", "entry", "items",
    "integer values", "input values", "input numbers", "given numbers", "given values", "inputs", "string", "number",
    "array", "list", "sequence", "word", "arrays", "integer", "given strings", "given integers", "binary string",
)  # fmt: skip
CHARACTERS = ("characters", "character", "letters", "letter", "digits", "digit")
ROWS = (
    "pairs",
    "pair",
    "points",
    "triples",
    "tuples",
    "edges",
    "given points",
    "rows",
    "queries",
    "intervals",
    "coordinates",
)
WHOLE_INPUT = ("input", "inputs", "the input", "the inputs", "an input", "each input", "standard input")
GRAPHS = (
    "graph", "given graph", "input graph", "undirected graph", "edges", "given edges", "given tree", "tree",
    "input tree", "given undirected graph",
)  # fmt: skip
DISTINCT = (
    "distinct",
    "different",
    "unique",
    "different from each other",
    "distinct from each other",
    "different from one another",
)
AMOUNTS = {
    "at least": ">=", "no less than": ">=", "not less than": ">=", "greater than or equal to": ">=", "at most": "<=",
    "no more than": "<=", "not more than": "<=", "less than or equal to": "<=", "not greater than": "<=",
    "not exceeding": "<=", "no greater than": "<=", "less than": "<", "smaller than": "<",
    "strictly less than": "<", "greater than": ">",
    "more than": ">", "larger than": ">", "strictly greater than": ">", "not equal to": "!=", "different from": "!=",
    "equal to": "==", "up to": "<=",
}  # fmt: skip
ORDERS = {
    "ascending": (False, False), "increasing": (False, False), "non-decreasing": (False, False),
    "strictly increasing": (False, True), "strictly ascending": (False, True), "descending": (True, False),
    "decreasing": (True, False), "non-increasing": (True, False), "strictly decreasing": (True, True),
    "strictly descending": (True, True),
}  # fmt: skip
NUMBER_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "ten": "10"}


class Subject(NamedTuple):
    """What a sentence is about. form: values, lists, letters, rows, sum, total, graph or input."""

    form: str
    terms: tuple[str, ...] = ()


# ------------------------------------------------------------------ sentences


def sentences(text: str) -> list[str]:
    """Return the sentences of a section; an item of a list is one or several."""
    found: list[str] = []
    # A long line that goes on with a small letter was only broken there.
    for line in re.split(r"\n\s*\n|(?<![^\n]{60})\n|\n(?![ \t]*[a-z]{2})", text):
        # A full stop that is followed by a capital ends a sentence; ``0, 1 and .`` has one that does not.
        parts = re.split(r"(?<=[\w)}\]|$'\"])\.\s+(?=[A-Z])", re.sub(r"^(?:[*•]|-(?! *\d))[ \t]+", "", line.strip()))
        found += [re.sub(r"\s+", " ", part).strip() for part in parts if part.strip(" .")]
    return [one for one in found if not NO_CONSTRAINT.match(one)][:MOST_SENTENCES]


def restore_powers(text: str) -> str:
    """Return `text` with ``105`` as ``10^5``: how a power reads once its superscript is lost."""
    return LOST_POWER.sub(r"\g<1>10^\2", text)


def read(sentence: str, names: Names) -> list[Promise] | None:
    """Return all that a sentence promises; None where some of it is not understood."""
    if len(sentence) > LONGEST_SENTENCE:
        return None
    text = sentence
    for pattern, spelling in SPELLINGS:
        text = re.sub(pattern, spelling, text)
    # ``# or ..`` ends with a letter and a full stop.
    text = re.sub(r"(?<=[^\s,])[.;,]$", "", text.strip()).strip()
    while lead := LEADS.match(text):
        text = text[lead.end() :]
    if NO_PROMISE.search(text) and not re.search("<|>|=", text):
        return []
    try:
        return list(dict.fromkeys(_promises(text, names)))
    except (NotUnderstood, RecursionError):
        return None


def _promises(text: str, names: Names) -> list[Promise]:
    text, orders = _series(text, names)
    conditions: list[str] = []
    if leading := LEADING_QUANTIFIER.match(text):
        conditions = _quantifier(leading["what"], names)
        text = text[leading.end() :].removeprefix("then ")
    for _ in range(2):
        # Letters may be written in brackets too, so that what is no quantifier stays where it is.
        trailing = QUANTIFIER.search(text)
        if trailing is None:
            break
        try:
            conditions += _quantifier(trailing["what"] or trailing["bare"], names)
        except NotUnderstood:
            break
        text = text[: trailing.start()].rstrip(" ,")
    cursor = Cursor(text, names)
    found = cursor.attempt(_compared)
    if found is None:
        found = cursor.attempt(_there_is)
    if found is None:
        found = _said(cursor)
    return [*orders, *(_conditioned(promise, conditions, names) for promise in found)]


def _series(text: str, names: Names) -> tuple[str, list[Promise]]:
    """Return the text with ``A_1, A_2, ..., A_N`` as ``A_{*}``; and what ``A_1 < A_2 < ... < A_N`` says."""
    orders: list[Promise] = []

    def short(match: re.Match[str]) -> str:
        base, by = match["base"], match["by"]
        if by == "+":
            return f"sum of {base} "
        if by in ("<", "<=", ">", ">="):
            term = names.find(base, ())
            if term is None:
                raise NotUnderstood(base)
            orders.append(Sorted(term, by[0] == ">", len(by) == 1))
            # A bound at either end holds for each value; what an end is equal to does not.
            first = f"{base}_{match['first']} ; " if re.search(r"(?<![<>!])=\s*$", text[: match.start()]) else ""
            last = f" ; {base}_{match['last']}" if re.match(r"\s*=", text[match.end() :]) else ""
            return f"{first}{base}_{{i}}{last}"
        return f"{base}_{{*}} "

    text = SERIES.sub(short, text)
    return NUMBERS.sub(lambda match: f" {match['low']} to {match['high']} ", text).strip(), orders


def _quantifier(text: str, names: Names) -> list[str]:
    """Return the conditions on indices: ``all 1 <= i < N`` has two, ``every i`` has none."""
    cursor = Cursor(text.strip(" ,"), names)
    while cursor.word(*QUANTITIES):
        pass
    found: list[str] = []
    while not cursor.done:
        compared = cursor.attempt(chain)
        if compared:
            for one in compared:
                if not set(names.indices) & set(re.findall(r"\b[a-z]\b", f"{one.left} {one.right}")):
                    raise NotUnderstood("a condition on values")
                found.append(f"{one.left} {one.operator} {one.right}")
        elif cursor.peek().text in (*names.indices,):
            index = cursor.peek().text
            cursor.at += 1
            span = cursor.attempt(_span)
            found += [f"{span[0]} <= {index}", f"{index} <= {span[1]}"] if span else []
        elif not cursor.word(*QUANTITIES, ",", "(", ")"):
            raise NotUnderstood("no quantifier")
    return found


def _conditioned(promise: Promise, conditions: Sequence[str], names: Names) -> Promise:
    """Return a promise for those places only where the conditions hold."""
    if not isinstance(promise, Compare):
        return promise
    bases = set(re.findall(r"[A-Za-z_]\w*", f"{promise.left} {promise.right}")) & set(names.places)
    # That there is such a place is no condition: ``1 <= i``, ``i <= N`` where N is the length of the list.
    ends = {f"i <= {count}" for name in bases for count in names.places[name].counts} | {"1 <= i", "0 <= i", "i != j"}
    if names.style == "json":
        ends |= {f"i < {count}" for name in bases for count in (f"len({name})", "n")}
    some = [one for one in conditions if re.sub(r"\b[j-l]\b", "i", one) not in ends and one not in ends]
    return replace(promise, conditions=tuple(some))


def _compared(cursor: Cursor) -> list[Promise]:
    """Read a sentence that is all comparisons."""
    tuples = cursor.attempt(_tuples_differ)
    if tuples:
        return tuples
    found = comparisons(cursor)
    if cursor.word("or"):
        return _either(cursor, found)
    promises = [promise for one in found for promise in _expanded(one, cursor.names)]
    if cursor.word("are integers|is an integer|and are integers|are all integers") or cursor.done:
        return promises
    cursor.need(", and|,|and|;")
    return promises + _said(cursor)


def _either(cursor: Cursor, found: list[Compare]) -> list[Promise]:
    """Read what follows ``C_i = 0 or``, and ``x_i != x_j or``."""
    first = found[-1]
    others = [first, *(comparisons(cursor) if cursor.peek(1).kind == "compare" else [])]
    while len(others) == 1 and not cursor.done:
        others += [Compare(first.left, "==", expression(cursor))]
        cursor.word(", or|or|,")
    signs = {one.operator for one in others}
    if len(found) > 1 or not cursor.done or len(others) < 2:
        raise NotUnderstood(cursor.rest)
    if signs == {"=="} and {one.left for one in others} == {first.left}:
        return [_choice(first.left, [one.right for one in others], cursor.names)]
    differ = [_expanded(one, cursor.names)[0] for one in others]
    if signs == {"!="} and all(isinstance(one, Distinct) for one in differ):
        return [Distinct(tuple(one.terms[0] for one in differ if isinstance(one, Distinct)))]
    raise NotUnderstood("alternatives")


def _expanded(one: Compare, names: Names) -> list[Promise]:
    """Return a comparison with what differs in two places as `Distinct`: ``A[i] != A[j]``."""
    one = replace(one, left=one.left.replace("[*]", "[i]"), right=one.right.replace("[*]", "[i]"))
    if not set(re.findall(r"[A-Za-z_]\w*", f"{one.left} {one.right}")) & set(names.places):
        raise NotUnderstood("a comparison of no values")
    literal = re.fullmatch(r"-?\w", one.right)
    if names.kind(one.left) in ("text", "letter") and literal and one.right not in names.places:
        if one.operator != "==":
            raise NotUnderstood("a letter is compared")
        return [OneOf(_text(one.left), (one.right,))]
    if one.operator == "!=" and re.sub(r"\bj\b", "i", one.right) == one.left and "[i]" in one.left:
        return [Distinct((one.left,))]
    return [one]


def _tuples_differ(cursor: Cursor) -> list[Promise]:
    """Read ``(X_i, Y_i) != (X_j, Y_j)``, which is said of any two rows, or ``(x_i, y_i) != (1, 1)``."""
    found: list[Promise] = []
    while True:
        left = _tuple(cursor)
        cursor.need("!=")
        right = _tuple(cursor)
        unindexed, other = [[re.sub(r"\[[ij]\]", "", term) for term in side] for side in (left, right)]
        if len(left) != len(right):
            raise NotUnderstood(cursor.rest)
        if sorted(unindexed) == sorted(other) and left != right:
            found.append(Distinct(tuple(re.sub(r"\bj\b", "i", term) for term in left), unindexed != other))
        else:
            found.append(Is(left[0], "not all equal", (*left[1:], *right)))
        if cursor.done:
            return found
        cursor.need("and|, and|,")


def _tuple(cursor: Cursor) -> list[str]:
    bracket = cursor.need("(|{|[")
    found = [expression(cursor)]
    while cursor.word(","):
        found.append(expression(cursor))
    cursor.need({"(": ")", "{": "}", "[": "]"}[bracket])
    if len(found) < 2:
        raise NotUnderstood("no tuple")
    return found


# ------------------------------------------------------------------ sentences without a subject


def _there_is(cursor: Cursor) -> list[Promise]:
    """Read ``there are no self-loops`` and its like."""
    cursor.word("there are|there is|the given graph|the graph|the edges|edges")
    cursor.word("contains|contain|has|have|does not have any|does not contain|do not contain", "does not have")
    kinds = list[str]()
    while True:
        cursor.word("no|not|any|neither|without")
        found = cursor.need(
            "self-loops|self loops|self-loop|self loop|loops|multiple edges|"
            "multi-edges", "multi-edge|duplicate edges|repeated edges|multiedges|parallel edges|"
            "multi edges", "duplicated edges|repeated connections")  # fmt: skip
        kinds.append("loopless" if "loop" in found else "no multi-edges")
        if not cursor.word("or|and|nor|,|, and|and no"):
            break
    cursor.word("in the graph")
    if not cursor.done:
        raise NotUnderstood(cursor.rest)
    return [Graph(tuple(kinds))]


# ------------------------------------------------------------------ subject and predicate


def _said(cursor: Cursor) -> list[Promise]:
    subject = _subject(cursor)
    found: list[Promise] = []
    while not cursor.done:
        found += _predicate(cursor, subject)
        cursor.word(", and|and|,|but|. It|; it")
    return found


def _subject(cursor: Cursor) -> Subject:
    total = cursor.attempt(_total)
    if total:
        return total
    while cursor.word("all|each|every|both|each of|all of|both of|the|any|all the"):
        pass
    if cursor.peek().text.lower() in ("a", "an") and cursor.peek(1).text in cursor.names.places:
        cursor.at += 1
    if cursor.word("length of|lengths of|size of"):
        return Subject("values", tuple(f"len({term})" for term in _terms(cursor)))
    if cursor.word("sum of all|sum of"):
        cursor.word("the elements of|the elements in|elements of|values of|all values in|the")
        return Subject("values", tuple(f"sum({_list(term)})" for term in _terms(cursor)))
    if cursor.word(*ROWS):
        row = cursor.attempt(_tuple) or cursor.attempt(lambda c: [_of(c)])
        return Subject("rows", tuple(row or ()))
    if row := cursor.attempt(_called_tuple):
        return Subject("rows", tuple(row))
    before = cursor.at
    if cursor.word(*GRAPHS):
        if cursor.peek().text.lower() in (
            "is",
            "are",
            "form",
            "forms",
            "represents",
            "represent",
            "has",
            "have",
            "does",
            "contains",
        ):
            return Subject("graph")
        cursor.at = before
    return _values(cursor)


def _called_tuple(cursor: Cursor) -> list[str]:
    """Read a tuple, and before it the words that say what its rows are."""
    for _ in range(6):
        if cursor.peek().text == "(":
            break
        if not re.fullmatch(r"[a-z]{2,15}", cursor.peek().text):
            raise NotUnderstood("no tuple")
        cursor.at += 1
    return _tuple(cursor)


def _of(cursor: Cursor) -> str:
    cursor.need("of|in")
    return expression(cursor)


def _values(cursor: Cursor) -> Subject:
    """Read ``A and B``, ``values of A``, ``characters in S``, ``input values``."""
    # A value may be called ``word`` or ``array`` too.
    named = cursor.peek().text in cursor.names.places and cursor.peek(1).text not in ("of", "in")
    noun = None if named else cursor.word(*NOUNS, *CHARACTERS)
    form = "letters" if noun in CHARACTERS else "lists" if noun else "values"
    cursor.word("given")
    if noun and cursor.word("of|in|from|within"):
        if cursor.word(*WHOLE_INPUT):
            return Subject("input")
        while cursor.word("the|array|string|list|sequence|arrays|strings|each|each of"):
            pass
    if noun and cursor.peek().text.lower() in (
        "is",
        "are",
        "have",
        "has",
        "consist",
        "consists",
        "contain",
        "contains",
    ):
        return Subject(
            "input", _only(cursor.names, "text" if noun in ("strings", "words", "string", "word") else "int")
        )
    terms = tuple(_terms(cursor))
    return Subject(form, terms)


def _only(names: Names, kind: str) -> tuple[str, ...]:
    """Return the only list of a kind."""
    found = [name for name, place in names.places.items() if place.kind == kind and place.depth]
    return tuple(found) if len(found) == 1 else ()


def _terms(cursor: Cursor) -> list[str]:
    found = [expression(cursor)]
    while cursor.peek().text in (",", "and") and (more := cursor.attempt(_next_term)) is not None:
        found.append(more)
    return found


def _next_term(cursor: Cursor) -> str:
    cursor.need(", and|,|and")
    cursor.word("each|all|the")
    return expression(cursor)


def _total(cursor: Cursor) -> Subject:
    """Read ``the sum of N over all test cases``, wherever the cases are named."""
    over = ("over", "across", "in", "for", "among", "of", "through")
    cases = (
        "test cases", "test case", "testcases", "one input file", "a single input", "one input", "cases",
        "the test cases", "all test cases", "each input file", "a single input file", "input", "the input",
        "each input", "one test",
        "all the test cases", "the test cases in a single input", "all test cases in a single input",
        "all test cases in one input file",
        "a single test", "the test cases in one input file", "all the test cases in a single input", "an input file",
    )  # fmt: skip
    before = cursor.word(
        "in one input file ,|in each input file ,|for each input ,|in a single input ,", "across all test cases ,"
    )
    cursor.word("the")
    cursor.word("total")
    cursor.need("sum of|total of")
    cursor.word("all")
    cursor.word("the")
    cursor.word("values of")
    cursor.word("lengths of|length of")
    terms = [sized(cursor.names, term) if cursor.names.kind(term) == "text" else term for term in _terms(cursor)]
    for _ in range(3):
        if cursor.word(*over):
            cursor.word("all|the")
            cursor.need(*cases)
            before = "read"
    if not before:
        raise NotUnderstood("no total")
    return Subject("total", tuple(terms))


def _predicate(cursor: Cursor, subject: Subject) -> list[Promise]:
    before = cursor.at
    if cursor.word("do not exceed|does not exceed|doesn't exceed|will not exceed|won't exceed"):
        return _bounded(subject, "<=", expression(cursor))
    if written := _written(cursor, subject):
        return written
    if cursor.word("contains no|contain no|does not contain|do not contain|doesn't contain"):
        cursor.word("any")
        cursor.need("duplicates|duplicate elements|duplicate integers|duplicate values", "repeated elements")
        return _distinct(cursor, subject)
    if verb := cursor.word(
        "consist of|consists of|consist only of|consists only of|only consists of",
        "only consist of|only contains|only contain|contains only|contain only|contains",
        "contain",
    ):
        if cursor.word("only") is None and cursor.word("distinct|unique|pairwise distinct"):
            cursor.need("integers|elements|values|strings|characters|numbers|words")
            return _distinct(cursor, subject)
        letters = _counted(cursor, subject) + _lettered(cursor, subject)
        # What a text contains it may contain beside other letters.
        if verb in ("contains", "contain") and cursor.tokens[cursor.at - 1].text != "only":
            cursor.at = before
            raise NotUnderstood(cursor.rest)
        return letters
    if cursor.word("has|have"):
        return _has(cursor, subject)
    if cursor.word("represents|represent|form|forms"):
        cursor.word("a|an")
        cursor.word("valid")
        return _graph(cursor, subject)
    if subject.form == "total" and cursor.peek().kind == "compare":
        sign = cursor.peek().text
        cursor.at += 1
        return _bounded(subject, "==" if sign == "=" else sign, expression(cursor))
    if cursor.peek().text == "sorted":
        return _ordered(cursor, subject)
    if cursor.peek().text == "in" and cursor.peek(1).text == "{":
        return _chosen(cursor, subject)
    if cursor.word("appears in|exists in|is in|are in"):
        where = expression(cursor)
        return [Is(term, "in", (where,)) for term in subject.terms]
    cursor.need("is|are|will be|must be|should be|be|is guaranteed to be|are guaranteed to be")
    return _complement(cursor, subject)


def _written(cursor: Cursor, subject: Subject) -> list[Promise]:
    """Read how a text is written: without leading zeros, with single spaces."""
    before = cursor.at
    terms = [term for term in subject.terms if cursor.names.kind(term) == "text"]
    cursor.word("does not|do not|don't|doesn't|are|is|has|have|will not")
    cursor.word("have|contain|given|start with|begin with")
    cursor.word("any|no|without|a")
    if terms and cursor.word("leading zeros|leading zero|leading zeroes|leading 0"):
        return [Is(term, "no leading zero") for term in terms]
    if terms and cursor.word("leading or trailing spaces|leading spaces or trailing spaces"):
        return [Is(term, "trimmed") for term in terms]
    if terms and cursor.word("separated by a single space|separated by single spaces|separated by single space"):
        return [Is(term, "single spaces") for term in terms]
    cursor.at = before
    return []


def _counted(cursor: Cursor, subject: Subject) -> list[Promise]:
    """Read ``consists of 1 to 12 lowercase letters``, up to the letters."""
    lengths = replace_terms(subject, "len({})")

    def amount(cursor: Cursor) -> list[Promise]:
        cursor.word("exactly")
        low = _number(cursor)
        found = _bounded(lengths, "==", low)
        if cursor.word("to"):
            found = _bounded(lengths, ">=", low) + _bounded(lengths, "<=", _number(cursor))
        if not re.match(
            r"(?:lower|upper|English|Latin|letters|characters|digits|capital|small)", cursor.rest, re.IGNORECASE
        ):
            raise NotUnderstood("no count of letters")
        return found

    return cursor.attempt(amount) or []


def _has(cursor: Cursor, subject: Subject) -> list[Promise]:
    if cursor.word("distinct|unique|different"):
        cursor.need("values|elements|integers")
        return _distinct(cursor, subject)
    if cursor.word("no self-loops|no self loops"):
        return [Graph(("loopless",))]
    cursor.word("a|an|the")
    if cursor.word("same length|equal length|equal lengths|same lengths"):
        return _same_length(subject, cursor.names)
    if cursor.word("length|lengths"):
        cursor.word("of|exactly")
        return _sized(cursor, replace_terms(subject, "len({})"))
    count = expression(cursor)
    cursor.need("characters|letters|digits|elements")
    return [Compare(f"len({term})", "==", count) for term in subject.terms]


def replace_terms(subject: Subject, by: str) -> Subject:
    """Return the subject with another term in the place of each: ``len({})``."""
    return Subject("values", tuple(by.format(term) for term in subject.terms))


def _same_length(subject: Subject, names: Names) -> list[Promise]:
    terms = subject.terms or tuple(matrices(names))
    if len(terms) == 1:
        return [Is(re.sub(r"\[[i-l]\]$", "", terms[0]), "of one length")]
    if not terms:
        raise NotUnderstood("nothing has the same length")
    return [Compare(f"len({terms[0]})", "==", f"len({term})") for term in terms[1:]]


def _bounded(subject: Subject, operator: str, bound: str) -> list[Promise]:
    if subject.form == "total":
        if operator not in ("<=", "<"):
            raise NotUnderstood("a total is bounded from above")
        return [Total(term, bound if operator == "<=" else f"{bound} - 1") for term in subject.terms]
    if subject.form not in ("values", "lists") or not subject.terms:
        raise NotUnderstood("a bound of nothing")
    return [Compare(term, operator, bound) for term in subject.terms]


def _span(cursor: Cursor) -> tuple[str, str]:
    """Read ``between a and b``, ``from a to b``, ``in the range [a, b]``."""
    cursor.word("of|being")
    if cursor.word("in the range|in range|within the range|in the inclusive range|in the interval|in"):
        if cursor.word("from"):
            pass
        elif cursor.word("["):
            low = expression(cursor)
            cursor.need(",")
            high = expression(cursor)
            cursor.need("]")
            return low, high
        else:
            cursor.need("of")
    else:
        cursor.need("between|from|ranging from")
    low = expression(cursor)
    cursor.need("and|to|through|-")
    return low, expression(cursor)


def _sized(cursor: Cursor, subject: Subject) -> list[Promise]:
    """Read what a number is: ``5``, ``at least 2``, ``between 1 and N``, ``an odd number between 3 and 99``."""
    cursor.word("a|an")
    found: list[Promise] = []
    if parity := cursor.word("even|odd"):
        found += [
            Compare(f"({t}) % 2" if " " in t else f"{t} % 2", "==", str(int(parity == "odd"))) for t in subject.terms
        ]
        cursor.word("number|numbers|integer|integers")
        if cursor.done or cursor.peek().text in (",", "and"):
            return found
    cursor.word("integer|number|value")
    if span := cursor.attempt(_span):
        return found + _bounded(subject, ">=", span[0]) + _bounded(subject, "<=", span[1])
    while True:
        amount = cursor.word(*AMOUNTS)
        if not amount and found:
            return found
        cursor.word("exactly|either")
        found += _bounded(subject, AMOUNTS.get(amount or "equal to", "=="), _number(cursor))
        before = cursor.at
        if not cursor.word("and|,|or") or not cursor.attempt(lambda c: c.need(*AMOUNTS)):
            cursor.at = before
            return found
        cursor.at = before + 1


def _number(cursor: Cursor) -> str:
    word = cursor.word(*NUMBER_WORDS)
    return NUMBER_WORDS[word] if word else expression(cursor)


# ------------------------------------------------------------------ complements


def _complement(cursor: Cursor, subject: Subject) -> list[Promise]:
    cursor.word("all|both|each|also|given as|guaranteed to be|always")
    for reader in (_kind, _property, _distinct_too, _ordered, _graph, _sized_value, _chosen, _lettered):
        before = cursor.at
        found = cursor.attempt(functools.partial(reader, subject=subject))
        # What follows must go on as a sentence does; else it was read in the wrong sense.
        if found is not None and (
            cursor.done or cursor.peek().text.lower() in (",", "and", "but", "that", "which", ";")
        ):
            return found
        cursor.at = before
    raise NotUnderstood(cursor.rest)


def _sized_value(cursor: Cursor, subject: Subject) -> list[Promise]:
    if not subject.terms or any(cursor.names.kind(t) in ("text", "letter") and "len(" not in t for t in subject.terms):
        raise NotUnderstood("no number")
    return _sized(cursor, subject)


def _kind(cursor: Cursor, subject: Subject) -> list[Promise]:
    """Read ``an integer``, ``strings of length N consisting of …``."""
    cursor.word("a|an|the")
    found: list[Promise] = []
    while adjective := cursor.word(
        "positive|non-negative|nonnegative|non-empty|nonempty|even|odd|prime|distinct", "single"
    ):
        if adjective in ("positive", "non-negative", "nonnegative"):
            found += [Compare(term, ">=", str(int(adjective == "positive"))) for term in subject.terms]
        elif adjective in ("even", "odd"):
            found += [Compare(f"{term} % 2", "==", str(int(adjective == "odd"))) for term in subject.terms]
        elif adjective == "prime":
            found += [Is(term, "prime") for term in subject.terms]
        elif adjective == "distinct":
            found += _distinct(cursor, subject)
        elif "empty" in adjective:
            found += [Compare(f"len({term})", ">=", "1") for term in subject.terms]
    noun = cursor.need(
        "integers|integer|numbers|number|string|strings|word|words|real "
        "numbers", "real number|text|integer values|binary string|binary strings|array|digit string")  # fmt: skip
    if noun.startswith("binary"):
        found += [Letters(term, "01") for term in subject.terms]
    if found and not subject.terms:
        raise NotUnderstood("of what?")
    while not cursor.done:
        before = cursor.at
        if cursor.word(
            "of length|with length|with a length of|with length of|whose length is",
            "with lengths|of lengths|with a length|having length|of even length",
            "with a length between",
        ):
            if cursor.tokens[cursor.at - 2].text == "even":
                found += [Compare(f"len({term}) % 2", "==", "0") for term in subject.terms]
                continue
            if cursor.tokens[cursor.at - 1].text == "between":
                cursor.at -= 1
            found += _sized(cursor, replace_terms(subject, "len({})"))
        elif cursor.word(*LETTERED):
            found += _lettered(cursor, subject)
        elif cursor.word("satisfying|such that|that satisfies"):
            found += comparisons(cursor)
        elif cursor.word("with") and (count := cursor.attempt(_number)) and cursor.word("characters|digits|letters"):
            found += [Compare(f"len({term})", "==", count) for term in subject.terms]
        elif "string" in noun and cursor.word("of") and _extended(cursor, subject, found):
            continue
        elif "integer" in noun or "number" in noun:
            cursor.at = before
            ranged = cursor.attempt(lambda c: _sized(c, subject))
            if ranged is None:
                break
            found += ranged
        else:
            break
        cursor.word(",|and")
    return found


def _extended(cursor: Cursor, subject: Subject, found: list[Promise]) -> bool:
    """Add the letters that follow, where some do."""
    letters = cursor.attempt(lambda c: _lettered(c, subject))
    found += letters or []
    return letters is not None


LETTERED = (
    "consisting of", "consisting only of", "consisting solely of", "that consists of", "which consists of",
    "containing only", "comprised of", "composed of", "consists of", "made up of",
    "where each character is", "formed by", "containing",
    "whose characters are", "of the characters", "in which each character is", "of characters",
)  # fmt: skip


def _property(cursor: Cursor, subject: Subject) -> list[Promise]:
    cursor.word("a|an")
    if subject.form not in ("values", "lists") or not subject.terms:
        raise NotUnderstood("a property of nothing")
    if parity := cursor.word("even|odd"):
        cursor.word("number|numbers|integer|integers")
        return [Compare(f"{term} % 2", "==", str(int(parity == "odd"))) for term in subject.terms]
    if cursor.word("multiple of|multiples of|divisible by"):
        divisor = _number(cursor)
        return [Compare(f"{_in_brackets(term)} % {_in_brackets(divisor)}", "==", "0") for term in subject.terms]
    if cursor.word("power of|powers of"):
        base = _number(cursor)
        return [Is(term, "power", (base,)) for term in subject.terms]
    if cursor.word("prime|primes"):
        cursor.word("number|numbers")
        return [Is(term, "prime") for term in subject.terms]
    if cursor.word("palindrome|palindromes"):
        return [Is(term, "palindrome") for term in subject.terms]
    if cursor.word(
        "valid parentheses string|balanced parentheses string|valid parenthesis string",
        "correct bracket sequence|valid bracket sequence|balanced bracket sequence",
    ):
        return [Is(term, "brackets") for term in subject.terms]
    if cursor.word("permutation|permutations"):
        return _permuted(cursor, subject)
    if cursor.word("not empty|non-empty|nonempty"):
        return [Compare(f"len({term})", ">=", "1") for term in subject.terms]
    raise NotUnderstood(cursor.rest)


def _in_brackets(text: str) -> str:
    return f"({text})" if " " in text and not text.startswith("(") else text


def _permuted(cursor: Cursor, subject: Subject) -> list[Promise]:
    cursor.need("of")
    cursor.word("the")
    if cursor.word("length"):
        size = expression(cursor)
        return [Permutation(_list(term), "1", size) for term in subject.terms]
    cursor.word("set|numbers|integers|sequence|array|first")
    cursor.word("all integers|integers|the integers|numbers")
    bracket = cursor.word("(|{|[")
    span = cursor.attempt(_plain_span) or cursor.attempt(_span)
    if bracket:
        cursor.word(")|}|]")
    if not span:
        other = expression(cursor)
        return [Is(_list(term), "permutation of", (_list(other),)) for term in subject.terms]
    return [Permutation(_list(term), *span) for term in subject.terms]


def _plain_span(cursor: Cursor) -> tuple[str, str]:
    """Read ``1 to N`` and ``[1, N]``, whose bracket was read."""
    cursor.word("from")
    low = expression(cursor)
    cursor.need("to|through|,")
    return low, expression(cursor)


def _list(term: str) -> str:
    """Return the list whose values a term speaks of."""
    return re.sub(r"\[[i-l*]\]$", "", term)


def _distinct_too(cursor: Cursor, subject: Subject) -> list[Promise]:
    cursor.word("all|pairwise|mutually")
    cursor.need(*DISTINCT)
    return _distinct(cursor, subject)


def _distinct(cursor: Cursor, subject: Subject) -> list[Promise]:
    terms = subject.terms
    if subject.form == "graph" or (subject.form == "rows" and not terms):
        return [Graph(("distinct",))]
    if subject.form == "rows":
        return (
            [Distinct(tuple(cursor.names.whole(term) for term in terms))]
            if len(terms) > 1
            else [Distinct((f"{terms[0]}[i]",))]
        )
    if not terms:
        raise NotUnderstood("what is distinct?")
    if all("[" not in cursor.names.whole(term) for term in terms) and len(terms) > 1:
        return [Is(terms[0], "all different", tuple(terms[1:]))]
    found: list[Promise] = []
    for term in terms:
        whole = cursor.names.whole(term.replace("[*]", "[i]"))
        if subject.form == "lists" and term.endswith("[i]") and whole.endswith("[j]"):
            # Of the values of one row: those of other rows may be the same.
            whole = f"{whole[:-3]}[*]"
        elif term.endswith("[i]"):
            whole = term
        if subject.form == "letters" and cursor.names.kind(whole) == "text":
            whole += "[" + cursor.names.indices[whole.count("[")] + "]"
        found.append(Distinct((whole,)))
    return found


def _ordered(cursor: Cursor, subject: Subject) -> list[Promise]:
    cursor.word("sorted|given")
    cursor.word("in")
    cursor.word("a|an")
    order = cursor.need(*ORDERS)
    cursor.word("order|sequence|array")
    if not subject.terms:
        raise NotUnderstood("what is sorted?")
    return [Sorted(_list(term), *ORDERS[order]) for term in subject.terms]


def _graph(cursor: Cursor, subject: Subject) -> list[Promise]:
    if subject.form not in ("graph", "values", "rows"):
        raise NotUnderstood("no graph")
    kinds = list[str]()
    cursor.word("a|an")
    cursor.word("valid")
    while found := cursor.word("tree|trees|connected|simple|undirected|graph|and|,|undirected graph|an|acyclic"):
        if found == "acyclic":
            raise NotUnderstood("acyclic")
        kinds += [found.removesuffix("s")] if found in ("tree", "trees", "connected", "simple") else []
    if not kinds:
        raise NotUnderstood("no graph")
    return [Graph(tuple(kinds), term) for term in subject.terms or ("",)]


# ------------------------------------------------------------------ letters and choices

LETTER_KINDS = (
    (r"(?:the )?(?:lower-?\s?case(?: and|/| or|,) upper-?\s?case|upper-?\s?case(?: and|/| or|,) "
    r"lower-?\s?case|upper and lower-?\s?case|lower and upper-?\s?case)(?: (?:English|Latin|alphabet|"
    r"alphabetical))?(?: (?:letters?|characters?|alphabets?))?", LOWER + UPPER),
    (r"(?:the )?(?:English |Latin )?(?:lower-?\s?case|small)(?: (?:English|Latin|Roman|alphabetical|"
    r"alphabetic))?(?: alphabets?)?(?: (?:letters?|characters?))?", LOWER),
    (r"(?:the )?(?:English |Latin )?(?:upper-?\s?case|capital)(?: (?:English|Latin|Roman|alphabetical|"
    r"alphabetic))?(?: alphabets?)?(?: (?:letters?|characters?))?", UPPER),
    (r"(?:English|Latin|alphabetic|alphabetical) (?:letters?|characters?|alphabets?)", LOWER + UPPER),
    (r"printable ASCII characters?", PRINTABLE),
    (r"(?:a )?(?:single )?spaces?", " "),
)  # fmt: skip
PREFIX = re.compile(
    r"(?:(?:only|either|the|of|a|an|any|one|two|kinds|following|characters?|letters?|symbols?|single)\b:?"
    r"(?!\s*(?:,|and\b|or\b|$))\s*)*"
)
QUOTED = r"['\"]?(?P<{}>[A-Za-z0-9])['\"]?"
SPAN = re.compile(
    r"(?:(?:letters?|characters?|digits?|numbers?)\s+)?(?:\(?from\s+|(?P<between>between\s+))?"
    + QUOTED.format("low")
    + r"\s*(?:to|through|-|(?(between)and|to))\s*"
    + QUOTED.format("high")
    + r"\)?(?=[\s,.)]|$)"
)
ONE = re.compile(
    r"""'(?P<q>[^'\n])'|"(?P<d>[^"\n])"|\((?P<b>\S)\)|(?P<bare>[^\s'"])(?=\s*(?:,|$|\s(?:and|or|only|"
    r"where|with|characters?|letters?|in)\b|/|\)))"""
)
BETWEEN = re.compile(r"\s*(?:,\s*(?:and/or\s+|and\s+|or\s+)?|\s+and/or\s+|\s+and\s+|\s+or\s+|/)\s*")


def _lettered(cursor: Cursor, subject: Subject) -> list[Promise]:
    """Read the letters that a text may have."""
    terms = [term for term in subject.terms if cursor.names.kind(term) in ("text", "letter")]
    if not terms or len(terms) < len(subject.terms):
        # Of numbers too it may be said that they consist of digits.
        raise NotUnderstood("letters of no text")
    letters, end = _alphabet(cursor.text, cursor.peek().at)
    if not letters:
        raise NotUnderstood(cursor.rest)
    while not cursor.done and cursor.peek().at < end:
        cursor.at += 1
    cursor.word("only")
    return [Letters(_text(term), letters) for term in terms]


def _text(term: str) -> str:
    return term.replace("[*]", "[i]")


def _alphabet(text: str, at: int) -> tuple[str, int]:
    """Return the letters that are listed in a text from a place on, and where the list ends."""
    letters, end = "", at
    while at < len(text):
        at = prefix.end() if (prefix := PREFIX.match(text, at)) else at
        found, stop = _letter_item(text, at)
        if not found:
            break
        letters, end = letters + found, stop
        between = BETWEEN.match(text, stop)
        if not between:
            break
        at = between.end()
    return "".join(dict.fromkeys(letters)), end


def _letter_item(text: str, at: int) -> tuple[str, int]:
    for pattern, meant in LETTER_KINDS:
        match = re.compile(pattern + r"(?![\w-])", re.IGNORECASE).match(text, at)
        if match:
            return meant, match.end()
    span = SPAN.match(text, at)
    if span and span["low"] <= span["high"]:
        return "".join(map(chr, range(ord(span["low"]), ord(span["high"]) + 1))), span.end()
    digits = re.compile(r"(?:decimal )?digits?\b(?!\s+(?:from|between|[0-9'\"]))", re.IGNORECASE).match(text, at)
    if digits:
        return DIGITS, digits.end()
    one = ONE.match(text, at)
    return (next(filter(None, one.groups())), one.end()) if one else ("", at)


def _chosen(cursor: Cursor, subject: Subject) -> list[Promise]:
    """Read ``either 0 or 1``, ``one of N, NE and E``."""
    rest = cursor.rest
    lead = re.match(r"(?:either|one of|equal to|in|only|any of)?(?: (?:either|the following))?:?\s*", rest)
    listed = rest[lead.end() if lead else 0 :].strip()
    # ``{0, 1}`` is a list in brackets, ``( or )`` is a list of brackets.
    listed = listed[1:-1] if re.fullmatch(r"[({]\S.*\S[)}]", listed) else listed
    words = [word.strip() for word in BETWEEN.split(listed)]
    words = [word[1:-1] if re.fullmatch(r"'.*'|\".*\"", word) else word for word in words]
    if not subject.terms or any(not word or len(word) > 12 or " " in word for word in words):
        raise NotUnderstood(rest)
    cursor.at = len(cursor.tokens)
    if subject.form == "letters" and all(len(word) == 1 for word in words):
        return [Letters(term, "".join(words)) for term in subject.terms]
    return [_choice(term, words, cursor.names) for term in subject.terms]


def _choice(term: str, words: Sequence[str], names: Names) -> Promise:
    kind = names.kind(term)
    if kind == "int":
        if not all(re.fullmatch(r"-?\d{1,18}", word) for word in words):
            raise NotUnderstood("choices of a number")
        return OneOf(term, tuple(int(word) for word in words))
    if kind not in ("text", "letter"):
        raise NotUnderstood("choices of nothing")
    return OneOf(_text(term), tuple(words))


# ------------------------------------------------------------------ prose

# A sentence among others that promises something.
GUARANTEE = re.compile(
    r"guarantee|additional|constraint on|generated|such that|at least one|at most one|no two|distinct|unique|sorted|"
    r"overlap|prime|palindrom|divisible|multiple of|anagram|subsequence|leading zero|connected|no more than|exceed|"
    r"permutation|ascending|descending|increasing|decreasing|\beven\b|\bodd\b",
    re.IGNORECASE,
)
BRACKETS = re.compile(r"\(([^()]{3,200}(?:\([^()]{0,60}\)[^()]{0,100}){0,4})\)")
ADJECTIVE = re.compile(
    r"\b(?P<how>(?:pairwise )?(?:distinct|different|unique)|(?:strictly )?increasing|non-decreasing|sorted)\s+"
    r"(?:positive |non-negative |space[- ]separated )*(?:integers|numbers|strings|words|"
    r"elements)\b[^A-Za-z]*(?P<name>[A-Za-z][\w{}]*)?"
)
TEXT = re.compile(
    r"\b(?:strings?|words?|texts?|names?|lines?|row)\b\s*(?P<names>[A-Za-z][\w{}]*(?:(?:,| and) "
    r"[A-Za-z][\w{}]*)?)?[,:]?\s+"
    r"(?:(?:which|that|it|each|and)\s+)*(?P<how>(?:consist(?:s|ing)? (?:only |solely )?of|of length|"
    r"with length|contain(?:s|ing) only|"
    r"has length|have length|of at most|(?:whose|with a) length)\b.*)"
)


class Prose(NamedTuple):
    """What was found in a sentence that also says other things, and whether it promises more than that."""

    promises: list[Promise]
    more: bool


def read_prose(sentence: str, names: Names) -> Prose:
    """Return what a sentence of a description promises: ``a string s (1 <= |s| <= 9) of lowercase letters``."""
    if len(sentence) > LONGEST_SENTENCE:
        return Prose([], False)
    # What is printed is no input.
    if re.match(r"(?:print|output|return|if |note)\b", sentence, re.IGNORECASE):
        return Prose([], False)
    found: list[Promise] = []
    text = sentence
    for bracket in reversed(list(BRACKETS.finditer(sentence))):
        inside = read(bracket[1], names)
        if inside is None:
            inside = list(compared_anywhere(bracket[1], names))
        if inside:
            found += inside
            text = text[: bracket.start()] + text[bracket.end() :]
    text = re.sub(r"\s+", " ", text)
    for part, promises in _phrases(text, names):
        found += promises
        text = text.replace(part, " ", 1)
    found += compared_anywhere(text, names)
    return Prose(list(dict.fromkeys(found)), bool(GUARANTEE.search(text)))


def _phrases(text: str, names: Names) -> Iterator[tuple[str, list[Promise]]]:
    """Yield the phrases of a description that say what values are, with their promises."""
    for match in ADJECTIVE.finditer(text):
        name = _known(match["name"], names) or next(iter(_only(names, "int")), "")
        how = match["how"] if "sorted" not in match["how"] else "sorted in ascending order"
        if promises := read(f"{name} is {how}", names):
            yield match[0], promises
    said = TEXT.search(text)
    if said is not None:
        written = [_known(one, names) for one in re.split(r",? and |, ", said["names"] or "")]
        called = [one for one in written if one] or list(_texts(names))[:1]
        # A list of letters may be followed by what the values mean.
        for how in (
            said["how"],
            re.split(r"[,:] (?:where|which|the|representing|describing|denoting|giving)\b", said["how"])[0],
        ):
            how = re.sub(r"^(?:each )?consist(?:s|ing)? (?:only |solely )?of", "consists of", how)
            how = re.sub(r"^contain(?:s|ing) only", "contains only", how)
            how = re.sub(r"^(?:with|of) length", "has length", how)
            how = re.sub(r"^of at most", "has length at most", how).removesuffix(" characters")
            if called and (promises := read(f"{' and '.join(called)} {how}", names)):
                yield said[0], promises
                break


def _known(name: str | None, names: Names) -> str:
    base = re.sub(r"_?\{?[\di]*\}?$", "", name or "")
    return next((one for one in (base, name) if one and one in names.places), "")


def _texts(names: Names) -> Iterator[str]:
    """Yield the only text of an input."""
    found = [name for name, place in names.places.items() if place.kind == "text"]
    yield from found if len(found) == 1 else ()


def compared_anywhere(text: str, names: Names) -> Iterator[Compare]:
    """Yield the comparisons that stand anywhere in a text: ``two integers n and m (1 <= n, m <= 5)``."""
    for pattern, spelling in SPELLINGS:
        text = re.sub(pattern, spelling, text)
    cursor = Cursor(text[: 2 * LONGEST_SENTENCE], names)
    while not cursor.done:
        # Read only where a sign of comparison is near, for every word could begin a chain.
        if not any(token.kind == "compare" for token in cursor.tokens[cursor.at : cursor.at + MOST_COMPARED]):
            cursor.at += 1
            continue
        found = cursor.attempt(chain)
        if found is None:
            cursor.at += 1
        else:
            yield from found
