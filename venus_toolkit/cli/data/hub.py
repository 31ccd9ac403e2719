"""``venus publish``, ``venus pull`` and ``venus releases``: datasets on the Hub."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import print_json, stage_progress
from venus_toolkit.core.records import KIB, MIB


@click.command(
    "publish",
    epilog="""\b
Examples:
  venus publish build/venus --to me/Venus --dry-run      show the changes and the new version
  venus publish build/venus --to me/Venus                check, commit, tag; rerun it after a failure
  venus publish build/venus --to me/Venus --private
  venus publish build/venus --to them/Venus --pr         as a pull request, if you cannot write there
""",
)
@click.argument("folder", type=shared.PATH, metavar="FOLDER")
@click.option(
    "--to",
    required=True,
    metavar="NAME",
    help="The dataset: owner/name, or name for the token's owner.",
)
@click.option(
    "--version",
    metavar="X.Y.Z",
    help="Expected version; fails if the versioning rule gives another.",
)
@click.option("--private", is_flag=True, help="If the dataset is new, make it private.")
@click.option(
    "--pr", "as_request", is_flag=True, help="Open a pull request instead of a commit and a tag."
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Check, compare and show the changes; send and write nothing. Works offline.",
)
@click.option(
    "--supersede",
    is_flag=True,
    help="Publish even if another release was committed but never tagged.",
)
@click.option(
    "--allow-secret",
    multiple=True,
    metavar="ID",
    help="Accept this finding: it is not a secret; may be repeated.",
)
@click.option(
    "--allow-licence",
    multiple=True,
    metavar="NAME",
    help="Accept this licence: you may redistribute the data; may be repeated.",
)
@shared.json_option
def publish(folder: Path, to: str, version: str | None, as_json: bool, **flags: Any) -> None:
    """Publish a release on the Hub.

    Checks it, compares it with the previous one, and sends it as one commit with a tag.
    """
    from venus_toolkit.dataset.hub import publishing
    from venus_toolkit.dataset.hub.release_checks import Allowed
    from venus_toolkit.dataset.hub.versions import parse_version

    allowed = Allowed(flags.pop("allow_secret"), flags.pop("allow_licence"))
    # The other flags have the names of the options.
    options = publishing.PublishOptions(
        version=parse_version(version) if version else None, allowed=allowed, **flags
    )
    with stage_progress() as progress:
        publication = publishing.publish(folder, to, options, progress)
    if as_json:
        print_json(publication)
        return
    status = {
        "published": "published",
        "finished": "finished: the commit existed, the tag is new",
        "unchanged": "already published: nothing was sent",
        "requested": "open as a pull request; after it is merged, type the same command to add the tag",
        "planned": "not sent (--dry-run)",
    }
    click.echo(f"{publication.name} {publication.version}: {status[publication.status]}")
    for line in publication.changes:
        click.echo(f"  {line}")
    if publication.offline:
        click.echo(f"offline    {publication.offline}: shown as a first release")
    for word, names in {
        "new": publication.added,
        "changed": publication.changed,
        "deleted": publication.deleted,
    }.items():
        if names:
            click.echo(
                f"{word:<10} {len(names)} files: "
                f"{', '.join(names[:4])}{' …' if len(names) > 4 else ''}"
            )
    for config, splits in publication.rows.items():
        rows = []
        for split, now in splits.items():
            before = publication.rows_before.get(config, {}).get(split, 0)
            change = f" ({now - before:+d})" if publication.rows_before and now != before else ""
            rows.append(f"{split} {now}{change}")
        click.echo(f"rows       {config}: {', '.join(rows)}")
    if size := publication.bytes_to_send:
        size_text = f"{size / MIB:.1f} MiB" if size >= MIB else f"{size / KIB:.1f} KiB"
        click.echo(f"size       {size_text} in files that are new or changed")
    if publication.request:
        click.echo(f"request    {publication.request}")
    elif publication.commit:
        click.echo(f"commit     {publication.commit}")
        revision = f"v{publication.version}"
        click.echo(f'\nload it:   load_dataset("{publication.name}", revision="{revision}")')


@click.command(
    "pull",
    epilog="""\b
Examples:
  venus pull me/Venus@1.2.0 --out data/venus      into a folder, to use in place of the name
  venus pull me/Venus                             the newest version, into the Hub's cache
""",
)
@click.argument("name", metavar="NAME[@VERSION]")
@click.option("--out", type=shared.PATH, help="Output folder; default: the Hub's cache.")
@shared.json_option
def pull(name: str, out: Path | None, as_json: bool) -> None:
    """Download a version of a dataset, and verify every file.

    Rerun the same command to resume an interrupted download.
    """
    from venus_toolkit.dataset.hub import pulling

    with stage_progress() as progress:
        download = pulling.pull(name, out, progress)
    if as_json:
        print_json({**download._asdict(), "folder": str(download.folder)})
    else:
        click.echo(
            f"{download.name} {download.version} in {download.folder}: {download.fetched} files "
            "fetched, all verified"
        )


@click.command(
    "releases",
    epilog="""\b
Examples:
  venus releases me/Venus
  venus releases me/Venus --json
""",
)
@click.argument("name", metavar="NAME")
@shared.json_option
def releases(name: str, as_json: bool) -> None:
    """List the versions of a dataset on the Hub with their changes."""
    from venus_toolkit.dataset.hub import pulling

    releases = pulling.list_releases(name)
    if as_json:
        print_json([release._asdict() for release in releases])
        return
    for release in releases:
        rows = (
            ", ".join(f"{config} {sum(splits.values())}" for config, splits in release.rows.items())
            or "unknown"
        )
        click.echo(
            f"{release.version:<10} {release.date or 'unknown':<10}  {release.commit[:10]}  rows: {rows}"
        )
        for line in release.changes:
            click.echo(f"{'':<10} {line}")
    if not releases:
        click.echo("no version yet")
