"""The layout that a format block shows: ``N M``, ``A_1 A_2 ...

A_N``, ``x_1 y_1``, a line of dots, ``x_M y_M``.

A block is read in three steps. Its words become terms with places (``A_{1,j}``); dots in a line
make a `Series` of the terms around them; dots between lines make `Rows` of the lines around them.
What stands at the two ends of the dots differs in one place, which counts from its first to its
last value. A block does not say whether its values are numbers or words: they are of the kind
``word`` until `find_layout` looks at the inputs.
"""

from __future__ import annotations

import itertools
import keyword
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from venus_toolkit.builders.inputs.spec.expressions import parse
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
    unique,
)

ROW = "#"  # the place that counts the rows
LOOKS = re.compile(
    r"\\?(?:hspace|vspace|phantom)\s{0,3}\{[^{}]{0,20}\}|\{\s?[0-9.]{1,5}\s?(?:cm|mm|pt|em|ex)\s?\}"
    r"|\\(?:quad|qquad|rm|bf|it|tt|[ ,;!:])|[$`>~]"
)
DOTS = r"\.{2,}|…|\\?[lchd]?dots(?:[bcimo](?!\w))?"
ROW_DOTS = re.compile(rf"(?:\s|[|.:⋮︙]|\\vdots|vdots|{DOTS})+")
NESTED = r"\{(?:[^{}]|\{[^{}]{0,40}\}){0,80}\}"
TOKEN = re.compile(
    rf"(?P<blank>\s*)(?:(?P<dots>{DOTS})|(?P<number>-?[0-9]+)"
    rf"|\\?(?P<base>[A-Za-z]+'*)(?:\s?_\s?(?P<places>{NESTED}|[0-9]+|[a-z]{{2,}}|[A-Za-z]))?'*|(?P<other>[^\s{{}}]))"
)
PLACEHOLDER = re.compile(r"(?:[Tt]est)?[Cc]ase|[Tt]est|[Qq]uery|QUERY|[Ee]vent|[Oo]peration")
OPERAND = re.compile(r"\|\w+\||[A-Za-z]\w*(?:_#)?|\d+|\*\*|[-+*/^()]")


class Term(NamedTuple):
    """A value with its places: ``A_{1,j}`` is A at 1 and j.

    The base of a number is empty, its place the number.
    """

    base: str
    places: tuple[str, ...] = ()
    glued: bool = False  # to what stands before it


class Series(NamedTuple):
    """Terms that come again and again in a line; in their places ``#`` counts from start to end."""

    terms: tuple[Term, ...]
    start: str
    end: str
    glued: bool


class Rows(NamedTuple):
    """Lines that come again and again; in their places ``#`` counts from start to end."""

    lines: tuple[Row, ...]
    start: str
    end: str


Row = tuple["Term | Series", ...]
DOTTED = Term("...")


def layouts(formats: Sequence[str]) -> Iterator[Layout]:
    """Yield the layouts that the format blocks of a statement may mean, the likeliest first."""
    blocks = [lines for lines in map(_lines, formats) if lines]
    wholes = _combined(blocks)
    most_series = 4  # of which each is tried with and without blanks
    for whole in wholes:
        series = [
            each
            for each in _elements_in(whole)
            if isinstance(each, Series) and len(each.terms) == 1
        ][:most_series]
        # ``S_1S_2...S_N`` is one word or several: blanks between terms are easily lost, the inputs
        # decide.
        flips = itertools.product((False, True), repeat=len(series))
        for flip in sorted(flips, key=lambda flip: min(sum(flip), len(flip) - sum(flip) + 0.5)):
            turned = {id(each) for each, turn in zip(series, flip, strict=True) if turn}
            yield _layout(whole, turned)


# ------------------------------------------------------------------ words of a line


