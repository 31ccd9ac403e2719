"""Derived sets in TRL. Runs with `nox -s torch-test`; skipped elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.builders.derive.made import LANGUAGES, usual_release
from tests.building import needs_isolation
from tests.real_model import make_tokenizer
from tests.training.posed import FORMULA, LOOP, Posed, answer, write_posed
from venus_toolkit.builders.derive.derive_options import DeriveOptions
from venus_toolkit.builders.derive.derived_sets import derive
from venus_toolkit.builders.derive.kinds import KINDS
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.training.reward.grpo_reward import ExecutionReward
from venus_toolkit.training.reward.rewards import RewardOptions

trl = pytest.importorskip(
    "trl", reason="TRL is not installed: nox -s torch-test", exc_type=ImportError
)

COLUMNS = {"sft": ("completion",), "dpo": ("chosen", "rejected"), "grpo": ()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    release = usual_release(tmp_path_factory.mktemp("release"))
    for kind in KINDS.values():
        derive(kind, release.folder, [LANGUAGES["python"]], DeriveOptions())
    return release.folder


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return make_tokenizer()


@pytest.fixture(scope="module")
def model(tokenizer: Any) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
        )
    )


def load(folder: Path, kind: str, tmp_path: Path) -> Any:
    from datasets import load_dataset

    return load_dataset(
        str(folder), f"python-{kind}", split="time", cache_dir=str(tmp_path / "cache")
    )


@pytest.mark.parametrize("kind", sorted(COLUMNS))
def test_rows_are_conversations(folder: Path, kind: str, tmp_path: Path, tokenizer: Any) -> None:
    from trl.data_utils import is_conversational, maybe_apply_chat_template

    for row in load(folder, kind, tmp_path):
        for column in ("prompt", *COLUMNS[kind]):
            assert is_conversational({column: row[column]})
        assert is_conversational(row)
        rendered = maybe_apply_chat_template(row, tokenizer)
        assert rendered["prompt"].startswith("<|system|>")
        assert rendered["prompt"].endswith("<|end|><|assistant|>")
        for column in COLUMNS[kind]:
            assert rendered[column].startswith("```python\n")
            assert rendered[column].endswith("```<|end|>")


def settings(tmp_path: Path) -> dict[str, Any]:
    return {
        "output_dir": str(tmp_path / "out"), "max_steps": 1, "per_device_train_batch_size": 1, "use_cpu": True,
        "bf16": False, "report_to": "none", "save_strategy": "no", "disable_tqdm": True,
    }  # fmt: skip


@pytest.mark.filterwarnings("ignore")
def test_sft_loss_covers_only_the_answer(
    folder: Path, tmp_path: Path, tokenizer: Any, model: Any
) -> None:
    config = trl.SFTConfig(**settings(tmp_path), max_length=4096)
    data = load(folder, "sft", tmp_path)
    trainer = trl.SFTTrainer(
        model=model, args=config, train_dataset=data, processing_class=tokenizer
    )
    (first, *_) = trainer.train_dataset
    batch = trainer.data_collator([first])
    learned = [token for token in batch["labels"][0].tolist() if token != -100]
    assert tokenizer.decode(learned) == data[0]["response"] + "<|end|>"
    assert trainer.train().training_loss > 0


@pytest.mark.filterwarnings("ignore")
def test_dpo_accepts_rows(folder: Path, tmp_path: Path, tokenizer: Any, model: Any) -> None:
    config = trl.DPOConfig(**settings(tmp_path), max_length=4096)
    data = load(folder, "dpo", tmp_path)
    # TRL loads the reference model from the path of the trained one.
    model.save_pretrained(tmp_path / "model")
    where = str(tmp_path / "model")
    trainer = trl.DPOTrainer(
        model=where, args=config, train_dataset=data, processing_class=tokenizer
    )
    assert trainer.train().training_loss > 0


@pytest.mark.filterwarnings("ignore")
def test_grpo_reward_receives_references(
    folder: Path, tmp_path: Path, tokenizer: Any, model: Any
) -> None:
    seen: dict[str, list[Any]] = {}

    def reward(completions: list[Any], **columns: Any) -> list[float]:
        seen.update(columns)
        return [float(number) for number in range(len(completions))]

    config_values = {
        **settings(tmp_path),
        "per_device_train_batch_size": 2,
        "num_generations": 2,
        "max_completion_length": 4,
    }
    data = load(folder, "grpo", tmp_path)
    trainer = trl.GRPOTrainer(
        model=model,
        args=trl.GRPOConfig(**config_values),
        train_dataset=data,
        processing_class=tokenizer,
        reward_funcs=reward,
    )
    trainer.train()
    assert seen["config"] == ["python", "python"]
    assert len(seen["tests_sha256"][0]) == 64


# ------------------------------------------------------------------ sandbox rewards


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("_", [pytest.param(None, marks=needs_isolation)])
def test_grpo_reward_of_sandbox(tmp_path: Path, tokenizer: Any, model: Any, _: None) -> None:
    """The answers come from a `rollout_func`, which submits each one immediately."""
    posed = Posed(solutions={"python": (LOOP, LOOP.replace("s += i", "s = s + i"), FORMULA)})
    release = write_posed(tmp_path / "release", posed)
    derive(
        KINDS["grpo"], release.folder, [LANGUAGES["python"]], DeriveOptions(objectives=("time",))
    )
    data = load(release.folder, "grpo", tmp_path).select([0])
    texts = [answer(posed, FORMULA).text, answer(posed, "print(0)").text]
    reward = ExecutionReward(
        release.folder, "local", RewardOptions(measure=MeasureOptions(1), final_efficiency=0.5)
    )
    columns = {name: [data[0][name]] for name in data.column_names}

    def roll_out(prompts: list[Any], trainer: Any) -> dict[str, Any]:
        prompt = tokenizer.apply_chat_template(
            prompts[0], add_generation_prompt=True, return_dict=False
        )
        for text in texts:
            reward.submit([text], **columns)
        ids = [tokenizer(text + "<|end|>")["input_ids"] for text in texts]
        return {
            "prompt_ids": [prompt] * 2,
            "completion_ids": ids,
            "logprobs": [[0.0] * len(answer_ids) for answer_ids in ids],
        }

    config_values = {
        **settings(tmp_path),
        "per_device_train_batch_size": 2,
        "num_generations": 2,
        "logging_steps": 1,
    }
    trainer = trl.GRPOTrainer(
        model=model, args=trl.GRPOConfig(**config_values, max_completion_length=512), train_dataset=data,
        processing_class=tokenizer, reward_funcs=reward, rollout_func=roll_out,
    )  # fmt: skip
    trainer.train()
    reward.close()
    (logged,) = (log_entry for log_entry in trainer.state.log_history if "reward" in log_entry)
    assert logged["reward/judged"] == 1.0
    assert logged["reward/passed"] == 0.5
    assert logged["reward/form"] == 1.0
    assert logged["reward/correctness"] == -0.25
    assert logged["rewards/execution/mean"] == pytest.approx(logged["reward"])
    assert logged["reward_std"] > 0
