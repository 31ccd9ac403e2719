"""Load models and tokenizers by name or folder, check them for training, and save them."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.store import checksum
from venus_toolkit.models.embedded import Progress, embedded_folder, is_embedded
from venus_toolkit.training.recipe import Recipe

LOCAL = "sha256-"  # prefix of the revision of a model in a local folder


class ModelName(NamedTuple):
    """The location of a model: a folder, or a name on the Hub with a revision."""

    where: str
    revision: str | None


def parse_model(text: str, progress: Progress = lambda *_: None) -> ModelName:
    """Return the name and the revision in ``owner/name@revision``; a folder has none.

    The embedded model is a folder as well, which this function creates if it is missing, reporting
    to `progress`.

    Raises:
        UsageError: A package for the embedded model is missing.
        MachineError: The embedded model cannot be downloaded.
    """
    if Path(text).is_dir():
        return ModelName(text, None)
    if is_embedded(text):
        return ModelName(str(embedded_folder(progress)), None)
    where, _, revision = text.partition("@")
    return ModelName(where, revision or None)


def load_tokenizer(recipe: Recipe) -> Any:
    """Return the model's tokenizer, with the recipe's chat template if it has one.

    Raises:
        UsageError: The model does not exist, or neither it nor the recipe has a chat template.
    """
    from transformers import AutoTokenizer

    tokenizer = _load(AutoTokenizer, recipe, f"the tokenizer of {recipe.model}")
    if recipe.chat_template:
        file = Path(recipe.chat_template)
        try:
            tokenizer.chat_template = file.read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            fix = "the path is relative to the recipe"
            raise UsageError(f"the chat template {file} cannot be read", reason, fix) from error
    if not tokenizer.chat_template:
        raise UsageError(
            f"{recipe.model} has no chat template",
            "the rows are conversations, which need one",
            'give a Jinja file in the recipe: chat_template = "FILE.jinja"',
        )
    if tokenizer.eos_token is None:
        raise UsageError(
            f"{recipe.model} has no end-of-text token",
            "an answer could not end",
            "use another model",
        )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def load_config(recipe: Recipe) -> Any:
    """Return the model's configuration, without loading its weights.

    Raises:
        UsageError: The model does not exist, the folder has only adapters, or its context is
            shorter than the recipe's rows.
    """
    from transformers import AutoConfig

    folder = Path(parse_model(recipe.model).where)
    if (folder / "adapter").is_dir() and not (folder / "config.json").is_file():
        problem = f"{folder} contains only adapters"
        raise UsageError(
            problem,
            "training starts from a complete model",
            "train it with merge = true in its recipe",
        )
    config = _load(AutoConfig, recipe, recipe.model)
    context = getattr(config.get_text_config(), "max_position_embeddings", None)
    if context and recipe.max_length > context:
        reason = f"max_length is {recipe.max_length}, {recipe.model} takes {context} tokens"
        raise UsageError(
            "the recipe's rows are longer than the model's context",
            reason,
            "lower max_length in the recipe",
        )
    return config


def load_model(recipe: Recipe, bf16: bool) -> Any:
    """Return the model with its weights.

    Frozen weights below adapters have the precision of the run. Trained weights are fp32, because
    bf16 would round away steps as small as GRPO's.

    Raises:
        UsageError: The model does not exist, or its files are damaged.
    """
    import torch
    from transformers import AutoModelForCausalLM

    dtype = torch.bfloat16 if bf16 and recipe.lora else torch.float32
    return _load(AutoModelForCausalLM, recipe, recipe.model, dtype=dtype)


def _load(kind: Any, recipe: Recipe, label: str, **more: Any) -> Any:
    """Load a tokenizer, configuration or model with a transformers class, from a folder or the Hub.

    Raises:
        UsageError: The model does not exist, or its files are damaged.
    """
    from safetensors import SafetensorError

    name = parse_model(recipe.model)
    try:
        # By default, transformers would ask on the terminal whether to run the model's code.
        return kind.from_pretrained(
            name.where, revision=name.revision, trust_remote_code=False, **more
        )
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        fix = "check --model: a folder, or a name on the Hub, which may end with @revision"
        raise UsageError(
            f"{label} cannot be loaded", str(error).strip().split("\n")[0][:300], fix
        ) from error


def model_identity(recipe: Recipe, config: Any) -> dict[str, str]:
    """Return a model's identity: its commit on the Hub, or a SHA-256 over the weights in a folder."""
    # transformers stores the commit of a model from the Hub in _commit_hash.
    commit = str(getattr(config, "_commit_hash", None) or "")
    folder = Path(parse_model(recipe.model).where)
    if not folder.is_dir():
        return {"name": recipe.model, "revision": commit, "digest": commit or recipe.model}
    sums = [f"{file.name} {checksum(file)}" for file in sorted(folder.glob("*.safetensors"))]
    digest = sha256(" ".join(sums).encode()).hexdigest()
    return {"name": recipe.model, "revision": f"{LOCAL}{digest[:16]}", "digest": digest}


def save_model(trained: Any, tokenizer: Any, folder: Path, merge: bool, bf16: bool) -> None:
    """Write a trained model and its tokenizer; adapters are also written below ``adapter``.

    With `merge`, adapters are merged into the model; without it, only the adapters are written.
    """
    import torch

    is_adapted = hasattr(trained, "merge_and_unload")
    if is_adapted:
        # Saved before the merge, which removes the adapters from the model.
        trained.save_pretrained(folder / "adapter")
        # peft's card: the model has its own
        (folder / "adapter" / "README.md").unlink(missing_ok=True)
    if merge or not is_adapted:
        whole = trained.merge_and_unload() if is_adapted else trained
        (whole.to(torch.bfloat16) if bf16 else whole).save_pretrained(folder)
    tokenizer.save_pretrained(folder if merge or not is_adapted else folder / "adapter")
