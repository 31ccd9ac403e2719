"""The command line: help, exit codes, error messages and interrupts."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
import pytest

import venus_toolkit
from venus_toolkit.builders.build import Build
from venus_toolkit.cli import COMMANDS, venus
from venus_toolkit.cli.data.build import print_summary
from venus_toolkit.core import errors
from venus_toolkit.core.language import load_languages

ROOT = Path(__file__).resolve().parents[2]
Cli = Callable[..., Any]
Tree = Callable[[Path, Mapping[str, str | bytes]], Path]
PROBLEM: dict[str, str | bytes] = {
    "problem.toml": 'title = "P"\n',
    "statement.md": "",
    "solutions/python/a.py": "print(1)\n",
}


def command_of(name: str) -> click.Command:
    command = venus.get_command(click.Context(venus), name)
    assert command
    return command


# ------------------------------------------------------------------ help and version


def test_version(cli: Cli) -> None:
    assert cli("--version").stdout == f"venus, version {venus_toolkit.__version__}\n"


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_lists_every_command(cli: Cli, flag: str) -> None:
    result = cli(flag)
    assert result.exit_code == 0
    assert all(f"{name} " in result.stdout for name in COMMANDS)
    assert "Examples:" in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(cli: Cli, name: str) -> None:
    result = cli(name, "--help")
    assert result.exit_code == 0
    assert re.match(rf"Usage: .*\b{name} \[", result.stdout)
    assert not result.stderr


@pytest.mark.parametrize("words", [(), ("languages",)])
def test_help_is_the_default(cli: Cli, words: tuple[str, ...]) -> None:
    result = cli(*words)
    assert result.stderr.startswith("Usage: ")
    assert "Commands" in result.stderr
    assert result.exit_code == 2


def test_help_is_instant() -> None:
    """The bound is generous; tests/core/test_layers.py checks that no heavy package is imported."""
    words = [sys.executable, "-m", "venus_toolkit", "--help"]
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=20,
    )
    assert done.returncode == 0


# ------------------------------------------------------------------ verbosity


needs_script = pytest.mark.skipif(
    not shutil.which("script"), reason="script, which opens a terminal, is missing"
)


def on_a_terminal(*words: object, **variables: str) -> str:
    """Return the output of Python on a terminal, results and progress combined."""
    typed = shlex.join([sys.executable, *map(str, words)])
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **variables}
    done = subprocess.run(
        ["script", "-qec", typed, "/dev/null"], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("print(1)\n")
    return tmp_path / "a.py"


@pytest.mark.parametrize("words", [("-v", "run"), ("run", "-v")], ids=" ".join)
def test_verbose_works_before_and_after_the_command(program: Path, words: tuple[str, ...]) -> None:
    typed = [sys.executable, "-m", "venus_toolkit", *words, str(program), "--repeats", "1"]
    done = subprocess.run(
        typed, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.stderr.startswith(
        "INFO venus_toolkit.execution.sandbox.opening: --sandbox auto chose "
    )
    assert "compiling (Python)" in done.stderr
    assert done.stdout.startswith("verdict    accepted")


@needs_script
@pytest.mark.parametrize("words", [("run",), ("-q", "run"), ("run", "--quiet")], ids=" ".join)
def test_quiet_prints_no_progress(program: Path, words: tuple[str, ...]) -> None:
    output = on_a_terminal("-m", "venus_toolkit", *words, program, "--repeats", 1)
    assert "verdict    accepted" in output
    assert ("compiling (Python)" in output) == (len(words) == 1)


def test_quiet_keeps_errors(cli: Cli) -> None:
    assert cli("run", "--quiet", "nothing.py").stderr.startswith(
        "venus: cannot read the program nothing.py"
    )


@needs_script
@pytest.mark.parametrize("variables", [{}, {"NO_COLOR": "1"}], ids=str)
def test_bars_respect_no_color(variables: dict[str, str]) -> None:
    code = (
        "from venus_toolkit.cli.printing import stage_progress\nwith stage_progress() as say: "
        "say('judge', 1, 2)"
    )
    output = on_a_terminal("-c", code, **variables)
    assert "1/2" in output
    # Colours are SGR 30 to 48 and 90 to 107; bold text and cursor movements are allowed.
    assert bool(re.search(r"\x1b\[(\d;)?(3[0-8]|4[0-8]|9\d|10[0-7])[;m]", output)) == (
        not variables
    )


# ------------------------------------------------------------------ usage errors


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bild"], "there is no command 'bild'\n  did you mean build? type: venus --help\n"),
        (["xyzzy"], "there is no command 'xyzzy'\n  type: venus --help\n"),
        (["run", "."], ". is a folder: a program of several files needs a command"),
        (["completion", "csh"], "'csh' is not one of"),
        (["build"], "Missing option '--lang'"),
        (["build", "--lang", "cpp", "--out", "o", "x"], "unexpected extra argument"),
        (
            ["build", "--lang", "cpp", "--out", "o", "--tests", "many"],
            "'many' is not a valid integer",
        ),
        (["build", "--lang", "cpp", "--out", "o", "--rank", "fastest"], "'fastest' is not one of"),
        (["build", "--lang", "cpp", "--out", "o", "--nonsense"], "No such option"),
        (["build", "--lang", "cpp", "--out", "o", "--languages", "nothing"], "does not exist"),
        (["languages", "chek"], "No such command 'chek'"),
    ],
)
def test_usage(cli: Cli, words: list[str], message: str) -> None:
    result = cli(*words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not result.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(cli: Cli, shell: str) -> None:
    done = cli("completion", shell)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "_VENUS_COMPLETE" in done.stdout


@pytest.mark.parametrize(
    ("typed", "offers"),
    [("venus buil", "build"), ("venus run --rep", "--repeats"), ("venus languages che", "check")],
)
def test_completion_completes_commands_and_options(typed: str, offers: str) -> None:
    words = {
        "_VENUS_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(typed.count(" ")),
    }
    code = "from venus_toolkit.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **words}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert f"plain,{offers}" in done.stdout.splitlines()


DEFAULTS = ("--lang", "python", "--min-solutions", "1", "--tests", "1", "--repeats", "1")


@pytest.mark.parametrize(
    ("words", "head", "fix"),
    [
        (["--lang", "pyhton"], "unknown language 'pyhton': expected one of cpp, ",
         "did you mean python? type: venus lang"),
        (["--lang", "cobol"], "unknown language 'cobol': expected one of cpp, ", "type: venus languages list"),
        (["--source", "nothing"], "there is no source 'nothing': expected one of ", "type: venus sources list"),
        (["--source", "./nothing"], "the source ./nothing does not exist: ", "type: venus sources list"),
        (["--source", "empty"], "the source empty has no problems: ", "see docs/problems.md"),
        (["--source", "corpus", "--problem", "pair-sum"], "the source has no problem pair-sum: ", "mean pair-sums?"),
        (["--source", "broken"], "no problem of broken can be read: ", "docs/problems.md"),
        (["--problem", "tow"], "the source has no problem tow: ", "problems"),
        (["--plan", "nothing"], "the plan nothing cannot be read: ", "or one of: benchmark, bundled, default, demo"),
        (["--plan", "nothing.toml"], "the plan nothing.toml cannot be read: ", "give a TOML file"),
        (["--plan", "keys.toml"], "the plan has unknown keys: test", "see docs/build.md"),
        (["--plan", "kinds.toml"], "seed must be a whole number: got 'many'", "see docs/build.md"),
        (["--tests", "-3"], "tests must be greater than 0: got -3", "see venus build --help"),
        (["--repeats", "0"], "repeats must be a whole number greater than 0, or", "see venus build --help"),
        (["--min-solutions", "-1"], "min_solutions must be greater than 0: got -1", "see venus build --help"),
        (["--limit-wall-s", "0"], "limit_wall_s must be greater than 0: got 0", "see venus build --help"),
        (["--limit-wall-s", "nan"], "limit_wall_s must be a number: got nan", "see docs/build.md"),
        (["--limit-cpu-s", "inf"], "limit_cpu_s must be a number: got inf", "see docs/build.md"),
        (["--limit-memory-mib", "-1"], "limit_memory_mib must be greater than 0", "see venus build --help"),
        (["--jobs", "0"], "jobs must be greater than 0: got 0", "see venus build --help"),
        (["--sandbox", "docket"], "unknown sandbox 'docket': expected one of auto, ", "type: venus doctor"),
        (["--languages", "empty"], "no language found: empty has no folder", "see docs/languages.md"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_a_refusal_has_three_parts(
    cli: Cli,
    tmp_path: Path,
    write_tree: Tree,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    head: str,
    fix: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    write_tree(tmp_path / "good/two", PROBLEM)
    write_tree(tmp_path / "broken/one", {**PROBLEM, "problem.toml": "title ="})
    write_tree(tmp_path, {"keys.toml": "test = 3\n", "kinds.toml": 'seed = "many"\n'})
    result = cli(
        "build",
        "--out",
        "out",
        *(["--source", "good"] if "--source" not in words else []),
        *DEFAULTS,
        *words,
    )
    assert result.exit_code == 2
    *reasons, last = result.stderr.splitlines()
    assert reasons[0].startswith(f"venus: {head}")
    assert reasons[0].count(":") >= 2, "it says why"
    assert last.startswith("  ")
    assert fix in last
    assert not result.stdout
    assert not (tmp_path / "out" / "manifest.json").exists()


@pytest.mark.parametrize(
    ("words", "head"),
    [
        (["languages", "check", "pyhton"], "venus: unknown language 'pyhton'"),
        (["languages", "check", "python", "--sandbox", "x"], "venus: unknown sandbox 'x'"),
        (["languages", "list", "--languages", "."], "venus: no language found"),
    ],
)
def test_refusals_of_languages(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], head: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = cli(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith(head)


# ------------------------------------------------------------------ failures


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (errors.UsageError, 2), (errors.LanguageError, 2), (errors.SourceError, 2), (errors.MachineError, 3),
        (errors.ToolchainError, 3), (errors.SandboxError, 3), (errors.StoreError, 3), (errors.VenusError, 3),
    ],
)  # fmt: skip
def test_every_failure_has_its_exit_code(
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: type[errors.VenusError],
    exit_code: int,
) -> None:
    def fail(build: Build) -> None:
        raise error("it failed", "there is a reason", "type: something")

    monkeypatch.setattr(Build, "run", fail)
    result = cli("build", "--lang", "python", "--out", tmp_path / "out")
    assert result == (exit_code, "", "venus: it failed: there is a reason\n  type: something\n")


def test_documented_exception_tree() -> None:
    drawn = {
        word
        for line in (errors.__doc__ or "").splitlines()
        for word in line.split()
        if word.endswith("Error")
    }
    real = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    assert drawn == real
    assert str(errors.VenusError("what", "why", "fix")) == "what: why\nfix"
    assert str(errors.VenusError("what")) == "what"


def test_interrupt_message(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(build: Build) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Build, "run", interrupted)
    result = cli("build", "--lang", "python", "--out", tmp_path / "out")
    assert result.exit_code == 130
    assert (
        result.stderr.strip()
        == "stopped\n  finished work is kept: type the same command to continue"
    )


def test_closed_pipe_prints_no_traceback() -> None:
    words = f"{sys.executable} -m venus_toolkit languages list --json | head -c 1; echo $?"
    done = subprocess.run(
        ["bash", "-c", words],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert "Traceback" not in done.stderr


def test_bug_prints_a_traceback(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No handler catches every exception, so an unexpected one shows its traceback."""
    monkeypatch.setattr(Build, "run", lambda build: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        cli("build", "--lang", "python", "--out", tmp_path / "out")


# ------------------------------------------------------------------ output


def test_languages_list(cli: Cli) -> None:
    result = cli("languages", "list")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()  # libraries are indented below their language
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == list(load_languages())
    assert any(line.split()[:2] == ["sortedcontainers", "2.4.0"] for line in lines)
    listed = json.loads(cli("languages", "list", "--json").stdout)
    assert {row["id"] for row in listed} == set(load_languages())
    assert all(
        set(row) == {"id", "name", "aliases", "version", "fix", "libraries"} for row in listed
    )
    assert all(bool(row["version"]) != bool(row["fix"]) for row in listed)


MANIFEST = {
    "configs": {
        "cpp": {
            "splits": {
                "train": {"file": "a", "problems": 2, "solutions": 9},
                "test": {"file": "b", "problems": 1, "solutions": 4},
            },
            "rank": "relative",
            "verdicts": {"accepted": 12, "time_limit": 1},
            "unexpected": {f"p/cpp/s{n}": "said to be accepted, is time_limit" for n in range(14)},
            "repeatability": {
                "measured": 12, "noisy": 3, "median_wall_spread": 0.0123, "median_cpu_spread": 0.02,
                "median_relative_spread": None, "median_integral_spread": None,
            },
        }
    },
    "tests": {"found": 60, "kept": 57, "dropped": 3},
    "quality": {
        "true_positive": {"rate": 1.0, "hits": 12, "n": 12},
        "true_negative_wrong": {"rate": 0.75, "hits": 3, "n": 4},
        "true_negative_mutants": {"rate": None, "hits": 0, "n": 0},
        "true_negative_held_out": {"rate": 0.5, "hits": 1, "n": 2},
        "grades": {"A": 2, "D": 1},
    },
    "model_costs": {"requests": 7, "failures": 1, "cached": 3, "prompt_tokens": 900, "completion_tokens": 100},
    "dropped": {"validate": {"canonical solutions disagree": 3}},
    "lacking": {"rust": "Rust is not installed: rustc not found in PATH\ntype: apt-get install rustc"},
    "seconds": {"ingest": 0.1, "validate": 12.4},
    "toolkit_peak_bytes": 200 << 20,
    "sandbox": {"sandbox": "local", "isolation": "bubblewrap"},
}  # fmt: skip


def test_summary(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_summary(MANIFEST, Path("out"))
    output = capsys.readouterr().out
    for line in (
        "cpp        train 2 problems with 9 solutions, test 1 problem with 4 solutions",
        "verdicts   12 accepted, 1 time_limit",
        "measured   12, 3 with a noise flag, ranked by relative time",
        "spread     wall 1.2 %, cpu 2.0 % (median over solutions)",
        "unexpected … and 2 more, all in manifest.json",
        "tests      57 kept of 60",
        "           12 of 12 correct solutions accepted, 3 of 4 known wrong ones rejected, 1 of "
        "2 held-out mutants killed",
        "grades     2 A, 1 D",
        "model      7 requests, 1 failed; 900 + 100 tokens, 3 cached answers",
        "dropped    3 at validate: canonical solutions disagree",
        "missing    rust: Rust is not installed: rustc not found in PATH",
        "time       validate 12 s",
        "memory     200 MiB, the toolkit itself at its peak",
        "sandbox    local, isolation bubblewrap",
        "load it:   from datasets import load_dataset; load_dataset('out', 'cpp')",
    ):
        assert line in output.splitlines()


def test_summary_suggests_retry_after_sandbox_failure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_summary(
        {**MANIFEST, "dropped": {"sandbox": {"cannot start the sandbox": 1}}}, Path("out")
    )
    lines = capsys.readouterr().out.splitlines()
    place = lines.index("dropped    1 at sandbox: cannot start the sandbox")
    assert lines[place + 1] == (
        "           type the same command again to retry what the sandbox failed at"
    )


@pytest.mark.parametrize("most", [5, 7, 9, 11])
def test_too_few_open_files(tmp_path: Path, most: int) -> None:
    (tmp_path / "a.py").write_text("print(1)\n")
    words = [
        "prlimit",
        f"--nofile={most}",
        sys.executable,
        "-m",
        "venus_toolkit",
        "run",
        str(tmp_path / "a.py"),
    ]
    done = subprocess.run(
        words, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert "Traceback" not in done.stderr
    assert (done.returncode, "Too many open files" in done.stderr) == (errors.EXIT_MACHINE, True)


def test_summary_omits_unknown_spreads(capsys: pytest.CaptureFixture[str]) -> None:
    """One repeat has no spread."""
    config = json.loads(json.dumps(MANIFEST["configs"]["cpp"]))  # type: ignore[index]
    config["repeatability"] |= {"median_wall_spread": None, "median_cpu_spread": None}
    print_summary({**MANIFEST, "configs": {"cpp": config}, "unchanged": True}, Path("out"))
    output = capsys.readouterr().out
    assert output.startswith("Nothing changed since the last build: out is up to date.\n")
    assert "spread     (" not in output
    assert "spread      (" not in output


def test_error_has_no_control_characters(cli: Any) -> None:
    done = cli("run", "a\x1b[2J.zz")
    assert done.exit_code == 2
    assert "cannot tell the language of a\ufffd[2J.zz" in done.stderr
