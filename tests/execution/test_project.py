"""`venus run --project`: a folder and a command, judged and measured like a program of one file."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.execution.judging import project
from venus_toolkit.execution.machine.doctor import why_not_isolated

REASON = why_not_isolated()
needs_isolation = pytest.mark.skipif(
    REASON is not None, reason=f"programs cannot be isolated: {REASON}"
)
Cli = Callable[..., Any]
Tree = Callable[[Path, Mapping[str, str | bytes]], Path]
LANGUAGES = load_languages()
PYTHON: dict[str, str | bytes] = {
    "main.py": "import sys\nfrom lib.adder import add\nprint(add(int(input()), len(sys.argv)))\n",
    "lib/adder.py": "def add(a, b):\n    return a + b\n",
    "data.bin": b"\xff\x00",
}
CPP: dict[str, str | bytes] = {
    "main.cpp": '#include "twice.h"\nint main() { int n; scanf("%d", &n); printf("%d\\n", twice(n)); }\n',
    "twice.h": "#include <cstdio>\nint twice(int);\n",
    "twice.cpp": "int twice(int n) { return 2 * n; }\n",
}


@pytest.fixture
def run(cli: Cli, tmp_path: Path, write_tree: Tree) -> Callable[..., Any]:
    """Returns a function that runs a command in a project on the input 5 and returns its report."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/1.in").write_text("5\n")

    def report(
        files: Mapping[str, str | bytes], command: str, *words: object, expected: str = ""
    ) -> Any:
        write_tree(tmp_path / "app", files)
        if expected:
            (tmp_path / "tests/1.out").write_text(expected)
        argv = (
            "--project",
            tmp_path / "app",
            "--cmd",
            command,
            "--tests",
            tmp_path / "tests",
            "--repeats",
            1,
        )
        done = cli("run", *argv, "--json", *words)
        assert done.exit_code in (0, 1), done.stderr
        return json.loads(done.stdout)

    return report


# ------------------------------------------------------------------ runs


@needs_isolation
def test_a_program_of_several_files_with_arguments(run: Callable[..., Any]) -> None:
    report = run(PYTHON, "python3 main.py a", "--", "b", expected="8\n")
    assert (report["verdict"], report["language"]) == ("accepted", "python")
    assert report["relative_time"] > 0, "the reference program keeps the commands of its language"
    assert run(PYTHON, "python3 main.py", expected="8\n")["verdict"] == "wrong_answer"


@needs_isolation
def test_a_project_is_compiled_by_a_shell(run: Callable[..., Any]) -> None:
    report = run(CPP, "./app", "--compile", "g++ -O1 *.cpp -o app; exit $?", expected="10\n")
    assert (report["verdict"], report["language"]) == ("accepted", "cpp")
    assert report["relative_time"] > 0
    broken = run({"twice.cpp": "int"}, "./app", "--compile", "g++ -O1 *.cpp -o app")
    assert broken["verdict"] == "compile_error"
    assert "twice.cpp:1" in broken["compile_log"]


@needs_isolation
def test_executable_files_stay_executable(
    run: Callable[..., Any], tmp_path: Path, write_tree: Tree
) -> None:
    write_tree(tmp_path / "app", {"my run.sh": "#!/bin/sh\ncat\n"})
    (tmp_path / "app/my run.sh").chmod(0o755)
    assert run({}, "'./my run.sh'", "--lang", "python", expected="5\n")["verdict"] == "accepted"


@needs_isolation
@pytest.mark.parametrize("command", ["./nothing", "nothing", "./main.py", "'$(touch x)'"])
def test_missing_command_is_a_compile_error(run: Callable[..., Any], command: str) -> None:
    report = run(PYTHON, command)
    assert report["verdict"] == "compile_error"
    assert report["compile_log"].startswith(f"no executable command {shlex.split(command)[0]}")


