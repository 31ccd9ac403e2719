"""Real training with TRL on a tiny model and a CPU; runs in `nox -s torch-test`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.building import needs_isolation
from tests.real_model import write_model
from tests.training.test_command import evaluation
from venus_toolkit.core.errors import (
    MachineError,
    SandboxError,
    StoreError,
    TrainingError,
    UsageError,
)
from venus_toolkit.core.options import named_files
from venus_toolkit.dataset.card.markup import load_header, parse_card
from venus_toolkit.models.client import Message, ModelOptions
from venus_toolkit.models.in_process import open_local
from venus_toolkit.training.recipe import FOLDER, METHODS, Recipe, make_recipe, read_recipe
from venus_toolkit.training.trainer import train as training
from venus_toolkit.training.trainer.data import held_out_titles
from venus_toolkit.training.trainer.pipeline import run_pipeline
from venus_toolkit.training.trainer.run_directory import RunDirectory, TrainedModel
from venus_toolkit.training.trainer.train import train
from venus_toolkit.training.trainer.trainers import trl_config

pytest.importorskip("trl", reason="TRL is not installed: nox -s torch-test", exc_type=ImportError)
pytest.importorskip(
    "torch", reason="torch is not installed: nox -s torch-test", exc_type=ImportError
)

pytestmark = pytest.mark.filterwarnings("ignore")
ROOT = Path(__file__).resolve().parent.parent.parent
SHORT = {"max_length": 4096, "max_steps": 3}
SMALL_ROWS: dict[str, Any] = {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 2}
GRPO: dict[str, Any] = {**SMALL_ROWS, "num_generations": 2, "max_completion_length": 8}
TOML = """\
method = "sft"
learning_rate = 1e-3
per_device_train_batch_size = 2
gradient_accumulation_steps = 1
max_length = 4096
save_steps = 1
warmup_steps = 0
[lora]
r = 4
"""


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"))


@pytest.fixture
def recipe(model: Path) -> Recipe:
    """Three small steps of SFT, with a checkpoint after each."""
    rows = {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 1}
    keys = {**SHORT, **rows, "save_steps": 1, "save_total_limit": 3, "lora": {"r": 4}}
    return make_recipe(method="sft", learning_rate=1e-3, model=str(model), **keys)


def lengths(completions: list[Any], **_: Any) -> list[float | None]:
    """Return a reward that increases with each answer; the first is unknown."""
    return [None if number == 0 else float(number) for number in range(len(completions))]


def changed(recipe: Recipe, **keys: Any) -> Recipe:
    return make_recipe(**{**recipe.plain(), **keys})


def small(name: str, model: Path) -> Recipe:
    """Return a bundled recipe with few steps and small batches."""
    return read_recipe(name, model=str(model), **SHORT, **(GRPO if "grpo" in name else SMALL_ROWS))


# ------------------------------------------------------------------ every recipe


@pytest.mark.parametrize("name", named_files(FOLDER))
def test_every_recipe_trains_three_steps(
    name: str, folder: Path, model: Path, tmp_path: Path
) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    reward = lengths if "grpo" in name else None
    calls: list[tuple[str, int, int]] = []
    done = train(
        small(name, model), folder, tmp_path / "out", languages=["python"], objectives=["time"], reward=reward,
        progress=lambda *call: calls.append(call),
    )  # fmt: skip
    assert (done.steps, done.resumed_from, done.overlong) == (3, 0, 0)
    assert [line["step"] for line in done.log if "loss" in line] == [1, 2, 3]
    assert calls[-3:] == [(done.method, step, 3) for step in (1, 2, 3)]
    AutoModelForCausalLM.from_pretrained(done.folder)
    assert AutoTokenizer.from_pretrained(done.folder).chat_template
    assert (done.folder / "adapter").is_dir() == (read_recipe(name).lora is not None)
    assert not (done.folder / ".venus/data").exists()


def test_8_bit_optimiser_is_replaced_on_a_cpu(folder: Path, model: Path, tmp_path: Path) -> None:
    done = train(small("cold-start", model), folder, tmp_path / "out", objectives=["time"])
    assert any("adamw_torch replaced adamw_bnb_8bit" in note for note in done.notes)
    assert any("within the 50 steps of warm-up" in note for note in done.notes)


def test_merged_adapters_change_the_weights(
    folder: Path, recipe: Recipe, model: Path, tmp_path: Path
) -> None:
    from safetensors.torch import load_file

    done = train(recipe, folder, tmp_path / "out", objectives=["time"])
    before, after = (
        load_file(model / "model.safetensors"),
        load_file(done.folder / "model.safetensors"),
    )
    changed = [name for name in before if not before[name].equal(after[name])]
    assert any("q_proj" in name for name in changed)
    assert not any("embed" in name or "norm" in name for name in changed)


def test_trained_model_can_be_sampled(folder: Path, recipe: Recipe, tmp_path: Path) -> None:
    done = train(changed(recipe, max_steps=1), folder, tmp_path / "out", objectives=["time"])
    options = ModelOptions("", f"transformers:{done.folder}", answer_tokens=8, seed=0)
    with open_local(options, tmp_path / "answers") as local:
        assert local.sample((Message("user", "a"),)).answered


def test_full_dpo_starts_at_log_2(folder: Path, model: Path, tmp_path: Path) -> None:
    dpo = changed(small("dpo-small", model), lora=None, max_steps=2)
    done = train(dpo, folder, tmp_path / "out", objectives=["time"])
    # log 2: both models are the same in the first step
    assert done.log[0]["loss"] == pytest.approx(0.6931, abs=1e-3)
    assert not (done.folder / "adapter").exists()


def test_adapters_only(folder: Path, recipe: Recipe, tmp_path: Path) -> None:
    done = train(changed(recipe, merge=False), folder, tmp_path / "out", objectives=["time"])
    assert not (done.folder / "model.safetensors").exists()
    assert (done.folder / "adapter/adapter_model.safetensors").is_file()


def test_grpo_leaves_out_missing_rewards(folder: Path, model: Path, tmp_path: Path) -> None:
    done = train(
        small("grpo", model), folder, tmp_path / "out", objectives=["time"], reward=lengths
    )
    assert done.log[0]["reward"] == pytest.approx(2.0)  # the mean of 1, 2 and 3, without None


# ------------------------------------------------------------------ logs and progress


def test_run_can_be_watched(folder: Path, model: Path, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="TensorBoard is not installed: nox -s torch-test")
    out, seen = tmp_path / "out", list[int]()

    def look(stage: str, done: int, _: int) -> None:
        if stage == "grpo":  # figures of earlier steps are already in the log
            seen.append(len(RunDirectory(out, None).read_log()))

    watched = read_recipe(
        "grpo-small",
        model=str(model),
        **SHORT,
        **GRPO,
        report_to=["tensorboard"],
        eval_rows=2,
        trl={"eval_steps": 2},
    )
    logged: list[Any] = []
    done = train(
        watched,
        folder,
        out,
        objectives=["time", "memory"],
        reward=lengths,
        progress=look,
        on_log=logged.append,
    )
    assert seen == [0, 1, 3]
    assert RunDirectory(out, None).read_log() == logged == list(done.log)
    assert 0 < logged[0]["seconds"] < logged[-1]["seconds"] < done.seconds
    # TRL also evaluates after the last step. The first of two answers has no reward, the second 1.
    assert [(line["step"], line["eval_reward"]) for line in done.log if "eval_loss" in line] == [
        (2, 1.0),
        (3, 1.0),
    ]
    assert (done.facts["held_out"], done.rows) == (2, 2)
    completions = pq.read_table(out / "checkpoints/completions").to_pylist()
    assert {"step", "prompt", "completion", "lengths", "advantage"} <= completions[0].keys()
    assert list((out / "checkpoints/runs").rglob("events.out.*"))


def test_problems_are_held_out_with_all_their_rows(recipe: Recipe) -> None:
    evaluated = changed(recipe, eval_steps=1, eval_rows=3)
    titles = [*"aabbccdd"]
    held = held_out_titles(titles, evaluated)
    assert (len(held), held) == (2, held_out_titles(titles[::-1], evaluated))


def test_holding_out_every_row_is_refused(folder: Path, recipe: Recipe, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no rows are left to train on") as refused:
        train(
            changed(recipe, eval_steps=1, eval_rows=99),
            folder,
            tmp_path / "out",
            objectives=["time"],
        )
    assert "lower eval_rows" in refused.value.fix


# ------------------------------------------------------------------ resuming


def test_killed_run_resumes_with_the_same_losses(folder: Path, model: Path, tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(TOML)
    whole = venus_train(folder, model, tmp_path, "whole")
    assert whole.wait(300) == 0, whole.communicate()[1]
    killed = venus_train(folder, model, tmp_path, "killed")
    third = tmp_path / "killed/checkpoints/checkpoint-3/trainer_state.json"
    while killed.poll() is None and not third.is_file():
        time.sleep(0.02)
    killed.kill()
    killed.communicate()
    assert not (tmp_path / "killed/training.json").exists()
    again = venus_train(folder, model, tmp_path, "killed")
    stdout, errors = again.communicate(timeout=300)
    assert again.returncode == 0, errors
    report = json.loads(stdout)
    assert report["steps"] == 6
    assert report["resumed_from"] >= 2
    assert losses(tmp_path / "killed") == pytest.approx(losses(tmp_path / "whole"), rel=1e-4)


def venus_train(folder: Path, model: Path, tmp_path: Path, out: str) -> subprocess.Popen[str]:
    words = (
        "--data",
        folder,
        "--model",
        model,
        "--recipe",
        tmp_path / "tiny.toml",
        "--out",
        tmp_path / out,
    )
    argv = [
        sys.executable,
        "-m",
        "venus_toolkit",
        "train",
        "sft",
        *map(str, words),
        "--max-steps",
        "6",
        "--json",
    ]
    known = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    return subprocess.Popen(
        argv, env=known, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def losses(out: Path) -> list[float]:
    return [line["loss"] for line in RunDirectory(out, None).read_log()]


def test_finished_run_is_not_repeated(folder: Path, recipe: Recipe, tmp_path: Path) -> None:
    first = train(recipe, folder, tmp_path / "out", objectives=["time"])
    stamp = (first.folder / "model.safetensors").stat().st_mtime_ns
    again = train(recipe, folder, tmp_path / "out", objectives=["time"])
    assert again == first
    assert (first.folder / "model.safetensors").stat().st_mtime_ns == stamp


def test_another_run_is_refused_or_restarted(folder: Path, recipe: Recipe, tmp_path: Path) -> None:
    train(recipe, folder, tmp_path / "out", objectives=["time"])
    other = changed(recipe, learning_rate=1e-4)
    with pytest.raises(UsageError, match="holds another run") as refused:
        train(other, folder, tmp_path / "out", objectives=["time"])
    assert refused.value.why == "learning_rate was 0.001 and is 0.0001"
    with pytest.raises(UsageError, match="the data was"):
        train(recipe, folder, tmp_path / "out", objectives=["memory"])
    assert (
        train(other, folder, tmp_path / "out", objectives=["time"], resume=False).resumed_from == 0
    )


# ------------------------------------------------------------------ failures


Spoil = Callable[[int, Callable[[Any], Any]], None]


@pytest.fixture
def spoil(monkeypatch: pytest.MonkeyPatch) -> Spoil:
    """Return a function that changes the embeddings' output from a given forward pass on."""
    from venus_toolkit.training.trainer.model_files import load_model

    def begin(first: int, change: Callable[[Any], Any]) -> None:
        passes = iter(range(1, 10_000))

        def load(*arguments: Any) -> Any:
            model = load_model(*arguments)
            embed = model.get_input_embeddings()
            embed.register_forward_hook(
                lambda _, __, output: change(output) if next(passes) >= first else output
            )
            return model

        monkeypatch.setattr(training, "load_model", load)

    return begin


