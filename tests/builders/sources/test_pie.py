"""PIE and ECCO: tables of pairs and folders of tests in their form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from venus_toolkit.core.records import Expectation

PAIR = {"problem_id": "p00001", "user_id": "u1", "src_id": "s1", "tgt_id": "s2", "tests": [0, 1]}


def write(folder: Path, *rows: dict[str, Any]) -> str:
    (folder / "rows.jsonl").write_text("".join(json.dumps(PAIR | row) + "\n" for row in rows))
    tests = folder / "tests" / "p00001"
    tests.mkdir(parents=True)
    for index, (stdin, stdout) in enumerate([("1 2\n", "3\n"), ("4 5\n", "9\n"), ("0 0\n", None)]):
        (tests / f"input.{10 - index}.txt").write_text(stdin)
        if stdout:
            (tests / f"output.{10 - index}.txt").write_text(stdout)
    return f"pie:{folder}/rows.jsonl?tests={folder}/tests"


def test_pairs_become_solutions(read_source: Any, tmp_path: Path, pairs: Any) -> None:
    where = write(
        tmp_path,
        {"src_code": "slow", "tgt_code": "fast"},
        {"src_code": "slower", "tgt_code": "fast"},
    )
    problem, solutions, tests = read_source(where).only
    assert (problem.slug, problem.style) == ("codenet-p00001", "stdin")
    assert "not known" in problem.statement
    assert [(solution.language, solution.code) for solution in solutions] == [
        ("cpp", "slow"),
        ("cpp", "fast"),
        ("cpp", "slower"),
    ]
    assert {solution.expected for solution in solutions} == {Expectation.ACCEPTED}
    assert pairs(tests) == [("0 0\n", None), ("4 5\n", "9\n"), ("1 2\n", "3\n")], (
        "by the numbers of their files"
    )


def test_ecco_language_and_statements(read_source: Any, tmp_path: Path) -> None:
    where = write(tmp_path, {"input": "a", "target": "b", "problem_description": "Add."})
    problem, solutions, _ = read_source(where).only
    assert problem.statement == "Add.\n"
    assert {solution.language for solution in solutions} == {"python"}


def test_statements_from_folder(read_source: Any, tmp_path: Path) -> None:
    (tmp_path / "p00001.html").write_text("<p>Add two numbers.</p>")
    problem, _, _ = read_source(f"{write(tmp_path, {'src_code': 'x'})}&statements={tmp_path}").only
    assert "Add two numbers" in problem.statement


def test_rows_without_programs_are_rejected(read_source: Any, tmp_path: Path) -> None:
    assert "there is no program" in read_source(write(tmp_path, {})).reason


def test_problem_id_cannot_leave_the_folder(read_source: Any, tmp_path: Path) -> None:
    assert (
        "problem_id must be a word"
        in read_source(write(tmp_path, {"problem_id": "../p", "src_code": "x"})).reason
    )
