"""A training recipe: one frozen dataclass, read from TOML, overridden by flags, saved with the model.

The libraries' keys are passed on unchanged: those of TRL's `SFTConfig`, `DPOConfig` or `GRPOConfig`
are at the top of the file or in [trl], those of peft's `LoraConfig` in [lora]. The other fields of
`Recipe` are the toolkit's own. The files in `recipes/` are the paper's (`sft`, `dpo`, `cold-start`,
`grpo-paper`), the recommended one for GRPO (`grpo`) and small ones for a laptop (`sft-small`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from venus_toolkit.core.activity import doing
from venus_toolkit.core.errors import MachineError, UsageError
from venus_toolkit.core.options import KINDS, fill, nearest, read_toml
from venus_toolkit.core.untrusted.trust import check_trust
from venus_toolkit.models.prompts import FEEDBACKS, VERDICT

FOLDER = Path(__file__).parent / "recipes"
SEE = "see docs/train.md"
SFT, DPO, COLD_START, GRPO = METHODS = ("sft", "dpo", "cold-start", "grpo")
# The configuration classes of TRL.
CONFIGS = {SFT: "SFTConfig", COLD_START: "SFTConfig", DPO: "DPOConfig", GRPO: "GRPOConfig"}
# The form of the answers that a method learns from or rewards (builders/derive/kinds.py).
FORMS: Mapping[str, str] = {SFT: "block", DPO: "block", COLD_START: "thinking", GRPO: "thinking"}
# The versions of TRL that `nox -s torch-test` tries; pyproject.toml names the same. Without
# Triton, 1.15 cannot train on a CPU.
OLDEST_TRL, NOT_TRL = "1.16", "1.17"

# Written out, so that a run and its card do not change when TRL changes one of its defaults.
DEFAULTS: Mapping[str, Any] = {
    "num_train_epochs": 1.0, "max_steps": -1, "per_device_train_batch_size": 4, "gradient_accumulation_steps": 16,
    "lr_scheduler_type": "cosine", "warmup_steps": 0, "max_grad_norm": 1.0, "weight_decay": 0.0,
    "optim": "adamw_torch", "gradient_checkpointing": True, "save_steps": 100, "save_total_limit": 2,
    "logging_steps": 1, "report_to": "none", "seed": 0,
}  # fmt: skip
OF_METHOD: Mapping[str, Mapping[str, Any]] = {
    DPO: {"beta": 0.1, "loss_type": "sigmoid"},
    GRPO: {
        "num_generations": 16, "max_completion_length": 2048, "temperature": 1.0, "num_iterations": 1,
        "beta": 0.0, "entropy_coef": 0.0, "loss_type": "dapo", "scale_rewards": "group",
        "vllm_mode": "colocate", "vllm_server_host": "127.0.0.1", "vllm_server_port": 8000,
        "vllm_gpu_memory_utilization": 0.3,
        "log_completions": True, "num_completions_to_print": 0,
    },
}  # fmt: skip
LORA: Mapping[str, Any] = {
    "r": 8,
    "lora_alpha": 16,
    "lora_dropout": 0.0,
    "target_modules": "all-linear",
}

# TRL checks these only in the first step, after the model is loaded.
LOSSES: Mapping[str, tuple[str, ...]] = {
    DPO: (
        "sigmoid", "hinge", "ipo", "exo_pair", "nca_pair", "robust", "bco_pair", "sppo_hard", "aot", "aot_unpaired",
        "apo_zero", "apo_down", "discopop", "sft", "sigmoid_norm",
    ),
    GRPO: ("dapo", "grpo", "dr_grpo", "bnpo", "cispo", "sapo", "luspo", "vespo"),
}  # fmt: skip
CHOICES: Mapping[str, tuple[Any, ...]] = {
    "method": METHODS,
    "overlong": ("drop", "refuse"),
    "feedback": FEEDBACKS,
    "reward.figure": ("wall", "cpu", "instructions"),
    "reward.rule": ("apart", "strict"),
    "scale_rewards": ("group", "batch", "none", True, False),
    "bf16": (True, False),
    "use_vllm": (True, False),
    "vllm_mode": ("colocate", "server"),
}
# The type, minimum and keys of the numbers that the toolkit computes with.
NUMBERS: tuple[tuple[type, float, str], ...] = (
    (int, -1, "max_steps"),
    (int, 0, "seed reward.fresh"),
    (
        int,
        1,
        "turns per_device_train_batch_size gradient_accumulation_steps save_steps "
        "save_total_limit logging_steps",
    ),
    (int, 1, "num_iterations max_completion_length eval_rows lora.r reward.repeats"),
    (int, 2, "max_length num_generations"),
    (
        float,
        0,
        "learning_rate num_train_epochs warmup_steps max_grad_norm weight_decay lora.lora_dropout",
    ),
    (float, 0, "temperature beta entropy_coef vllm_gpu_memory_utilization"),
    (float, 1, "lora.lora_alpha"),
)
BATCH = "per_device_train_batch_size · gradient_accumulation_steps"


@dataclass(frozen=True, slots=True)
class RewardSettings:
    """The reward of GRPO: the weights of the paper's three parts, and how programs are measured."""

    form: float = 0.2
    correctness: float = 0.5
    efficiency: float = 0.3
    # the weight of efficiency grows linearly to this; None: it is constant
    final_efficiency: float | None = None
    repeats: int = 3
    figure: str = "wall"  # what the objective ``time`` means: wall, cpu or instructions
    # costs that differ by no more than their standard errors are ties; strict: none are
    rule: str = "apart"
    fresh: int = 8  # maximum number of held-out tests for each problem
    reseed: bool = True  # each repeat has inputs of its own, where the problem has a generator
    share_cores: bool = True