@pytest.fixture
def healed(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    from venus_toolkit.training.trainer.model_files import load_model

    return lambda: monkeypatch.setattr(training, "load_model", load_model)


def test_nan_loss_keeps_good_checkpoints(
    folder: Path, recipe: Recipe, tmp_path: Path, spoil: Spoil, healed: Callable[[], None]
) -> None:
    spoil(3, lambda output: output * float("nan"))
    with pytest.raises(TrainingError, match="went wrong at step 3") as wrong:
        train(recipe, folder, tmp_path / "out", objectives=["time"])
    assert wrong.value.why == "the checkpoint of step 2 is kept"
    assert wrong.value.exit_code == 1
    healed()
    assert train(recipe, folder, tmp_path / "out", objectives=["time"]).resumed_from == 2


def test_out_of_memory_can_be_resumed_with_smaller_batch(
    folder: Path, recipe: Recipe, tmp_path: Path, spoil: Spoil, healed: Callable[[], None]
) -> None:
    import torch

    def no_memory(_: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    spoil(2, no_memory)
    with pytest.raises(MachineError, match="memory ran out at step 2") as wrong:
        train(recipe, folder, tmp_path / "out", objectives=["time"])
    assert wrong.value.why == "the checkpoint of step 1 is kept"
    assert "lower per_device_train_batch_size (2)" in wrong.value.fix
    assert "max_length (4096)" in wrong.value.fix
    healed()
    lower = changed(recipe, per_device_train_batch_size=1, gradient_accumulation_steps=2)
    assert train(lower, folder, tmp_path / "out", objectives=["time"]).resumed_from == 1


def test_out_of_memory_in_the_first_step(
    folder: Path, recipe: Recipe, tmp_path: Path, spoil: Spoil
) -> None:
    def no_memory(_: Any) -> Any:
        raise RuntimeError(
            "[enforce fail at alloc_cpu.cpp:118] DefaultCPUAllocator: can't allocate memory"
        )

    spoil(1, no_memory)
    with pytest.raises(MachineError) as wrong:
        train(recipe, folder, tmp_path / "out", objectives=["time"])
    assert wrong.value.why == "no checkpoint exists yet"


def test_out_of_memory_while_loading(
    folder: Path, recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(training, "load_model", load)
    with pytest.raises(MachineError, match="memory ran out while the model was loaded"):
        train(recipe, folder, tmp_path / "out", objectives=["time"])


def test_full_disk_can_be_resumed(folder: Path, recipe: Recipe, tmp_path: Path) -> None:
    def full(stage: str, done: int, _: int) -> None:
        if (stage, done) == ("sft", 2):
            (tmp_path / "out/checkpoints/checkpoint-2").mkdir()  # an incomplete checkpoint
            raise OSError(28, "No space left on device")

    with pytest.raises(StoreError, match="cannot be written") as wrong:
        train(recipe, folder, tmp_path / "out", objectives=["time"], progress=full)
    assert wrong.value.why == "the checkpoint of step 1 is kept"
    assert train(recipe, folder, tmp_path / "out", objectives=["time"]).resumed_from == 1


def test_other_runtime_errors_are_not_out_of_memory(
    folder: Path, recipe: Recipe, tmp_path: Path, spoil: Spoil
) -> None:
    def mistake(_: Any) -> Any:
        raise RuntimeError("shapes do not match")

    spoil(1, mistake)
    with pytest.raises(RuntimeError, match="shapes do not match"):
        train(recipe, folder, tmp_path / "out", objectives=["time"])


def test_lost_sandbox_can_be_resumed(folder: Path, model: Path, tmp_path: Path) -> None:
    calls = iter(range(10))

    def lost(completions: list[Any], **columns: Any) -> list[float | None]:
        if next(calls) == 1:
            raise SandboxError("the sandbox is gone", "it was stopped", "start it")
        return lengths(completions)

    run = {"objectives": ["time"], "reward": lost}
    saved = changed(small("grpo", model), save_steps=1)
    with pytest.raises(SandboxError, match="is gone"):
        train(saved, folder, tmp_path / "out", **run)
    done = train(saved, folder, tmp_path / "out", **run)
    assert (done.resumed_from, done.steps) == (1, 3)
    assert [line["step"] for line in done.log if "loss" in line] == [1, 2, 3]
    assert done.seconds > done.log[-1]["seconds"] > done.log[0]["seconds"], "the time of both calls"


def test_missing_chat_template(folder: Path, recipe: Recipe, model: Path, tmp_path: Path) -> None:
    bare = Path(shutil.copytree(model, tmp_path / "bare"))
    template = (bare / "chat_template.jinja").read_text()
    (bare / "chat_template.jinja").unlink()
    with pytest.raises(UsageError, match="has no chat template") as refused:
        train(changed(recipe, model=str(bare)), folder, tmp_path / "out", objectives=["time"])
    assert "chat_template = " in refused.value.fix
    (tmp_path / "chat.jinja").write_text(template)
    templated = changed(
        recipe, model=str(bare), chat_template=str(tmp_path / "chat.jinja"), max_steps=1
    )
    done = train(templated, folder, tmp_path / "out", objectives=["time"])
    assert (done.folder / "chat_template.jinja").read_text() == template


def test_missing_template_file_is_refused(folder: Path, recipe: Recipe, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nothing.jinja cannot be read"):
        train(
            changed(recipe, chat_template=str(tmp_path / "nothing.jinja")), folder, tmp_path / "out"
        )


def test_folder_with_only_adapters_is_refused(folder: Path, recipe: Recipe, tmp_path: Path) -> None:
    alone = changed(recipe, merge=False, max_steps=1)
    done = train(alone, folder, tmp_path / "alone", objectives=["time"])
    with pytest.raises(UsageError, match="contains only adapters"):
        train(changed(recipe, model=str(done.folder)), folder, tmp_path / "out")


def test_unknown_optimiser_is_refused(folder: Path, recipe: Recipe, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="TRL refuses the recipe: adam_the_first is not a valid"):
        train(
            changed(recipe, optim="adam_the_first"), folder, tmp_path / "out", objectives=["time"]
        )


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"learning_rat": 1}, "the recipe has unknown keys: learning_rat"),
        ({"num_generations": 2}, "the recipe has unknown keys: num_generations"),
        ({"lora": {"ranks": 8}}, "[lora] has unknown keys: ranks"),
    ],
)
def test_unknown_keys_are_refused(recipe: Recipe, changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError) as refused:
        changed(recipe, **changes)
    assert refused.value.what == problem


