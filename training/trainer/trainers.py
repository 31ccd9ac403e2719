"""TRL's trainer for each method, with the configuration that a recipe gives it.

Supervised fine-tuning, which includes cold start, learns the answer and not the prompt: the loss is
the mean of -log p(token | prompt, answer so far) over the answer's tokens.

Direct preference optimisation makes the more efficient solution more likely than the less efficient
one (Rafailov et al. 2023). p0 is the initial model; with adapters it is the model without them,
loaded only once:

    L = -log sigmoid(beta * [log p(chosen)/p0(chosen) - log p(rejected)/p0(rejected)])

Group relative policy optimisation compares the rewards of answers to one prompt (Shao et al. 2024;
the mean over tokens is that of DAPO, Yu et al. 2025). A penalty for the distance to the initial model
is added only if ``beta`` is above 0. An answer without a reward (None) is left out of the mean and of
the update:

    A_i = (R_i - mean R) / std R    over the answers to one prompt
    L   = -sum over tokens of min(r * A, clip(r, 0.8, 1.2) * A) / number of tokens,    r = p(token) / p_before(token)
"""

from __future__ import annotations

import warnings
from importlib.metadata import requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from venus_toolkit.core.errors import TrainingError, UsageError
from venus_toolkit.training.recipe import CONFIGS, DPO, GRPO, SEE, Recipe
from venus_toolkit.training.reward.grpo_reward import ExecutionReward, RewardFunction
from venus_toolkit.training.trainer.data import Fitting
from venus_toolkit.training.trainer.fit import devices, is_main
from venus_toolkit.training.trainer.model_files import load_model, parse_model
from venus_toolkit.training.turns import Turns, require_whole_groups


def trl_config(recipe: Recipe, checkpoints: Path) -> Any:
    """Return TRL's configuration of a run: the recipe's keys, and settings of this machine.

    Raises:
        UsageError: TRL refuses a value, or this machine cannot run the recipe.
    """
    import torch
    import trl

    on_gpu = torch.cuda.is_available()
    steps = recipe.trl["gradient_accumulation_steps"]
    # TRL would multiply the batch by the number of devices; the paper's batch is over all devices.
    if steps % devices():
        reason = f"gradient_accumulation_steps {steps} is not a multiple of {devices()} devices"
        fix = "change per_device_train_batch_size and gradient_accumulation_steps in the recipe"
        raise UsageError("the batch cannot be spread over the devices", reason, fix)
    evaluation: dict[str, Any] = {}  # keys in the recipe override it
    if recipe.evaluates:
        # TRL takes whole groups of answers at once.
        at_once = recipe.trl.get("num_generations_eval") or recipe.trl.get("num_generations")
        at_once = at_once or recipe.trl["per_device_train_batch_size"]
        evaluation = {"eval_strategy": "steps", "per_device_eval_batch_size": at_once}
    keys = {
        "data_seed": recipe.trl["seed"],
        "dataloader_pin_memory": on_gpu,
        "run_name": checkpoints.parent.name,
        **evaluation,
        **recipe.trl,
        "gradient_accumulation_steps": steps // devices(),
        "optim": optimizer(recipe, on_gpu),
        "bf16": computes_in_bf16(recipe),
        "use_cpu": not on_gpu,
        "output_dir": str(checkpoints),
        "save_strategy": "steps",
        # a loss that is not a number must be visible, not smoothed away
        "logging_nan_inf_filter": False,
        "disable_tqdm": True,
    }
    if recipe.method == GRPO:
        # the reward needs the other columns
        keys |= {"remove_unused_columns": False, **_vllm(recipe, on_gpu)}
    else:
        keys["max_length"] = recipe.max_length
    revision = parse_model(recipe.model).revision
    if recipe.method == DPO and recipe.lora is None and revision:
        # for the reference model, which TRL loads by name
        keys["model_init_kwargs"] = {"revision": revision}
    try:
        return getattr(trl, CONFIGS[recipe.method])(**keys)
    except (TypeError, ValueError) as error:
        raise UsageError(
            "TRL refuses the recipe", str(error).strip().split("\n")[0], SEE
        ) from error


def make_trainer(
    recipe: Recipe,
    config: Any,
    model: Any,
    tokenizer: Any,
    fitting: Fitting,
    reward: RewardFunction | None,
    templates: Path | None = None,
) -> Any:
    """Return TRL's trainer for the rows of a method; `templates` are for prompts of later turns.

    Raises:
        UsageError: peft refuses the recipe's adapters, or several turns are not possible.
    """
    import trl

    trainer = getattr(trl, CONFIGS[recipe.method].replace("Config", "Trainer"))
    more: dict[str, Any] = {"eval_dataset": fitting.held_out}
    if reward is not None:
        more["reward_funcs"] = [reward]
    if recipe.turns > 1:
        if not isinstance(reward, ExecutionReward):
            reason = "this reward returns no verdict to show in the next prompt"
            raise UsageError(
                f"cannot train with turns = {recipe.turns}",
                reason,
                "use ExecutionReward, or set turns = 1",
            )
        require_whole_groups(config)
        rows = [*fitting.rows, *(fitting.held_out or ())]
        more["rollout_func"] = Turns(rows, reward, recipe.turns, templates, recipe.feedback)
    if recipe.lora is not None:
        more["peft_config"] = _adapters(recipe)
    with warnings.catch_warnings():
        # documented in docs/train-grpo.md
        warnings.filterwarnings("ignore", "You are using 'rollout_func'")
        return trainer(
            model=model, args=config, train_dataset=fitting.rows, processing_class=tokenizer, **more
        )


