"""What every method shares while it trains: settings of TRL's trainers, checkpoints, and what can go wrong on the way.

A loss that is no number ends the run before it reaches a weight; the last checkpoint stays good. Memory that ends, and
a sandbox that is lost, end it with the checkpoint kept: the same command goes on there.
"""

from __future__ import annotations

import logging
import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from venus_toolkit.errors import MachineError, StoreError, TrainingError, UsageError
from venus_toolkit.training.model import BF16
from venus_toolkit.training.place import last_checkpoint, step_of
from venus_toolkit.training.recipe import GRPO, SEE, Recipe

if TYPE_CHECKING:
    from transformers import TrainerCallback

Progress = Callable[[str, int, int], None]
ROOM_SAID = ("No space left on device", "Disk quota exceeded", "PytorchStreamWriter failed writing")
MEMORY_SAID = ("out of memory", "can't allocate memory", "not enough memory", "CUBLAS_STATUS_ALLOC_FAILED")


class Fitted(NamedTuple):
    """How a run ended: its last step, the step it went on from (0: the beginning), and what was logged."""

    steps: int
    resumed_from: int
    log: tuple[dict[str, Any], ...]


def devices() -> int:
    """Return how many processes train together, each on a device of its own, as their launcher says."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_main() -> bool:
    """Return whether this process is the one that writes and speaks."""
    return int(os.environ.get("RANK", "0")) == 0


@contextmanager
def quiet() -> Iterator[None]:
    """Keep what the packages below say to themselves: bars of their own, and what they will change some day."""
    import datasets
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    datasets.disable_progress_bars()
    told = logging.getLogger("trl")
    level = told.level
    told.setLevel(logging.ERROR)  # its warnings print whole prompts
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            yield
        finally:
            told.setLevel(level)


def keep_to_own_cores() -> None:
    """Give each process on this machine its share of the cores: what one measures must not run beside another's."""
    count, rank = (int(os.environ.get(name, default)) for name, default in (("LOCAL_WORLD_SIZE", 1), ("LOCAL_RANK", 0)))
    cores = sorted(os.sched_getaffinity(0))
    if 1 < count <= len(cores):
        each = len(cores) // count
        os.sched_setaffinity(0, cores[rank * each : (rank + 1) * each])


def wait_for_others() -> None:
    """Return when every process of the run is here."""
    if devices() > 1:
        from accelerate import PartialState

        PartialState().wait_for_everyone()


def settings(recipe: Recipe, folder: Path, precision: str) -> dict[str, Any]:
    """Return what TRL's configurations share.

    Args:
        recipe: The recipe.
        folder: Where checkpoints go.
        precision: bf16 or fp32.

    Raises:
        UsageError: The batch cannot be spread over the devices.
    """
    import torch

    on_gpu = torch.cuda.is_available()
    at_once = recipe.device_batch * devices()
    if recipe.batch % at_once:
        why = f"batch {recipe.batch} is no multiple of device_batch {recipe.device_batch} on {devices()} devices"
        raise UsageError("the batch cannot be spread over the devices", why, "change device_batch in the recipe")
    return {
        "output_dir": str(folder),
        "num_train_epochs": recipe.epochs,
        "max_steps": recipe.max_steps or -1,
        "per_device_train_batch_size": recipe.device_batch,
        "gradient_accumulation_steps": recipe.batch // at_once,
        "learning_rate": recipe.learning_rate,
        "lr_scheduler_type": recipe.schedule,
        "warmup_steps": recipe.warmup_steps,
        "max_grad_norm": recipe.clip,
        "weight_decay": recipe.weight_decay,
        "optim": optimizer(recipe, on_gpu),
        "bf16": precision == BF16,
        "gradient_checkpointing": recipe.recompute,
        "seed": recipe.seed,
        "data_seed": recipe.seed,
        "save_strategy": "steps",
        "save_steps": recipe.save_steps,
        "save_total_limit": recipe.keep,
        "logging_steps": recipe.log_steps,
        "logging_nan_inf_filter": False,
        "report_to": "none",
        "disable_tqdm": True,
        "use_cpu": not on_gpu,
        "dataloader_pin_memory": on_gpu,
    }


def optimizer(recipe: Recipe, on_gpu: bool) -> str:
    """Return the optimiser: that of 8 bits is for GPUs, elsewhere its plain form takes its place.

    Raises:
        UsageError: There is none of this name, or there is a GPU and bitsandbytes is not installed.
    """
    from importlib.util import find_spec

    from transformers.training_args import OptimizerNames

    known = [str(each.value) for each in OptimizerNames]
    if recipe.optimizer not in known:
        raise UsageError(f"unknown optimizer {recipe.optimizer!r} in the recipe", f"known are {', '.join(known)}", SEE)
    if "bnb" not in recipe.optimizer or (on_gpu and find_spec("bitsandbytes")):
        return recipe.optimizer
    if on_gpu:
        what = f"the recipe's optimiser {recipe.optimizer} is not installed"
        raise UsageError(what, "it is in bitsandbytes", "pip install bitsandbytes, or say optimizer = adamw_torch")
    return "adamw_torch"


