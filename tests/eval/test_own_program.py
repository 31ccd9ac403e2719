"""`venus optimize`: somebody's own program, with tests as `venus run` reads them."""

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
# A win has to be seen twice beyond the noise: not with other tests beside it.
wins = pytest.mark.serial
NUMBERS = (10, 20, 600_000, 900_000)  # large enough for a win that no noise hides


class SelectionContext:
    """A program, its tests, and what a model answered."""

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
def bench(tmp_path: Path, cli: Callable[..., Any]) -> SelectionContext:
    return SelectionContext(tmp_path, cli)


@wins
def test_a_better_program_is_kept_with_its_diff(bench: SelectionContext) -> None:
    model = bench.answers(WRONG, FAST)
    said = bench.run("--model", model, "-n", 2, "--out", bench.folder / "run")
    assert said.exit_code == 0, said.stderr
    assert (bench.folder / "run" / "best.py").read_text() == FAST.strip()
    assert "-for i in range(n + 1):" in said.stdout
    assert "private saved" in said.stdout
    assert "2 public, 2 private (split)" in said.stdout
    again = json.loads(
        bench.run("--model", model, "-n", 2, "--out", bench.folder / "run", "--json").stdout
    )
    assert [row["decision"] for row in again["iterations"]] == ["started", "failed", "accepted"]
    assert again["hacks"]["passed_public"] == again["hacks"]["improved_public"] == 1
    assert again["hacks"]["failed_held_out"] == again["hacks"]["not_improved_held_out"] == 0
    assert again["analysis"] == {}
    assert again["private"]["after"]["wall_ns"] < again["private"]["before"]["wall_ns"]
    assert again["best"] == {
        "iteration": 2, "passed": True, "refused": [], "file": "best.py", "diff": "best.diff", "changed": True,
    }  # fmt: skip
    assert bench.file.read_text() == SLOW, "the file itself is left alone"


def test_what_the_program_prints_now_is_what_is_expected(bench: SelectionContext) -> None:
    said = bench.run("--model", bench.answers(WRONG), "-n", 1, "--json")
    assert said.exit_code == 1, "nothing is better"
    found = json.loads(said.stdout)
    (start, wrong) = found["iterations"]
    assert (start["passed"], wrong["decision"]) == (True, "failed")
    assert (found["best"]["changed"], found["best"]["iteration"], found["patch"]) == (False, 0, "")
    assert (bench.folder / "sums.py.venus" / "best.py").read_text() == SLOW


def test_a_wrong_program_is_mended(bench: SelectionContext) -> None:
    bench.file.write_text(WRONG)
    bench.tests({f"{n}.out": f"{n * (n + 1) // 2}\n" for n in NUMBERS})
    found = json.loads(bench.run("--model", bench.answers(FAST), "-n", 1, "--json").stdout)
    assert [row["decision"] for row in found["iterations"]] == ["started", "accepted"]
    assert (found["best"]["changed"], found["best"]["passed"]) == (True, True)


@wins
def test_what_fails_a_private_test_is_not_handed_out(bench: SelectionContext) -> None:
    heart = "n = int(input())\nprint({800000: 320000400000, 20: 210}.get(n, 0))\n"
    private = bench.tests({"p.in": "7\n"}, "private")
    words = ("--model", bench.answers(heart), "-n", 1, "--private-tests", private)
    bench.tests({"800000.in": "800000\n", "20.in": "20\n"}, "few")
    said = bench.run(*words, "--analysis", "ceiling,correlation", tests="few")
    assert said.exit_code == 1
    assert "1 of 1 (100.0 %) answers that pass the public tests fail held-out ones" in said.stdout
    assert "analysis   ceiling, all (1 problem): iteration" in said.stdout
    assert "correlation of public and private savings: not known from 0 programs" in said.stdout
    assert "refused    iteration 1 fails a private test" in said.stdout
    assert (bench.folder / "sums.py.venus" / "best.py").read_text() == SLOW


