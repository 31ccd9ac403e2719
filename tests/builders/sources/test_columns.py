"""Any table with a column map; bundled maps on the real files, if present."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.builders.reading.column_map import FOLDER, read_map
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.records import MIB, NS_PER_S

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
LEAST = '[problem]\nslug = "name"\nstatement = "text"\n'
shared = pytest.mark.skipif(not DATA.is_dir(), reason=f"the sample data is not here: {DATA}")
Mapped = Callable[..., Any]


@pytest.fixture
def mapped(tmp_path: Path, read_source: Any, write_lines: Any) -> Mapped:
    """Return a function that reads rows with the text of a map."""

    def read(text: str, *rows: dict[str, Any]) -> Any:
        file = tmp_path / "map.toml"
        file.write_text(text, encoding="utf-8")
        return read_source(f"columns:{write_lines(rows)}?map={file}")

    return read


def example(**changes: Any) -> dict[str, Any]:
    """A row for the bundled map stdin-example."""
    return {
        "contest": "Round 5",
        "index": 3,
        "meta": {"title": "Sums", "level": "easy"},
        "statement": "Add.",
        "input_format": None,
        "tags": ["math"],
        "published": "2024-05-06T10:00:00Z",
        "time_limit": "500 ms",
        "memory_limit": "64MB",
        "submissions": [
            {"lang": "C++", "source": "a", "verdict": "AC", "author": "x"},
            {"lang": "python3", "source": "b", "verdict": "TLE"},
            {"lang": "Go", "source": "c", "verdict": "Wrong Answer"},
        ],
        "inputs": ["1\n"],
        "outputs": ["2\n"],
        "likes": 4,
        **changes,
    }


def test_map_with_every_key(read_source: Any, write_lines: Any, pairs: Any) -> None:
    file = write_lines([example()])
    problem, solutions, tests = read_source(f"columns:{file}?map=stdin-example").only
    assert (problem.slug, problem.title, problem.difficulty, problem.tags) == (
        "round-5-3",
        "Sums",
        "Easy",
        ("math",),
    )
    assert problem.statement == "Add.\n\n## Input\n\n"
    assert (problem.date, problem.source, problem.license) == ("2024-05-06", "example", "CC-BY-4.0")
    assert (problem.limits.cpu_ns, problem.limits.memory_bytes) == (NS_PER_S // 2, 64 * MIB)
    assert problem.extra == {"likes": 4}
    assert [(s.language, str(s.expected), dict(s.extra)) for s in solutions] == [
        ("cpp", "accepted", {"author": "x"}), ("python", "slow", {}), ("go", "wrong", {}),
    ]  # fmt: skip
    assert pairs(tests) == [("1\n", "2\n")]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"contest": None}, "contest is missing"),
        ({"meta": "x"}, "meta is neither JSON nor a Python literal"),
        ({"meta": {"title": 1.5}}, "meta.title must be text, found float 1.5"),
        ({"inputs": ["1", "2"]}, "inputs has 2 and outputs 1 texts"),
        ({"submissions": [{"source": "a", "verdict": "AC"}]}, "submissions[0].lang is missing"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_row_is_rejected(
    read_source: Any, write_lines: Any, changes: dict[str, Any], reason: str
) -> None:
    result = read_source(f"columns:{write_lines([example(**changes)])}?map=stdin-example")
    assert reason in result.reason


def test_minimal_map(mapped: Mapped) -> None:
    problem, solutions, tests = mapped(LEAST, {"name": "Two words", "text": "Do it."}).only
    assert (problem.slug, problem.statement, problem.source, problem.license) == (
        "two-words", "Do it.", "map", "unknown",
    )  # fmt: skip
    assert (solutions, tests, problem.tags, problem.paid_only) == ((), (), (), False)


@pytest.mark.parametrize(
    ("cell", "codes"), [("a", ["a"]), (["a", "b"], ["a", "b"]), ('["a", "b"]', ["a", "b"])]
)
def test_one_solution_or_a_list(mapped: Mapped, cell: Any, codes: list[str]) -> None:
    entry = mapped(
        LEAST + '[solutions]\npython = "code"\n', {"name": "a", "text": "b", "code": cell}
    ).only
    assert [solution.code for solution in entry.solutions] == codes


def test_list_of_programs_in_language_of_row(mapped: Mapped) -> None:
    """Every program of the list is a solution.

    A row without a program is rejected; it does not become a problem without solutions.
    """
    row = {"text": "b", "lang": "python"}
    cells = {"many": ["1", "2"], "one": "1", "none": None, "empty": [], "odd": ["1", 3]}
    rows = [{**row, "name": name, "code": cell} for name, cell in cells.items()]
    result = mapped(LEAST + "[solution]\nlanguage = 'lang'\ncode = 'code'\n", *rows)
    assert [[solution.code for solution in entry.solutions] for entry in result.entries] == [
        ["1", "2"],
        ["1"],
    ]
    assert [rejected.reason for rejected in result.rejected] == [
        "code is missing",
        "code must be text, found list []",
        "code[1] must be text, found int 3",
    ]


def test_value_and_match_specs(mapped: Mapped) -> None:
    toml = LEAST + 'id = { column = "name", match = "\\\\d+" }\ncategory = { value = "shell" }\n'
    result = mapped(toml, {"name": "p17", "text": "b"}, {"name": "none", "text": "b"})
    assert [(problem.problem_id, problem.category) for problem in result.problems] == [
        (17, "shell")
    ]
    assert result.rejected[0].reason == "name does not match \\d+, found 'none'"


def test_tests_matching_skip_output_are_skipped(mapped: Mapped, pairs: Any) -> None:
    toml = LEAST + '[tests]\nlist = "cases"\noutput = "out"\nskip_output = "^Error"\n'
    cases = [{"input": "1", "out": "2"}, {"input": "3", "out": "Error: deep"}, {"input": "4"}]
    result = mapped(toml, {"name": "a", "text": "b", "cases": cases})
    assert pairs(result.entries[0].tests) == [("1", "2"), ("4", None)]
    assert result.rejected == [("a/tests", "the output matches ^Error: 1 tests")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[problem]\nslug = 'a'\n", "problem.statement is missing"),
        (LEAST + "[solution]\ncode = 'a'\n", "solution.language is missing"),
        (LEAST + "colour = 'a'\n", "unknown keys: problem.colour"),
        ("colour = 'a'\n" + LEAST, "unknown keys: colour"),
        ("style = 'shell'\n" + LEAST, "style must be stdin or function, found 'shell'"),
        ("merge = 'yes'\n" + LEAST, "merge must be true or false, found 'yes'"),
        ("problem = 3\n", "problem must be a table"),
        ("= 3\n", "Invalid statement"),
        (LEAST + "title = 3\n", "problem.title must be a column, a template"),
        (LEAST + "title = { column = 'a' }\n", "problem.title must be a column, a template"),
        (
            LEAST + "title = { column = 'a', match = '(' }\n",
            "problem.title has an invalid regular expression",
        ),
        (LEAST + "tags = { value = 'a' }\n", "problem.tags must be the name of a column"),
        (
            LEAST + "[tests]\nskip_output = '('\n",
            "tests.skip_output has an invalid regular expression",
        ),
        (
            LEAST + "[solution]\nlanguage = 'a'\ncode = 'b'\ncode_in.Go = 3\n",
            "solution.code_in.Go must be a column",
        ),
        (
            LEAST + "[solution]\nlanguage = 'a'\ncode = 'b'\ncode_in = 'c'\n",
            "solution.code_in must be a table",
        ),
        (LEAST + "[tests]\nlist = 3\n", "tests.list must be the name of a column, found 3"),
        (
            LEAST + "[solution]\nlanguage = 'a'\ncode = 'b'\nextra = 'c'\n",
            "solution.extra must be a list of columns",
        ),
    ],
)
def test_invalid_map_is_refused(mapped: Mapped, text: str, reason: str) -> None:
    with pytest.raises(SourceError) as caught:
        mapped(text, {"name": "a", "text": "b"})
    assert reason in caught.value.why
    assert "humaneval-x, leetcodedataset" in caught.value.fix


def test_invalid_replacement(mapped: Mapped) -> None:
    toml = LEAST + "title = { column = 'name', match = 'a', replace = '\\2' }\n"
    assert "\\2 cannot replace the match of a" in mapped(toml, {"name": "a", "text": "b"}).reason


def test_no_map_and_no_certain_guess(reading: Any) -> None:
    with pytest.raises(
        SourceError,
        match="cannot be guessed with certainty: could not tell which column has programs",
    ):
        reading("columns", [{"name": "a"}])


@pytest.mark.parametrize("name", sorted(file.stem for file in FOLDER.glob("*.toml")))
def test_bundled_maps_are_valid(name: str) -> None:
    assert read_map(name).problem["slug"]


CALLS = LEAST + '[starter_code]\npython = "starter"\n[tests]\nlist = "cases"\nformat = "call"\n'


def call(starter: str, *cases: tuple[str, str]) -> dict[str, Any]:
    listed = [{"input": stdin, "output": stdout} for stdin, stdout in cases]
    return {"name": "a", "text": "b", "starter": starter, "cases": listed}


def test_calls_become_json(mapped: Mapped) -> None:
    """Arguments follow the order of the parameters; a text result stays text."""
    starter = "class Solution:\n    def cut(self, words: List[str], n: int) -> str:\n        "
    row = call(
        starter,
        ("n = 2, words = ['ü', \"a\\n\"]", "8"),
        ("words = [], n = -(10**2)", "x"),
        ("n = 1, words = []", "1 2"),
    )
    result = mapped(CALLS, row)
    (problem, _, tests) = result.entries[0]
    assert problem.starter_code["python"].startswith("class Solution")
    assert [(test.stdin, test.stdout) for test in tests] == [
        ('["ü", "a\\n"]\n2\n', '"8"\n'),
        ("[]\n1\n", '"1 2"\n'),
    ]
    assert [rejected.reason for rejected in result.rejected] == ["it is not a literal: 1 tests"]


@pytest.mark.parametrize(
    ("stdin", "stdout", "reason"),
    [
        ("n = 1, m = 2", "1", "the arguments are n, m, the parameters n: 1 tests"),
        ("n = open('x')", "1", "it is not a literal: 1 tests"),
        ("1", "1", "it is not a list of name = value: 1 tests"),
        ("n = ", "1", "it is not a value: 1 tests"),
        ("n = 1", "Error", "it is not a literal: 1 tests"),
        ("n = " + "(" * 500, "1", "it is not a value: 1 tests"),
    ],
)
def test_invalid_calls_are_skipped(mapped: Mapped, stdin: str, stdout: str, reason: str) -> None:
    result = mapped(CALLS, call("def f(n: int) -> int:\n    ", (stdin, stdout), ("n = 3", "null")))
    assert [(test.stdin, test.stdout) for test in result.entries[0].tests] == [("3\n", "null\n")]
    assert [rejected.reason for rejected in result.rejected] == [reason]


def test_code_column_per_language(mapped: Mapped) -> None:
    toml = LEAST + "[solution]\nlanguage = 'lang'\ncode = 'code'\ncode_in.Rust = '{head}{code}'\n"
    row = {"text": "b", "head": "fn f() {", "code": "}"}
    result = mapped(toml, {**row, "name": "a", "lang": "Rust"}, {**row, "name": "b", "lang": "Go"})
    assert [entry.solutions[0].code for entry in result.entries] == ["fn f() {}", "}"]


def test_assertions_are_tests(mapped: Mapped) -> None:
    """Assertions are read from Python rows only."""
    solution = "[solution]\nlanguage = 'lang'\ncode = 'code'\n"
    row = {
        "name": "a",
        "text": "b",
        "code": "x",
        "check": "def check():\n    assert add(1, [2]) == 'ü'\n    assert add(x) == 1",
    }
    toml = LEAST + solution + "[tests]\nasserts = 'check'\n"
    result = mapped(toml, {**row, "lang": "Python"})
    assert [(test.stdin, test.stdout) for test in result.entries[0].tests] == [
        ("1\n[2]\n", '"ü"\n')
    ]
    assert result.rejected == [("a/tests", "it is not a literal: 1 tests")]
    other = mapped(toml, {**row, "lang": "Go"})
    assert (other.only.tests, other.rejected) == ((), [])


# ------------------------------------------------------------------ real files


@shared
@pytest.mark.shared
def test_leetcodedataset(read_source: Any) -> None:
    result = read_source(f"columns:{DATA / 'leetcodedataset'}?map=leetcodedataset")
    assert len(result.entries) == 228
    assert sum(len(entry.tests) for entry in result.entries) > 20_000
    reasons = {rejected.reason.split(":")[0] for rejected in result.rejected}
    # The second reason comes from results of -inf.
    assert reasons == {"the output matches ^(Error|Execution)", "it is not a literal"}
    problem, solutions, tests = result.entries[0]
    assert (problem.problem_id, problem.date, problem.style) == (3243, "2024-08-04", "function")
    assert problem.starter_code["python"].startswith("class Solution:")
    assert len(solutions) == 1
    assert (tests[0].stdin, tests[0].stdout) == ("7\n[[0, 5], [1, 6], [2, 4]]\n", "[2, 2, 2]\n")
    assert not any(
        (test.stdout or "").startswith("Error") for entry in result.entries for test in entry.tests
    )


@shared
@pytest.mark.shared
def test_humaneval_x(read_source: Any) -> None:
    """Six files, one for each language, become problems with six solutions each."""
    result = read_source(f"columns:{DATA / 'humaneval-x'}?map=humaneval-x")
    reasons = {rejected.reason.split(":")[0] for rejected in result.rejected}
    assert reasons == {"it is not a literal", "it asserts no result"}
    assert len(result.entries) == 164
    assert sum(len(entry.tests) for entry in result.entries) > 1_100
    assert result.entries[0].tests[0].stdout == "true\n"
    for entry in result.entries:
        assert {s.language for s in entry.solutions} == {
            "cpp",
            "go",
            "java",
            "javascript",
            "python",
            "rust",
        }
        assert set(entry.problem.starter_code) == {
            "cpp",
            "go",
            "java",
            "javascript",
            "python",
            "rust",
        }
    assert result.problems[0].slug == "humaneval-x-0"
    assert "assert" in result.entries[0].solutions[0].extra["test"]
