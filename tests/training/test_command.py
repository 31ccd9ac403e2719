"""The training command without TRL: errors are reported before anything is loaded."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.builders.derive.made import usual_release
from venus_toolkit.core.errors import UsageError
from venus_toolkit.dataset.card.evaluation_card import read_results

INTERVAL = [0.5, 0.25, 0.75, 0.95, 12]


def evaluation(folder: Path, **changes: Any) -> Path:
    """Write the parts of an evaluation's manifest that a card reads, for one language."""
    figures = {name: {"beyond": INTERVAL} for name in ("time", "memory")}
    score = {
        "by": "language",
        "name": "python",
        "pass_at_1": INTERVAL,
        "efficiency": {**figures, "integral": {"beyond": None}},
    }
    options = {
        "data": "me/Venus@1.0.0",
        "split": "test",
        "objective": "time",
        "samples": 1,
        "model": "mine",
    }
    folder.mkdir()
    manifest = {
        "kind": "evaluation",
        "scores": [{**score, "by": "all"}, score],
        "options": options,
        **changes,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def test_missing_set_names_the_command(cli: Callable[..., Any], tmp_path: Path) -> None:
    release = usual_release(tmp_path / "release")
    result = cli(
        "train", "sft", "--data", release.folder, "--lang", "python", "--out", tmp_path / "out"
    )
    assert result.exit_code == 2
    assert f"make it: venus derive sft {release.folder} --lang python" in result.stderr
    assert not (tmp_path / "out").exists()


def test_recipe_of_another_method_is_refused(
    cli: Callable[..., Any], folder: Path, tmp_path: Path
) -> None:
    result = cli(
        "train", "dpo", "--data", folder, "--recipe", "sft-small", "--out", tmp_path / "out"
    )
    assert result.exit_code == 2
    assert "type: venus train sft --recipe sft-small" in result.stderr


def test_chain_with_a_gap_is_refused(cli: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    result = cli(
        "train", "pipeline", "--data", folder, "--method", "dpo", "--out", tmp_path / "out"
    )
    assert result.exit_code == 2
    assert "dpo starts from the sft model" in result.stderr


def test_invalid_push_name_is_refused_before_training(
    cli: Callable[..., Any], folder: Path, tmp_path: Path
) -> None:
    result = cli(
        "train", "sft", "--data", folder, "--push", "me/coder@1.0.0", "--out", tmp_path / "out"
    )
    assert result.exit_code == 2
    assert "type: --push me/coder" in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(find_spec("trl") is not None, reason="TRL is installed here")
def test_missing_trl_names_the_install_command(
    cli: Callable[..., Any], folder: Path, tmp_path: Path
) -> None:
    result = cli("train", "sft", "--data", folder, "--out", tmp_path / "out")
    assert result.exit_code == 3
    assert "the extra train is not installed" in result.stderr
    assert "pip install 'venus-toolkit[train]'" in result.stderr


@pytest.mark.skipif(find_spec("trl") is not None, reason="TRL is installed here")
@pytest.mark.parametrize("method", ["sft", "grpo"])
def test_dry_run_works_without_trl(cli: Callable[..., Any], folder: Path, method: str) -> None:
    words = ("train", method, "--data", folder, "--max-steps", "7", "--dry-run")
    result = cli(*words)
    assert result.exit_code == 0, result.stderr
    rows, model, *reasons = result.stdout.splitlines()
    assert ", 7 steps of " in rows
    assert model.startswith("model      ")
    assert reasons[-1].strip() == "type: pip install 'venus-toolkit[train]'"
    as_json = json.loads(cli(*words, "--json").stdout)
    assert (as_json["steps"], as_json["rows"] > 0) == (7, True)
    assert "venus-toolkit[train]" in as_json["missing"]


def test_out_is_required(cli: Callable[..., Any], folder: Path) -> None:
    result = cli("train", "sft", "--data", folder)
    assert result.exit_code == 2
    assert "add --out build/sft, or --dry-run" in result.stderr


# ------------------------------------------------------------------ figures of an evaluation


def test_results_have_intervals_in_percent(tmp_path: Path) -> None:
    passed, time, memory = read_results(evaluation(tmp_path / "eval"))
    assert (passed.metric, passed.value, passed.interval, passed.n) == (
        "pass@1",
        50.0,
        (25.0, 75.0),
        12,
    )
    assert (passed.dataset, passed.revision, passed.config, passed.split) == (
        "me/Venus",
        "1.0.0",
        "python",
        "test",
    )
    assert [time.title, memory.title] == ["Beyond-T", "Beyond-M"]


def test_folder_without_evaluation_is_refused(
    tmp_path: Path, cli: Callable[..., Any], folder: Path
) -> None:
    with pytest.raises(UsageError, match="is not an evaluation"):
        read_results(tmp_path)
    with pytest.raises(UsageError, match="is not an evaluation"):
        read_results(evaluation(tmp_path / "other", kind="release"))
    result = cli("train", "sft", "--data", folder, "--results", tmp_path, "--out", tmp_path / "out")
    assert result.exit_code == 2