def notes(recipe: Recipe, total: int, on_gpu: bool) -> list[str]:
    """Return sentences on what is not as the recipe says, or not as one may think.

    Args:
        recipe: The recipe.
        total: Steps of the run.
        on_gpu: Whether a GPU trains.
    """
    said = []
    if optimizer(recipe, on_gpu) != recipe.optimizer:
        said.append(f"adamw_torch took the place of {recipe.optimizer}, which needs a GPU.")
    if recipe.schedule != "constant" and 0 < total <= recipe.warmup_steps:
        said.append(f"The run of {total} steps ended within the {recipe.warmup_steps} steps of warm-up.")
    if recipe.max_steps:
        said.append(f"It was stopped after {recipe.max_steps} steps, whatever the epochs would have taken.")
    return said


# ------------------------------------------------------------------ the run


def fit(trainer: Any, checkpoint: Path | None, recipe: Recipe, progress: Progress) -> Fitted:
    """Train to the end, from a checkpoint where there is one.

    Raises:
        TrainingError: The loss is no number any more.
        MachineError: Memory ran out.
        SandboxError: Rewards cannot be had.
    """
    from transformers.trainer_callback import PrinterCallback

    trainer.remove_callback(PrinterCallback)  # standard output is for data
    trainer.add_callback(_watch(recipe.method, progress))
    begun = step_of(checkpoint) if checkpoint else 0
    with explained(recipe, Path(trainer.args.output_dir), lambda: f"at step {trainer.state.global_step + 1}"):
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    log = tuple(_known(line) for line in trainer.state.log_history if "train_runtime" not in line)
    return Fitted(int(trainer.state.global_step), begun, log)


def _known(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was logged of a step; a figure that is no number is unknown."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in line.items()
    }


def _watch(stage: str, progress: Progress) -> TrainerCallback:
    """Return a callback that tells how far it is, and ends the run where gradients are no numbers."""
    import torch
    from transformers import TrainerCallback

    class Watch(TrainerCallback):  # type: ignore[misc]
        def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **told: Any) -> None:
            gradients = [p.grad for p in told["model"].parameters() if p.grad is not None]
            if not torch.isfinite(torch.nn.utils.get_total_norm(gradients)):
                raise FloatingPointError(state.global_step + 1)

        def on_step_end(self, args: Any, state: Any, control: Any, **told: Any) -> None:
            if state.is_world_process_zero:
                progress(stage, state.global_step, state.max_steps)

    return Watch()


@contextmanager
def explained(recipe: Recipe, checkpoints: Path, when: Callable[[], str]) -> Iterator[None]:
    """Turn what ends a run into sentences: the one boundary where it is attributed.

    Args:
        recipe: Whose numbers can be lowered.
        checkpoints: Where they are.
        when: Says how far the run was.

    Raises:
        TrainingError: The loss is no number any more.
        MachineError: Memory ran out.
        StoreError: The disk is full.
    """
    import torch
    from safetensors import SafetensorError

    try:
        yield
    except FloatingPointError as error:
        what = f"training went wrong at step {error.args[0]}: its loss or gradients are no numbers"
        fix = "lower learning_rate or clip in the recipe, then begin again with --no-resume"
        raise TrainingError(what, _kept(checkpoints), fix) from error
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise _no_memory(recipe, checkpoints, when()) from error
    except (RuntimeError, OSError, SafetensorError) as error:
        if any(words in str(error) for words in ROOM_SAID):
            fix = "make room, then type the same command to go on"
            raise StoreError(f"{checkpoints.parent} cannot be written", _kept(checkpoints), fix) from error
        if any(words in str(error) for words in MEMORY_SAID):
            raise _no_memory(recipe, checkpoints, when()) from error
        raise


def _no_memory(recipe: Recipe, checkpoints: Path, when: str) -> MachineError:
    lower = [f"device_batch ({recipe.device_batch})"] if recipe.device_batch > 1 else []
    lower += [] if recipe.recompute else ["recompute (false: make it true)"]
    if recipe.method == GRPO:
        lower.append(f"vllm.memory_share ({recipe.vllm.memory_share})")
    same = f"lower {', '.join(lower)} in the recipe and type the same command to go on" if lower else ""
    other = f"max_length ({recipe.max_length})" + ("" if recipe.lora else ", or train adapters with [lora]")
    return MachineError(
        f"memory ran out {when}", _kept(checkpoints), f"{same}{'; or ' if same else ''}begin again with a lower {other}"
    )


def _kept(checkpoints: Path) -> str:
    last = last_checkpoint(checkpoints)
    return f"the checkpoint of step {step_of(last)} is kept" if last else "there is no checkpoint yet"
