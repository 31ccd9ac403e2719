"""Fenced blocks: compared with a CommonMark parser, and extended by a parser of the language."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from venus_toolkit.models.markdown import CodeBlock, blocks

CODE = st.lists(
    st.sampled_from(["a", "  b", "", "\tc", "> d", "- e", "# f", "1. g", "~~ h", "`` i"]),
    max_size=5,
)
PART = st.tuples(
    st.sampled_from(["", "> ", "- ", "1. ", "> > ", "> - ", "10) ", "- - "]),
    st.sampled_from(["```", "````", "~~~", "~~~~~"]),
    st.sampled_from(["", "py", " c++ x=1", "rust,ignore"]),
    CODE,
)


@given(st.lists(PART, min_size=1, max_size=4))
def test_closed_blocks_match_commonmark(
    parts: list[tuple[str, str, str, list[str]]],
) -> None:
    lines = list[str]()
    for container, fence, info, code in parts:
        # Quotation marks are on every line, list marks only on the first.
        later = "".join(mark if mark == ">" else " " for mark in container)
        content = ["some text", "", f"{fence}{info}", *code, fence, "more"]
        lines += [f"{later if number else container}{line}" for number, line in enumerate(content)]
        lines += ["", "between", ""]
    text = "\n".join(lines)
    tokens = MarkdownIt("commonmark", {"maxNesting": 100}).disable("code").parse(text)
    expected = [(token.info.strip(), token.content) for token in tokens if token.type == "fence"]
    code_blocks = blocks(text)
    assert all(block.closed for block in code_blocks)
    # The last end of line is not part of the code.
    assert [(f"{block.info} {block.rest}".strip(), block.code) for block in code_blocks] == [
        (info, content.removesuffix("\n")) for info, content in expected
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```py\na\n```", CodeBlock("py", "a", True, "", 0, 11)),
        ("- x\n\n  ```py\n  a\n    b\n  ```", CodeBlock("py", "a\n  b", True, "", 5, 28)),
        ("\t```c\n\tint a;\n\t```", CodeBlock("c", "int a;", True, "", 0, 18)),
        ("> ```\n> a\n> ```\nb", CodeBlock("", "a", True, "", 0, 15)),
        ("~~~ {.py .x}\na\n~~~", CodeBlock("py", "a", True, ".x}", 0, 18)),
        ("```py\na", CodeBlock("py", "a", False, "", 0, 7)),
    ],
)
def test_one_block(text: str, expected: CodeBlock) -> None:
    assert blocks(text) == [expected]


def test_complete_code_in_text_is_a_block() -> None:
    text = "Code: ```py\na\nb```\nDone."
    assert blocks(text) == []
    assert [block.code for block in blocks(text, lambda _info, code, _fences: code == "a\nb")] == [
        "a\nb"
    ]
    assert [block.closed for block in blocks(text, lambda *_: False)] == [False]


@pytest.mark.parametrize(
    "text", ["```\n", "> ```\n", "~~~\n```\n", "```x", "- ", "`", "```` \n```\n", " ", "1. ```\n"]
)
def test_blocks_take_linear_time(text: str) -> None:
    start = time.thread_time()
    blocks(text * (300_000 // len(text)))
    assert time.thread_time() - start < 5  # linear: at most 0.7 s
