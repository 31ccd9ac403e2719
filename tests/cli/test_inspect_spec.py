"""``venus inspect --spec``: specifications of problem folders and programs, as text and JSON."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from venus_toolkit.builders.inputs.programs import generator_text
from venus_toolkit.builders.inputs.spec.layout import Layout, Line, Many, Scalar
from venus_toolkit.builders.inputs.spec.promises import Compare, Reading
from venus_toolkit.builders.inputs.spec.specification import Spec, from_plain, spec_of
from venus_toolkit.builders.inspection import specs_of_release
from venus_toolkit.builders.sources.folder import CORPUS
from venus_toolkit.cli.data.inspect import command
from venus_toolkit.core.errors import EXIT_DONE, EXIT_FAILED, EXIT_USAGE, UsageError
from venus_toolkit.dataset.release import Release

STATEMENT = """# Two nodes

You get a binary search tree in which the values of exactly two nodes have been swapped.

Example 1:

Input: root = [2,3,1]
Output: 5

Constraints:

- The number of nodes in the tree is in the range [2, 1000].
- -50 <= Node.val <= 50
"""
TOML = """title = "Two nodes"
difficulty = "Easy"
style = "function"
license = "MIT"
"""
SPEC = Spec(
    "own",
    Layout("lines", (Line((Scalar("n"),)), Line((Many("a", "n", Scalar("a")),)))),
    (Reading("1 <= n <= 9", (Compare("1", "<=", "n"), Compare("n", "<=", "9"))),),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    problem = tmp_path / "problems" / "two-nodes"
    (problem / "starter").mkdir(parents=True)
    (problem / "problem.toml").write_text(TOML)
    (problem / "statement.md").write_text(STATEMENT)
    starter = "class Solution:\n    def f(self, root: Optional[TreeNode]) -> int:\n        "
    (problem / "starter" / "python.py").write_text(starter)
    return problem


def inspect(*words: str | Path) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words])


published = generator_text


def test_specification_of_a_statement(folder: Path) -> None:
    done = inspect(folder, "--spec")
    assert done.exit_code == EXIT_DONE, done.output
    assert done.output.splitlines() == [
        "two-nodes",
        "  argument root: a binary search tree of integers, in which exactly 2 values changed places",
        '  2 <= len(root) <= 1000 ("The number of nodes in the tree is in the range [2, 1000].")',
        '  -50 <= root[i] <= 50 ("-50 <= Node.val <= 50")',
        '  no two of root[i] are equal ("follows from the kind of the input")',
        '  2 <= len(root) ("follows from the kind of the input")',
        '  the form of the input keeps ("You get a binary search tree in which the values of '
        'exactly two nodes have been swapped.")',
    ]
    assert inspect(folder.parent, "--spec").output == done.output
    table = json.loads(inspect(folder, "--spec", "--json").output)
    assert table["missing"] == {}
    assert from_plain(table["specifications"]["two-nodes"]).name == "two-nodes"


def test_generator_takes_precedence_over_statement(folder: Path) -> None:
    (folder / "generator.py").write_text(published(SPEC))
    done = inspect(folder, "--spec")
    assert done.output.splitlines() == [
        "two-nodes", "  line 1: n", "  line 2: a (n integers)", '  1 <= n <= 9 ("1 <= n <= 9")'
    ]  # fmt: skip


def test_missing_specification_exits_with_1(folder: Path) -> None:
    later = published(SPEC).replace('"version": 1', '"version": 9')
    (folder / "generator.py").write_text(later)
    done = inspect(folder, "--spec")
    assert done.exit_code == EXIT_FAILED
    assert "its specification cannot be read: version 9 is not 1" in done.output
    table = json.loads(inspect(folder, "--spec", "--json").output)
    assert list(table["missing"]) == ["two-nodes"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--spec", "--problem", "three"], "has no problem three: it has two-nodes"),
        (["--problem", "two-nodes"], "--problem needs --spec"),
    ],
)
def test_usage_errors(folder: Path, words: list[str], message: str) -> None:
    error = inspect(folder.parent, *words).exception
    assert isinstance(error, UsageError)
    assert message in str(error)
    assert "venus inspect" in str(error)


def test_another_folder_has_no_specifications(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        error = inspect(folder, "--spec").exception
        assert isinstance(error, UsageError)
        assert error.exit_code == EXIT_USAGE
        assert "has no specifications" in str(error)
        assert "venus inspect FOLDER --spec" in str(error)


def test_every_problem_of_the_corpus_is_inspected(tmp_path: Path) -> None:
    some = sorted(path for path in CORPUS.iterdir() if path.is_dir())[:3]
    for path in some:
        shutil.copytree(path, tmp_path / path.name)
    done = inspect(tmp_path, "--spec")
    names = [line for line in done.output.splitlines() if not line.startswith(" ")]
    assert names == [path.name for path in some]


@pytest.mark.parametrize(
    "program",
    [
        "",
        "SPEC = 7\n",
        "not python(",
        "SPEC = json.loads()\n",
        "SPEC, other = json.loads('{}'), 1\n",
    ],
)
def test_other_programs_carry_no_specification(program: str) -> None:
    assert spec_of(program) is None


def test_a_published_program_carries_its_specification() -> None:
    assert spec_of(published(SPEC)) == SPEC
    assert spec_of(published(SPEC).replace("SPEC =", "SPEC: Spec =")) == SPEC


def test_output_has_no_control_characters(folder: Path) -> None:
    words = "say \x1b]0;owned\x07 \u202e hi"
    spec = replace(SPEC, readings=(*SPEC.readings, Reading(words, SPEC.readings[0].promises)))
    (folder / "generator.py").write_text(published(spec))
    output = inspect(folder, "--spec").output
    assert "owned" in output
    assert not set(output) & set("\x1b\x07\u202e")


def test_release_without_problems_has_no_specifications(tmp_path: Path) -> None:
    assert list(specs_of_release(Release(tmp_path, {"configs": {}}))) == []
