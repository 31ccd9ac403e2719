"""The heads of the functions in starter code: name, owner, the texts of parameters and result, and where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from venus_toolkit.signatures.grammar import Find, Grammar
from venus_toolkit.signatures.text import Code, Piece, closing


@dataclass(frozen=True, slots=True)
class Head:
    """One function. owner is its class, or empty; returns is None where the code says nothing.

    start and end are where the head begins and ends, body_end is where the body does; empty says whether the body has
    no code or, to be gone on with, no end.
    """

    name: str
    owner: str
    parameters: Piece
    returns: Piece | None
    start: int
    end: int
    body_end: int
    empty: bool
    constructor: bool = False


class _Span(NamedTuple):
    """A class and the places between which its body lies."""

    name: str
    start: int
    end: int


def find_heads(code: Code, grammar: Grammar) -> list[Head]:
    """Return the functions of a program in order, without those inside others, each with its owner."""
    spans = [
        _Span(match["name"], match.end(), _body_end(code, match.start(), match.end(), grammar.find))
        for match in grammar.find.holder.finditer(code.bare)
    ]
    heads = [_owned(head, spans, grammar) for head in _all_heads(code, grammar.find)]
    owners = {head.owner for head in heads}
    return [_with_own_constructor(head, owners) for head in heads]


def _all_heads(code: Code, find: Find) -> Iterator[Head]:
    place = 0
    while match := _first(code.bare, place, find):
        head = _head(code, match, find)
        place = max(head.body_end, match.end()) if head else match.end()
        if head:
            yield head


def _head(code: Code, match: re.Match[str], find: Find) -> Head | None:
    """Return the function whose head begins with `match`, or None where it does not go on like one."""
    bracket = code.bare.startswith("(", match.end())
    opened = match.end() + bracket
    closed = closing(code.bare, match.end()) if bracket else opened
    after = find.after.match(code.bare, closed + bracket)
    if not after:
        return None
    body_end = _body_end(code, match.start(), after.end(), find)
    body = find.nothing.sub("", code.bare[after.end() : body_end])
    unfinished = find.braces and body_end == len(code.bare)
    return Head(
        name=match["name"],
        owner=match.groupdict().get("owner") or "",
        parameters=Piece(opened, code.commentless[opened:closed]),
        returns=_returns(code, match) or _returns(code, after),
        start=match.start(),
        end=after.end(),
        body_end=body_end,
        empty=unfinished or not body.strip(" \n:;{}"),
    )


def _first(text: str, place: int, find: Find) -> re.Match[str] | None:
    found = [match for pattern in find.functions if (match := pattern.search(text, place))]
    return min(found, key=lambda match: match.start()) if found else None


def _returns(code: Code, match: re.Match[str]) -> Piece | None:
    if "returns" not in match.re.groupindex or match["returns"] is None:
        return None
    start, end = match.span("returns")
    return Piece(start, code.commentless[start:end])


def _body_end(code: Code, start: int, after: int, find: Find) -> int:
    """Return where the body of what begins at `start` ends; its head ends at `after`."""
    if not find.braces:
        return _indented_end(code.bare, start, after)
    opened = re.compile(r"[^{};]*\{").match(code.bare, after)
    return closing(code.bare, opened.end() - 1) if opened else after


def _indented_end(text: str, start: int, after: int) -> int:
    """Return the end of the lines that are indented deeper than the line of `start`."""
    line = text[text.rfind("\n", 0, start + 1) + 1 :]
    indent = len(line) - len(line.lstrip(" "))
    deeper = re.compile(rf"[^\n]*(?:\n(?: {{{indent + 1}}}[^\n]*| *(?=\n|\Z)))*")
    match = deeper.match(text, after)
    return match.end() if match else after


def _owned(head: Head, spans: list[_Span], grammar: Grammar) -> Head:
    """A function of a class belongs to it; Go's constructor to what it returns."""
    inside = [span.name for span in spans if span.start <= head.start < span.end]
    owner = head.owner or (inside[-1] if inside else "")
    constructor = head.name == grammar.find.constructor or (bool(owner) and head.name == owner)
    if constructor and not owner and head.returns:
        owner = head.returns.text.strip(" *")
    return replace(head, owner=owner, constructor=constructor and bool(owner))


def _with_own_constructor(head: Head, owners: set[str]) -> Head:
    """In JavaScript the function whose prototype has functions is their constructor."""
    if head.owner or head.name not in owners:
        return head
    return replace(head, owner=head.name, constructor=True)
