"""The history of benchmarks (bench/history.py), and the page that is generated from it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import bench.history as history

PAGE = Path(__file__).resolve().parents[2] / "docs" / "figures.md"
SIZE = re.compile(r"^(\| (?:modules|classes|lines of Python) of the toolkit \|) ([\d,]+) \|$", re.M)
WHEN = {"date": "2026-01-02", "commit": "0a1b2c3d", "machine": "2 cores of Example, 8 GiB"}


def line(figure: str, value: float, **rest: str) -> dict[str, Any]:
    return {**WHEN, "figure": figure, "value": value, "unit": "x", "command": "make it", **rest}


def sizes(page: str) -> list[int]:
    return [int(count.replace(",", "")) for _, count in SIZE.findall(page)]


def test_page_is_current() -> None:
    """Sizes of the code may be off by 5 %, since nearly every commit changes them."""
    page, now = PAGE.read_text(encoding="utf-8"), history.page(history.read_history())
    assert SIZE.sub(r"\1", page) == SIZE.sub(r"\1", now), "see docs/benchmarks.md#recorded-figures"
    assert sizes(page) == pytest.approx(sizes(now), rel=0.05)
    assert len(sizes(page)) == 3


def test_page_shows_latest_value_of_each_figure() -> None:
    rows = [line("a/b c", 1.5), line("other/d", 2), line("a/b c", 1234.5, machine="another")]
    page = history.page(rows)
    run = "`make it`\n(2026-01-02, another):\n\n| | value |\n|---|---|\n| b c | 1,234 x |\n"
    assert f"\n## a\n\n{run}" in page
    assert "(2026-01-02, 2 cores of Example, 8 GiB):\n\n| | value |\n|---|---|\n| d | 2 x |" in page
    assert "1.5" not in page


def test_figures_of_one_row_share_a_line() -> None:
    page = history.page([line("a/b/seconds", 2), line("a/b/ratio", 1), line("a/c/ratio", 3)])
    assert "| | seconds | ratio |\n|---|---|---|\n| b | 2 x | 1 x |\n| c |  | 3 x |\n" in page


def test_every_line_is_complete_and_comparable() -> None:
    """Later runs of `python -m bench` compare a figure with the same one in the same unit."""
    for row in history.read_history():
        assert list(row) == ["date", "commit", "machine", "figure", "value", "unit", "command"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", row["date"])
        if row["command"].startswith("python -m bench --only"):
            assert history.kept(row["figure"])["unit"] == row["unit"], row["figure"]
            assert row["command"].endswith(f" {row['figure'].partition('/')[0]}")


def test_measured_figures_are_named_by_their_rows() -> None:
    figures = {
        "rewards": [{"language": "cpp", "answers": 512, "direct_s": 2.0, "ratio": 0.5}],
        "runners": [{"language": "java", "same": True, "batch_ratio": 120.0}],
        "ray": {"local_s": None, "start_s": 3.0},
        "docker": {"problem": "no daemon"},
        "scale": [{"shape": {"tests": 8}, "said": [1.0, 2.0]}],
    }
    assert history.measured(figures, WHEN) == [
        line(figure, value, unit=unit, command=f"python -m bench --only {measure}")
        for measure, figure, value, unit in (
            ("rewards", "rewards/cpp/direct_s", 2.0, "s"),
            ("rewards", "rewards/cpp/ratio", 0.5, "x"),
            ("runners", "runners/java/batch_ratio", 120.0, "x"),
            ("ray", "ray/start_s", 3.0, "s"),
        )
    ]


def test_comparison_is_with_the_last_on_the_same_machine() -> None:
    rows = [line("a/b", 1.0), line("a/b", 2.0), line("a/b", 8.0, machine="another")]
    last = history.latest(rows, WHEN["machine"])["a/b"]
    assert history.compare_with_last(line("a/b", 2.5), last) == (
        "a/b: 2.5 x, last 2 x on 2026-01-02, +25.0 %"
    )
    assert history.compare_with_last(line("a/b", 2.5), None) == (
        "a/b: 2.5 x, none recorded on this machine"
    )
    assert history.compare_with_last(line("a/b", 1), line("a/b", 0)) == (
        "a/b: 1 x, last 0 x on 2026-01-02"
    )


def test_figure_out_of_bounds() -> None:
    assert history.out_of_bounds(line("rewards/cpp/ratio", 1.25)) is None
    assert history.out_of_bounds(line("rewards/cpp/ratio", 1.26)) == (
        "rewards/cpp/ratio: 1.26 x, but at most 1.25 is allowed (bench/figures.toml)"
    )
    assert history.out_of_bounds(line("docker/throughput/ratio", 0.8)) is None
    assert history.out_of_bounds(line("docker/throughput/ratio", 0.79)) == (
        "docker/throughput/ratio: 0.79 x, but at least 0.8 is allowed (bench/figures.toml)"
    )
    assert history.out_of_bounds(line("no such figure", 1e9)) is None


def test_figure_of_another_command_is_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "history.jsonl"
    monkeypatch.setattr(history, "HISTORY", file)
    monkeypatch.setattr(history, "stamp", lambda: WHEN)
    words = ["history", "--add", "demo/validate", "12.5", "s", "make demo"]
    monkeypatch.setattr(sys, "argv", words)
    history.main()
    history.main()
    expected = line("demo/validate", 12.5, unit="s", command="make demo")
    assert history.read_history() == [expected, expected]
    assert json.loads(file.read_text().splitlines()[0]) == expected


def test_stamp_describes_this_machine() -> None:
    when = history.stamp()
    assert list(when) == list(WHEN)
    assert re.fullmatch(r"\d+ cores of .+, \d+ GiB", when["machine"])
    assert re.fullmatch(r"[0-9a-f]{7,}(-dirty)?", when["commit"])