def _lines(block: str) -> list[Row | Rows] | None:
    """Return what the lines of a block show, None where it does not look like a block."""
    longest_block = 4_000  # characters
    text = LOOKS.sub(" ", block[:longest_block])
    text = re.sub(r"\\(?:mathrm|mathit|mathtt|text|texttt|textrm|operatorname)(?=\s?\{)", "", text)
    text = re.sub(
        r"(?<![_^\\])\{\s?(\w{1,20})\s?\}", r"\1", re.sub(r"[ \t]?([_^])[ \t]?", r"\1", text)
    )
    most_lines = 60
    rows = [line.strip() for line in text.splitlines() if line.strip()][:most_lines]
    terms = [None if ROW_DOTS.fullmatch(row) else _terms(row) for row in rows]
    if not rows or any(found == [] for found in terms) or all(found is None for found in terms):
        return None
    pairs = _paired_digits([term for found in terms if found for term in found])
    lines = [
        None if found is None else _row([_split(term, pairs) for term in found]) for found in terms
    ]
    return _in_rows(lines)


def _terms(line: str) -> list[Term]:
    found: list[Term] = []
    for match in TOKEN.finditer(line):
        glued = not match["blank"] and match.start() > 0
        if match["dots"]:
            found.append(DOTTED._replace(glued=glued))
        elif match["number"]:
            found.append(Term("", (match["number"],), glued))
        elif match["base"]:
            found.append(Term(match["base"], _places(match["places"] or ""), glued))
        elif found:
            # ``Y/M/D`` is one word, whatever it is made of.
            found[-1] = found[-1]._replace(places=())
    if len(found) == 2 and PLACEHOLDER.fullmatch(found[0].base) and not found[0].places:
        # ``query 1`` to ``query Q``
        return [
            found[0]._replace(places=found[1].places if not found[1].base else (found[1].base,))
        ]
    return found


def _places(text: str) -> tuple[str, ...]:
    text = re.sub(r"\s", "", text)
    text = re.sub(r"_\{([^{}]*)\}", r"_\1", text[1:-1] if text.startswith("{") else text)
    text = text.replace("{", "(").replace("}", ")").replace("\\times", "*").replace("\\", "")
    return tuple(part for part in text.split(",") if part)


def _paired_digits(terms: Sequence[Term]) -> set[str]:
    """Return the bases that write two places without a comma: ``A_{11}`` to ``A_{1N}``."""
    mixed = {
        term.base
        for term in terms
        if len(term.places) == 1 and re.fullmatch(r"1[A-Z]|[A-Z]1", term.places[0])
    }
    return {term.base for term in terms if term.base in mixed and term.places == ("11",)}


def _split(term: Term, pairs: set[str]) -> Term:
    two = term.base in pairs and len(term.places) == 1 and re.fullmatch(r"\w\w", term.places[0])
    return term._replace(places=tuple(term.places[0])) if two else term


def _row(terms: Sequence[Term]) -> Row:
    """Put the terms around dots together, and terms of one base that count up without dots."""
    done: list[Term | Series] = []
    at = 0
    while at < len(terms):
        term = terms[at]
        terms_before = itertools.takewhile(lambda each: isinstance(each, Term), reversed(done))
        before = [each for each in terms_before if isinstance(each, Term)][::-1]
        found = _take_series(before, terms[at + 1 :]) if term.base == "..." else None
        if found:
            series, used, taken = found
            del done[len(done) - used :]
            done.append(series)
            at += taken
        elif term.base != "...":
            done.append(term)
        at += 1
    return _counted_up(done)


def _take_series(before: Sequence[Term], after: Sequence[Term]) -> tuple[Series, int, int] | None:
    """Return the series of the dots between two runs of terms, and how many terms on each side belong to it."""
    for width in range(1, min(len(before), len(after)) + 1):
        joined = _join([tuple(before[-width:])], [tuple(after[:width])], strict=True)
        if not joined:
            continue
        used, taken, start, end = width, width, joined.start, joined.end
        while len(before) >= used + width and _follows(
            before[-used - width : len(before) - used], before[-used:][:width]
        ):
            used, start = used + width, str(int(start) - 1)
        # ``A_{N-1}`` may be written out before ``A_N``.
        while more := _join(
            [tuple(before[-width:])], [tuple(after[taken : taken + width])], strict=True
        ):
            taken, end = taken + width, more.end
        (row,) = joined.lines
        glued = after[0].glued or (used > width and before[-width].glued)
        return (
            Series(tuple(each for each in row if isinstance(each, Term)), start, end, glued),
            used,
            taken,
        )
    return None


