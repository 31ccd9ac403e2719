"""python -m tools.calibrate: the choice of held-out programs, and their outcomes by label."""

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
    parts = split(entry, load_languages(), seed=0)
    shown = {solution.solution_id for solution in parts.shown.solutions}
    assert {solution.expected for solution in parts.shown.solutions} == {Expectation.ACCEPTED}
    assert len(shown) == 3, "half of five"
    assert {solution.solution_id for solution in entry.solutions} - shown == {
        solution.solution_id for solution in parts.held_out
    }
    seen = split(entry, load_languages(), seed=0, seen=True)
    assert seen.held_out == parts.held_out, "seen programs are judged all the same"
    assert {solution.expected for solution in seen.shown.solutions} > {Expectation.ACCEPTED}


def test_at_least_two_programs_are_shown(source: Path) -> None:
    entry = entry_of(source)
    accepted = [s for s in entry.solutions if "right" in s.code or "# " in s.code]
    two = entry._replace(solutions=tuple(accepted[:2]))
    assert len(split(two, load_languages(), seed=0).shown.solutions) == 2


def test_outcomes_of_held_out_programs(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole: dict[str, bool] = {}

    def record_whole(*words: Any) -> calibrator.ProgramResult:
        whole[words[2].source] = words[-1]
        return try_program(*words)

    try_program = calibrator.try_program
    monkeypatch.setattr(calibrator, "try_program", record_whole)
    oracles = tmp_path / "oracles"
    oracles.mkdir()
    (oracles / "halves.py").write_text("def validate(stdin):\n    return int(stdin) < 100\n")
    # A seed that holds out the crashing program, which is labelled accepted.
    seed = next(
        seed
        for seed in range(99)
        if any(
            s.solution_id.endswith("crashing")
            for s in split(entry_of(source), load_languages(), seed).held_out
        )
    )
    plan = make_plan(source=str(source), seed=seed, **QUICK)
    steps: list[tuple[Any, ...]] = []
    calibration_run = Calibrator(
        plan, load_languages(), oracles, lambda *words: steps.append(words)
    )
    (figures,) = calibration_run.run(tmp_path / "work").problems
    assert calibration_run.run(tmp_path / "work").problems == (figures,), (
        "a resumed run reads the cost from the journal"
    )
    assert steps[:2] == [
        ("calibrate", 0, 1, "halves: making tests"),
        ("calibrate", 0, 1, "halves: program 1 of 5"),
    ]
    assert steps[-1] == ("calibrate", 1, 1)
    outcomes = {outcome.name.rpartition("/")[2]: outcome for outcome in figures.outcomes}
    assert (figures.way, figures.confidence) == ("own", 1.0)
    runs_all_tests = {
        name: whole[PROBLEM[f"solutions/python/{name}.py"]]
        for name in ("slow_far", "wrong_odd", "crashing")
    }
    assert runs_all_tests == {"slow_far": False, "wrong_odd": False, "crashing": True}, (
        "all tests of a rejected program may take hours"
    )
    assert (outcomes["wrong_odd"].how, outcomes["wrong_odd"].few) == ("wrong_answer", True)
    assert (outcomes["wrong_never"].how, outcomes["wrong_never"].few) == ("accepted", False)
    assert outcomes["crashing"].how == "disputed", (
        "it crashes only on large inputs, which one family generates"
    )
    assert outcomes["slow_far"].how in ("slower", "time_limit")
    assert figures.oracle_breaks is not None
    assert 0 < figures.oracle_breaks < figures.tests
    assert figures.cpu_s > 0


def test_too_few_programs_are_a_source_error(tmp_path: Path, write_tree: Write) -> None:
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


def test_sandbox_failures_are_not_in_rates(
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

CALIBRATION = Calibration(
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


def test_rates_by_label() -> None:
    assert CALIBRATION.rate("wrong_rejected") == Rate(2, 3)
    assert CALIBRATION.rate("wrong_rejected_by_few") == Rate(1, 3)
    assert CALIBRATION.rate("wrong_rejected_by_output") == Rate(1, 3)
    assert CALIBRATION.rate("wrong_rejected_or_slower") == Rate(3, 3)
    assert CALIBRATION.rate("slow_exposed") == Rate(1, 1)
    assert CALIBRATION.rate("slow_over_the_limit") == Rate(0, 1)
    assert CALIBRATION.rate("right_accepted") == Rate(0, 3)
    assert CALIBRATION.rate("right_accepted_limits_apart") == Rate(1, 3)
    assert CALIBRATION.rate("right_disputed") == Rate(1, 3)
    assert CALIBRATION.rate("right_condemned") == Rate(1, 3)


def test_table_has_a_line_for_each_problem() -> None:
    lines = CALIBRATION.markdown().splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert len({row.count("|") for row in rows}) == 1, rows
    assert any(
        row.startswith("| a | derived | 0.9 | yes | 40 | 20 | 2/3 | 1/3 | 1/1 | 0/3 | 0/20 | 12 |")
        for row in rows
    )
    assert any(row.startswith("| b | no / layout was found |") for row in rows)
    assert "- a/6: labelled accepted, outcome disputed" in lines


def test_shipped_record_is_current_only_for_its_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration, "RECORD", tmp_path / "calibration.json")
    assert calibration.shipped() is None
    calibration.RECORD.write_text(
        json.dumps(CALIBRATION.record("python -m tools.calibrate x", "x"))
    )
    record = calibration.shipped()
    assert record is not None
    assert (record["wrong_rejected"]["hits"], record["corpus"], record["current"]) == (2, "x", True)
    calibration.RECORD.write_text(json.dumps({**record, "recipe": "another"}))
    assert (calibration.shipped() or {})["current"] is False


def test_command_writes_table_and_record(source: Path, tmp_path: Path) -> None:
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


def test_rewording_keeps_the_recipe(tmp_path: Path) -> None:
    module = tmp_path / "quality" / "choose.py"
    module.parent.mkdir()
    texts = {
        "first": '"""Choose."""\nimport re\n\nLIMIT = 3\n',
        "reworded": 'r"""Choose\n"tests"."""\n# Why\nfrom re import (\n  sub,\n)\n\nLIMIT = 3  # inputs\n',
        "changed": '"""Choose."""\nimport re\n\nLIMIT = 4\n',
    }
    digests = {}
    for name, text in texts.items():
        module.write_text(text)
        digests[name] = calibration.recipe.__wrapped__(tmp_path)
    assert digests["first"] == digests["reworded"] != digests["changed"]
