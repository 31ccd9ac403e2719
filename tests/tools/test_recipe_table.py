"""The table of GRPO's recipes in docs/paper.md is what the files say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.recipe_table import PAPER, UNKNOWN, main, table_lines, values

PAGE = Path(__file__).resolve().parents[2] / "docs/paper.md"


def test_the_page_shows_what_the_recipes_say(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    block = PAGE.read_text(encoding="utf-8").split("<!-- recipes -->")[1]
    assert block.split("<!-- /recipes -->")[0].strip() == capsys.readouterr().out.strip()


def test_every_key_of_the_paper_is_one_of_a_recipe() -> None:
    assert PAPER.keys() <= values("grpo-paper").keys()


def test_a_key_is_shown_where_the_paper_or_a_difference_says_so() -> None:
    lines = list(table_lines({"a": {"beta": 0.0, "bf16": True, "optim": "x"},
                              "b": {"beta": 0.0, "bf16": True, "optim": "y"}}))  # fmt: skip
    assert "| `beta` | 0.0: no KL | 0.0 | 0.0 |" in lines
    assert f"| `optim` | {UNKNOWN} | x | y |" in lines
    assert not any("bf16" in line for line in lines)


def test_the_recipes_of_the_paper_and_ours_differ_where_the_page_said_they_did_not() -> None:
    paper, own = values("grpo-paper"), values("grpo")
    assert (paper["answers of a step"], own["answers of a step"]) == (512, 512)
    differ = {key for key in paper if paper[key] != own[key]}
    assert {"optim", "scale_rewards", "reward.figure", "reward.rule"} <= differ
