"""Parsers: hostile text does not exceed its time budget."""

from __future__ import annotations

import time

import pytest

from venus_toolkit.core.language import load_languages
from venus_toolkit.core.syntax import Budget, outline

LANGUAGES = load_languages()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cpp", "*" * 50_000),  # wide: tokens outside of statements
        ("cpp", "!" * 50_000 + "a"),  # deep: nested operators
        ("javascript", "-" + " -" * 100_000 + "a"),
        ("python", "not " * 50_000 + "a"),
        ("python", "a = 1\n" * 40_000),  # wide: statements
        ("rust", "(" * 100_000),
    ],
    ids=["stars", "negations", "minus", "not", "statements", "brackets"],
)
def test_wide_or_deep_text_is_not_queried(name: str, text: str) -> None:
    start = time.thread_time()
    assert outline(text, LANGUAGES[name], Budget(10)) is None
    assert time.thread_time() - start < 5  # queries take quadratic time


def test_large_table_of_numbers_is_queried() -> None:
    program = f"int a[] = {{{'1, ' * 20_000}}};\nint main() {{ return a[0]; }}\n"
    result = outline(program, LANGUAGES["cpp"], Budget(10))
    assert result
    assert result.entry
    assert result.error is None


@pytest.mark.parametrize("start", ["", "a = 1\n" * 2000], ids=["alone", "after a program"])
@pytest.mark.parametrize("line", ["/*\n", "x /\n/ *\n"], ids=["comment", "operators"])
def test_parser_exceeds_its_budget_by_one_part_at_most(start: str, line: str) -> None:
    before = time.thread_time()
    outline(start + line * 6000, LANGUAGES["python"], Budget(0.4))
    assert time.thread_time() - before < 5  # parsing the text in one step takes 43 s


def test_long_program_is_parsed_completely() -> None:
    program = "".join(f"def f{i}():\n    return {i}\n\n" for i in range(1500))
    result = outline(program, LANGUAGES["python"], Budget(10))
    assert result
    assert result.error is None
    assert {"f0", "f1499"} <= result.definitions
