"""Options that several commands share."""

from __future__ import annotations

import json
from collections.abc import Callable
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
    help="Where programs run: auto (default), local, docker, or unsafe (no isolation: trust the code).",
)
languages_option: Decorator = click.option(
    "--languages",
    "extra_languages",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=None,
    help="A folder with language folders of your own.",
)


def print_json(value: Any) -> None:
    """Print a record or plain values as one JSON object."""
    click.echo(json.dumps(to_plain(value), indent=1, ensure_ascii=False))