@wins
def test_nothing_is_asked_twice_and_a_folder_is_one_programs(bench: SelectionContext) -> None:
    with serving([f"```python\n{FAST}```"]) as server:
        words = (
            "--model",
            "m",
            "--base-url",
            server.base_url,
            "-n",
            2,
            "--out",
            bench.folder / "run",
        )
        first = bench.run(*words)
        assert first.exit_code == 0, first.stderr
        assert len(server.asked) == 2
        assert "sum of" not in server.asked[0]["messages"][1]["content"]
        assert SLOW.strip() in server.asked[0]["messages"][1]["content"]
        assert bench.run(*words).exit_code == 0
        assert len(server.asked) == 2
    bench.file.write_text(FAST)
    refused = bench.run(*words)
    assert (refused.exit_code, "another optimisation: program" in refused.stderr) == (2, True)


@wins
def test_a_model_that_says_nothing_leaves_what_was_found(bench: SelectionContext) -> None:
    """What it wrote before does not steer the terminal."""
    wrote = f"# \x1b]0;owned\x07\x1b[2J\n{FAST}"
    said = bench.run("--model", bench.answers(wrote), "-n", 3)
    assert said.exit_code == 3
    assert "PARTIAL" in said.stdout
    assert "has no sample 0 of iteration 2" in said.stdout
    assert (bench.folder / "sums.py.venus" / "best.py").read_text() == wrote.strip()
    assert "owned" in said.stdout
    assert "\x1b" not in said.stdout
    assert printable("a\tb\n\x1b[31m\u202e") == "a\tb\n\ufffd[31m\ufffd"


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import random\nprint(random.random())\n", "prints something else each time"),
        ("import nothing\n", "does not exit normally"),
    ],
)
def test_a_program_that_says_nothing_about_what_is_right(
    bench: SelectionContext, code: str, why: str
) -> None:
    bench.file.write_text(code)
    said = bench.run("--model", bench.answers(FAST), "-n", 1)
    assert (said.exit_code, why in said.stderr, ".out" in said.stderr) == (2, True, True)


@wins
def test_a_function_is_bettered_in_its_runner(tmp_path: Path, cli: Callable[..., Any]) -> None:
    starter = "class Solution:\n    def total(self, n: int) -> int:\n        pass\n"
    (tmp_path / "starter.py").write_text(starter)
    bench = SelectionContext(tmp_path, cli)
    slow = "s = 0\n        for i in range(n + 1):\n            s += i\n        return s"
    bench.file.write_text(starter.replace("pass", slow))
    model = bench.answers(starter.replace("pass", "return n * (n + 1) // 2"))
    said = bench.run("--model", model, "-n", 1, "--starter", tmp_path / "starter.py")
    assert said.exit_code == 0, said.stdout + said.stderr


def test_bad_requests_are_refused_in_sentences(bench: SelectionContext) -> None:
    model = bench.answers(FAST)
    for words, said in [
        (("--model", "m"), "--base-url"),
        (("--model", model, "--repeats", 1), "cannot decide which program is better"),
        (("--model", model, "--mode", "no-original"), "--about FILE"),
        (("--model", model, "--objective", "speed"), "known are time"),
        (("--model", model, "-n", 0), "iterations must be from 1 to 1000: got 0"),
        (("--model", "transformers:"), "names no model"),
    ]:
        found = bench.run(*words)
        assert (found.exit_code, said in found.stderr) == (2, True), found.stderr
    missing = bench.run("--model", model, tests="nowhere")
    assert (missing.exit_code, "there is no such folder" in missing.stderr) == (2, True)


def test_a_diff_is_a_patch() -> None:
    assert (
        difference("a\nb", "a\nc", "f.py")
        == "--- a/f.py\n+++ b/f.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    )
    assert difference("a\n", "a", "f.py") == ""


def test_a_diff_applies_whatever_ends_a_line_elsewhere(tmp_path: Path) -> None:
    old, new = "x = 'a\x0cb\u2028c'\ny = 1\n", "x = 'a\x0cb\u2028d'\ny = 1\n"
    (tmp_path / "f.py").write_text(old)
    subprocess.run(
        ["git", "apply"], input=difference(old, new, "f.py"), text=True, cwd=tmp_path, check=True
    )
    assert (tmp_path / "f.py").read_text() == new
