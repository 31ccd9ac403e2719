"""python -m tools.compile_survey: counts by language, and errors without details of one program."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from tools.compile_survey import command
from venus_toolkit.execution.machine.doctor import why_not_isolated

PROBLEM = why_not_isolated()
pytestmark = pytest.mark.skipif(
    PROBLEM is not None, reason=f"programs cannot be isolated: {PROBLEM}"
)
Tree = Callable[[Path, Mapping[str, str | bytes]], Path]
FILES = {
    "sum/problem.toml": "title = 'Sum'\n[standards]\ncpp = 'gnu++14'\n",
    "sum/statement.md": "Print the sum.\n",
    "sum/solutions/cpp/old.cpp": "int main() { register int a = 0; return a; }\n",
    "sum/solutions/cpp/unknown.cpp": "int main() { return a1; }\n",
    "sum/solutions/cpp/missing.cpp": "\n\nint main() { return b22; }\n",
    "sum/solutions/cpp/wrong_a.cpp": "nothing that compiles\n",
    "sum/solutions/python/a.py": "print(1)\n",
    "sum/solutions/python/b.py": "print 1\n",
    "twice/problem.toml": "title = 'Twice'\nstyle = 'function'\n",
    "twice/statement.md": "Return 2n.\n",
    "twice/starter/python.py": "class Solution:\n    def twice(self, n: int) -> int:\n        pass\n",
    "twice/solutions/python/a.py": "class Solution:\n    def twice(self, n: int) -> int:\n        return 2 * n\n",
    "unclear/problem.toml": "title = 'Unclear'\nstyle = 'function'\n",
    "unclear/statement.md": "Return something.\n",
    "unclear/solutions/python/a.py": "class Solution:\n    def any(self, n):\n        return n\n",
}


def survey(*words: str) -> str:
    """Return the standard output of the command."""
    return CliRunner().invoke(command, words, catch_exceptions=False).stdout


def test_share_of_programs_that_compile(write_tree: Tree, tmp_path: Path) -> None:
    source = write_tree(tmp_path / "mine", FILES)
    counts = json.loads(survey(str(source), "--json"))
    assert {name: (row["programs"], row["compile"]) for name, row in counts.items()} == {
        "cpp": (3, 1), "python": (4, 2),
    }  # fmt: skip
    assert sum(counts["cpp"]["reasons"].values()) == 2
    assert all(reason.startswith("error: ") for reason in counts["cpp"]["reasons"]), (
        "without the location"
    )
    assert any(reason.startswith("no runner: ") for reason in counts["python"]["reasons"])
    text = survey(str(source), "--lang", "python", "--limit", "2")
    assert text.splitlines()[0] == "python       1 of 2 compile: 50.0%"


def test_source_without_accepted_programs(write_tree: Tree, tmp_path: Path) -> None:
    files = {
        name: text
        for name, text in FILES.items()
        if name.startswith("sum/") and "solutions" not in name
    }
    source = write_tree(
        tmp_path / "mine", {**files, "sum/solutions/cpp/wrong_a.cpp": "int main() {}\n"}
    )
    assert "no programs labelled as accepted" in survey(str(source))


def test_runner_from_starter_code_in_another_language(write_tree: Tree, tmp_path: Path) -> None:
    files = {name: text for name, text in FILES.items() if name.startswith("twice/")}
    cpp = "class Solution {\npublic:\n    int twice(int n) { return 2 * n; }\n};\n"
    source = write_tree(tmp_path / "mine", {**files, "twice/solutions/cpp/a.cpp": cpp})
    text = survey(str(source), "--lang", "cpp")
    assert text == "cpp          1 of 1 compile: 100.0%\n"
