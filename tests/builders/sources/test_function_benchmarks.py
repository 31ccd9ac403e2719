"""ENAMEL, EvalPerf and EffiBench: tables in their form, and the programs in them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.records import Expectation, Problem

HEAD = "from typing import List\n\n\ndef total(numbers: List[int]) -> int:\n"
PROMPT = HEAD + '    """Return their sum.\n    >>> total([1, 2])\n    3\n    """'
EQUAL = (
    "def __check(input, answer, output):\n    return type(output) == type(answer) and output == "
    "answer"
)
NEAR = (
    "def __check(input, answer, output):\n    return type(output) == tuple and abs(output[0] "
    "- total(input[0])) < 1e-4"
)
DRAWN = (
    "def generate_input(size, lid, cid):\n    return [random.randint(lid, size) for _ in "
    "range(cid + 1)],"
)


def enamel(folder: Path, **changes: str) -> Path:
    row = {
        "task_id": "HumanEval/7", "prompt": PROMPT, "input_generator": DRAWN, "input_levels": "10 20 30 40",
        "reference_solution": "    return sum(numbers)\n", "checker": EQUAL, "entry_point": "total", **changes,
    }  # fmt: skip
    for name in ("dataset", "enam", "samples"):
        (folder / name).mkdir(exist_ok=True)
    with (folder / "dataset" / "enamel.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, list(row))
        table.writeheader()
        table.writerow(row)
    (folder / "enam" / "datautils.py").write_text("import random\nimport string\n")
    (folder / "samples" / "humaneval-canonical.json").write_text(
        json.dumps([[PROMPT + "\n    return 0 + sum(numbers)\n"]])
    )
    return folder


def called(problem: Problem, code: str, stdin: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the output of the problem's runner around a solution, run in this process."""
    import io
    import sys

    program = problem.runners["python"].replace("# ==Code Submission==", code)
    output = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
    monkeypatch.setattr(sys, "stdout", output)
    exec(compile(program, "main.py", "exec"), {"__name__": "__main__"})
    monkeypatch.undo()
    return output.getvalue()


def test_enamel(read_source: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, solutions, tests = read_source(f"enamel:{enamel(tmp_path)}").only
    assert (problem.slug, problem.title, problem.style) == (
        "enamel-humaneval-7",
        "total",
        "function",
    )
    assert problem.statement == "Return their sum.\n>>> total([1, 2])\n3\n"
    assert (problem.comparison.kind, problem.evaluator, tests) == ("exact", None, ())
    expert, canonical = solutions
    assert called(problem, expert.code, "[1, 2, 4]\n", monkeypatch) == "7\n"
    assert "0 + sum" in canonical.code
    scope: dict[str, Any] = {}
    exec(problem.generator or "", scope)
    inputs = [
        scope["generate"](seed, size)
        for size in ("small", "boundary", "large", "worst")
        for seed in (0, 1)
    ]
    assert len(set(inputs)) == len(inputs)
    assert inputs[0] == scope["generate"](0, "small"), "the same again"
    assert all(len(json.loads(line)) <= 8 for line in inputs)


def test_enamel_checker_judges_json_values(read_source: Any, tmp_path: Path) -> None:
    (problem, *_) = read_source(f"enamel:{enamel(tmp_path, checker=NEAR)}").only
    scope: dict[str, Any] = {}
    exec((problem.evaluator or "").replace("    pass\n", "    return sum(numbers)\n", 1), scope)
    assert scope["evaluate"]("[6]", "[6.00001]", "[1, 2, 3]\n")
    assert not scope["evaluate"]("[6]", "[7]", "[1, 2, 3]\n")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"input_levels": "1 2"}, "input_levels must be four numbers"),
        ({"prompt": "def total(numbers):\n    return 1"}, "total has no docstring"),
        ({"prompt": "def total("}, "the code is not Python"),
        ({"entry_point": "other"}, "the code has no function other"),
        ({"checker": ""}, "checker is empty"),
    ],
)
def test_wrong_enamel_row_is_rejected(
    read_source: Any, tmp_path: Path, changes: dict[str, str], reason: str
) -> None:
    assert reason in read_source(f"enamel:{enamel(tmp_path, **changes)}").reason


def test_folder_without_checkout(read_source: Any, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"enamel\.csv cannot be read"):
        read_source(f"enamel:{tmp_path}")
    (enamel(tmp_path) / "samples" / "humaneval-canonical.json").write_text("{}")
    with pytest.raises(SourceError, match="not a list of lists"):
        read_source(f"enamel:{tmp_path}")


# ------------------------------------------------------------------ EvalPerf