def _adapters(recipe: Recipe) -> Any:
    """Return peft's configuration of the recipe's adapters.

    Raises:
        UsageError: peft refuses it.
    """
    from peft import LoraConfig

    try:
        return LoraConfig(task_type="CAUSAL_LM", **(recipe.lora or {}))
    except (TypeError, ValueError) as error:
        raise UsageError(
            "peft refuses [lora] in the recipe", str(error).split("\n")[0], SEE
        ) from error


def whole_model(trainer: Any, recipe: Recipe, bf16: bool) -> Any:
    """Return the trained model in the main process, None in the others; every process must call it.

    If weights are sharded (FSDP, ZeRO-3), each process contributes its part. The main process loads
    the initial model again on its CPU and copies the weights into it, because adapters can only be
    merged into whole weights.
    """
    accelerator = trainer.accelerator
    if not is_sharded(trainer):
        return accelerator.unwrap_model(trainer.model) if is_main() else None
    weights = accelerator.get_state_dict(trainer.model_wrapped)
    if not is_main():
        return None
    model = load_model(recipe, bf16)
    if recipe.lora is not None:
        from peft import get_peft_model

        model = get_peft_model(model, _adapters(recipe))
    mismatch = model.load_state_dict(weights, strict=False)
    # Tied weights are gathered only once.
    lost = [
        name
        for name in mismatch.missing_keys
        if name not in getattr(model, "all_tied_weights_keys", {})
    ]
    if lost or mismatch.unexpected_keys:
        names = ", ".join([*lost, *mismatch.unexpected_keys][:4])
        fix = "evaluate the last checkpoint, and report this"
        raise TrainingError("the sharded weights are not those of the model", names, fix)
    model.tie_weights()
    return model


def is_sharded(trainer: Any) -> bool:
    """Return whether each process has only a part of the weights."""
    plugin = getattr(trainer.accelerator.state, "deepspeed_plugin", None)
    return bool(trainer.is_fsdp_enabled or (plugin and plugin.zero_stage == 3))


def computes_in_bf16(recipe: Recipe) -> bool:
    """Return whether a run computes in bf16, not fp32; by default if a GPU supports it.

    Raises:
        UsageError: The recipe sets bf16 and this GPU does not support it.
    """
    import torch

    setting, on_gpu = recipe.trl.get("bf16"), torch.cuda.is_available()
    has_bf16 = not on_gpu or torch.cuda.is_bf16_supported()
    if setting and not has_bf16:
        raise UsageError(
            "this GPU has no bf16", torch.cuda.get_device_name(), "set bf16 = false in the recipe"
        )
    return on_gpu and has_bf16 if setting is None else bool(setting)


def optimizer(recipe: Recipe, on_gpu: bool) -> str:
    """Return the name of the optimiser; on a CPU, adamw_torch replaces the 8-bit one.

    Raises:
        UsageError: The run is on a GPU and bitsandbytes is not installed.
    """
    name = str(recipe.trl["optim"])
    if "bnb" not in name:
        return name
    if on_gpu and not find_spec("bitsandbytes"):
        problem = f"the recipe's optimiser {name} is not installed"
        raise UsageError(
            problem,
            "it is in bitsandbytes",
            'pip install bitsandbytes, or set optim = "adamw_torch"',
        )
    return name if on_gpu else "adamw_torch"


def _vllm(recipe: Recipe, on_gpu: bool) -> dict[str, Any]:
    """Return TRL's keys for vLLM; by default vLLM generates if it is installed and the run has a GPU.

    Raises:
        UsageError: The recipe requires vLLM, and the GPU or the package is missing.
    """
    keys, can = recipe.trl, on_gpu and find_spec("vllm") is not None
    setting = keys.get("use_vllm", True if keys["vllm_mode"] == "server" else None)
    if setting and not can:
        reason = "it is not installed" if on_gpu else "this machine has no GPU"
        raise UsageError(
            "vLLM cannot generate the answers", reason, "set use_vllm = false in the recipe"
        )
    if can and setting is not False:
        require_supported_vllm()
    return {"vllm_max_model_length": keys.get("vllm_max_model_length", recipe.max_length),
            "use_vllm": can if setting is None else setting}  # fmt: skip


def require_supported_vllm() -> None:
    """Refuse a version of vLLM outside the range in TRL's metadata.

    TRL itself would only warn, and fail in the first step.

    Raises:
        UsageError: The version is not supported; the error names those that are.
    """
    from packaging.requirements import Requirement  # comes with TRL
    from packaging.version import Version

    supported = [
        Requirement(requirement)
        for requirement in requires("trl") or ()
        if requirement.startswith("vllm")
    ]
    installed = version("vllm")
    for requirement in supported:
        if not requirement.specifier.contains(Version(installed).base_version, prereleases=True):
            reason = f"TRL {version('trl')} supports vllm{requirement.specifier}"
            fix = (
                f"pip install 'vllm{requirement.specifier}', or set use_vllm = false in the recipe"
            )
            raise UsageError(f"vLLM {installed} cannot generate the answers", reason, fix)


def notes(recipe: Recipe, total: int) -> list[str]:
    """Return sentences about surprises in a run of `total` steps, such as a replaced optimiser."""
    import torch

    keys, remarks = recipe.trl, []
    if optimizer(recipe, torch.cuda.is_available()) != keys["optim"]:
        remarks.append(f"adamw_torch replaced {keys['optim']}, which needs a GPU.")
    if keys["lr_scheduler_type"] != "constant" and 0 < total <= keys["warmup_steps"]:
        remarks.append(
            f"The run of {total} steps ended within the {keys['warmup_steps']} steps of warm-up."
        )
    if keys["max_steps"] > 0:
        remarks.append(
            f"It was stopped after {keys['max_steps']} steps, whatever the epochs would have taken."
        )
    return remarks
