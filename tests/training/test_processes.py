"""Training in two processes on a CPU over gloo, up to a saved model."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.real_model import write_model
from venus_toolkit.training.recipe import Recipe, make_recipe
from venus_toolkit.training.trainer.fit import leave_others
from venus_toolkit.training.trainer.model_files import load_model, load_tokenizer, save_model
from venus_toolkit.training.trainer.train import train
from venus_toolkit.training.trainer.trainers import whole_model

pytest.importorskip("trl", reason="TRL is not installed: nox -s torch-test", exc_type=ImportError)
pytest.importorskip(
    "torch", reason="torch is not installed: nox -s torch-test", exc_type=ImportError
)

pytestmark = pytest.mark.filterwarnings("ignore")
CONFIGS = Path(__file__).resolve().parents[2] / "training" / "accelerate"
ROWS = {
    "max_length": 4096,
    "max_steps": 2,
    "warmup_steps": 0,
    "learning_rate": 1e-3,
    "lr_scheduler_type": "constant",
}
FACTOR = 1.5


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"))


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return dict(load_file(folder / "model.safetensors"))


def launch(*words: str | Path, processes: int = 2) -> None:
    """Run a module in several processes of one machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    launcher = [
        "-m",
        "torch.distributed.run",
        f"--nproc-per-node={processes}",
        f"--master-port={port}",
        "-m",
    ]
    argv = [sys.executable, *launcher, *map(str, words)]
    environment = {**os.environ, "ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        argv, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]


def test_two_processes_match_one(folder: Path, model: Path, tmp_path: Path) -> None:
    """Both see the same rows in each step, so the weights agree up to rounding."""
    settings = {**ROWS, "per_device_train_batch_size": 1, "gradient_accumulation_steps": 4}
    recipe = make_recipe(method="sft", model=str(model), **settings)
    train(recipe, folder, tmp_path / "one", languages=["python"], objectives=["time"])
    file = tmp_path / "recipe.toml"
    file.write_text(
        'method = "sft"\n' + "".join(f"{key} = {value!r}\n" for key, value in settings.items())
    )
    launch(
        "venus_toolkit", "train", "sft", "--data", folder, "--model", model, "--recipe", file,
        "--lang", "python", "--objective", "time", "--out", tmp_path / "two",
    )  # fmt: skip
    one, two, began = weights(tmp_path / "one"), weights(tmp_path / "two"), weights(model)
    assert one.keys() == two.keys()
    moved = max(float((one[name] - began[name]).abs().max()) for name in one)
    apart = max(float((one[name] - two[name]).abs().max()) for name in one)
    assert moved > 1e-4
    assert apart < moved / 20


@pytest.mark.parametrize("lora", [None, {"r": 4}])
def test_sharded_weights_are_saved_complete(
    lora: dict[str, int] | None, model: Path, tmp_path: Path
) -> None:
    """accelerate starts FSDP2 only on GPUs, so this test shards the model itself."""
    launch("tests.training.test_processes", model, tmp_path / "out", "lora" if lora else "whole")
    saved, began = weights(tmp_path / "out"), weights(model)
    assert saved.keys() == began.keys()
    assert (tmp_path / "out" / "adapter").is_dir() == (lora is not None)
    for name in saved:
        expected = began[name] * FACTOR
        assert float((saved[name] - expected).abs().max()) <= 1e-5 * float(expected.abs().max()), (
            name
        )


def test_dry_run_estimates_the_needs(cli: Callable[..., Any], folder: Path, model: Path) -> None:
    words = ("--data", folder, "--model", model, "--lang", "python", "--dry-run")
    report = json.loads(cli("train", "sft", *words, "--json").stdout)
    assert report["rows"] > 0
    assert report["parameters"] == sum(tensor.numel() for tensor in weights(model).values())
    assert {"gpu", "GiB needed", "8 sharded", "hours, 8 GPU"} <= report["gpus"][0].keys()
    assert "None of this was measured" in cli("train", "sft", *words).stdout


@pytest.mark.parametrize("name", ["ddp", "fsdp2", "zero2", "zero3"])
def test_accelerate_reads_the_configs(name: str) -> None:
    from accelerate.commands.config.config_args import load_config_from_file

    config = load_config_from_file(str(CONFIGS / f"{name}.yaml"))
    assert config.num_processes == 8
    kinds = {"ddp": "MULTI_GPU", "fsdp2": "FSDP", "zero2": "DEEPSPEED", "zero3": "DEEPSPEED"}
    assert str(config.distributed_type).removeprefix("DistributedType.") == kinds[name]


def shard_and_save(recipe: Recipe, out: Path) -> None:
    """Run as one of two processes: shard a model, multiply its weights by FACTOR, and save it."""
    import torch
    from accelerate import Accelerator
    from torch.distributed.fsdp import fully_shard

    Accelerator.is_fsdp2 = property(lambda _: True)  # type: ignore[method-assign, assignment]
    accelerator = Accelerator(cpu=True)
    sharded = load_model(recipe, bf16=False)
    if recipe.lora:
        from peft import LoraConfig, get_peft_model

        sharded = get_peft_model(sharded, LoraConfig(task_type="CAUSAL_LM", **recipe.lora))
    for layer in [
        module for module in sharded.modules() if type(module).__name__.endswith("DecoderLayer")
    ]:
        fully_shard(layer)
    fully_shard(sharded)
    with torch.no_grad():
        for parameter in sharded.parameters():
            parameter.mul_(FACTOR)
    trainer = SimpleNamespace(
        accelerator=accelerator, model=sharded, model_wrapped=sharded, is_fsdp_enabled=True
    )
    whole = whole_model(trainer, recipe, bf16=False)
    if accelerator.is_main_process:
        out.mkdir()
        save_model(whole, load_tokenizer(recipe), out, merge=True, bf16=False)
    accelerator.wait_for_everyone()
    leave_others()


if __name__ == "__main__":
    adapters = {"lora": {"r": 4}} if sys.argv[3] == "lora" else {}
    shard_and_save(
        make_recipe(method="sft", learning_rate=1e-3, model=sys.argv[1], **adapters),
        Path(sys.argv[2]),
    )
