"""Parses problem statements into sections, samples and formats.

Other packages call ``parse_statement``. The words used here:

- A **page** is a statement as a flat list of **blocks**: headings, text, code and quotes. Readers
  make pages, each with a parser for its format: HTML and plain text (`html_reader`), Markdown
  (`markdown_reader`), LaTeX (`latex_reader`).
- A **role** is the kind of section that a heading announces (`headings`): the input, its
  constraints, the output, a sample, notes.
- A **format** is a block that shows the layout of an input: ``N M``, ``A_1 A_2 ... A_N``.
- A **spelling** is a way to write a formula; `spelling.spell` reduces all of them to one.
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
from venus_toolkit.builders.inputs.statements.numbered import numbered_format
from venus_toolkit.builders.inputs.statements.samples import Sample
from venus_toolkit.builders.inputs.statements.sections import Sections, divide
from venus_toolkit.builders.inputs.statements.spelling import spell

__all__ = ["Sample", "Statement", "parse_statement"]

LONGEST = 250_000
"""The most characters of a statement to read; the longest ones of contests have 60 000."""
TALKS = re.compile(
    r"\b(?:an?|this|the)\s+interactive\s+(?:problem|task|judge|format|question)|\b(?:problem|task)\s+is\s+interactive\b"
    r"|\binteractor\b|インタラクティブ|リアクティブ|対話",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Statement:
    """The sections of a statement in one spelling (``1 <= n <= 2 * 10^{5}``), "" if missing.

    Attributes:
        story: The problem: all text before the first section with a known heading.
        input: The description of the input, with its formats in their places.
        constraints: The section of constraints; many statements give bounds in `input` instead.
        output: The description of the output.
        notes: Explanations, hints and partial scores.
        formats: The text of each block that shows the layout of an input, line by line.
        samples: The inputs and outputs of the statement, unchanged; for functions, one JSON value
            per line.
        interactive: Whether the judge answers the program while it runs.
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
        """All sections except the samples."""
        parts = (self.story, self.input, self.constraints, self.output, self.notes)
        return "\n\n".join(part for part in parts if part)


@functools.lru_cache(maxsize=128)
def parse_statement(statement: str) -> Statement:
    """Parse a statement in HTML, Markdown, LaTeX or plain text.

    If a statement is in several languages, only its English text is read. Statements are untrusted
    and the parsing time grows with their length, so only the first `LONGEST` characters are read.
    """
    page = _read(statement[:LONGEST].replace("\r\n", "\n").replace("\r", "\n"))
    sections = divide(page)
    parsed = _spell_sections(sections)
    texts = (parsed.story, parsed.input, parsed.output)
    interactive = "interaction" in sections.roles or any(TALKS.search(text) for text in texts)
    return replace(
        parsed, samples=named_examples(page) or tuple(sections.samples), interactive=interactive
    )


def _read(statement: str) -> list[Block]:
    if looks_like_latex(statement):
        return read_latex(statement)
    if looks_like_markdown(statement):
        return read_markdown(statement)
    return read_html(statement)


def _spell_sections(sections: Sections) -> Statement:
    def text(role: str) -> str:
        return spell("\n\n".join(block.text for block in sections.parts.get(role, ()))).strip("\n")

    described = text("input")
    shown = numbered_format(described)
    formats = (
        (shown,) if shown else tuple(spell(block.text).strip("\n") for block in sections.formats)
    )
    return Statement(
        text("story"), described, text("constraints"), text("output"), text("notes"), formats
    )
