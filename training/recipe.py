"""How a model is trained: one frozen recipe from a TOML file, with flags over it, written whole beside the model.

The files in `recipes/` are the paper's (`sft`, `dpo`, `cold-start`, `grpo`) and small ones for a laptop (`sft-small`).
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from venus_toolkit.errors import UsageError
from venus_toolkit.options import fill

FOLDER = Path(__file__).parent / "recipes"
SEE = "see docs/train.md"
SFT, DPO, COLD_START, GRPO = "sft", "dpo", "cold-start", "grpo"
METHODS = (SFT, DPO, COLD_START, GRPO)
DROP, REFUSE = "drop", "refuse"
FULL = "full"
OFF, AUTO, COLOCATE, SERVER = "off", "auto", "colocate", "server"
WORDS = {
    "method": METHODS,
    "overlong": (DROP, REFUSE),
    "precision": (AUTO, "bf16", "fp32"),
    "schedule": ("cosine", "linear", "constant", "constant_with_warmup"),
    "reward.figure": ("wall", "cpu"),
    "dpo.loss": ("sigmoid", "hinge", "ipo"),
    "grpo.loss": ("dapo", "grpo", "dr_grpo", "bnpo"),
    "grpo.scale": ("group", "batch", "none"),
    "vllm.mode": (OFF, AUTO, COLOCATE, SERVER),
}
ONLY_FOR = {"dpo": DPO, "grpo": GRPO, "reward": GRPO, "vllm": GRPO}
# What may differ when a run goes on: it changes memory, speed or what is kept, and no formula; a model is known by its
# weights, wherever they lie.
FREE = ("model", "device_batch", "recompute", "save_steps", "keep", "log_steps", "vllm")


@dataclass(frozen=True, slots=True)
class Lora:
    """Low-rank adapters in place of all weights. targets: names of layers, or ``all-linear``."""

    rank: int = 8
    alpha: int = 16
    dropout: float = 0.0
    targets: str = "all-linear"


@dataclass(frozen=True, slots=True)
class Dpo:
    """Preferences. beta: how far the model may leave the one that it began as."""

    beta: float = 0.1
    loss: str = "sigmoid"


@dataclass(frozen=True, slots=True)
class Grpo:
    """Reinforcement. generations: answers to one prompt. kl and entropy: weights of these terms; 0: left out.

    scale: by whose spread an advantage is divided: the answers' to one prompt, those' of the whole step, or by nothing.
    updates: steps of the optimiser that learn from the same answers. slices: the answers of a step are written in so
    many parts, and the sandbox works on one beside the next.
    """

    generations: int = 16
    temperature: float = 1.0
    max_completion: int = 2048
    kl: float = 0.0
    entropy: float = 0.0
    loss: str = "dapo"
    scale: str = "group"
    updates: int = 1
    slices: int = 1


@dataclass(frozen=True, slots=True)
class Reward:
    """What answers of GRPO are worth: the weights of the paper's three parts, and how programs are measured.

    final_efficiency: what efficiency counts at the end, growing linearly; None: always the same. figure: what the
    objective ``time`` means, ``wall`` or ``cpu``. fresh: tests with new seeds for each problem, at most.
    """

    form: float = 0.2
    correctness: float = 0.5
    efficiency: float = 0.3
    final_efficiency: float | None = None
    repeats: int = 3
    figure: str = "wall"
    fresh: int = 8
    share_cores: bool = True


@dataclass(frozen=True, slots=True)
class Vllm:
    """Who writes the answers of GRPO: vLLM on the same GPU (colocate) or behind an address (server), or TRL (off).

    auto: colocate where there is a GPU and vLLM is installed, else off. memory_share: of the GPU, for colocate.
    """

    mode: str = AUTO
    host: str = "127.0.0.1"
    port: int = 8000
    memory_share: float = 0.3


@dataclass(frozen=True, slots=True)
class Recipe:
    """A training run in full.

    method: sft, dpo, cold-start or grpo. model: a folder or a name on the Hub, with ``@revision`` where it matters.
    epochs and max_steps: how long; max_steps 0: as many as the epochs take. batch: rows (of GRPO: answers) behind one
    step, over all devices; device_batch: so many at once on one of them, for memory alone. max_length: tokens of a
    prompt with its answer; overlong: whether rows beyond that are dropped, or refused. precision: auto is bf16 where
    a GPU has it, else fp32. recompute: activations are computed twice instead of kept. chat_template: a file with one,
    for models that have none. save_steps: steps between checkpoints, of which the last `keep` are kept. merge: adapters
    are merged into the model that is written. lora: None trains all weights.
    """

    method: str
    learning_rate: float
    model: str = "Qwen/Qwen2.5-3B-Instruct"
    epochs: float = 1.0
    max_steps: int = 0
    batch: int = 64
    device_batch: int = 4
    max_length: int = 4096
    overlong: str = DROP
    schedule: str = "cosine"
    warmup_steps: int = 0
    clip: float = 1.0
    weight_decay: float = 0.0
    optimizer: str = "adamw_torch"
    precision: str = AUTO
    recompute: bool = True
    chat_template: str = ""
    save_steps: int = 100
    keep: int = 2
    log_steps: int = 1
    merge: bool = True
    seed: int = 0
    lora: Lora | None = None
    dpo: Dpo = field(default_factory=Dpo)
    grpo: Grpo = field(default_factory=Grpo)
    reward: Reward = field(default_factory=Reward)
    vllm: Vllm = field(default_factory=Vllm)

    def plain(self) -> dict[str, Any]:
        """Return what is written beside a model: all that counts for the method."""
        told = dataclasses.asdict(self)
        return {key: value for key, value in told.items() if ONLY_FOR.get(key, self.method) == self.method}


TABLES: Mapping[str, type] = {"lora": Lora, "dpo": Dpo, "grpo": Grpo, "reward": Reward, "vllm": Vllm}


def read_recipe(name: str, **flags: Any) -> Recipe:
    """Return the recipe in the TOML file `name`, or the bundled one of that name, with flags that are not None over it.

    A flag that belongs to a table is given as a mapping under the table's name: ``grpo={"generations": 4}``.

    Raises:
        UsageError: No such recipe, an unknown key, or a value that makes no sense.
    """
    path = Path(name) if Path(name).suffix == ".toml" else FOLDER / f"{name}.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        fix = f"give a TOML file or one of: {', '.join(bundled())}"
        raise UsageError(f"the recipe {name} cannot be read", why, fix) from error
    if isinstance(table.get("chat_template"), str) and table["chat_template"]:
        table["chat_template"] = str(path.parent / table["chat_template"])
    for key, value in flags.items():
        if isinstance(value, Mapping):
            table[key] = {**table.get(key, {}), **value}
        elif value is not None:
            table[key] = value
    return make_recipe(**table)


def bundled() -> list[str]:
    """Return the names of the recipes that come with the toolkit."""
    return sorted(file.stem for file in FOLDER.glob("*.toml"))


def make_recipe(**values: Any) -> Recipe:
    """Return a checked recipe; `TABLES` are given as mappings.

    Raises:
        UsageError: An unknown key, or a value that makes no sense.
    """
    tables = {name: values.pop(name) for name in TABLES if values.get(name) is not None}
    for name, table in tables.items():
        if not isinstance(table, Mapping):
            raise UsageError(f"{name} must be a table", f"got {table!r}", SEE)
    recipe = fill(Recipe, values, "the recipe", SEE)
    inner: dict[str, Any] = {n: fill(TABLES[n], table, f"[{n}]", SEE) for n, table in tables.items()}
    return _checked(replace(recipe, **inner))


def _checked(recipe: Recipe) -> Recipe:
    for key, known in WORDS.items():
        value = _value(recipe, key)
        if value not in known:
            raise UsageError(f"unknown {key} {value!r} in the recipe", f"known are {', '.join(known)}", SEE)
    wrong = [f"{key} is {_value(recipe, key)}" for key, least in _least(recipe).items() if _value(recipe, key) < least]
    if wrong:
        raise UsageError("the recipe makes no sense", ", ".join(wrong), SEE)
    if recipe.batch % recipe.device_batch:
        why = f"batch {recipe.batch} is no multiple of device_batch {recipe.device_batch}"
        raise UsageError("the recipe makes no sense", why, "change one of them")
    if recipe.method == GRPO:
        _check_groups(recipe)
    return recipe


def _value(recipe: Recipe, key: str) -> Any:
    value: Any = recipe
    for part in key.split("."):
        value = getattr(value, part)
    return value


def _least(recipe: Recipe) -> dict[str, float]:
    """Return the least that numbers may be."""
    whole = {"batch": 1, "device_batch": 1, "max_length": 2, "save_steps": 1, "keep": 1, "log_steps": 1}
    more = {"max_steps": 0, "warmup_steps": 0, "learning_rate": 0, "clip": 0, "weight_decay": 0, "epochs": 0, "seed": 0}
    lora = {"lora.rank": 1, "lora.alpha": 1, "lora.dropout": 0} if recipe.lora else {}
    grpo = {
        "reward.repeats": 1,
        "reward.fresh": 0,
        "grpo.generations": 2,
        "grpo.updates": 1,
        "grpo.slices": 1,
        "grpo.max_completion": 1,
        "grpo.temperature": 0,
        "grpo.kl": 0,
    }
    return {**whole, **more, **lora, **grpo}


def _check_groups(recipe: Recipe) -> None:
    if recipe.batch % recipe.grpo.generations:
        why = f"batch {recipe.batch} is no multiple of generations {recipe.grpo.generations}"
        raise UsageError("the recipe makes no sense", f"{why}: answers to one prompt stay together", "change one")
    if recipe.grpo.max_completion >= recipe.max_length:
        why = f"max_completion {recipe.grpo.max_completion} leaves no room for a prompt in {recipe.max_length}"
        raise UsageError("the recipe makes no sense", why, "raise max_length or lower max_completion")


def differences(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Return in words which keys of two plain recipes differ, but for those that may."""
    keys = [key for key in {**theirs, **mine} if key not in FREE]
    return [
        f"{key} was {theirs.get(key)!r} and is {mine.get(key)!r}" for key in keys if mine.get(key) != theirs.get(key)
    ]
