"""Mercury: rows in the form of Elfsong/Mercury."""

from __future__ import annotations

import json
from typing import Any

import pytest


def row(**changes: Any) -> dict[str, Any]:
    question = {
        "categoryTitle": "Algorithms",
        "content": "<p>Add.</p>",
        "difficulty": "Easy",
        "questionFrontendId": "2235",
        "questionTitle": "Add Two Integers",
        "similarQuestions": "[]",
        "topicTags": [{"name": "Math", "slug": "math"}],
    }
    return {
        "slug_name": "add-two-integers",
        "meta_info": {"data": {"question": question}},
        "id": "2235",
        "difficulty": "Easy",
        "pretty_content": ["Add."],
        "solutions": [
            {"hash": 7, "runtime": "52ms", "solution": "class Solution: pass"},
            {"hash": 8, "runtime": "1.2 s", "solution": "class Solution: ..."},
        ],
        "prompt": "class Solution:\n    def sum(self, a, b):\n",
        "generator_code": "def generate_test_cases(): ...",
        "entry_point": "sum",
        "test_cases": json.dumps(
            [{"input": {"a": 1, "b": 2}, "expected": 3}, {"input": "1\n2", "expected": "3"}]
        ),
        **changes,
    }


def test_problem(reading: Any, pairs: Any) -> None:
    problem, solutions, tests = reading("mercury", [row()]).only
    assert (problem.slug, problem.problem_id, problem.title) == (
        "add-two-integers",
        2235,
        "Add Two Integers",
    )
    assert (problem.style, problem.statement, problem.tags) == (
        "function",
        "<p>Add.</p>",
        ("Math",),
    )
    assert (problem.category, problem.paid_only, problem.license) == (
        "algorithms",
        False,
        "CC-BY-NC-4.0",
    )
    assert problem.generator is None, "it has another contract than ours"
    assert problem.extra["generator_code"].startswith("def generate_test_cases")
    assert problem.extra["meta_info"]["data"]["question"] == {
        "difficulty": "Easy",
        "similarQuestions": "[]",
    }
    assert [solution.extra["runtime_s"] for solution in solutions] == pytest.approx([0.052, 1.2])
    assert pairs(tests) == [('{"a": 1, "b": 2}', "3"), ("1\n2", "3")]


def test_structs_as_text(reading: Any) -> None:
    packed = json.dumps(row()["meta_info"])
    assert reading("mercury", [row(meta_info=packed)]).only.problem.title == "Add Two Integers"


def test_paid_only_and_category(reading: Any) -> None:
    question = {"content": "select", "categoryTitle": "Database", "isPaidOnly": True}
    problem = reading("mercury", [row(meta_info={"data": {"question": question}})]).only.problem
    assert (problem.category, problem.paid_only) == ("database", True)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"slug_name": None}, "slug_name is missing"),
        ({"meta_info": "{}", "pretty_content": None}, "meta_info.data.question.content is missing"),
        ({"meta_info": [1]}, "meta_info must be a struct, found list [1]"),
        (
            {"solutions": [{"runtime": "fast", "solution": "x"}]},
            "solutions[0].runtime must be a time, like 2 seconds",
        ),
        ({"test_cases": '[{"expected": 3}]'}, "test_cases[0].input is missing"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_row_is_rejected(reading: Any, changes: dict[str, Any], reason: str) -> None:
    assert reason in reading("mercury", [row(**changes)]).reason
