"""An evaluation's own card, and its figures for the card of a model.

Every number comes from the manifest of ``venus eval``, which is computed from results.parquet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.store import MANIFEST, Store, read_manifest
from venus_toolkit.dataset.card.model_card import (
    EvaluationFacts,
    ReportedResult,
    render_evaluation_card,
)
from venus_toolkit.dataset.card.published_scores import quote_scores
from venus_toolkit.dataset.release import CARD

BEYOND = {"time": "Beyond-T", "memory": "Beyond-M", "integral": "Beyond-I"}


def is_evaluation(folder: Path) -> bool:
    """Return whether a folder holds a finished `venus eval`."""
    return (read_manifest(folder) or {}).get("kind") == "evaluation"


def read_results(folder: Path) -> tuple[ReportedResult, ...]:
    """Return the figures for the card of the model: Pass@1 and Beyond by language.

    Raises:
        UsageError: The folder is not a finished evaluation.
    """
    manifest = _read_evaluation(folder)
    options, groups = (
        manifest["options"],
        [group for group in manifest["scores"] if group["by"] == "language"],
    )
    settings = {
        "objective": options["objective"],
        "samples": options["samples"],
        "evaluated as": options["model"],
    }
    return tuple(_results(manifest, groups, **settings))


def card_of(folder: Path) -> str:
    """Return the card of an evaluation; text that people added to an existing card is kept.

    Raises:
        UsageError: The folder is not a finished evaluation, or its card cannot be parsed.
    """
    manifest = _read_evaluation(folder)
    try:
        facts = _facts(manifest)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        complaint = f"{folder / MANIFEST} cannot be read"
        raise UsageError(
            complaint, f"{type(error).__name__}: {error}", "evaluate again, into another folder"
        ) from error
    old = folder / CARD
    return render_evaluation_card(facts, old.read_text(encoding="utf-8") if old.is_file() else "")


def write_evaluation_card(folder: Path) -> bool:
    """Write the card of an evaluation; return whether it changed.

    Raises:
        UsageError: The folder is not a finished evaluation, or its card cannot be parsed.
        StoreError: The folder cannot be written.
    """
    text = card_of(folder)
    if (folder / CARD).is_file() and (folder / CARD).read_text(encoding="utf-8") == text:
        return False
    with Store(folder) as store:
        store.write_text(CARD, text)
    return True


def _read_evaluation(folder: Path) -> dict[str, Any]:
    if not is_evaluation(folder):
        raise UsageError(
            f"{folder} is not an evaluation",
            f"its {MANIFEST} does not say so",
            "type: venus eval --out DIR",
        )
    return read_manifest(folder) or {}


def _facts(manifest: Mapping[str, Any]) -> EvaluationFacts:
    options, scores, server = manifest["options"], manifest["scores"], manifest["server"] or {}
    loop = manifest.get("loop") or {}
    dataset, revision = _dataset(manifest)
    model = options["model"]
    kind, colon, file = model.partition(":")
    # A card is published, so it must not show folders of this machine.
    if colon and "/" in file and Path(file).exists():
        model = f"{kind}:{Path(file).name}"
    whole, groups = scores[0], [group for group in scores if group["by"] == "language"]
    limits = []
    if reason := manifest.get("contamination"):
        limits.append(f"{reason[0].upper()}{reason[1:]}.")
    if options["references"] == "published":
        limits.append("The human figures are from another machine, so ranks also compare machines.")
    if options.get("intervals") == "paper":
        limits.append(
            "The intervals are computed as in the paper and are too narrow: they cover the error of "
            "128 draws, but not the choice of problems."
        )
    if manifest["unranked"]:
        limits.append(f"{len(manifest['unranked'])} tasks have no rank; they count in Pass@1 only.")
    return EvaluationFacts(
        name=f"{model} on {dataset.split('/')[-1]}",
        model=model,
        model_revision="",
        dataset=dataset,
        dataset_revision=revision,
        suite="Efficiency",
        # With one language, its row and the row of all tasks have the same numbers.
        results=tuple(_results(manifest, groups if len(groups) == 1 else [whole, *groups])),
        languages=tuple(options["lang"]),
        problems=whole["problems"],
        samples=options["samples"],
        judged=sum(
            count
            for name, count in whole["outcomes"].items()
            if name not in ("unanswered", "unjudged")
        ),
        failures=manifest["missing"],
        partial=manifest["partial"],
        settings={
            **{
                name: options[name]
                for name in (
                    "objective",
                    "samples",
                    "form",
                    "references",
                    "rank",
                    "ties",
                    "rule",
                    "seed",
                )
            },
            **{
                name: loop[name]
                for name in ("iterations", "mode", "start", "feedback")
                if name in loop
            },
            "repeats": options["measure"]["repeats"],
            **{name: server[name] for name in ("temperature", "answer_tokens") if name in server},
        },
        environment={
            name: manifest["environment"].get(name, "unknown")
            for name in ("cpu", "cores", "architecture", "kernel")
        },
        limits=tuple(limits),
    )


def _dataset(manifest: Mapping[str, Any]) -> tuple[str, str]:
    """Return name and revision of the data; a folder is shown without its parents."""
    data = manifest["options"]["data"]
    if Path(data).is_absolute() or manifest.get("release", {}).get("folder") == str(Path(data)):
        data = Path(data).name
    name, _, revision = data.partition("@")
    return name, revision


def _results(
    manifest: Mapping[str, Any], groups: Iterable[Mapping[str, Any]], **args: Any
) -> Iterator[ReportedResult]:
    """Yield the figures of groups of tasks in per cent; `args` are the settings of the figures."""
    dataset, revision = _dataset(manifest)
    for scores in groups:
        config = scores["name"] if scores["by"] == "language" else "default"
        data = (dataset, revision or "unpublished", config, manifest["options"]["split"])
        figures = {("pass@1", "Pass@1"): scores["pass_at_1"]}
        figures |= {
            (f"beyond_{key}", name): scores["efficiency"][key]["beyond"]
            for key, name in BEYOND.items()
        }
        for (metric, name), interval in figures.items():
            if interval is not None:  # not every evaluation has every figure
                # The fields of Interval (eval/scoring/statistics.py): estimate, low, high, level,
                # number of problems.
                value, low, high = (round(100.0 * score, 2) for score in interval[:3])
                n = int(interval[4])
                yield ReportedResult(
                    metric, value, *data, name=name, unit="%", interval=(low, high), n=n, args=args
                )
        # Evaluations by earlier versions lack scores of other benchmarks.
        for score in quote_scores(scores.get("published") or {}):
            name = f"{score.benchmark} {score.metric.removesuffix(' %')}"
            metric = re.sub(r"[^a-z0-9@]+", "_", name.lower())
            yield ReportedResult(
                metric, round(score.value, 3), *data, name=name, unit=score.unit, args=args
            )
