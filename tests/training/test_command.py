"""The command line of training, as far as it goes without TRL.

What is missing is said before anything is loaded.
"""

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
    """What `venus eval` says of one language, as far as a card takes it."""
    figures = {name: {"beyond": INTERVAL} for name in ("time", "memory")}
    score = {
        "by": "language",
        "name": "python",
        "pass_at_1": INTERVAL,
        "efficiency": {**figures, "integral": {"beyond": None}},
    }
    told = {
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
        "options": told,
        **changes,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def test_a_missing_set_says_what_to_type(cli: Callable[..., Any], tmp_path: Path) -> None:
    release = usual_release(tmp_path / "release")
    said = cli(
        "train", "sft", "--data", release.folder, "--lang", "python", "--out", tmp_path / "out"
    )
    assert said.exit_code == 2
    assert f"make it: venus derive sft {release.folder} --lang python" in said.stderr
    assert not (tmp_path / "out").exists()


def test_a_recipe_for_another_method(cli: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    said = cli("train", "dpo", "--data", folder, "--recipe", "sft-small", "--out", tmp_path / "out")
    assert said.exit_code == 2
    assert "type: venus train sft --recipe sft-small" in said.stderr


def test_a_chain_with_a_hole(cli: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    said = cli("train", "pipeline", "--data", folder, "--method", "dpo", "--out", tmp_path / "out")
    assert said.exit_code == 2
    assert "dpo starts from the sft model" in said.stderr


def test_a_name_that_cannot_be_pushed_to_is_refused_before_training(
    cli: Callable[..., Any], folder: Path, tmp_path: Path
) -> None:
    said = cli(
        "train", "sft", "--data", folder, "--push", "me/coder@1.0.0", "--out", tmp_path / "out"
    )
    assert said.exit_code == 2
    assert "type: --push me/coder" in said.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(find_spec("trl") is not None, reason="TRL is installed here")
def test_without_trl_it_says_what_to_install(
    cli: Callable[..., Any], folder: Path, tmp_path: Path
) -> None:
    said = cli("train", "sft", "--data", folder, "--out", tmp_path / "out")
    assert said.exit_code == 3
    assert "the extra train is not installed" in said.stderr
    assert "pip install 'venus-toolkit[train]'" in said.stderr


@pytest.mark.skipif(find_spec("trl") is not None, reason="TRL is installed here")
@pytest.mark.parametrize("method", ["sft", "grpo"])
def test_a_dry_run_without_trl_computes_what_it_can(
    cli: Callable[..., Any], folder: Path, method: str
) -> None:
    words = ("train", method, "--data", folder, "--max-steps", "7", "--dry-run")
    said = cli(*words)
    assert said.exit_code == 0, said.stderr
    rows, model, *why = said.stdout.splitlines()
    assert ", 7 steps of " in rows
    assert model.startswith("model      ")
    assert why[-1].strip() == "type: pip install 'venus-toolkit[train]'"
    as_json = json.loads(cli(*words, "--json").stdout)
    assert (as_json["steps"], as_json["rows"] > 0) == (7, True)
    assert "venus-toolkit[train]" in as_json["missing"]


def test_training_needs_a_folder(cli: Callable[..., Any], folder: Path) -> None:
    said = cli("train", "sft", "--data", folder)
    assert said.exit_code == 2
    assert "add --out build/sft, or --dry-run" in said.stderr


# ------------------------------------------------------------------ figures of an evaluation


def test_figures_come_with_their_interval_in_per_cent(tmp_path: Path) -> None:
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


def test_what_is_no_evaluation_is_refused(
    tmp_path: Path, cli: Callable[..., Any], folder: Path
) -> None:
    with pytest.raises(UsageError, match="is not an evaluation"):
        read_results(tmp_path)
    with pytest.raises(UsageError, match="is not an evaluation"):
        read_results(evaluation(tmp_path / "other", kind="release"))
    said = cli("train", "sft", "--data", folder, "--results", tmp_path, "--out", tmp_path / "out")
    assert said.exit_code == 2
