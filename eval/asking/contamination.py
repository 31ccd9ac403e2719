"""Checks the model's card for signs that the model was trained on the evaluation data.

A card names training data in two ways. `datasets`, the Hub's own key, names data sets without their
splits. `training_data`, a key of our model cards, also names config and split. Training sets
derived from a release (`cpp-sft`) come from its train split alone.

Not covered: a card that is silent or wrong, copies of the data under other names.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from venus_toolkit.core.errors import UsageError
from venus_toolkit.dataset.card.markup import load_header, parse_card
from venus_toolkit.eval.eval_options import EvalOptions


def examine(options: EvalOptions) -> str:
    """Return a warning about contamination, or "" if the card gives no reason for one.

    Raises:
        UsageError: The card says that the model was trained on the evaluation split, or the card
            cannot be read.
    """
    card = find_card(options.model, options.model_card)
    if card is None:
        return ""
    name = options.data.partition("@")[0]
    # Names on the Hub ignore case. A card may name a local release by its folder name alone.
    names = (
        {name.casefold(), Path(name).name.casefold()} if Path(name).exists() else {name.casefold()}
    )
    splits = [split for dataset, split in read_training(card) if dataset.casefold() in names]
    if options.split in splits:
        overlap = f"{options.model} was trained on the split {options.split} of {options.data}"
        if not options.allow_contaminated:
            fix = "choose another --split, or add --allow-contaminated: the results will say so"
            raise UsageError(overlap, f"{card} says so", fix)
        return f"{overlap}, its card says"
    if None in splits:
        return (
            f"the card of {options.model} names {options.data} as training data and does not say "
            "which split"
        )
    return ""


def find_card(model: str, model_card: str = "") -> Path | None:
    """Return the path of `model_card`, or of the card next to the model's weights.

    Returns None if the model has no card.

    Raises:
        UsageError: `model_card` does not exist.
    """
    if model_card:
        path = Path(model_card)
        card = path / "README.md" if path.is_dir() else path
        if not card.is_file():
            raise UsageError(
                f"there is no card {card}",
                "--model-card names this file",
                "give the model's README.md",
            )
        return card
    card = Path(model.removeprefix("vllm:").removeprefix("transformers:")) / "README.md"
    return card if card.is_file() else None


def read_header(card: Path) -> Mapping[str, Any]:
    """Return the header of a card.

    Raises:
        UsageError: The file is not a card.
    """
    try:
        text = card.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the card {card} cannot be read", str(error), "give the model's README.md"
        ) from error
    return load_header(parse_card(text, card.name).header, card.name)


def read_training(card: Path) -> list[tuple[str, str | None]]:
    """Return the data sets that a card names, each with its split, or None if that is unknown.

    A data set listed under `training_data` is not repeated for `datasets`.

    Raises:
        UsageError: The file is not a card.
    """
    header = read_header(card)
    entries = header.get("training_data") or []
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and entry.get("dataset") for entry in entries
    ):
        reason = "training_data must be a list of datasets, each with dataset, config and split"
        raise UsageError(f"the card {card} cannot be read", reason, "fix its header")
    parts = []
    for entry in entries:
        split = entry.get("split")
        # Any other split (time, memory, integral) belongs to a derived set, which comes from the
        # train split.
        parts.append(
            (str(entry["dataset"]), split if split in (None, "train", "test") else "train")
        )
    in_parts = {dataset.casefold() for dataset, _ in parts}
    datasets = header.get("datasets") or []
    whole = map(str, datasets if isinstance(datasets, list) else [datasets])
    return parts + [(name, None) for name in whole if name.casefold() not in in_parts]
