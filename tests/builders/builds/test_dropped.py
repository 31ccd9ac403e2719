"""Drops of a build and their reasons: problems, tests, solutions, missing toolchains."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders.builds.test_again import CPP_PLUS
from tests.building import SMALL, Shop, needs_cpp, needs_isolation
from venus_toolkit.builders import build as build_module
from venus_toolkit.cli.data.build import check_losses
from venus_toolkit.core.errors import MachineError, SandboxError, SourceError
from venus_toolkit.core.language import load_languages
from venus_toolkit.execution.machine.doctor import check_toolchain
from venus_toolkit.execution.sandbox import Compiled, Program
from venus_toolkit.execution.sandbox.local import LocalSandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

pytestmark = needs_isolation


def test_problem_below_threshold(shop: Shop) -> None:
    shop.problem("twice", {"solutions/python/wrong_one.py": "print(1)\n"})
    shop.problem(
        "poor", {"solutions/python/shift.py": None, "solutions/python/wrong_zero.py": "print(0)\n"}
    )
    manifest = shop.build(min_solutions=3)
    assert set(shop.rows()) == {"twice"}
    reason = "2 passing solutions in python, the threshold is 3"
    (row,) = shop.dropped
    assert (row["stage"], row["problem"], row["item"]) == ("threshold python", "poor", "poor")
    assert row["reason"] == f"{reason}: add solutions, or type --min-solutions 2"
    assert manifest["dropped"] == {"threshold python": {reason: 1}}


def test_problem_below_required_grade(shop: Shop) -> None:
    shop.problem(
        "twice",
        {
            f"solutions/python/wrong_{n}.py": f"print(int(input()) + {n})\n"
            for n in range(5000, 5004)
        },
    )
    shop.problem("thin")
    manifest = shop.build(tests=6, quality={"mutants": 0, "min_grade": "B"})
    assert set(shop.rows()) == {"twice"}
    (row,) = (row for row in shop.dropped if row["item"] == "thin")
    reason = "its tests have grade D, required is B: 0 wrong programs were tried"
    assert (row["stage"], row["reason"]) == ("quality", reason)
    assert manifest["quality"]["grades"] == {"A": 1}
    quality = json.loads(shop.rows()["twice"]["test_quality"])
    assert (quality["grade"], quality["caveats"]) == ("A", [])


def test_summary_without_remaining_problems(shop: Shop) -> None:
    shop.problem()
    done = shop.build_apart(
        "--lang", "python", "--tests", "2", "--repeats", "1", "--min-solutions", "50"
    )
    assert "Traceback" not in done.stderr
    assert shop.rows() == {}
    reason = "3 passing solutions in python, the threshold is 50"
    assert f"dropped    1 at threshold python: {reason}\n" in done.stdout
    assert [row["reason"] for row in shop.dropped] == [
        f"{reason}: add solutions, or type --min-solutions 3"
    ]


def test_mislabelled_solutions_are_reported(shop: Shop) -> None:
    programs = {
        "liar": "n = int(input())\nprint(n * n + 1)\n",
        "wrong_but_right": "print(2 * int(input()))\n",
        "slow_but_wrong": "print(5)\n",
        "unknown_guess": "print(7)\n",
    }
    shop.problem("twice", {f"solutions/python/{name}.py": code for name, code in programs.items()})
    unexpected = shop.build()["configs"]["python"]["unexpected"]
    assert set(unexpected) == {
        "twice/python/liar",
        "twice/python/wrong_but_right",
        "twice/python/slow_but_wrong",
    }
    assert unexpected["twice/python/liar"].startswith("labelled accepted, is wrong_answer: ")
    assert unexpected["twice/python/wrong_but_right"].startswith("labelled wrong, is accepted")
    assert unexpected["twice/python/slow_but_wrong"].startswith("labelled slow, is wrong_answer")
    assert shop.solutions()["wrong_but_right"]["time"] is not None
    (quarantined,) = [row for row in shop.dropped if row["stage"] == "quarantine"]
    assert quarantined["item"] == "twice/python/liar"
    assert "dissents from a clear majority on 4 of 4 tests" in quarantined["reason"]


def test_lesson_17_dissent_drops_the_test_by_name(shop: Shop) -> None:
    odd = "n = int(input())\nprint(0 if n == 1 else n * 2)\n"
    shop.problem("twice", {"solutions/python/odd_one_out.py": odd})
    manifest = shop.build(tests=20, quality={"reduce": False})
    (test,) = [row for row in shop.dropped if row["stage"] == "validate"]
    assert (test["item"], test["reason"]) == ("small-1", "canonical solutions disagree")
    assert test["detail"] == {"twice/python/odd_one_out": "line 1: expected '2', got '0'"}
    assert "1\n" not in [case["input"] for case in json.loads(shop.rows()["twice"]["test_cases"])]
    assert manifest["tests"].items() >= {"found": 20, "kept": 19, "dropped": 1}.items()
    assert shop.solutions()["odd_one_out"]["status"] == "accepted"


def test_lesson_9_no_tests_is_not_a_pass(shop: Shop) -> None:
    shop.problem()
    torn = {
        name: f"print({number})\n"
        for number, name in enumerate(shop.twice)
        if name.startswith("solutions")
    }
    shop.problem("torn", torn)
    shop.build()
    assert set(shop.rows()) == {"twice"}
    reasons = {row["item"]: row["reason"] for row in shop.dropped if row["problem"] == "torn"}
    assert reasons.pop("torn") == "no test is left"
    assert len(reasons) == 4
    assert set(reasons.values()) == {"canonical solutions disagree"}


def test_lesson_9_every_test_of_every_problem_dropped(shop: Shop) -> None:
    """The build fails, and its message names a file with the reasons."""
    shop.problem("twice", {"generator.py": "def generate(seed, size):\n    return 1 / 0\n"})
    done = shop.build_apart("--lang", "python", "--tests", "4")
    assert done.returncode == 2
    (log_file,) = re.findall(r"see (\S+)", done.stderr)
    assert "ZeroDivisionError" in Path(log_file).read_text()
    assert not (shop.out / "manifest.json").exists()


def test_slow_only_on_dropped_tests_passes(shop: Shop) -> None:
    """Only the remaining tests judge a solution."""
    slow = "n = int(input())\nwhile n < 3: pass\nprint(n * 2)\n"
    torn = "n = int(input())\nprint(n * 2 if n > 2 else -1)\n"
    programs = {"late": slow, "torn": torn, "other": torn.replace("-1", "-2")}
    changes: dict[str, str | None] = {
        f"solutions/python/{name}.py": code for name, code in programs.items()
    }
    changes["problem.toml"] = 'title = "Twice"\n[limits]\ncpu_s = 0.5\n'
    changes |= {f"solutions/python/{name}.py": None for name in ("shift", "plus")}
    changes["solutions/python/plus.py"] = torn.replace("-1", "-3")
    shop.problem("twice", changes)
    shop.build(tests=8)
    inputs = [int(case["input"]) for case in json.loads(shop.rows()["twice"]["test_cases"])]
    assert inputs
    assert min(inputs) >= 3
    assert shop.solutions()["late"]["status"] == "accepted"


def test_lesson_10_flaky_solution_has_null_figures(shop: Shop) -> None:
    flaky = "import os\nn = int(input())\nassert os.urandom(1)[0] < 128\nprint(2 * n)\n"
    shop.problem("twice", {"solutions/python/unknown_flaky.py": flaky})
    shop.build(tests=8, repeats=2)
    solution = shop.solutions()["unknown_flaky"]
    assert 0 not in [
        solution[name] for name in shop.measured - {"noise"} if not name.endswith("spread")
    ]


@needs_cpp
def test_compile_error(shop: Shop) -> None:
    """A program that does not compile casts no votes, so it drops no test."""
    shop.problem(
        "twice",
        {"solutions/python/broken.py": "print(\n", "solutions/cpp/broken.cpp": "int main( {}\n"},
    )
    manifest = shop.build(tests=12)
    broken = shop.solutions()["broken"]
    assert (broken["status"], broken["passed"], broken["time"]) == ("compile_error", False, None)
    assert "SyntaxError" in broken["reason"]
    assert "compile_error" in manifest["configs"]["python"]["unexpected"]["twice/python/broken"]
    quarantined = {row["item"] for row in shop.dropped if row["stage"] == "quarantine"}
    assert quarantined == {"twice/python/broken", "twice/cpp/broken"}
    assert manifest["tests"]["dropped"] == 0


def test_output_that_is_not_utf8(shop: Shop) -> None:
    raw = "import os\nos.write(1, b'\\xff\\xfe')\n"
    shop.problem(
        "twice", {"solutions/python/raw.py": raw, "solutions/python/wrong_raw.py": raw + "#\n"}
    )
    shop.build()
    assert {name: solution["status"] for name, solution in shop.solutions().items()} == {
        "raw": "wrong_answer", "wrong_raw": "wrong_answer", "times": "accepted", "plus": "accepted",
        "shift": "accepted",
    }  # fmt: skip
    assert "twice/python/raw" in [row["item"] for row in shop.dropped]


class Fragile(LocalSandbox):
    """A sandbox that fails on one program."""

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        if "int(input()) << 1" in program.source:
            raise SandboxError("the sandbox stopped", "on purpose", "type: venus doctor")
        return super().compile(program, cores)


def test_sandbox_failure_gives_no_verdict(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    shop.problem()
    monkeypatch.setattr(build_module, "open_sandbox", lambda *_: Fragile())
    manifest = shop.build()
    assert manifest["lost"] == {
        "problems": [], "solutions": ["twice/python/shift"], "share": 0.3333
    }  # fmt: skip
    assert "twice/python/shift" in caplog.text
    assert set(shop.solutions()) == {"times", "plus"}
    assert manifest["configs"]["python"]["verdicts"] == {"accepted": 2}
    assert {row["item"] for row in shop.dropped} == {"twice/python/shift"}
    assert all(
        "the sandbox failed 2 times: the sandbox stopped" in row["reason"] for row in shop.dropped
    )
    assert manifest["tests"].items() >= {"found": 4, "kept": 4, "dropped": 0}.items()


TRIPLE = {
    f"solutions/python/{name}.py": f"n = int(input())\nprint({cost})\n"
    for name, cost in {"times": "3 * n", "plus": "n + n + n", "shift": "n + 2 * n"}.items()
}


def test_problem_below_threshold_by_sandbox_failure_is_lost(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.problem()
    shop.problem("triple", TRIPLE)
    monkeypatch.setattr(build_module, "open_sandbox", lambda *_: Fragile())
    lost = shop.build(min_solutions=3)["lost"]
    assert lost == {"problems": ["twice"], "solutions": [], "share": 0.5}


@needs_cpp
def test_lost_share_counts_published_languages(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    more = {f"solutions/cpp/plus{n}.cpp": CPP_PLUS + f"// {n}\n" * n for n in range(8)}
    shop.problem("twice", more)
    monkeypatch.setattr(build_module, "open_sandbox", lambda *_: Fragile())
    assert shop.build()["lost"]["share"] == 0.3333
    lost = shop.build(lang=("cpp",), min_solutions=1)["lost"]
    assert lost == {"problems": [], "solutions": ["twice/python/shift"], "share": 0.0}


def test_irreproducible_large_inputs_are_published(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise SandboxError("the sandbox stopped", "on purpose", "type: venus doctor")

    shop.problem()
    monkeypatch.setattr("venus_toolkit.builders.stages.selecting.reproducible", fail)
    manifest = shop.build(large_inputs="reference", large_input_bytes=1)
    assert all(case["input"] for case in json.loads(shop.rows()["twice"]["test_cases"]))
    assert manifest["lost"] == {"problems": [], "solutions": [], "share": 0.0}
    assert {row["stage"] for row in shop.dropped} == {"sandbox"}


class Recovering(LocalSandbox):
    """A sandbox that fails on one program a few times, as on a busy machine."""

    def __init__(self, failures: int) -> None:
        super().__init__()
        self.failures = failures

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        if "int(input()) << 1" in program.source and self.failures:
            self.failures -= 1
            raise SandboxError("the sandbox stopped", "on purpose", "type: venus doctor")
        return super().compile(program, cores)


def test_sandbox_failure_is_retried_at_the_end(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.problem()
    sandbox = Recovering(2 * 1)  # one piece of work, retried once immediately
    monkeypatch.setattr(build_module, "open_sandbox", lambda *_: sandbox)
    manifest = shop.build()
    assert not sandbox.failures
    assert set(shop.solutions()) == {"times", "plus", "shift"}
    assert (manifest["dropped"], "lost" in manifest) == ({}, False)
    assert shop.dropped == []
    assert manifest["seconds"]["retry"] > 0


@pytest.mark.parametrize(("share", "exits"), [(0.1, False), (0.11, True)])
def test_losing_over_a_tenth_exits_with_3(share: float, exits: bool) -> None:
    check_losses({})
    lost = {"lost": {"problems": ["a"], "solutions": [], "share": share}}
    if not exits:
        check_losses(lost)
        return
    with pytest.raises(MachineError, match="11 % of the data are missing") as caught:
        check_losses(lost)
    assert caught.value.exit_code == 3


# ------------------------------------------------------------------ missing languages


@pytest.fixture
def without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that hides programs from PATH."""

    def hide(*hidden: str) -> None:
        folder = tmp_path / "path"
        folder.mkdir()
        for place in filter(Path.is_dir, map(Path, os.environ["PATH"].split(os.pathsep))):
            for program in place.iterdir():
                link = folder / program.name
                if program.name not in hidden and not link.is_symlink():
                    link.symlink_to(program)
        monkeypatch.setenv("PATH", str(folder))

    return hide