@dataclass(frozen=True, slots=True)
class Recipe:
    """A training run in full."""

    method: str  # sft, dpo, cold-start or grpo
    # The arguments of the method's TRL configuration class, with `DEFAULTS`. The number of
    # gradient_accumulation_steps is that of a run on one device; several devices share it.
    trl: Mapping[str, Any]
    model: str = "Qwen/Qwen2.5-3B-Instruct"  # or a folder; with @revision where it matters
    chat_template: str = ""  # the file of a template, for models that have none
    max_length: int = 4096  # maximum number of tokens of a prompt with its answer
    overlong: str = "drop"  # drop longer rows, or refuse a set that has any
    merge: bool = True  # merge adapters into the saved model
    # held-out rows, with all rows of their problems, if eval_steps or eval_strategy is set
    eval_rows: int = 16
    lora: Mapping[str, Any] | None = None  # arguments of peft's LoraConfig; None: all weights
    reward: RewardSettings = field(default_factory=RewardSettings)  # only for GRPO
    # only for GRPO: with 2 or more, some groups of answers improve an earlier answer of the model
    turns: int = 1
    # how prompts of later turns describe a failing answer; diff quotes tests
    feedback: str = VERDICT

    @property
    def step_rows(self) -> int:
        """Rows in one optimiser step over all devices; with GRPO, answers."""
        return _step_rows(self.trl)

    @property
    def evaluates(self) -> bool:
        """Whether the model is evaluated on held-out rows while it is trained."""
        return "eval_steps" in self.trl or self.trl.get("eval_strategy", "no") != "no"

    def plain(self) -> dict[str, Any]:
        """Return the keys that matter to the method, as `make_recipe` takes them."""
        own = {key: value for key, value in dataclasses.asdict(self).items() if key != "trl"}
        if self.method != GRPO:
            del own["reward"]
        # Defaults are left out, so that runs of earlier versions, which lack these keys, resume.
        if self.turns == 1:
            del own["turns"]
        if self.turns == 1 or self.feedback == VERDICT:
            del own["feedback"]
        if not self.evaluates:
            del own["eval_rows"]
        return {"method": own.pop("method"), **self.trl, **own}


OWN = {option.name for option in dataclasses.fields(Recipe)} - {"trl"}


def read_recipe(name: str, **flags: Any) -> Recipe:
    """Return the recipe in the TOML file `name`, or the bundled one of that name.

    Flags that are not None override its keys. A flag for a table is a mapping under the name of the
    table: ``reward={"repeats": 1}``.

    Raises:
        UsageError: The recipe does not exist, a key is unknown, or a value is invalid or needs
            trust.
    """
    table = read_toml("recipe", name, FOLDER)
    own = dict(table)
    if isinstance(table.get("chat_template"), str) and table["chat_template"]:
        folder = Path(name).parent if name.endswith(".toml") else FOLDER
        table["chat_template"] = str(folder / table["chat_template"])
    for key, value in flags.items():
        if isinstance(value, Mapping):
            table[key] = {**table.get(key, {}), **value}
        elif value is not None:
            table[key] = value
    recipe = make_recipe(**table)
    check_trust(name, own, flags)  # last: an unknown key is reported as unknown, not as untrusted
    return recipe


