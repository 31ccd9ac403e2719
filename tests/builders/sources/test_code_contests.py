"""CodeContests: rows in the form of deepmind/code_contests, with ClassLabels and structs of lists."""

from __future__ import annotations

from typing import Any

import pytest

from venus_toolkit.core.records import MIB, NS_PER_S, Expectation

# The order on the Hub, which differs from the original enumeration; no code may depend on it.
SITES = ["UNKNOWN_SOURCE", "CODECHEF", "CODEFORCES", "HACKEREARTH", "CODEJAM", "ATCODER", "AIZU"]
LANGUAGES = ["UNKNOWN_LANGUAGE", "PYTHON", "CPP", "PYTHON3", "JAVA"]


def row(**changes: Any) -> dict[str, Any]:
    return {
        "name": "1575_A. Another Sorting Problem",
        "description": "Sort.",
        "public_tests": {"input": ["1\n"], "output": ["1\n"]},
        "private_tests": {"input": ["2\n", "1\n"], "output": ["2\n", "1\n"]},
        "generated_tests": {"input": [], "output": []},
        "source": "CODEFORCES",
        "difficulty": "A",
        "solutions": {
            "language": ["PYTHON3", "CPP", "PYTHON", "PYTHON"],
            "solution": ["a", "b", "c", "d"],
        },
        "incorrect_solutions": {"language": ["JAVA", "PYTHON3"], "solution": ["e", "a"]},
        "cf_contest_id": 1575,
        "cf_rating": 1100,
        "cf_tags": ["sortings", ""],
        "is_description_translated": False,
        "time_limit": {"seconds": 1, "nanos": 500_000_000},
        "memory_limit_bytes": 64 * MIB,
        "input_file": "",
        "output_file": "",
        **changes,
    }


def test_problem(reading: Any, pairs: Any) -> None:
    result = reading("code_contests", [row()])
    ((problem, solutions, tests),) = result.entries
    assert problem.slug == "code-contests-1575-a-another-sorting-problem"
    assert (problem.difficulty, problem.tags, problem.source) == (
        "Easy",
        ("sortings",),
        "code-contests-codeforces",
    )
    assert (problem.limits.cpu_ns, problem.limits.wall_ns) == (1.5 * NS_PER_S, 6 * NS_PER_S)
    assert problem.limits.memory_bytes == 64 * MIB
    assert (problem.license, problem.category) == ("CC-BY-4.0", "algorithms")
    assert problem.extra["cf_contest_id"] == 1575
    assert pairs(tests) == [("1\n", "1\n"), ("2\n", "2\n")], "a test of two groups is one test"
    assert [test.test_id for test in tests] == ["public-0000", "private-0000"]
    assert {(s.language, s.code): s.expected for s in solutions} == {
        ("python", "a"): Expectation.UNKNOWN, ("cpp", "b"): Expectation.ACCEPTED, ("java", "e"): Expectation.WRONG,
    }, "a program that is said to be right and wrong is neither"  # fmt: skip
    assert result.rejected == [
        (f"{problem.slug}/python2", "unknown language 'python2': 2 solutions")
    ]


def test_table_defines_label_names(read_source: Any, write_parquet: Any) -> None:
    """In another order, the same numbers stand for other names."""
    from datasets import ClassLabel, Features, List, Value

    def features(languages: list[str]) -> Any:
        solutions = {
            "language": List(ClassLabel(names=languages)),
            "solution": List(Value("string")),
        }
        texts = {"name": Value("string"), "description": Value("string")}
        return Features({**texts, "source": ClassLabel(names=SITES), "solutions": solutions})

    numbers = {
        "name": "x",
        "description": "y",
        "source": 5,
        "solutions": {"language": [2, 4], "solution": ["a", "b"]},
    }
    for languages in (LANGUAGES, ["UNKNOWN_LANGUAGE", "CPP", "PYTHON3", "PYTHON", "JAVA"]):
        file = write_parquet([numbers], f"{len(languages[1])}.parquet", features(languages))
        problem, solutions, _ = read_source(f"code_contests:{file}").only
        assert problem.source == "code-contests-atcoder"
        assert [s.language for s in solutions] == [
            {"CPP": "cpp", "PYTHON3": "python"}[languages[2]],
            "java",
        ]


def test_labels_without_names_are_rejected(reading: Any) -> None:
    solutions = {"language": [3], "solution": ["a"]}
    reason = reading("code_contests", [row(solutions=solutions)]).reason
    assert reason == "solutions[0].language must be the name of a label, found 3 and no names"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"public_tests": {"input": ["1"], "output": []}},
            "public_tests has lists of different lengths: 1 in input",
        ),
        ({"public_tests": {"input": "1"}}, "public_tests.input must be a list, found str '1'"),
        ({"private_tests": [{"output": "1"}]}, "private_tests[0].input is missing"),
        ({"solutions": [1]}, "solutions[0] must be a struct, found int 1"),
        (
            {"time_limit": {"seconds": -1, "nanos": 0}},
            "the time limit must be a number greater than 0",
        ),
        ({"memory_limit_bytes": 1 << 80}, "the memory limit must be a number greater than 0"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_row_is_rejected(reading: Any, changes: dict[str, Any], reason: str) -> None:
    assert reason in reading("code_contests", [row(**changes)]).reason


def test_zero_or_null_limit_is_default(reading: Any) -> None:
    from venus_toolkit.core.records import Limits

    for time in (None, {"seconds": 0, "nanos": 0}):
        entry = reading("code_contests", [row(time_limit=time, memory_limit_bytes=0)]).entries[0]
        assert entry.problem.limits == Limits()


def test_file_input_is_a_category(reading: Any) -> None:
    problem = reading("code_contests", [row(input_file="in.txt")]).entries[0].problem
    assert (problem.category, problem.extra["input_file"]) == ("files", "in.txt")
