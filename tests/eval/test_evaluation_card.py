"""The card of an evaluation: the numbers that venus eval printed, in the Hub's own form, no path of this machine."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import EvalResult, ModelCardData, RepoCard

from tests.building import needs_isolation
from tests.eval.conftest import Evaluated
from venus_toolkit.core.errors import UsageError
from venus_toolkit.dataset.card.evaluation_card import card_of, is_evaluation

pytestmark = needs_isolation


@pytest.fixture
def run(tmp_path: Path, evaluated: Evaluated) -> Path:
    """A copy of a finished evaluation, to write a card into."""
    return Path(shutil.copytree(evaluated.run, tmp_path / "run"))


def results_of(card: Path) -> dict[str, EvalResult]:
    """What the Hub's own parser finds in the header."""
    data = ModelCardData(**RepoCard.load(card).data.to_dict(), ignore_metadata_errors=False)
    return {result.metric_type: result for result in data.eval_results or []}


def test_the_card_says_what_the_evaluation_found(
    cli: Callable[..., Any], evaluated: Evaluated, run: Path
) -> None:
    done = cli("card", run)
    assert done.exit_code == 0, done.stderr
    assert "is written" in done.stdout
    assert "is up to date" in cli("card", run).stdout
    scores = json.loads((run / "manifest.json").read_text())["scores"][0]
    found = results_of(run / "README.md")
    assert {
        "pass@1",
        "beyond_time",
        "beyond_memory",
        "beyond_integral",
        "enamel_eff@1",
        "pie_opt",
    } <= set(found)
    assert found["enamel_eff@1"].metric_value == pytest.approx(
        scores["published"]["eff@1"], abs=1e-3
    )
    assert found["evalperf_dps"].metric_value == pytest.approx(
        100 * scores["published"]["dps"], abs=1e-3
    )
    assert found["pass@1"].metric_value == pytest.approx(100 * scores["pass_at_1"][0], abs=0.01)
    assert found["beyond_time"].metric_value == pytest.approx(
        100 * scores["efficiency"]["time"]["beyond"][0], abs=0.01
    )
    assert (found["pass@1"].dataset_type, found["pass@1"].dataset_config) == ("data", "python")
    text = (run / "README.md").read_text()
    assert "**Partial**" in text
    assert str(evaluated.run.parent) not in text


def test_what_people_wrote_stays(cli: Callable[..., Any], run: Path) -> None:
    cli("card", run)
    with (run / "README.md").open("a") as card:
        card.write("\nOur own words.\n")
    assert "is up to date" in cli("card", run).stdout
    assert "Our own words." in card_of(run)


def test_the_intervals_of_the_paper_are_said_to_be_too_narrow(run: Path) -> None:
    assert "too narrow" not in card_of(run)
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["options"]["intervals"] = "paper"
    (run / "manifest.json").write_text(json.dumps(manifest))
    assert "are too narrow: more draws" in card_of(run).replace("\n", " ")


def test_what_is_no_evaluation(cli: Callable[..., Any], tmp_path: Path, run: Path) -> None:
    assert not is_evaluation(tmp_path)
    with pytest.raises(UsageError, match="is not an evaluation"):
        card_of(tmp_path)
    assert cli("card", run, "--check").exit_code == 2


@pytest.mark.parametrize(
    "broken", [{"kind": "evaluation"}, {"kind": "evaluation", "options": [], "scores": []}]
)
def test_a_manifest_that_lacks_what_it_should_have(tmp_path: Path, broken: dict[str, Any]) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(broken))
    with pytest.raises(UsageError, match="cannot be read"):
        card_of(tmp_path)
