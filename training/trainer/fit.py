"""The training loop that every method shares: its processes, its progress and its failures.

A loss that is not a number ends the run before it changes a weight, so the last checkpoint stays
good. If memory runs out or the sandbox is lost, the run ends and keeps its checkpoint: rerun the
same command to resume.
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
    """Return the number of processes that the launcher started, one for each device."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_main() -> bool:
    """Return whether this process writes files and reports progress."""
    return int(os.environ.get("RANK", "0")) == 0


@contextmanager
def quiet() -> Iterator[None]:
    """Silence progress bars and future warnings of the libraries."""
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
    """Return (index, count): this process's part of the visible cores, for `part_of`.

    The launcher sets the number of processes on this machine. Cores are divided only once: after
    `keep_to_own_cores`, all visible cores belong to this process.
    """
    if _kept_to_own_cores:
        return 0, 1
    return int(os.environ.get("LOCAL_RANK") or 0), int(os.environ.get("LOCAL_WORLD_SIZE") or 1)


def keep_to_own_cores() -> None:
    """Restrict this process to its own cores.

    Measured programs must not share cores with the computation of another process. Nothing changes
    if processes outnumber cores, or at a second call (by the next method of a chain).
    """
    global _kept_to_own_cores
    cores, (index, count) = usable_cores(), own_part()
    if 1 < count <= len(cores):
        # the same cores that a reward takes for its programs
        os.sched_setaffinity(0, part_of(cores, index, count))
        _kept_to_own_cores = True


def wait_for_others() -> None:
    """Wait until every process of the run has called this function."""
    if devices() > 1:
        from accelerate import PartialState

        PartialState().wait_for_everyone()


def leave_others() -> None:
    """Leave the process group at the end of a command; a process that just exits may be aborted."""
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

    `log` is called with the figures of each logged step.

    Raises:
        TrainingError: The loss or the gradients are not numbers.
        MachineError: Memory ran out.
        SandboxError: The sandbox failed for too many answers.
    """
    import torch
    from transformers import TrainerCallback
    from transformers.trainer_callback import PrinterCallback

    class Watch(TrainerCallback):  # type: ignore[misc]
        """Reports progress and figures, and ends the run if gradients are not numbers."""

        # Checked before the optimiser's step, so that weights and checkpoints stay good.
        def on_pre_optimizer_step(
            self, args: Any, state: Any, control: Any, *, model: Any, **_: Any
        ) -> None:
            norm: Any = torch.nn.utils.get_total_norm(
                [p.grad for p in model.parameters() if p.grad is not None]
            )
            # Each process has a part of sharded weights: full_tensor() is the norm over all parts.
            if not torch.isfinite(norm.full_tensor() if hasattr(norm, "full_tensor") else norm):
                raise FloatingPointError(state.global_step + 1)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.is_world_process_zero:
                progress(recipe.method, state.global_step, state.max_steps)

        def on_log(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            # The trainer's last line sums up the run and belongs to no step.
            if state.is_world_process_zero and "train_runtime" not in state.log_history[-1]:
                log(known_figures(state.log_history[-1]))

    trainer.remove_callback(PrinterCallback)  # standard output is for data
    trainer.add_callback(Watch())
    with attribute_errors(
        recipe, Path(trainer.args.output_dir), lambda: f"at step {trainer.state.global_step + 1}"
    ):
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)


def known_figures(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return the logged figures of a step; NaN and infinity become None."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in line.items()
    }


@contextmanager
def attribute_errors(recipe: Recipe, checkpoints: Path, when: Callable[[], str]) -> Iterator[None]:
    """Translate errors of the libraries into the toolkit's own; this is the only place that does so.

    `when` returns the stage of the run in words.

    Raises:
        TrainingError: The loss or the gradients are not numbers.
        MachineError: Memory ran out.
        StoreError: The disk is full.
    """
    import torch
    from safetensors import SafetensorError

    try:
        yield
    except FloatingPointError as error:  # raised by the callback in `fit`
        problem = (
            f"training went wrong at step {error.args[0]}: its loss or gradients are not numbers"
        )
        fix = (
            "lower learning_rate or max_grad_norm in the recipe, then begin again with --no-resume"
        )
        raise TrainingError(problem, _checkpoint_note(checkpoints), fix) from error
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise _no_memory(recipe, checkpoints, when()) from error
    except (RuntimeError, OSError, SafetensorError) as error:
        # Recognised by text: torch raises a plain RuntimeError, safetensors an error of its own.
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
                f"{checkpoints.parent} cannot be written", _checkpoint_note(checkpoints), fix
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
        f"memory ran out {when}",
        _checkpoint_note(checkpoints),
        f"{same}start over with a lower {other}",
    )


def _checkpoint_note(checkpoints: Path) -> str:
    last = last_checkpoint(checkpoints)
    return f"the checkpoint of step {step_of(last)} is kept" if last else "no checkpoint exists yet"
