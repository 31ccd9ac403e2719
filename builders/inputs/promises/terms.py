"""What constraints are made of.

Promises, and the terms and comparisons (``1 <= A_i, B_i <= N``) that they speak of.

Terms are spelt as Python, whatever the statement calls them: ``A[i]`` for ``A_i``, ``len(S)`` for
``|S|`` and ``length of S``, ``edges[i][0]`` for the ``a_i`` of ``edges[i] = [a_i, b_i]``. Indices
count from where the statement counts them: from 1 in inputs of lines, from 0 in JSON.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from venus_toolkit.builders.inputs.spec.names import Names
from venus_toolkit.builders.inputs.spec.promises import Compare

T = TypeVar("T")


class Subject(NamedTuple):
    """What a sentence is about. form: values, lists, letters, rows, total, graph or input."""

    form: str
    terms: tuple[str, ...] = ()


class NotUnderstood(Exception):
    """A sentence says something that is not read."""


# ------------------------------------------------------------------ tokens

TOKEN = re.compile(
    r"""\s*(?:
      (?P<quoted>'[^'\n]{1,12}'|"[^"\n]{1,12}")
    | (?P<dots>\.{3}|\.\.)
    | (?P<compare><=|>=|==|!=|<|>|=)
    | (?P<number>\d+(?:\.\d+)?(?:[eE]\d+)?(?![\w]))
    | (?P<product>\d+(?=[A-Za-z(|]))
    | (?P<name>[A-Za-z]\w*?(?:_(?:\{[^{}\n]{0,40}\}|[A-Za-z0-9]+)|\[[^\[\]\n]{0,40}\])*
        (?:\.(?:length|size)(?:\(\))?)?(?![A-Za-z0-9]))
    | (?P<sign>\*\*|//|[-+*/^(){}|%\[\]!])
    | (?P<other>\S)
    )""",
    re.VERBOSE,
)
NAME = re.compile(r"([A-Za-z][A-Za-z0-9]*)(.*?)((?:\.(?:length|size)(?:\(\))?)?)$", re.DOTALL)
SUBSCRIPT = re.compile(r"_\{([^{}]*)\}|_([A-Za-z0-9]+)|\[([^\[\]]*)\]")
# What else stands for any place.
ROLES = {**dict.fromkeys("urxqpth", "i"), **dict.fromkeys("vcyw", "j")}


class Token(NamedTuple):
    """A piece of a sentence: its kind, its text, and where it starts."""

    kind: str
    text: str
    at: int


def tokens(text: str) -> list[Token]:
    """Return the tokens of a sentence."""
    found = []
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        found.append(Token(kind, match[kind], match.start(kind)))
    return found


@functools.cache
def _phrases(choices: tuple[str, ...]) -> list[tuple[str, list[str]]]:
    """Return phrases, the longest first, with their words."""
    split = [
        one for choice in choices for one in (choice.split("|") if len(choice) > 1 else [choice])
    ]
    return [
        (one, [token.text for token in tokens(one)]) for one in sorted(split, key=len, reverse=True)
    ]


class Cursor:
    """A place in the tokens of a sentence, with what is common to all that is read there."""

    def __init__(self, text: str, names: Names) -> None:
        self.text, self.names = text, names
        self.tokens = tokens(text)
        self.at = 0

    def peek(self, ahead: int = 0) -> Token:
        """Return a token that is still unread; one of the kind ``end`` after the last."""
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else Token("end", "", len(self.text))

    @property
    def done(self) -> bool:
        """Whether every token was read."""
        return self.at >= len(self.tokens)

    def word(self, *choices: str) -> str | None:
        """Read one of some phrases (``a|the|one of``), the longest first; None where none comes."""
        for choice, parts in _phrases(choices):
            if all(self.peek(k).text.lower() == part for k, part in enumerate(parts)):
                self.at += len(parts)
                return choice
        return None

    def need(self, *choices: str) -> str:
        """Read one of some words, or give up."""
        found = self.word(*choices)
        if found is None:
            raise NotUnderstood(f"one of {choices} is missing")
        return found

    def attempt(self, reader: Callable[[Cursor], T]) -> T | None:
        """Read something, or stay where we are."""
        before = self.at
        try:
            return reader(self)
        except NotUnderstood:
            self.at = before
            return None

    @property
    def rest(self) -> str:
        """The text that is still unread."""
        return self.text[self.peek().at :]


# ------------------------------------------------------------------ terms


def expression(cursor: Cursor, depth: int = 0) -> str:
    """Read a sum.

    Raises:
        NotUnderstood: There is none here, or it speaks of values that the input has not.
    """
    deepest = 12  # brackets in brackets
    if depth > deepest:
        raise NotUnderstood("too many brackets")
    left = _product(cursor, depth)
    while cursor.peek().text in ("+", "-"):
        sign = cursor.peek().text
        before = cursor.at
        cursor.at += 1
        try:
            left = f"{left} {sign} {_product(cursor, depth)}"
        except NotUnderstood:
            cursor.at = before
            break
    return left


def _product(cursor: Cursor, depth: int) -> str:
    left = _power(cursor, depth)
    while True:
        token = cursor.peek()
        before = cursor.at
        operator = {"*": "*", "/": "//", "//": "//", "%": "%", "mod": "%"}.get(token.text)
        joined = token.kind == "name" or token.text in ("(", "{", "\\(")
        if operator:
            cursor.at += 1
        elif not (joined and cursor.at and _touches(cursor)):
            return left
        right = cursor.attempt(lambda c: _power(c, depth))
        if right is None:
            cursor.at = before
            return left
        left = f"{_bracketed(left)} {operator or '*'} {_bracketed(right)}"


def _touches(cursor: Cursor) -> bool:
    """Whether the next token is a factor without a sign: ``2N``, ``N(N-1)``, not ``N (1 <= N)``."""
    last, token = cursor.tokens[cursor.at - 1], cursor.peek()
    return last.at + len(last.text) == token.at


def _bracketed(text: str) -> str:
    return f"({text})" if re.search(r"[^*] [-+] ", text) and not enclosed(text) else text


def enclosed(text: str) -> bool:
    """Whether one pair of brackets is around all of a text."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if not depth and place < len(text) - 1:
            return False
    return text.startswith("(")


def _power(cursor: Cursor, depth: int) -> str:
    if cursor.peek().text in ("-", "+"):
        sign = cursor.peek().text
        cursor.at += 1
        inner = _power(cursor, depth)
        return f"-{inner}" if sign == "-" else inner
    base = _atom(cursor, depth)
    if cursor.peek().text in ("^", "**"):
        cursor.at += 1
        return f"{base} ** {_power(cursor, depth)}"
    return base


def _atom(cursor: Cursor, depth: int) -> str:
    token = cursor.peek()
    cursor.at += 1
    if token.kind in ("number", "product"):
        number = token.text.lower()
        if "e" in number:
            return str(int(float(number)))
        # In a chain of digits 0 at the front is a numeral of a text, and no number of Python.
        return number if "." in number or number == "0" else number.lstrip("0") or "0"
    if token.text in ("(", "{"):
        inner = expression(cursor, depth + 1)
        cursor.need({"(": ")", "{": "}"}[token.text])
        return inner if re.fullmatch(r"[\w\[\]]+", inner) else f"({inner})"
    if token.text == "|":
        inner = expression(cursor, depth + 1)
        cursor.need("|")
        return sized(cursor.names, inner)
    if token.kind == "quoted":
        return repr(token.text[1:-1])
    if token.kind == "name":
        cursor.at -= 1
        return _named(cursor, depth)
    cursor.at -= 1
    raise NotUnderstood(f"{token.text!r} is no term")


def sized(names: Names, term: str) -> str:
    """Return what ``|term|`` means: a length, or the absolute value of a number."""
    kind = names.kind(term)
    return (
        f"abs({term})"
        if kind in ("int", "real", "") and names.whole(term) == term
        else f"len({term})"
    )


def _named(cursor: Cursor, depth: int) -> str:
    token = cursor.peek()
    if cursor.word(
        "the length of", "length of", "the size of", "size of", "the number of elements in"
    ):
        cursor.word("the")
        cursor.word("string", "array", "list", "sequence", "word")
        name = cursor.peek()
        if name.kind != "name":
            raise NotUnderstood(f"{name.text!r} is no name")
        cursor.at += 1
        return f"len({term(name.text, cursor.names)})"
    if cursor.word("the sum of all", "the sum of", "sum of all", "sum of", "the total of"):
        summed = _product(cursor, depth + 1)
        of_list = re.fullmatch(r"\w+\[i\]", summed)
        return f"sum({summed.removesuffix('[i]') if of_list else summed})"
    if side := cursor.word(
        "the number of rows", "number of rows", "the number of columns", "number of columns"
    ):
        found = list(matrices(cursor.names))
        if len(found) != 1:
            raise NotUnderstood("rows of what?")
        return f"len({found[0]})" if "rows" in side else f"len({found[0]}[i])"
    functions = ("min", "max", "abs", "sum", "int")
    if token.text in functions and cursor.peek(1).text in ("(", "{"):
        cursor.at += 2
        inner = [expression(cursor, depth + 1)]
        while cursor.word(","):
            inner.append(expression(cursor, depth + 1))
        cursor.need(")", "}")
        return f"{token.text}({', '.join(inner)})"
    cursor.at += 1
    return term(token.text, cursor.names)


def matrices(names: Names) -> Iterator[str]:
    """Yield the lists that have rows: lists of lists, and of texts."""
    yield from (
        name for name, place in names.places.items() if place.depth + (place.kind == "text") == 2
    )


def only_list(names: Names, kind: str) -> tuple[str, ...]:
    """Return the name of the only list of a kind; none where there are several."""
    found = [name for name, place in names.places.items() if place.kind == kind and place.depth]
    return tuple(found) if len(found) == 1 else ()


def term(written: str, names: Names) -> str:
    """Return the term for a name as it is written: ``A_{i+1}``, ``nums[i].length``.

    Raises:
        NotUnderstood: The input has no such value.
    """
    match = NAME.match(written)
    if not match:
        raise NotUnderstood(written)
    base, tail, size = match.groups()
    subscripts = [
        part
        for found in SUBSCRIPT.finditer(tail)
        for part in _subscripts(next(filter(None, found.groups()), ""), names)
    ]
    # A value may be called S_x: then x is no index.
    called = base + tail.replace("{", "").replace("}", "")
    found = called if called in names.places else names.find(base, subscripts)
    if found is None and not subscripts and not size:
        if base in names.indices or base in ROLES:
            return ROLES.get(base, base)
        # ``HW`` is H times W, where the input has both.
        if 2 <= len(base) <= 3 and all(letter in names.places for letter in base):
            return " * ".join(base)
    if found is None:
        raise NotUnderstood(f"the input has no {written}")
    return f"len({found})" if size else found


def _subscripts(text: str, names: Names) -> list[str]:
    """Return the indices in a subscript: ``i,j`` and ``ij`` are two."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) == 1 and re.fullmatch(r"[i-l]{2,3}", text):
        parts = list(text)
    parts = [ROLES.get(part, part) if part not in names.places else part for part in parts]
    for part in parts:
        if not re.fullmatch(r"\*|\w+(?:\s*[-+]\s*\w+)?", part):
            raise NotUnderstood(f"the index {text!r}")
    spelt = [re.sub(r"\s*([-+])\s*", r" \1 ", part) for part in parts]
    return [re.sub(r"[A-Za-z]\w*", lambda m: names.aliases.get(m[0], m[0]), part) for part in spelt]


def row(cursor: Cursor) -> list[str]:
    """Read the terms of one row, ``(X_i, Y_i)``.

    Raises:
        NotUnderstood: There are no brackets here, or only one term in them.
    """
    bracket = cursor.need("(|{|[")
    found = [expression(cursor)]
    while cursor.word(","):
        found.append(expression(cursor))
    cursor.need({"(": ")", "{": "}", "[": "]"}[bracket])
    if len(found) < 2:
        raise NotUnderstood("no tuple")
    return found


class Span(NamedTuple):
    """The ends of a range."""

    low: str
    high: str


def span(cursor: Cursor) -> Span:
    """Read ``between a and b``, ``from a to b``, ``in the range [a, b]``.

    Raises:
        NotUnderstood: None of these comes.
    """
    cursor.word("of|being")
    if cursor.word(
        "in the range|in range|within the range|in the inclusive range|in the interval|in"
    ):
        if cursor.word("from"):
            pass
        elif cursor.word("["):
            low = expression(cursor)
            cursor.need(",")
            high = expression(cursor)
            cursor.need("]")
            return Span(low, high)
        else:
            cursor.need("of")
    else:
        cursor.need("between|from|ranging from")
    low = expression(cursor)
    cursor.need("and|to|through|-")
    return Span(low, expression(cursor))


# ------------------------------------------------------------------ comparisons


def comparisons(cursor: Cursor) -> list[Compare]:
    """Read chains: ``1 <= H, W <= 9`` and what follows them after a comma or ``and``.

    Raises:
        NotUnderstood: There is none here.
    """
    found = chain(cursor)
    while True:
        before = cursor.at
        if not cursor.word(", and", ",", "and", ";") or (more := cursor.attempt(chain)) is None:
            cursor.at = before
            return found
        found += more


def chain(cursor: Cursor) -> list[Compare]:
    """Read one chain of comparisons."""
    groups, operators = [_group(cursor)], list[str]()
    while cursor.peek().kind == "compare":
        operators.append("==" if cursor.peek().text == "=" else cursor.peek().text)
        cursor.at += 1
        before = cursor.at
        group = _group(cursor)
        more = cursor.peek().kind == "compare"
        # In ``1 <= n <= m, k <= 6`` and ``a < b, c < d`` the comma ends a chain, in
        # ``1 <= n, m <= 6`` and ``n <= a_i, b_i <= m`` it joins two names.
        of_lists = all("[" in text for text in group) and not any("[" in text for text in groups[0])
        inside = len(operators) == 1 and (of_lists or not _all_terms(groups[0]))
        if len(group) > 1 and (not _all_terms(group) or not (inside if more else cursor.done)):
            cursor.at = before
            group = [expression(cursor)]
        groups.append(group)
    if not operators:
        raise NotUnderstood("no comparison")
    if set(operators) == {"=="} and all(text.isdecimal() for text in groups[-1]):
        # Of ``a[i].length == b[i].length == 2`` each is 2: one of both lists may have more rows.
        groups, operators = [[text for group in groups[:-1] for text in group], groups[-1]], ["=="]
    return [
        Compare(a, operator, b)
        for left, operator, right in zip(groups, operators, groups[1:], strict=False)
        for a in left
        for b in right
        if a != b
    ]


def _group(cursor: Cursor) -> list[str]:
    found = [expression(cursor)]
    while True:
        before = cursor.at
        if not cursor.word(", and", ",", "and") or (more := cursor.attempt(expression)) is None:
            cursor.at = before
            return found
        found.append(more)


def _all_terms(group: Sequence[str]) -> bool:
    return all(re.match(r"[A-Za-z(]", text) for text in group)
