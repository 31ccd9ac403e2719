"""What a sentence says in words.

Its subject (``all A_i``), and what its predicates promise (``are distinct``).

A predicate ends with a complement, ``is an integer between 1 and N``. Which words there are for
things, amounts and orders is written down in the tables of this module.
"""

from __future__ import annotations

import functools
import re

from venus_toolkit.builders.inputs.promises.alphabets import PRINTABLE, chosen, lettered, listed
from venus_toolkit.builders.inputs.promises.terms import (
    Cursor,
    NotUnderstood,
    Span,
    Subject,
    comparisons,
    enclosed,
    expression,
    matrices,
    only_list,
    row,
    sized,
    span,
)
from venus_toolkit.builders.inputs.spec.names import Names, ValuePlace
from venus_toolkit.builders.inputs.spec.promises import (
    Compare,
    Distinct,
    Graph,
    Is,
    Letters,
    Permutation,
    Promise,
    Sorted,
    TotalBound,
)

NOUNS = (
    "values", "value", "elements", "element", "integers", "numbers", "strings", "words", "entries", "entry", "items",
    "integer values", "input values", "input numbers", "given numbers", "given values", "inputs", "string", "number",
    "array", "list", "sequence", "word", "arrays", "integer", "given strings", "given integers", "binary string",
)  # fmt: skip
CHARACTERS = ("characters", "character", "letters", "letter", "digits", "digit")
ROWS = (
    "pairs", "pair", "points", "triples", "tuples", "edges", "given points", "rows", "queries", "intervals",
    "coordinates",
)  # fmt: skip
WHOLE_INPUT = (
    "input",
    "inputs",
    "the input",
    "the inputs",
    "an input",
    "each input",
    "standard input",
)
GRAPHS = (
    "graph", "given graph", "input graph", "undirected graph", "edges", "given edges", "given tree", "tree",
    "input tree", "given undirected graph",
)  # fmt: skip
# What follows a subject that is no name.
VERBS = ("is", "are", "have", "has", "consist", "consists", "contain", "contains")
GRAPH_VERBS = (
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
)
DISTINCT = (
    "distinct", "different", "unique", "different from each other", "distinct from each other",
    "different from one another",
)  # fmt: skip
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
NO_PLACE = ValuePlace(0, "")
LETTERED = (
    "consisting of", "consisting only of", "consisting solely of", "that consists of", "which consists of",
    "containing only", "comprised of", "composed of", "consists of", "made up of",
    "where each character is", "formed by", "containing",
    "whose characters are", "of the characters", "in which each character is", "of characters",
)  # fmt: skip


def said(cursor: Cursor) -> list[Promise]:
    """Read a subject and its predicates: ``S is a string of length N and consists of 0 and 1``.

    Raises:
        NotUnderstood: Some of it is not read.
    """
    subject = _subject(cursor)
    found: list[Promise] = []
    while not cursor.done:
        found += _predicate(cursor, subject)
        cursor.word(", and|and|,|but|. It|; it|, each of which|each of which")
    return found


