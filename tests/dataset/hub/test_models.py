"""A model on the Hub: one commit with card and weights, no repeated uploads, and user edits are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.dataset.hub.faults import Fault
from tests.dataset.hub.routes import Hub
from venus_toolkit.core.errors import HubError, UsageError
from venus_toolkit.dataset.card.model_card import ModelFacts, ReportedResult, render_model_card
from venus_toolkit.dataset.hub.model_repository import push_model
from venus_toolkit.training.trainer.run_directory import RunDirectory
from venus_toolkit.training.trainer.training_card import push, update_card

NAME = "venus/small-coder"


def card(there: str) -> str:
    return render_model_card(
        ModelFacts(NAME, "sft", "base/model", "abc", "venus/Venus", "v1.0.0"), there
    )


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The folder of a trained model, with weights, tokenizer, adapters, and files that are not uploaded."""
    folder = tmp_path / "model"
    for name in ("model.safetensors", "adapter/adapter_model.safetensors"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode() * 100)
    for name in (
        "config.json",
        "tokenizer.json",
        "training.json",
        "metrics.jsonl",
        "chat_template.jinja",
    ):
        (folder / name).write_text("{}")
    (folder / "checkpoints/checkpoint-3").mkdir(parents=True)
    (folder / "checkpoints/checkpoint-3/model.safetensors").write_bytes(b"half")
    (folder / ".venus").mkdir()
    (folder / ".venus/run.json").write_text("{}")
    (folder / "notes.py").write_text("print('mine')")
    return folder


def test_a_model_is_one_commit_with_its_card(hub: Hub, model: Path) -> None:
    done = push_model(model, NAME, card)
    repo = hub.storage.repos[NAME]
    assert (done.status, done.commit, done.url) == ("pushed", repo.head.oid, f"{hub.url}/{NAME}")
    assert len(repo.commits) == 2  # the first one is the Hub's initial commit
    assert set(repo.head.tree) - {".gitattributes"} == {
        "README.md", "model.safetensors", "adapter/adapter_model.safetensors", "config.json", "tokenizer.json",
        "training.json", "metrics.jsonl", "chat_template.jinja",
    }  # fmt: skip
    assert b"base_model: base/model" in repo.read(repo.head.tree["README.md"])


def test_unchanged_model_sends_nothing(hub: Hub, model: Path) -> None:
    push_model(model, NAME, card)
    sent, commits = hub.uploaded_bytes, len(hub.storage.repos[NAME].commits)
    assert push_model(model, NAME, card).status == "unchanged"
    assert (hub.uploaded_bytes, len(hub.storage.repos[NAME].commits)) == (sent, commits)


def test_edits_stay_and_stale_weights_are_removed(hub: Hub, model: Path) -> None:
    push_model(model, NAME, card)
    repo = hub.storage.repos[NAME]
    text = repo.read(repo.head.tree["README.md"]).decode() + "\n## Mine\n\nWritten by hand.\n"
    people = {
        "README.md": text.encode(),
        "model-00001-of-00002.safetensors": b"old",
        "photo.txt": b"theirs",
    }
    repo.save("refs/heads/main", "by hand", "", {**repo.head.tree, **repo.put(people)})
    (model / "config.json").write_text('{"new": true}')
    assert push_model(model, NAME, card).status == "pushed"
    tree = repo.head.tree
    assert b"Written by hand." in repo.read(tree["README.md"])
    assert "model-00001-of-00002.safetensors" not in tree
    assert "photo.txt" in tree


def test_lost_answer_makes_no_second_commit(hub: Hub, model: Path, waits: list[float]) -> None:
    push_model(model, NAME, card)
    (model / "config.json").write_text('{"new": true}')
    hub.faults.add(Fault("POST", "/commit/", lost=True))
    assert push_model(model, NAME, card).status == "pushed"
    assert len(hub.storage.repos[NAME].commits) == 3


def test_folder_without_weights_is_refused(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="holds no model"):
        push_model(tmp_path / "empty", NAME, card)


def test_a_version_is_refused(hub: Hub, model: Path) -> None:
    with pytest.raises(UsageError, match="names a version"):
        push_model(model, f"{NAME}@1.0.0", card)


def test_foreign_name_is_refused(hub: Hub, model: Path) -> None:
    with pytest.raises(HubError, match="cannot"):
        push_model(model, "other/coder", card)


def test_a_trained_model_takes_its_card_along(hub: Hub, model: Path) -> None:
    recipe = {"method": "sft", "seed": 7, "learning_rate": 1e-4, "lora": {"r": 4}}
    data = {
        "name": "venus/Venus",
        "revision": "v1.0.0",
        "languages": ["cpp"],
        "splits": {"cpp-sft": ["time"]},
    }
    facts: dict[str, Any] = {
        "recipe": recipe, "data": data, "base": {"name": "base/model@main", "revision": "abc"}, "rows": 9, "steps": 3,
        "overlong": 0, "resumed_from": 0, "seconds": 1.5, "command": "venus train sft",
        "notes": ["Three steps."], "environment": {"torch": "2"},
    }  # fmt: skip
    (model / "README.md").write_text("# Mine\n\nWritten before it was sent.\n")
    trained = RunDirectory(model, None).trained(facts, log=())
    found = ReportedResult(
        "pass@1", 50.0, "venus/Venus", "v1.0.0", "cpp", interval=(25.0, 75.0), args={"samples": 1}
    )
    update_card(trained, (found,))
    assert push(trained, NAME).status == "pushed"
    repo = hub.storage.repos[NAME]
    text = repo.read(repo.head.tree["README.md"]).decode()
    for part in (
        "Written before it was sent.",
        "base_model: base/model\n",
        "| lora.r | 4 |",
        "25.0 to 75.0",
        "Three steps.",
    ):
        assert part in text
