"""Our own releases as a source: written, then read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.builders import release_rows
from venus_toolkit.builders.sources import Entry
from venus_toolkit.core.language import MARKER
from venus_toolkit.core.records import (
    MIB,
    NS_PER_S,
    Expectation,
    Judgement,
    Limits,
    Measurement,
    OutputComparison,
    Problem,
    Solution,
    TestCase,
    Verdict,
)
from venus_toolkit.dataset.columns import SCHEMA
from venus_toolkit.dataset.parquet import write_rows
from venus_toolkit.execution.measuring.ranking import Standing

CARD = """\
---
configs:
- config_name: cpp
  data_files:
  - split: train
    path: data/cpp/train-00000-of-00001.parquet
- config_name: python
  data_files:
  - split: train
    path: data/python/train-00000-of-00001.parquet
  - split: test
    path: data/python/test-00000-of-00001.parquet
---
"""
LEFT_OUT = (
    '[{"id": "t", "input": null, "output": "1", "size": "large", "seed": 1, "input_sha256": "0"}]'
)
LIMITS = Limits(wall_ns=8 * NS_PER_S, cpu_ns=2 * NS_PER_S, memory_bytes=64 * MIB)
MEASURED = Measurement(10, 9, 8, 7, 6, 1.5, 0.1, 0.1, 0.1, 0.1, 3, 2, ("pressure",))


def solution(problem: Problem, language: str, name: str, expected: Expectation) -> Solution:
    return Solution(
        f"{problem.slug}/{language}/{name}",
        problem.slug,
        language,
        f"{name}\n",
        expected,
        "somebody",
        "MIT",
    )


def entries() -> list[Entry]:
    """A problem on standard input in two languages, and a function with an evaluator in one."""
    plain = Problem(
        "pair-sums", 7, "Pair sums", "Count.\n", "Easy", ("array",), "stdin", "mine", "CC0-1.0", LIMITS,
        OutputComparison("float", 1e-6, 1e-9), generator="def generate(seed, size): ...\n",
        starter_code={"cpp": "int x;\n"},
    )  # fmt: skip
    function = Problem(
        "square", 3, "Square", "Return.\n", "Hard", (), "function", "mine", "CC0-1.0", LIMITS,
        OutputComparison("evaluator"), evaluator="def evaluate(a, b): ...\n",
        runners={"python": f"# {MARKER}\nprint(1)\n"},
    )  # fmt: skip
    tests = (
        TestCase("small-1", "1\r\n", "2\n", "generated", "small", 1),
        TestCase("given-0", "", "", "given"),
    )
    return [
        Entry(
            plain,
            (
                solution(plain, "cpp", "plus", Expectation.ACCEPTED),
                solution(plain, "python", "plus", Expectation.ACCEPTED),
                solution(plain, "python", "wrong_minus", Expectation.WRONG),
            ),
            tests,
        ),
        Entry(function, (solution(function, "python", "times", Expectation.SLOW),), tests),
    ]


def write_release(root: Path, split: dict[str, str]) -> Path:
    """Write the entries as a build does: each problem into its split of every language."""
    for language in ("cpp", "python"):
        for part in ("train", "test"):
            rows = [
                _row(entry, language) for entry in entries() if split[entry.problem.slug] == part
            ]
            if any(row["solutions"] for row in rows):
                write_rows(
                    root,
                    f"data/{language}/{part}",
                    [row for row in rows if row["solutions"]],
                    SCHEMA,
                )
    (root / "manifest.json").write_text("{}")
    return root


def _row(entry: Entry, language: str) -> dict[str, Any]:
    mine = [one for one in entry.solutions if one.language == language]
    rows = [
        release_rows.solution_row(one, Judgement(Verdict.ACCEPTED), MEASURED, Standing(1, 1, 1, 1))
        for one in mine
    ]
    return release_rows.problem_row(entry.problem, language, LIMITS, entry.tests, rows, {})


def bare(entry: Entry) -> Entry:
    """Return an entry without measurements and origins."""
    import dataclasses

    problem = dataclasses.replace(entry.problem, extra={})
    return Entry(
        problem,
        tuple(dataclasses.replace(one, extra={}, origin="") for one in entry.solutions),
        entry.tests,
    )


@pytest.mark.parametrize("card", [False, True], ids=["files", "datasets"])
def test_release_roundtrip(read_source: Any, tmp_path: Path, card: bool) -> None:
    root = write_release(tmp_path, {"pair-sums": "train", "square": "test"})
    if card:
        (root / "README.md").write_text(CARD)
    result = read_source(f"venus_release:{root}")
    assert result.rejected == []
    assert sorted(map(bare, result.entries), key=lambda entry: entry.problem.slug) == entries()
    assert set(result.entries[0].problem.extra) == {"test_quality"}
    extra = result.entries[0].solutions[0].extra
    assert (extra["wall_ns"], extra["status"], extra["noise"], extra["rank"]) == (
        10,
        "accepted",
        ["pressure"],
        1,
    )


def test_config_and_split_options(read_source: Any, tmp_path: Path) -> None:
    root = write_release(tmp_path, {"pair-sums": "train", "square": "test"})
    result = read_source(f"venus_release:{root}?config=cpp")
    assert [(entry.problem.slug, len(entry.solutions)) for entry in result.entries] == [
        ("pair-sums", 1)
    ]
    result = read_source(f"venus_release:{root}?split=test")
    assert [entry.problem.slug for entry in result.entries] == ["square"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"language": None}, "language is missing"),
        ({"comparison": "exact"}, "comparison is neither JSON nor a Python literal"),
        (
            {"solutions": [{"code": "x", "expected": "perhaps"}]},
            "'perhaps' is not a valid Expectation",
        ),
        (
            {"test_cases": LEFT_OUT, "test_case_generator": ""},
            "the input of test t cannot be made again: the problem",
        ),
        ({"test_cases": "[1]"}, "test_cases[0] must be a struct, found int 1"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_row_is_rejected(reading: Any, changes: dict[str, Any], reason: str) -> None:
    assert reason in reading("venus_release", [{**_row(entries()[0], "cpp"), **changes}]).reason
