"""The card of an evaluation: README.md in its folder, with a `model-index` that the Hub reads.

Every number is the manifest's, which was computed from results.parquet.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from venus_toolkit.card import EvaluationFacts, Result, render_evaluation_card
from venus_toolkit.errors import UsageError
from venus_toolkit.eval.metrics import OBJECTIVES
from venus_toolkit.eval.options import PUBLISHED
from venus_toolkit.store import MANIFEST, Store

README = "README.md"
KIND = "evaluation"
PER_CENT = 100.0
SETTINGS = ("objective", "samples", "form", "references", "rank", "ties", "seed")
SAMPLING = ("temperature", "answer_tokens")
RUNTIME = ("cpu", "cores", "architecture", "kernel")
NAMES = {"time": "Beyond-T", "memory": "Beyond-M", "integral": "Beyond-I"}


def is_evaluation(folder: Path) -> bool:
    """Return whether a folder is that of a finished `venus eval`."""
    try:
        return bool(json.loads((folder / MANIFEST).read_text(encoding="utf-8")).get("kind") == KIND)
    except (OSError, ValueError, AttributeError):
        return False


def card_of(folder: Path) -> str:
    """Return the card of an evaluation; what people wrote into the one that is there is kept.

    Raises:
        UsageError: The folder is not that of a finished evaluation, or its card cannot be taken apart.
    """
    if not is_evaluation(folder):
        raise UsageError(f"{folder} is no evaluation", f"its {MANIFEST} does not say so", "type: venus eval --out DIR")
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    try:
        facts = facts_of(manifest)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        what = f"{folder / MANIFEST} cannot be read"
        raise UsageError(what, f"{type(error).__name__}: {error}", "evaluate again, into another folder") from error
    old = folder / README
    return render_evaluation_card(facts, old.read_text(encoding="utf-8") if old.is_file() else "")


def write_evaluation_card(folder: Path) -> bool:
    """Write the card of an evaluation; returns whether it changed.

    Raises:
        UsageError: The folder is not that of a finished evaluation, or its card cannot be taken apart.
        StoreError: The folder cannot be written.
    """
    text = card_of(folder)
    if (folder / README).is_file() and (folder / README).read_text(encoding="utf-8") == text:
        return False
    with closing(Store(folder)) as store:
        store.write_text(README, text)
    return True


def facts_of(manifest: Mapping[str, Any]) -> EvaluationFacts:
    """Return what the manifest of an evaluation says, as a card has it."""
    options, scores = manifest["options"], manifest["scores"]
    dataset, _, revision = _name_of_data(manifest).partition("@")
    model = _name_of_model(options["model"])
    whole = scores[0]
    groups = [each for each in scores if each["by"] == "language"]
    shown = groups if len(groups) == 1 else [whole, *groups]
    server = manifest["server"] or {}
    return EvaluationFacts(
        name=f"{model} on {dataset.split('/')[-1]}",
        model=model,
        model_revision="",
        dataset=dataset,
        dataset_revision=revision,
        suite="Efficiency",
        results=tuple(result for each in shown for result in _results(each, dataset, revision, options)),
        languages=tuple(options["lang"]),
        problems=whole["problems"],
        samples=options["samples"],
        judged=sum(count for name, count in whole["outcomes"].items() if name in ("passed", "failed", "no_code")),
        failures=manifest["missing"],
        partial=manifest["partial"],
        settings={
            **{name: options[name] for name in SETTINGS},
            "repeats": options["measure"]["repeats"],
            **{name: server[name] for name in SAMPLING if name in server},
        },
        environment={name: manifest["environment"].get(name, "unknown") for name in RUNTIME},
        limits=tuple(_limits(manifest)),
    )


def _results(scores: Mapping[str, Any], dataset: str, revision: str, options: Mapping[str, Any]) -> Iterator[Result]:
    config = scores["name"] if scores["by"] == "language" else "default"
    figures = {"pass@1": ("Pass@1", scores["pass_at_1"])}
    figures |= {f"beyond_{name}": (NAMES[name], scores["efficiency"][name]["beyond"]) for name in OBJECTIVES}
    for metric, (name, interval) in figures.items():
        if interval is None:
            continue
        value, low, high = (round(PER_CENT * each, 2) for each in interval[:3])
        of_tasks = scores["problems"] if metric == "pass@1" else None
        where = (dataset, revision, config, options["split"])
        yield Result(metric, value, *where, name=name, unit="%", interval=(low, high), n=of_tasks)


def _limits(manifest: Mapping[str, Any]) -> Iterator[str]:
    if manifest.get("contamination"):
        yield f"{manifest['contamination'][0].upper()}{manifest['contamination'][1:]}."
    if manifest["options"]["references"] == PUBLISHED:
        yield "The human figures are those of another machine: ranks compare machines as well."
    if manifest["unranked"]:
        yield f"{len(manifest['unranked'])} tasks have no rank; they count in Pass@1 only."


def _name_of_data(manifest: Mapping[str, Any]) -> str:
    """Return a name on the Hub as it was typed, of a folder its own name alone."""
    data: str = manifest["options"]["data"]
    return Path(data).name if Path(data).is_absolute() or Path(manifest["release"]["folder"]) == Path(data) else data


def _name_of_model(model: str) -> str:
    """Return the model as others may read it: of files on this disk their name alone."""
    kind, colon, place = model.partition(":")
    return f"{kind}:{Path(place).name}" if colon and ("/" in place) and Path(place).exists() else model
