"""EffiBench-X: rows in the form of EffiBench/effibench-x."""

from __future__ import annotations

import json
from typing import Any

import pytest

from venus_toolkit.core.language import MARKER
from venus_toolkit.core.records import MIB, NS_PER_S

EVALUATOR = "def evaluate(expected_output, program_output):\n    return True\n"


def row(**changes: Any) -> dict[str, Any]:
    figures = {"memory": 9, "memoryDistribution": "[]", "runtime": 3, "runtimeDistribution": "[]"}
    return {
        "id": "3100",
        "title": "Water Bottles",
        "title_slug": "water-bottles",
        "description": "<p>Drink.</p>",
        "description_md": "Drink.",
        "difficulty": "Medium",
        "tags": ["Math"],
        "source": "LeetCode",
        "url": "https://example.org",
        "type": "functional",
        "release_timestamp": 1711800000,
        "release_date": "2024-03-30T12:00:00",
        "time_limit_nanos": 2 * NS_PER_S,
        "memory_limit_bytes": 256 * MIB,
        "starter_code": {
            "python": "py2",
            "python3": "py3",
            "golang": "go",
            "swift": "sw",
            "c": None,
        },
        "solutions": {
            "python3": {"code": "a", **figures},
            "golang": {"code": "b", **figures},
            "ruby": {"code": None},
            "cpp": None,
        },
        "test_case_generator": "def generate_test_cases(): ...",
        "evaluator": EVALUATOR,
        "generated_tests": json.dumps([{"input": "1\n", "output": "1\n"}]),
        "test_runners": {"python3": f"# {MARKER}\n", "ruby": "puts 1"},
        **changes,
    }


def test_problem(reading: Any, pairs: Any) -> None:
    problem, solutions, tests = reading("effibench_x", [row()]).only
    assert (problem.slug, problem.problem_id, problem.style) == (
        "effibench-x-water-bottles-3100",
        3100,
        "function",
    )
    assert (problem.statement, problem.date, problem.source) == (
        "Drink.",
        "2024-03-30",
        "effibench-x-leetcode",
    )
    assert (problem.limits.cpu_ns, problem.limits.memory_bytes) == (2 * NS_PER_S, 256 * MIB)
    assert (problem.comparison.kind, problem.evaluator) == ("evaluator", EVALUATOR)
    assert problem.starter_code == {"python": "py3", "go": "go"}
    assert problem.extra["starter_code"] == {"python2": "py2", "swift": "sw"}
    assert problem.runners == {"python": f"# {MARKER}\n"}
    assert problem.extra["test_case_generator"].startswith("def generate_test_cases")
    assert [(s.language, s.code, s.extra["runtime"]) for s in solutions] == [
        ("python", "a", 3),
        ("go", "b", 3),
    ]
    assert pairs(tests) == [("1\n", "1\n")]


def test_standard_input(reading: Any) -> None:
    changes = {"type": "io", "starter_code": None, "test_runners": None, "evaluator": None}
    problem = reading("effibench_x", [row(**changes)]).only.problem
    assert (problem.style, problem.runners, problem.comparison.kind) == ("stdin", {}, "exact")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"type": "sql"}, "type must be one of functional, io, found sql"),
        ({"type": None}, "type is missing"),
        ({"time_limit_nanos": "long"}, "time_limit_nanos must be a number, found str 'long'"),
        ({"time_limit_nanos": float("nan")}, "time_limit_nanos must be a number, found float nan"),
        ({"solutions": {"cpp": "code"}}, "solutions.cpp is neither JSON nor a Python literal"),
        ({"generated_tests": '{"a": 1}'}, "generated_tests.a must be a list, found int 1"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_row_is_rejected(reading: Any, changes: dict[str, Any], reason: str) -> None:
    assert reason in reading("effibench_x", [row(**changes)]).reason
