"""The card of a trained model: the facts of its training, and figures of later evaluations."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from venus_toolkit.core import __version__
from venus_toolkit.core.store import Store
from venus_toolkit.dataset.card.model_card import ModelFacts, ReportedResult, render_model_card
from venus_toolkit.dataset.hub.model_repository import Pushed, push_model
from venus_toolkit.training.recipe import flat
from venus_toolkit.training.trainer.model_files import LOCAL
from venus_toolkit.training.trainer.run_directory import RunDirectory, TrainedModel


def environment(precision: str, devices: int) -> dict[str, Any]:
    """Return the machine and the packages that trained a model."""
    import torch

    on_gpu = torch.cuda.is_available()
    cpu = f"CPU ({platform.machine()}, {torch.get_num_threads()} threads)"
    device = torch.cuda.get_device_name() if on_gpu else cpu
    versions = {"CUDA": torch.version.cuda} if on_gpu else {}
    for package in ("torch", "transformers", "trl", "peft", "accelerate", "vllm", "bitsandbytes"):
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return {
        "device": f"{devices} of {device}" if devices > 1 else device,
        "precision": precision,
        "python": platform.python_version(),
        **versions,
        "venus-toolkit": __version__,
    }


def model_facts(
    done: Mapping[str, Any], name: str, results: tuple[ReportedResult, ...] = ()
) -> ModelFacts:
    """Return the facts of a model's card, from its training.json and figures of evaluations."""
    data = done["data"]
    elsewhere = ("method", "model", "seed")  # the card has them in other places
    base = str(done["base"]["name"]).partition("@")[0]
    # The base was a folder at training time; that folder may not exist here.
    is_local = str(done["base"].get("revision", "")).startswith(LOCAL)
    return ModelFacts(
        name=name,
        method=done["recipe"]["method"],
        base_model=Path(base).resolve().name if is_local else base,
        base_revision=done["base"]["revision"],
        dataset=data["name"],
        dataset_revision=data["revision"],
        configs={config: ", ".join(splits) for config, splits in data["splits"].items()},
        rows=done["rows"],
        steps=done["steps"],
        seconds=done["seconds"],
        seed=done["recipe"]["seed"],
        command=done["command"],
        hyperparameters={
            key: value
            for key, value in flat(done["recipe"])
            if key not in elsewhere and value not in (None, "")
        },
        environment=done["environment"],
        results=results,
        languages=tuple(data["languages"]),
        prompting=done.get("prompting", {}),  # models of earlier versions lack it
        limits=tuple(done["notes"]),
        base_is_local=is_local,
    )


def update_card(trained: TrainedModel, results: tuple[ReportedResult, ...]) -> str:
    """Rewrite a model's card with figures of evaluations, save these in its folder, return the card.

    Raises:
        UsageError: The existing card cannot be parsed.
        StoreError: The card cannot be written.
    """
    facts = model_facts(trained.facts, trained.folder.resolve().name, results)
    with Store(trained.folder) as store:
        directory = RunDirectory(trained.folder, store)
        text = render_model_card(facts, directory.card())
        directory.write_results(results)
        directory.write_card(text)
    return text


def push(trained: TrainedModel, to: str, private: bool = False) -> Pushed:
    """Push a finished model to the Hub; text that users added to its card there is kept.

    Raises:
        UsageError: The folder holds no model, or the name is not valid.
        HubError: The Hub refuses or cannot be reached.
    """
    directory = RunDirectory(trained.folder, None)
    facts = model_facts(trained.facts, to, directory.results())
    return push_model(
        trained.folder,
        to,
        lambda there: render_model_card(facts, there or directory.card()),
        private,
    )
