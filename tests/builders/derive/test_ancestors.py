"""Exports in the ancestors' form, run by an evaluator like theirs.

The evaluator puts a program into the runner and indents both into a function. It calls the function
once for each test, all in one process, with strings in place of standard input and output.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from datasets import load_dataset

from tests.builders.derive.made import TESTS, measured, problem, solution, write_release
from tests.building import read_entry
from venus_toolkit.builders.derive.ancestors import alone, export_ancestors, quoted_runner
from venus_toolkit.builders.functions import complete
from venus_toolkit.builders.release_rows import problem_row, solution_row
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.sources.folder import CORPUS, problem_folders
from venus_toolkit.core.language import MARKER, load_languages, render
from venus_toolkit.core.records import Expectation, Judgement, Limits, Solution, TestCase, Verdict
from venus_toolkit.dataset.test_cases import with_samples

LANGUAGES = load_languages()
EVALUATOR = Path(__file__).with_name("programs") / "function_evaluator.py.txt"
COLUMNS = [
    "problem_id", "title", "question_content", "difficulty", "tags", "code_prompt", "test_case_generator",
    "test_case_evaluator", "test_case_runners", "test_cases", "solutions",
]  # fmt: skip


def passes(row: Mapping[str, Any], code: str, folder: Path) -> bool:
    """Return whether a program passes all tests, run by the evaluator in one process."""
    program = row["test_case_runners"].replace(MARKER, code.strip()).strip()
    text = EVALUATOR.read_text()
    parts = {"SOLUTION": program, "EVALUATOR": row["test_case_evaluator"].strip()}
    for name, part in parts.items():
        text = text.replace(f"\n{name}\n", f"\n{textwrap.indent(part, '    ')}\n")
    cases = json.dumps(json.loads(row["test_cases"]), indent=4)
    file = folder / "evaluation.py"
    file.write_text(text.replace("enumerate(CASES)", f"enumerate({cases})"))
    done = subprocess.run(
        [sys.executable, file], cwd=folder, capture_output=True, text=True, timeout=120
    )
    return done.stdout == "Success\n"


def exported(rows: Sequence[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    release = write_release(folder / "release", {"train": rows})
    export_ancestors(release, folder / "out")
    return pq.read_table(folder / "out/python").to_pylist()


# ------------------------------------------------------------------ columns


def test_rows_have_ancestor_columns_and_all_tests(tmp_path: Path, cli: Callable[..., Any]) -> None:
    wrong, plain = solution(1, "double", None), solution(0, "double", measured())
    unmeasured = {**solution(2, "double", measured()), "time": None}
    rows = [problem(7, "double", [plain, wrong, unmeasured])]
    release = write_release(tmp_path / "release", {"train": rows, "test": rows})
    done = cli("export", "ancestors", release.folder, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    dataset = load_dataset(str(tmp_path / "out"), "python")
    assert {name: split.num_rows for name, split in dataset.items()} == {"train": 1, "test": 1}
    (row,) = dataset["train"]
    assert list(row) == COLUMNS
    assert (row["problem_id"], row["difficulty"], row["tags"]) == (7, "Easy", ["math"])
    assert json.loads(row["test_cases"]) == [
        {"input": test.stdin, "output": test.stdout} for test in TESTS
    ]
    assert [entry["passed"] for entry in row["solutions"]] == [True, False]
    assert [list(entry) for entry in row["solutions"]] == [
        ["code", "status", "passed", "time", "memory", "integral"]
    ] * 2
    assert row["solutions"][0]["time"] == 10.0
    assert row["solutions"][1]["integral"] == math.inf
    assert "MIT" in (tmp_path / "out/README.md").read_text()


def test_tests_of_the_tests_config_are_included(tmp_path: Path) -> None:
    from venus_toolkit.builders.release_rows import rows_of_tests
    from venus_toolkit.core.records import OutputComparison, Problem
    from venus_toolkit.dataset.columns import TESTS as TABLE
    from venus_toolkit.dataset.parquet import write_rows

    many = [TestCase(f"t{n}", f"{n}\n", f"{2 * n}\n", size="random", seed=n) for n in range(9)]
    record = Problem(
        "double", 1, "Double", "Double it.", "Easy", (), "stdin", "made", "MIT", Limits(), OutputComparison()
    )  # fmt: skip
    row = problem_row(
        record, "python", record.limits, many, [solution(0, "double", measured())], {}
    )
    write_rows(tmp_path / "release", "tests/train", rows_of_tests(record, "own", many), TABLE)
    (exported_row,) = exported([with_samples(row)], tmp_path)
    assert [case["input"] for case in json.loads(exported_row["test_cases"])] == [
        f"{n}\n" for n in range(9)
    ]


# ------------------------------------------------------------------ programs

DOUBLES = {
    "plain": "n = int(input())\nprint(2 * n)\n",
    "star imports": "from math import *\nfrom sys import *\nprint(2 * int(stdin.readline()))\n",
    "future": "from __future__ import annotations\nprint(2 * int(input()))\n",
    "global": "total = 0\ndef add(n):\n    global total\n    total += 2 * n\nadd(int(input()))\nprint(total)\n",
    "bytes": "import sys\nprint(2 * int(sys.stdin.buffer.read()))\n",
    "descriptor": "import os\nos.write(1, b'%d\\n' % (2 * int(os.read(0, 99))))\n",
    "open": "print(2 * int(open(0).read()))\n",
    "exit": "print(2 * int(input()))\nexit()\n",
    "main": "import sys\ndef main():\n    print(2 * int(input()))\nif __name__ == '__main__':\n    sys.exit(main())\n",
    "thread": "import threading\nthreading.Thread(target=lambda: print(2 * int(input()))).start()\n",
    "text": 'n = int(input())\nfound = """\nx"""\nassert len(found) == 2\nprint(2 * n)\n',
    "own stdout": "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer)\nprint(2 * int(input()))\n",
    "closed stdout": "import sys\nprint(2 * int(input()))\nsys.stdout.close()\n",
    "dataclass": "from dataclasses import *\n@dataclass\nclass A:\n    n: 'int'\nprint(2 * A(int(input())).n)\n",
    "recursion": "def f(n):\n    return 2 + f(n - 1) if n else 0\nprint(f(int(input())))\n",
    "tabs": "def f(n):\n\treturn 2 * n\n\nprint(f(int(input())))",
}  # fmt: skip
FAULTS = {
    "wrong": "print(int(input()))\n",
    "crash": "print(2 * int(input()))\nraise ValueError\n",
    "exit code": "print(2 * int(input()))\nexit(1)\n",
    "syntax": "print(2 * int(input())\n",
    "silent": "input()\n",
}


@pytest.fixture(scope="module")
def double(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    row = problem(1, "double", [solution(0, "double", measured(), DOUBLES["plain"])])
    (exported_row,) = exported([row], tmp_path_factory.mktemp("double"))
    return exported_row


@pytest.mark.parametrize("name", DOUBLES)
def test_program_runs_like_in_its_own_process(
    name: str, double: dict[str, Any], tmp_path: Path
) -> None:
    assert passes(double, DOUBLES[name], tmp_path)


@pytest.mark.parametrize("name", FAULTS)
def test_failing_program_fails(name: str, double: dict[str, Any], tmp_path: Path) -> None:
    assert not passes(double, FAULTS[name], tmp_path)


def test_quotes_avoid_those_of_programs(tmp_path: Path) -> None:
    commented = "'''\nnotes\n'''\n" + DOUBLES["plain"]
    (row,) = exported(
        [problem(1, "double", [solution(0, "double", measured(), commented)])], tmp_path
    )
    assert passes(row, commented, tmp_path)


def test_runner_with_any_text(double: dict[str, Any], tmp_path: Path) -> None:
    text = "'''a''', \"\"\"b\\n\"\"\", '\x0c\u2028', r'\\n'"
    runner = f"kept = [{text}]\n# {MARKER}\nif kept != [{text}]:\n\tprint('changed')\n"
    row = {**double, "test_case_runners": quoted_runner(alone(runner), [])}
    assert passes(row, DOUBLES["plain"], tmp_path)
    assert not passes(row, DOUBLES["plain"] + "kept = 0\n", tmp_path)


# ------------------------------------------------------------------ functions and the corpus


def test_generated_runner_works(tmp_path: Path) -> None:
    from tests.builders.test_functions import entry

    starter = "class Solution:\n    def pairs(self, numbers: List[int]) -> List[int]:\n        "
    completed = complete(
        entry(
            TestCase("a", "[1,2]", "[2,1]"),
            statement="Reverse.\n\nExample 1:\n\nInput: numbers = [1,2]\nOutput: [2,1]\n",
            starter_code={"python": starter},
        ),
        LANGUAGES,
    )
    record = completed.entry.problem
    code = starter + "print('debug'); return numbers[::-1]\n"
    tests = [TestCase(f"t{n}", f"[{n},2,3]\n", f"[3,2,{n}]\n") for n in range(300)]
    row = problem_row(
        record, "python", Limits(), tests, [solution(0, record.slug, measured(), code)], {}
    )
    assert "import *" not in row["test_case_runners"]
    (exported_row,) = exported([row], tmp_path)
    assert passes(exported_row, code, tmp_path), "300 tests: no file of an earlier one stays open"
    assert not passes(exported_row, code.replace("[::-1]", ""), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("folder", problem_folders(CORPUS), ids=lambda folder: folder.name)
def test_evaluator_accepts_corpus_programs(folder: Path, tmp_path: Path) -> None:
    """Every accepted Python program of the corpus runs; 99 % are required."""
    entry = read_entry(folder, LANGUAGES)
    record = entry.problem
    good = [
        solution_tried
        for solution_tried in entry.solutions
        if solution_tried.language == "python" and solution_tried.expected == Expectation.ACCEPTED
    ]
    tests = corpus_tests(entry, good[0], tmp_path)
    rows = [
        solution_row(solution_tried, Judgement(Verdict.ACCEPTED), measured(), None)
        for solution_tried in good
    ]
    (row,) = exported([problem_row(record, "python", record.limits, tests, rows, {})], tmp_path)
    refused = [
        solution_tried.origin
        for solution_tried in good
        if not passes(row, solution_tried.code, tmp_path)
    ]
    assert not refused


def corpus_tests(entry: Entry, canonical: Solution, folder: Path) -> list[TestCase]:
    """Return small inputs of the problem's generator with the outputs of a solution."""
    scope: dict[str, Any] = {}
    exec(entry.problem.generator or "", scope)
    runner = entry.problem.runners.get("python")
    program = render(runner, canonical.code) if runner else canonical.code
    (folder / "canonical.py").write_text(program)
    tests = []
    for seed, size in enumerate(("small", "boundary", "random") * 2):
        stdin = scope["generate"](seed, size)
        done = subprocess.run(
            [sys.executable, folder / "canonical.py"],
            input=stdin,
            capture_output=True,
            text=True,
            check=True,
        )
        tests.append(TestCase(f"{size}-{seed}", stdin, done.stdout, size=size, seed=seed))
    return tests
