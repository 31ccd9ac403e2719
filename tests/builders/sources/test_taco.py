"""TACO: rows in the form of BAAI/TACO, with text in every column."""

from __future__ import annotations

from typing import Any

import pytest

from venus_toolkit.core.records import MIB, NS_PER_S


def row(**changes: Any) -> dict[str, Any]:
    return {
        "question": "Chef likes sums.\nPrint one.",
        "solutions": '["print(1)"]',
        "starter_code": "",
        "input_output": '{"inputs": ["1\\n"], "outputs": ["2\\n"]}',
        "difficulty": "MEDIUM_HARD",
        "raw_tags": "['Sorting']",
        "name": None,
        "source": "codechef",
        "tags": "['Greedy algorithms', 'Sorting']",
        "skill_types": "['Sorting']",
        "url": "https://example.org/SUMS",
        "Expected Auxiliary Space": None,
        "time_limit": "2.5 seconds",
        "date": "2019-06-21",
        "picture_num": "0",
        "memory_limit": "256.0 megabytes",
        "Expected Time Complexity": "O(n)",
        **changes,
    }


def test_problem(reading: Any, pairs: Any) -> None:
    problem, solutions, tests = reading("taco", [row()]).only
    assert problem.slug.startswith("taco-")
    assert (problem.title, problem.difficulty, problem.date) == (
        "Chef likes sums.",
        "Hard",
        "2019-06-21",
    )
    assert problem.tags == ("Greedy algorithms", "Sorting"), "a Python literal inside text"
    assert (problem.limits.cpu_ns, problem.limits.wall_ns) == (2.5 * NS_PER_S, 10 * NS_PER_S)
    assert problem.limits.memory_bytes == 256 * MIB
    assert problem.license == "Apache-2.0"
    assert problem.extra["source"] == "codechef"
    assert problem.extra["Expected Time Complexity"] == "O(n)"
    assert [solution.code for solution in solutions] == ["print(1)"]
    assert pairs(tests) == [("1\n", "2\n")]


def test_unnamed_problems_have_distinct_slugs(reading: Any) -> None:
    result = reading(
        "taco", [row(), row(question="Another."), row(question="A third.", name="Sums & more")]
    )
    slugs = [problem.slug for problem in result.problems]
    assert len(set(slugs)) == 3
    assert slugs[2].startswith("taco-sums-more-")
    assert slugs == [problem.slug for problem in reading("taco", [row(), row(question="Another."), row(
        question="A third.", name="Sums & more")]).problems]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"time_limit": "soon"}, "time_limit must be a time, like 2 seconds, found str 'soon'"),
        ({"time_limit": "0 seconds"}, "the time limit must be a number greater than 0, found 0.0"),
        ({"memory_limit": "much"}, "memory_limit must be a size, like 256 MB, found str 'much'"),
        ({"tags": "['a'"}, "tags is neither JSON nor a Python literal"),
        ({"tags": "__import__('os').system('true')"}, "tags is neither JSON nor a Python literal"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_row_is_rejected(reading: Any, changes: dict[str, Any], reason: str) -> None:
    assert reason in reading("taco", [row(**changes)]).reason