PERFORMANCE = {
    "task_id": "HumanEval/7", "reference": ["def total(numbers):\n    return sum(numbers)\n"], "scores": [100.0],
    "pe_input": json.dumps([[[1] * 50]]), "entry_point": "total",
}  # fmt: skip
PLUS = {
    "task_id": "HumanEval/7", "prompt": PROMPT, "canonical_solution": "\n    return sum(iter(numbers))\n", "atol": 0,
    "base_input": [[[1, 2]], [[]]], "plus_input": [[[1, 2]], [[7]]],
}  # fmt: skip


def tables(folder: Path, **changes: Any) -> str:
    (folder / "perf.jsonl").write_text(json.dumps(PERFORMANCE) + "\n")
    (folder / "plus.jsonl").write_text(json.dumps(PLUS | changes) + "\n")
    return f"evalperf:{folder}/perf.jsonl?problems={folder}/plus.jsonl"


def test_evalperf(
    read_source: Any, tmp_path: Path, pairs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, solutions, tests = read_source(tables(tmp_path)).only
    assert pairs(tests) == [
        (f"{[1] * 50}\n", None),
        ("[1, 2]\n", None),
        ("[]\n", None),
        ("[7]\n", None),
    ]
    assert [test.test_id.partition("-")[0] for test in tests] == [
        "performance",
        *["correctness"] * 3,
    ]
    assert [called(problem, solution.code, "[1, 2]\n", monkeypatch) for solution in solutions] == [
        "3\n",
        "3\n",
    ]
    assert {solution.expected for solution in solutions} == {Expectation.ACCEPTED}
    assert problem.comparison.kind == "exact"


def test_mbpp_task(read_source: Any, tmp_path: Path) -> None:
    prompt = '"""\nWrite a function that adds.\nassert total([1]) == 1\n"""\n'
    result = read_source(
        tables(
            tmp_path, prompt=prompt, atol=1e-6, canonical_solution="\ndef total(n):\n  return 1\n"
        )
    )
    problem, solutions, _ = result.only
    assert problem.statement == "Write a function that adds.\nassert total([1]) == 1\n"
    assert problem.comparison.kind == "evaluator"
    assert problem.starter_code == {"python": "def total(numbers):\n    "}
    assert solutions[1].code == "\ndef total(n):\n  return 1\n", (
        "the prompt is prose and no part of it"
    )


def test_missing_prompt_is_reported(read_source: Any, tmp_path: Path) -> None:
    tables(tmp_path)
    assert "add ?problems=" in read_source(f"evalperf:{tmp_path}/perf.jsonl").reason
    assert "list of lists" in read_source(tables(tmp_path, base_input=[1])).reason


# ------------------------------------------------------------------ EffiBench

EFFIBENCH = {
    "problem_idx": 1, "task_name": "Two Sum", "markdown_description": "Find two numbers.",
    "canonical_solution": "```python\nclass Solution:\n"
    "    def twoSum(self, nums: List[int], target: int) -> List[int]:\n        seen = {}\n   "
        "     return []\n```",
    "test_case": "solution = Solution()\nassert solution.twoSum([2, 7], 9) == [0, 1]\n"
    "assert solution.twoSum(target=6, nums=[3, 3]) == [0, 1]\nassert Solution().twoSum([1], "
        "1) == []\n"
    "assert solution.twoSum([1] * 3, 1) == []\nassert other.twoSum([1], 1) == []\n",
}  # fmt: skip


def test_effibench(read_source: Any, tmp_path: Path, pairs: Any) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(EFFIBENCH) + "\n")
    problem, (solution,), tests = read_source(f"effibench:{file}").only
    assert (problem.slug, problem.problem_id, problem.extra["entry_point"]) == (
        "effibench-two-sum",
        1,
        "twoSum",
    )
    starter = (
        "class Solution:\n    def twoSum(self, nums: List[int], target: int) -> List[int]:\n     "
        "   "
    )
    assert problem.starter_code == {"python": starter}, "and nothing of the solution"
    assert solution.code.startswith("class Solution:")
    expected = [("[2, 7]\n9\n", "[0, 1]\n"), ("[3, 3]\n6\n", "[0, 1]\n"), ("[1]\n1\n", "[]\n")]
    assert pairs(tests) == expected, "named arguments are in the order of the parameters"


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("test_case", "assert 1 == 1", "no assertion of test_case is a call"),
        ("test_case", "assert (", "the assertions are not Python"),
        ("canonical_solution", "class Solution { int f(); }", "the program is not Python"),
        ("canonical_solution", "class Solution:\n    pass", "it names arguments"),
    ],
)
def test_wrong_effibench_row_is_rejected(
    read_source: Any, tmp_path: Path, column: str, value: str, reason: str
) -> None:
    file = tmp_path / "rows.jsonl"
    tests = "assert Solution().twoSum(nums=[1], target=1) == []"
    file.write_text(json.dumps(EFFIBENCH | {"test_case": tests, column: value}) + "\n")
    assert reason in read_source(f"effibench:{file}").reason