def _follows(first: Sequence[Term | Series], second: Sequence[Term | Series]) -> bool:
    found = _join([tuple(first)], [tuple(second)], strict=True)
    return bool(found and found.start.isdigit() and found.end == str(int(found.start) + 1))


def _counted_up(row: Sequence[Term | Series]) -> Row:
    """Return a row with ``A_1 A_2 A_3`` as a series.

    Of two terms only where no blank is between them.
    """
    done: list[Term | Series] = []
    at = 0
    while at < len(row):
        end = at + 1
        while (
            end < len(row) and isinstance(row[end], Term) and _follows([row[end - 1]], [row[end]])
        ):
            end += 1
        run = [each for each in row[at:end] if isinstance(each, Term)]
        joined = _join([(run[0],)], [(run[-1],)], strict=True) if len(run) > 1 else None
        glued = len(run) > 1 and all(term.glued for term in run[1:])
        if joined and (len(run) > 2 or glued):
            (only,) = joined.lines[0]
            assert isinstance(only, Term)
            done.append(Series((only,), joined.start, joined.end, glued))
        else:
            done += row[at:end]
        at = end
    return tuple(done)


# ------------------------------------------------------------------ lines to rows


@dataclass(slots=True)
class _Ends:
    """What the counting place is in the first and the last of the things that dots stand for."""

    first: str | None = None
    last: str = ""
    alike: bool = True

    def join(self, first: str, last: str) -> str:
        """Return a place that is `first` in the first thing and `last` in the last."""
        if first == last:
            return first
        if self.first is None and first.isdigit():
            self.first, self.last = first, last
        if (first, last) == (self.first, self.last):
            return ROW
        # ``K_1`` and ``K_N``: a place with a place of its own.
        inner = re.sub(rf"_{re.escape(str(self.first))}(?!\w)", f"_{ROW}", first)
        self.alike &= inner == re.sub(rf"_{re.escape(self.last)}(?!\w)", f"_{ROW}", last)
        return inner


def _join(first: Sequence[Row], last: Sequence[Row], strict: bool) -> Rows | None:
    """Return the rows that run from the first to the last lines.

    `strict`: they differ in one place only.
    """
    ends = _Ends()
    lines: list[Row] = []
    for one, other in zip(first, last, strict=True):
        row = [_joined(a, b, ends) for a, b in zip(one, other, strict=False)]
        found = tuple(each for each in row if each)
        if len(one) != len(other) or len(found) != len(one):
            return None
        lines.append(found)
    if ends.first is None or (strict and not ends.alike):
        return None
    return Rows(tuple(lines), ends.first, ends.last)


def _joined(one: Term | Series, other: Term | Series, ends: _Ends) -> Term | Series | None:
    if isinstance(one, Term) and isinstance(other, Term):
        if one.base != other.base or len(one.places) != len(other.places):
            return None
        return one._replace(places=tuple(map(ends.join, one.places, other.places)))
    if isinstance(one, Series) and isinstance(other, Series) and len(one.terms) == len(other.terms):
        terms = [_joined(a, b, ends) for a, b in zip(one.terms, other.terms, strict=True)]
        kept = tuple(term for term in terms if isinstance(term, Term))
        start, end = ends.join(one.start, other.start), ends.join(one.end, other.end)
        return one._replace(terms=kept, start=start, end=end) if len(kept) == len(terms) else None
    return None


def _in_rows(lines: Sequence[Row | None]) -> list[Row | Rows] | None:
    """Return lines with those around dots (None) put together.

    None where dots stand between unlike lines.
    """
    done: list[Row | Rows] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line is not None:
            done.append(line)
            continue
        while at < len(lines) and lines[at] is None:
            at += 1
        after = [
            row
            for row in itertools.takewhile(lambda row: row is not None, lines[at:])
            if row is not None
        ]
        taken = _take_rows(done, after)
        if not taken:
            return None
        at += taken
    return _listed_out(done)


