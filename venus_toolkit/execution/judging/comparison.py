"""Compares outputs as streams of pieces, and finds their first difference.

Outputs are bytes from a program, or text. Text is compared as UTF-8, so other bytes are a wrong
answer, not an error. White space is that of ASCII. In addition to the two outputs, a comparison
needs memory for a few pieces only.

text     equal except for white space at the ends of lines, and empty lines at the end
numbers  the same words, where numbers may differ by a tolerance

A number has digits, a point and an exponent: ``inf``, ``nan``, ``1_000`` and ``0x1p3`` are words.
An integer in the expected output requires the same integer, spelt the same, without tolerance: for
``1000000``, neither ``1000000.0`` nor ``1e6`` is accepted. If the problem asks for real numbers
(`OutputComparison.real`), an expected integer is a number like any other: ``2`` equals ``2.0``.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from contextlib import suppress
from itertools import starmap, zip_longest
from operator import eq

from venus_toolkit.core.records import OutputComparison

Output = str | bytes
PIECE = 1 << 16  # bytes or characters
LONGEST_WORD = 1 << 20  # bytes
SHOWN = 60  # characters of a line
NUMERIC = b"0123456789+-.eE"
BLANKS = (b" ", b"\r", b"\t", b"\v", b"\f")


def same_text(expected: Output, actual: Output) -> bool:
    """Whether two outputs are equal except for trailing white space."""
    return not difference(expected, actual)


def same_numbers(expected: Output, actual: Output, comparison: OutputComparison) -> bool:
    """Whether two outputs have the same words, or numbers within the tolerances.

    The result is False if a word is longer than `LONGEST_WORD` bytes; such outputs are only
    compared as text.
    """

    def same(expected: bytes, actual: bytes) -> bool:
        if expected == actual:
            return True
        # Words such as `inf`, `nan`, `1_000` and `0x1p3` have other characters, which remain.
        if expected.strip(NUMERIC) or actual.strip(NUMERIC):
            return False
        if expected.lstrip(b"+-").isdigit() and not comparison.real:
            return False
        try:
            a, b = float(expected), float(actual)
        except ValueError:
            return False
        # 1e999 and 1e9999 are larger than any float, so both would be read as infinity.
        finite = math.isfinite(a) and math.isfinite(b)
        return finite and math.isclose(
            a, b, rel_tol=comparison.relative, abs_tol=comparison.absolute
        )

    with suppress(_LongWordError):
        # Words are not empty, so the fill value of the shorter output differs from any word.
        return all(starmap(same, zip_longest(_words(expected), _words(actual), fillvalue=b"")))
    return False


def output_key(output: Output) -> str:
    """Return the SHA-256 of an output without trailing white space, as in `same_text`."""
    hasher = hashlib.sha256()
    for piece in _trimmed(output):
        hasher.update(piece)
    return hasher.hexdigest()


def difference(
    expected: Output, actual: Output, words: tuple[str, str] = ("expected", "got")
) -> str:
    """Return a line with the first difference of two outputs as texts, or "" if there is none.

    In the line, the `words` precede the content of each output.
    """
    expected_word, actual_word = words
    # Most right answers are identical; that check is ten times as fast.
    if all(starmap(eq, zip_longest(pieces(expected), pieces(actual)))):
        return ""
    left, right = _trimmed(expected), _trimmed(actual)
    a = b = start = b""  # the rest of a piece of each output, and the start of the current line
    line = 1
    while True:
        a, b = a or next(left, b""), b or next(right, b"")
        size = min(len(a), len(b))
        if not size or a[:size] != b[:size]:
            break
        line += a.count(b"\n", 0, size)
        start = (start + a[:size]).rpartition(b"\n")[2][: 4 * SHOWN]
        a, b = a[size:], b[size:]
    if not a and not b:
        return ""
    same = next((index for index in range(size) if a[index] != b[index]), size)
    line += a.count(b"\n", 0, same)
    start = (start + a[:same]).rpartition(b"\n")[2]
    a, b = a[same:], b[same:]
    # one output ends where the other has further lines
    if (a[:1], b[:1]) in ((b"\n", b""), (b"", b"\n")):
        expected_line, actual_line = line + _line_feeds(a, left), line + _line_feeds(b, right)
        return f"{expected_word} {expected_line} lines, {actual_word} {actual_line}"
    shown = f"{expected_word} {_shown(start, a, left)}, {actual_word} {_shown(start, b, right)}"
    return f"line {line}: {shown}"


def _line_feeds(rest: bytes, more: Iterator[bytes]) -> int:
    return rest.count(b"\n") + sum(piece.count(b"\n") for piece in more)


def _shown(start: bytes, rest: bytes, more: Iterator[bytes]) -> str:
    """Return the first characters of a line, which consists of `start`, `rest` and `more`."""
    while len(rest) < 4 * SHOWN and b"\n" not in rest and (piece := next(more, b"")):
        rest += piece
    text = (start + rest.partition(b"\n")[0])[: 5 * SHOWN].decode("utf-8", "replace")
    return repr(text if len(text) <= SHOWN else text[: SHOWN - 3] + "...")


def pieces(output: Output) -> Iterator[bytes]:
    """Yield an output in pieces, text as UTF-8."""
    for start in range(0, len(output), PIECE):
        piece = output[start : start + PIECE]
        # JSON can contain a lone surrogate, which strict UTF-8 refuses.
        yield piece if isinstance(piece, bytes) else piece.encode("utf-8", "surrogatepass")


def _trimmed(output: Output) -> Iterator[bytes]:
    """Yield an output in non-empty pieces, without white space at its end or at ends of lines."""
    # white space since the last word: the number of line feeds, and the blanks after the last one
    lines, blanks = 0, [b""]
    for piece in pieces(output):
        body = piece.lstrip()
        lines, blanks = _add(lines, blanks, piece[: len(piece) - len(body)])
        if not body:
            continue
        for start in range(0, lines, PIECE):
            yield b"\n" * min(PIECE, lines - start)
        yield from filter(None, blanks)
        words = body.rstrip()
        lines, blanks = _add(0, [], body[len(words) :])
        if any(blank in words and blank + b"\n" in words for blank in BLANKS):
            words = b"\n".join(line.rstrip() for line in words.split(b"\n"))
        yield words


def _add(lines: int, blanks: list[bytes], more: bytes) -> tuple[int, list[bytes]]:
    """Return white space (line feeds, and blanks after the last one) extended by `more`."""
    count = more.count(b"\n")
    return (lines + count, [more.rpartition(b"\n")[2]]) if count else (lines, [*blanks, more])


class _LongWordError(Exception):
    pass


def _words(output: Output) -> Iterator[bytes]:
    unfinished = b""
    for piece in pieces(output):
        words = (unfinished + piece).split()
        unfinished = b"" if piece[-1:].isspace() else words.pop()
        if len(unfinished) > LONGEST_WORD:
            raise _LongWordError
        yield from words
    if unfinished:
        yield unfinished
