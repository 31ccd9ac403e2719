"""``venus publish``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from venus_toolkit.cli.options import json_option, print_json
from venus_toolkit.cli.progress import stage_progress
from venus_toolkit.records import KIB, MIB

if TYPE_CHECKING:
    from venus_toolkit.hub import Published

EPILOG = """\b
Examples:
  venus publish build/venus --to me/Venus --dry-run      what would change, and which version it would be
  venus publish build/venus --to me/Venus                check, commit, tag; type it again after a failure
  venus publish build/venus --to me/Venus --private
  venus publish build/venus --to them/Venus --pr         as a pull request, where you may not write
"""
SAID = {
    "published": "published",
    "finished": "finished: the commit was there, the tag is new",
    "unchanged": "there already: nothing was sent",
    "requested": "waiting as a pull request; the tag follows when it is merged and this is typed again",
    "planned": "not sent (--dry-run)",
}


@click.command("publish", epilog=EPILOG)
@click.argument("folder", type=click.Path(path_type=Path), metavar="FOLDER")
@click.option("--to", required=True, metavar="NAME", help="The data set: owner/name, or name for the token's owner.")
@click.option("--version", metavar="X.Y.Z", help="Which version you think it is; refused where the rule says another.")
@click.option("--private", is_flag=True, help="A data set that is made now is seen by its owner only.")
@click.option("--pr", "as_request", is_flag=True, help="Open a pull request in place of a commit and a tag.")
@click.option("--dry-run", is_flag=True, help="Check, compare and say what would change; send and write nothing.")
@click.option("--supersede", is_flag=True, help="Go on although another release was committed and never tagged.")
@click.option("--allow-secret", multiple=True, metavar="ID", help="This finding is no secret; may be repeated.")
@click.option("--allow-licence", multiple=True, metavar="NAME", help="You may pass this on; may be repeated.")
@json_option
def command(
    folder: Path,
    to: str,
    version: str | None,
    private: bool,
    as_request: bool,
    dry_run: bool,
    supersede: bool,
    allow_secret: tuple[str, ...],
    allow_licence: tuple[str, ...],
    as_json: bool,
) -> None:
    """Publish a release on the Hub.

    It is checked, compared with the last one, and sent as one commit with a tag.
    """
    from venus_toolkit.hub import PublishOptions, publish
    from venus_toolkit.hub.checks import Allowed
    from venus_toolkit.hub.names import parse_version

    options = PublishOptions(
        version=parse_version(version) if version else None,
        private=private,
        as_request=as_request,
        dry_run=dry_run,
        supersede=supersede,
        allowed=Allowed(allow_secret, allow_licence),
    )
    with stage_progress(sys.stderr.isatty()) as progress:
        done = publish(folder, to, options, progress)
    if as_json:
        print_json(done)
    else:
        _print(done)


def _print(done: Published) -> None:
    click.echo(f"{done.name} {done.version}: {SAID[done.status]}")
    for line in done.changes:
        click.echo(f"  {line}")
    for word, names in {"new": done.added, "changed": done.changed, "deleted": done.deleted}.items():
        if names:
            click.echo(f"{word:<10} {len(names)} files: {', '.join(names[:4])}{' …' if len(names) > 4 else ''}")
    for config, splits in done.rows.items():
        click.echo(f"rows       {config}: {', '.join(_rows(done, config, split) for split in splits)}")
    if done.bytes_to_send:
        click.echo(f"size       {_size(done.bytes_to_send)} in files that are new or changed")
    if done.request:
        click.echo(f"request    {done.request}")
    elif done.commit:
        click.echo(f"commit     {done.commit}")
        click.echo(f'\nload it:   load_dataset("{done.name}", revision="v{done.version}")')


def _rows(done: Published, config: str, split: str) -> str:
    now, before = done.rows[config][split], done.rows_before.get(config, {}).get(split, 0)
    change = f" ({now - before:+d})" if done.rows_before and now != before else ""
    return f"{split} {now}{change}"


def _size(count: int) -> str:
    return f"{count / MIB:.1f} MiB" if count >= MIB else f"{count / KIB:.1f} KiB"
