"""Problem packages: both layouts, the default validator, validators in Python and C++, rejections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.builders.sources.kattis import default_validator
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import MIB, NS_PER_S
from venus_toolkit.execution.judging.checker import Answer, Checker
from venus_toolkit.execution.sandbox import Program, Sandbox

Files = Mapping[str, str | bytes | None]
LEGACY: dict[str, str | bytes] = {
    "problem.yaml": "name: Sums\nlicense: cc by-sa\nsource: NCPC 2015\nlimits:\n  memory: 128\n  output: 1\n",
    "problem_statement/problem.sv.tex": "Summor.",
    "problem_statement/problem.en.tex": "Sums.",
    "data/sample/1.in": "1 2\n",
    "data/sample/1.ans": "3\n",
    "data/secret/group1/a.in": "4 5\r\n",
    "data/secret/group1/a.ans": "9\n",
    "data/secret/group1/deep/b.in": "6 7\n",
    "data/secret/group1/deep/b.ans": "13\n",
    "submissions/accepted/plus.py": "print(3)\n",
    "submissions/accepted/plus.cc": "int main() {}\n",
    "submissions/wrong_answer/minus/minus.py": "print(-1)\n",
    "submissions/time_limit_exceeded/Slow.java": "class Main {}\n",
    "submissions/run_time_error/crash.rb": "exit 1\n",
    "submissions/partially_accepted/some.go": "package main\n",
}
MODERN: dict[str, str | bytes] = {
    "problem.yaml": "problem_format_version: 2023-07-draft\ntype: pass-fail\nname:\n  sv: Summor\n  en: "
    "Sums\n"
    "uuid: 0\nlicense: public domain\nkeywords: [easy, sums]\nlimits:\n  time_limit: 1.5\n  "
    "memory: 64\n",
    "statement/problem.en.md": "Sums.",
    "statement/problem.en.tex": "Sums in LaTeX.",
    "data/sample/1.in": "1 2\n",
    "data/sample/1.ans": "3\n",
    "data/secret/a.in": "4 5\n",
    "data/secret/a.ans": "9\n",
    "submissions/accepted/plus.py": "print(3)\n",
    "submissions/rejected/minus.py": "print(-1)\n",
}
VALIDATOR = """\
import sys
from helper import total

expected = open(sys.argv[2]).read()
assert open(sys.argv[1]).read()
with open(sys.argv[3] + "judgemessage.txt", "w") as message:
    message.write("seen")
