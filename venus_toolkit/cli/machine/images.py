"""``venus images list|pull|build|check|clean``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import log_line, print_json
from venus_toolkit.core.errors import UsageError

current_option = click.option(
    "--current", is_flag=True, help="Use a base image with current tools instead of the paper's."
)
named = click.argument("names", nargs=-1, metavar="[ID]...")


@click.group(
    "images",
    epilog="""\b
Examples:
  venus images list
  venus images build cpp                       on the paper's base, from a registry
  venus images pull --current go               today's versions instead of the paper's
  venus images build --from-debian             all languages, from Debian packages only
  venus images check cpp
  venus images clean
""",
)
def command() -> None:
    """Build, check and clean up the images of the Docker sandbox.

    A language runs in the image venus-<id>:<base>, built from languages/<id>/Dockerfile on the
    paper's base image. If that is missing, it runs in venus-<id>:debian, built from Debian
    packages. DOCKER_HOST is the daemon's address.
    """


@command.command("list", epilog="Example: venus images list --json")
@shared.languages_option
@shared.json_option
def list_images(extra_languages: Path | None, as_json: bool) -> None:
    """List the image of each language, its digest and its size."""
    from venus_toolkit.execution.machine import images

    rows = images.list_images(shared.named_languages((), extra_languages))
    if as_json:
        print_json([row._asdict() for row in rows])
        return
    for row in rows:
        size = f"{(row.bytes or 0) / 1e6:.0f} MB"
        image = (
            f"{row.image}  {row.digest}  {size}"
            if row.image
            else f"none; looked for {' and '.join(row.names)}"
        )
        click.echo(f"{row.language:<12} {image}")


@command.command("pull", epilog="Example: venus images pull cpp python")
@named
@current_option
@shared.languages_option
def pull(names: tuple[str, ...], current: bool, extra_languages: Path | None) -> None:
    """Pull the paper's base images and build on them.

    For the named languages, or for all.
    """
    from venus_toolkit.execution.machine import images

    for language in shared.named_languages(names, extra_languages):
        images.pull(language, _log_step, current)
        click.echo(images.build(language, log=_log_step, current=current))


@command.command("build", epilog="Example: venus images build --from-debian cpp python")
@named
@click.option(
    "--from-debian",
    is_flag=True,
    help="Build from Debian packages, without a registry; needs root and debootstrap.",
)
@click.option(
    "--base", metavar="IMAGE", help="A base image other than the paper's, for one language."
)
@current_option
@shared.languages_option
def build(
    names: tuple[str, ...],
    from_debian: bool,
    base: str | None,
    current: bool,
    extra_languages: Path | None,
) -> None:
    """Build the images of the named languages, or of all.

    Takes the paper's base image from a registry; --from-debian needs no registry.
    """
    from venus_toolkit.execution.machine import images

    languages = shared.named_languages(names, extra_languages)
    if current and (base or from_debian):
        raise UsageError(
            "--current names a base", "--base and --from-debian do as well", "leave one of them out"
        )
    if base and (from_debian or len(languages) != 1):
        raise UsageError(
            "--base is for one language",
            "and not for --from-debian",
            "type: venus images build --help",
        )
    if from_debian:
        for name in images.build_from_debian(languages, _log_step):
            click.echo(name)
        return
    for language in languages:
        click.echo(images.build(language, base, _log_step, current))


@command.command("check", epilog="Example: venus images check rust")
@named
@shared.languages_option
@shared.json_option
@click.pass_context
def check(
    context: click.Context, names: tuple[str, ...], extra_languages: Path | None, as_json: bool
) -> None:
    """Judge self-test programs in images, of all or named languages.

    Equivalent to `venus languages check --sandbox docker`.
    """
    from venus_toolkit.cli.machine.languages import check as check_languages

    context.invoke(
        check_languages,
        names=names,
        sandbox="docker",
        extra_languages=extra_languages,
        as_json=as_json,
    )


@command.command("clean", epilog="Example: venus images clean")
def clean() -> None:
    """Remove the containers and folders left by killed runs.

    Removes only those whose process is dead, and never an image.
    """
    from venus_toolkit.execution.machine import images

    containers = images.clean()
    for name in containers:
        click.echo(name)
    _log_step(f"removed {len(containers)} leftover containers")


def _log_step(line: str) -> None:
    # The single steps of a build are only for a terminal, not for a log file.
    if sys.stderr.isatty() or not line.startswith((" ", "#")):
        log_line(line)
