"""``venus export llamafactory|verl|skyrl|ancestors``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import print_json

if TYPE_CHECKING:
    from venus_toolkit.builders.derive.exporting import ExportedDataset

_shared = shared.add_options(
    click.argument("release", type=shared.PATH),
    shared.out_option("Output folder."),
    shared.json_option,
)


@click.group(
    "export",
    epilog="""\b
Examples:
  venus export llamafactory build/venus --out build/llamafactory
  venus export verl build/venus --out build/verl
  venus export skyrl build/venus --out build/skyrl
  venus export ancestors build/venus --out build/ancestors
""",
)
def command() -> None:
    """Write a release in the format of other software."""


@command.command(
    "llamafactory",
    epilog="\b\nExample:\n  venus export llamafactory build/venus --out build/llamafactory",
)
@_shared
def llamafactory(release: Path, out: Path, as_json: bool) -> None:
    """Write SFT, DPO and cold-start sets and recipes."""
    from venus_toolkit.builders.derive.exporting import (
        INFO,
        KINDS,
        SCRIPT,
        export_llamafactory,
        recipe_file,
    )
    from venus_toolkit.dataset.release import open_release

    datasets = export_llamafactory(open_release(release), out)
    recipes = [
        file for kind in KINDS if (file := recipe_file(out, kind.replace("-", "_"))).exists()
    ]
    _print(
        datasets,
        as_json,
        [str(out / INFO), *(f"GPUS=1 {out / SCRIPT} {file.stem}" for file in recipes)],
    )


@command.command("verl", epilog="\b\nExample:\n  venus export verl build/venus --out build/verl")
@_shared
def verl(release: Path, out: Path, as_json: bool) -> None:
    """Write GRPO sets, their reward and a launch script."""
    from venus_toolkit.builders.derive.exporting import SCRIPT, export_verl
    from venus_toolkit.dataset.release import open_release

    datasets = export_verl(open_release(release), out)
    _print(datasets, as_json, [f"MODEL=… {out / SCRIPT}"])


@command.command("skyrl", epilog="\b\nExample:\n  venus export skyrl build/venus --out build/skyrl")
@_shared
def skyrl(release: Path, out: Path, as_json: bool) -> None:
    """Write GRPO sets for SkyRL, whose environment is in the toolkit."""
    from venus_toolkit.builders.derive.exporting import export_skyrl
    from venus_toolkit.dataset.release import open_release

    _print(export_skyrl(open_release(release), out), as_json, ["see docs/environments.md"])


@command.command(
    "ancestors",
    epilog="\b\nExample:\n  venus export ancestors build/venus --out build/ancestors",
)
@_shared
def ancestors(release: Path, out: Path, as_json: bool) -> None:
    """Write all problems and all tests in the format of Venus_Python.

    Evaluators written for Venus_Python can run the Python programs.
    """
    from venus_toolkit.builders.derive.ancestors import export_ancestors
    from venus_toolkit.dataset.release import open_release

    _print(export_ancestors(open_release(release), out), as_json, ["see docs/release.md"])


def _print(datasets: Sequence[ExportedDataset], as_json: bool, hints: Sequence[str]) -> None:
    if as_json:
        sets = [{**dataset._asdict(), "file": str(dataset.file)} for dataset in datasets]
        print_json({"sets": sets})
        return
    for dataset in datasets:
        click.echo(f"{dataset.name:<32} {dataset.rows:>7} rows  {dataset.file}")
    for hint in hints:
        click.echo(f"  {hint}")
