"""The code in a model's answer: where it is found, why there is none, and which forms are not what was asked for."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.building import thought
from venus_toolkit.core.language import load_languages
from venus_toolkit.models.answers import (
    block_complaint,
    blocks,
    fenced,
    read_answer,
    tags_complaint,
    thinking_complaint,
)

LANGUAGES = load_languages()
CPP, PYTHON = LANGUAGES["cpp"], LANGUAGES["python"]
MAIN = "int main() { return 0; }"
BLOCK = f"```cpp\n{MAIN}\n```"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (BLOCK, MAIN),
        (f"Here it is:\n\n{BLOCK}\n\nIt is fast.", MAIN),
        (f"```c++\nint x;\n```\nBetter:\n{BLOCK}", MAIN),
        (f"```python\nprint()\n```\n{BLOCK}", MAIN),
        (f"```\n{MAIN}\n```", MAIN),
        (f"```bash\ng++ a.cpp\n```\n```\n{MAIN}\n```", MAIN),
        (f"~~~~cpp\n```\n{MAIN}\n~~~~", f"```\n{MAIN}"),
        (f"```cpp\r\n{MAIN}\r\n```\r\n", f"{MAIN}\r"),
        (f"<thinking>\n```cpp\nint slow;\n```\n</thinking>\n<solution>\n{BLOCK}\n</solution>", MAIN),
        (f"<thinking>short</thinking><solution>{MAIN}</solution>", MAIN),
        (f"<thinking>short</thinking>\n{BLOCK}", MAIN),
        (f"<solution>int draft;</solution> No: <solution>{BLOCK}</solution>", MAIN),
        (f"#include <cstdio>\n{MAIN}\n", f"#include <cstdio>\n{MAIN}"),
    ],
)
def test_code_is_found(text: str, code: str) -> None:
    assert read_answer(text, CPP).code == code


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "empty"),
        ("I am sorry, but I cannot help with that", "not code alone"),
        ("The answer is to use x = y, which is fast:\nuse a hash table there\n", "not code alone"),
        ("```python\nprint()\n```", "the code is python, expected cpp"),
        (f"```cpp\n{MAIN}", "cut off"),
        ("<thinking>a</thinking><solution>```cpp\nint main() {", "cut off"),
        ("```cpp\n\n```", "empty"),
    ],
)
def test_why_there_is_none(text: str, word: str) -> None:
    found = read_answer(text, CPP)
    assert found.code is None
    assert word in found.reason


def test_thinking_is_kept() -> None:
    assert read_answer(thought("count, do not sort", MAIN, CPP), CPP).thinking == "\ncount, do not sort\n"
    assert read_answer(BLOCK, CPP).thinking is None


# ------------------------------------------------------------------ forms


@given(st.text(alphabet="ab`~\n #", min_size=1).filter(lambda code: bool(code.strip())), st.sampled_from([*LANGUAGES]))
def test_what_we_fence_is_one_block_and_is_read_back(code: str, name: str) -> None:
    language = LANGUAGES[name]
    block = fenced(code, language)
    assert block_complaint(block, language) == ""
    assert read_answer(block, language).code == code.strip("\n")
    assert thinking_complaint(thought("why", code, language), language) == ""


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (MAIN, "0 fenced"),
        (f"{BLOCK}\n{BLOCK}", "2 fenced"),
        (f"Here:\n{BLOCK}", "beside"),
        (f"{BLOCK}\nDone.", "beside"),
        (f"```cpp\n{MAIN}", "not closed"),
        ("```python\nprint()\n```", "marked python"),
        (f"```\n{MAIN}\n```", "marked with nothing"),
        ("```cpp\n```", "empty"),
    ],
)
def test_a_block_that_is_not_as_demanded(text: str, word: str) -> None:
    """Lesson 22: the prompt demands one Markdown block, and the answer was raw code."""
    assert word in block_complaint(text, CPP)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (BLOCK, "<thinking> occurs 0 times"),
        ("<thinking>a</thinking>", "<solution> occurs 0 times"),
        ("<thinking>a</thinking><solution>b</solution><solution>c</solution>", "2 times"),
        ("<solution>b</solution><thinking>a</thinking>", "order"),
        ("Well. <thinking>a</thinking><solution>b</solution>", "outside"),
        ("<thinking>a</thinking>So:<solution>b</solution>", "outside"),
        ("<thinking>a</thinking><solution>b</solution> end", "outside"),
        ("<thinking> </thinking><solution>b</solution>", "<thinking> is empty"),
        ("<thinking>a</thinking><solution>\n</solution>", "<solution> is empty"),
    ],
)
def test_tags_that_are_not_as_demanded(text: str, word: str) -> None:
    assert word in tags_complaint(text)


def test_the_tags_may_hold_bare_code_where_no_block_is_demanded() -> None:
    text = f" <thinking>a</thinking>\n<solution>{MAIN}</solution>\n"
    assert tags_complaint(text) == ""
    assert "0 fenced" in thinking_complaint(text, CPP)


def test_an_open_block_ends_with_the_text() -> None:
    assert [(block.info, block.closed) for block in blocks("```py\na\n```\n```cpp x=1\nb")] == [
        ("py", True),
        ("cpp", False),
    ]


@pytest.mark.serial
def test_a_block_of_empty_lines_is_written_at_once() -> None:
    """It took a minute: each line was looked through to the end of the text."""
    start = time.monotonic()
    assert fenced("x" + "\n" * 100_000 + "````", PYTHON).startswith("`````python\nx\n")
    assert time.monotonic() - start < 5
