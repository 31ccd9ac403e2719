"""``venus pull``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from venus_toolkit.cli.options import json_option, print_json
from venus_toolkit.cli.progress import stage_progress

EPILOG = """\b
Examples:
  venus pull me/Venus@1.2.0 --out data/venus      a folder that works wherever a name does
  venus pull me/Venus                             the newest version, into the Hub's cache
"""


@click.command("pull", epilog=EPILOG)
@click.argument("name", metavar="NAME[@VERSION]")
@click.option("--out", type=click.Path(path_type=Path), help="The folder to write; without it, the Hub's cache.")
@json_option
def command(name: str, out: Path | None, as_json: bool) -> None:
    """Get a version of a data set, and verify every file.

    Goes on where it was stopped.
    """
    from venus_toolkit.hub import pull

    with stage_progress(sys.stderr.isatty()) as progress:
        done = pull(name, out, progress)
    if as_json:
        print_json({**done._asdict(), "folder": str(done.folder)})
    else:
        click.echo(f"{done.name} {done.version} in {done.folder}: {done.fetched} files fetched, all verified")