def test_library_keys_reach_the_libraries(folder: Path, recipe: Recipe, tmp_path: Path) -> None:
    passed = changed(recipe, max_steps=1, adam_beta2=0.5, lora={"r": 2, "use_rslora": True})
    done = train(passed, folder, tmp_path / "out", objectives=["time"])
    assert (done.facts["recipe"]["adam_beta2"], done.facts["recipe"]["lora"]["use_rslora"]) == (
        0.5,
        True,
    )
    assert (
        json.loads((done.folder / "adapter/adapter_config.json").read_text())["use_rslora"] is True
    )


@pytest.mark.parametrize("scale", ["group", "batch", "none"])
def test_scale_rewards_reaches_the_trainer(scale: str, model: Path, tmp_path: Path) -> None:
    scaled = read_recipe(
        "grpo-small", model=str(model), **SHORT, **GRPO, scale_rewards=scale, bf16=False
    )
    config = trl_config(scaled, tmp_path)
    assert (config.scale_rewards, config.num_generations, config.gradient_accumulation_steps) == (
        scale,
        2,
        2,
    )


def test_missing_model_is_refused(folder: Path, recipe: Recipe, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be loaded"):
        train(changed(recipe, model=str(tmp_path / "nothing")), folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_truncated_model_is_refused(
    folder: Path, recipe: Recipe, model: Path, tmp_path: Path
) -> None:
    cut = Path(shutil.copytree(model, tmp_path / "cut"))
    weights = cut / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(UsageError, match="cannot be loaded"):
        train(changed(recipe, model=str(cut)), folder, tmp_path / "out", objectives=["time"])


def test_max_length_beyond_the_context_is_refused(
    folder: Path, recipe: Recipe, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="longer than the model's context") as refused:
        train(changed(recipe, max_length=9000), folder, tmp_path / "out")
    assert "takes 8192 tokens" in refused.value.why


def test_card_counts_overlong_rows(folder: Path, recipe: Recipe, tmp_path: Path) -> None:
    done = train(recipe, folder, tmp_path / "whole", objectives=["time"])
    longest = done.facts["longest"]
    cut = train(
        changed(recipe, max_length=longest - 1), folder, tmp_path / "cut", objectives=["time"]
    )
    assert cut.overlong >= 1
    assert cut.rows + cut.overlong == done.rows
    assert (
        f"{cut.overlong} rows of more than {longest - 1} tokens were left out."
        in RunDirectory(cut.folder, None).card()
    )


def test_only_grpo_takes_a_reward(
    folder: Path, recipe: Recipe, model: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="GRPO needs a reward"):
        train(small("grpo", model), folder, tmp_path / "out")
    with pytest.raises(UsageError, match="sft takes no reward"):
        train(recipe, folder, tmp_path / "out", reward=lengths)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"use_vllm": True}, "this machine has no GPU"),
        ({"turns": 2, "use_vllm": True}, "this machine has no GPU"),
        ({"turns": 2}, "returns no verdict to show"),
    ],
)
def test_unsupported_generation_is_refused(
    changes: dict[str, Any], reason: str, folder: Path, model: Path, tmp_path: Path
) -> None:
    impossible = read_recipe("grpo", model=str(model), **SHORT, **GRPO, **changes)
    with pytest.raises(UsageError, match=reason):
        train(impossible, folder, tmp_path / "out", objectives=["time"], reward=lengths)


