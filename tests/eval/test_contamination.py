"""Training data on a model's card: the evaluated split is refused, vague cards are noted."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.building import needs_isolation
from tests.eval.conftest import FAST, Posed
from venus_toolkit.core.errors import UsageError
from venus_toolkit.dataset.card.model_card import ModelFacts, render_model_card
from venus_toolkit.dataset.release import Release
from venus_toolkit.eval.asking.contamination import examine, find_card, read_training
from venus_toolkit.eval.eval_options import EvalOptions

OPTIONS = EvalOptions("m", "me/Venus@v1.0.0", ("python",))
FACTS = ModelFacts("m", "sft", "base", "1", "me/Venus", "v1.0.0", {"python-sft": "time"})


def card(folder: Path, header: str) -> EvalOptions:
    """Write a card with this header; return options that name it."""
    file = folder / "README.md"
    file.write_text(f"---\n{header}---\n\n# m\n")
    return replace(OPTIONS, model_card=str(file))


def test_model_trained_on_the_split_is_refused(tmp_path: Path) -> None:
    options = card(tmp_path, "training_data:\n- {dataset: Me/Venus, config: python, split: test}\n")
    with pytest.raises(UsageError, match="was trained on the split test of me/Venus"):
        examine(options)
    assert "was trained on" in examine(replace(options, allow_contaminated=True))
    assert examine(replace(options, split="train")) == ""


def test_set_from_the_train_split_is_not_contamination(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(render_model_card(FACTS))
    options = replace(OPTIONS, model_card=str(tmp_path))
    assert read_training(tmp_path / "README.md") == [("me/Venus", "train")]
    assert examine(options) == ""
    with pytest.raises(UsageError, match="split train"):
        examine(replace(options, split="train"))


def test_a_card_that_names_no_split_is_passed_on(tmp_path: Path) -> None:
    options = card(tmp_path, "datasets:\n- other/set\n- me/Venus\n")
    assert "does not say which split" in examine(options)
    assert examine(replace(options, data="me/Other@v1.0.0")) == ""


def test_folder_is_recognised_by_its_name(tmp_path: Path) -> None:
    data = tmp_path / "Venus"
    data.mkdir()
    options = card(tmp_path, "training_data:\n- {dataset: venus, split: test}\n")
    with pytest.raises(UsageError, match="was trained on"):
        examine(replace(options, data=str(data)))


@pytest.mark.parametrize("kind", ["vllm:", "transformers:", ""])
def test_card_next_to_the_weights_is_read(tmp_path: Path, kind: str) -> None:
    model = replace(OPTIONS, model=f"{kind}{tmp_path}")
    assert find_card(model.model, model.model_card) is None
    (tmp_path / "README.md").write_text("# no header\n")
    assert find_card(model.model, model.model_card) == tmp_path / "README.md"
    assert examine(model) == ""


def test_invalid_cards(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no card"):
        examine(replace(OPTIONS, model_card=str(tmp_path / "none.md")))
    for header in ("training_data: me/Venus\n", "training_data:\n- split: test\n"):
        with pytest.raises(UsageError, match="cannot be read"):
            examine(card(tmp_path, header))
    (tmp_path / "README.md").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="cannot be read"):
        examine(replace(OPTIONS, model_card=str(tmp_path)))


@pytest.mark.isolation
@needs_isolation[1]
def test_contaminated_model_needs_a_flag(
    tmp_path: Path,
    cli: Callable[..., Any],
    write_release: Callable[..., Release],
    write_completions: Callable[..., Path],
) -> None:
    release = write_release(tmp_path / "data", [Posed("p")])
    model_card = card(tmp_path, "training_data:\n- {dataset: data, split: test}\n").model_card
    words = (
        "eval",
        "--model",
        f"replay:{write_completions(tmp_path / 'c.jsonl', {'p': [FAST]})}",
        "-l",
        "python",
    )
    words = (
        *words,
        "--data",
        release.folder,
        "--out",
        tmp_path / "run",
        "--model-card",
        model_card,
    )
    refused = cli(*words)
    assert (refused.exit_code, (tmp_path / "run").exists()) == (2, False)
    assert "--allow-contaminated" in refused.stderr
    done = cli(*words, "--allow-contaminated")
    assert done.exit_code == 0, done.stderr
    assert "CAUTION" in done.stdout
    assert (
        "was trained on"
        in json.loads((tmp_path / "run" / "manifest.json").read_text())["contamination"]
    )
