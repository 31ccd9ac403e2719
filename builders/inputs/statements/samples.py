"""Finds the blocks of a page that are a sample's input and output."""

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
    """An input and output from a statement, where possible exactly as a program handles them."""

    stdin: str
    stdout: str


class Part(NamedTuple):
    """One side of a sample."""

    part: str
    text: str


def labelled_part(block: Block) -> Part | None:
    """Return the part that the label of a code block names: some sites label fences ``input1``."""
    match = LABEL.fullmatch(block.label) if block.kind == "code" else None
    return Part(match["part"].lower(), with_line_break(block.text)) if match else None


def pair_parts(parts: list[Part]) -> list[Sample]:
    """Return each input with the output after it."""
    samples: list[Sample] = []
    stdin: str | None = None
    for part, text in parts:
        if part == "input":
            stdin = text
        elif stdin is not None:
            samples.append(Sample(stdin, text))
            stdin = None
    return samples


def with_line_break(text: str) -> str:
    """Return the text of a code block as a file: one line break at its end."""
    return text.replace("\u00a0", " ").rstrip() + "\n"


def bare_text(blocks: list[Block]) -> str | None:
    """Return a sample in plain text, without a code block; None if the text is a description."""
    texts = [block.text for block in blocks if block.kind in ("text", "quote")]
    if not texts or is_prose(texts[0]):
        return None
    # The sample ends before an explanation.
    explained = next(
        (at for at, text in enumerate(texts[1:], 1) if SENTENCE.search(text) or is_prose(text)),
        None,
    )
    shown = texts[:explained]
    return "\n".join(line.strip() for line in "\n\n".join(shown).strip().splitlines()) + "\n"


def is_prose(text: str) -> bool:
    """Whether a text is a description: at least four words, two of them typical of descriptions."""
    words = re.findall(r"[A-Za-z]{2,}", text[:2_000])
    return len(words) >= 4 and len(DESCRIBING & {word.lower() for word in words}) >= 2
