"""``venus inspect``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import print_json
from venus_toolkit.core.errors import EXIT_DONE, EXIT_FAILED
from venus_toolkit.core.records import MIB


@click.command(
    "inspect",
    epilog="""\b
Examples:
  venus inspect build/venus
  venus inspect build/venus --json
""",
)
@click.argument("folder", type=shared.PATH)
@shared.json_option
def command(folder: Path, as_json: bool) -> None:
    """Show what is in a release folder, and check every file.

    Lists configs, splits, rows and sizes, and compares every file with the SHA-256 in
    manifest.json. The exit code is 1 where a file is missing, changed, unreadable or not listed.
    """
    from venus_toolkit.dataset.release import inspect_release, open_release

    found = inspect_release(open_release(folder))
    complaints = found["complaints"]
    if as_json:
        print_json({"folder": str(folder), **found, "ok": not complaints})
    else:
        width = max((len(split["config"]) for split in found["splits"]), default=0)
        click.echo(f"{'config':<{width}}  {'split':<8}  {'rows':>9}  {'files':>5}  {'MiB':>9}")
        for each in found["splits"]:
            rows = "?" if each["rows"] is None else f"{each['rows']:,}"
            size = f"{each['size_bytes'] / MIB:.1f}"
            click.echo(
                f"{each['config']:<{width}}  {each['split']:<8}  {rows:>9}  {each['files']:>5}  "
                f"{size:>9}"
            )
        click.echo(
            f"\nwritten by the toolkit {found['toolkit'] or '?'}, manifest format {found['format']}"
        )
        for complaint in complaints:
            click.echo(f"damaged    {complaint}")
        if not complaints:
            click.echo("Every file is as its manifest says.")
    sys.exit(EXIT_FAILED if complaints else EXIT_DONE)
