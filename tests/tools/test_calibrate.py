"""python -m tools.calibrate: what is held out is not seen, and what becomes of it is counted by its label."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.building import read_entry
from tools.calibrate import calibrator
from tools.calibrate.__main__ import command
from tools.calibrate.calibrator import Calibrator, split
from tools.calibrate.figures import Calibration, Figures, HeldOutOutcome
from venus_toolkit.builders.plan import make_plan
from venus_toolkit.builders.quality import calibration
from venus_toolkit.builders.quality.score import Rate
from venus_toolkit.builders.sources import Entry
from venus_toolkit.core.errors import SandboxError, SourceError, UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Expectation

Write = Callable[[Path, Mapping[str, str | bytes]], Path]
PROBLEM = {
    "problem.toml": 'title = "Halves"\n[limits]\ncpu_s = 2\n',
    "statement.md": "Print half of n, rounded down.\n",
    "generator.py": "def generate(seed, size):\n    return f'{seed % 5 + 100 * (size == \"large\")}\\n'\n",
    **{f"solutions/python/right{n}.py": f"print(int(input()) // 2)  # {n}\n" for n in range(4)},
    "solutions/python/crashing.py": "n = int(input())\nprint(n // 2 if n < 100 else n[0])\n",
    "solutions/python/wrong_odd.py": "print(-(-int(input()) // 2))\n",
    "solutions/python/wrong_never.py": "n = int(input())\nprint(n // 2 if n < 10**9 else 0)\n",
    "solutions/python/slow_far.py": "n = int(input())\nfor _ in range(n * 400_000):\n    pass\nprint(n // 2)\n",
}
QUICK = {"tests": 10, "quality": {"mutants": 0, "held_out": 0, "reduce": False}}


@pytest.fixture
def source(tmp_path: Path, write_tree: Write) -> Path:
    write_tree(tmp_path / "source" / "halves", PROBLEM)
    return tmp_path / "source"


def entry_of(source: Path) -> Entry:
    return read_entry(source / "halves", load_languages())


def test_only_accepted_programs_are_shown(source: Path) -> None:
    entry = entry_of(source)
    found = split(entry, load_languages(), seed=0)
    shown = {each.solution_id for each in found.shown.solutions}
    assert {each.expected for each in found.shown.solutions} == {Expectation.ACCEPTED}
    assert len(shown) == 3, "half of five"
    assert {each.solution_id for each in entry.solutions} - shown == {
        each.solution_id for each in found.held_out
    }
    known = split(entry, load_languages(), seed=0, seen=True)
    assert known.held_out == found.held_out, "they are judged all the same"
    assert {each.expected for each in known.shown.solutions} > {Expectation.ACCEPTED}


def test_two_are_shown_where_there_are_two(source: Path) -> None:
    entry = entry_of(source)
    two = entry._replace(
        solutions=tuple(
            each for each in entry.solutions if "right" in each.code or "# " in each.code
        )[:2]
    )
    assert len(split(two, load_languages(), seed=0).shown.solutions) == 2


def test_what_becomes_of_what_was_held_out(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole: dict[str, bool] = {}

    def watched(*words: Any) -> calibrator.ProgramResult:
        whole[words[2].source] = words[-1]
        return tried(*words)

    tried = calibrator.try_program
    monkeypatch.setattr(calibrator, "try_program", watched)
    oracles = tmp_path / "oracles"
    oracles.mkdir()
    (oracles / "halves.py").write_text("def validate(stdin):\n    return int(stdin) < 100\n")
    # A seed by which the crashing program, said to be accepted, is held out.
    seed = next(
        seed
        for seed in range(99)
        if any(
            s.solution_id.endswith("crashing")
            for s in split(entry_of(source), load_languages(), seed).held_out
        )
    )
    plan = make_plan(source=str(source), seed=seed, **QUICK)
    said: list[tuple[Any, ...]] = []
    calibration_run = Calibrator(plan, load_languages(), oracles, lambda *words: said.append(words))
    (found,) = calibration_run.run(tmp_path / "work").problems
    assert calibration_run.run(tmp_path / "work").problems == (found,), (
        "what goes on knows the cost of what is finished"
    )
    assert said[:2] == [
        ("calibrate", 0, 1, "halves: making tests"),
        ("calibrate", 0, 1, "halves: program 1 of 5"),
    ]
    assert said[-1] == ("calibrate", 1, 1)
    outcomes = {each.name.rpartition("/")[2]: each for each in found.outcomes}
    assert (found.way, found.confidence) == ("own", 1.0)
    ends = {
        name: whole[PROBLEM[f"solutions/python/{name}.py"]]
        for name in ("slow_far", "wrong_odd", "crashing")
    }
    assert ends == {"slow_far": False, "wrong_odd": False, "crashing": True}, (
        "what is rejected once may take hours"
    )
    assert (outcomes["wrong_odd"].how, outcomes["wrong_odd"].few) == ("wrong_answer", True)
    assert (outcomes["wrong_never"].how, outcomes["wrong_never"].few) == ("accepted", False)
    assert outcomes["crashing"].how == "disputed", (
        "it crashes on large inputs only: generated ones of one family"
    )
    assert outcomes["slow_far"].how in ("slower", "time_limit")
    assert found.oracle_breaks is not None
    assert 0 < found.oracle_breaks < found.tests
    assert found.cpu_s > 0


def test_a_source_without_anything_to_hold_out(tmp_path: Path, write_tree: Write) -> None:
    write_tree(
        tmp_path / "source" / "halves",
        {name: text for name, text in PROBLEM.items() if "wrong" not in name},
    )
    for name in ("right1", "right2", "right3", "crashing"):
        (tmp_path / f"source/halves/solutions/python/{name}.py").unlink()
    (tmp_path / "source/halves/solutions/python/slow_far.py").unlink()
    with pytest.raises(SourceError, match="can be used for calibration"):
        Calibrator(make_plan(source=str(tmp_path / "source")), load_languages()).run(
            tmp_path / "work"
        )


def test_a_language_without_programs_is_a_usage_error(source: Path, tmp_path: Path) -> None:
    plan = make_plan(source=str(source), lang=("python", "go"))
    with pytest.raises(UsageError, match=r"no program of .* is in go") as error:
        Calibrator(plan, load_languages()).run(tmp_path / "work")
    assert "there are programs in python" in str(error.value)


def test_programs_on_which_the_sandbox_failed_are_counted_apart(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*words: Any) -> calibrator.ProgramResult:
        raise SandboxError("out of processes")

    monkeypatch.setattr(calibrator, "try_program", failing)
    plan = make_plan(source=str(source), **QUICK)
    calibration_run = Calibrator(plan, load_languages()).run(tmp_path / "work")
    facts = calibration_run.facts()
    assert (facts["sandbox_failed"], facts["not_judged"]) == (1, 5)
    for name in ("right_accepted", "wrong_rejected", "slow_exposed"):
        assert calibration_run.rate(name).n == 0
    assert "the sandbox failed on 5 programs" in calibration_run.markdown()


# ------------------------------------------------------------------ figures

FOUND = Calibration(
    (
        Figures("a", "derived", 0.9, True, 0, 40, 20, 0, (
            HeldOutOutcome("a/1", "wrong", "wrong_answer", True),
            HeldOutOutcome("a/2", "wrong", "time_limit", False),
            HeldOutOutcome("a/3", "wrong", "slower", False),
            HeldOutOutcome("a/4", "accepted", "time_limit", False),
            HeldOutOutcome("a/5", "slow", "slower", True),
            HeldOutOutcome("a/6", "accepted", "disputed", True),
            HeldOutOutcome("a/7", "accepted", "runtime_error", True),
        ), 12.0),
        Figures("b", reason="no | layout\nwas found"),
    )
)  # fmt: skip


def test_rates_go_by_what_programs_are_said_to_be() -> None:
    assert FOUND.rate("wrong_rejected") == Rate(2, 3)
    assert FOUND.rate("wrong_rejected_by_few") == Rate(1, 3)
    assert FOUND.rate("wrong_rejected_by_output") == Rate(1, 3)
    assert FOUND.rate("wrong_rejected_or_slower") == Rate(3, 3)
    assert FOUND.rate("slow_exposed") == Rate(1, 1)
    assert FOUND.rate("slow_over_the_limit") == Rate(0, 1)
    assert FOUND.rate("right_accepted") == Rate(0, 3)
    assert FOUND.rate("right_accepted_limits_apart") == Rate(1, 3)
    assert FOUND.rate("right_disputed") == Rate(1, 3)
    assert FOUND.rate("right_condemned") == Rate(1, 3)


def test_the_table_has_a_line_for_each_problem() -> None:
    lines = FOUND.markdown().splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert len({row.count("|") for row in rows}) == 1, rows
    assert any(
        row.startswith("| a | derived | 0.9 | yes | 40 | 20 | 2/3 | 1/3 | 1/1 | 0/3 | 0/20 | 12 |")
        for row in rows
    )
    assert any(row.startswith("| b | no / layout was found |") for row in rows)
    assert "- a/6: said to be accepted, is disputed" in lines


def test_what_ships_says_whether_the_recipe_is_still_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration, "RECORD", tmp_path / "calibration.json")
    assert calibration.shipped() is None
    calibration.RECORD.write_text(json.dumps(FOUND.record("python -m tools.calibrate x", "x")))
    kept = calibration.shipped()
    assert kept is not None
    assert (kept["wrong_rejected"]["hits"], kept["corpus"], kept["current"]) == (2, "x", True)
    calibration.RECORD.write_text(json.dumps({**kept, "recipe": "another"}))
    assert (calibration.shipped() or {})["current"] is False


def test_the_command_writes_the_table(source: Path, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text("tests = 5\n[quality]\nmutants = 0\nheld_out = 0\n")
    words = [str(source), "--plan", str(tmp_path / "plan.toml"), "--json"]
    words += [
        "--out",
        str(tmp_path / "out"),
        "--save",
        str(tmp_path / "saved.json"),
        "--corpus",
        "made up",
    ]
    done = CliRunner().invoke(command, words, catch_exceptions=False)
    assert done.exit_code == 0
    assert json.loads((tmp_path / "out" / "calibration.json").read_text())["problems"] == 1
    assert "| halves | own |" in (tmp_path / "out" / "calibration.md").read_text()
    assert json.loads((tmp_path / "saved.json").read_text())["corpus"] == "made up"