def test_indivisible_batch_is_refused(
    folder: Path, recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from venus_toolkit.training.trainer import trainers

    monkeypatch.setattr(trainers, "devices", lambda: 3)
    with pytest.raises(UsageError, match="cannot be spread over the devices"):
        train(recipe, folder, tmp_path / "out", objectives=["time"])


# ------------------------------------------------------------------ card, chain, command line


def test_card_describes_the_training(folder: Path, recipe: Recipe, tmp_path: Path) -> None:
    done = train(
        recipe, folder, tmp_path / "coder", objectives=["time"], command="venus train sft --data x"
    )
    text = (done.folder / "README.md").read_text()
    header = load_header(parse_card(text, "README.md").header, "README.md")
    assert "sft" in header["tags"]
    assert "base_model" not in header, "a local folder is not on the Hub"
    assert "huggingface.co" not in text
    assert header["datasets"] == [folder.name]
    assert f"at {done.facts['data']['revision']}" in text
    for part in (
        "venus train sft --data x",
        "| learning_rate | 0.001 |",
        "| lora.r | 4 |",
        "| torch | ",
        "CPU",
    ):
        assert part in text


@pytest.fixture(scope="class")
def chain(
    tmp_path_factory: pytest.TempPathFactory, release: Any, model: Path
) -> dict[str, TrainedModel]:
    recipes = {method: small(f"{method}-small", model) for method in METHODS}
    out = tmp_path_factory.mktemp("chain")
    return run_pipeline(
        recipes, release.folder, out, objectives=["time"], make_reward=lambda *_: lengths
    )


class TestChain:
    def test_each_method_starts_from_an_earlier_model(
        self, chain: dict[str, TrainedModel], model: Path
    ) -> None:
        assert list(chain) == ["cold-start", "sft", "dpo", "grpo"]
        begins = {method: trained.facts["model"]["name"] for method, trained in chain.items()}
        cold = str(chain["cold-start"].folder)
        assert begins == {
            "cold-start": str(model),
            "sft": cold,
            "dpo": str(chain["sft"].folder),
            "grpo": cold,
        }

    def test_card_names_the_base_of_the_chain(
        self, chain: dict[str, TrainedModel], model: Path
    ) -> None:
        assert {trained.facts["base"]["name"] for trained in chain.values()} == {str(model)}
        assert any(note.startswith("It began from a model of sft:") for note in chain["dpo"].notes)

    def test_finished_chain_is_not_repeated(
        self, chain: dict[str, TrainedModel], release: Any, model: Path
    ) -> None:
        recipes = {method: small(f"{method}-small", model) for method in METHODS}
        out = chain["sft"].folder.parent
        again = run_pipeline(
            recipes, release.folder, out, objectives=["time"], make_reward=lambda *_: lengths
        )
        assert again == chain


def test_chain_checks_every_recipe_first(folder: Path, model: Path, tmp_path: Path) -> None:
    recipes = {method: small(f"{method}-small", model) for method in METHODS}
    recipes["grpo"] = changed(recipes["grpo"], lr_scheduler_type="mine")
    with pytest.raises(
        UsageError, match="TRL refuses the recipe: mine is not a valid SchedulerType"
    ):
        run_pipeline(
            recipes, folder, tmp_path / "out", objectives=["time"], make_reward=lambda *_: lengths
        )
    assert not (tmp_path / "out").exists()


def test_chain_checks_every_set_first(model: Path, tmp_path: Path) -> None:
    from tests.builders.derive.made import usual_release

    recipes = {"cold-start": small("cold-start-small", model)}
    with pytest.raises(UsageError, match="has no cold-start set"):
        run_pipeline(
            recipes,
            usual_release(tmp_path / "bare").folder,
            tmp_path / "out",
            make_reward=lambda *_: lengths,
        )
    assert not (tmp_path / "out").exists()


class TestCommand:
    pytestmark = pytest.mark.filterwarnings("ignore")

    @pytest.mark.parametrize(
        ("engine", "turns"),
        [pytest.param(*case, marks=needs_isolation) for case in (("local", 2), ("ray", 1))],
    )
    def test_grpo_from_the_command_line(
        self,
        engine: str,
        turns: int,
        cli: Callable[..., Any],
        folder: Path,
        model: Path,
        tmp_path: Path,
    ) -> None:
        if engine == "ray":
            pytest.importorskip("ray", reason="Ray is not installed: nox -s torch-test")
        (tmp_path / "tiny.toml").write_text(
            'method = "grpo"\nlearning_rate = 1e-5\nper_device_train_batch_size = 2\n'
            "gradient_accumulation_steps = 2\n"
            "max_length = 4096\nnum_generations = 2\nmax_completion_length = 8\n"
            f"turns = {turns}\n"
        )
        words = (
            "--data",
            folder,
            "--model",
            model,
            "--recipe",
            tmp_path / "tiny.toml",
            "--max-steps",
            2,
        )
        more = ("--objective", "time", "--engine", engine, "--out", tmp_path / "out", "--json")
        result = cli("train", "grpo", *words, *more)
        assert result.exit_code == 0, result.stderr
        report = json.loads(result.stdout)
        assert report["steps"] == 2
        # Random text has no form, and passes no test, like the originals: 0.2 · -1 + 0.5 · -0.5.
        assert report["last"]["reward"] == pytest.approx(-0.45)

    @pytest.mark.parametrize(
        ("flags", "words"),
        [
            (("--engine", "slurm"), "unknown engine 'slurm'"),
            (("--ray-address", "auto"), "add --engine ray"),
            (("--engine", "ray", "--ray-address", "ray://head:10001"), "that is a Ray Client"),
        ],
    )
    def test_invalid_engine_is_refused_first(
        self, flags: tuple[str, ...], words: str, cli: Callable[..., Any], tmp_path: Path
    ) -> None:
        result = cli(
            "train",
            "grpo",
            "--data",
            "nobody/nothing",
            "--model",
            "none",
            "--out",
            tmp_path / "out",
            *flags,
        )
        assert result.exit_code == 2
        assert words in result.stderr

    def test_results_update_the_card(
        self, cli: Callable[..., Any], folder: Path, model: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "tiny.toml").write_text(TOML)
        words = (
            "train",
            "sft",
            "--data",
            folder,
            "--model",
            model,
            "--recipe",
            tmp_path / "tiny.toml",
            "--max-steps",
            1,
        )
        result = cli(*words, "--out", tmp_path / "out")
        assert result.exit_code == 0, result.stderr
        assert "1 steps on 54 rows" in result.stdout
        result = cli(*words, "--out", tmp_path / "out", "--results", evaluation(tmp_path / "eval"))
        assert result.exit_code == 0, result.stderr
        text = (tmp_path / "out/README.md").read_text()
        assert "| me/Venus | python | test | 1.0.0 | Pass@1 | 50.0 % | 25.0 to 75.0 | 12 |" in text
        assert "Beyond-M" in text
