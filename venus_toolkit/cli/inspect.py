"""``venus inspect``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from venus_toolkit.cli.options import json_option, print_json
from venus_toolkit.errors import EXIT_DONE, EXIT_FAILED
from venus_toolkit.records import MIB, to_plain

if TYPE_CHECKING:
    from venus_toolkit.release.inspection import Inspection

EPILOG = """\b
Examples:
  venus inspect build/venus
  venus inspect build/venus --json
"""


@click.command("inspect", epilog=EPILOG)
@click.argument("folder", type=click.Path(path_type=Path))
@json_option
def command(folder: Path, as_json: bool) -> None:
    """Say what is in a release folder, and check every file.

    Lists configs, splits, rows and sizes, and compares every file with the SHA-256 in manifest.json. Exit code 1 where
    a file is missing, changed, unreadable or not listed.
    """
    from venus_toolkit.release import open_release
    from venus_toolkit.release.inspection import inspect_release

    found = inspect_release(open_release(folder))
    if as_json:
        print_json({**to_plain(found), "folder": str(folder), "ok": not found.complaints})
    else:
        _print(found)
    sys.exit(EXIT_FAILED if found.complaints else EXIT_DONE)


def _print(found: Inspection) -> None:
    width = max((len(split.config) for split in found.splits), default=0)
    click.echo(f"{'config':<{width}}  {'split':<8}  {'rows':>9}  {'files':>5}  {'MiB':>9}")
    for each in found.splits:
        rows = "?" if each.rows is None else f"{each.rows:,}".replace(",", " ")
        size = f"{each.size_bytes / MIB:.1f}"
        click.echo(f"{each.config:<{width}}  {each.split:<8}  {rows:>9}  {each.files:>5}  {size:>9}")
    click.echo(f"\nwritten by the toolkit {found.toolkit or '?'}, manifest format {found.format}")
    for complaint in found.complaints:
        click.echo(f"damaged    {complaint}")
    if not found.complaints:
        click.echo("Every file is as its manifest says.")
