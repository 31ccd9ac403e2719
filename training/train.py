"""One training run, from a derived set to a model with a card; what is missing is said before anything heavy is loaded.

A run is its recipe, its data and the model that it begins from. Typed again it goes on at its last checkpoint; once it
is done it is not done again; and a folder in which another run lies is refused.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.card import render_model_card
from venus_toolkit.errors import MachineError, UsageError
from venus_toolkit.store import Store
from venus_toolkit.training.card import environment, model_facts
from venus_toolkit.training.data import Fitting, Progress, TrainingSet, fit_rows, open_set
from venus_toolkit.training.dpo import dpo_trainer
from venus_toolkit.training.fit import (
    Fitted,
    devices,
    explained,
    fit,
    is_main,
    keep_to_own_cores,
    notes,
    quiet,
    wait_for_others,
)
from venus_toolkit.training.grpo import RewardFunction, grpo_trainer
from venus_toolkit.training.model import (
    choose_precision,
    load_config,
    load_model,
    load_tokenizer,
    model_identity,
    save_model,
)
from venus_toolkit.training.place import Place
from venus_toolkit.training.recipe import DPO, GRPO, Recipe
from venus_toolkit.training.sft import sft_trainer

EXTRA = "pip install 'venus-toolkit[train]', after the torch that your machine takes"


@dataclass(frozen=True, slots=True)
class Trained:
    """A model that was trained.

    Attributes:
        folder: Where it lies; another run takes it as its ``model``.
        method: sft, dpo, cold-start or grpo.
        steps: Optimiser steps, those before a stop included.
        rows: That it learned from.
        overlong: Rows that did not fit into the context.
        seconds: Wall time of the last call that trained.
        resumed_from: The step at which that call went on; 0: at the beginning.
        log: Figures of each step that was logged, such as ``loss`` and ``reward``.
        notes: Sentences on what is not as one may think.
        facts: All of training.json.
    """

    folder: Path
    method: str
    steps: int
    rows: int
    overlong: int
    seconds: float
    resumed_from: int
    log: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]
    facts: Mapping[str, Any]


class _Ready(NamedTuple):
    """All that a run needs before its weights."""

    recipe: Recipe
    data: TrainingSet
    tokenizer: Any
    precision: str
    identity: dict[str, Any]


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
) -> Trained:
    """Train a model; goes on where an earlier call was stopped.

    Args:
        recipe: How; its ``model`` is what training begins from.
        data: A release folder, ``owner/name@version``, or a set that was opened already.
        out: The folder that the model is written into.
        languages: Of the sets that are taken; none: all that there are.
        objectives: Of those sets; none: all that they have.
        reward: What answers are worth; GRPO needs one.
        resume: Go on with what lies in the folder; else it is removed.
        command: What was typed, for the card.
        progress: Told a stage, how much of it is done, and how much there is.

    Raises:
        UsageError: The data, the recipe or the model is not what the method needs, or another run lies in the folder.
        TrainingError: The loss is no number any more; the last checkpoint is kept.
        MachineError: Memory ran out, or a package is missing.
        StoreError: The folder cannot be written, or another run is writing into it.
    """
    if (recipe.method == GRPO) != (reward is not None):
        what = "GRPO needs a reward" if recipe.method == GRPO else f"{recipe.method} takes no reward"
        raise UsageError(what, "answers are worth what they cost when they run", "see docs/train-grpo.md")
    chosen = data if isinstance(data, TrainingSet) else open_set(data, recipe.method, languages, objectives)
    check_machine()
    keep_to_own_cores()
    ready = _prepare(recipe, chosen)
    with ExitStack() as stack:
        place = Place(out, stack.enter_context(Store(out)) if is_main() else None)
        place.begin(ready.identity, resume)
        wait_for_others()
        done = place.done()
        stack.enter_context(quiet())
        told = progress if is_main() else _silent
        return _again(place, done) if done else _run(ready, place, reward, command, told)


def _silent(*_: object) -> None:
    """Tell nobody how far it is."""


def check_machine() -> None:
    """Refuse what would fail later with a worse message.

    Raises:
        MachineError: A package is missing.
        UsageError: Several GPUs are in sight of one process.
    """
    try:
        import torch
        import trl  # noqa: F401
    except ImportError as error:
        raise MachineError("this environment cannot train", str(error), EXTRA) from error
    if devices() == 1 and torch.cuda.device_count() > 1:
        count = torch.cuda.device_count()
        fix = f"accelerate launch --num_processes {count} -m venus_toolkit train …, or CUDA_VISIBLE_DEVICES=0 for one"
        raise UsageError(f"{count} GPUs are in sight of one process", "each takes a process of its own", fix)


def _prepare(recipe: Recipe, data: TrainingSet) -> _Ready:
    config = load_config(recipe)
    tokenizer = load_tokenizer(recipe)
    told = {
        "recipe": recipe.plain(),
        "data": {
            "name": data.name,
            "revision": data.revision,
            "digest": data.digest,
            "languages": list(data.languages),
            "splits": {config: list(splits) for config, splits in data.splits.items()},
        },
        "model": model_identity(recipe, config),
    }
    return _Ready(recipe, data, tokenizer, choose_precision(recipe), told)


def _run(ready: _Ready, place: Place, reward: RewardFunction | None, command: str, progress: Progress) -> Trained:
    """Train, write the model, and say last that it is done."""
    began = time.monotonic()
    checkpoint = place.last_checkpoint()
    fitting = fit_rows(ready.data.read(place.cache), ready.tokenizer, ready.recipe, progress)
    with explained(ready.recipe, place.checkpoints, lambda: "while the model was loaded"):
        trainer = _trainer(ready, fitting, place.checkpoints, reward)
    fitted = fit(trainer, checkpoint, ready.recipe, progress)
    facts = _facts(ready, fitting, fitted, time.monotonic() - began, command)
    if is_main():
        trained = trainer.accelerator.unwrap_model(trainer.model)
        with explained(ready.recipe, place.checkpoints, lambda: "while the model was written"):
            save_model(trained, ready.tokenizer, place.folder, ready.recipe.merge, ready.precision)
        place.write_log(fitted.log)
        place.write_card(render_model_card(model_facts(facts, place.folder.resolve().name), place.card()))
        place.finish(facts)
    wait_for_others()  # the next of a chain loads what is written here
    return _trained(place.folder, facts, fitted.log)


def _trainer(ready: _Ready, fitting: Fitting, checkpoints: Path, reward: RewardFunction | None) -> Any:
    recipe = ready.recipe
    told = (load_model(recipe, ready.precision), ready.tokenizer, fitting.rows, checkpoints, ready.precision)
    if reward is not None:
        return grpo_trainer(recipe, *told, reward)
    return dpo_trainer(recipe, *told) if recipe.method == DPO else sft_trainer(recipe, *told)


def _begun_from(recipe: Recipe) -> dict[str, Any] | None:
    """Return what is said of the model that a run begins from, where that was trained here too."""
    return Place(Path(recipe.model), None).done()


def _facts(ready: _Ready, fitting: Fitting, fitted: Fitted, seconds: float, command: str) -> dict[str, Any]:
    import torch

    said = notes(ready.recipe, fitted.steps, torch.cuda.is_available())
    if fitting.overlong:
        said.append(f"{fitting.overlong} rows of more than {ready.recipe.max_length} tokens were left out.")
    before = _begun_from(ready.recipe)
    if before:
        data = before["data"]
        said.append(f"It began from a model of {before['recipe']['method']}: {data['name']} at {data['revision']}.")
    return {
        **ready.identity,
        "base": before["base"] if before else ready.identity["model"],
        "rows": len(fitting.rows),
        "overlong": fitting.overlong,
        "longest": fitting.longest,
        "steps": fitted.steps,
        "resumed_from": fitted.resumed_from,
        "seconds": seconds,
        "notes": said,
        "command": command,
        "environment": environment(ready.precision, devices()),
    }


def _again(place: Place, done: Mapping[str, Any]) -> Trained:
    return _trained(place.folder, done, tuple(place.read_log()))


def _trained(folder: Path, facts: Mapping[str, Any], log: tuple[Mapping[str, Any], ...]) -> Trained:
    return Trained(
        folder=folder,
        method=facts["recipe"]["method"],
        steps=facts["steps"],
        rows=facts["rows"],
        overlong=facts["overlong"],
        seconds=facts["seconds"],
        resumed_from=facts["resumed_from"],
        log=log,
        notes=tuple(facts["notes"]),
        facts=facts,
    )


def after(recipe: Recipe, earlier: Trained) -> Recipe:
    """Return a recipe that begins from a model that was trained."""
    return replace(recipe, model=str(earlier.folder))
