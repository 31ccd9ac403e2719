"""Guessed column maps: tables of usual shapes, doubts, and builds from a bare file."""

from __future__ import annotations

import csv
import dataclasses
import json
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.builders.reading.guess_map import Guess, guess_map, language_of
from venus_toolkit.builders.sources import Entry, choose_source
from venus_toolkit.builders.sources.columns import guess
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.language import load_languages

LANGUAGES = load_languages()
SUMS = (
    "a, b = map(int, input().split())\nprint(a + b)\n",
    "import sys\nprint(sum(map(int, sys.stdin.read().split())))\n",
)
CPP = (
    "#include <iostream>\nint main() { long long a, b; std::cin >> a >> b; std::cout << a + b; }\n"
)
TEXT = "Given two integers on one line, print their sum."
Row = dict[str, Any]

SHAPES: dict[str, tuple[Row, dict[str, Any]]] = {
    "lists as JSON text": (
        {
            "problem_id": 4, "question": TEXT, "solutions": json.dumps(SUMS), "difficulty": "interview",
            "input_output": json.dumps({"inputs": ["1 2\n"], "outputs": ["3\n"]}), "starter_code": "",
        },
        {
            "style": "stdin",
            "problem": {"slug": "problem-{problem_id}", "statement": "question", "difficulty": "difficulty"},
            "solutions": {"python": "solutions"},
            "tests": {"cases": "input_output"},
        },
    ),
    "rows without a name": (
        {"question": TEXT, "solutions": [SUMS[0]], "starter_code": "", "input_output": {"inputs": [], "outputs": []}},
        {
            "style": "stdin",
            "problem": {"slug": {"hash": "question"}, "statement": "question"},
            "solutions": {"python": "solutions"},
            "tests": {"cases": "input_output"},
        },
    ),
    "judged submissions": (
        {
            "name": "sum", "description": TEXT, "time_limit": "2 seconds",
            "submissions": [
                {"lang": "python3", "source": SUMS[0], "status": "OK"}, {"lang": "c++", "source": CPP, "status": "WA"},
            ],
            "tests": [{"input": "1 2\n", "output": "3\n"}],
        },
        {
            "style": "stdin",
            "problem": {"slug": "name", "statement": "description", "title": "name", "time_limit": "time_limit"},
            "solution": {"list": "submissions", "language": "lang", "code": "source", "verdict": "status"},
            "tests": {"list": "tests", "input": "input", "output": "output"},
        },
    ),
    "a column for each language": (
        {"slug": "sum", "statement": TEXT, "python": SUMS[0], "cpp": CPP, "inputs": ["1 2"], "outputs": ["3"]},
        {
            "style": "stdin",
            "problem": {"slug": "slug", "statement": "statement"},
            "solutions": {"python": "python", "cpp": "cpp"},
            "tests": {"inputs": "inputs", "outputs": "outputs"},
        },
    ),
    "a struct of languages": (
        {"id": "sum", "prompt": TEXT, "solutions": {"Python": list(SUMS), "C++": CPP}},
        {
            "style": "stdin",
            "problem": {"slug": "id", "statement": "prompt"},
            "solutions": {"python": "solutions.Python", "cpp": "solutions.C++"},
        },
    ),
    "lists of programs in the language of the row": (
        {"slug": "sum", "description": TEXT, "language": "python", "solutions": list(SUMS)},
        {
            "style": "stdin",
            "problem": {"slug": "slug", "statement": "description"},
            "solution": {"language": "language", "code": "solutions"},
        },
    ),
    "functions": (
        {
            "task_id": "add", "problem_description": TEXT, "tags": ["math"],
            "starter_code": "class Solution:\n    def add(self, a: int, b: int) -> int:\n        ",
            "completion": ("class Solution:\n    def add(self, a: int, b: int) -> int:\n        return a + "
                "b\n"),
            "input_output": [{"input": "a = 1, b = 2", "output": "3"}],
        },
        {
            "style": "function",
            "problem": {"slug": "task_id", "statement": "problem_description", "tags": "tags"},
            "starter_code": {"python": "starter_code"},
            "solutions": {"python": "completion"},
            "tests": {"list": "input_output", "input": "input", "output": "output", "format": "call"},
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_usual_shapes(shape: str) -> None:
    row, expected = SHAPES[shape]
    map_guess = guess_map([row], LANGUAGES)
    assert map_guess.table == {"merge": False, **expected}
    assert map_guess.doubts == ()
    assert len(map_guess.parts) >= 3


@pytest.mark.parametrize("shape", SHAPES)
def test_guessed_map_file_reads_the_same_rows(shape: str, tmp_path: Path) -> None:
    file = tmp_path / "my.jsonl"
    file.write_text(json.dumps(SHAPES[shape][0]) + "\n")
    map_guess = guess(str(file), LANGUAGES)
    assert map_guess
    (tmp_path / "my.toml").write_text(map_guess.toml())
    guessed, (entry,) = (
        [item for item in choose_source(text).read(LANGUAGES) if isinstance(item, Entry)]
        for text in (str(file), f"{file}?map={tmp_path}/my.toml")
    )
    assert guessed == [entry]
    assert entry.problem.source == "my"
    assert entry.solutions


def test_rows_of_several_languages_are_merged() -> None:
    rows = [
        {"id": 1, "prompt": TEXT, "language": "python", "code": SUMS[0]},
        {"id": 1, "prompt": TEXT, "language": "cpp", "code": CPP},
        {"id": 2, "prompt": TEXT, "language": "python", "code": SUMS[1]},
    ]
    map_guess = guess_map(rows, LANGUAGES)
    assert map_guess.doubts == ()
    assert map_guess.table["merge"] is True
    assert map_guess.table["problem"]["slug"] == "problem-{id}"
    assert map_guess.table["solution"] == {"language": "language", "code": "code"}


@pytest.mark.parametrize(
    ("rows", "doubt"),
    [
        ([{"q": "Sum", "code": SUMS[0]}], "could not tell which column identifies the problem"),
        (
            [{"prompt": TEXT, "solutions": [SUMS[0]]}, {"prompt": TEXT, "solutions": [SUMS[1]]}],
            "could not tell which column identifies the problem",
        ),
        ([{"id": 1, "code": SUMS[0]}], "could not tell which column is the statement"),
        (
            [{"id": 1, "prompt": TEXT, "answer": "It depends."}],
            "could not tell which column has programs",
        ),
        (
            [{"id": 1, "prompt": TEXT, "code": "def add(a, b):\n    return a + b"}],
            "read no standard input",
        ),
        (
            [{"id": 1, "prompt": TEXT, "code": CPP, "test_list": ["assert add(1, 2) == 3"]}],
            "no column has starter code that says their types",
        ),
        ([{"id": 1, "prompt": TEXT, "solutions": [SUMS[0], CPP]}], "in several languages"),
        (
            [{"id": 1, "prompt": TEXT, "solutions": [{"by": "x", "code": CPP}]}],
            "the language of each program",
        ),
        (
            [{"id": 1, "prompt": TEXT, "code": SUMS[0]}, {"id": 1, "prompt": TEXT, "code": CPP}],
            "in several languages, and no column says which",
        ),
        (
            [{"id": 1, "prompt": TEXT, "code": SUMS[0], "inputs": [1, 2], "outputs": [3, 4]}],
            "inputs and outputs have the names of tests",
        ),
    ],
)
def test_doubts(rows: list[Row], doubt: str) -> None:
    map_guess = guess_map(rows, LANGUAGES)
    assert any(doubt in line for line in map_guess.doubts), map_guess.doubts


def test_guess_that_fails_on_rows_is_a_doubt(tmp_path: Path) -> None:
    row = SHAPES["judged submissions"][0]
    rows = [row, {**row, "name": "two", "description": None}]
    file = tmp_path / "my.jsonl"
    file.write_text("".join(json.dumps(item) + "\n" for item in rows))
    map_guess = guess(str(file), LANGUAGES)
    assert map_guess
    (doubt,) = map_guess.doubts
    assert doubt.startswith("1 of the first 2 rows cannot be read by this guess:")
    with pytest.raises(SourceError, match="cannot be guessed with certainty"):
        list(choose_source(str(file)).read(LANGUAGES))


@pytest.mark.parametrize(
    ("code", "language"),
    [
        (SUMS[0], "python"),
        (CPP, "cpp"),
        ("package main\nfunc main() {}\n", "go"),
        ("import java.util.*;\npublic class Main { }", "java"),
        ("fn main() { let mut a = 1; }", "rust"),
        ("const lines = require('fs').readFileSync(0);\nconsole.log(1)", "javascript"),
        ("a, b = gets.split.map(&:to_i)\nputs a + b\n", "ruby"),
        ("It is three.", None),
        ("", None),
    ],
)
def test_language_by_its_constructs(code: str, language: str | None) -> None:
    assert language_of(code) == language


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_corpus_languages_are_recognised(name: str) -> None:
    entries = [item for item in choose_source("corpus").read(LANGUAGES) if isinstance(item, Entry)]
    codes = [
        solution.code
        for entry in entries
        for solution in entry.solutions
        if solution.language == name
    ]
    right = sum(language_of(code) == name for code in codes)
    assert right >= 0.95 * len(codes), f"{right} of {len(codes)}"


def test_show_of_bare_file(cli: Callable[..., Any], tmp_path: Path) -> None:
    file, map_file = tmp_path / "my.jsonl", tmp_path / "map.toml"
    shape = SHAPES["lists as JSON text"][0]
    file.write_text(
        "".join(json.dumps({**shape, "problem_id": number}) + "\n" for number in range(2))
    )
    shown = cli("sources", "show", file, "--map", map_file)
    assert "problem.statement      question: holds prose" in shown.stdout
    assert "problems   2" in shown.stdout
    assert 'statement = "question"' in map_file.read_text()
    assert cli("sources", "show", "corpus", "--map", map_file).exit_code == 2
    file.write_text('{"a": 1}\n')
    refused = cli("sources", "show", file)
    assert "NOT CERTAIN" in refused.stdout
    assert refused.exit_code != 0


def test_guess_as_toml() -> None:
    text = Guess({"style": "stdin", "problem": {"slug": 'a"b'}}, (), ()).toml()
    assert text == 'style = "stdin"\n\n[problem]\nslug = "a\\"b"\n'


def test_one_row_per_solution() -> None:
    rows = [
        {"problem": 4, "id": n, "prompt": f"{TEXT} {n // 2}", "code": SUMS[n % 2], "passed": n != 1}
        for n in range(4)
    ]
    map_guess = guess_map(rows, LANGUAGES)
    # `problem` is the same for both statements, and `id` differs between solutions of one.
    assert map_guess.table["problem"] == {"slug": {"hash": "prompt"}, "statement": "prompt"}
    assert (map_guess.table["merge"], map_guess.doubts) == (True, ())
    judged = {"language": {"value": "python"}, "code": "code", "verdict": "passed"}
    assert map_guess.table["solution"] == judged
    named = guess_map([{**row, "task_id": f"t{row['id'] // 2}"} for row in rows], LANGUAGES)
    assert (named.table["merge"], named.table["problem"]["slug"]) == (True, "task_id")
    # In a longer table, later rows may repeat values that are unique so far.
    part = [{"task_id": f"t{n}", "prompt": f"{TEXT} {n}", "code": SUMS[0]} for n in range(3)]
    merges = [guess_map(part, LANGUAGES, more=more).table["merge"] for more in (False, True)]
    assert merges == [False, True]
    lists = [{**row, "code": [row["code"]]} for row in part]
    assert guess_map(lists, LANGUAGES, more=True).table["merge"] is False


def test_rows_of_different_problems_are_never_merged(tmp_path: Path) -> None:
    file = tmp_path / "my.jsonl"
    rows = [{"task_id": f"t{n}", "prompt": f"{TEXT} {n}", "code": SUMS[0]} for n in range(50)]
    rows += [{**rows[0], "code": SUMS[1]}, {**rows[1], "prompt": "Print another thing, please."}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    read = list(choose_source(str(file)).read(LANGUAGES))
    entries = [item for item in read if isinstance(item, Entry)]
    assert [len(entry.solutions) for entry in entries] == [2] + [1] * 49
    (rejected,) = [item for item in read if not isinstance(item, Entry)]
    assert "same slug" in rejected.reason


def test_map_file_is_complete_and_lists_doubts(tmp_path: Path) -> None:
    file, map_file = tmp_path / "my.jsonl", tmp_path / "map.toml"
    row = {"Aufgabe \U0001f600": 1, "prompt": TEXT, "answer": "It depends."}
    file.write_text(json.dumps(row) + "\n")
    map_guess = guess(str(file), LANGUAGES)
    assert map_guess
    map_file.write_text(map_guess.toml())
    table = tomllib.loads(map_guess.toml())
    assert [*table] == ["source", "license", "style", "merge", "problem", "solutions"]
    assert map_guess.toml().startswith("# OPEN: could not tell which column has programs")
    with pytest.raises(SourceError, match=r"solutions\.python is still open"):
        list(choose_source(f"{file}?map={map_file}").read(LANGUAGES))
    odd = Guess({"problem": {"slug": "\U0001f600\x7f"}}, (), ()).toml()
    assert tomllib.loads(odd) == {"problem": {"slug": "\U0001f600\x7f"}}


@pytest.mark.parametrize(
    ("encoding", "form"),
    [
        ("utf-8", {}),
        ("utf-8-sig", {"delimiter": ";"}),
        ("utf-16", {"delimiter": "\t", "quoting": csv.QUOTE_ALL}),
        ("utf-8", {"delimiter": "|", "lineterminator": "\n"}),
    ],
)
def test_csv_and_json_give_the_same_rows(
    encoding: str, form: dict[str, Any], tmp_path: Path
) -> None:
    tests = [{"input": "1 2\n", "output": "3\n"}]
    rows = [
        {"problem_id": n // 2, "statement": f'{TEXT} Größe; "{n // 2}", \t', "code": SUMS[n % 2],
         "verdict": ["OK", "WA"][n % 2], "tests": json.dumps(tests)}
        for n in range(4)
    ]  # fmt: skip
    (tmp_path / "my.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with (tmp_path / "my.csv").open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, rows[0], **form)
        writer.writeheader()
        writer.writerows(rows)
    from_csv, from_json = (
        list(choose_source(str(tmp_path / name)).read(LANGUAGES)) for name in ("my.csv", "my.jsonl")
    )
    plain = [
        [dataclasses.replace(solution, origin="") for solution in item.solutions]
        for item in from_csv
        if isinstance(item, Entry)
    ]
    assert plain == [
        [dataclasses.replace(solution, origin="") for solution in item.solutions]
        for item in from_json
        if isinstance(item, Entry)
    ]
    assert [item.problem for item in from_csv if isinstance(item, Entry)] == [
        item.problem for item in from_json if isinstance(item, Entry)
    ]
    assert len(plain) == 2


def test_too_many_columns_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "wide.csv"
    file.write_text(",".join(map(str, range(100_000))) + "\n" + ",".join("1" * 100_000) + "\n")
    begun = time.monotonic()
    with pytest.raises(SourceError, match=r"too many columns: it has 100,000, .* at most 2,000"):
        guess(str(file), LANGUAGES)
    assert time.monotonic() - begun < 20
