"""Rows of tables for reinforcement learning, in public forms, read with and without a map."""

from __future__ import annotations

import json
from typing import Any

import pytest

from venus_toolkit.builders.functions import complete
from venus_toolkit.builders.reading.drafts import unfenced
from venus_toolkit.core.language import load_languages

LANGUAGES = load_languages()
PYTHON = LANGUAGES["python"]
TEXT = "Given two integers on one line, print their sum."
CALLED = "Write a function that returns the two numbers as a sum."
ADD = "a, b = map(int, input().split())\nprint(a + b)\n"
TYPED = "class Solution:\n    def add(self, a: int, b: int) -> int:\n        return a + b\n"
STARTER = "class Solution:\n    def add(self, a: int, b: int) -> int:\n        "
ASSERTS = ["assert add(1, 2) == 3", "assert add(5, 5) == 10"]
UNTYPED = "def add(a, b=0):\n    return a + b\n"
STDIN = [("1 2\n", "3\n"), ("5 5\n", "10\n")]
CALLS = [("1\n2\n", "3\n"), ("5\n5\n", "10\n")]
Row = dict[str, Any]


def fence(code: str, mark: str = "python") -> str:
    return f"Here it is:\n\n```{mark}\n{code}```\n"


def io(**more: Any) -> Row:
    return {
        "inputs": [stdin for stdin, _ in STDIN],
        "outputs": [stdout for _, stdout in STDIN],
        **more,
    }


def io_calls(wrapped: bool = False) -> Row:
    return {
        "fn_name": "add",
        "inputs": [[1, 2], [5, 5]],
        "outputs": [[3], [10]] if wrapped else [3, 10],
    }


def cases(kind: str, key: str = "type", **more: Any) -> list[Row]:
    return [{key: kind, "input": stdin, "output": stdout, **more} for stdin, stdout in STDIN]


def call_cases(text: bool = False, wrapped: bool = False) -> list[Row]:
    def told(value: Any) -> Any:
        return json.dumps(value) if text else value

    pairs = [([1, 2], 3), ([5, 5], 10)]
    told_pairs = [
        (told(arguments), told([result] if wrapped else result)) for arguments, result in pairs
    ]
    return [
        {"type": "function_call", "fn_name": "add", "input": i, "output": o} for i, o in told_pairs
    ]


STDIN_ROWS: dict[str, Row] = {
    "the most common row": {"question": TEXT, "starter_code": "", "input_output": json.dumps(io()), "solutions": [ADD]},
    "with an id": {"id": 7, "question": TEXT, "starter_code": "", "input_output": io(), "solutions": json.dumps([ADD])},
    "fenced": {"question": TEXT, "starter_code": "", "input_output": json.dumps(io()), "solutions": [fence(ADD)]},
    "TACO-verified": {
        "question": TEXT, "starter_code": "", "input_output": json.dumps(io()), "solutions": [ADD],
        "difficulty": "EASY",
        "raw_tags": "['Math']", "name": None, "source": "codeforces", "tags": "['Math']", "skill_types": "[]",
        "url": "https://example.org/1", "time_limit": "2.0 seconds", "memory_limit": None,
    },
    "DeepCoder, list": {
        "problem": TEXT, "solutions": [fence(ADD)], "tests": json.dumps(cases("stdin_stdout", fn_name=None)),
    },
    "DeepCoder, struct": {"problem": TEXT, "solutions": [fence(ADD)], "tests": json.dumps(io())},
    "DeepCoder, testtype": {
        "problem": TEXT, "starter_code": "", "solutions": [ADD], "metadata": "{}",
        "tests": json.dumps(cases("stdin", "testtype", metadata={"func_name": None})),
    },
    "open-r1": {
        "source": "apps", "task_type": "verifiable_code", "in_source_id": "3", "problem_statement": TEXT,
        "gold_standard_solution": fence(ADD), "problem_id": "vfc_3",
        "metadata": {"difficulty": "interview", "memory_limit": None, "time_limit": "2 seconds", "problem_url": None},
        "verification_info": {"language": "python", "test_cases": cases("stdin_stdout", fn_name="")},
    },
    "SYNTHETIC-1": {
        "source": "apps", "task_type": "verifiable_code", "in_source_id": "3", "prompt": TEXT,
        "gold_standard_solution": fence(ADD), "problem_id": "vcu_3",
        "verification_info": json.dumps({"language": "python", "test_cases": cases("stdin_stdout")}),
        "metadata": "{'difficulty': 'interview', 'time_limit': None}",
    },
}  # fmt: skip

