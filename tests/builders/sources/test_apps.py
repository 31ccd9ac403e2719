"""APPS: rows in the form of codeparrot/apps."""

from __future__ import annotations

import json
from typing import Any

import pytest

from venus_toolkit.core.records import Expectation

LONG = "9" * 5000


def row(**changes: Any) -> dict[str, Any]:
    return {
        "problem_id": 12,
        "question": "Print the sum.\n",
        "solutions": json.dumps(["print(1)", "print(2)", "print(1)"]),
        "input_output": json.dumps({"inputs": ["1 2\n", ["3", "4"]], "outputs": ["3\n", ["7"]]}),
        "difficulty": "interview",
        "url": "https://example.org/12",
        "starter_code": "",
        "picture_num": 0,
        **changes,
    }


def test_stdin_problem(reading: Any, pairs: Any) -> None:
    problem, solutions, tests = reading("apps", [row()]).only
    assert (problem.slug, problem.problem_id, problem.style, problem.difficulty) == (
        "apps-12",
        12,
        "stdin",
        "Medium",
    )
    assert (problem.source, problem.license, problem.url) == (
        "apps",
        "MIT",
        "https://example.org/12",
    )
    assert problem.extra == {"difficulty": "interview", "picture_num": 0}, (
        "unknown columns are kept"
    )
    assert [(s.code, s.language, s.expected) for s in solutions] == [
        ("print(1)", "python", Expectation.ACCEPTED), ("print(2)", "python", Expectation.ACCEPTED),
    ]  # fmt: skip
    assert len({solution.solution_id for solution in solutions}) == 2
    assert pairs(tests) == [("1 2\n", "3\n"), ("3\n4\n", "7\n")]
    assert [test.test_id for test in tests] == ["given-0000", "given-0001"]


def test_function_problem(reading: Any, pairs: Any) -> None:
    """Each argument is a line of JSON; integers too long for Python to print stay whole."""
    cases = '{"fn_name": "add", "inputs": [[1, [2]], [LONG, []]], "outputs": [3, LONG]}'.replace(
        "LONG", LONG
    )
    problem, _, tests = reading(
        "apps", [row(input_output=cases, starter_code="def add(a, b):\n")]
    ).only
    assert (problem.style, problem.extra["entry_point"]) == ("function", "add")
    assert problem.starter_code == {"python": "def add(a, b):\n"}
    assert pairs(tests) == [("1\n[2]\n", "3\n"), (f"{LONG}\n[]\n", f"{LONG}\n")]


def test_native_list_columns(reading: Any, pairs: Any) -> None:
    native = {"inputs": ["1"], "outputs": ["2"]}
    entry = reading("apps", [row(solutions=["print(1)"], input_output=native)]).only
    assert (len(entry.solutions), pairs(entry.tests)) == (1, [("1", "2")])


def test_problem_without_solutions_and_tests(reading: Any) -> None:
    entry = reading("apps", [row(solutions="", input_output="")]).only
    assert (entry.solutions, entry.tests, entry.problem.style) == ((), (), "stdin")


def test_splits_with_equal_numbers_stay_distinct(read_source: Any, write_lines: Any) -> None:
    write_lines([row()], "apps/train.jsonl")
    folder = write_lines([row()], "apps/test.jsonl").parent
    result = read_source(f"apps:{folder}")
    assert result.rejected == []
    assert {problem.slug for problem in result.problems} == {"apps-train-12", "apps-test-12"}
    assert len({problem.problem_id for problem in result.problems}) == 2


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"problem_id": None}, "problem_id is missing"),
        ({"problem_id": "twelve"}, "problem_id must be a whole number, found str 'twelve'"),
        ({"question": None}, "question is missing"),
        ({"question": "  "}, "question is empty"),
        ({"question": 3}, "question must be text, found int 3"),
        (
            {"solutions": "[1, 2"},
            "solutions is neither JSON nor a Python literal, found str '[1, 2'",
        ),
        ({"solutions": "[" * 100_000}, "solutions is neither JSON nor a Python literal"),
        ({"solutions": '["a", 5]'}, "solutions[1] must be text, found int 5"),
        ({"solutions": '{"a": 1}'}, "solutions must be a list of text, found dict"),
        ({"input_output": "[]"}, "input_output must be a struct, found list []"),
        (
            {"input_output": {"inputs": ["1"], "outputs": []}},
            "input_output.inputs and outputs must be lists of one length",
        ),
        (
            {"input_output": {"inputs": "1", "outputs": "1"}},
            "input_output.inputs and outputs must be lists of one length",
        ),
        (
            {"input_output": {"inputs": [1], "outputs": [1]}},
            "input_output.inputs[0] must be text, found int 1",
        ),
        (
            {"input_output": {"inputs": [1], "outputs": [1], "fn_name": "f"}},
            "inputs[0] must be a list of arguments",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_row_is_rejected_alone(reading: Any, changes: dict[str, Any], reason: str) -> None:
    result = reading("apps", [row(**changes), row(problem_id=13)])
    assert [problem.problem_id for problem in result.problems] == [13]
    (rejected,) = result.rejected
    assert reason in rejected.reason
    assert rejected.item == str(changes.get("problem_id", 12) or "rows.jsonl row 0")


def test_duplicate_number_is_rejected(reading: Any) -> None:
    result = reading("apps", [row(), row(question="Another.")])
    assert [problem.statement for problem in result.problems] == ["Print the sum.\n"]
    assert result.rejected[0].reason == "duplicate problem: same slug as the problem with the id 12"
