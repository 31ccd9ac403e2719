"""Code as text: without comments, with brackets that match, cut at commas, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from venus_toolkit.errors import SignatureError
from venus_toolkit.language import Language

MOST_CHARACTERS = 20_000
MOST_IN_A_LINE = 2_000
CLOSERS = {"(": ")", "[": "]", "{": "}", "<": ">"}


class Piece(NamedTuple):
    """A part of a text and where it begins."""

    offset: int
    text: str


class Code(NamedTuple):
    """A program three times, with every character where it was.

    raw is as it was; commentless has blanks for comments, bare for string literals too.
    """

    raw: str
    commentless: str
    bare: str

    def line_number(self, offset: int) -> int:
        """Return the number of the line that holds a place, counted from 1."""
        return self.raw.count("\n", 0, offset) + 1

    def line(self, offset: int) -> str:
        """Return the text of that line."""
        return self.raw.split("\n")[self.line_number(offset) - 1].strip()


def read_code(text: str, language: Language) -> Code:
    """Return a program of `language` without its comments and strings.

    Raises:
        SignatureError: It is too long for starter code.
    """
    raw = text.expandtabs(4).replace("\r\n", "\n")
    _check_length(raw)
    tokens = re.compile(f"(?P<comment>{language.comments.pattern})|(?:{language.strings.pattern})")
    return Code(
        raw,
        tokens.sub(lambda match: _blank(match[0]) if match["comment"] else match[0], raw),
        tokens.sub(lambda match: _blank(match[0]), raw),
    )


def _check_length(raw: str) -> None:
    """Patterns take their time over long lines, which somebody else wrote."""
    longest = max(map(len, raw.split("\n")))
    if len(raw) > MOST_CHARACTERS or longest > MOST_IN_A_LINE:
        raise SignatureError(
            f"starter code of {len(raw)} characters with up to {longest} in a line is not read",
            f"at most {MOST_CHARACTERS} and {MOST_IN_A_LINE} are",
            "give the frame that solutions fill in, without a solution",
        )


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def closing(text: str, start: int) -> int:
    """Return where the bracket that opens at `start` is closed, or the end of the text."""
    opener, closer = text[start], CLOSERS[text[start]]
    depth = 0
    for bracket in re.compile(f"[{re.escape(opener + closer)}]").finditer(text, start):
        depth += 1 if bracket[0] == opener else -1
        if depth == 0:
            return bracket.start()
    return len(text)


def cut_at_commas(text: str, offset: int = 0) -> Iterator[Piece]:
    """Yield what stands between the commas outside of all brackets; nothing where there is nothing but blanks.

    What follows a bracket that is never closed is one piece, so that nothing gets lost.
    """
    depth, start = 0, 0
    for place, character in enumerate(text):
        arrow = character == ">" and text[place - 1 : place] == "-"
        depth += (character in "([{<") - (character in ")]}>" and not arrow)
        if character == "," and depth <= 0:
            yield from _piece(text, start, place, offset)
            start = place + 1
    yield from _piece(text, start, len(text), offset)


def _piece(text: str, start: int, end: int, offset: int) -> Iterator[Piece]:
    piece = text[start:end]
    if piece.strip():
        yield Piece(offset + start + len(piece) - len(piece.lstrip()), piece.strip())