def of_some(cursor: Cursor) -> list[Promise]:
    """Read what holds for some values.

    ``not all A_i are equal``, ``there is at least one i such that A_i = 0``.
    """
    if cursor.word("not all of|it is not the case that all|it is not the case that all of|not all"):
        terms = [_list(term) for term in _terms(cursor)]
        cursor.need("are equal|are the same|are identical|are all equal")
        lists = [term for term in terms if cursor.names.places.get(term, NO_PLACE).depth]
        if len(lists) == len(terms) == 1:
            found: list[Promise] = [Is(terms[0], "not all alike")]
        elif len(terms) > 1 and not lists:
            # One that is unlike the first is enough: ``(A, A) != (B, C)``.
            found = [Is(terms[0], "not all equal", (*[terms[0]] * (len(terms) - 2), *terms[1:]))]
        else:
            raise NotUnderstood("all of what?")
    elif cursor.word("there is at least one|there exists at least one|at least one"):
        cursor.word("element|index|value|integer|position")
        cursor.word("i|j")
        cursor.need("where|such that|for which|satisfying|with")
        compared, *others = comparisons(cursor)
        if others or not compared.left.endswith("[i]"):
            raise NotUnderstood("some of what?")
        found = [Is(_list(compared.left), "some", (compared.right, compared.operator))]
    elif cursor.word("half of"):
        cursor.need("the integers in|the elements of|the numbers in|the values in|the elements in")
        listed = _list(expression(cursor))
        found = [Is(listed, "half", (str(int(cursor.need("are even", "are odd") == "are odd")),))]
    elif cursor.word(
        "there are no leading or trailing spaces|there are no leading spaces or trailing spaces"
    ):
        texts = [name for name, place in cursor.names.places.items() if place.kind == "text"]
        if len(texts) != 1:
            raise NotUnderstood("which text has no spaces?")
        found = [Is(texts[0], "trimmed")]
    else:
        terms = [_list(expression(cursor))]
        cursor.need("has|have|contains|contain")
        cursor.need("at least one multiple of")
        found = [Is(terms[0], "some multiple", (expression(cursor),))]
    if not cursor.done:
        raise NotUnderstood(cursor.rest)
    return found


# ------------------------------------------------------------------ subjects


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
        return Subject("rows", tuple(cursor.attempt(row) or cursor.attempt(_of) or ()))
    if called := cursor.attempt(_called_row):
        return Subject("rows", tuple(called))
    before = cursor.at
    if cursor.word(*GRAPHS):
        if cursor.peek().text.lower() in GRAPH_VERBS:
            return Subject("graph")
        cursor.at = before
    return _values(cursor)


def _called_row(cursor: Cursor) -> list[str]:
    """Read a row, and before it the words that say what the rows are."""
    for _ in range(6):
        if cursor.peek().text == "(":
            break
        if not re.fullmatch(r"[a-z]{2,15}", cursor.peek().text):
            raise NotUnderstood("no tuple")
        cursor.at += 1
    return row(cursor)


def _of(cursor: Cursor) -> list[str]:
    cursor.need("of|in")
    return [expression(cursor)]


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
    if noun and cursor.peek().text.lower() in VERBS:
        kind = "text" if noun in ("strings", "words", "string", "word") else "int"
        return Subject("input", only_list(cursor.names, kind))
    return Subject(form, tuple(_terms(cursor)))


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
        "in one input file ,|in each input file ,|for each input ,|in a single input ,",
        "across all test cases ,",
    )
    cursor.word("the")
    cursor.word("total")
    cursor.need("sum of|total of")
    cursor.word("all")
    cursor.word("the")
    cursor.word("values of")
    cursor.word("lengths of|length of")
    terms = [
        sized(cursor.names, term) if cursor.names.kind(term) == "text" else term
        for term in _terms(cursor)
    ]
    for _ in range(3):
        if cursor.word(*over):
            cursor.word("all|the")
            cursor.need(*cases)
            before = "read"
    if not before:
        raise NotUnderstood("no total")
    return Subject("total", tuple(terms))


# ------------------------------------------------------------------ predicates