FUNCTION_ROWS: dict[str, Row] = {
    "the most common row": {
        "question": CALLED, "starter_code": STARTER, "input_output": json.dumps(io_calls()), "solutions": [TYPED],
    },
    "results in lists": {
        "question": CALLED, "starter_code": STARTER, "input_output": json.dumps(io_calls(True)), "solutions": [TYPED],
    },
    "no starter code": {
        "question": CALLED, "starter_code": "", "input_output": json.dumps(io_calls()), "solutions": [TYPED],
    },
    "DeepCoder, list": {
        "problem": CALLED, "solutions": [fence(TYPED)], "tests": json.dumps(call_cases(wrapped=True)),
    },
    "DeepCoder, struct": {"problem": CALLED, "solutions": [fence(TYPED)], "tests": json.dumps(io_calls())},
    "DeepCoder, testtype": {
        "problem": CALLED, "starter_code": STARTER, "solutions": [fence(TYPED)],
        "tests": json.dumps([
            {"testtype": "functional", "input": "1\n2", "output": "3", "metadata": {"func_name": "add"}},
            {"testtype": "functional", "input": "5\n5", "output": "10", "metadata": {"func_name": "add"}},
        ]),
    },
    "open-r1": {
        "problem_statement": CALLED, "gold_standard_solution": fence(TYPED), "problem_id": "vfc_4",
        "metadata": {"difficulty": "interview", "time_limit": None},
        "verification_info": {"language": "python", "test_cases": call_cases(text=True, wrapped=True)},
    },
    "SYNTHETIC-1": {
        "prompt": CALLED, "gold_standard_solution": fence(TYPED), "problem_id": "vcu_4", "metadata": "{}",
        "verification_info": json.dumps({"language": "python", "test_cases": call_cases()}),
    },
}  # fmt: skip

PYTHON_ROWS: dict[str, Row] = {
    "KodCode": {
        "style": "instruct", "subset": "Prefill", "question_id": "Prefill_7_I", "question": CALLED,
        "solution": UNTYPED, "conversation_id": "7",
        "test": ("from solution import add\n\ndef test_a():\n    assert add(1, 2) == 3\n    assert "
            "add(b=5, a=5) == 10"),
        "test_info": [{"function_declaration": "def add(a, b=0):", "function_name": "add", "parameter_list": "(a, b)"}],
        "gpt_pass_sequence": [1], "gpt_pass_percentage": 1.0, "gpt_difficulty": "easy",
    },
    "asserts": {"question": CALLED, "solution": fence(UNTYPED), "tests": ASSERTS},
    "untyped calls": {"question": CALLED, "solutions": [UNTYPED], "input_output": json.dumps(io_calls())},
}  # fmt: skip


def lines(pairs: Any) -> list[tuple[str, str]]:
    return [tuple(side if side.endswith("\n") else f"{side}\n" for side in pair) for pair in pairs]


@pytest.mark.parametrize("shape", STDIN_ROWS)
def test_stdin_rows(shape: str, read_source: Any, write_lines: Any, pairs: Any) -> None:
    problem, solutions, tests = read_source(f"columns:{write_lines([STDIN_ROWS[shape]])}").only
    assert (problem.style, problem.statement, problem.starter_code) == ("stdin", TEXT, {})
    assert [(solution.language, solution.code.strip()) for solution in solutions] == [
        ("python", ADD.strip())
    ]
    assert pairs(tests) == STDIN


@pytest.mark.parametrize("shape", FUNCTION_ROWS)
def test_function_rows(shape: str, read_source: Any, write_lines: Any, pairs: Any) -> None:
    entry = read_source(f"columns:{write_lines([FUNCTION_ROWS[shape]])}").only
    assert (entry.problem.style, entry.problem.extra["entry_point"]) == ("function", "add")
    assert [solution.code.strip() for solution in entry.solutions] == [TYPED.strip()]
    assert lines(pairs(entry.tests)) == CALLS
    completed = complete(entry, LANGUAGES)
    assert set(completed.entry.problem.runners) == set(LANGUAGES), completed.missing
    assert len(completed.entry.tests) >= 2, completed.unfit


LIST = "class Solution:\n    def f(self, n: int) -> List[int]:\n        "


@pytest.mark.parametrize(
    ("starter", "outputs", "stdouts"),
    [
        (LIST, [[1], [2]], ["[1]\n", "[2]\n"]),
        (LIST, [[[1, 2]], [[3]]], ["[1, 2]\n", "[3]\n"]),
        (LIST.replace("List[int]", "int"), [[1]], ["1\n"]),
        (LIST.replace("List[int]", "List[List[int]]"), [[[1]], [[2]]], ["[[1]]\n", "[[2]]\n"]),
        ("", [[1], [2]], ["1\n", "2\n"]),
        ("", [[1]], ["[1]\n"]),
        ("", [[1], [2, 3]], ["[1]\n", "[2, 3]\n"]),
    ],
)
def test_wrapped_results_are_unwrapped(
    starter: str, outputs: list[Any], stdouts: list[str], read_source: Any, write_lines: Any
) -> None:
    table = {"fn_name": "f", "inputs": [[n] for n in range(len(outputs))], "outputs": outputs}
    program = "class Solution:\n    def f(self, n):\n        return n\n"
    row = {
        "question": CALLED,
        "starter_code": starter,
        "input_output": json.dumps(table),
        "solutions": [program],
    }
    tests = read_source(f"columns:{write_lines([row])}").only.tests
    assert [test.stdout for test in tests] == stdouts


