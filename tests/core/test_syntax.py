"""Parsers of languages: hostile texts cost no more than their bounds."""

from __future__ import annotations

import time

import pytest

from venus_toolkit.core.language import load_languages
from venus_toolkit.core.syntax import Budget, outline

LANGUAGES = load_languages()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cpp", "*" * 50_000),  # wide: tokens that belong to no statement
        ("cpp", "!" * 50_000 + "a"),  # deep: operators in front of operators
        ("javascript", "-" + " -" * 100_000 + "a"),
        ("python", "not " * 50_000 + "a"),
        ("python", "a = 1\n" * 40_000),  # wide: statements
        ("rust", "(" * 100_000),
    ],
    ids=["stars", "negations", "minus", "not", "statements", "brackets"],
)
def test_a_text_of_great_width_or_depth_is_not_queried(name: str, text: str) -> None:
    start = time.thread_time()
    assert outline(text, LANGUAGES[name], Budget(10)) is None
    assert time.thread_time() - start < 5  # queries take quadratic time


def test_a_table_of_many_numbers_is_no_such_text() -> None:
    program = f"int a[] = {{{'1, ' * 20_000}}};\nint main() {{ return a[0]; }}\n"
    found = outline(program, LANGUAGES["cpp"], Budget(10))
    assert found
    assert found.entry
    assert found.error is None
