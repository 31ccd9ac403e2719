"""Reports on real evaluations: a report reads the files that an evaluation writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.building import needs_isolation
from tests.eval.conftest import FAST, SLOW, WRONG, FinishedEvaluation, Posed

Cli = Callable[..., Any]
pytestmark = needs_isolation


def test_a_real_evaluation(cli: Cli, tmp_path: Path, evaluated: FinishedEvaluation) -> None:
    result = cli("report", evaluated.run, "--out", tmp_path / "out", "--json")
    assert result.exit_code == 0
    facts = json.loads(result.stdout)["facts"]
    scores = json.loads(evaluated.done.stdout)["scores"][0]
    assert facts["leaderboard"][0]["scores"] == scores
    assert facts["leaderboard"][0]["name"] == "replay:answers.jsonl"
    assert facts["notes"][0].startswith(
        "replay:answers.jsonl is partial: missing samples are not counted (1 unanswered"
    )
    text = (tmp_path / "out/report.html").read_text()
    assert "Diff against the best human solution" in text
    assert str(evaluated.run.parent) not in text


@pytest.mark.usefixtures("own_cache")
def test_a_real_evaluation_that_iterated(
    cli: Cli, tmp_path: Path, write_release: Callable[..., Any]
) -> None:
    write_release(tmp_path / "data", [Posed("sum-up"), Posed("add-all")])
    steps = [
        (title, *step) for title in ("sum-up", "add-all") for step in enumerate((SLOW, WRONG, FAST))
    ]
    lines = [
        json.dumps({"title": title, "iteration": number, "code": code})
        for title, number, code in steps
    ]
    (tmp_path / "answers.jsonl").write_text("\n".join(lines))
    words = ["--data", tmp_path / "data", "--lang", "python", "--iterations", "2", "--repeats", "2"]
    evaluated = cli(
        "eval",
        "--model",
        f"replay:{tmp_path / 'answers.jsonl'}",
        *words,
        "--out",
        tmp_path / "run",
        "--json",
    )
    assert evaluated.exit_code == 0, evaluated.stderr
    result = cli("report", tmp_path / "run", "--out", tmp_path / "out", "--json")
    assert result.exit_code == 0, result.stderr
    shown = json.loads(result.stdout)["facts"]["iterated"]
    iterations = json.loads(evaluated.stdout)["iterations"]
    assert [row["iteration"] for row in shown] == [0, 1, 2]
    for name in ("iteration", "public_passed", "decisions"):
        assert [row[name] for row in shown] == [row[name] for row in iterations], name
    assert [row["metrics"]["passed"][0] for row in shown] == [
        row["private"]["pass_at_1"][0] for row in iterations
    ]
    assert (tmp_path / "out/curves.png").stat().st_size > 0
