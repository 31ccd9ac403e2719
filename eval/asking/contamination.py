"""Was the model trained on what it is evaluated on? Its card says so, if it says anything.

A card names data in two ways: `datasets`, the Hub's own key, says which data set, not which part of
it; `training_data`, which the model card has, says config and split as well. Training sets that are
derived from a release (`cpp-sft`) are made of its train split alone.

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
    """Return what the model's card gives cause to say, empty where it is nothing.

    Raises:
        UsageError: The card says that the model was trained on this very split, or it cannot be
            read.
    """
    card = find_card(options.model, options.model_card)
    if card is None:
        return ""
    name = options.data.partition("@")[0]
    # Names on the Hub do not distinguish case; a local release may be named by its folder alone.
    names = (
        {name.casefold(), Path(name).name.casefold()} if Path(name).exists() else {name.casefold()}
    )
    splits = [split for dataset, split in read_training(card) if dataset.casefold() in names]
    if options.split in splits:
        problem = f"{options.model} was trained on the split {options.split} of {options.data}"
        if not options.allow_contaminated:
            fix = "choose another --split, or add --allow-contaminated: the results will say so"
            raise UsageError(problem, f"{card} says so", fix)
        return f"{problem}, its card says"
    if None in splits:
        return (
            f"the card of {options.model} names {options.data} as training data and does not say "
            "which split"
        )
    return ""


def find_card(model: str, model_card: str = "") -> Path | None:
    """Return the model's card: the given one, or the one in the folder of its weights.

    None: it has no card.

    Raises:
        UsageError: The one that was given is not there.
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
    beside = Path(model.removeprefix("vllm:").removeprefix("transformers:")) / "README.md"
    return beside if beside.is_file() else None


def read_header(card: Path) -> Mapping[str, Any]:
    """Return the header of a card.

    Raises:
        UsageError: It is not a card.
    """
    try:
        text = card.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the card {card} cannot be read", str(error), "give the model's README.md"
        ) from error
    return load_header(parse_card(text, card.name).header, card.name)


def read_training(card: Path) -> list[tuple[str, str | None]]:
    """Return the data sets that a card names, each with its split, or None for an unknown one.

    A data set that `training_data` tells parts of is not named whole as well.

    Raises:
        UsageError: It is not a card.
    """
    header = read_header(card)
    listed = header.get("training_data") or []
    if not isinstance(listed, list) or not all(
        isinstance(entry, dict) and entry.get("dataset") for entry in listed
    ):
        reason = "training_data must be a list of datasets, each with dataset, config and split"
        raise UsageError(f"the card {card} cannot be read", reason, "fix its header")
    parts = []
    for entry in listed:
        split = entry.get("split")
        # Any other split (time, memory, integral) is that of a derived set, which is made of the
        # train split.
        parts.append(
            (str(entry["dataset"]), split if split in (None, "train", "test") else "train")
        )
    in_parts = {dataset.casefold() for dataset, _ in parts}
    datasets = header.get("datasets") or []
    whole = map(str, datasets if isinstance(datasets, list) else [datasets])
    return parts + [(name, None) for name in whole if name.casefold() not in in_parts]
