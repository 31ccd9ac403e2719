"""Reads the layout that a format block shows: ``N M``, ``A_1 A_2 ... A_N``.

`formats.lark` is the grammar of blocks: terms with places (``A_{1,j}``) and dots. Dots in a line
stand for terms, dots between lines for lines. The terms or lines around the dots differ in one
place, which counts from its first to its last value; together they become a `RepeatedPart`. A block
does not show whether its values are numbers or words: they have the kind ``word`` until
`find_layout` reads the inputs.
"""

from __future__ import annotations

import functools
import itertools
import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput

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
from venus_toolkit.builders.inputs.spec.specification import SpecError

GRAMMAR = Path(__file__).with_name("formats.lark")
ROW = "#"  # in the places of a term: the number of the repeat
NAMED = re.compile(r"[A-Za-z]\w*#?")


class Term(NamedTuple):
    """A value with its places: ``A_{1,j}`` is A at 1 and j; the base of a number is empty."""

    base: str
    places: tuple[str, ...] = ()
    glued: bool = False  # without a blank before it


class Row(NamedTuple):
    """A line of a block."""

    parts: tuple[Part, ...]


class RepeatedPart(NamedTuple):
    """Terms of a line, or lines, that repeat; in their places ``#`` counts from start to end.

    Other blocks describe test cases and queries: `cases` are the lines of each case, `queries` the
    forms of each line.
    """

    body: tuple[Part, ...]
    start: str
    end: str
    glued: bool = False
    cases: tuple[Part, ...] = ()
    queries: tuple[Row, ...] = ()


Part = Term | Row | RepeatedPart
DOTS = None  # stands for dots in a list of parts


def layouts(formats: Sequence[str]) -> Iterator[Layout]:
    """Yield the layouts that the format blocks of a statement may mean, the likeliest first."""
    most_series = 4  # series of terms to try both with and without blanks
    for whole in _combine_blocks([lines for lines in map(_lines, formats) if lines]):
        # ``S_1S_2...S_N`` is one word or several: conversion may lose blanks, so the inputs decide.
        count = min(most_series, sum(map(_is_series, _parts_in(whole))))
        flips = itertools.product((False, True), repeat=count)
        for flip in sorted(flips, key=lambda flip: min(sum(flip), len(flip) - sum(flip) + 0.5)):
            yield _LayoutWriter(whole, flip).layout()


@functools.cache
def _parser() -> Lark:
    return Lark(GRAMMAR.read_text(encoding="utf-8"), start="block", parser="lalr")


def _lines(block: str) -> tuple[Part, ...]:
    """Return the parts of a block, one for each line; nothing if the text is not a block."""
    longest_block = 4_000  # characters
    try:
        lines: list[Sequence[Part | None] | None] = _Reader().transform(
            _parser().parse(block[:longest_block])
        )
    except (UnexpectedInput, RecursionError):
        return ()
    terms = [part for line in lines for part in line or () if isinstance(part, Term)]
    pairs = {term.base for term in terms if PAIRED.fullmatch(",".join(term.places))} & {
        term.base for term in terms if term.places == ("11",)
    }
    rows: list[Part | None] = [
        Row(tuple(_fold([_split(part, pairs) for part in line], ()))) if line else DOTS
        for line in lines
    ]
    return tuple(_fold(rows, (True, False)) or ())


class _Reader(Transformer[Token, Any]):
    """Makes parts of a parse tree: a line is a list of terms and dots, or dots."""

    block = list

    def down(self, _: list[Token]) -> None:
        return DOTS

    def row(self, parts: list[Any]) -> list[Any]:
        return [DOTS if isinstance(part, Token) else part for part in parts]

    def constant(self, words: list[Token]) -> Term:
        return Term("", ("".join(words),))

    def term(self, parts: list[Any]) -> Term:
        places = parts[1] if len(parts) > 1 else ()
        return Term(str(parts[0]), places, glued=parts[0].type == "GLUED")

    places = tuple
    NUMBER = INDEX = str

    def count(self, parts: list[str]) -> str:
        return "".join(parts)

    def product(self, parts: list[str]) -> str:
        text = parts[0]
        for before, part in itertools.pairwise(parts):
            text += part if part in ("*", "//") or before in ("*", "//") else f"*{part}"
        return text

    def TIMES(self, sign: Token) -> str:
        return "//" if sign == "/" else "*"

    def power(self, parts: list[str]) -> str:
        return "**".join(parts)

    def length(self, parts: list[str]) -> str:
        return f"len_{parts[0]}"

    def brackets(self, parts: list[str]) -> str:
        return parts[0] if re.fullmatch(r"\w+", parts[0]) else f"({parts[0]})"

    def named(self, parts: list[Any]) -> str:
        return "_".join([str(parts[0]), *(parts[1] if len(parts) > 1 else ())])


