"""Codeforces: rows in the form of open-r1/codeforces and codeforces-submissions.

Checkers run in the sandbox.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from venus_toolkit.core.records import MIB, NS_PER_S, Expectation, OutputComparison
from venus_toolkit.execution.judging.checker import Answer, Checker
from venus_toolkit.execution.sandbox import Sandbox

CHECKER = """\
import sys

def main():
    stdin, expected, actual = (open(name).read().split() for name in sys.argv[1:4])
    print(int(sum(map(int, actual)) == int(stdin[0])))

if __name__ == "__main__":
    main()
"""


def row(**changes: Any) -> dict[str, Any]:
    return {
        "id": "1873/A",
        "aliases": None,
        "contest_id": "1873",
        "contest_start": 1695307500,
        "contest_start_year": 2023,
        "index": "A",
        "time_limit": 1.5,
        "memory_limit": 256.0,
        "title": "Short Sort",
        "description": "Sort three cards.",
        "input_format": "One integer.",
        "output_format": "Two integers.",
        "interaction_format": None,
        "note": None,
        "examples": [{"input": "6\n", "output": "1 5\n"}],
        "rating": 800,
        "tags": ["sortings"],
        "official_tests": [
            {"input": "6\n", "output": "1 5\n"},
            {"input": "8\n", "output": "4 4\n"},
        ],
        "official_tests_complete": True,
        "input_mode": "stdio",
        "generated_checker": CHECKER,
        "executable": True,
        **changes,
    }


def submission(code: str, language: str, verdict: str, problem: str = "1873/A") -> dict[str, Any]:
    return {
        "submission_id": f"{len(code)}",
        "source": code,
        "programmingLanguage": language,
        "verdict": verdict,
        "testset": "TESTS",
        "passedTestCount": 3.0,
        "problem_id": problem,
    }


def test_problem(reading: Any, pairs: Any) -> None:
    problem, solutions, tests = reading("codeforces", [row()]).only
    assert (problem.slug, problem.title, problem.date) == (
        "codeforces-1873-a",
        "Short Sort",
        "2023-09-21",
    )
    assert (
        problem.statement
        == "Sort three cards.\n\n## Input\n\nOne integer.\n\n## Output\n\nTwo integers.\n"
    )
    assert (problem.limits.cpu_ns, problem.limits.memory_bytes) == (1.5 * NS_PER_S, 256 * MIB)
    assert (problem.difficulty, problem.extra["rating"], problem.category) == (
        "Easy",
        800,
        "algorithms",
    )
    assert problem.comparison.kind == "evaluator"
    assert solutions == ()
    assert pairs(tests) == [("6\n", "1 5\n"), ("8\n", "4 4\n")]


@pytest.mark.parametrize(
    ("changes", "category"),
    [({"interaction_format": "Ask."}, "interactive"), ({"input_mode": "file"}, "files")],
)
def test_interactive_and_file_categories(
    reading: Any, changes: dict[str, Any], category: str
) -> None:
    assert reading("codeforces", [row(**changes)]).only.problem.category == category


def test_submissions(read_source: Any, write_lines: Any) -> None:
    sent = [
        submission("a", "GNU C++17", "OK"),
        submission("b", "PyPy 3-64", "WRONG_ANSWER"),
        submission("c", "Java 11", "TIME_LIMIT_EXCEEDED"),
        submission("d", "JavaScript", "RUNTIME_ERROR"),
        submission("e", "Python 3", "SKIPPED"),
        submission("f", "PyPy 2", "OK"),
        submission("g", "MS C#", "OK"),
        submission("h", "GNU C11", "OK"),
        submission("z", "Rust", "OK", "9/Z"),
        submission("i", "Go", "OK"),
        submission("j", "Ruby 3", "MEMORY_LIMIT_EXCEEDED"),
    ]
    submissions = write_lines(sent, "submissions.jsonl")
    problems = write_lines([row(), row(id="1/B")], "problems.jsonl")
    result = read_source(f"codeforces:{problems}?submissions={quote(str(submissions))}")
    assert [problem.slug for problem in result.problems] == ["codeforces-1873-a", "codeforces-1-b"]
    assert {(s.code, s.language, s.expected) for s in result.entries[0].solutions} == {
        ("a", "cpp", Expectation.ACCEPTED), ("b", "python", Expectation.WRONG), ("c", "java", Expectation.SLOW),
        ("d", "javascript", Expectation.WRONG), ("e", "python", Expectation.UNKNOWN), ("i", "go", Expectation.ACCEPTED),
        ("j", "ruby", Expectation.WRONG),
    }  # fmt: skip
    assert result.entries[0].solutions[0].extra["submission_id"] == "1"
    assert {rejected.reason for rejected in result.rejected} == {
        "unknown language 'python2': 1 solution", "unknown language 'MS C#': 1 solution",
        "unknown language 'GNU C11': 1 solution", "the problem is not in the table: 1 submission",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"id": None}, "id is missing"),
        ({"description": ""}, "description is empty"),
        ({"time_limit": "quick"}, "time_limit must be a number, found str 'quick'"),
        ({"examples": [{"output": "1"}]}, "examples[0].input is missing"),
        ({"generated_checker": ["x"]}, "generated_checker must be text, found list ['x']"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_row_is_rejected(reading: Any, changes: dict[str, Any], reason: str) -> None:
    assert reason in reading("codeforces", [row(**changes)]).reason


# ------------------------------------------------------------------ checkers


def test_checker_accepts_and_rejects(reading: Any, sandbox: Sandbox) -> None:
    evaluator = reading("codeforces", [row()]).only.problem.evaluator
    checker = Checker(OutputComparison("evaluator"), sandbox, evaluator)
    answers = [
        Answer("1 5", "2 4", "6\n"),
        Answer("1 5", "2 5", "6\n"),
        Answer("1 5", "six", "6\n"),
    ]
    assert checker.passes(answers) == [True, False, False]


def test_checker_exit_and_empty_output(reading: Any, sandbox: Sandbox) -> None:
    for checker_source, passes in (
        ("print(1); raise SystemExit", True),
        ("raise SystemExit(1)", False),
        ("print(10)", False),
    ):
        evaluator = reading(
            "codeforces", [row(generated_checker=checker_source)]
        ).only.problem.evaluator
        assert Checker(OutputComparison("evaluator"), sandbox, evaluator).passes(
            [Answer("1", "2", "")]
        ) == [passes]
