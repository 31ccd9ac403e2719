"""Models and tokenizers: loaded by name or folder, checked for what training needs, wrapped in adapters, merged."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.errors import UsageError
from venus_toolkit.store import checksum
from venus_toolkit.training.recipe import AUTO, Recipe

BF16, FP32 = "bf16", "fp32"
NAMED = "check --model: a folder, or a name on the Hub, with @revision after it where it matters"


class ModelName(NamedTuple):
    """Where a model is: a folder or a name on the Hub, and which revision of it."""

    where: str
    revision: str | None


def parse_model(text: str) -> ModelName:
    """Return the place and the revision in ``owner/name@revision``; a folder has none."""
    if Path(text).is_dir():
        return ModelName(text, None)
    where, _, revision = text.partition("@")
    return ModelName(where, revision or None)


def load_tokenizer(recipe: Recipe) -> Any:
    """Return the model's tokenizer, with the recipe's chat template where that names one.

    Raises:
        UsageError: There is no such model, or nobody says how a conversation is written for it.
    """
    from transformers import AutoTokenizer

    name = parse_model(recipe.model)
    try:
        tokenizer = AutoTokenizer.from_pretrained(name.where, revision=name.revision)
    except (OSError, ValueError, KeyError) as error:
        raise _not_loaded(f"the tokenizer of {recipe.model}", error) from error
    if recipe.chat_template:
        tokenizer.chat_template = _read_template(Path(recipe.chat_template))
    if not tokenizer.chat_template:
        raise UsageError(
            f"{recipe.model} has no chat template",
            "the rows are conversations, and it does not say how one is written",
            'give a Jinja file in the recipe: chat_template = "FILE.jinja"',
        )
    if tokenizer.eos_token is None:
        raise UsageError(f"{recipe.model} has no end-of-text token", "an answer could not end", "use another model")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def _read_template(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"the chat template {file} cannot be read", why, "the path is relative to the recipe"
        ) from error


def load_config(recipe: Recipe) -> Any:
    """Return the model's configuration, which is there before its weights are.

    Raises:
        UsageError: There is no such model, only adapters are there, or its context is shorter than the recipe's rows.
    """
    from transformers import AutoConfig

    name = parse_model(recipe.model)
    if (Path(name.where) / "adapter").is_dir() and not (Path(name.where) / "config.json").is_file():
        what = f"{name.where} holds adapters alone"
        raise UsageError(what, "training begins from a whole model", "train it with merge = true in its recipe")
    try:
        config = AutoConfig.from_pretrained(name.where, revision=name.revision)
    except (OSError, ValueError, KeyError) as error:
        raise _not_loaded(recipe.model, error) from error
    context = getattr(config.get_text_config(), "max_position_embeddings", None)
    if context and recipe.max_length > context:
        why = f"max_length is {recipe.max_length}, {recipe.model} takes {context} tokens"
        raise UsageError("the recipe's rows are longer than the model's context", why, "lower max_length in the recipe")
    return config


def load_model(recipe: Recipe, precision: str) -> Any:
    """Return the model with its weights.

    Weights that adapters leave alone are kept in the precision of the run; weights that are trained are kept in full,
    or steps as small as GRPO's would be rounded away.

    Raises:
        UsageError: There is no such model, or its files are damaged.
    """
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM

    name = parse_model(recipe.model)
    dtype = torch.bfloat16 if precision == BF16 and recipe.lora else torch.float32
    try:
        return AutoModelForCausalLM.from_pretrained(name.where, revision=name.revision, dtype=dtype)
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise _not_loaded(recipe.model, error) from error


def _not_loaded(what: str, error: Exception) -> UsageError:
    return UsageError(f"{what} cannot be loaded", str(error).strip().split("\n")[0][:300], NAMED)


def choose_precision(recipe: Recipe) -> str:
    """Return bf16 or fp32; a GPU without bf16 computes in fp32.

    Raises:
        UsageError: The recipe wants bf16 and this GPU has none.
    """
    import torch

    on_gpu = torch.cuda.is_available()
    has_bf16 = not on_gpu or torch.cuda.is_bf16_supported()
    if recipe.precision == AUTO:
        return BF16 if on_gpu and has_bf16 else FP32
    if recipe.precision == BF16 and not has_bf16:
        raise UsageError("this GPU has no bf16", torch.cuda.get_device_name(), 'say precision = "fp32" in the recipe')
    return recipe.precision


def adapters(recipe: Recipe) -> Any:
    """Return peft's configuration of the recipe's adapters, or None where all weights are trained."""
    if recipe.lora is None:
        return None
    from peft import LoraConfig

    told = recipe.lora
    targets = told.targets if told.targets == "all-linear" else [name.strip() for name in told.targets.split(",")]
    return LoraConfig(
        r=told.rank,
        lora_alpha=told.alpha,
        lora_dropout=told.dropout,
        target_modules=targets,
        bias="none",
        task_type="CAUSAL_LM",
    )


def model_identity(recipe: Recipe, config: Any) -> dict[str, str]:
    """Return what a model is known by: its commit on the Hub, or a SHA-256 over the weights in a folder."""
    commit, folder = str(getattr(config, "_commit_hash", None) or ""), Path(recipe.model)
    if not folder.is_dir():
        return {"name": recipe.model, "revision": commit, "digest": commit or recipe.model}
    sums = [f"{file.name} {checksum(file)}" for file in sorted(folder.glob("*.safetensors"))]
    digest = sha256(" ".join(sums).encode()).hexdigest()
    return {"name": recipe.model, "revision": f"sha256-{digest[:16]}", "digest": digest}


def save_model(trained: Any, tokenizer: Any, folder: Path, merge: bool, precision: str) -> None:
    """Write model and tokenizer into a folder; of adapters also themselves, below ``adapter``.

    Args:
        trained: As the trainer has it.
        tokenizer: With its chat template.
        folder: Where to.
        merge: Whether adapters are merged into the model; else only they are written.
        precision: Of the run; weights are written in it.
    """
    import torch

    is_adapted = hasattr(trained, "merge_and_unload")
    if is_adapted:
        trained.save_pretrained(folder / "adapter")
        (folder / "adapter" / "README.md").unlink(missing_ok=True)  # peft's card; the model has its own
    if merge or not is_adapted:
        whole = trained.merge_and_unload() if is_adapted else trained
        (whole.to(torch.bfloat16) if precision == BF16 else whole).save_pretrained(folder)
    tokenizer.save_pretrained(folder if merge or not is_adapted else folder / "adapter")