PAIRED = re.compile(r"1\*[A-Z]|[A-Z]\*1")


def _split(part: Part | None, pairs: set[str]) -> Part | None:
    """Split the places of a term without a comma: ``A_{11}`` to ``A_{1N}``."""
    if not isinstance(part, Term) or part.base not in pairs or len(part.places) != 1:
        return part
    digits = part.places[0].replace("*", "")
    return part._replace(places=tuple(digits)) if len(digits) == 2 else part


# ------------------------------------------------------------------ dots


@dataclass(slots=True)
class _Ends:
    """The counting place in the first and in the last part around dots."""

    first: str | None = None
    last: str = ""
    alike: bool = True

    def join_place(self, first: str, last: str) -> str:
        """Join a place: ROW if it counts from `first` to `last`."""
        if first == last:
            return first
        if self.first is None and first.isdigit():
            self.first, self.last = first, last
        if (first, last) == (self.first, self.last):
            return ROW
        # ``K_1`` and ``K_N``: the place has a subscript of its own.
        inner = re.sub(rf"_{re.escape(str(self.first))}(?!\w)", f"_{ROW}", first)
        self.alike &= inner == re.sub(rf"_{re.escape(self.last)}(?!\w)", f"_{ROW}", last)
        return inner

    def join_parts(self, first: Part, last: Part) -> Part | None:
        """Join two parts, place by place; None if their forms differ."""
        match first, last:
            case Term(), Term():
                if first.base == last.base and len(first.places) == len(last.places):
                    return first._replace(
                        places=tuple(map(self.join_place, first.places, last.places))
                    )
            case Row(), Row():
                parts = self.join_all(first.parts, last.parts)
                return Row(parts) if parts else None
            case RepeatedPart(), RepeatedPart():
                body = self.join_all(first.body, last.body)
                start, end = (
                    self.join_place(first.start, last.start),
                    self.join_place(first.end, last.end),
                )
                return first._replace(body=body, start=start, end=end) if body else None
        return None

    def join_all(self, first: Sequence[Part], last: Sequence[Part]) -> tuple[Part, ...]:
        """Join parts pair by pair; nothing if two differ in form."""
        parts = [self.join_parts(a, b) for a, b in zip(first, last, strict=False)]
        whole = tuple(part for part in parts if part)
        return whole if len(first) == len(last) == len(whole) else ()


def _join(first: Sequence[Part], last: Sequence[Part], strict: bool) -> RepeatedPart | None:
    """Return the repeat that runs from the first to the last parts; None if they do not match.

    strict requires that they differ in one place only.
    """
    ends = _Ends()
    body = ends.join_all(first, last)
    if not body or ends.first is None or (strict and not ends.alike):
        return None
    return RepeatedPart(body, ends.first, ends.last)


def _fold(parts: Sequence[Part | None], tries: Sequence[bool]) -> list[Part]:
    """Fold the parts around dots, and those that count up without dots, into repeats.

    Args:
        parts: Terms of a line, or lines.
        tries: For lines, the values of `strict` to try in turn; empty for terms. Dots in a line may
            mean nothing, but dots between lines that do not match yield no parts.
    """
    done: list[Part] = []
    at = 0
    while at < len(parts):
        part = parts[at]
        at += 1
        if part is not DOTS:
            done.append(part)
            continue
        while at < len(parts) and parts[at] is DOTS:
            at += 1
        after = [
            part for part in itertools.takewhile(lambda part: part is not DOTS, parts[at:]) if part
        ]
        used_after = _fold_dots(done, after, tries or (True,))
        if not used_after and tries:
            return []
        at += used_after
    return _fold_runs(done, _all_count if tries else _is_list)


