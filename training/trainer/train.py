"""One training run, from a derived set to a model with a card.

Errors of the input are reported before anything heavy is loaded. Recipe, data and initial model
identify a run. Rerunning the same command resumes at the last checkpoint, or does nothing if the run
is finished; a folder with another run is refused.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from venus_toolkit.core.activity import doing
from venus_toolkit.core.errors import MachineError, UsageError
from venus_toolkit.core.extras import require
from venus_toolkit.core.store import Store
from venus_toolkit.dataset.card.model_card import render_model_card
from venus_toolkit.training.recipe import GRPO, Recipe
from venus_toolkit.training.reward.grpo_reward import RewardFunction
from venus_toolkit.training.trainer.data import TrainingSet, fit_rows, open_set
from venus_toolkit.training.trainer.fit import (
    Log,
    Progress,
    attribute_errors,
    devices,
    fit,
    is_main,
    keep_to_own_cores,
    quiet,
    wait_for_others,
)
from venus_toolkit.training.trainer.model_files import (
    load_config,
    load_model,
    load_tokenizer,
    model_identity,
    parse_model,
    save_model,
)
from venus_toolkit.training.trainer.run_directory import (
    CHECKPOINTS,
    RunDirectory,
    TrainedModel,
    last_checkpoint,
    step_of,
)
from venus_toolkit.training.trainer.trainers import make_trainer, notes, trl_config, whole_model
from venus_toolkit.training.trainer.training_card import environment, model_facts


def train(
    recipe: Recipe,
    data: str | Path | TrainingSet,
    out: Path,
    *,
    languages: Sequence[str] = (),
    objectives: Sequence[str] = (),
    reward: RewardFunction | None = None,
    resume: bool = True,
    command: str = "",
    progress: Progress = lambda *_: None,
    on_log: Log = lambda _: None,
) -> TrainedModel:
    """Train a model into the folder `out`; resumes an interrupted run.

    Args:
        recipe: The recipe; training starts from its ``model``.
        data: A release folder, ``owner/name@version``, or an opened set.
        out: The folder for the model.
        languages: Languages of the sets; empty for all.
        objectives: Objectives of the sets; empty for all.
        reward: The reward function; required for GRPO, refused otherwise.
        resume: Resume the run in the folder; if False, remove that run.
        command: The typed command, for the card.
        progress: Called with a stage, the amount done, and the total.
        on_log: Called with the figures of each logged step, such as ``loss`` and ``reward``.

    Raises:
        UsageError: The data, the recipe or the model does not fit the method, or the folder holds
            another run.
        TrainingError: The loss or the gradients are not numbers; the last checkpoint is kept.
        MachineError: Memory ran out, or a package is missing.
        StoreError: The folder cannot be written, or another run is writing into it.
    """
    if (recipe.method == GRPO) != (reward is not None):
        problem = (
            "GRPO needs a reward" if recipe.method == GRPO else f"{recipe.method} takes no reward"
        )
        raise UsageError(
            problem, "the rewards of GRPO run and measure every answer", "see docs/train-grpo.md"
        )
    chosen = (
        data
        if isinstance(data, TrainingSet)
        else open_set(data, recipe.method, languages, objectives)
    )
    check_machine()
    keep_to_own_cores()
    with ExitStack() as stack:
        stack.enter_context(quiet())
        parse_model(recipe.model, progress)  # may download the embedded model
        model_config = load_config(recipe)
        tokenizer = load_tokenizer(recipe)
        identity = {
            "recipe": recipe.plain(),
            "data": {
                "name": chosen.name,
                "revision": chosen.revision,
                "digest": chosen.digest,
                "languages": list(chosen.languages),
                "splits": {config: list(splits) for config, splits in chosen.splits.items()},
            },
            "model": model_identity(recipe, model_config),
        }
        config = trl_config(recipe, out / CHECKPOINTS)
        directory = RunDirectory(out, stack.enter_context(Store(out)) if is_main() else None)
        directory.begin(identity, resume)
        # The main process may refuse or clear the folder, so the others wait before they read it.
        wait_for_others()
        done = directory.done()
        if done:
            return directory.trained(done)
        watch = (progress, on_log) if is_main() else (lambda *_: None, lambda _: None)
        return _run(recipe, chosen, tokenizer, config, identity, directory, reward, command, *watch)


def check_machine() -> None:
    """Check packages and GPUs early, because they would fail later with a worse message.

    Raises:
        MachineError: A package is missing.
        UsageError: One process sees several GPUs.
    """
    try:
        import torch
        import trl  # noqa: F401
    except ImportError as error:
        require("train")
        raise MachineError(
            "this environment cannot train", str(error), "type: pip check"
        ) from error
    # The trainer would use DataParallel there, which multiplies the batch by the number of GPUs.
    if devices() == 1 and torch.cuda.device_count() > 1:
        count = torch.cuda.device_count()
        fix = (
            f"accelerate launch --num_processes {count} -m venus_toolkit train …, or "
            "CUDA_VISIBLE_DEVICES=0 for one"
        )
        raise UsageError(f"one process sees {count} GPUs", "each GPU needs its own process", fix)


def _run(
    recipe: Recipe,
    data: TrainingSet,
    tokenizer: Any,
    config: Any,
    identity: Mapping[str, Any],
    directory: RunDirectory,
    reward: RewardFunction | None,
    command: str,
    progress: Progress,
    on_log: Log,
) -> TrainedModel:
    """Train, write the model, and record last that the run is finished.

    `config` is TRL's; `identity` has the recipe, data and initial model of the run.
    """
    began = time.monotonic()
    checkpoint = last_checkpoint(directory.checkpoints)
    fitting = fit_rows(data.read(directory.cache), tokenizer, recipe, progress)
    with (
        attribute_errors(recipe, directory.checkpoints, lambda: "while the model was loaded"),
        doing(f"loading {recipe.model}"),
    ):
        model = load_model(recipe, config.bf16)
        trainer = make_trainer(recipe, config, model, tokenizer, fitting, reward, data.templates)
    reached = step_of(checkpoint) if checkpoint else 0
    # Steps after the checkpoint are repeated.
    lines: list[Mapping[str, Any]] = [
        line for line in directory.read_log() if line["step"] <= reached
    ]
    directory.write_log(lines)
    before_s = lines[-1].get("seconds", 0.0) if lines else 0.0

    def log(line: Mapping[str, Any]) -> None:
        lines.append({**line, "seconds": before_s + time.monotonic() - began})
        directory.add_to_log(lines[-1])
        on_log(lines[-1])

    fit(trainer, checkpoint, recipe, progress, log)
    steps = int(trainer.state.global_step)
    remarks = notes(recipe, steps)
    if fitting.overlong:
        remarks.append(
            f"{fitting.overlong} rows of more than {recipe.max_length} tokens were left out."
        )
    before = RunDirectory(
        Path(recipe.model), None
    ).done()  # if that model was trained by the toolkit
    if before:
        known = before["data"]
        remarks.append(
            f"It began from a model of {before['recipe']['method']}: {known['name']} at "
            f"{known['revision']}."
        )
    facts = {
        **identity,
        # the first model of the chain, for the card
        "base": before["base"] if before else identity["model"],
        "prompting": data.prompting(),
        "rows": len(fitting.rows),
        "held_out": len(fitting.held_out or ()),
        "overlong": fitting.overlong,
        "longest": fitting.longest,
        "steps": steps,
        "notes": remarks,
        "environment": environment("bf16" if config.bf16 else "fp32", devices()),
        "resumed_from": reached,
        "seconds": before_s + time.monotonic() - began,
        "command": command,
    }
    with (
        attribute_errors(recipe, directory.checkpoints, lambda: "while the model was written"),
        doing(f"writing {directory.folder}"),
    ):
        trained = whole_model(trainer, recipe, config.bf16)
        if is_main():
            save_model(trained, tokenizer, directory.folder, recipe.merge, config.bf16)
    if is_main():
        directory.write_card(
            render_model_card(model_facts(facts, directory.folder.resolve().name), directory.card())
        )
        directory.finish(facts)
    wait_for_others()  # the next method of a chain loads this model
    return directory.trained(facts, lines)


def continue_from(recipe: Recipe, earlier: TrainedModel) -> Recipe:
    """Return a recipe that starts from a trained model, which has its own chat template."""
    return replace(recipe, model=str(earlier.folder), chat_template="")
