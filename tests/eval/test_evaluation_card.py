"""The card of an evaluation has the printed numbers in the Hub's format, and no local paths."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import EvalResult, ModelCardData, RepoCard

from tests.building import needs_isolation
from tests.eval.conftest import FinishedEvaluation
from venus_toolkit.core.errors import UsageError
from venus_toolkit.dataset.card.evaluation_card import card_of, is_evaluation

pytestmark = needs_isolation


@pytest.fixture
def run(tmp_path: Path, evaluated: FinishedEvaluation) -> Path:
    """Return a copy of a finished evaluation, to write a card into."""
    return Path(shutil.copytree(evaluated.run, tmp_path / "run"))


def results_of(card: Path) -> dict[str, EvalResult]:
    """Return the results in the header, by the Hub's own parser."""
    data = ModelCardData(**RepoCard.load(card).data.to_dict(), ignore_metadata_errors=False)
    return {result.metric_type: result for result in data.eval_results or []}


def test_card_has_the_results_of_the_evaluation(
    cli: Callable[..., Any], evaluated: FinishedEvaluation, run: Path
) -> None:
    done = cli("card", run)
    assert done.exit_code == 0, done.stderr
    assert "is written" in done.stdout
    assert "is up to date" in cli("card", run).stdout
    scores = json.loads((run / "manifest.json").read_text())["scores"][0]
    results = results_of(run / "README.md")
    assert {
        "pass@1",
        "beyond_time",
        "beyond_memory",
        "beyond_integral",
        "enamel_eff@1",
        "pie_opt",
    } <= set(results)
    assert results["enamel_eff@1"].metric_value == pytest.approx(
        scores["published"]["eff@1"], abs=1e-3
    )
    assert results["evalperf_dps"].metric_value == pytest.approx(
        100 * scores["published"]["dps"], abs=1e-3
    )
    assert results["pass@1"].metric_value == pytest.approx(100 * scores["pass_at_1"][0], abs=0.01)
    assert results["beyond_time"].metric_value == pytest.approx(
        100 * scores["efficiency"]["time"]["beyond"][0], abs=0.01
    )
    assert (results["pass@1"].dataset_type, results["pass@1"].dataset_config) == ("data", "python")
    text = (run / "README.md").read_text()
    assert "**Partial**" in text
    assert str(evaluated.run.parent) not in text


def test_existing_card_text_is_kept(cli: Callable[..., Any], run: Path) -> None:
    cli("card", run)
    with (run / "README.md").open("a") as card:
        card.write("\nOur own words.\n")
    assert "is up to date" in cli("card", run).stdout
    assert "Our own words." in card_of(run)


def test_paper_intervals_carry_a_warning(run: Path) -> None:
    assert "too narrow" not in card_of(run)
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["options"]["intervals"] = "paper"
    (run / "manifest.json").write_text(json.dumps(manifest))
    assert "are too narrow: they cover" in card_of(run).replace("\n", " ")


def test_folder_without_an_evaluation_is_refused(
    cli: Callable[..., Any], tmp_path: Path, run: Path
) -> None:
    assert not is_evaluation(tmp_path)
    with pytest.raises(UsageError, match="is not an evaluation"):
        card_of(tmp_path)
    assert cli("card", run, "--check").exit_code == 2


@pytest.mark.parametrize(
    "broken", [{"kind": "evaluation"}, {"kind": "evaluation", "options": [], "scores": []}]
)
def test_incomplete_manifest_is_refused(tmp_path: Path, broken: dict[str, Any]) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(broken))
    with pytest.raises(UsageError, match="cannot be read"):
        card_of(tmp_path)
