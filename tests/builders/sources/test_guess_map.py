"""Column maps that are guessed.

Tables of usual shapes, what is not certain, and builds from a bare file.
"""

from __future__ import annotations

import json
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
    row, wanted = SHAPES[shape]
    found = guess_map([row], LANGUAGES)
    assert found.table == wanted
    assert found.doubts == ()
    assert len(found.parts) >= 3


@pytest.mark.parametrize("shape", SHAPES)
def test_a_guessed_table_is_read_and_its_map_reads_the_same(shape: str, tmp_path: Path) -> None:
    file = tmp_path / "my.jsonl"
    file.write_text(json.dumps(SHAPES[shape][0]) + "\n")
    found = guess(str(file), LANGUAGES)
    assert found
    (tmp_path / "my.toml").write_text(found.toml())
    guessed, (entry,) = (
        [item for item in choose_source(text).read(LANGUAGES) if isinstance(item, Entry)]
        for text in (str(file), f"{file}?map={tmp_path}/my.toml")
    )
    assert guessed == [entry]
    assert entry.problem.source == "my"
    assert entry.solutions


def test_rows_of_one_language_each_are_merged() -> None:
    rows = [
        {"id": 1, "prompt": TEXT, "language": "python", "code": SUMS[0]},
        {"id": 1, "prompt": TEXT, "language": "cpp", "code": CPP},
        {"id": 2, "prompt": TEXT, "language": "python", "code": SUMS[1]},
    ]
    found = guess_map(rows, LANGUAGES)
    assert found.doubts == ()
    assert found.table["merge"] is True
    assert found.table["problem"]["slug"] == "problem-{id}"
    assert found.table["solution"] == {"language": "language", "code": "code"}


@pytest.mark.parametrize(
    ("rows", "doubt"),
    [
        ([{"q": "Sum", "code": SUMS[0]}], "no column names the problems"),
        (
            [{"prompt": TEXT, "code": SUMS[0]}, {"prompt": TEXT, "code": SUMS[1]}],
            "no column names the problems",
        ),
        ([{"id": 1, "code": SUMS[0]}], "no column has statements"),
        ([{"id": 1, "prompt": TEXT, "answer": "It depends."}], "no column has programs"),
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
            "names the problems",
        ),
    ],
)
def test_what_a_person_has_to_decide(rows: list[Row], doubt: str) -> None:
    found = guess_map(rows, LANGUAGES)
    assert any(doubt in each for each in found.doubts), found.doubts


def test_a_guess_that_cannot_read_the_rows_is_none(tmp_path: Path) -> None:
    row = SHAPES["judged submissions"][0]
    rows = [row, {**row, "name": "two", "description": None}]
    file = tmp_path / "my.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in rows))
    found = guess(str(file), LANGUAGES)
    assert found
    (doubt,) = found.doubts
    assert doubt.startswith("1 of the first 2 rows cannot be read so:")
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
def test_languages_by_what_only_they_write(code: str, language: str | None) -> None:
    assert language_of(code) == language


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_programs_of_the_corpus_are_recognised(name: str) -> None:
    entries = [item for item in choose_source("corpus").read(LANGUAGES) if isinstance(item, Entry)]
    codes = [each.code for entry in entries for each in entry.solutions if each.language == name]
    right = sum(language_of(code) == name for code in codes)
    assert right >= 0.95 * len(codes), f"{right} of {len(codes)}"


def test_a_bare_file_is_shown_and_built(cli: Callable[..., Any], tmp_path: Path) -> None:
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


def test_a_guess_says_what_it_would_write() -> None:
    text = Guess({"style": "stdin", "problem": {"slug": 'a"b'}}, (), ()).toml()
    assert text == 'style = "stdin"\n\n[problem]\nslug = "a\\"b"\n'
