"""Which blocks of a page are a sample's input and output."""

from __future__ import annotations

import re
from typing import NamedTuple

from venus_toolkit.builders.inputs.statements.blocks import Block

LABEL = re.compile(r"(?:sample[-_ ]?)?(?P<part>input|output)[-_ ]?\d{0,3}", re.IGNORECASE)
SENTENCE = re.compile(r"[A-Za-z]{2}[^\n]{0,200}[.:]\s{0,9}$")
DESCRIBING = {
    "the", "of", "is", "are", "contains", "print", "line", "integer", "each", "input", "output", "an", "one", "with",
    "following", "integers", "given", "format", "standard", "in", "to", "for",
}  # fmt: skip


class Sample(NamedTuple):
    """An input and output shown in a statement.

    The input as a program would read it, where that is known.
    """

    stdin: str
    stdout: str


class Part(NamedTuple):
    """One side of a sample."""

    part: str
    text: str


def labelled(block: Block) -> Part | None:
    """Return what a code block says it is: sites have fences that are marked ``input1``."""
    match = LABEL.fullmatch(block.label) if block.kind == "code" else None
    return Part(match["part"].lower(), ended(block.text)) if match else None


def paired(parts: list[Part]) -> list[Sample]:
    """Return an input with the output that follows it, for each."""
    found: list[Sample] = []
    given: str | None = None
    for part, text in parts:
        if part == "input":
            given = text
        elif given is not None:
            found.append(Sample(given, text))
            given = None
    return found


def ended(text: str) -> str:
    """Return the text of a code block as a file: one line break at its end."""
    return text.replace("\u00a0", " ").rstrip() + "\n"


def bare_text(blocks: list[Block]) -> str | None:
    """Return a sample that stands in a text, without marks; None where that is a description."""
    texts = [block.text for block in blocks if block.kind in ("text", "quote")]
    if not texts or is_prose(texts[0]):
        return None
    # A sentence below explains.
    explained = next(
        (at for at, text in enumerate(texts[1:], 1) if SENTENCE.search(text) or is_prose(text)),
        None,
    )
    shown = texts[:explained]
    return "\n".join(line.strip() for line in "\n\n".join(shown).strip().splitlines()) + "\n"


def is_prose(text: str) -> bool:
    """Whether a text reads like a description.

    Sentences, with the words that descriptions are made of.
    """
    words = re.findall(r"[A-Za-z]{2,}", text[:2_000])
    return len(words) >= 4 and len(DESCRIBING & {word.lower() for word in words}) >= 2
