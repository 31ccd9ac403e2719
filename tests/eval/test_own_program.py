"""`venus optimize` on a user's own program, with tests in the layout of `venus run`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.building import needs_isolation
from tests.eval.conftest import FAST, SLOW, WRONG
from tests.model_server import serving
from venus_toolkit.cli.printing import printable
from venus_toolkit.eval.loop.own_program import difference

pytestmark = needs_isolation
# A win has to exceed the noise twice, so no other tests may run at the same time.
wins = pytest.mark.serial
NUMBERS = (10, 20, 600_000, 900_000)  # large enough that noise cannot hide a win


class Workspace:
    """A program, its tests, and the answers of a model."""

    def __init__(self, folder: Path, cli: Callable[..., Any]) -> None:
        self.folder, self.cli = folder, cli
        self.file = folder / "sums.py"
        self.file.write_text(SLOW)
        self.tests({f"{n}.in": f"{n}\n" for n in NUMBERS})

    def tests(self, files: dict[str, str], name: str = "tests") -> Path:
        place = self.folder / name
        place.mkdir(exist_ok=True)
        for file, text in files.items():
            (place / file).write_text(text)
        return place

    def answers(self, *codes: str) -> str:
        file = self.folder / "answers.jsonl"
        lines = [{"title": "sums", "iteration": n, "code": code} for n, code in enumerate(codes, 1)]
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return f"replay:{file}"

    def run(self, *words: object, tests: str = "tests") -> Any:
        return self.cli("optimize", self.file, "--tests", self.folder / tests, *words)


@pytest.fixture
def workspace(tmp_path: Path, cli: Callable[..., Any]) -> Workspace:
    return Workspace(tmp_path, cli)


@wins
def test_a_better_program_is_kept_with_its_diff(workspace: Workspace) -> None:
    model = workspace.answers(WRONG, FAST)
    result = workspace.run("--model", model, "-n", 2, "--out", workspace.folder / "run")
    assert result.exit_code == 0, result.stderr
    assert (workspace.folder / "run" / "best.py").read_text() == FAST.strip()
    assert "-for i in range(n + 1):" in result.stdout
    assert "private saved" in result.stdout
    assert "2 public, 2 private (split)" in result.stdout
    again = json.loads(
        workspace.run("--model", model, "-n", 2, "--out", workspace.folder / "run", "--json").stdout
    )
    assert [row["decision"] for row in again["iterations"]] == ["started", "failed", "accepted"]
    assert again["hacks"]["passed_public"] == again["hacks"]["improved_public"] == 1
    assert again["hacks"]["failed_held_out"] == again["hacks"]["not_improved_held_out"] == 0
    assert again["analysis"] == {}
    assert again["private"]["after"]["wall_ns"] < again["private"]["before"]["wall_ns"]
    assert again["best"] == {
        "iteration": 2, "passed": True, "refused": [], "file": "best.py", "diff": "best.diff", "changed": True,
    }  # fmt: skip
    assert workspace.file.read_text() == SLOW, "the file itself is unchanged"


def test_original_output_is_the_expected_one(workspace: Workspace) -> None:
    result = workspace.run("--model", workspace.answers(WRONG), "-n", 1, "--json")
    assert result.exit_code == 1, "nothing is better"
    summary = json.loads(result.stdout)
    (start, wrong) = summary["iterations"]
    assert (start["passed"], wrong["decision"]) == (True, "failed")
    assert (summary["best"]["changed"], summary["best"]["iteration"], summary["patch"]) == (
        False,
        0,
        "",
    )
    assert (workspace.folder / "sums.py.venus" / "best.py").read_text() == SLOW


def test_wrong_program_is_repaired(workspace: Workspace) -> None:
    workspace.file.write_text(WRONG)
    workspace.tests({f"{n}.out": f"{n * (n + 1) // 2}\n" for n in NUMBERS})
    summary = json.loads(
        workspace.run("--model", workspace.answers(FAST), "-n", 1, "--json").stdout
    )
    assert [row["decision"] for row in summary["iterations"]] == ["started", "accepted"]
    assert (summary["best"]["changed"], summary["best"]["passed"]) == (True, True)


@wins
def test_program_failing_private_tests_is_not_returned(workspace: Workspace) -> None:
    heart = "n = int(input())\nprint({800000: 320000400000, 20: 210}.get(n, 0))\n"
    private = workspace.tests({"p.in": "7\n"}, "private")
    words = ("--model", workspace.answers(heart), "-n", 1, "--private-tests", private)
    workspace.tests({"800000.in": "800000\n", "20.in": "20\n"}, "few")
    result = workspace.run(*words, "--analysis", "ceiling,correlation", tests="few")
    assert result.exit_code == 1
    assert "1 of 1 (100.0 %) answers that pass the public tests fail held-out ones" in result.stdout
    assert "analysis   ceiling, all (1 problem): iteration" in result.stdout
    assert "correlation of public and private savings: not known from 0 programs" in result.stdout
    assert "rejected   iteration 1 fails a private test" in result.stdout
    assert (workspace.folder / "sums.py.venus" / "best.py").read_text() == SLOW


@wins
def test_answers_are_cached_and_a_folder_has_one_program(workspace: Workspace) -> None:
    with serving([f"```python\n{FAST}```"]) as server:
        words = (
            "--model",
            "m",
            "--base-url",
            server.base_url,
            "-n",
            2,
            "--out",
            workspace.folder / "run",
        )
        first = workspace.run(*words)
        assert first.exit_code == 0, first.stderr
        assert len(server.asked) == 2
        assert "sum of" not in server.asked[0]["messages"][1]["content"]
        assert SLOW.strip() in server.asked[0]["messages"][1]["content"]
        assert workspace.run(*words).exit_code == 0
        assert len(server.asked) == 2
    workspace.file.write_text(FAST)
    refused = workspace.run(*words)
    assert (refused.exit_code, "another optimisation: program" in refused.stderr) == (2, True)


@wins
def test_silent_model_keeps_the_best_program(workspace: Workspace) -> None:
    """Control characters in a printed program must not reach the terminal."""
    wrote = f"# \x1b]0;owned\x07\x1b[2J\n{FAST}"
    result = workspace.run("--model", workspace.answers(wrote), "-n", 3)
    assert result.exit_code == 3
    assert "PARTIAL" in result.stdout
    assert "has no sample 0 of iteration 2" in result.stdout
    assert (workspace.folder / "sums.py.venus" / "best.py").read_text() == wrote.strip()
    assert "owned" in result.stdout
    assert "\x1b" not in result.stdout
    assert printable("a\tb\n\x1b[31m\u202e") == "a\tb\n\ufffd[31m\ufffd"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import random\nprint(random.random())\n", "prints a different output each time"),
        ("import nothing\n", "does not exit normally"),
    ],
)
def test_program_without_stable_output_is_refused(
    workspace: Workspace, code: str, reason: str
) -> None:
    workspace.file.write_text(code)
    result = workspace.run("--model", workspace.answers(FAST), "-n", 1)
    assert (result.exit_code, reason in result.stderr, ".out" in result.stderr) == (2, True, True)


@wins
def test_function_is_improved_in_its_runner(tmp_path: Path, cli: Callable[..., Any]) -> None:
    starter = "class Solution:\n    def total(self, n: int) -> int:\n        pass\n"
    (tmp_path / "starter.py").write_text(starter)
    workspace = Workspace(tmp_path, cli)
    slow = "s = 0\n        for i in range(n + 1):\n            s += i\n        return s"
    workspace.file.write_text(starter.replace("pass", slow))
    model = workspace.answers(starter.replace("pass", "return n * (n + 1) // 2"))
    result = workspace.run("--model", model, "-n", 1, "--starter", tmp_path / "starter.py")
    assert result.exit_code == 0, result.stdout + result.stderr


def test_bad_requests_have_clear_messages(workspace: Workspace) -> None:
    model = workspace.answers(FAST)
    for words, message in [
        (("--model", "m"), "--base-url"),
        (("--model", model, "--repeats", 1), "cannot decide which program is better"),
        (("--model", model, "--mode", "no-original"), "--about FILE"),
        (("--model", model, "--objective", "speed"), "expected one of time"),
        (("--model", model, "-n", 0), "iterations must be from 1 to 1000: got 0"),
        (("--model", "transformers:"), "names no model"),
    ]:
        result = workspace.run(*words)
        assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
    missing = workspace.run("--model", model, tests="nowhere")
    assert (missing.exit_code, "there is no such folder" in missing.stderr) == (2, True)


def test_a_diff_is_a_patch() -> None:
    assert (
        difference("a\nb", "a\nc", "f.py")
        == "--- a/f.py\n+++ b/f.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    )
    assert difference("a\n", "a", "f.py") == ""


def test_diff_splits_lines_only_at_newlines(tmp_path: Path) -> None:
    old, new = "x = 'a\x0cb\u2028c'\ny = 1\n", "x = 'a\x0cb\u2028d'\ny = 1\n"
    (tmp_path / "f.py").write_text(old)
    subprocess.run(
        ["git", "apply"], input=difference(old, new, "f.py"), text=True, cwd=tmp_path, check=True
    )
    assert (tmp_path / "f.py").read_text() == new
