"""Problem folders: reading, and the messages about malformed ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.building import read_entry
from tests.conftest import Workshop
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.sources.folder import problem_folders
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import MIB, NS_PER_S, Expectation, Limits
from venus_toolkit.dataset.task import read_task
from venus_toolkit.execution.machine.doctor import why_not_isolated

LANGUAGES = load_languages()
Tree = Callable[[Path, Mapping[str, str | bytes]], Path]
Read = Callable[..., Entry]
Shop = Any  # tests/conftest.py: Workshop
PROBLEM = why_not_isolated()
needs_isolation = pytest.mark.skipif(
    PROBLEM is not None, reason=f"programs cannot be isolated: {PROBLEM}"
)
BASE: dict[str, str | bytes] = {
    "problem.toml": 'title = "Window maximum"\n',
    "statement.md": "Print the maxima.\n",
    "solutions/python/plain.py": "print(1)\n",
}


@pytest.fixture
def read(tmp_path: Path, write_tree: Tree) -> Read:
    """Return a function that reads a minimal problem with changed files; None omits a file."""

    def entry(files: Mapping[str, str | bytes | None] | None = None) -> Entry:
        merged = {**BASE, **(files or {})}
        folder = write_tree(
            tmp_path / "window", {name: text for name, text in merged.items() if text is not None}
        )
        return read_entry(folder, LANGUAGES)

    return entry


# ------------------------------------------------------------------ reading


def test_defaults(read: Read) -> None:
    problem, solutions, tests = read()
    assert (problem.slug, problem.title, problem.statement) == (
        "window",
        "Window maximum",
        "Print the maxima.\n",
    )
    assert (problem.difficulty, problem.tags, problem.style) == ("Medium", (), "stdin")
    assert (problem.source, problem.license) == ("user", "unknown")
    assert problem.limits == Limits()
    assert (problem.comparison.kind, problem.generator, problem.evaluator) == ("exact", None, None)
    assert [solution.solution_id for solution in solutions] == ["window/python/plain"]
    assert tests == ()


def test_all_keys(read: Read) -> None:
    toml = """
        id = 12
        title = "W"
        difficulty = "Hard"
        tags = ["array", "queue"]
        style = "function"
        source = "mine"
        license = "MIT"
        [limits]
        cpu_s = 0.5
        wall_s = 3
        memory_mib = 64
        processes = 8
        [compare]
        kind = "float"
        absolute = 1e-6
        relative = 1e-9
        [standards]
        "c++" = "gnu++14"
        rust = "2021"
    """
    files = {
        "problem.toml": toml, "generator.py": "g", "evaluator.py": "e", "starter/cpp.cpp": "s", "runners/cpp.cpp": "r",
    }  # fmt: skip
    problem, (solution,), _ = read(files)
    assert (problem.problem_id, problem.difficulty, problem.tags, problem.style) == (
        12, "Hard", ("array", "queue"), "function",
    )  # fmt: skip
    assert problem.limits == Limits(3 * NS_PER_S, NS_PER_S // 2, 64 * MIB, processes=8)
    assert (problem.comparison.kind, problem.comparison.absolute, problem.comparison.relative) == (
        "float",
        1e-6,
        1e-9,
    )
    assert (problem.generator, problem.evaluator) == ("g", "e")
    assert (problem.starter_code, problem.runners) == ({"cpp": "s"}, {"cpp": "r"})
    assert problem.standards == {"cpp": "gnu++14", "rust": "2021"}
    assert (solution.source, solution.license) == ("mine", "MIT")


@pytest.mark.parametrize(
    ("compare", "statement", "real"),
    [
        ("kind = 'float'", "Print two numbers.", False),
        ("kind = 'float'\nreal = true", "Print two numbers.", True),
        ("kind = 'float'", "Print a floating-point number.", True),
        (
            "kind = 'float'",
            "An answer is right if its relative or absolute error is at most 1e-6.",
            True,
        ),
        ("kind = 'float'\nreal = false", "Print a real number, and how many there are.", False),
        ("kind = 'exact'", "Print a real number.", False),
    ],
)
def test_real_number_detection(read: Read, compare: str, statement: str, real: bool) -> None:
    files = {"problem.toml": f"title = 'W'\n[compare]\n{compare}\n", "statement.md": statement}
    assert read(files).problem.comparison.real == real


@pytest.mark.parametrize(
    ("table", "wall_s", "cpu_s"),
    [
        ("cpu_s = 2", 8, 2),
        ("wall_s = 3", 3, 3),
        ("cpu_s = 2\nwall_s = 2.5", 2.5, 2),
        ("memory_mib = 1", 10, 10),
    ],
)
def test_wall_time_is_a_multiple_of_cpu_time(
    read: Read, table: str, wall_s: float, cpu_s: float
) -> None:
    limits = read({"problem.toml": f'title = "W"\n[limits]\n{table}\n'}).problem.limits
    assert (limits.wall_ns, limits.cpu_ns) == (wall_s * NS_PER_S, cpu_s * NS_PER_S)


def test_file_name_gives_the_label(read: Read) -> None:
    names = ("wrong_a", "slow_b", "unknown_c", "wrongly", "fast")
    solutions = read({f"solutions/cpp/{name}.cpp": name for name in names}).solutions
    assert {solution.solution_id.split("/")[-1]: solution.expected for solution in solutions} == {
        "wrong_a": Expectation.WRONG, "slow_b": Expectation.SLOW, "unknown_c": Expectation.UNKNOWN,
        "wrongly": Expectation.ACCEPTED, "fast": Expectation.ACCEPTED, "plain": Expectation.ACCEPTED,
    }  # fmt: skip


def test_language_alias_as_folder(read: Read) -> None:
    solutions = read(
        {"solutions/c++/a.cpp": "a", "solutions/golang/b.go": "b", "solutions/js/c.js": "c"}
    ).solutions
    assert {solution.solution_id for solution in solutions} == {
        "window/cpp/a", "window/go/b", "window/javascript/c", "window/python/plain",
    }  # fmt: skip


def test_given_tests(read: Read) -> None:
    tests = read(
        {"tests/b.in": "2\n", "tests/b.out": "4\n", "tests/a.in": "1\n", "tests/c.out": "no input"}
    ).tests
    assert [(test.test_id, test.stdin, test.stdout, test.kind) for test in tests] == [
        ("a", "1\n", None, "given"),
        ("b", "2\n", "4\n", "given"),
    ]


def test_given_tests_and_programs_are_unchanged(read: Read) -> None:
    """Byte for byte: a carriage return is part of an input."""
    problem, solutions, tests = read(
        {
            "tests/a.in": b"1\r\n\xce\xa9\r",
            "tests/a.out": b"2\r\n",
            "solutions/cpp/a.cpp": b"// \r\n",
        }
    )
    assert (tests[0].stdin, tests[0].stdout) == ("1\r\nΩ\r", "2\r\n")
    assert "// \r\n" in [solution.code for solution in solutions]
    assert problem.title


def test_problem_ids_are_stable(tmp_path: Path, write_tree: Tree) -> None:
    entries = [read_entry(write_tree(tmp_path / name, BASE), LANGUAGES) for name in ("one", "two")]
    numbers = [entry.problem.problem_id for entry in entries]
    assert numbers[0] != numbers[1]
    assert numbers == [
        read_entry(tmp_path / name, LANGUAGES).problem.problem_id for name in ("one", "two")
    ]
    assert all(0 < number < 2**63 for number in numbers)


def test_source_of_one_or_many_folders(tmp_path: Path, write_tree: Tree) -> None:
    for name in ("b", "a"):
        write_tree(tmp_path / "source" / name, BASE)
    write_tree(tmp_path / "source" / "no-problem", {"notes.txt": ""})
    assert [folder.name for folder in problem_folders(tmp_path / "source")] == ["a", "b"]
    assert problem_folders(tmp_path / "source/a") == [tmp_path / "source/a"]


# ------------------------------------------------------------------ refused folders


def test_missing_or_empty_source(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as missing:
        problem_folders(tmp_path / "nothing")
    assert missing.value.what == f"the source {tmp_path / 'nothing'} does not exist"
    assert missing.value.fix
    with pytest.raises(SourceError) as empty:
        problem_folders(tmp_path)
    assert empty.value.what == f"the source {tmp_path} has no problems"
    assert empty.value.why == "no folder in it holds a problem.toml"
    assert empty.value.fix == "see docs/problems.md"


def test_source_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceError):
        problem_folders(tmp_path / "file")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"problem.toml": "title = \n"}, "Invalid value"),
        ({"problem.toml": b"title = '\xff'\n"}, "problem.toml"),
        ({"problem.toml": "difficulty = 'Easy'\n"}, "the key 'title' is missing"),
        ({"problem.toml": "title = 'W'\nstyle = 'files'\n"}, "got 'files' and 'exact'"),
        ({"problem.toml": "title = 'W'\n[compare]\nkind = 'fuzzy'\n"}, "got 'stdin' and 'fuzzy'"),
        ({"problem.toml": "title = 'W'\nid = 'seven'\n"}, "'seven'"),
        ({"problem.toml": f"title = 'W'\nid = {2**63}\n"}, "id must be a number from 0 to"),
        ({"problem.toml": "title = 'W'\nid = -1\n"}, "id must be a number from 0 to"),
        ({"problem.toml": "title = 'W'\ntags = 3\n"}, "int"),
        ({"problem.toml": "title = 'W'\ntags = ['a', 3]\n"}, "tags[1] must be text, found int 3"),
        ({"problem.toml": "title = ['W']\n"}, "title must be text"),
        ({"problem.toml": f"title = 'W'\ntags = {'[' * 5000}\n"}, "recursion"),
        (
            {"problem.toml": f"title = 'W'\n[limits]\ncpu_s = 1{'0' * 400}\n"},
            "cpu_s must be a number greater than 0 and",
        ),
        (
            {"problem.toml": f"title = 'W'\n[limits]\nmemory_mib = {10**30}\n"},
            "memory_mib must be a whole number",
        ),
        (
            {"problem.toml": "title = 'W'\n[compare]\nkind = 'float'\nabsolute = nan\n"},
            "absolute must be a number",
        ),
        ({"problem.toml": "title = 'W'\nlimits = 3\n"}, "int"),
        ({"problem.toml": "title = 'W'\ncompare = 'exact'\n"}, "str"),
        ({"problem.toml": "title = 'W'\n[compare]\nkind = 'float'\nabsolute = 'x'\n"}, "'x'"),
        (
            {"problem.toml": "title = 'W'\n[compare]\nkind = 'float'\nreal = 'yes'\n"},
            "true or false",
        ),
        ({"problem.toml": "title = 'W'\n[compare]\nreal = true\n"}, 'for kind = "float" only'),
        ({"problem.toml": "title = 'W'\n[limits]\ncpu_s = 'two'\n"}, "cpu_s"),
        ({"problem.toml": "title = 'W'\n[limits]\ncpu_s = -1\n"}, "cpu_s"),
        ({"problem.toml": "title = 'W'\n[limits]\nwall_s = 0\n"}, "wall_s"),
        ({"problem.toml": "title = 'W'\n[limits]\ncpu_s = nan\n"}, "cpu_s"),
        ({"problem.toml": "title = 'W'\n[limits]\nmemory_mib = 0\n"}, "memory_mib"),
        ({"problem.toml": "title = 'W'\n[limits]\nmemory_mib = 1.5\n"}, "memory_mib"),
        ({"problem.toml": "title = 'W'\n[limits]\nprocesses = -4\n"}, "processes"),
        ({"problem.toml": "title = 'W'\n[limits]\nmemory_mb = 64\n"}, "memory_mb"),
        ({"problem.toml": "title = 'W'\ndifficulty = 'Impossible'\n"}, "Impossible"),
        ({"problem.toml": "title = 'W'\nlimit = 3\n"}, "limit"),
        (
            {"problem.toml": "title = 'W'\n[standards]\ncobol = '85'\n"},
            "[standards]: unknown language 'cobol'",
        ),
        (
            {"problem.toml": "title = 'W'\n[standards]\ngo = '1.19'\n"},
            "Go has no standard '1.19', it has no choice of standards",
        ),
        (
            {"problem.toml": "title = 'W'\n[standards]\ncpp = '-O3 x'\n"},
            "C++ has no standard '-O3 x', expected a name such as gnu",
        ),
        ({"problem.toml": "title = 'W'\n[standards]\ncpp = 17\n"}, "cpp must be text"),
        ({"evaluator.py": "e", "checker.cpp": "c"}, "both an evaluator.py and a checker.cpp"),
        ({"statement.md": None}, "statement.md"),
        ({"statement.md": b"\xff"}, "statement.md"),
        ({"solutions/cobol/a.cob": ""}, "unknown language 'cobol'"),
        ({"solutions/cpp/a.cpp": b"\xff"}, "a.cpp"),
        ({"tests/a.in": b"\xff"}, "a.in"),
    ],
    ids=lambda value: next(iter(value.values()), "") if isinstance(value, dict) else "",
)
def test_malformed_folder(read: Read, files: dict[str, str | bytes | None], words: str) -> None:
    """The message names the problem and the mistake."""
    with pytest.raises(SourceError) as caught:
        read(files)
    assert "window" in caught.value.what
    assert words in caught.value.why + caught.value.what
    assert caught.value.fix in ("see docs/problems.md", "type: venus languages list")


def test_file_of_wrong_suffix_is_reported(read: Read) -> None:
    with pytest.raises(SourceError, match="quick"):
        read({"solutions/cpp/quick.cc": "int main() {}\n"})


# ------------------------------------------------------------------ builds


RUNNERS = {
    "missing": (None, "there is no runner: runners/python.py is missing"),
    "unmarked": (
        "print(1)\n",
        "the runner cannot be rendered: it has 0 lines with ==Code Submission==, expected one",
    ),
    "marked-twice": (
        "# ==Code Submission==\n" * 2,
        "the runner cannot be rendered: it has 2 lines with ==Code Submission==",
    ),
}


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A build of a good problem and broken ones, shared by tests that do not change it."""
    shop = Workshop(tmp_path_factory.mktemp("broken"))
    shop.problem()
    shop.problem("broken", {"problem.toml": "title = \n"})
    shop.problem("untitled", {"problem.toml": "difficulty = 'Easy'\n"})
    shop.problem("unjudged", {"problem.toml": 'title = "U"\n[compare]\nkind = "evaluator"\n'})
    for name, (runner, _) in RUNNERS.items():
        shop.problem(
            name, {"problem.toml": 'title = "F"\nstyle = "function"\n', "runners/python.py": runner}
        )
    shop.build()
    assert set(shop.rows()) == {"twice"}
    return shop


