"""What every method shares while it trains.

The processes of a run, its progress, and what can go wrong on the way.

A loss that is not a number ends the run before it reaches a weight; the last checkpoint stays good.
When memory runs out or the sandbox is lost, the run ends with its checkpoint kept: the same command
goes on there.
"""

from __future__ import annotations

import logging
import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from venus_toolkit.core.errors import MachineError, StoreError, TrainingError
from venus_toolkit.execution.sandbox.cores import part_of, usable_cores
from venus_toolkit.training.recipe import GRPO, Recipe
from venus_toolkit.training.trainer.run_directory import last_checkpoint, step_of

Progress = Callable[[str, int, int], None]
Log = Callable[[Mapping[str, Any]], None]
_kept_to_own_cores = False


def devices() -> int:
    """Return how many processes train together, each on a device of its own, as their launcher says."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_main() -> bool:
    """Return whether this process is the one that writes and speaks."""
    return int(os.environ.get("RANK", "0")) == 0


@contextmanager
def quiet() -> Iterator[None]:
    """Silence the packages below.

    Their progress bars, and warnings of future changes.
    """
    import datasets
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    datasets.disable_progress_bars()
    logger = logging.getLogger("trl")
    level = logger.level
    logger.setLevel(logging.ERROR)  # its warnings print whole prompts
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            yield
        finally:
            logger.setLevel(level)


def own_part() -> tuple[int, int]:
    """Return (index, count): which part of the cores that this process may use is its own.

    A launcher says how many processes share the machine. Cores are divided once: a process that was
    left with its own owns all that it sees.
    """
    if _kept_to_own_cores:
        return 0, 1
    return int(os.environ.get("LOCAL_RANK") or 0), int(os.environ.get("LOCAL_WORLD_SIZE") or 1)


def keep_to_own_cores() -> None:
    """Leave this process the cores that are its own.

    Measured programs must not share cores with the computation of another process.

    Where processes outnumber cores nothing changes. A second call, by the next method of a chain,
    changes nothing.
    """
    global _kept_to_own_cores
    cores, (index, count) = usable_cores(), own_part()
    if 1 < count <= len(cores):
        # the same cores that a reward takes for its programs
        os.sched_setaffinity(0, part_of(cores, index, count))
        _kept_to_own_cores = True


def wait_for_others() -> None:
    """Return when every process of the run is here."""
    if devices() > 1:
        from accelerate import PartialState

        PartialState().wait_for_everyone()


def leave_others() -> None:
    """Leave the processes that trained together, at the end of a command.

    One that just ends may be aborted.
    """
    if devices() > 1:
        from accelerate import PartialState

        PartialState().destroy_process_group()


def fit(
    trainer: Any,
    checkpoint: Path | None,
    recipe: Recipe,
    progress: Progress,
    log: Log = lambda _: None,
) -> None:
    """Train to the end, from a checkpoint if there is one.

    `log` gets the figures of each step that is logged.

    Raises:
        TrainingError: The loss is not a number any more.
        MachineError: Memory ran out.
        SandboxError: Rewards cannot be had.
    """
    import torch
    from transformers import TrainerCallback
    from transformers.trainer_callback import PrinterCallback

    class Watch(TrainerCallback):  # type: ignore[misc]
        """Reports progress and figures, and ends the run where gradients are not numbers."""

        # Before the optimiser's step, so that weights and checkpoints stay good.
        def on_pre_optimizer_step(
            self, args: Any, state: Any, control: Any, *, model: Any, **_: Any
        ) -> None:
            norm: Any = torch.nn.utils.get_total_norm(
                [p.grad for p in model.parameters() if p.grad is not None]
            )
            # Of sharded weights each process has a part, and the norm is that of all parts.
            if not torch.isfinite(norm.full_tensor() if hasattr(norm, "full_tensor") else norm):
                raise FloatingPointError(state.global_step + 1)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.is_world_process_zero:
                progress(recipe.method, state.global_step, state.max_steps)

        def on_log(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            # The trainer's last line is of the run and of no step.
            if state.is_world_process_zero and "train_runtime" not in state.log_history[-1]:
                log(known_figures(state.log_history[-1]))

    trainer.remove_callback(PrinterCallback)  # standard output is for data
    trainer.add_callback(Watch())
    with explained(
        recipe, Path(trainer.args.output_dir), lambda: f"at step {trainer.state.global_step + 1}"
    ):
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)


def known_figures(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was logged of a step; a figure that is not a number is unknown."""
    return {
        key: None if isinstance(each, float) and not math.isfinite(each) else each
        for key, each in line.items()
    }


@contextmanager
def explained(recipe: Recipe, checkpoints: Path, when: Callable[[], str]) -> Iterator[None]:
    """Turn what ends a run into sentences: the one boundary where it is attributed.

    `when` says how far it was.

    Raises:
        TrainingError: The loss is not a number any more.
        MachineError: Memory ran out.
        StoreError: The disk is full.
    """
    import torch
    from safetensors import SafetensorError

    try:
        yield
    except FloatingPointError as error:  # of the callback in `fit`
        what = f"training went wrong at step {error.args[0]}: its loss or gradients are not numbers"
        fix = (
            "lower learning_rate or max_grad_norm in the recipe, then begin again with --no-resume"
        )
        raise TrainingError(what, _kept(checkpoints), fix) from error
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise _no_memory(recipe, checkpoints, when()) from error
    except (RuntimeError, OSError, SafetensorError) as error:
        # Known by their texts: torch raises a plain RuntimeError, safetensors an error of its own.
        no_room = (
            "No space left on device",
            "Disk quota exceeded",
            "PytorchStreamWriter failed writing",
        )
        no_memory = (
            "out of memory",
            "can't allocate memory",
            "not enough memory",
            "CUBLAS_STATUS_ALLOC_FAILED",
        )
        if any(words in str(error) for words in no_room):
            fix = "free some disk space, then type the same command to continue"
            raise StoreError(
                f"{checkpoints.parent} cannot be written", _kept(checkpoints), fix
            ) from error
        if any(words in str(error) for words in no_memory):
            raise _no_memory(recipe, checkpoints, when()) from error
        raise


def _no_memory(recipe: Recipe, checkpoints: Path, when: str) -> MachineError:
    rows, lower = recipe.trl["per_device_train_batch_size"], []
    if rows > 1:
        lower.append(
            f"lower per_device_train_batch_size ({rows}) and raise gradient_accumulation_steps "
            "as much"
        )
    if not recipe.trl["gradient_checkpointing"]:
        lower.append("set gradient_checkpointing = true")
    if recipe.method == GRPO:
        lower.append(
            f"lower vllm_gpu_memory_utilization ({recipe.trl['vllm_gpu_memory_utilization']})"
        )
    same = (
        f"{', '.join(lower)} in the recipe and type the same command to continue; or "
        if lower
        else ""
    )
    other = f"max_length ({recipe.max_length})" + (
        "" if recipe.lora else ", or train adapters with [lora]"
    )
    return MachineError(
        f"memory ran out {when}", _kept(checkpoints), f"{same}start over with a lower {other}"
    )


def _kept(checkpoints: Path) -> str:
    last = last_checkpoint(checkpoints)
    return (
        f"the checkpoint of step {step_of(last)} is kept" if last else "there is no checkpoint yet"
    )
