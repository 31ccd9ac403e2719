"""The prompt form follows the training noted on a model's card, unless flags override it."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.building import needs_isolation
from tests.eval.conftest import FAST, Posed
from tests.model_server import serving
from venus_toolkit.builders.derive.derive_options import make_derive_options
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.store import MANIFEST, Store
from venus_toolkit.dataset.card.model_card import ModelFacts, render_model_card
from venus_toolkit.dataset.parquet import write_rows
from venus_toolkit.dataset.release import Release
from venus_toolkit.eval.asking.prompting import follow_card
from venus_toolkit.models.prompts import PromptRequest, render_prompt
from venus_toolkit.training.trainer.data import open_set

PYTHON = load_languages()["python"]
SYSTEM = render_prompt(PromptRequest(PYTHON, "", "time"))[0].content


def model(folder: Path, **prompting: Any) -> str:
    folder.mkdir(parents=True)
    options = {
        "form": "thinking",
        "objectives": ["memory"],
        "system": SYSTEM,
        "templates": "",
        **prompting,
    }
    (folder / "README.md").write_text(
        render_model_card(ModelFacts("m", "grpo", "b", "1", "d", "v1", prompting=options))
    )
    return f"vllm:{folder}"


def test_card_settings_are_used_with_a_note(tmp_path: Path) -> None:
    assert follow_card(model(tmp_path / "m"), (PYTHON,)) == (
        "thinking",
        "memory",
        (
            "form thinking: its card says that the model was trained in this form",
            "objective memory: its card says that the model was trained for it",
        ),
    )


def test_both_is_the_integral_of_the_paper(tmp_path: Path) -> None:
    _, objective, _ = follow_card(model(tmp_path / "m"), (PYTHON,), objective="both")
    assert objective == "integral"
    assert make_derive_options(objectives=("both", "time")).objectives == ("integral", "time")


def test_flags_override_the_card_with_a_note(tmp_path: Path) -> None:
    form, objective, notes = follow_card(
        model(tmp_path / "m"), (PYTHON,), form="block", objective="time"
    )
    assert (form, objective) == ("block", "time")
    assert "trained in the form thinking" in notes[0]
    assert "trained for memory, not for time" in notes[1]


def test_missing_card_has_no_note(tmp_path: Path) -> None:
    assert follow_card("gpt", (PYTHON,)) == ("block", "time", ())
    assert follow_card(f"vllm:{tmp_path}", (PYTHON,), default_form="thinking") == (
        "thinking",
        "time",
        (),
    )
    (tmp_path / "README.md").write_text("---\nlanguage: code\n---\n# Somebody's model\n")
    assert follow_card(f"vllm:{tmp_path}", (PYTHON,)) == ("block", "time", ())


def test_several_objectives_leave_the_default(tmp_path: Path) -> None:
    name = model(tmp_path / "m", objectives=["time", "memory", "integral"])
    assert follow_card(name, (PYTHON,))[:2] == ("thinking", "time")
    assert len(follow_card(name, (PYTHON,))[2]) == 1


def test_different_system_prompt_is_noted(tmp_path: Path) -> None:
    name = model(tmp_path / "m", system="You are a poet.")
    assert "another system prompt" in follow_card(name, (PYTHON,))[2][-1]
    assert "another system prompt" not in str(follow_card(name, (PYTHON,), templates=str(tmp_path)))


def test_the_card_of_a_served_model_can_be_named(tmp_path: Path) -> None:
    folder = model(tmp_path / "m").removeprefix("vllm:")
    assert follow_card("served", (PYTHON,), model_card=folder)[0] == "thinking"


@pytest.mark.parametrize("wrong", ["poem", "[a]"])
def test_a_card_that_cannot_be_followed(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "README.md").write_text(f"---\nprompting:\n  form: {wrong}\n---\n# m\n")
    with pytest.raises(UsageError, match="cannot be followed"):
        follow_card(f"vllm:{tmp_path}", (PYTHON,))


@pytest.mark.parametrize(
    ("method", "form"), [("sft", "block"), ("dpo", "block"), ("grpo", "thinking")]
)
def test_training_set_describes_its_prompting(tmp_path: Path, method: str, form: str) -> None:
    import pyarrow as pa

    message = pa.struct({"role": pa.string(), "content": pa.string()})
    prompt = [{"role": "system", "content": "Be lean."}, {"role": "user", "content": "Sum."}]
    schema = pa.schema({"prompt": pa.list_(message)})
    config = f"python-{method}"
    files = write_rows(tmp_path, f"derived/{config}/memory", [{"prompt": prompt}], schema)
    facts = {
        "kind": method, "language": "python", "options": {"prompts": "/somewhere/mine"},
        "splits": {"memory": {"files": files, "rows": 1}},
    }  # fmt: skip
    with closing(Store(tmp_path)) as store:
        store.write_json(
            MANIFEST, {"configs": {}, "derived": {config: facts}, "files": dict.fromkeys(files, "")}
        )
    prompting = open_set(tmp_path, method, ("python",)).prompting()
    assert prompting == {
        "form": form,
        "objectives": ["memory"],
        "system": "Be lean.",
        "templates": "mine",
    }


@needs_isolation[0]
@needs_isolation[1]
@pytest.mark.usefixtures("own_cache")
def test_the_command_follows_a_card(
    cli: Callable[..., Any], tmp_path: Path, write_release: Callable[..., Release]
) -> None:
    release = write_release(tmp_path / "data", [Posed("sum-up")])
    card = model(tmp_path / "m", objectives=["time"]).removeprefix("vllm:")
    answer = f"<thinking>\na formula\n</thinking>\n<solution>\n```python\n{FAST}```\n</solution>"
    with serving([answer]) as server:
        words = [
            "eval",
            "--model",
            "m",
            "--base-url",
            server.base_url,
            "--model-card",
            card,
            "--data",
            release.folder,
        ]
        words += ["--lang", "py", "--repeats", 2, "--out", tmp_path / "run"]
        result = cli(*words)
        assert result.exit_code == 0, result.stderr
        assert "<solution>" in server.asked[0]["messages"][-1]["content"]
    assert (
        "prompting  form thinking: its card says that the model was trained in this form"
        in result.stdout
    )
    options = json.loads((tmp_path / "run" / "manifest.json").read_text())["options"]
    assert (options["form"], len(options["prompting"])) == ("thinking", 2)