@needs_cpp
def test_missing_toolchain_of_chosen_language(shop: Shop, without: Callable[..., None]) -> None:
    shop.small()
    without("g++")
    done = shop.build_apart("--lang", "cpp", *SMALL)
    assert done.returncode == 3
    assert (
        done.stderr
        == "venus: C++ is not installed: g++ not found in PATH\n  type: apt-get install g++\n"
    )


def test_missing_toolchain_of_another_language(shop: Shop, without: Callable[..., None]) -> None:
    shop.problem("twice", {"solutions/cpp/plus.cpp": "int main() {}\n"})
    without("g++")
    done = shop.build_apart(
        "--lang", "python", "--tests", "2", "--repeats", "1", "--min-solutions", "1"
    )
    assert done.returncode == 0, done.stderr
    assert set(shop.manifest["lacking"]) == {"cpp"}
    assert "apt-get install g++" in shop.manifest["lacking"]["cpp"]
    assert "missing    cpp: C++ is not installed: g++ not found in PATH" in done.stdout
    assert set(shop.solutions()) == {"times", "plus", "shift"}


def test_language_missing_from_the_source(shop: Shop) -> None:
    if not check_toolchain(load_languages()["ruby"]).ok:
        pytest.skip("ruby is not installed")
    shop.problem()
    with pytest.raises(SourceError, match="the source has no solution in ruby"):
        shop.build(lang=("ruby",))