def _take_rows(done: list[Row | Rows], after: Sequence[Row]) -> int:
    """Replace the lines before dots by rows, and return how many lines after the dots belong to them."""
    before = itertools.takewhile(lambda row: not isinstance(row, Rows), reversed(done))
    plain = [row for row in before if not isinstance(row, Rows)][::-1]
    for strict, height in itertools.product(
        (True, False), range(1, min(len(plain), len(after)) + 1)
    ):
        found = _join(plain[-height:], after[:height], strict)
        if not found:
            continue
        used, taken, start, end = height, height, found.start, found.end
        while len(plain) >= used + height and start.isdigit():
            earlier = _join(
                plain[-used - height : len(plain) - used], plain[-used:][:height], strict=False
            )
            if not earlier or (earlier.start, earlier.end) != (str(int(start) - 1), start):
                break
            used, start = used + height, earlier.start
        while len(after) >= taken + height and (
            more := _join(plain[-height:], after[taken : taken + height], strict)
        ):
            taken, end = taken + height, more.end
        del done[len(done) - used :]
        done.append(found._replace(start=start, end=end))
        return taken
    return 0


def _listed_out(lines: Sequence[Row | Rows]) -> list[Row | Rows]:
    """Return lines with ``x_1 y_1`` and ``x_2 y_2`` as rows, though no dots are between them."""
    done: list[Row | Rows] = []
    for line in lines:
        last = done[-1] if done else None
        if isinstance(line, Rows) or last is None:
            done.append(line)
        elif isinstance(last, Rows):
            again = (
                _join([_at(last.lines[0], last.end)], [line], strict=True)
                if len(last.lines) == 1
                else None
            )
            follows = again and again.end == _after(last.end) and _all_count(again.lines[0])
            done[-1:] = [last._replace(end=again.end)] if again and follows else [last, line]
        else:
            pair = _join([last], [line], strict=True)
            follows = pair and pair.end == _after(pair.start) and _all_count(pair.lines[0])
            done[-1:] = [pair] if pair and follows else [last, line]
    return done


def _at(row: Row, place: str) -> Row:
    def put(term: Term) -> Term:
        return term._replace(places=tuple(place if each == ROW else each for each in term.places))

    return tuple(
        put(each) if isinstance(each, Term) else each._replace(terms=tuple(map(put, each.terms)))
        for each in row
    )


def _after(place: str) -> str:
    return str(int(place) + 1) if place.isdigit() else ""


def _all_count(row: Row) -> bool:
    """Whether every value of a row has the place that counts.

    ``N_1`` in a row of its own is a name.
    """
    terms = [term for each in row for term in ([each] if isinstance(each, Term) else each.terms)]
    return all(ROW in term.places for term in terms)


# ------------------------------------------------------------------ several blocks


Whole = tuple["Row | Rows | Inner | Kinds", ...]


class Inner(NamedTuple):
    """Rows whose lines another block shows: test cases."""

    rows: Rows
    body: Whole


class Kinds(NamedTuple):
    """Rows whose lines begin with a number that says what follows: queries."""

    rows: Rows
    forms: tuple[Row, ...]


def _combined(blocks: Sequence[Sequence[Row | Rows]]) -> Iterator[Whole]:
    """Yield the first block with its placeholder (``case_1`` to ``case_T``) filled by the others, then as it is."""
    if not blocks:
        return
    first = tuple(blocks[0])
    hole = next(
        (at for at, each in enumerate(first) if isinstance(each, Rows) and _is_placeholder(each)),
        None,
    )
    if hole is not None and len(blocks) > 1:
        rows = first[hole]
        assert isinstance(rows, Rows)
        # Queries of one kind after the other, each in a block or a line of its own.
        forms = [line for block in blocks[1:] for line in block]
        plain = tuple(line for line in forms if not isinstance(line, Rows))
        if len(plain) == len(forms) and all(
            isinstance(row[0], Term) and not row[0].base for row in plain
        ):
            yield (*first[:hole], Kinds(rows, plain), *first[hole + 1 :])
        for inner in _combined(blocks[1:]):
            yield (*first[:hole], Inner(rows, inner), *first[hole + 1 :])
    last = first[-1]
    if hole is None and len(blocks) > 1 and len(first) == 1 and not isinstance(last, Rows):
        # ``T`` alone: the words around the blocks say that as many cases follow.
        term = last[-1]
        if isinstance(term, Term) and term.base:
            rows = Rows((), "1", _name(term))
            yield from ((*first, Inner(rows, inner)) for inner in _combined(blocks[1:]))
    yield first


