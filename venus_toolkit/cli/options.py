"""Options that several commands share."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from venus_toolkit.records import to_plain

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

json_option: Decorator = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object instead of a table."
)
sandbox_option: Decorator = click.option(
    "--sandbox",
    default=None,
    metavar="NAME",
    help="Where programs run: auto (default), local, docker, unsafe (no isolation), or http://HOST:PORT of a server.",
)
languages_option: Decorator = click.option(
    "--languages",
    "extra_languages",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=None,
    help="A folder with language folders of your own.",
)


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what says where the work is spread; see venus_toolkit.engine."""
    chosen = (
        click.option("--engine", help="Over what the work is spread: local (default: this machine) or ray, a cluster."),
        click.option("--ray-address", metavar="HOST:PORT|auto", help="The cluster; default: one that is found here."),
    )
    for option in reversed(chosen):
        command = option(command)
    return command


model_option: Decorator = click.option(
    "--model",
    required=True,
    metavar="NAME",
    help="The model; or replay:FILE with its answers, vllm:FOLDER or transformers:FOLDER with its weights.",
)
base_url_option: Decorator = click.option(
    "--base-url", metavar="URL", help="Where the model is: any server with OpenAI's chat completions."
)
prompts_option: Decorator = click.option(
    "--prompts",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder with templates of your own instead of those of the toolkit.",
)


def asking_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what says how a model is asked."""
    chosen = (
        click.option("--temperature", default=0.8, show_default=True, help="Of the model; 0 makes all samples alike."),
        click.option("--answer-tokens", default=4096, show_default=True, help="How long an answer may be."),
        click.option("--concurrency", default=8, show_default=True, help="Questions that are asked at the same time."),
        click.option("--max-requests", type=int, help="Ask so often at most; what was asked before is free."),
        click.option("--max-tokens", type=int, help="And for at most so many tokens, prompts included."),
    )
    for option in reversed(chosen):
        command = option(command)
    return command


def loop_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what says how the iterative loop runs."""
    chosen = (
        click.option("--mode", default="single-turn", show_default=True, help="What a question shows; see below."),
        click.option("--min-gain", default=0.01, show_default=True, help="The least share of the cost to be saved."),
        click.option("--remembered", default=4, show_default=True, help="Attempts that the mode history shows."),
    )
    for option in reversed(chosen):
        command = option(command)
    return command


def model_options(flags: dict[str, Any]) -> Any:
    """Take what says how a model is asked out of the flags; None for a replay, and for a model that is nowhere."""
    from venus_toolkit.llm import LOCAL, ModelOptions

    names = ("temperature", "answer_tokens", "concurrency", "max_requests", "max_tokens")
    told = {name: flags.pop(name) for name in names}
    base_url = flags.pop("base_url")
    if not base_url and flags["model"].partition(":")[0] not in LOCAL:
        return None
    return ModelOptions(base_url or "", flags["model"], seed=flags["seed"], **told)


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows of cells as columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def print_json(value: Any) -> None:
    """Print a record or plain values as one JSON object."""
    click.echo(json.dumps(to_plain(value), indent=1, ensure_ascii=False))
