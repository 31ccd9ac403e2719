"""The table of GRPO's recipes in docs/paper.md matches the recipes' files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.recipe_table import PAPER, UNKNOWN, main, table_lines, values

PAGE = Path(__file__).resolve().parents[2] / "docs/paper.md"


def test_page_matches_the_recipes(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    block = PAGE.read_text(encoding="utf-8").split("<!-- recipes -->")[1]
    assert block.split("<!-- /recipes -->")[0].strip() == capsys.readouterr().out.strip()


def test_recipe_has_every_key_of_the_paper() -> None:
    assert PAPER.keys() <= values("grpo-paper").keys()


def test_table_shows_keys_of_the_paper_and_differences() -> None:
    lines = list(table_lines({"a": {"beta": 0.0, "bf16": True, "optim": "x"},
                              "b": {"beta": 0.0, "bf16": True, "optim": "y"}}))  # fmt: skip
    assert "| `beta` | 0.0: no KL | 0.0 | 0.0 |" in lines
    assert f"| `optim` | {UNKNOWN} | x | y |" in lines
    assert not any("bf16" in line for line in lines)


def test_differences_between_the_two_recipes() -> None:
    paper, own = values("grpo-paper"), values("grpo")
    assert (paper["answers of a step"], own["answers of a step"]) == (512, 512)
    differ = {key for key in paper if paper[key] != own[key]}
    assert {"optim", "scale_rewards", "reward.figure", "reward.rule"} <= differ