def _is_placeholder(rows: Rows) -> bool:
    line = rows.lines[0]
    return (
        len(rows.lines) == 1
        and len(line) == 1
        and isinstance(line[0], Term)
        and line[0].places == (ROW,)
    )


def _elements_in(whole: Whole) -> Iterator[Term | Series]:
    for each in whole:
        if isinstance(each, Inner):
            yield from _elements_in(each.body)
        elif isinstance(each, Kinds):
            yield from (element for row in each.forms for element in row)
        else:
            yield from (
                element
                for row in (each.lines if isinstance(each, Rows) else (each,))
                for element in row
            )


# ------------------------------------------------------------------ a layout of it


def _layout(whole: Whole, turned: set[int]) -> Layout:
    cases: list[str] = []
    before: list[str] = []
    names = frozenset(_name(each) for each in _elements_in(whole) if isinstance(each, Term))

    def items(whole: Whole) -> Iterator[Item]:
        for each in whole:
            if isinstance(each, Inner):
                count = _count(each.rows.start, each.rows.end, names)
                if count.isidentifier() and count not in before:
                    # ``case_N`` where the number of cases is called T.
                    count = next(reversed(before), count)
                if count.isidentifier():
                    cases.append(count)
                yield Loop(count, tuple(items(each.body)))
            elif isinstance(each, Kinds):
                forms = tuple(
                    (row[0].places[0], _nodes(row[1:], turned, names))
                    for row in each.forms
                    if isinstance(row[0], Term)
                )
                yield Loop(_count(each.rows.start, each.rows.end, names), (Choice(forms),))
            elif isinstance(each, Rows):
                yield Loop(
                    _count(each.start, each.end, names),
                    tuple(Line(_nodes(row, turned, names)) for row in each.lines),
                )
            else:
                before.extend(_name(term) for term in each if isinstance(term, Term))
                yield Line(_nodes(each, turned, names))

    return Layout("lines", unique(tuple(items(whole))), cases[0] if cases else None)


def _nodes(row: Row, turned: set[int], names: frozenset[str]) -> tuple[Node, ...]:
    done: list[Node] = []
    for each in row:
        if isinstance(each, Term):
            done.append(Scalar(_name(each), "word"))
            continue
        terms = [Scalar(_name(term), "word") for term in each.terms]
        count = _count(each.start, each.end, names)
        if len(terms) > 1:
            done.append(Many(terms[0].name, count, Tuple(tuple(terms))))
        elif each.glued != (id(each) in turned):
            done.append(Scalar(terms[0].name, "text", count))
        else:
            done.append(Many(terms[0].name, count, terms[0]))
    return tuple(done)


def _name(term: Term) -> str:
    """Return a term as an identifier.

    Places that count, here or in the words around the block, are no part of it.
    """
    kept = [
        re.sub(r"\W", "", place)
        for place in term.places
        if place != ROW and not re.fullmatch(r"[ijk]", place)
    ]
    name = "_".join([re.sub(r"\W", "", term.base) or "value", *filter(None, kept)])
    return f"{name}_" if keyword.iskeyword(name) or name in ("min", "max") else name


def _count(start: str, end: str, names: frozenset[str]) -> str:
    """Return how many places there are from `start` to `end`, as an expression.

    ``0`` where it cannot be read.
    """
    words = OPERAND.findall(end)
    done: list[str] = []
    for word in words:
        operand = word[0].isalnum() or word[0] in "(|"
        if done and operand and (done[-1][-1].isalnum() or done[-1] == ")"):
            done.append("*")
        if word.startswith("|"):
            word = f"len_{word.strip('|')}"
        elif word[0].isalpha():
            base, _, place = word.partition("_")
            word = _name(Term(base, (place,) if place else ()))
            if word not in names and names.issuperset(word):
                word = "*".join(word)
        done.append({"^": "**", "/": "//"}.get(word, word))
    text, first = "".join(done), int(start) if start.isdigit() else 1
    try:
        parse(text)
    except (SyntaxError, ValueError):
        return "0"
    if text.isdigit():
        return str(int(text) - first + 1)
    if first == 1:
        return text
    if first == 0 and text.endswith("-1"):
        return text[:-2]
    return f"{text} {'+' if first < 1 else '-'} {abs(first - 1)}"
