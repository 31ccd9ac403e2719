"""``venus releases``."""

from __future__ import annotations

import click

from venus_toolkit.cli.options import json_option, print_json

EPILOG = """\b
Examples:
  venus releases me/Venus
  venus releases me/Venus --json
"""


@click.command("releases", epilog=EPILOG)
@click.argument("name", metavar="NAME")
@json_option
def command(name: str, as_json: bool) -> None:
    """List the versions of a data set on the Hub, and what was new."""
    from venus_toolkit.hub import list_releases

    found = list_releases(name)
    if as_json:
        print_json([each._asdict() for each in found])
        return
    for each in found:
        rows = ", ".join(f"{config} {sum(splits.values())}" for config, splits in each.rows.items()) or "unknown"
        click.echo(f"{each.version:<10} {each.date or 'unknown':<10}  {each.commit[:10]}  rows: {rows}")
        for line in each.changes:
            click.echo(f"{'':<10} {line}")
    if not found:
        click.echo("no version yet")
