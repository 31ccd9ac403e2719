"""Reads Markdown as pages: markdown-it renders it to HTML, but keeps its LaTeX formulas."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from venus_toolkit.builders.inputs.statements.blocks import Block
from venus_toolkit.builders.inputs.statements.headings import heading_of
from venus_toolkit.builders.inputs.statements.html_reader import read_html, without_comments

MARKED = re.compile(
    r"^ {0,3}(?:(?P<fence>```|~~~)|#{1,6}[ \t]+(?P<heading>[^\n]{1,60}))", re.MULTILINE
)


def looks_like_markdown(statement: str) -> bool:
    """Whether a statement has a fenced block, or a known heading in Markdown.

    The heading must be known, because a grid can have lines that begin with ``#``, too.
    """
    return any(
        match["fence"] or heading_of(match["heading"], marked=True)
        for match in MARKED.finditer(statement)
    )


def read_markdown(statement: str) -> list[Block]:
    """Return the page of Markdown, which may contain HTML."""
    return read_html(_MARKDOWN.render(without_comments(statement)), keep_lines=True)


def _formula(state: StateInline, silent: bool) -> bool:
    """Keep ``$...$`` unchanged: Markdown would interpret its underscores and backslashes."""
    begin = state.pos
    if state.src[begin] != "$":
        return False
    mark = re.compile(r"\$*").match(state.src, begin)
    assert mark
    end = state.src.find(mark[0], mark.end(), state.posMax)
    if end < 0:
        # Without a closing mark, skip the rest if it is one line: each later ``$`` would search
        # in vain, too.
        end, after = state.posMax, state.posMax
        if state.src.find("\n", mark.end(), state.posMax) >= 0 or len(mark[0]) == end - begin:
            end = after = mark.end()
    else:
        after = end + len(mark[0])
    if not silent:
        state.push("text", "", 0).content = state.src[begin:after]
    state.pos = after
    return True


def _fence(tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    label = html.escape(tokens[index].info.split()[0]) if tokens[index].info.strip() else ""
    return (
        f'<pre><code class="language-{label}">\n{html.escape(tokens[index].content)}</code></pre>\n'
    )


def _parser() -> MarkdownIt:
    # Indented text is not code: statements and their samples have arbitrary indentation.
    parser = MarkdownIt("commonmark", {"html": True}).enable("table").disable("code")
    parser.inline.ruler.before("escape", "formula", _formula)
    parser.add_render_rule("fence", lambda _self, *arguments: _fence(*arguments))
    return parser


_MARKDOWN = _parser()