@needs_isolation
def test_broken_problems_do_not_affect_others(broken: Shop) -> None:
    reasons = {row["problem"]: row["reason"] for row in broken.dropped if row["stage"] == "ingest"}
    assert set(reasons) == {"broken", "untitled"}
    assert "the problem broken cannot be read" in reasons["broken"]
    assert "the key 'title' is missing" in reasons["untitled"]
    assert {row["problem"] for row in broken.dropped} == {
        "broken",
        "untitled",
        "unjudged",
        *RUNNERS,
    }


@needs_isolation
def test_missing_evaluator(broken: Shop) -> None:
    reasons = {row["reason"] for row in broken.dropped if row["problem"] == "unjudged"}
    assert any(
        "the problem has no evaluator: evaluator.py is missing" in reason for reason in reasons
    )


@needs_isolation
@pytest.mark.parametrize("name", RUNNERS)
def test_missing_runner_or_marker(broken: Shop, name: str) -> None:
    dropped = [row for row in broken.dropped if row["problem"] == name and row["stage"] == "runner"]
    assert {row["item"] for row in dropped} == {
        f"{name}/python/{solution_name}" for solution_name in ("times", "plus", "shift")
    }
    assert all(RUNNERS[name][1] in row["reason"] for row in dropped)


@needs_isolation
def test_given_tests_without_generator(shop: Shop) -> None:
    """A given output votes like a solution, and is dropped if solutions disagree."""
    tests = {"a.in": "1\n", "a.out": "2\n", "b.in": "5\n", "b.out": "11\n", "c.in": "7\n"}
    shop.problem(
        "twice", {"generator.py": None, **{f"tests/{name}": text for name, text in tests.items()}}
    )
    manifest = shop.build()
    cases = json.loads(shop.rows()["twice"]["test_cases"])
    assert [(case["id"], case["input"], case["output"], case["kind"]) for case in cases] == [
        ("a", "1\n", "2\n", "given"), ("c", "7\n", "14\n", "given"),
    ]  # fmt: skip
    (row,) = shop.dropped
    assert (row["item"], row["reason"]) == ("b", "canonical solutions disagree")
    assert set(row["detail"]) == {"given"}
    assert manifest["tests"].items() >= {"found": 3, "kept": 2, "dropped": 1}.items()
    for _ in range(3):
        assert shop.build(tests=1)["tests"]["kept"] == 1, (
            "one of those that solutions agree with, not just any"
        )


