"""What a trained model says of itself: its training as it was, and the figures of evaluations that were made of it."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venus_toolkit import __version__
from venus_toolkit.card import ModelFacts, Result, render_model_card
from venus_toolkit.errors import UsageError
from venus_toolkit.hub import Pushed, push_model
from venus_toolkit.store import Store, read_manifest
from venus_toolkit.training.place import Place

if TYPE_CHECKING:
    from venus_toolkit.training.train import Trained

PACKAGES = ("torch", "transformers", "trl", "peft", "accelerate", "vllm", "bitsandbytes")
BEYOND = {"time": "Beyond-T", "memory": "Beyond-M", "integral": "Beyond-I"}


def environment(precision: str, devices: int) -> dict[str, Any]:
    """Return the machine and the packages that trained a model."""
    import torch

    on_gpu = torch.cuda.is_available()
    device = (
        torch.cuda.get_device_name() if on_gpu else f"CPU ({platform.machine()}, {torch.get_num_threads()} threads)"
    )
    more = {"CUDA": torch.version.cuda} if on_gpu else {}
    return {
        "device": f"{devices} of {device}" if devices > 1 else device,
        "precision": precision,
        "python": platform.python_version(),
        **more,
        **{name: found for name in PACKAGES if (found := _installed(name))},
        "venus-toolkit": __version__,
    }


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def model_facts(done: Mapping[str, Any], name: str, results: tuple[Result, ...] = ()) -> ModelFacts:
    """Return what the card of a model says.

    Args:
        done: What training.json says.
        name: Of the model.
        results: Figures of evaluations.
    """
    data = done["data"]
    base = str(done["base"]["name"]).partition("@")[0]
    return ModelFacts(
        name=name,
        method=done["recipe"]["method"],
        base_model=Path(base).resolve().name if Path(base).is_dir() else base,
        base_revision=done["base"]["revision"],
        dataset=data["name"],
        dataset_revision=data["revision"],
        configs={config: ", ".join(splits) for config, splits in data["splits"].items()},
        rows=done["rows"],
        steps=done["steps"],
        seconds=done["seconds"],
        seed=done["recipe"]["seed"],
        command=done["command"],
        hyperparameters=dict(_flat(done["recipe"])),
        environment=done["environment"],
        results=results,
        languages=tuple(data["languages"]),
        limits=tuple(done["notes"]),
    )


def _flat(recipe: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the numbers of a recipe, those of tables as ``lora.rank``; what the card says elsewhere is left out."""
    for key, value in recipe.items():
        if isinstance(value, Mapping):
            yield from ((f"{key}.{name}", each) for name, each in value.items())
        elif key not in ("method", "model", "seed") and value not in (None, ""):
            yield key, value


def read_results(folder: Path) -> tuple[Result, ...]:
    """Return the figures of an evaluation: Pass@1 and Beyond of each language that was asked for.

    Args:
        folder: What ``venus eval`` wrote.

    Raises:
        UsageError: It is no evaluation, or one that has not ended.
    """
    manifest = read_manifest(folder) or {}
    if manifest.get("kind") != "evaluation" or "scores" not in manifest:
        fix = "name a folder that venus eval has finished"
        raise UsageError(f"{folder} is no evaluation", "its manifest.json does not say that it is one", fix)
    told = manifest["options"]
    name, _, revision = str(told["data"]).partition("@")
    where = {"dataset": Path(name).name if Path(name).is_dir() else name, "revision": revision or "unpublished"}
    asked = {"objective": told["objective"], "samples": told["samples"], "evaluated as": told["model"]}
    groups = [each for each in manifest["scores"] if each["by"] == "language"]
    return tuple(
        Result(metric, 100 * value[0], config=group["name"], split=told["split"], name=title, unit="%",
               interval=(100 * value[1], 100 * value[2]), n=int(value[4]), args=asked, **where)
        for group in groups
        for metric, title, value in _figures(group)
    )  # fmt: skip


def _figures(group: Mapping[str, Any]) -> Iterator[tuple[str, str, list[float]]]:
    if group["pass_at_1"]:
        yield "pass@1", "Pass@1", group["pass_at_1"]
    for objective, title in BEYOND.items():
        beyond = group["efficiency"][objective]["beyond"]
        if beyond:
            yield f"beyond_{objective}", title, beyond


def update_card(trained: Trained, results: tuple[Result, ...]) -> str:
    """Write a finished model's card anew, with figures of evaluations, which are kept beside it; returns the card.

    Raises:
        UsageError: The card that is there cannot be taken apart.
        StoreError: It cannot be written.
    """
    facts = model_facts(trained.facts, trained.folder.resolve().name, results)
    with Store(trained.folder) as store:
        place = Place(trained.folder, store)
        text = render_model_card(facts, place.card())
        place.write_results(results)
        place.write_card(text)
    return text


def push(trained: Trained, to: str, private: bool = False) -> Pushed:
    """Send a finished model to the Hub with its card; what people wrote into the card there stays.

    Raises:
        UsageError: The folder holds no model, or the name is none.
        HubError: The Hub refuses or cannot be reached.
    """
    place = Place(trained.folder, None)
    facts = model_facts(trained.facts, to, place.results())
    return push_model(trained.folder, to, lambda there: render_model_card(facts, there or place.card()), private)
