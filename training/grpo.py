"""Group relative policy optimisation: answers to one prompt are judged, measured, and compared with each other.

    A_i = (R_i - mean R) / std R    over the answers to one prompt
    L   = -sum over tokens of min(r * A, clip(r, 0.8, 1.2) * A) / number of tokens,    r = p(token) / p_before(token)

without a term for the distance to the first model unless the recipe's ``kl`` says so (Shao et al. 2024, and the token
mean of DAPO, Yu et al. 2025). An answer whose reward is None is left out: it moves neither the mean nor the model.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from venus_toolkit.engine import EngineOptions
from venus_toolkit.errors import UsageError
from venus_toolkit.measure import MeasureOptions
from venus_toolkit.training.fit import settings
from venus_toolkit.training.grpo_reward import ExecutionReward
from venus_toolkit.training.model import adapters
from venus_toolkit.training.overlap import Submits, overlapping
from venus_toolkit.training.recipe import AUTO, COLOCATE, OFF, SERVER, Recipe
from venus_toolkit.training.reward_options import RewardOptions
from venus_toolkit.training.rewards import Weights

if TYPE_CHECKING:
    from venus_toolkit.language import Language
    from venus_toolkit.training.data import TrainingSet

Rewards = Sequence[float | None]


class RewardFunction(Protocol):
    """What answers are worth: one number each, or None where that cannot be known; may be a coroutine."""

    def __call__(self, *, prompts: Any, completions: Any, **columns: Any) -> Rewards | Awaitable[Rewards]:
        """Return a reward for each completion; `columns` are those of the GRPO set, and what TRL adds."""


def open_reward(
    recipe: Recipe,
    data: TrainingSet,
    sandbox: str,
    languages: Mapping[str, Language],
    engine: EngineOptions | None = None,
) -> ExecutionReward:
    """Return the paper's reward, measured in a sandbox with the tests of the release that a set was made from.

    Args:
        recipe: Whose ``reward`` says what each part counts.
        data: The GRPO set.
        sandbox: Where programs run: a name that `open_sandbox` knows.
        languages: By their id.
        engine: Over what the work is spread; None: this machine.

    Raises:
        MachineError: This machine cannot isolate programs, or there is no such cluster.
    """
    told, spread = recipe.reward, engine or EngineOptions()
    options = RewardOptions(
        weights=Weights(told.form, told.correctness, told.efficiency),
        final_efficiency=told.final_efficiency,
        measure=MeasureOptions(told.repeats),
        figure=told.figure,
        share_cores=told.share_cores,
        fresh=told.fresh,
        seed=recipe.seed,
        jobs=spread.jobs,
        engine=spread.name,
        ray_address=spread.address,
    )
    reward = ExecutionReward(data.release, sandbox, options, languages)
    assert reward.grader  # what it needs is opened, or missing, before a model is loaded
    return reward


def grpo_trainer(
    recipe: Recipe, model: Any, tokenizer: Any, rows: Any, checkpoints: Path, precision: str, reward: RewardFunction
) -> Any:
    """Return TRL's trainer for rows of ``prompt`` and whatever the reward takes."""
    from trl import GRPOConfig, GRPOTrainer

    told = {**settings(recipe, checkpoints, precision), **sampling(recipe), **roll_outs(recipe)}
    trainer = GRPOTrainer
    if recipe.grpo.slices > 1 and isinstance(reward, Submits):
        trainer = overlapping(trainer, reward, recipe.grpo.slices)
    return trainer(
        model=model,
        args=GRPOConfig(**told),
        train_dataset=rows,
        processing_class=tokenizer,
        peft_config=adapters(recipe),
        reward_funcs=[reward],
    )


def sampling(recipe: Recipe) -> dict[str, Any]:
    """Return how answers are written and what they are worth, in the words of TRL's ``GRPOConfig``."""
    told = recipe.grpo
    return {
        "num_generations": told.generations,
        "temperature": told.temperature,
        "max_completion_length": told.max_completion,
        "beta": told.kl,
        "entropy_coef": told.entropy,
        "loss_type": told.loss,
        "scale_rewards": told.scale,
        "num_iterations": told.updates,
        "remove_unused_columns": False,
    }


def roll_outs(recipe: Recipe) -> dict[str, Any]:
    """Return who writes the answers: vLLM where there is a GPU and it is installed, or as the recipe says.

    Raises:
        UsageError: The recipe wants vLLM, and there is no GPU, or it is not installed.
    """
    import torch

    told, on_gpu, there = recipe.vllm, torch.cuda.is_available(), find_spec("vllm") is not None
    mode = told.mode if told.mode != AUTO else (COLOCATE if on_gpu and there else OFF)
    if mode == OFF:
        return {"use_vllm": False}
    if not (on_gpu and there):
        why = "it is not installed beside TRL" if on_gpu else "there is no GPU, and it gets its weights from one"
        raise UsageError("vLLM cannot write the answers", why, 'say mode = "off" under [vllm] in the recipe')
    if mode == SERVER:
        return {
            "use_vllm": True,
            "vllm_mode": SERVER,
            "vllm_server_host": told.host,
            "vllm_server_port": told.port,
        }
    return {
        "use_vllm": True,
        "vllm_mode": COLOCATE,
        "vllm_gpu_memory_utilization": told.memory_share,
        "vllm_max_model_length": recipe.max_length,
    }
