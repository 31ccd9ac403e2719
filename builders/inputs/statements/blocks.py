"""The blocks of a page, built from the events of a reader for any markup."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from venus_toolkit.builders.inputs.statements.headings import heading_of

Kind = Literal["heading", "text", "code", "quote"]
HEADINGS = {f"h{level}": level for level in range(1, 7)}
BREAKS = {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "header", "hr", "html", "li", "main", "nav", "ol", "p",
    "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
}  # fmt: skip
BLANK_LINES = re.compile(r"\n[^\S\n]*+\n\s*+")


class Block(NamedTuple):
    """A piece of a page; `label` is for a code block, `level` (1 is highest) for a heading."""

    kind: Kind
    text: str
    level: int = 0
    label: str = ""
    language: str = ""


class Page:
    """Collects blocks: readers call `start`, `write` and `end` with the tags of HTML.

    Tags may never close, or close without an opening tag, so the page counts open tags and does not
    nest them.

    Args:
        keep_lines: Whether to keep line breaks inside elements, as for Markdown. Line breaks
            outside of all elements are always kept.
    """

    def __init__(self, keep_lines: bool) -> None:
        self.blocks: list[Block] = []
        self._keep_lines = keep_lines
        self._pieces: list[str] = []
        self._quoted: list[str] = []
        self._label = ""
        self._open: dict[str, int] = {}
        self._heading = 0
        self._cell = 0  # index in `_pieces` at which the open table cell begins
        self._languages: list[tuple[str, str]] = []

    def start(self, tag: str, label: str = "", language: str = "") -> None:
        """Begin an element, with the label of a code block or the language of a text."""
        if tag in HEADINGS:
            self._flush()
            self._open["pre"] = 0
            self._heading = HEADINGS[tag]
        elif tag == "pre":
            if not self._open.get("pre"):
                self._flush()
        elif tag == "br":
            self._pieces.append("\n")
        elif tag in BREAKS:
            self._break()
        elif tag in ("td", "th"):
            self._cell = len(self._pieces)
            self._pieces.append(" ")
        elif tag in ("sup", "sub"):
            self._pieces.append("^{" if tag == "sup" else "_{")
        if tag == "pre" or (tag == "code" and self._open.get("pre") and label):
            self._label = label
        self._open[tag] = self._open.get(tag, 0) + 1
        if language:
            self._languages.append((tag, language))
        elif self._languages and tag == self._languages[-1][0]:
            self._languages.append((tag, self._languages[-1][1]))

    def write(self, text: str) -> None:
        """Add text; code keeps its white space."""
        if not self._open.get("pre") and not self._keep_lines and self._is_inside():
            text = re.sub(r"\s+", " ", text)
        self._pieces.append(text)

    def end(self, tag: str) -> None:
        """Close an open element; ignore a tag that is not open."""
        if not self._open.get(tag):
            return
        if tag in HEADINGS:
            self._flush()
        elif tag == "pre":
            if self._open["pre"] == 1:
                self._flush()
        elif tag in BREAKS:
            self._break()
        elif tag in ("td", "th"):
            # If a table shows samples in columns, its header cells are headings.
            if heading_of("".join(self._pieces[self._cell :])):
                self._flush()
        elif tag in ("sup", "sub"):
            # ``a<sub>i, </sub>b``: the comma between two names is not part of the index.
            last = self._pieces.pop() if self._pieces else ""
            index = last.rstrip(", ")
            self._pieces += index, "}", last[len(index) :]
        self._open[tag] -= 1
        if tag == "blockquote" and not self._open[tag] and self._quoted:
            self.blocks.append(Block("quote", "\n".join(self._quoted), language=self._language))
            self._quoted = []
        if self._languages and self._languages[-1][0] == tag:
            self._languages.pop()

    def done(self) -> list[Block]:
        """Return the blocks, split at headings; only the English ones if some are marked."""
        self._flush()
        if self._quoted:
            self.blocks.append(Block("quote", "\n".join(self._quoted)))
        blocks = [part for block in self.blocks for part in _with_headings(block)]
        if any(block.language == "en" for block in blocks):
            blocks = [block for block in blocks if block.language in ("en", "")]
        return blocks

    @property
    def _language(self) -> str:
        return self._languages[-1][1] if self._languages else ""

    def _is_inside(self) -> bool:
        return bool(self._heading) or any(
            self._open.get(tag)
            for tag in ("p", "li", "div", "section", "td", "th", "dd", "dt", "blockquote")
        )

    def _break(self) -> None:
        if self._open.get("pre"):
            if self._pieces and not self._pieces[-1].endswith("\n"):
                self._pieces.append("\n")
        else:
            self._flush()

    def _flush(self) -> None:
        text = "".join(self._pieces)
        self._pieces, self._cell = [], 0
        level, self._heading = self._heading, 0
        label, self._label = self._label, ""
        if self._open.get("pre"):
            # The first line break after <pre> is not part of the text.
            self.blocks.append(
                Block("code", text.removeprefix("\n"), label=label, language=self._language)
            )
            return
        text = text.strip()
        if not text:
            return
        if level:
            self.blocks.append(
                Block("heading", " ".join(text.split()), level, language=self._language)
            )
        elif self._open.get("blockquote"):
            self._quoted.append(re.sub(r" *\n *", "\n", text))
        else:
            paragraphs = (part.strip("\n") for part in BLANK_LINES.split(text))
            self.blocks += [
                Block("text", part, language=self._language) for part in paragraphs if part.strip()
            ]


def _with_headings(block: Block) -> list[Block]:
    """Split a text at lines that are headings."""
    if block.kind != "text":
        return [block]
    blocks: list[Block] = []
    lines: list[str] = []
    # The level of a heading without markup.
    in_line = 9
    for line in [*block.text.split("\n"), None]:
        if line is None or heading_of(line):
            if "\n".join(lines).strip():
                blocks.append(block._replace(text="\n".join(lines)))
            lines = []
            if line is not None:
                blocks.append(Block("heading", line.strip(), in_line, language=block.language))
        else:
            lines.append(line)
    return blocks