def make_recipe(**values: Any) -> Recipe:
    """Return a checked recipe.

    ``lora``, ``reward`` and ``trl`` are mappings; keys in ``trl`` are treated as top-level ones.

    If TRL and peft are installed, keys are compared with the fields of their configuration classes.
    The libraries check their own values later, when `trainers.trl_config` makes the configuration.

    Raises:
        UsageError: A key is unknown, a value is invalid, or a package of ``report_to`` is not
            installed.
        MachineError: The installed version of TRL was not tested.
    """
    require_tested_trl()
    table = values.pop("trl", {})
    if not isinstance(table, Mapping):
        raise UsageError("trl must be a table", f"got {table!r}", SEE)
    twice, ours = sorted(table.keys() & values.keys()), sorted(table.keys() & OWN)
    if ours:
        reason = "that table is for TRL's keys"
        raise UsageError(
            f"[trl] has keys of the toolkit: {', '.join(ours)}", reason, "move them up"
        )
    if twice:
        reason = "they are in [trl] and outside of it"
        raise UsageError(
            f"the recipe has keys twice: {', '.join(twice)}", reason, "remove one of each"
        )
    values |= table
    require_reports(values.get("report_to"))
    own = {key: value for key, value in values.items() if key in OWN}
    for name in ("lora", "reward"):
        if not isinstance(own.get(name, {}), Mapping | None):
            raise UsageError(f"{name} must be a table", f"got {own[name]!r}", SEE)
    if own.get("lora") is not None:
        own["lora"] = {**LORA, **own["lora"]}
        _require_known(own["lora"], _fields("peft", "LoraConfig"), "[lora]")
    own["reward"] = fill(RewardSettings, own.get("reward") or {}, "[reward]", SEE)
    trl = {key: value for key, value in values.items() if key not in OWN}
    defaults = {**DEFAULTS, **OF_METHOD.get(str(values.get("method")), {})}
    return _check(fill(Recipe, {**own, "trl": {**defaults, **trl}}, "the recipe", SEE))


def _check(recipe: Recipe) -> Recipe:
    losses = LOSSES.get(recipe.method, ())
    values = dict(flat({**recipe.plain(), "reward": dataclasses.asdict(recipe.reward)}))
    for key, known in {**CHOICES, **({"loss_type": losses} if losses else {})}.items():
        value = values.get(key, known[0])
        # TRL takes a list of losses for DPO
        for choice in value if isinstance(value, list) else [value]:
            if choice not in known:
                raise UsageError(
                    f"unknown {key} {choice!r} in the recipe",
                    f"expected one of {', '.join(map(str, known))}",
                    nearest(str(choice), map(str, known)) + SEE,
                )
    _require_known(recipe.trl, _fields("trl", CONFIGS[recipe.method]), "the recipe")
    if "learning_rate" not in recipe.trl:
        raise UsageError("the recipe is incomplete", "it has no learning_rate", SEE)
    wrong = []
    for kind, least, keys in NUMBERS:
        words, fits, *_ = KINDS[kind]
        for key in values.keys() & set(keys.split()):
            if not fits(values[key]):
                raise UsageError(f"{key} must be {words}", f"got {values[key]!r}", SEE)
            wrong += [f"{key} is {values[key]}"] if values[key] < least else []
    if wrong:
        raise UsageError("the recipe is invalid", ", ".join(sorted(wrong)), SEE)
    if recipe.method != GRPO:
        return recipe
    group, answer = recipe.trl["num_generations"], recipe.trl["max_completion_length"]
    if recipe.step_rows % group:
        reason = (
            f"{recipe.step_rows} answers of a step ({BATCH}) are not a multiple of "
            f"num_generations {group}"
        )
        raise UsageError(
            "the recipe is invalid", f"{reason}: answers to one prompt stay together", "change one"
        )
    if answer >= recipe.max_length:
        reason = (
            f"max_completion_length {answer} leaves no room for a prompt in {recipe.max_length}"
        )
        raise UsageError(
            "the recipe is invalid", reason, "raise max_length or lower max_completion_length"
        )
    return recipe


