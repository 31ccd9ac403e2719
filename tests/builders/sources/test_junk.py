"""Every source turns a row with junk into an entry or a rejection, and never raises."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.builders.sources import (
    test_apps,
    test_code_contests,
    test_codeforces,
    test_columns,
    test_effibench_x,
    test_livecodebench,
    test_mercury,
    test_taco,
    test_venus_family,
)
from venus_toolkit.builders.sources import Entry
from venus_toolkit.core.records import digest, to_plain

ROWS: dict[str, Callable[..., dict[str, Any]]] = {
    "apps": test_apps.row,
    "code_contests": test_code_contests.row,
    "codeforces": test_codeforces.row,
    "columns": test_columns.example,
    "effibench_x": test_effibench_x.row,
    "leetcode_data": test_venus_family.leetcode_row,
    "livecodebench": test_livecodebench.row,
    "mercury": test_mercury.row,
    "taco": test_taco.row,
    "venus": test_venus_family.venus_row,
    "venus_python": test_venus_family.python_row,
}
JUNK: list[Any] = [
    None, "", " ", "x", "[", "[1]", "{}", "null", "[[]]", '{"a": 1}', '{"inputs": 3, "outputs": 4}', "\ud800", "\x00",
    0, -1, 10**30, 1.5, float("nan"), float("inf"), True, [], [None], [1], [[]], ["a"], [{}], [{"a": None}], {},
    {"a": None}, {"a": [1]}, {"input": [1], "output": []}, {"input": ["a"], "output": ["b", "c"]}, {"seconds": "x"},
    {"python3": 1, "cpp": [1]}, {"language": [1], "solution": [2]}, "1" * 5000, [[["deep"]]], "'" * 3, "()", "{1}",
]  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_junk_in_any_column_raises_nothing(name: str, read_source: Any, tmp_path: Any) -> None:
    good = ROWS[name]()
    rows = [{**good, column: junk} for column, junk in itertools.product(good, JUNK)]
    file = tmp_path / "junk.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    query = "?map=stdin-example" if name == "columns" else ""
    result = read_source(f"{name}:{file}{query}")
    assert result.rejected
    for entry in result.entries:
        assert isinstance(entry, Entry)
        assert digest(entry)
        json.dumps(to_plain(entry)).encode()
        assert entry.problem.statement.encode()
        assert 0 <= entry.problem.problem_id < 2**63