sys.exit(42 if total(sys.stdin.read()) == total(expected) and sys.argv[4:] == ["strict"] else 43)
"""
HELPER = "def total(text):\n    return sum(map(int, text.split()))\n"


@pytest.fixture
def package(tmp_path: Path, write_tree: Callable[..., Path]) -> Callable[..., Path]:
    """Return a function that writes a package with changes; None omits a file."""

    def write(base: Files, changes: Files | None = None, name: str = "sums") -> Path:
        files = {
            path: text for path, text in {**base, **(changes or {})}.items() if text is not None
        }
        return write_tree(tmp_path / "packages" / name, files)

    return write


# ------------------------------------------------------------------ layouts


def test_legacy_layout(read_source: Any, package: Any) -> None:
    problem, solutions, tests = read_source(f"kattis:{package(LEGACY)}").only
    assert (problem.slug, problem.title, problem.statement) == ("sums", "Sums", "Sums.")
    assert (problem.source, problem.license, problem.style) == ("NCPC 2015", "cc by-sa", "stdin")
    assert (problem.limits.memory_bytes, problem.limits.output_bytes) == (128 * MIB, MIB)
    assert [(test.test_id, test.stdin, test.stdout) for test in tests] == [
        ("sample-1", "1 2\n", "3\n"), ("secret-group1-a", "4 5\r\n", "9\n"), ("secret-group1-deep-b", "6 7\n", "13\n"),
    ]  # fmt: skip
    assert {s.extra["submission"]: (s.language, str(s.expected)) for s in solutions} == {
        "accepted/plus.py": ("python", "accepted"), "accepted/plus.cc": ("cpp", "accepted"),
        "wrong_answer/minus": ("python", "wrong"), "time_limit_exceeded/Slow.java": ("java", "slow"),
        "run_time_error/crash.rb": ("ruby", "wrong"), "partially_accepted/some.go": ("go", "unknown"),
    }  # fmt: skip


def test_2023_layout(read_source: Any, package: Any) -> None:
    problem, solutions, tests = read_source(f"kattis:{package(MODERN)}").only
    assert (problem.title, problem.statement, problem.tags) == ("Sums", "Sums.", ("easy", "sums"))
    assert (problem.limits.cpu_ns, problem.limits.wall_ns) == (1.5 * NS_PER_S, 6 * NS_PER_S)
    assert {str(solution.expected) for solution in solutions} == {"accepted", "wrong"}
    assert len(tests) == 2


@pytest.mark.parametrize(
    "changes",
    [{".timelimit": "3\n"}, {"domjudge-problem.ini": "name = x\ntimelimit = '3'\n"}],
    ids=["kattis", "domjudge"],
)
def test_time_limit_in_a_file(read_source: Any, package: Any, changes: Files) -> None:
    assert (
        read_source(f"kattis:{package(LEGACY, changes)}").only.problem.limits.cpu_ns == 3 * NS_PER_S
    )


def test_folder_of_packages(read_source: Any, package: Any) -> None:
    package(MODERN, name="b")
    package(MODERN, {"problem.yaml": "name: [\n"}, name="broken")
    result = read_source(f"kattis:{package(LEGACY, name='a').parent}")
    assert [problem.slug for problem in result.problems] == ["a", "b"]
    assert [rejected.item for rejected in result.rejected] == ["broken"]


def test_no_package(read_source: Any, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="has no problem package"):
        read_source(f"kattis:{tmp_path}")


@pytest.mark.parametrize(
    ("yaml", "category"),
    [
        ("name: x\nvalidation: custom interactive\n", "interactive"),
        ("name: x\ntype: [pass-fail, interactive]\n", "interactive"),
        ("name: x\ntype: multi-pass\n", "multi-pass"),
    ],
)
def test_other_problem_types_have_a_category(
    read_source: Any, package: Any, yaml: str, category: str
) -> None:
    assert (
        read_source(f"kattis:{package(LEGACY, {'problem.yaml': yaml})}").only.problem.category
        == category
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"problem.yaml": "- name\n"}, "problem.yaml is not a mapping"),
        ({"problem.yaml": "name: x\nlimits: 3\n"}, "problem.yaml: limits must be a struct, found int 3"),
        ({"problem.yaml": "name: x\nlimits:\n  time_limit: -1\n"}, "the time limit must be a number greater than 0"),
        ({"problem.yaml": "name: !!python/object/apply:os.system ['true']\n"}, "could not determine a constructor"),
        ({"problem.yaml": "name: x\nkeywords: 5\n"}, "words must be text or a list, found int 5"),
        ({"problem.yaml": "name: &name [*name]\n"}, "it has an alias, which is not read"),
        ({"problem.yaml": "a: &a [1]\nb: &b [*a, *a]\nkeywords: [*b, *b]\n"}, "it has an alias, which is not read"),
        ({"problem.yaml": f"name: {'[' * 3000}"}, "maximum recursion depth exceeded"),
        ({"problem.yaml": "name: x\nlimits:\n  output: 1e+308\n"}, "cannot convert float infinity"),
        ({"problem.yaml": "#" * (1 << 20) + "\n"}, "problem.yaml is larger than 1024 KiB"),
        ({"problem_statement/problem.en.tex": None, "problem_statement/problem.sv.tex": None}, "it has no statement"),
        ({"problem.yaml": "name: x\nvalidator_flags: case_sensitiv\n"}, "the default validator has no flag"),
        ({"problem.yaml": "name: x\nvalidator_flags: float_tolerance\n"}, "float_tolerance wants a number, found noth"),
        ({"problem.yaml": "name: x\nvalidator_flags: float_tolerance inf\n"}, "float_tolerance wants a number"),
        ({"problem.yaml": "name: x\nvalidation: custom\n"}, "the package has 0 output validators, expected one"),
        (
            {"problem.yaml": "name: x\nvalidation: custom\n", "output_validators/v/Check.java": "class Check {}"},
            "its output validator is neither in Python nor in C++ alone: Check.java",
        ),
        (
            {"data/testdata.yaml": "output_validator_flags: case_sensitive\n",
             "data/secret/group1/testdata.yaml": "output_validator_flags: space_change_sensitive\n"},
            "its groups of tests have different validator flags",
        ),
    ],
    ids=lambda value: str(value)[:60],
)  # fmt: skip
def test_rejected_package(read_source: Any, package: Any, changes: Files, reason: str) -> None:
    assert reason in read_source(f"kattis:{package(LEGACY, changes)}").reason


def test_empty_validator_folder(read_source: Any, package: Any) -> None:
    folder = package(LEGACY, {"problem.yaml": "name: x\nvalidation: custom\n"})
    (folder / "output_validators" / "v").mkdir(parents=True)
    assert read_source(f"kattis:{folder}").reason.endswith(
        "neither in Python nor in C++ alone: an empty folder"
    )


def test_rejected_parts(read_source: Any, package: Any) -> None:
    changes = {
        "submissions/accepted/old.c": "int main() {}\n",
        "submissions/accepted/two/a.py": "",
        "submissions/accepted/two/b.py": "",
        "submissions/accepted/latin.py": b"# \xff\n",
        "data/secret/z.in": b"\xff",
        "data/secret/z.ans": "1\n",
    }
    result = read_source(f"kattis:{package(LEGACY, changes)}")
    assert len(result.entries[0].solutions) == 6
    reasons = {rejected.item: rejected.reason for rejected in result.rejected}
    assert set(reasons) == {
        "sums/accepted/old.c", "sums/accepted/two", "sums/accepted/latin.py", "sums/secret-z",
    }  # fmt: skip
    assert reasons["sums/accepted/old.c"] == "cannot tell the language of old.c"
    assert (
        reasons["sums/accepted/two"] == "a submission of 2 files, expected one, or several in C++"
    )


def test_links_out_of_package_are_not_followed(
    read_source: Any, package: Any, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("mine")
    folder = package(LEGACY)
    for name in ("data/secret/x.in", "data/sample/1.ans", "submissions/accepted/x.py"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(secret)
    result = read_source(f"kattis:{folder}")
    ((_, solutions, tests),) = result.entries
    assert "mine" not in [
        *[s.code for s in solutions],
        *[t.stdin for t in tests],
        *[t.stdout for t in tests],
    ]
    assert {rejected.item for rejected in result.rejected} == {
        "sums/sample-1",
        "sums/secret-x",
        "sums/accepted/x.py",
    }
    (folder / "problem.yaml").unlink()
    (folder / "problem.yaml").symlink_to(secret)
    assert read_source(f"kattis:{folder}").reason == f"problem.yaml: it leads out of {folder}"


# ------------------------------------------------------------------ the default validator


@pytest.mark.parametrize(
    ("flags", "expected", "actual", "right"),
    [
        ("", "Yes 1\n2", "yes  1 2", True),
        ("", "1.0", "1.00", False),
        ("case_sensitive", "Yes", "yes", False),
        ("space_change_sensitive", "1 2\n", "1  2\n", False),
        ("space_change_sensitive", "1 A\n", "1 a\n", True),
        ("float_tolerance 1e-3", "1.0", "1.0005", True),
        ("float_tolerance 1e-3", "1000.0", "1000.5", True),
        ("float_tolerance 1e-3", "1.0", "1.1", False),
        ("float_tolerance 1e-3", "1.0", "nan", False),
        ("float_tolerance 1e-3", "1.0", "inf", False),
        ("float_tolerance 1e-3", "1.0", "one", False),
        ("float_tolerance 1e-3", "1.0 2", "1.0", False),
        ("float_tolerance 1e-3", "1000000", "1000005", False),
        ("float_absolute_tolerance 1e-3", "1000.0", "1000.5", False),
        ("float_relative_tolerance 1e-3", "1000.0", "1000.5", True),
        ("float_relative_tolerance 1e-3", "0.0", "0.0005", False),
        ("float_tolerance 1e-3 case_sensitive", "A 1.0", "a 1.0", False),
    ],
)
def test_default_validator(flags: str, expected: str, actual: str, right: bool) -> None:
    """The evaluator is our own template, so it may run in this process."""
    evaluator = default_validator(flags.split())
    assert evaluator
    names: dict[str, Any] = {}
    exec(evaluator, names)
    assert names["evaluate"](expected, actual) is right


def test_flags_in_test_groups(read_source: Any, package: Any) -> None:
    changes = {"data/secret/test_group.yaml": "output_validator_args: [float_tolerance, 1e-2]\n"}
    evaluator = read_source(f"kattis:{package(MODERN, changes)}").only.problem.evaluator
    assert "ABSOLUTE, RELATIVE = 0.01, 0.01" in evaluator


# ------------------------------------------------------------------ custom validators


@pytest.mark.parametrize(
    "changes",
    [
        {"problem.yaml": "name: x\nvalidation: custom\nvalidator_flags: strict\n",
         "output_validators/v/main.py": VALIDATOR, "output_validators/v/helper.py": HELPER},
        {"data/test_group.yaml": "output_validator_args: strict\n",
         "output_validator/main.py": VALIDATOR, "output_validator/helper.py": HELPER},
    ],
    ids=["legacy", "2023"],
)  # fmt: skip
def test_python_validator(read_source: Any, package: Any, sandbox: Sandbox, changes: Files) -> None:
    problem = read_source(f"kattis:{package(LEGACY, changes)}").only.problem
    checker = Checker(problem.comparison, sandbox, problem.evaluator)
    answers = [Answer("3\n", "1 2", "x"), Answer("3\n", "1 1", "x"), Answer("3\n", "words", "x")]
    assert checker.passes(answers) == [True, False, False], (
        "42 is right, 43 is wrong, and so is a crash"
    )


CPP_VALIDATOR = """\
#include "judge.h"

