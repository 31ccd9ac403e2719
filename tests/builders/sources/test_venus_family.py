"""The Venus family: rows in the form of Elfsong/Venus, leetcode_data and Venus_Python."""

from __future__ import annotations

import json
from typing import Any

import pytest

from venus_toolkit.core.errors import LanguageError
from venus_toolkit.core.language import MARKER
from venus_toolkit.core.records import Expectation

EVALUATOR = "def evaluate(expected, actual):\n    return expected == actual\n"
CASES = json.dumps([{"input": "[1]\n", "output": "1\n"}])


def venus_row(**changes: Any) -> dict[str, Any]:
    return {
        "question_id": 1,
        "name": "two-sum",
        "content": "<p>Find two.</p>",
        "acRate": 51.5,
        "difficulty": "Easy",
        "topics": ["Array"],
        "runtimeDistribution": json.dumps({"lang": "cpp", "distribution": [["0", 12.5]]}),
        "memoryDistribution": json.dumps({"lang": "cpp", "distribution": [["9000", 1.0]]}),
        "rt_list": [{"code": "fast", "runtime": "0"}, {"code": "both", "runtime": 4}],
        "rt_solution_count": 2,
        "mm_list": [{"code": "both", "memory": "9000"}, {"code": "small", "memory": 8000}],
        "mm_solution_count": 2,
        "code_prompt": "class Solution {};",
        **changes,
    }


# ------------------------------------------------------------------ venus


def test_venus(reading: Any) -> None:
    problem, solutions, tests = reading("venus", [venus_row()]).only
    assert (problem.slug, problem.problem_id, problem.style, problem.tags) == (
        "two-sum",
        1,
        "function",
        ("Array",),
    )
    assert problem.starter_code == {"cpp": "class Solution {};"}
    assert problem.extra["acRate"] == 51.5
    assert "distribution" in problem.extra["runtimeDistribution cpp"]
    assert {solution.code: dict(solution.extra) for solution in solutions} == {
        "fast": {"runtime": "0"}, "both": {"runtime": 4, "memory": "9000"}, "small": {"memory": 8000},
    }  # fmt: skip
    assert {solution.expected for solution in solutions} == {Expectation.ACCEPTED}
    assert tests == ()


def test_languages_of_a_problem_are_merged(read_source: Any, write_lines: Any) -> None:
    """One config per language, in any order, with ids as numbers or text."""
    other = venus_row(question_id=2, name="add")
    write_lines([other, venus_row()], "venus/cpp/train.jsonl")
    python = venus_row(question_id="1", runtimeDistribution=None, code_prompt="class Solution:")
    folder = write_lines([python], "venus/python3/train.jsonl").parents[1]
    result = read_source(f"venus:{folder}")
    assert result.rejected == []
    assert {entry.problem.slug: sorted({s.language for s in entry.solutions}) for entry in result.entries} == {
        "two-sum": ["cpp", "python"], "add": ["cpp"],
    }  # fmt: skip
    starters = {problem.slug: dict(problem.starter_code) for problem in result.problems}
    assert starters["two-sum"] == {"cpp": "class Solution {};", "python": "class Solution:"}
    assert len(read_source(f"venus:{folder}?config=python3").problems) == 1


@pytest.mark.parametrize("name", ["python", "php"])
def test_unsupported_language_stays_in_extra(reading: Any, name: str) -> None:
    result = reading("venus", [venus_row(runtimeDistribution=json.dumps({"lang": name}))])
    assert result.entries[0].solutions == ()
    assert result.entries[0].problem.starter_code == {}
    theirs = {"python": "python2"}.get(name, name)
    assert result.problems[0].extra["starter_code"] == {theirs: "class Solution {};"}
    assert result.rejected == [(f"two-sum/{theirs}", f"unknown language {theirs!r}: 4 solutions")]


def test_test_ids_of_merged_languages_are_unique(reading: Any) -> None:
    cases = [
        [{"input": "1", "output": "1"}],
        [{"input": "2", "output": "2"}, {"input": "1", "output": "1"}],
    ]
    tests = reading("venus", [venus_row(test_cases=case) for case in cases]).only.tests
    assert [(test.test_id, test.stdin) for test in tests] == [
        ("given-0000", "1"),
        ("given-0000-1", "2"),
    ]


