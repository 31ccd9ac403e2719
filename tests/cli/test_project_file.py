"""`venus.toml` and `[tool.venus]`: location, content, and precedence of the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from venus_toolkit.cli import COMMANDS, venus
from venus_toolkit.cli.project_file import SHARED, ProjectFile, find_project_file
from venus_toolkit.core.errors import UsageError

Cli = Callable[..., Any]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder; the working folder is below it, and has a program."""
    inner = tmp_path / "project" / "inner"
    inner.mkdir(parents=True)
    (inner / "a.py").write_text("print(1)\n")
    monkeypatch.chdir(inner)
    return inner.parent


def defaults(project: Path, *words: str) -> dict[str, Any]:
    command = venus.get_command(click.Context(venus), words[0])
    project_file = find_project_file(COMMANDS)
    assert command
    assert project_file
    return project_file.defaults(words, command)


def test_command_line_overrides_defaults(cli: Cli, project: Path) -> None:
    (project / "venus.toml").write_text("[run]\nrepeats = 2\njson = true\nlimit-wall-s = 7\n")
    report = json.loads(cli("run", "a.py").stdout)
    assert (report["measurement"]["repeats"], report["limits"]["wall_ns"]) == (2, 7 * 10**9)
    report = json.loads(cli("run", "a.py", "--repeats", 1).stdout)
    assert report["measurement"]["repeats"] == 1


def test_help_shows_the_default_of_the_file(cli: Cli, project: Path) -> None:
    (project / "venus.toml").write_text("[run]\nrepeats = 29\n")
    assert "default: 29" in " ".join(cli("run", "--help").stdout.split())


