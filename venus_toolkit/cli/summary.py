"""What a build says at its end: how many of everything were kept, and why the others were not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from venus_toolkit.records import MIB

MOST = 12


def print_summary(manifest: Mapping[str, Any], out: Path) -> None:
    """Print a finished build's manifest for a person."""
    if manifest.get("unchanged"):
        click.echo(f"Nothing changed since the last build: {out} is up to date.")
    for name, config in manifest["configs"].items():
        _print_config(name, config)
    tests = manifest["tests"]
    click.echo(f"tests      {tests['kept']} kept of {tests['found']}")
    _print_quality(manifest["quality"])
    for stage, reasons in manifest["dropped"].items():
        for reason, count in list(reasons.items())[:MOST]:
            click.echo(f"dropped    {count} at {stage}: {reason}")
    for name, why in manifest["lacking"].items():
        click.echo(f"missing    {name}: {why.splitlines()[0]}")
    if "seconds" in manifest:
        times = ", ".join(f"{stage} {value:.0f} s" for stage, value in manifest["seconds"].items() if value >= 0.5)
        click.echo(f"time       {times}")
        click.echo(f"memory     {manifest['toolkit_peak_bytes'] // MIB} MiB, the toolkit itself at its peak")
    click.echo(f"sandbox    {manifest['sandbox']['sandbox']}, isolation {manifest['sandbox']['isolation']}")
    if "model_costs" in manifest:
        costs = manifest["model_costs"]
        said = f"{costs['prompt_tokens']} + {costs['completion_tokens']} tokens, {costs['cached']} answers known before"
        click.echo(f"model      {costs['requests']} requests, {costs['failures']} failed; {said}")
    first = next(iter(manifest["configs"]))
    click.echo(f"\nload it:   from datasets import load_dataset; load_dataset({str(out)!r}, {first!r})")


def _print_quality(quality: Mapping[str, Any]) -> None:
    names = {
        "true_positive": "right solutions accepted",
        "true_negative_wrong": "wrong ones refused",
        "true_negative_mutants": "mutants refused",
    }
    rates = {words: quality[name] for name, words in names.items()}
    said = ", ".join(f"{rate['hits']} of {rate['n']} {words}" for words, rate in rates.items() if rate["n"])
    if said:
        click.echo(f"           {said}")


def _print_config(name: str, config: Mapping[str, Any]) -> None:
    splits, repeat = config["splits"], config["repeatability"]
    sizes = ", ".join(
        f"{part} {facts['problems']} problems with {facts['solutions']} solutions" for part, facts in splits.items()
    )
    click.echo(f"{name:<10} {sizes}")
    click.echo("verdicts   " + ", ".join(f"{count} {verdict}" for verdict, count in config["verdicts"].items()))
    if repeat["measured"]:
        spreads = {kind: repeat[f"median_{kind}_spread"] for kind in ("wall", "cpu", "relative")}
        said = ", ".join(f"{kind} {100 * value:.1f} %" for kind, value in spreads.items() if value is not None)
        click.echo(
            f"measured   {repeat['measured']}, {repeat['noisy']} with a noise flag, ranked by {config['rank']} time"
        )
        if said:
            click.echo(f"spread     {said} (median over solutions)")
    for solution, why in list(config["unexpected"].items())[:MOST]:
        click.echo(f"unexpected {solution} {why}")
    if len(config["unexpected"]) > MOST:
        click.echo(f"unexpected … and {len(config['unexpected']) - MOST} more, all in manifest.json")