def _require_known(table: Mapping[str, Any], known: frozenset[str], where: str) -> None:
    """Refuse keys that the library does not take; `known` is empty if it is not installed."""
    ours = {
        "output_dir", "save_strategy", "fp16", "use_cpu", "disable_tqdm", "logging_nan_inf_filter",
        "remove_unused_columns", "model_init_kwargs", "resume_from_checkpoint",
    }  # fmt: skip
    reserved = sorted(set(table) & ours)
    if reserved:
        raise UsageError(
            f"{where} must not set {', '.join(reserved)}",
            "the toolkit sets it for each run",
            "leave it out",
        )
    unknown = sorted(set(table) - known) if known else []
    if unknown:
        reason = "neither the toolkit nor the library takes them"
        fix = nearest(unknown[0], [*known, *OWN]) + SEE
        raise UsageError(f"{where} has unknown keys: {', '.join(unknown)}", reason, fix)


def require_tested_trl() -> None:
    """Refuse a TRL version that was not tested; only its metadata is read, nothing is imported.

    A missing TRL is reported later, by `check_machine`.

    Raises:
        MachineError: The version is outside the tested range.
    """
    try:
        installed = version("trl")
    except PackageNotFoundError:
        return
    from packaging.specifiers import SpecifierSet  # comes with TRL

    tested = f">={OLDEST_TRL},<{NOT_TRL}"
    if not SpecifierSet(tested).contains(installed, prereleases=True):
        reason = f"the toolkit was tested with TRL {tested}"
        raise MachineError(
            f"TRL {installed} is installed", reason, f"type: pip install 'trl{tested}'"
        )


def require_reports(packages: Any) -> None:
    """Refuse a `report_to` that names a missing package; nothing is imported.

    Raises:
        UsageError: A package is missing; the error says how to install it.
    """
    for name in [packages] if isinstance(packages, str) else packages or []:
        # Packages that show a run live; transformers knows others as well.
        live = ("tensorboard", "trackio", "wandb", "mlflow", "swanlab")
        if name in live and not find_spec(name):
            fix = (
                f"type: pip install {name}, or leave it out of --report-to and of report_to in "
                "the recipe"
            )
            raise UsageError(f"nothing can be reported to {name}", "it is not installed", fix)


@cache
def _fields(package: str, name: str) -> frozenset[str]:
    """Return the fields of a configuration class of TRL or peft; empty if it is not installed."""
    import importlib

    try:
        with doing(f"loading {package}"):  # and PyTorch, which takes a while
            kind = getattr(importlib.import_module(package), name)
    except ImportError:  # `check_machine` reports it
        return frozenset()
    return frozenset(option.name for option in dataclasses.fields(kind) if option.init)


def flat(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield keys with their values; a key in a table becomes ``lora.r``."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from ((f"{key}.{name}", entry) for name, entry in value.items())
        else:
            yield key, value


def _step_rows(trl: Mapping[str, Any]) -> int:
    return int(
        trl.get("per_device_train_batch_size", 0) * trl.get("gradient_accumulation_steps", 0)
    )


def differences(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Describe how two plain recipes differ, except in keys that a resumed run may change."""
    # Memory, speed and logging may change, formulas may not. A model is compared by its digest.
    free = {
        "model", "gradient_checkpointing", "activation_checkpointing", "save_steps", "save_total_limit",
        "logging_steps", "report_to", "use_vllm", "vllm_mode", "vllm_server_host", "vllm_server_port",
        "vllm_gpu_memory_utilization", "log_completions", "num_completions_to_print", "run_name",
        "per_device_train_batch_size", "gradient_accumulation_steps",  # only their product matters
    }  # fmt: skip
    one, other = ({**recipe, BATCH: _step_rows(recipe)} for recipe in (mine, theirs))
    return [
        f"{key} was {other.get(key)!r} and is {one.get(key)!r}"
        for key in {**other, **one}
        if key not in free and one.get(key) != other.get(key)
    ]