def test_the_file_is_named_only_with_verbose(
    cli: Cli, project: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = project / "venus.toml"
    file.write_text("[completion]\n")
    for words, times in (
        (("completion", "bash"), 0),
        (("completion", "bash", "-v"), 1),
        (("-v", "completion", "zsh"), 1),
    ):
        caplog.clear()
        assert cli(*words).exit_code == 0
        assert caplog.messages == [f"defaults of options come from {file}"] * times


def test_a_required_option_may_be_in_the_file(project: Path) -> None:
    (project / "venus.toml").write_text(
        '[build]\nlang = "cpp"\nmin_solutions = 2\nproblem = ["a", "b"]\n'
    )
    assert defaults(project, "build") == {
        "lang": ["cpp"],
        "min_solutions": 2,
        "problems": ["a", "b"],
    }


def test_shared_options_reach_the_commands_that_have_them(project: Path) -> None:
    (project / "venus.toml").write_text(
        'sandbox = "local"\nquiet = true\n[run]\nsandbox = "docker"\n'
    )
    assert defaults(project, "run") == {"sandbox": "docker", "quiet": True}
    assert defaults(project, "build") == {"sandbox": "local", "quiet": True}
    assert defaults(project, "init") == {
        name: {"quiet": True} for name in ("problem", "plan", "language", "launcher", "environment")
    } | {"quiet": True}


def test_subcommands_have_their_own_tables(project: Path) -> None:
    (project / "venus.toml").write_text("[languages.list]\njson = true\n")
    assert defaults(project, "languages")["list"] == {"as_json": True}
    (project / "venus.toml").write_text('languages = "."\n')
    trusted = defaults(project, "languages")["list"]["extra_languages"]
    with pytest.raises(UsageError, match=r"languages = .\.. needs trust"):
        trusted()


def test_shared_options_occur_in_several_commands(project: Path) -> None:
    for name in SHARED:
        commands = [
            command_name for command_name in COMMANDS
            if (command := venus.get_command(click.Context(venus), command_name))
            for subcommand in (command, *getattr(command, "commands", {}).values())
            if any(f"--{name.replace('_', '-')}" in parameter.opts for parameter in subcommand.params)
        ]  # fmt: skip
        assert len(set(commands)) > 1, name


# ------------------------------------------------------------------ location


def test_the_nearest_file_counts(project: Path) -> None:
    (project / "venus.toml").write_text("[run]\nrepeats = 2\n")
    (project / "inner/pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert defaults(project, "run") == {"repeats": 2}
    (project / "inner/pyproject.toml").write_text("[tool.venus.run]\nrepeats = 3\n")
    assert defaults(project, "run") == {"repeats": 3}
    (project / "inner/venus.toml").write_text("[run]\nrepeats = 4\n")
    assert defaults(project, "run") == {"repeats": 4}


def test_search_ends_at_the_repository_root(project: Path) -> None:
    (project / "venus.toml").write_text("[run]\nrepeats = 2\n")
    (project / ".git").mkdir()
    assert find_project_file(COMMANDS)
    (project / "inner/.git").mkdir()
    assert find_project_file(COMMANDS) is None


def test_removed_working_folder(project: Path) -> None:
    (project / "inner/a.py").unlink()
    (project / "inner").rmdir()
    assert find_project_file(COMMANDS) is None


def test_broken_pyproject_is_ignored(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.venus\n")
    assert find_project_file(COMMANDS) is None


def test_paths_are_relative_to_the_file(project: Path) -> None:
    (project / "mine").mkdir()
    (project / "plan.toml").touch()
    text = (
        '[build]\nplan = "plan.toml"\nsource = "mine"\nout = "out"\ntitle = "mine"\n[run]\nstdin '
        '= "-"\n'
    )
    (project / "venus.toml").write_text(text)
    there = {
        "plan_name": str(project / "plan.toml"),
        "source": str(project / "mine"),
        "out": str(project / "out"),
    }
    assert defaults(project, "build") == {**there, "title": "mine"}
    assert defaults(project, "run") == {"stdin": "-"}
    (project / "venus.toml").write_text('[build]\nplan = "demo"\nsource = "taco:mine"\n')
    assert defaults(project, "build") == {"plan_name": "demo", "source": "taco:mine"}


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("text", "head", "fix"),
    [
        ("[bild]\n", "unknown key bild: it is neither a command nor an option that", "did you mean build? see docs/"),
        ("sandbx = 'local'\n", "unknown key sandbx: it is neither a command", "did you mean sandbox? see docs/"),
        ("repeats = 5\n", "unknown key repeats: it is neither a command nor an option", "see docs/configuration.md"),
        ("[run]\nrepeat = 5\n", "unknown key run.repeat: venus run has no such option", "did you mean repeats?"),
        ("[run]\nfiles = ['a.py']\n", "unknown key run.files: venus run has no such option", "did you mean file?"),
        ("[run]\nrepeats = 'many'\n", "repeats = 'many' is invalid: 'many' is not a valid int", "see docs/"),
        ("[run]\nrepeats = 0\n", "repeats = 0 is invalid: 0 is not in the range", "see docs/configuration.md"),
        ("[run]\nrepeats = [1]\n", "repeats must be one value: got [1]", "see docs/configuration.md"),
        ("[run]\nrepeats = true\n", "repeats must be one value: got True", "see docs/configuration.md"),
        ("[run]\njson = 1\n", "json must be true or false: got 1", "see docs/configuration.md"),
        ("[run]\nenv = { A = 'b' }\n", "env must be a list: got {'A': 'b'}", "see docs/configuration.md"),
        ("[run]\nrank = 'size'\n", "rank = 'size' is invalid: 'size' is not one of", "see docs/"),
        ("run = 5\n", "run must be a table: got 5", "see docs/configuration.md"),
        ("sandbox = 'unsafe'\n", "sandbox must not be 'unsafe': a file must not", "type: --sandbox unsafe"),
        ("sandbox = 'http://far.example:8000'\n", "sandbox = 'http://far.example:8000' needs trust", "read the file"),
        ("[run\n", "", "see docs/configuration.md"),
    ],
)  # fmt: skip
def test_a_refusal_has_three_parts(cli: Cli, project: Path, text: str, head: str, fix: str) -> None:
    (project / "venus.toml").write_text(text)
    done = cli("run", "a.py")
    assert done.exit_code == 2
    first, last = done.stderr.splitlines()
    assert first.startswith(
        f"venus: {project / 'venus.toml'}{':' if head else ' cannot be read: '} {head}".rstrip()
    )
    assert last.strip().startswith(fix)


def test_options_of_other_commands_are_not_read(cli: Cli, project: Path) -> None:
    """Only the command that uses a table checks it, so other commands need not be loaded."""
    (project / "venus.toml").write_text("[eval]\nnonsense = 1\n")
    assert cli("completion", "bash").exit_code == 0


def test_tables_are_looked_up_without_a_file() -> None:
    assert ProjectFile(Path("venus.toml"), {}).defaults(("completion",), COMMAND) == {}


COMMAND = click.Command("completion")
