"""The page of a reproduction, in HTML and Markdown."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from examples.reproduce.reproduce import render_html, render_markdown, write_page
from tests.examples.made_findings import findings


@pytest.mark.parametrize("render", [render_html, render_markdown])
@pytest.mark.parametrize("seeds", [1, 3])
def test_both_formats_have_the_same_content(render: object, seeds: int) -> None:
    text = render(findings(seeds))  # type: ignore[operator]
    for words in (
        "What this shows, and what it does not",
        "not a verdict on the methods",
        "0.5 correctness",
        "1,000",
        "Beyond-T after the last iteration",
    ):
        assert words in text
    assert ("rose by more than its interval" in text) == (seeds == 3)


def test_page_needs_no_network_and_no_script() -> None:
    page = html.unescape(render_html(findings()))
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert re.findall(r'(?:src|href)="([^"]*)"', page) == ["report/report.html"]
    assert page.count('<svg class="chart"') == 5


def test_markdown_has_a_row_for_each_arm_and_iteration() -> None:
    rows = re.findall(
        r"^\| (cold-start|sft|dpo|grpo) \| (\d) \|(.*)$", render_markdown(findings()), re.MULTILINE
    )
    assert len(rows) == 8
    assert all(row[2].count("|") == 4 for row in rows)


def test_markdown_headings_stand_alone() -> None:
    text = render_markdown(findings())
    assert text.endswith(".\n")
    assert not re.search(r"[^\n]\n#", text)


def test_write_page_writes_three_files(tmp_path: Path) -> None:
    files = write_page(findings(), tmp_path)
    assert [file.name for file in files] == ["reproduce.html", "reproduce.md", "reproduce.json"]
    values = json.loads(files[2].read_text())
    assert values["rises_surely"] is True
    assert values["rises"]["reward"]["gained"]["seeds"] == 3
