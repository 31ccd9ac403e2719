"""Fenced code blocks of a Markdown text, as CommonMark has them and as models write them.

CommonMark defines a fence: at least three backticks or tildes, at any depth of list items and block
quotes, closed by at least as many. `blocks` differs in one point: code that is indented less than its
fence keeps its own indentation. With `ends_well`, it also reads blocks that CommonMark treats as
text, if a parser accepts the code up to there: fences that share their line with a sentence or with
code, closing fences at the end of the last line of code, and blocks that only the next opening fence
ends.

The scanner takes linear time, because it only reads lines with a fence (markdown-it takes 20 s for a
megabyte of list items; tests/models/test_markdown.py compares both).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

RUN = re.compile(r"`{3,}+|~{3,}+")
# Allowed before a fence: indentation, block quotes, the marks of list items.
CONTAINER = re.compile(r"(?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*+")
INFO = re.compile(r"[ \t]*[\w+#.{}:-]*\s*")
INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u2060"))
TRIED = 8  # possible ends of a block to check with the parser


class CodeBlock(NamedTuple):
    """A fenced code block.

    Attributes:
        info: The first word after its fence.
        code: Its text, without the indentation and quotation marks of its container.
        closed: Whether it has a closing fence.
        rest: The text after the first word on the line of the opening fence.
        start: Offset of the start of the opening fence's line.
        end: Offset of the end of the closing fence's line, or of the text.
    """

    info: str
    code: str
    closed: bool
    rest: str = ""
    start: int = 0
    end: int = 0


EndsWell = Callable[[str, str, Sequence[int]], bool]
"""Returns whether a block with this info and code is complete; fences at these places are in the code."""


class _FenceLine(NamedTuple):
    """A line with fences: the offsets of its start, its end and its fences."""

    start: int
    end: int
    runs: tuple[tuple[int, int], ...]


class _End(NamedTuple):
    """A possible end of a block.

    place: offset of the end of its code. end: offset of the end of its closing fence. number: index
    of the fence line to continue at. closes: whether a closing fence ends the block.
    """

    place: int
    end: int
    number: int
    closes: bool


def plain_block(text: str, mark: str = "") -> str:
    """Return `text` as one Markdown block marked `mark`, with a fence longer than any in the text."""
    runs = re.findall(r"^[^\S\n]*(`{3,})", text, re.MULTILINE)
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in runs)])
    return f"{fence}{mark}\n{text.strip(chr(10))}\n{fence}"


def has_fence(text: str) -> bool:
    """Return whether a line begins with a fence, also in list items and block quotes."""
    lines = _lines(text)
    return any(CONTAINER.fullmatch(text[line.start : line.runs[0][0]]) for line in lines)


def blocks(text: str, ends_well: EndsWell | None = None) -> list[CodeBlock]:
    """Return the fenced code blocks of a Markdown text.

    `ends_well` also finds blocks that CommonMark treats as text.
    """
    lines, code_blocks, number = _lines(text), list[CodeBlock](), 0
    while number < len(lines):
        line = lines[number]
        (start, end), others = line.runs[0], line.runs[1:]
        before, after = text[line.start : start], text[end : line.end]
        alone = CONTAINER.fullmatch(before.translate(INVISIBLE)) is not None
        number += 1
        if (
            others
            and ends_well
            and text[others[0][0] : others[0][1]] == text[start:end]
            and len(others) == 1
        ):
            # The whole block is one line.
            code_blocks.append(_block(text[end : others[0][0]], "", True, line.start, line.end))
        elif (
            (alone and (text[start] == "~" or "`" not in after))
            or (ends_well and not others and INFO.fullmatch(after))
        ):  # fmt: skip
            block, number = _read(text, lines, number - 1, alone, ends_well)
            code_blocks.append(block)
    return code_blocks


def _lines(text: str) -> list[_FenceLine]:
    lines, start, end, runs = list[_FenceLine](), 0, -1, list[tuple[int, int]]()
    for run in RUN.finditer(text):
        if run.start() > end:
            if runs:
                lines.append(_FenceLine(start, end, tuple(runs)))
            start, runs = text.rfind("\n", 0, run.start()) + 1, []
            end = text.find("\n", run.end())
            end = len(text) if end < 0 else end
        runs.append(run.span())
    return [*lines, _FenceLine(start, end, tuple(runs))] if runs else lines


def _read(
    text: str, lines: Sequence[_FenceLine], number: int, alone: bool, ends_well: EndsWell | None
) -> tuple[CodeBlock, int]:
    """Return the block that the first fence of line `number` opens, and the next line to read."""
    line = lines[number]
    start, end = line.runs[0]
    prefix = text[line.start : start].translate(INVISIBLE) if alone else ""
    quotes, indent = prefix.count(">"), len(prefix.rpartition(">")[2].expandtabs(4))
    indent -= 1 if quotes and indent else 0  # the space that belongs to the quotation mark
    quoted = re.compile(rf"(?:[ \t]*>[ \t]?){{{quotes}}}" if quotes else "")
    info, first, last = text[end : line.end], min(line.end + 1, len(text)), len(text)
    outside = re.compile(rf"^(?!{quoted.pattern})", re.MULTILINE)

    def code_until(place: int) -> str:
        code = text[first : max(place, first)]
        if not quotes and not indent:
            return code
        lines = code.split("\n")
        # The space after a quotation mark belongs to it only if all lines have one.
        marks = (
            [quoted.match(quoted_line) for quoted_line in lines if quoted_line.strip("> \t\r")]
            if quotes
            else []
        )
        spaced = all(mark is None or mark.group().endswith((" ", "\t")) for mark in marks)
        mark_of = quoted if spaced else re.compile(rf"(?:[ \t]*>){{{quotes}}}")
        unquoted = [mark_of.sub("", quoted_line, count=1) for quoted_line in lines]
        widths = [
            len(unquoted_line.expandtabs(4)) - len(unquoted_line.expandtabs(4).lstrip())
            for unquoted_line in unquoted
            if unquoted_line.strip()
        ]
        columns = min([indent, *widths])
        return "\n".join(_without_indent(unquoted_line, columns) for unquoted_line in unquoted)

    # Possible ends in the order of the text. strict: by CommonMark or the next block; loose: fences
    # that share their line with other text.
    strict, loose = list[_End](), list[_End]()
    checked = first
    for other in range(number + 1, len(lines)):
        fence_line = lines[other]
        # A quotation ends at the first line without a mark.
        if quotes and (left := outside.search(text, checked, fence_line.end)):
            last = left.start()
        checked = fence_line.end
        # Look for other ends only in the 64 fence lines after the first possible end.
        if (
            fence_line.start >= last
            or len(strict) == TRIED
            or (strict and other > strict[0].number + 64)
        ):
            break
        content = _without_indent(
            quoted.sub("", text[fence_line.start : fence_line.end], count=1), indent
        )
        bare = content.strip().translate(INVISIBLE)
        run = RUN.match(bare)
        fits = run is not None and bare[0] == text[start] and len(run.group()) >= end - start
        shallow = len(content.expandtabs(4)) - len(content.expandtabs(4).lstrip()) <= 3
        if fits and run and run.end() == len(bare) and shallow:
            strict.append(_End(fence_line.start - 1, fence_line.end, other + 1, True))
            if ends_well is None:
                break
        elif (
            fits
            and run
            and ends_well
            and shallow
            and INFO.fullmatch(bare, run.end())
            and len(fence_line.runs) == 1
        ):
            strict.append(_End(fence_line.start - 1, fence_line.start - 1, other, False))
        elif ends_well and fits and len(loose) < TRIED:
            loose.append(_End(fence_line.start - 1, fence_line.end, other + 1, True))
        elif (
            ends_well
            and len(loose) < TRIED
            and text[fence_line.runs[-1][0]] == text[start]
            and not text[fence_line.runs[-1][1] : fence_line.end].strip()
        ):
            loose.append(_End(fence_line.runs[-1][0], fence_line.end, other + 1, True))
    chosen = strict[0] if strict else None
    if ends_well:
        # The end by CommonMark is right, unless the code is complete only at another end.
        places = [len(code_until(ending.place)) + 1 for ending in strict]
        inside = [*(places[:index] for index in range(len(strict))), *([] for _ in loose)]
        for ending, fences in zip((*strict, *loose), inside, strict=True):
            if ends_well(info, code_until(ending.place), fences):
                chosen = ending
                break
    if chosen:
        return _block(
            info, code_until(chosen.place), chosen.closes, line.start, chosen.end
        ), chosen.number
    if quotes and last == len(text) and (left := outside.search(text, checked)):
        last = left.start()
    code = code_until(last)
    if ends_well:
        code = re.sub(r"(?:^|\n)[`~]{1,2}[ \t]*\n?\Z", "", code)  # an incomplete closing fence
    code = code.removesuffix("\n") if quotes else code
    after = next(
        (index for index in range(number + 1, len(lines)) if lines[index].start >= last), len(lines)
    )
    return _block(info, code, False, line.start, last), after


def _block(info: str, code: str, closed: bool, start: int, end: int) -> CodeBlock:
    # Pandoc marks a block as ```{.python}.
    mark, _, rest = info.translate(INVISIBLE).strip().partition(" ")
    return CodeBlock(mark.strip("{}."), code.removesuffix("\r"), closed, rest.strip(), start, end)


def _without_indent(line: str, columns: int) -> str:
    """Return a line without its first `columns` columns of white space; tab stops are 4 apart."""
    column = 0
    for index, character in enumerate(line):
        if column >= columns or character not in " \t":
            return " " * (column - columns) + line[index:] if column > columns else line[index:]
        column += 1 if character == " " else 4 - column % 4
    return ""