int main(int argc, char **argv) {
    std::ifstream given(argv[1]), answer(argv[2]);
    std::ofstream(std::string(argv[3]) + "judgemessage.txt") << "seen";
    if (argc != 5 || std::string(argv[4]) != "very strict" || total(given) != 3) return 1;
    const long long found = total(std::cin);
    if (found < 0) std::abort();
    return found == total(answer) ? 42 : 43;
}
"""
CPP_FILES: Files = {
    "problem.yaml": "name: x\nvalidation: custom\nvalidator_flags: '\"very strict\"'\n",
    "output_validators/v/check.cc": CPP_VALIDATOR,
    "output_validators/v/judge.h": "#include <bits/stdc++.h>\nlong long total(std::istream &in);\n",
    "output_validators/v/parts/total.cpp": """\
#include <istream>
long long total(std::istream &in) {
    long long sum = 0, each;
    while (in >> each) sum += each;
    return sum;
}
""",
}


def test_cpp_validator_of_several_files(read_source: Any, package: Any, sandbox: Sandbox) -> None:
    problem = read_source(f"kattis:{package(LEGACY, CPP_FILES)}").only.problem
    checker = Checker(problem.comparison, sandbox, problem.evaluator)
    verdicts = {
        "1 2": True,
        "3": True,
        "1 1": False,
        "-9": False,
        "3" + " 0" * 100_000: True,
        "3 \0 ü": True,
    }
    answers = [Answer("3\n", text, "1 2\n") for text in verdicts]
    assert checker.passes(answers) == list(verdicts.values()), (
        "42 is right, 43 is wrong, and so is a crash"
    )
    assert checker.accepts(Answer("3\n", "3\n", "1 2\n"))
    assert not checker.accepts(Answer("3\n", "3\n", "1 3\n")), (
        "the input is the problem's, not the answer's"
    )


def test_cpp_validator_needs_no_toolkit(read_source: Any, package: Any) -> None:
    # Readers without the toolkit call `evaluate`, which needs only g++.
    problem = read_source(f"kattis:{package(LEGACY, CPP_FILES)}").only.problem
    names: dict[str, Any] = {}
    exec(problem.evaluator, names)
    assert names["evaluate"]("3\n", "1 2", "1 2\n")
    assert not names["evaluate"]("3\n", "1 1", "1 2\n")


def test_cpp_validator_compile_error(read_source: Any, package: Any, sandbox: Sandbox) -> None:
    changes = {
        "problem.yaml": "name: x\nvalidation: custom\n",
        "output_validators/check.cpp": "int main() { no }\n",
    }
    problem = read_source(f"kattis:{package(LEGACY, changes)}").only.problem
    with pytest.raises(SourceError, match="the checker does not compile"):
        Checker(problem.comparison, sandbox, problem.evaluator)


def test_cpp_submission_files_are_joined(read_source: Any, package: Any, sandbox: Sandbox) -> None:
    changes = {
        "submissions/accepted/parts/grader.cpp": '#include <cstdio>\n# include "deep/sum.h"\n#include "deep/sum.h"\n'
        'int main() { long long a, b; std::scanf("%lld %lld", &a, &b); '
        'std::printf("%lld\\n", sum(a, b)); }\n',
        "submissions/accepted/parts/deep/sum.h": '#pragma once\n#include "kind.h"\nkind sum(kind a, kind b);\n',
        "submissions/accepted/parts/deep/kind.h": "typedef long long kind;\n",
        "submissions/accepted/parts/sum.cc": '#include "deep/sum.h"\nkind sum(kind a, kind b) { return a + b; }\n',
        "submissions/accepted/notes/a.py": "print(1)\n",
        "submissions/accepted/notes/b.py": "print(1)\n",
    }
    read = read_source(f"kattis:{package(LEGACY, changes)}")
    (joined,) = (
        solution
        for solution in read.entries[0].solutions
        if "int main() { long long" in solution.code
    )
    assert joined.code.count("typedef") == joined.code.count("kind sum(kind a, kind b);") == 1
    compiled = sandbox.compile(Program(load_languages()["cpp"], joined.code))
    assert compiled.ok, compiled.log
    (reason,) = (rejected.reason for rejected in read.rejected if rejected.item.endswith("notes"))
    assert reason == "a submission of 2 files, expected one, or several in C++"


@pytest.mark.parametrize("code", ["", "raise SystemExit", "import sys; sys.exit(0)", "print(42)"])
def test_validator_exit_other_than_42_rejects(
    read_source: Any, package: Any, sandbox: Sandbox, code: str
) -> None:
    changes = {
        "problem.yaml": "name: x\nvalidation: custom\n",
        "output_validators/check.py": code + "\n",
    }
    problem = read_source(f"kattis:{package(LEGACY, changes)}").only.problem
    checker = Checker(problem.comparison, sandbox, problem.evaluator)
    assert not checker.accepts(Answer("3\n", "3\n", "x"))