@needs_isolation
@pytest.mark.parametrize("lang", ["python", "java"])
def test_instructions_are_counted(run: Callable[..., Any], lang: str) -> None:
    report = run(PYTHON, "python3 main.py", "--counter", "emulated", "--lang", lang)
    assert report["verdict"] == "accepted"
    assert (report["instructions"] or 0) > 1_000_000, report["uncounted"]


@needs_isolation
def test_a_crash_has_its_verdict(run: Callable[..., Any]) -> None:
    assert (
        run({"main.py": "raise SystemExit(3)\n"}, "python3 main.py")["verdict"] == "runtime_error"
    )


# ------------------------------------------------------------------ files


def read(folder: Path, command: str, **options: Any) -> Any:
    return project.read_project(folder, command, LANGUAGES, **options)


@pytest.mark.parametrize(
    ("command", "files", "language"),
    [
        ("python3 main.py", {"a.cpp": ""}, "python"),
        ("python main.py", {"a.cpp": ""}, "python"),
        ("/usr/bin/node x", {"a.cpp": ""}, "javascript"),
        ("./app", {"a.cpp": "", "b.cpp": "", "c.py": ""}, "cpp"),
        ("sh run.sh", {"run.sh": "", "a.rb": ""}, "ruby"),
        ("./go", {"a.rs": ""}, "rust"),
    ],
)
def test_language_of_a_project(
    tmp_path: Path, write_tree: Tree, command: str, files: dict[str, str], language: str
) -> None:
    write_tree(tmp_path, files)
    assert read(tmp_path, command).language.id == language
    assert read(tmp_path, command, lang="c++").language.id == "cpp"


def test_ignored_files(tmp_path: Path, write_tree: Tree) -> None:
    write_tree(
        tmp_path, {**PYTHON, ".git/config": "", "lib/__pycache__/adder.pyc": "", ".hidden": ""}
    )
    (tmp_path / "link.py").symlink_to("main.py")
    program = read(tmp_path, "python3 main.py")
    assert [file.path for file in program.files] == [
        ".hidden",
        "data.bin",
        "lib/adder.py",
        "link.py",
        "main.py",
    ]


def test_invalid_projects_are_refused(
    tmp_path: Path, write_tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project, "MAX_FILES", 2)
    write_tree(
        tmp_path, {"app/a.py": "", "text/a.txt": "", "large/a": "", "large/b": "", "large/c": ""}
    )
    for name in ("empty", "folder", "broken"):
        (tmp_path / name).mkdir()
    (tmp_path / "folder/link").symlink_to(tmp_path / "app")
    (tmp_path / "broken/link").symlink_to("nothing")
    for folder, command, message in (
        ("nothing", "python3 a.py", "cannot read the project .*: there is no such folder"),
        ("app/a.py", "python3 a.py", "cannot read the project .*: it is not a folder"),
        ("empty", "python3 a.py", "the project .* is empty"),
        ("large", "python3 a.py", "the project .* is too large: it has more than 2 files"),
        ("folder", "python3 a.py", "link is a link to a folder"),
        ("broken", "python3 a.py", "cannot read .*link: it is a link that leads nowhere"),
        ("app", " ", "the command is empty"),
        ("app", "python3 'a.py", "cannot be read: No closing quotation"),
        ("text", "./a", "the language of the project is not known: neither ./a nor"),
    ):
        with pytest.raises(UsageError, match=message):
            read(tmp_path / folder, command)


@pytest.mark.parametrize(
    ("words", "head"),
    [
        (("--project", "."), "--project needs --cmd: --cmd is the command that runs the program"),
        (
            ("a.py", "--project", ".", "--cmd", "x"),
            "--project cannot be combined with the file a.py: ",
        ),
        (
            ("--project", ".", "--cmd", "x", "--starter", "s.py"),
            "--project cannot be combined with --starter: ",
        ),
        (("a.py", "--compile", "x"), "--compile changes nothing: it is for --project"),
        ((), "no program was named: there is no FILE, no --cmd and no --project"),
    ],
)
def test_contradictory_flags(cli: Cli, words: tuple[str, ...], head: str) -> None:
    done = cli("run", *words)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"venus: {head}")
