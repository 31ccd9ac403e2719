"""COFFE: small versions of its two files and, if present, the real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.records import NS_PER_S, Expectation
from venus_toolkit.execution.judging.generators import families

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "coffe"
OPENING = "You are an expert Python programmer, and here is your task:\n"


def write(folder: Path, programs: Any, tests: Any) -> Path:
    (folder / "code_contests_solutions.json").write_text(
        json.dumps({"prompt2groundtruth": programs})
    )
    (folder / "code_contests_testcases.json").write_text(json.dumps(tests))
    return folder


def test_problem(read_source: Any, tmp_path: Path, pairs: Any) -> None:
    prompt = f"{OPENING}Add two numbers."
    programs = {prompt: [["a", True], ["b", True], ["a", True], ["c", False]]}
    folder = write(tmp_path, programs, {prompt: [{"input": ["1 2\n"], "output": ["3\n"]}]})
    problem, solutions, tests = read_source(f"coffe:{folder}").only
    assert (problem.title, problem.statement) == ("Add two numbers", "Add two numbers.\n")
    assert problem.slug.startswith("coffe-add-two-numbers-")
    assert (problem.source, problem.license, problem.limits.cpu_ns) == (
        "coffe",
        "CC-BY-4.0",
        4 * NS_PER_S,
    )
    assert [(s.code, s.expected) for s in solutions] == [
        ("a", Expectation.ACCEPTED), ("b", Expectation.ACCEPTED), ("c", Expectation.UNKNOWN),
    ]  # fmt: skip
    assert pairs(tests) == [("1 2\n", "3\n")]


def test_stressful_programs_generate_inputs(read_source: Any, tmp_path: Path) -> None:
    prompt = f"{OPENING}Add two numbers."
    for name, value in {
        "solutions": {"prompt2groundtruth": {prompt: [["a", True]]}},
        "testcases": {prompt: [{"input": ["1 2\n"], "output": ["3\n"]}]},
        "stressful_testcases": {
            prompt: [f"def generate_input():\n    return '{n} 0\\n'" for n in (7, 8)]
        },
    }.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value))
    problem, _, _ = read_source(f"coffe:{tmp_path}").only
    assert families(problem.generator) == ("max",)
    scope: dict[str, Any] = {}
    exec(problem.generator or "", scope)
    assert [scope["generate"](seed, "max") for seed in range(3)] == ["7 0\n", "8 0\n", "7 0\n"]


@pytest.mark.parametrize(
    ("programs", "tests"),
    [
        (["a"], []),
        ([["a", True]], [{"input": [], "output": []}]),
        (3, []),
        ([["a", True]], [{"input": "1"}]),
    ],
)
def test_wrong_problem_is_rejected(
    read_source: Any, tmp_path: Path, programs: Any, tests: Any
) -> None:
    folder = write(tmp_path, {"p": programs, "q": []}, {"p": tests})
    result = read_source(f"coffe:{folder}")
    assert [problem.statement for problem in result.problems] == ["q\n"]
    assert result.rejected[0].reason.startswith("it is not as documented: ")


def test_missing_files(read_source: Any, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"solutions\.json cannot be read"):
        read_source(f"coffe:{tmp_path}")
    with pytest.raises(SourceError, match="it must be an object, found list"):
        read_source(f"coffe:{write(tmp_path, {}, [])}")


@pytest.mark.shared
@pytest.mark.skipif(not DATA.is_dir(), reason=f"the sample data is not here: {DATA}")
def test_real_files(read_source: Any) -> None:
    result = read_source(f"coffe:{DATA}")
    assert result.rejected == []
    assert len(result.entries) == 58
    for problem, solutions, tests in result.entries:
        assert problem.statement.strip()
        assert "expert Python programmer" not in problem.statement
        assert all(test.stdin and test.stdout for test in tests)
        assert len({solution.code for solution in solutions}) == len(solutions) > 0
    assert sum(len(entry.solutions) for entry in result.entries) == 4655
