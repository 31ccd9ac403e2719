"""`venus init`: its files work with other commands, and it overwrites nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import venus_toolkit
from venus_toolkit.builders.plan import BuildPlan, read_plan
from venus_toolkit.builders.sources import Entry, folder
from venus_toolkit.core.language import find_language, language_of_file, load_languages
from venus_toolkit.core.records import Expectation

Cli = Callable[..., Any]
LANGUAGES = load_languages()


@pytest.mark.parametrize("style", ["stdin", "function"])
def test_a_problem_is_read_as_a_problem_folder(cli: Cli, tmp_path: Path, style: str) -> None:
    where = tmp_path / "mine" / "My Largest_sum"
    done = cli("init", "problem", where, "--style", style)
    assert (done.exit_code, done.stderr) == (0, "")
    assert f"venus build --lang python --source {where.parent} --min-solutions 1" in done.stdout
    (entry,) = folder.read(str(where.parent), LANGUAGES)
    assert isinstance(entry, Entry), entry
    assert (entry.problem.title, entry.problem.source) == ("My largest sum", "my-largest-sum")
    assert entry.problem.style == style
    assert entry.problem.statement.startswith("# My largest sum\n")
    assert {solution.language for solution in entry.solutions} == {"python", "cpp"}
    expected = [solution.expected for solution in entry.solutions]
    assert (expected.count(Expectation.ACCEPTED), expected.count(Expectation.WRONG)) == (3, 1)
    assert bool(entry.problem.starter_code) == (style == "function")


def test_build_in_the_current_folder_has_a_name(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sums").mkdir()
    monkeypatch.chdir(tmp_path / "sums")
    assert cli("init", "problem", "one").stdout.endswith(" --out build/sums\n")


@pytest.mark.parametrize(
    "code", ["python/running_sum.py", "python/all_pairs.py", "python/wrong_never_negative.py"]
)
def test_solutions_have_the_expected_verdicts(cli: Cli, tmp_path: Path, code: str) -> None:
    cli("init", "problem", tmp_path / "one")
    pairs = [("5\n2 -3 4 -1 2\n", "5\n"), ("2\n-7 -3\n", "-3\n")]
    result = venus_toolkit.run(tmp_path / "one/solutions" / code, tests=pairs, repeats=0)
    assert result.verdict == ("wrong_answer" if "wrong_" in code else "accepted")


def test_plan_shows_defaults(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "plans/my-plan.toml"
    assert cli("init", "plan", file).exit_code == 0
    plan = read_plan(str(file), lang=("cpp",))
    assert (plan.source, plan.tests) == ("corpus", 100)
    shown = file.with_name("shown.toml")
    lines = file.read_text().splitlines()
    shown.write_text(
        "\n".join(line.removeprefix("# ") if " = " in line else line for line in lines)
    )
    opened = read_plan(str(shown))
    assert (opened.rank, opened.seed, opened.lang) == (
        BuildPlan().rank,
        BuildPlan().seed,
        ("python", "cpp"),
    )
    assert opened.quality.mutants == BuildPlan().quality.mutants
    assert opened.generation.candidates == BuildPlan().generation.candidates


@pytest.mark.parametrize("style", ["stdin", "function"])
@pytest.mark.parametrize("language", ["python", "cpp"])
def test_plan_keeps_the_starter_problem(
    cli: Cli, tmp_path: Path, style: str, language: str
) -> None:
    cli("init", "problem", tmp_path / "mine/one", "--style", style)
    cli("init", "plan", tmp_path / "plan.toml")
    (entry,) = folder.read(str(tmp_path / "mine"), LANGUAGES)
    assert isinstance(entry, Entry)
    accepted = [
        solution for solution in entry.solutions if solution.expected == Expectation.ACCEPTED
    ]
    count = sum(solution.language == language for solution in accepted)
    assert 1 <= read_plan(str(tmp_path / "plan.toml")).min_solutions <= count


def test_language_copy_has_no_aliases(cli: Cli, tmp_path: Path) -> None:
    done = cli("init", "language", tmp_path / "mine/Kotlin", "--like", "java")
    assert done.exit_code == 0
    assert f"venus languages check kotlin --languages {tmp_path / 'mine'}" in done.stdout
    known = load_languages(tmp_path / "mine")
    assert (known["kotlin"].name, known["kotlin"].compile_argv) == (
        "Kotlin",
        known["java"].compile_argv,
    )
    for name in ("java", *known["java"].aliases, *known["java"].fences):
        assert find_language(name, known).id == "java"
    assert language_of_file(Path("Main.java"), known).id == "java"


@pytest.mark.parametrize("like", LANGUAGES)
def test_every_language_can_be_copied(cli: Cli, tmp_path: Path, like: str) -> None:
    assert cli("init", "language", tmp_path / "mine/fresh", "--like", like).exit_code == 0
    assert load_languages(tmp_path / "mine")["fresh"].selftest == LANGUAGES[like].selftest


@pytest.mark.parametrize(
    ("words", "head", "fix"),
    [
        (
            ("problem", "full"),
            "full exists already: nothing is overwritten",
            "choose another name, or remove it",
        ),
        (
            ("plan", "full/file"),
            "full/file exists already: nothing is overwritten",
            "choose another name, or",
        ),
        (
            ("language", "full"),
            "full exists already: nothing is overwritten",
            "choose another name, or remove it",
        ),
        (
            ("problem", "…"),
            "… cannot name a problem: the last part of the path has no",
            "my-problems/my-sum",
        ),
        (
            ("language", "a/+"),
            "a/+ cannot name a new language: the last part of",
            "choose another name",
        ),
        (
            ("language", "a/python"),
            "a/python cannot name a new language: the language python exists",
            "choose",
        ),
        (
            ("language", "a/b", "--like", "cobol"),
            "there is no language cobol: expected one of cpp, ",
            "choose another --like",
        ),
        (("problem", "full/file/below"), "full/file/below", "choose another path"),
        (("plan", "full/file/below"), "full/file/below", "choose another path"),
        (("language", "full/file/below"), "full/file/below", "choose another folder"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_refusal_has_three_parts_and_writes_nothing(
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    head: str,
    fix: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").write_text("mine\n")
    done = cli("init", *words)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"venus: {head}")
    assert fix in done.stderr.splitlines()[-1]
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["file"]
    assert (tmp_path / "full/file").read_text() == "mine\n"


def test_an_empty_folder_is_filled(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    assert cli("init", "problem", tmp_path / "one").exit_code == 0
    assert (tmp_path / "one/problem.toml").is_file()


@pytest.mark.parametrize("kind", ["ddp", "fsdp2", "zero2", "zero3"])
def test_launcher_configuration(cli: Callable[..., Any], tmp_path: Path, kind: str) -> None:
    done = cli("init", "launcher", tmp_path / "gpus.yaml", "--kind", kind)
    assert done.exit_code == 0, done.stderr
    assert "accelerate launch --config_file" in done.stdout
    assert "num_processes: 8" in (tmp_path / "gpus.yaml").read_text()
    assert cli("init", "launcher", tmp_path / "gpus.yaml").exit_code == 2, "nothing is overwritten"
