"""Problem statements as structure.

Sections, samples and blocks of format, from whatever they are written in.

``parse_statement`` is what others call. The words used here:

- A **page** is a statement as a flat list of **blocks**: headings, text, code and quotes. Readers
  make pages, each with a parser for its format: HTML and plain text (`html_reader`), Markdown
  (`markdown_reader`), LaTeX (`latex_reader`).
- A **role** is what a heading promises (`headings`): the input, its constraints, the output, a
  sample, notes.
- A **format** is a block that shows how an input is laid out: ``N M``, ``A_1 A_2 ... A_N``.
- A **spelling** is how a formula is written: there are many, and after `spelling.spell` there is
  one.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, replace

from venus_toolkit.builders.inputs.statements.blocks import Block
from venus_toolkit.builders.inputs.statements.examples import named_examples
from venus_toolkit.builders.inputs.statements.html_reader import read_html
from venus_toolkit.builders.inputs.statements.latex_reader import looks_like_latex, read_latex
from venus_toolkit.builders.inputs.statements.markdown_reader import (
    looks_like_markdown,
    read_markdown,
)
from venus_toolkit.builders.inputs.statements.numbered import numbered
from venus_toolkit.builders.inputs.statements.samples import Sample
from venus_toolkit.builders.inputs.statements.sections import Sections, divide
from venus_toolkit.builders.inputs.statements.spelling import spell

__all__ = ["Sample", "Statement", "parse_statement"]

LONGEST = 250_000
"""Characters of a statement that are read; the longest ones of contests have 60 000."""
TALKS = re.compile(
    r"\b(?:an?|this|the)\s+interactive\s+(?:problem|task|judge|format|question)|\b(?:problem|task)\s+is\s+interactive\b"
    r"|\binteractor\b|インタラクティブ|リアクティブ|対話",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Statement:
    """What a statement says, by where.

    Plain text in one spelling (``1 <= n <= 2 * 10^{5}``), "" for nothing.

    Attributes:
        story: What the problem is; all there is before the first section that is recognized.
        input: The description of the input, with its formats in their places.
        constraints: What stands under a heading of its own; many statements have their bounds in
            `input`.
        output: The description of the output.
        notes: Explanations, hints and partial scores.
        formats: The text of each block that shows the layout of an input, line by line.
        samples: The inputs and outputs that are shown, as they are; one JSON value a line for
            functions.
        interactive: Whether the program talks to a judge that answers.
    """

    story: str = ""
    input: str = ""
    constraints: str = ""
    output: str = ""
    notes: str = ""
    formats: tuple[str, ...] = ()
    samples: tuple[Sample, ...] = ()
    interactive: bool = False

    @property
    def text(self) -> str:
        """All but the samples."""
        parts = (self.story, self.input, self.constraints, self.output, self.notes)
        return "\n\n".join(part for part in parts if part)


@functools.lru_cache(maxsize=128)
def parse_statement(statement: str) -> Statement:
    """Return the structure of a statement in HTML, Markdown, LaTeX or plain text.

    Where it has English, the English.

    Anybody's text is read, in time that grows with its length; of more than `LONGEST` characters
    only the first ones.
    """
    page = _read(statement[:LONGEST].replace("\r\n", "\n").replace("\r", "\n"))
    sections = divide(page)
    found = _spelt(sections)
    told = (found.story, found.input, found.output)
    interactive = "interaction" in sections.roles or any(TALKS.search(text) for text in told)
    return replace(
        found, samples=named_examples(page) or tuple(sections.samples), interactive=interactive
    )


def _read(statement: str) -> list[Block]:
    if looks_like_latex(statement):
        return read_latex(statement)
    if looks_like_markdown(statement):
        return read_markdown(statement)
    return read_html(statement)


def _spelt(found: Sections) -> Statement:
    def text(role: str) -> str:
        return spell("\n\n".join(block.text for block in found.parts.get(role, ()))).strip("\n")

    described = text("input")
    shown = numbered(described)
    formats = (shown,) if shown else tuple(spell(block.text).strip("\n") for block in found.formats)
    return Statement(
        text("story"), described, text("constraints"), text("output"), text("notes"), formats
    )
