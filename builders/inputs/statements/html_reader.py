"""Reads HTML and plain text as pages.

Plain text is read as HTML without elements, and its line breaks are kept.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from venus_toolkit.builders.inputs.statements.blocks import BREAKS, HEADINGS, Block, Page

INLINE = {
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "button", "cite", "code", "col", "colgroup", "data", "del",
    "dfn", "em", "font", "head", "i", "img", "ins", "input", "kbd", "label", "link", "mark", "meta", "nobr", "path",
    "pre", "q", "rp", "rt", "ruby", "s", "samp", "script", "small", "source", "span", "strike", "strong", "style",
    "sub", "sup", "svg", "td", "textarea", "th", "time", "title", "tt", "u", "var", "video", "wbr",
    "annotation", "math", "menclose", "mfenced", "mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom", "mroot",
    "mrow", "ms", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder",
    "munderover", "mjx-container", "mjx-assistive-mml", "semantics", "iframe", "object", "canvas", "template",
    "noscript",
}  # fmt: skip
KNOWN = INLINE | BREAKS | set(HEADINGS)
VOID = {"br", "img", "hr", "input", "link", "meta", "col", "source", "wbr", "path"}
# Elements that are skipped: they are invisible, or repeat a formula. Pages hold the output of KaTeX
# and MathJax next to its LaTeX source.
HIDDEN = {
    "script",
    "style",
    "head",
    "title",
    "svg",
    "template",
    "iframe",
    "textarea",
    "mjx-assistive-mml",
}
DRAWN = {
    "katex-html",
    "MathJax",
    "MathJax_Display",
    "MathJax_SVG",
    "MathJax_CHTML",
    "MathJax_Preview",
    "mjx-chtml",
}
# A ``<`` that opens no tag is a comparison: `1 <= a<b`. A tag has a known name, and ends before the
# next one begins.
NO_TAG = re.compile(
    r"<(?!/?(?:"
    + "|".join(sorted(KNOWN, key=len, reverse=True))
    + r")(?=[\s/>])(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+>)|&(?!\w{1,30}+;|#\w{1,9}+;)",
    re.IGNORECASE,
)


def read_html(statement: str, keep_lines: bool = False) -> list[Block]:
    """Return the page of HTML or plain text; `keep_lines` keeps line breaks inside elements."""
    reader = _HtmlReader(Page(keep_lines))
    reader.feed(
        NO_TAG.sub(
            lambda match: "&lt;" if match[0] == "<" else "&amp;", without_comments(statement)
        )
    )
    reader.close()
    return reader.page.done()


def without_comments(statement: str) -> str:
    """Return HTML without its comments.

    Otherwise the parser would search for the end of an unclosed comment again at each later
    ``<!--``, which takes quadratic time.
    """
    pieces, at = [], 0
    while (begin := statement.find("<!--", at)) >= 0 and (
        end := statement.find("-->", begin + 4)
    ) >= 0:
        pieces.append(statement[at:begin])
        at = end + 3
    return "".join(pieces) + statement[at:].replace("<!--", "&lt;!--")


class _HtmlReader(HTMLParser):
    """Writes the visible elements to a page."""

    def __init__(self, page: Page) -> None:
        super().__init__(convert_charrefs=True)
        self.page = page
        self._hidden: list[str] = []  # the outermost hidden element and the open ones inside it

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        classes = set(values.get("class", "").split())
        if self._hidden:
            if tag not in VOID:
                self._hidden.append(tag)
        elif tag == "script" and values.get("type", "").startswith("math/tex"):
            self.page.write(" ")  # Its content is LaTeX, not a script.
        elif tag in HIDDEN or classes & DRAWN:
            self._hidden.append(tag)
        elif tag == "img":
            self.page.write(values.get("alt", "") or values.get("title", ""))
        else:
            label = next(
                (
                    name.removeprefix("language-")
                    for name in classes
                    if name.startswith("language-")
                ),
                "",
            )
            language = next(
                (
                    name.removeprefix("lang-")
                    for name in classes
                    if re.fullmatch("lang-[a-z]{2}", name)
                ),
                "",
            )
            self.page.start(tag, label, language or values.get("lang", "")[:2])

    def handle_endtag(self, tag: str) -> None:
        if not self._hidden:
            self.page.end(tag)
        elif tag in self._hidden:
            while self._hidden.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.page.write(data)
