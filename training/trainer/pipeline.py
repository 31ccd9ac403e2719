"""The paper's chain of methods: each starts from the model of an earlier one.

    base ─▶ cold start ─┬─▶ SFT ─▶ DPO
                        └─▶ GRPO

Without cold start, SFT starts from the base model. Each model has a folder of its own below the
output folder. A second call resumes the interrupted method and does not repeat finished ones.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from venus_toolkit.core.errors import UsageError
from venus_toolkit.training.recipe import COLD_START, DPO, FOLDER, GRPO, SFT, Recipe, read_recipe
from venus_toolkit.training.reward.grpo_reward import RewardFunction
from venus_toolkit.training.trainer.data import TrainingSet, open_set
from venus_toolkit.training.trainer.fit import Log, Progress, quiet
from venus_toolkit.training.trainer.run_directory import CHECKPOINTS, TrainedModel
from venus_toolkit.training.trainer.train import check_machine, continue_from, train
from venus_toolkit.training.trainer.trainers import trl_config

BASE = "base"
BEGINS_FROM: Mapping[str, str] = {COLD_START: BASE, SFT: COLD_START, DPO: SFT, GRPO: COLD_START}


def read_recipes(name: str, methods: Sequence[str], **flags: object) -> dict[str, Recipe]:
    """Return a recipe for each method, with flags over all of them as in `read_recipe`.

    `name` is ``recommended``, ``paper``, ``small``, or a folder with ``sft.toml`` and the like.

    Raises:
        UsageError: The recipe does not exist, or is for another method.
    """
    files = {method: Path(name) / f"{method}.toml" for method in methods}
    if name in ("recommended", "paper", "small"):
        variants = {method: FOLDER / f"{method}-{name}.toml" for method in methods}
        # Without a file for this variant, the method has a single recipe.
        files = {
            m: file if file.is_file() else FOLDER / f"{m}.toml" for m, file in variants.items()
        }
    recipes = {method: read_recipe(str(file), **flags) for method, file in files.items()}
    for method, recipe in recipes.items():
        if recipe.method != method:
            file = files[method]
            raise UsageError(
                f"{file} is not a recipe for {method}",
                f"its method is {recipe.method}",
                "rename it",
            )
    return recipes


def order_methods(methods: Sequence[str]) -> list[str]:
    """Return methods in the order in which they can run.

    Raises:
        UsageError: A method starts from the model of a missing method.
    """
    ordered = [method for method in BEGINS_FROM if method in methods]
    for method in ordered:
        needs = BEGINS_FROM[method]
        # Without cold start, SFT starts from the base model.
        if needs not in (BASE, *ordered) and method != SFT:
            fix = f"name it too, or train {method} alone: venus train {method} --model FOLDER"
            raise UsageError(
                f"{method} starts from the {needs} model", f"{needs} is not in the chain", fix
            )
    return ordered


def run_pipeline(
    recipes: Mapping[str, Recipe],
    data: str | Path,
    out: Path,
    *,
    languages: Sequence[str] = (),
    objectives: Sequence[str] = (),
    make_reward: Callable[[Recipe, TrainingSet], RewardFunction],
    resume: bool = True,
    command: str = "",
    progress: Progress = lambda *_: None,
    on_log: Log = lambda _: None,
) -> dict[str, TrainedModel]:
    """Train the chain; returns the model of each method.

    All sets, recipes and the reward are checked before the first method starts. The chain starts
    from the ``model`` of the first recipe. Each model gets a folder below `out`; other arguments are
    those of `train`.

    Raises:
        VenusError: Any error of `train`.
    """
    methods = order_methods(list(recipes))
    sets = {method: open_set(data, method, languages, objectives) for method in methods}
    check_machine()
    import torch

    with quiet():
        for method in methods:
            # refuse a recipe now, not hours later
            trl_config(recipes[method], out / method / CHECKPOINTS)
    reward = make_reward(recipes[GRPO], sets[GRPO]) if GRPO in methods else None
    trained: dict[str, TrainedModel] = {}
    for method in methods:
        earlier = trained.get(BEGINS_FROM[method])
        trained[method] = train(
            continue_from(recipes[method], earlier) if earlier else recipes[method],
            sets[method],
            out / method,
            reward=reward if method == GRPO else None,
            resume=resume,
            command=command,
            progress=progress,
            on_log=on_log,
        )
        gc.collect()  # frees the memory of the previous model
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
    return trained
