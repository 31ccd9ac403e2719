"""``venus cache info|clear|limit``: the store of compiled programs, and the embedded model."""

from __future__ import annotations

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import print_json
from venus_toolkit.core.records import MIB


@click.group(
    "cache",
    epilog="""\b
Examples:
  venus cache info
  venus cache clear
  venus cache clear --models                   also the embedded model
  venus cache limit 1024                       keep at most 1 GiB
""",
)
def command() -> None:
    """Show, clear or limit the store of compiled programs.

    Every program is compiled once and kept in $VENUS_CACHE/compiled (by default below
    ~/.cache/venus), where all processes of a user find it. The embedded model, smollm2, is in
    $VENUS_CACHE/models and does not count towards the limit.
    """


@command.command("info", epilog="Example: venus cache info --json")
@shared.json_option
def info(as_json: bool) -> None:
    """Show what is in the store."""
    from venus_toolkit.execution.sandbox.compiled import CompiledStore
    from venus_toolkit.models.embedded import kept_models

    usage = CompiledStore().usage()
    models = {
        str(folder): sum(file.stat().st_size for file in folder.iterdir())
        for folder in kept_models()
    }
    if as_json:
        print_json({**usage._asdict(), "folder": str(usage.folder), "models": models})
        return
    click.echo(f"folder     {usage.folder}")
    click.echo(
        f"programs   {usage.programs}, {_mib(usage.bytes)} of at most {_mib(usage.limit_bytes)}"
    )
    click.echo(f"in use     {usage.programs_in_use}, {_mib(usage.bytes_in_use)}")
    for language, count in usage.languages.items():
        click.echo(f"  {language:<12} {count}")
    for model, size in models.items():
        click.echo(f"model      {model}, {_mib(size)}")


@command.command("clear", epilog="Example: venus cache clear")
@click.option("--models", is_flag=True, help="Also remove the embedded model.")
@shared.json_option
def clear(models: bool, as_json: bool) -> None:
    """Remove every program that is not in use."""
    from venus_toolkit.execution.sandbox.compiled import CompiledStore
    from venus_toolkit.models.embedded import clear_models

    removal = CompiledStore().clear()
    if models:
        clear_models()
    if as_json:
        print_json(removal._asdict())
    else:
        click.echo(
            f"removed {removal.programs} programs, {_mib(removal.bytes)}; kept {removal.in_use} "
            "in use"
        )


@command.command("limit", epilog="Example: venus cache limit 1024")
@click.argument("mib", type=click.IntRange(min=0))
def limit(mib: int) -> None:
    """Set the maximum size of the store, in MiB.

    The least recently used programs are removed first.
    """
    from venus_toolkit.execution.sandbox.compiled import CompiledStore

    removal = CompiledStore().set_limit(mib * MIB)
    click.echo(f"removed {removal.programs} programs, {_mib(removal.bytes)}")


def _mib(size_bytes: int) -> str:
    return f"{size_bytes / MIB:.1f} MiB" if size_bytes % MIB else f"{size_bytes // MIB} MiB"