def test_synthesised_cases(reading: Any, pairs: Any) -> None:
    functions = {"entry_point": "twoSum", "serialize_input": "def serialize_input(): ..."}
    row = venus_row(test_case_functions=functions, test_cases=[{"input": "[1]", "output": "1"}])
    problem, _, tests = reading("venus", [row]).only
    assert pairs(tests) == [("[1]", "1")]
    assert problem.extra["test_case_functions"] == functions


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"runtimeDistribution": None}, "the language is missing"),
        ({"runtimeDistribution": "[["}, "runtimeDistribution is neither JSON nor a Python literal"),
        ({"rt_list": "none"}, "rt_list is neither JSON nor a Python literal"),
        ({"mm_list": [{"code": 1}]}, "mm_list[0].code must be text, found int 1"),
        ({"name": ""}, "name is empty"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_venus_row_is_rejected(reading: Any, changes: dict[str, Any], reason: str) -> None:
    assert reason in reading("venus", [venus_row(**changes)]).reason


# ------------------------------------------------------------------ leetcode_data


def leetcode_row(**changes: Any) -> dict[str, Any]:
    return {
        "problem_id": 7,
        "title": "reverse-integer",
        "question_content": "Reverse.",
        "difficulty": "Medium",
        "tags": ["Math"],
        "code_prompt": {
            "python3": "class Solution:",
            "python": "class Solution(object):",
            "cpp": None,
        },
        "solutions": {
            "python3": ["a", "b", "a"],
            "python": ["print 1"],
            "cpp": ["c"],
            "racket": [],
        },
        "test_case_generator": "def generate_test_cases(n): ...",
        "test_case_evaluator": EVALUATOR,
        "test_case_runners": {
            "python3": f"import json\n{MARKER}\n",
            "cpp": "#include <x>\n// ==Solution Code==\n",
            "java": "==Solution Code==\n==Test Cases==\n",
        },
        "test_cases": CASES,
        **changes,
    }


def test_leetcode_data(reading: Any, pairs: Any) -> None:
    result = reading("leetcode_data", [leetcode_row()])
    ((problem, solutions, tests),) = result.entries
    assert (problem.problem_id, problem.comparison.kind, problem.evaluator) == (
        7,
        "evaluator",
        EVALUATOR,
    )
    assert problem.starter_code == {"python": "class Solution:"}
    assert problem.runners == {
        "python": f"import json\n{MARKER}\n", "cpp": f"#include <x>\n// {MARKER}\n",
    }, "the old marker is converted; a template with tests inside is not a runner"  # fmt: skip
    assert problem.extra["test_case_runners"] == {"java": "==Solution Code==\n==Test Cases==\n"}
    assert problem.generator is None
    assert problem.extra["test_case_generator"].startswith("def generate_test_cases")
    assert [(s.language, s.code) for s in solutions] == [
        ("python", "a"),
        ("python", "b"),
        ("cpp", "c"),
    ]
    assert pairs(tests) == [("[1]\n", "1\n")]
    assert result.rejected == [
        ("reverse-integer/python2", "unknown language 'python2': 1 solution")
    ]


def test_generator_and_evaluator_contracts(reading: Any) -> None:
    ours = "def generate(seed, size):\n    return ''\n"
    row = leetcode_row(test_case_generator=ours, test_case_evaluator="def check(a, b): ...")
    problem = reading("leetcode_data", [row]).entries[0].problem
    assert (problem.generator, problem.evaluator, problem.comparison.kind) == (ours, None, "exact")
    assert problem.extra["test_case_evaluator"] == "def check(a, b): ..."


def test_python_without_python3_is_python_3(reading: Any) -> None:
    """If a row has no `python3`, its `python` is not LeetCode's Python 2."""
    result = reading("leetcode_data", [leetcode_row(solutions={"python": ["a"]}, code_prompt={})])
    assert [solution.language for solution in result.only.solutions] == ["python"]


# ------------------------------------------------------------------ venus_python


def measured(code: str, **changes: Any) -> dict[str, Any]:
    return {
        "code": code,
        "status": "success",
        "passed": True,
        "time": 1.5,
        "memory": 9e3,
        "integral": 2e4,
        **changes,
    }


def python_row(**changes: Any) -> dict[str, Any]:
    solutions = [
        measured("right"),
        measured("wrong", status="error", passed=False),
        measured("slow", status="timeout", passed=False, time=None),
        measured("claims", passed=False),
        measured("odd", status="?", passed=None),
    ]
    strings = {
        "code_prompt": "class Solution:",
        "test_case_runners": f"{MARKER}\n",
        "solutions": solutions,
    }
    return {**leetcode_row(), **strings, **changes}


def test_venus_python(reading: Any) -> None:
    problem, solutions, _ = reading("venus_python", [python_row()]).only
    assert (problem.starter_code, problem.runners) == (
        {"python": "class Solution:"},
        {"python": f"{MARKER}\n"},
    )
    assert {solution.code: str(solution.expected) for solution in solutions} == {
        "right": "accepted", "wrong": "wrong", "slow": "slow", "claims": "wrong", "odd": "unknown",
    }  # fmt: skip
    assert solutions[0].extra == {"status": "success", "time": 1.5, "memory": 9e3, "integral": 2e4}
    assert "time" not in solutions[2].extra, "unknown is not 0"


def test_language_option(read_source: Any, write_lines: Any) -> None:
    file = write_lines([python_row()])
    assert {
        s.language for s in read_source(f"venus_python:{file}?lang=c%2B%2B").only.solutions
    } == {"cpp"}
    with pytest.raises(LanguageError, match="cobol"):
        read_source(f"venus_python:{file}?lang=cobol")
