"""The examples of docs/runners.md are real output."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from venus_toolkit.core.errors import SignatureError
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.signatures import Kind, parse_signature, starter_code

PAGE = Path(__file__).resolve().parents[2] / "docs" / "runners.md"
LANGUAGES = load_languages()


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_example_is_real_output(page: str) -> None:
    text = "func twoSum(nums []int, target int) []int {\n}"
    assert repr(text).replace("'", '"') in page
    assert starter_code(parse_signature(text, LANGUAGES["go"]), LANGUAGES["rust"]) in page


def test_refusal_is_real_output(page: str) -> None:
    with pytest.raises(SignatureError) as caught:
        parse_signature(
            "class Solution:\n    def f(self, counts: Dict[str, int]) -> int:\n",
            LANGUAGES["python"],
        )
    assert f"{caught.value.what}: {caught.value.why}" in page


def test_every_kind_of_type_is_in_the_table(page: str) -> None:
    assert [kind for kind in Kind if f"`{kind}" not in page] == [Kind.VOID]


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.id)
def test_every_key_of_the_tables_is_explained(page: str, language: Language) -> None:
    table = tomllib.loads((language.folder / "signature.toml").read_text(encoding="utf-8"))
    keys = {key for name in ("find", "docs", "names") for key in table.get(name, {})}
    assert [key for key in [*table, *keys] if key not in page] == []
