"""The chain of the paper: each method begins from the model of the one before it.

    base ─▶ cold start ─┬─▶ SFT ─▶ DPO
                        └─▶ GRPO

Without cold start SFT begins from the base model. Each model has a folder of its own below the output folder. Typed
again, the chain goes on in the middle of the method that was stopped; one whose model is there is not done again.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from venus_toolkit.errors import UsageError
from venus_toolkit.training.data import Progress, TrainingSet, open_set
from venus_toolkit.training.grpo import RewardFunction
from venus_toolkit.training.recipe import COLD_START, DPO, FOLDER, GRPO, SFT, Recipe, read_recipe
from venus_toolkit.training.train import Trained, after, train

BASE = "base"
BEGINS_FROM: Mapping[str, str] = {COLD_START: BASE, SFT: COLD_START, DPO: SFT, GRPO: COLD_START}
ALSO_FROM_BASE = (SFT,)  # where cold start is left out
PAPER, SMALL = "paper", "small"
MakeReward = Callable[[Recipe, TrainingSet], RewardFunction]


def read_recipes(name: str, methods: Sequence[str], **flags: object) -> dict[str, Recipe]:
    """Return a recipe for each method.

    Args:
        name: ``paper``, ``small``, or a folder with ``sft.toml`` and the like.
        methods: Which.
        **flags: What is said of all of them, as in `read_recipe`.

    Raises:
        UsageError: There is no such recipe, or it is one for another method.
    """
    known = {PAPER: (FOLDER, ""), SMALL: (FOLDER, "-small")}
    folder, suffix = known.get(name, (Path(name), ""))
    found = {method: read_recipe(str(folder / f"{method}{suffix}.toml"), **flags) for method in methods}
    for method, recipe in found.items():
        if recipe.method != method:
            file = folder / f"{method}{suffix}.toml"
            raise UsageError(f"{file} is no recipe for {method}", f"its method is {recipe.method}", "rename it")
    return found


def order_methods(methods: Sequence[str]) -> list[str]:
    """Return methods in the order in which they can be done.

    Raises:
        UsageError: One begins from a model that none of the others makes.
    """
    ordered = [method for method in BEGINS_FROM if method in methods]
    for method in ordered:
        needs = BEGINS_FROM[method]
        if needs not in (BASE, *ordered) and method not in ALSO_FROM_BASE:
            fix = f"name it too, or train {method} alone: venus train {method} --model FOLDER"
            raise UsageError(f"{method} begins from the {needs} model", f"{needs} is not in the chain", fix)
    return ordered


def run_pipeline(
    recipes: Mapping[str, Recipe],
    data: str | Path,
    out: Path,
    *,
    languages: Sequence[str] = (),
    objectives: Sequence[str] = (),
    make_reward: MakeReward,
    resume: bool = True,
    command: str = "",
    progress: Progress = lambda *_: None,
) -> dict[str, Trained]:
    """Train the chain; returns the model of each method.

    Every set is looked for, and the reward is made, before the first method begins.

    Args:
        recipes: Of each method that is to be done; ``model`` of the first is what the chain begins from.
        data: A release folder, or ``owner/name@version``.
        out: The folder below which each model gets its own.
        languages: Of the sets that are taken; none: all that there are.
        objectives: Of those sets; none: all that they have.
        make_reward: Makes the reward of GRPO.
        resume: Go on where an earlier call was stopped; else begin again.
        command: What was typed, for the cards.
        progress: Told a stage, how much of it is done, and how much there is.

    Raises:
        VenusError: As `train` does.
    """
    methods = order_methods(list(recipes))
    sets = {method: open_set(data, method, languages, objectives) for method in methods}
    reward = make_reward(recipes[GRPO], sets[GRPO]) if GRPO in methods else None
    made: dict[str, Trained] = {}
    for method in methods:
        earlier = made.get(BEGINS_FROM[method])
        recipe = after(recipes[method], earlier) if earlier else recipes[method]
        told = replace(recipe, chat_template="") if earlier else recipe  # the earlier model has it already
        made[method] = train(
            told,
            sets[method],
            out / method,
            reward=reward if method == GRPO else None,
            resume=resume,
            command=command,
            progress=progress,
        )
        _free_memory()
    return made


def _free_memory() -> None:
    """Give back what the model before took."""
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