def _predicate(cursor: Cursor, subject: Subject) -> list[Promise]:
    before = cursor.at
    if cursor.word("do not exceed|does not exceed|doesn't exceed|will not exceed|won't exceed"):
        return _bounded(subject, "<=", expression(cursor))
    if written := _written(cursor, subject):
        return written
    if cursor.word("contains no|contain no|does not contain|do not contain|doesn't contain"):
        cursor.word("any")
        cursor.need(
            "duplicates|duplicate elements|duplicate integers|duplicate values", "repeated elements"
        )
        return _distinct(cursor, subject)
    if counted := cursor.attempt(functools.partial(_letter_count, subject=subject)):
        return counted
    if verb := cursor.word(
        "consist of|consists of|consist only of|consists only of|only consists of",
        "only consist of|only contains|only contain|contains only|contain only|contains",
        "contain",
    ):
        if cursor.word("only") is None and cursor.word("distinct|unique|pairwise distinct"):
            cursor.need("integers|elements|values|strings|characters|numbers|words")
            return _distinct(cursor, subject)
        if "only" in verb and (
            values := cursor.attempt(functools.partial(listed, subject=subject))
        ):
            return values
        letters = _counted(cursor, subject) + lettered(cursor, subject)
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
        return chosen(cursor, subject)
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
        cursor.word(
            "except for the zero itself|except the zero itself|except for the number 0 "
            "itself|unless it is 0"
        )
        return [Is(term, "no leading zero") for term in terms]
    if terms and cursor.word("leading or trailing spaces|leading spaces or trailing spaces"):
        return [Is(term, "trimmed") for term in terms]
    if terms and cursor.word(
        "separated by a single space|separated by single spaces|separated by single space"
    ):
        return [Is(term, "single spaces") for term in terms]
    cursor.at = before
    return []


def _counted(cursor: Cursor, subject: Subject) -> list[Promise]:
    """Read ``consists of 1 to 12 lowercase letters``, up to the letters."""
    lengths = _lengths(subject)

    def amount(cursor: Cursor) -> list[Promise]:
        cursor.word("exactly")
        low = _number(cursor)
        found = _bounded(lengths, "==", low)
        if cursor.word("to"):
            found = _bounded(lengths, ">=", low) + _bounded(lengths, "<=", _number(cursor))
        if not re.match(
            r"(?:lower|upper|English|Latin|letters|characters|digits|capital|small)",
            cursor.rest,
            re.IGNORECASE,
        ):
            raise NotUnderstood("no count of letters")
        return found

    return cursor.attempt(amount) or []


def _letter_count(cursor: Cursor, subject: Subject) -> list[Promise]:
    """Read ``contains at least one 1``, ``have two or more # in total``."""
    cursor.need("contains|contain|has|have|includes|include")
    sign = AMOUNTS[cursor.word(*AMOUNTS) or "equal to"]
    cursor.word("exactly")
    number = _number(cursor)
    if more := cursor.word("or more|or fewer|or less"):
        sign = ">=" if more == "or more" else "<="
    cursor.word("occurrences of|occurrence of")
    beside = cursor.word("character other than|characters other than|letter other than")
    (promise, *_) = lettered(cursor, subject)
    assert isinstance(promise, Letters)
    if sign == "==" and len(promise.letters) > 1:
        raise NotUnderstood("10 digits are a length")
    letters = "".join(sorted(set(PRINTABLE) - set(promise.letters))) if beside else promise.letters
    if cursor.word("in total|in all"):
        return [
            Is(
                subject.terms[0],
                "letters in total",
                (*subject.terms[1:], letters, f"{sign} {number}"),
            )
        ]
    return [Is(term, "letters", (letters, f"{sign} {number}")) for term in subject.terms]


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
        found = _sized(cursor, _lengths(subject))
        cursor.word("each")
        return found
    cursor.word("exactly")
    count = _number(cursor)
    cursor.need("characters|letters|digits|elements")
    return [Compare(f"len({term})", "==", count) for term in subject.terms]


def _lengths(subject: Subject) -> Subject:
    return Subject("values", tuple(f"len({term})" for term in subject.terms))


def _same_length(subject: Subject, names: Names) -> list[Promise]:
    terms = subject.terms or tuple(matrices(names))
    if len(terms) == 1:
        return [Is(re.sub(r"\[[i-l*]\]$", "", terms[0]), "of one length")]
    if not terms:
        raise NotUnderstood("nothing has the same length")
    return [Compare(f"len({terms[0]})", "==", f"len({term})") for term in terms[1:]]


def _bounded(subject: Subject, operator: str, bound: str) -> list[Promise]:
    if subject.form == "total":
        if operator not in ("<=", "<"):
            raise NotUnderstood("a total is bounded from above")
        return [
            TotalBound(term, bound if operator == "<=" else f"{bound} - 1")
            for term in subject.terms
        ]
    if subject.form not in ("values", "lists") or not subject.terms:
        raise NotUnderstood("a bound of nothing")
    return [Compare(term, operator, bound) for term in subject.terms]


