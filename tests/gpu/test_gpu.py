"""Tests that need a GPU of 80 GB or more, in ten minutes: `nox -s gpu-test`; skipped without one.

docs/train.md lists past runs and their machines. Figures are appended to build/gpu.jsonl.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.real_model import write_model
from tests.training.made import trainable_release
from venus_toolkit.models.client import Message, ModelOptions
from venus_toolkit.models.in_process import Query, load
from venus_toolkit.training.recipe import METHODS, Recipe, make_recipe
from venus_toolkit.training.trainer.needs import GPUS, memory, shape_of
from venus_toolkit.training.trainer.pipeline import read_recipes, run_pipeline
from venus_toolkit.training.trainer.run_directory import TrainedModel
from venus_toolkit.training.trainer.train import train

torch = pytest.importorskip(
    "torch", reason="torch is not installed: nox -s gpu-test", exc_type=ImportError
)
pytest.importorskip("trl", reason="TRL is not installed: nox -s gpu-test", exc_type=ImportError)
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no GPU"),
]
ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "build/gpu.jsonl"
# About 100 million weights.
SIZES = {
    "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12, "head_dim": 64,
}  # fmt: skip
ROWS, LENGTH, STEPS = 8, 2048, 20


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"), **SIZES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trainable_release(tmp_path_factory.mktemp("release")).folder


def note(**figures: Any) -> None:
    FIGURES.parent.mkdir(exist_ok=True)
    with FIGURES.open("a") as file:
        print(json.dumps({"gpu": torch.cuda.get_device_name(), **figures}), file=file)


def lengths(completions: Sequence[Any], **_: Any) -> list[float]:
    return [float(number) for number in range(len(completions))]


def answer_of(folder: Path) -> str:
    options = ModelOptions(
        base_url="", model=f"transformers:{folder}", temperature=0.0, answer_tokens=16
    )
    (said,) = load(options)([Query((Message("user", "a"),), None)])
    return str(said.text or said.unfinished)


def test_the_pipeline_trains_in_bf16(model: Path, folder: Path, tmp_path: Path) -> None:
    recipes = read_recipes("small", METHODS, model=str(model), max_steps=3, max_length=LENGTH)
    told: dict[str, Recipe] = {}
    for method, recipe in recipes.items():
        more: dict[str, Any] = {}
        if method == "grpo":  # a step of one row: the set has two prompts
            more = {"num_generations": 2, "max_completion_length": 16, "use_vllm": False}
            more |= {"gradient_accumulation_steps": 1}
        told[method] = make_recipe(**{**recipe.plain(), **more})
    made = run_pipeline(told, folder, tmp_path, objectives=["time"], make_reward=lambda *_: lengths)
    assert {
        name: each.facts["environment"]["precision"] for name, each in made.items()
    } == dict.fromkeys(made, "bf16")
    assert all(answer_of(each.folder) for each in made.values())


def test_memory_stays_within_the_estimate(model: Path, folder: Path, tmp_path: Path) -> None:
    """The estimate is an upper bound: it assumes rows of the maximum length, and most are shorter."""
    from transformers import AutoConfig

    recipe = make_recipe(
        method="sft", model=str(model), learning_rate=1e-5, max_length=LENGTH, max_steps=STEPS,
        per_device_train_batch_size=ROWS, gradient_accumulation_steps=1, num_train_epochs=100, bf16=True,
    )  # fmt: skip
    torch.cuda.reset_peak_memory_stats()
    began = time.monotonic()
    train(recipe, folder, tmp_path / "out", objectives=["time"])
    seconds, peak = time.monotonic() - began, torch.cuda.max_memory_allocated()
    computed = memory(recipe, shape_of(AutoConfig.from_pretrained(model), "100M"), GPUS[2])
    kept = computed.weights + computed.gradients + computed.optimizer
    note(
        test="memory",
        peak_bytes=peak,
        computed_bytes=computed.total,
        seconds=seconds,
        rows=ROWS * STEPS,
    )
    assert 0.8 * kept < peak < 1.1 * computed.total


def by_vllm(model: Path, folder: Path, out: Path, learning_rate: float) -> list[tuple[str, str]]:
    """Return the prompts and answers of each step; vLLM decodes greedily on the training GPU."""
    recipe = make_recipe(
        method="grpo", model=str(model), learning_rate=learning_rate, max_length=LENGTH, max_steps=4, bf16=True,
        per_device_train_batch_size=4, gradient_accumulation_steps=1, num_generations=2, max_completion_length=16,
        num_train_epochs=100, use_vllm=True, vllm_mode="colocate", vllm_gpu_memory_utilization=0.2, top_k=1,
        lr_scheduler_type="constant", trl={"vllm_enable_sleep_mode": True},
    )  # fmt: skip
    done: TrainedModel = train(recipe, folder, out, objectives=["time"], reward=lengths)
    files = sorted((done.folder / "checkpoints/completions").glob("*.parquet"))
    return [
        (str(row["prompt"]), str(row["completion"]))
        for file in files
        for row in pq.read_table(file).to_pylist()
    ]


def test_vllm_answers_with_the_weights_of_each_step(
    model: Path, folder: Path, tmp_path: Path
) -> None:
    pytest.importorskip("vllm", reason="vLLM is not installed")
    still, moving = (
        by_vllm(model, folder, tmp_path / name, rate)
        for name, rate in (("still", 0.0), ("moving", 1e-2))
    )
    said = [
        len({answer for prompt, answer in found if prompt == found[0][0]})
        for found in (still, moving)
    ]
    note(test="vllm", answers_without_training=said[0], answers_with_training=said[1])
    assert said[0] == 1, "the most likely answer to a prompt is always the same"
    assert said[1] > 1, "the weights of the training never reached vLLM"


def test_a_model_sharded_by_a_launcher_is_saved_whole(
    model: Path, folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "recipe.toml"
    file.write_text(
        'method = "sft"\nlearning_rate = 1e-5\nmax_steps = 2\nmax_length = 2048\nbf16 = true\n'
        "per_device_train_batch_size = 2\ngradient_accumulation_steps = 8\n"
    )
    config = ROOT / "training/accelerate/fsdp2.yaml"
    count = max(n for n in (1, 2, 4, 8) if n <= torch.cuda.device_count())
    words: list[object] = [
        sys.executable, "-m", "accelerate.commands.launch", "--config_file", config, "--num_processes", count,
        "-m", "venus_toolkit", "train", "sft", "--data", folder, "--model", model, "--recipe", file,
        "--objective", "time", "--out", tmp_path / "out",
    ]  # fmt: skip
    done = subprocess.run(
        [str(word) for word in words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert answer_of(tmp_path / "out")