def _fold_dots(done: list[Part], after: Sequence[Part], tries: Sequence[bool]) -> int:
    """Replace the parts before dots by their repeat; return how many parts after them it uses."""
    before = list(
        itertools.takewhile(lambda part: not isinstance(part, RepeatedPart), reversed(done))
    )[::-1]
    for strict, width in itertools.product(tries, range(1, min(len(before), len(after)) + 1)):
        repeat = _join(before[-width:], after[:width], strict)
        if not repeat:
            continue
        used_before, used_after = width, width
        # Several terms may be before the dots (``A_1 A_2``) and after them (``A_{N-1} A_N``).
        while len(before) >= used_before + width and repeat.start.isdigit():
            earlier = _join(
                before[-used_before - width : -used_before],
                before[-used_before:][:width],
                strict=False,
            )
            if not earlier or (earlier.start, earlier.end) != (
                _predecessor(repeat.start),
                repeat.start,
            ):
                break
            used_before, repeat = used_before + width, repeat._replace(start=earlier.start)
        while more := _join(before[-width:], after[used_after : used_after + width], strict):
            used_after, repeat = used_after + width, repeat._replace(end=more.end)
        glued = _is_glued(after[0]) or (used_before > width and _is_glued(before[-width]))
        done[len(done) - used_before :] = [repeat._replace(glued=glued)]
        return used_after
    return 0


def _predecessor(place: str) -> str:
    return str(int(place) - 1)


def _is_glued(part: Part) -> bool:
    return isinstance(part, Term) and part.glued


def _fold_runs(
    parts: Sequence[Part], enough: Callable[[Sequence[Part], RepeatedPart], bool]
) -> list[Part]:
    """Fold runs like ``A_1 A_2 A_3`` into repeats, if `enough` accepts them."""
    done: list[Part] = []
    at = 0
    while at < len(parts):
        end = at + 1
        while end < len(parts) and _follows(parts[end - 1], parts[end]):
            end += 1
        run = parts[at:end]
        repeat = _join(run[:1], run[-1:], strict=True) if len(run) > 1 else None
        if repeat and enough(run, repeat):
            done.append(repeat._replace(glued=all(map(_is_glued, run[1:]))))
        else:
            done += run
        at = end
    return done


def _follows(first: Part, second: Part) -> bool:
    pair = None if isinstance(first, RepeatedPart) else _join([first], [second], strict=True)
    return bool(
        pair
        and pair.start.isdigit()
        and pair.end.isdigit()
        and pair.start == _predecessor(pair.end)
    )


def _is_list(run: Sequence[Part], _: RepeatedPart) -> bool:
    """Whether terms are a list: at least three, or two without a blank between them."""
    return len(run) > 2 or all(map(_is_glued, run[1:]))


def _all_count(_: Sequence[Part], repeat: RepeatedPart) -> bool:
    """Whether every value has the counting place; ``N_1`` alone in a row is a name."""
    return all(ROW in term.places for term in _parts_in(repeat.body) if isinstance(term, Term))


# ------------------------------------------------------------------ several blocks


def _combine_blocks(blocks: Sequence[tuple[Part, ...]]) -> Iterator[tuple[Part, ...]]:
    """Yield the first block with ``case_1`` to ``case_T`` filled by the others, then unchanged."""
    if not blocks:
        return
    first, others = blocks[0], blocks[1:]
    placeholder = next((at for at, part in enumerate(first) if _is_placeholder(part)), None)
    if placeholder is not None and others:
        rows = first[placeholder]
        assert isinstance(rows, RepeatedPart)
        # The kinds of queries, each in a separate block or line.
        forms = [line for block in others for line in block]
        queries = tuple(
            line
            for line in forms
            if isinstance(line, Row) and isinstance(line.parts[0], Term) and not line.parts[0].base
        )
        if len(queries) == len(forms):
            yield (*first[:placeholder], rows._replace(queries=queries), *first[placeholder + 1 :])
        for cases in _combine_blocks(others):
            yield (*first[:placeholder], rows._replace(cases=cases), *first[placeholder + 1 :])
    last = first[-1]
    if placeholder is None and others and len(first) == 1 and isinstance(last, Row):
        # ``T`` alone: the text around the blocks says that T cases follow.
        term = last.parts[-1]
        if isinstance(term, Term) and term.base:
            for cases in _combine_blocks(others):
                yield (*first, RepeatedPart((), "1", _name(term), cases=cases))
    yield first