def _sized(cursor: Cursor, subject: Subject) -> list[Promise]:
    """Read what a number is: ``5``, ``at least 2``, ``between 1 and N``, ``an odd number between 3 and 99``."""
    cursor.word("a|an")
    found: list[Promise] = []
    if parity := cursor.word("even|odd"):
        found += [
            Compare(f"{_in_brackets(term)} % 2", "==", str(int(parity == "odd")))
            for term in subject.terms
        ]
        cursor.word("number|numbers|integer|integers")
        if cursor.done or cursor.peek().text in (",", "and"):
            return found
    cursor.word("integer|number|value")
    if between := cursor.attempt(span):
        return found + _bounded(subject, ">=", between.low) + _bounded(subject, "<=", between.high)
    while True:
        amount = cursor.word(*AMOUNTS)
        if not amount and found:
            return found
        cursor.word("exactly|either")
        found += _bounded(
            subject, AMOUNTS.get(amount or "equal to", "=="), _bound_of(cursor, subject)
        )
        before = cursor.at
        if not cursor.word("and|,|or") or not cursor.attempt(lambda c: c.need(*AMOUNTS)):
            cursor.at = before
            return found
        cursor.at = before + 1


def _bound_of(cursor: Cursor, subject: Subject) -> str:
    """Read a number, or ``that of S``."""
    if not cursor.word("that of|the length of"):
        return _number(cursor)
    if not all(term.startswith("len(") for term in subject.terms):
        raise NotUnderstood("that of what?")
    return f"len({expression(cursor)})"


def _number(cursor: Cursor) -> str:
    word = cursor.word(*NUMBER_WORDS)
    return NUMBER_WORDS[word] if word else expression(cursor)


# ------------------------------------------------------------------ complements


def _complement(cursor: Cursor, subject: Subject) -> list[Promise]:
    cursor.word("all|both|each|also|given as|guaranteed to be|always")
    # ``either 0, 1 or 2`` begins as ``either 0`` does.
    readers = [
        _kind,
        _property,
        _alike,
        _distinct_too,
        _ordered,
        _graph,
        _sized_value,
        chosen,
        lettered,
    ]
    for reader in [chosen, *readers] if cursor.peek().text == "either" else readers:
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
    if not subject.terms or any(
        cursor.names.kind(t) in ("text", "letter") and "len(" not in t for t in subject.terms
    ):
        raise NotUnderstood("no number")
    return _sized(cursor, subject)


def _kind(cursor: Cursor, subject: Subject) -> list[Promise]:
    """Read ``an integer``, ``strings of length N consisting of …``."""
    cursor.word("a|an|the")
    found: list[Promise] = []
    while adjective := cursor.word(
        "positive|non-negative|nonnegative|non-empty|nonempty|even|odd|prime|distinct|different",
        "single",
    ):
        if adjective in ("positive", "non-negative", "nonnegative"):
            found += [
                Compare(term, ">=", str(int(adjective == "positive"))) for term in subject.terms
            ]
        elif adjective in ("even", "odd"):
            found += [
                Compare(f"{_in_brackets(term)} % 2", "==", str(int(adjective == "odd")))
                for term in subject.terms
            ]
        elif adjective == "prime":
            found += [Is(term, "prime") for term in subject.terms]
        elif adjective in ("distinct", "different"):
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
            found += _sized(cursor, _lengths(subject))
        elif cursor.word(*LETTERED):
            found += lettered(cursor, subject)
        elif cursor.word("satisfying|such that|that satisfies"):
            found += comparisons(cursor)
        elif (
            cursor.word("with")
            and (count := cursor.attempt(_number))
            and cursor.word("characters|digits|letters")
        ):
            found += [Compare(f"len({term})", "==", count) for term in subject.terms]
        elif (
            "string" in noun
            and cursor.word("of")
            and (more := cursor.attempt(lambda c: lettered(c, subject)))
        ):
            found += more
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


