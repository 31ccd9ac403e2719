"""The code in a model's answer, and whether the answer has the form that was asked for.

`read_answer` is lenient: it takes the code from a ``<solution>``, from a fenced block of the right language, or from a
bare text that is nothing but code, and says why where there is none. `block_complaint` and `tags_complaint` are
strict: they say what a form that a prompt demands (prompts/rules.md.j2) lacks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from venus_toolkit.language import Language

TAGS = ("<thinking>", "</thinking>", "<solution>", "</solution>")
OPENING = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)")
TICKS = re.compile(r"^[^\S\n]*(`{3,})", re.MULTILINE)
CODE_SIGNS = re.compile(r"[=(){}\[\];<>]|:$")
SENTENCE_WORDS = 4


class Extracted(NamedTuple):
    """The code of an answer, or None and the reason; thinking is what stood in ``<thinking>``, if anything did."""

    code: str | None
    reason: str = ""
    thinking: str | None = None


class Block(NamedTuple):
    """A fenced code block: the first word after its fence, its text, and whether it was closed."""

    info: str
    code: str
    closed: bool


def fenced(code: str, language: Language) -> str:
    """Return `code` as one Markdown block of `language`, with a fence longer than any in the code."""
    return plain_block(code, language.fences[0])


def plain_block(text: str, mark: str = "") -> str:
    """Return `text` as one Markdown block marked `mark`, with a fence longer than any in the text."""
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in TICKS.findall(text))])
    return f"{fence}{mark}\n{text.strip(chr(10))}\n{fence}"


def thought(thinking: str, code: str, language: Language) -> str:
    """Return an answer in the form ``<thinking>…</thinking><solution>…</solution>``."""
    return f"<thinking>\n{thinking.strip()}\n</thinking>\n<solution>\n{fenced(code, language)}\n</solution>"


def read_answer(text: str, language: Language) -> Extracted:
    """Return the code of an answer: of several blocks of the right language the last, which is the final word."""
    thinking, inside = _between(text, "thinking"), _between(text, "solution")
    if inside is None:
        rest = text.partition("</thinking>")[2] if thinking is not None else text
        if "<solution>" in rest:
            return Extracted(None, "<solution> is not closed: the answer was cut off", thinking)
        inside = rest
    return _code(inside, language)._replace(thinking=thinking)


def block_complaint(text: str, language: Language) -> str:
    """Return what keeps `text` from being exactly one closed block of `language` and nothing else, or ""."""
    lines = text.strip("\n").split("\n")
    found = list(blocks(text))
    if len(found) != 1:
        return f"it has {len(found)} fenced code blocks, wanted is exactly one"
    (block,) = found
    if not block.closed:
        return "the code block is not closed"
    if not block.code.strip():
        return "the code block is empty"
    if len(lines) != block.code.count("\n") + 3:
        return "there is text beside the code block"
    marked = block.info.lower() in language.fences
    return "" if marked else f"the code block is marked {block.info or 'with nothing'}, wanted is {language.fences[0]}"


def tags_complaint(text: str) -> str:
    """Return what keeps `text` from being ``<thinking>…</thinking><solution>…</solution>``, or ""."""
    for tag in TAGS:
        if text.count(tag) != 1:
            return f"{tag} is there {text.count(tag)} times, wanted is once"
    rest, places = text.strip(), [text.index(tag) for tag in TAGS]
    if places != sorted(places):
        return "the tags are not in their order"
    if not rest.startswith(TAGS[0]) or not rest.endswith(TAGS[3]) or _gap(text).strip():
        return "there is text outside of the tags"
    empty = [name for name in ("thinking", "solution") if not (_between(text, name) or "").strip()]
    return f"<{empty[0]}> is empty" if empty else ""


def thinking_complaint(text: str, language: Language) -> str:
    """Return what keeps `text` from being the tags with one block of `language` as the solution, or ""."""
    return tags_complaint(text) or block_complaint((_between(text, "solution") or "").strip(), language)


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced code blocks of a Markdown text."""
    opening, kept = None, list[str]()
    for line in text.split("\n"):
        if opening is None:
            opening = OPENING.fullmatch(line.rstrip())
            kept = []
        elif _closes(line, opening["fence"]):
            yield Block(_info(opening), "\n".join(kept), True)
            opening = None
        else:
            kept.append(line)
    if opening is not None:
        yield Block(_info(opening), "\n".join(kept), False)


def _info(opening: re.Match[str]) -> str:
    return (opening["info"].split() or [""])[0].strip("{}.")


def _closes(line: str, fence: str) -> bool:
    word = line.strip()
    return len(word) >= len(fence) and not word.strip(fence[0]) and len(line) - len(line.lstrip(" ")) <= 3


def _between(text: str, tag: str) -> str | None:
    """Return what stands between a tag and its closing, the last such place, or None."""
    head, found, _ = text.rpartition(f"</{tag}>")
    _, opened, inside = head.rpartition(f"<{tag}>")
    return inside if found and opened else None


def _gap(text: str) -> str:
    return text.partition(TAGS[1])[2].partition(TAGS[2])[0]


def _code(text: str, language: Language) -> Extracted:
    found = list(blocks(text))
    right = [block for block in found if block.info.lower() in language.fences]
    chosen = right or [block for block in found if not block.info]
    closed = [block for block in chosen if block.closed]
    if closed:
        code = closed[-1].code
        return Extracted(code) if code.strip() else Extracted(None, "the code block is empty")
    if chosen:
        return Extracted(None, "the code block is not closed: the answer was cut off")
    if found:
        others = ", ".join(dict.fromkeys(block.info for block in found))
        return Extracted(None, f"the code is {others}, wanted is {language.fences[0]}")
    return _bare(text)


def _bare(text: str) -> Extracted:
    """A text without blocks is code when it has signs of it and does not begin or end with a sentence."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    if not lines:
        return Extracted(None, "the answer is empty")
    if not any(CODE_SIGNS.search(line) for line in lines) or _is_sentence(lines[0]) or _is_sentence(lines[-1]):
        return Extracted(None, "there is no code block, and the text is not code alone")
    return Extracted(text.strip("\n"))


def _is_sentence(line: str) -> bool:
    return len(line.split()) >= SENTENCE_WORDS and line[0].isalpha() and not CODE_SIGNS.search(line)