CHECKER = """\
#include "compare.h"

// As testlib calls it: input, output, answer.
int main(int argc, char **argv) {
    std::ifstream input(argv[1]), output(argv[2]), answer(argv[3]);
    long long n, found, wanted;
    input >> n;
    return output >> found && answer >> wanted && close_to(n, found, wanted) ? 0 : 1;
}
"""
OLD = (
    "#include <iostream>\nint main() { register long long n; std::cin >> n; std::cout << 2 * n + "
    "%s << std::endl; }\n"
)


@needs_isolation
def test_cpp_checker_and_language_standard(shop: Shop) -> None:
    """The checker accepts different outputs and C++14 compiles, from the folder and the release."""
    files = {
        "problem.toml": 'title = "N"\n[compare]\nkind = "evaluator"\n[standards]\ncpp = "gnu++14"\n',
        "checker.cpp": CHECKER,
        "compare.h": "#include <fstream>\nbool close_to(long long n, long long a, long long b) "
        "{ return a - b < 2 && b - a < 2 && a >= 2 * n; }\n",
        "solutions/cpp/exact.cpp": OLD % "0",
        "solutions/cpp/above.cpp": OLD % "1",
        "solutions/cpp/wrong_below.cpp": OLD % "-1",
    }
    shop.problem("near", files)
    shop.build(lang=("cpp",))
    row = shop.rows("cpp")["near"]
    assert row["standard"] == "gnu++14"
    statuses = {
        solution_row["solution_id"]: solution_row["status"] for solution_row in row["solutions"]
    }
    accepted, wrong = "accepted", "wrong_answer"
    assert statuses == {
        "near/cpp/above": accepted,
        "near/cpp/exact": accepted,
        "near/cpp/wrong_below": wrong,
    }
    task = read_task({**row, "test_cases": row["test_cases"]}, LANGUAGES["cpp"])
    assert "-std=gnu++14 " in task.program("").language.compile_argv[-1]