def _alike(cursor: Cursor, subject: Subject) -> list[Promise]:
    """Read ``equal``, said of several values or lengths."""
    cursor.need("equal|the same|identical")
    if subject.form != "values" or len(subject.terms) < 2:
        raise NotUnderstood("equal to what?")
    found: list[Promise] = [Compare(subject.terms[0], "==", term) for term in subject.terms[1:]]
    sized = cursor.attempt(lambda c: (c.need("and"), _sized(c, subject))[1])
    return found + (sized or [])


def _property(cursor: Cursor, subject: Subject) -> list[Promise]:
    cursor.word("a|an")
    if subject.form not in ("values", "lists") or not subject.terms:
        raise NotUnderstood("a property of nothing")
    if parity := cursor.word("even|odd"):
        cursor.word("number|numbers|integer|integers")
        return [
            Compare(f"{_in_brackets(term)} % 2", "==", str(int(parity == "odd")))
            for term in subject.terms
        ]
    if cursor.word("multiple of|multiples of|divisible by"):
        divisor = _number(cursor)
        return [
            Compare(f"{_in_brackets(term)} % {_in_brackets(divisor)}", "==", "0")
            for term in subject.terms
        ]
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
    return f"({text})" if " " in text and not enclosed(text) else text


def _permuted(cursor: Cursor, subject: Subject) -> list[Promise]:
    cursor.need("of")
    cursor.word("the")
    if cursor.word("length"):
        size = expression(cursor)
        return [Permutation(_list(term), "1", size) for term in subject.terms]
    cursor.word("set|numbers|integers|sequence|array|first")
    cursor.word("all integers|integers|the integers|numbers")
    bracket = cursor.word("(|{|[")
    between = cursor.attempt(_plain_span) or cursor.attempt(span)
    if bracket:
        cursor.word(")|}|]")
    if not between:
        other = expression(cursor)
        return [Is(_list(term), "permutation of", (_list(other),)) for term in subject.terms]
    return [Permutation(_list(term), *between) for term in subject.terms]


def _plain_span(cursor: Cursor) -> Span:
    """Read ``1 to N`` and ``[1, N]``, whose bracket was read."""
    cursor.word("from")
    low = expression(cursor)
    cursor.need("to|through|,")
    return Span(low, expression(cursor))


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
        return [
            Distinct(
                tuple(map(cursor.names.whole, terms)) if len(terms) > 1 else (f"{terms[0]}[i]",)
            )
        ]
    if not terms:
        raise NotUnderstood("what is distinct?")
    if all("[" not in cursor.names.whole(term) for term in terms) and len(terms) > 1:
        return [Is(terms[0], "all different", tuple(terms[1:]))]
    found: list[Promise] = []
    if len(terms) > 1:
        # ``A_1, ..., A_N, B_1, ..., B_M`` are all meant together; of ``A_i and B_i`` nobody knows.
        if not all(cursor.names.whole(term).count("[") == term.count("[*]") for term in terms):
            raise NotUnderstood("distinct among themselves, or from each other?")
        found.append(
            Is(
                terms[0].removesuffix("[*]"),
                "distinct together",
                tuple(t.removesuffix("[*]") for t in terms[1:]),
            )
        )
        terms = tuple(term for term in terms if term.endswith("[*]"))
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
    while found := cursor.word(
        "tree|trees|connected|simple|undirected|graph|and|,|undirected graph|an|acyclic"
    ):
        if found == "acyclic":
            raise NotUnderstood("acyclic")
        kinds += (
            [found.removesuffix("s")] if found in ("tree", "trees", "connected", "simple") else []
        )
    if not kinds:
        raise NotUnderstood("no graph")
    if cursor.tokens[cursor.at - 1].text in ("and", ",") and not cursor.done:
        # ``is connected and has no self-loops``: another predicate follows.
        cursor.at -= 1
    return [Graph(tuple(kinds), term) for term in subject.terms or ("",)]