def _is_placeholder(part: Part) -> bool:
    match part:
        case RepeatedPart(body=(Row(parts=(Term(places=(place,)),)),)):
            return place == ROW
    return False


def _is_series(part: Part) -> bool:
    return isinstance(part, RepeatedPart) and len(part.body) == 1 and isinstance(part.body[0], Term)


def _parts_in(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield the terms of lines and the repeats in them, in their order."""
    for part in parts:
        match part:
            case Row():
                yield from _parts_in(part.parts)
            case RepeatedPart(body=(Term(), *_)):
                yield part
            case RepeatedPart():
                yield from _parts_in(part.cases or part.queries or part.body)
            case Term():
                yield part


# ------------------------------------------------------------------ parts to layouts


class _LayoutWriter:
    """Makes a layout; `flips` says for each list of terms whether its blanks were lost or added."""

    def __init__(self, whole: tuple[Part, ...], flips: Sequence[bool]) -> None:
        self.whole = whole
        self.flips = iter(flips)
        self.names = {_name(part) for part in _parts_in(whole) if isinstance(part, Term)}
        self.before: list[str] = []  # the names in the plain lines so far
        self.cases: str | None = None

    def layout(self) -> Layout:
        """Return the layout."""
        body = unique([self.item(part) for part in self.whole])
        return Layout("lines", body, self.cases)

    def item(self, part: Part) -> Item:
        """Return a line or a repeat of lines."""
        if isinstance(part, RepeatedPart):
            count = self.count(part)
            if part.queries:
                forms = [(row.parts[0], self.nodes(row.parts[1:])) for row in part.queries]
                kinds = tuple(
                    (kind.places[0], nodes) for kind, nodes in forms if isinstance(kind, Term)
                )
                return Loop(count, (Choice(kinds),))
            if part.cases:
                if count.isidentifier() and count not in self.before:
                    # The block counts to ``case_N``, but calls the number of cases T.
                    count = next(reversed(self.before), count)
                if count.isidentifier() and not self.cases:
                    self.cases = count
            return Loop(count, tuple(map(self.item, part.cases or part.body)))
        assert isinstance(part, Row)
        self.before += [_name(term) for term in part.parts if isinstance(term, Term)]
        return Line(self.nodes(part.parts))

    def nodes(self, parts: Sequence[Part]) -> tuple[Node, ...]:
        """Return the values of a line."""
        return tuple(map(self.node, parts))

    def node(self, part: Part) -> Node:
        """Return a value or a list."""
        if isinstance(part, Term):
            return Scalar(_name(part), "word")
        assert isinstance(part, RepeatedPart)
        terms = tuple(Scalar(_name(term), "word") for term in part.body if isinstance(term, Term))
        name, count = terms[0].name, self.count(part)
        if len(terms) > 1:
            return Many(name, count, Tuple(terms))
        if part.glued != next(self.flips, False):
            return Scalar(name, "text", count)
        return Many(name, count, terms[0])

    def count(self, repeat: RepeatedPart) -> str:
        """Return the number of places as an expression; ``0`` if the end cannot be parsed."""

        def written(match: re.Match[str]) -> str:
            if match[0].startswith("len_"):
                return match[0]
            base, _, place = match[0].partition("_")
            name = _name(Term(base, (place,) if place else ()))
            return (
                "*".join(name) if name not in self.names and self.names.issuperset(name) else name
            )

        text = NAMED.sub(written, repeat.end)
        first = int(repeat.start) if repeat.start.isdigit() else 1
        try:
            parse(text)
        except SpecError:
            return "0"
        if text.isdigit():
            return str(int(text) - first + 1)
        if first == 0 and text.endswith("-1"):
            return text[:-2]
        return text if first == 1 else f"{text} {'+' if first < 1 else '-'} {abs(first - 1)}"


def _name(term: Term) -> str:
    """Return a term as an identifier, without the places that count."""
    places = [
        re.sub(r"\W", "", place)
        for place in term.places
        if place != ROW and not re.fullmatch(r"[ijk]", place)
    ]
    name = "_".join([re.sub(r"\W", "", term.base) or "value", *filter(None, places)])
    return f"{name}_" if keyword.iskeyword(name) or name in ("min", "max") else name