@pytest.mark.parametrize("shape", PYTHON_ROWS)
def test_untyped_function_has_python_runner(
    shape: str, read_source: Any, write_lines: Any, pairs: Any
) -> None:
    entry = read_source(f"columns:{write_lines([PYTHON_ROWS[shape]])}").only
    assert (entry.problem.style, list(entry.problem.runners)) == ("function", ["python"])
    assert "add(*_arguments)" in entry.problem.runners["python"]
    assert [solution.code.strip() for solution in entry.solutions] == [UNTYPED.strip()]
    assert pairs(entry.tests)[:1] == CALLS[:1]


def test_acecode_map(read_source: Any, write_lines: Any, pairs: Any) -> None:
    row = {
        "id": "oss_1", "source": "oss", "question": CALLED, "context_messages": [],
        "test_cases": ASSERTS,
        "inferences": [
            {"completion": fence(UNTYPED), "completion_id": 0, "model_name": "m", "pass_rate": 1.0},
            {"completion": fence("def add(a, b): return a\n"), "completion_id": 1, "model_name": "m", "pass_rate": 0.5},
        ],
    }  # fmt: skip
    entry = read_source(f"columns:{write_lines([row])}?map=acecode").only
    assert [str(solution.expected) for solution in entry.solutions] == ["accepted", "unknown"]
    assert entry.solutions[0].code.strip() == UNTYPED.strip()
    assert pairs(entry.tests) == CALLS
    assert list(entry.problem.runners) == ["python"]


def test_table_of_both_styles(read_source: Any, write_lines: Any) -> None:
    rows = [STDIN_ROWS["the most common row"], FUNCTION_ROWS["the most common row"]]
    result = read_source(f"columns:{write_lines(rows)}")
    assert [problem.style for problem in result.problems] == ["stdin", "function"]
    assert result.rejected == []


def test_rows_without_id_have_hashed_slugs(read_source: Any, write_lines: Any) -> None:
    row = STDIN_ROWS["the most common row"]
    other = {**row, "question": f"{TEXT} Now."}
    slugs = {
        problem.slug for problem in read_source(f"columns:{write_lines([row, other])}").problems
    }
    again = {
        problem.slug for problem in read_source(f"columns:{write_lines([other, row])}").problems
    }
    assert slugs == again
    assert len(slugs) == 2


@pytest.mark.parametrize(
    ("form", "stdin", "call_stdin"),
    [
        ("arguments", "[1, [2, 3]]", "1\n[2, 3]\n"),
        ("arguments", [1, "a"], '1\n"a"\n'),
        ("call", "a = 1, b = 2", "1\n2\n"),
    ],
)
def test_call_formats_of_maps(
    form: str,
    stdin: Any,
    call_stdin: str,
    read_source: Any,
    write_lines: Any,
    tmp_path: Any,
    pairs: Any,
) -> None:
    (tmp_path / "map.toml").write_text(
        'style = "function"\n[problem]\nslug = { hash = "q" }\nstatement = "q"\n[solutions]\n'
        'python = "code"\n'
        f'[tests]\nlist = "t"\ninput = "in"\noutput = "out"\nformat = "{form}"\n'
    )
    file = write_lines([{"q": CALLED, "code": UNTYPED, "t": [{"in": stdin, "out": "3"}]}])
    assert pairs(read_source(f"columns:{file}?map={tmp_path}/map.toml").only.tests) == [
        (call_stdin, "3\n")
    ]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"inputs": ["1"], "outputs": []}, "must be lists of one length"),
        (
            {"fn_name": "add", "inputs": ["1", "2"], "outputs": ["1", "2"]},
            "must be a list of arguments",
        ),
        (
            [{"input": "1", "output": "1", "fn_name": name} for name in "fg"],
            "tests of several functions: f, g",
        ),
    ],
)
def test_invalid_tests_are_rejected(
    wrong: Any, reason: str, read_source: Any, write_lines: Any, tmp_path: Any
) -> None:
    (tmp_path / "map.toml").write_text(
        '[problem]\nslug = { hash = "q" }\nstatement = "q"\n[solutions]\npython = "code"\n'
        '[tests]\ncases = "t"\n'
    )
    file = write_lines([{"q": TEXT, "code": ADD, "t": json.dumps(wrong)}])
    assert reason in read_source(f"columns:{file}?map={tmp_path}/map.toml").reason


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        (ADD, ADD),
        (f"```python\n{ADD}```", ADD),
        (f"Sure.\n\n~~~py\n{ADD}~~~\nDone.", ADD),
        (f'"""\n```\nexample\n```\n"""\n{ADD}', f'"""\n```\nexample\n```\n"""\n{ADD}'),
        ("```cpp\nint main() {}\n```", "```cpp\nint main() {}\n```"),
    ],
)
def test_fences_are_removed(cell: str, code: str) -> None:
    assert unfenced(cell, PYTHON).strip() == code.strip()
