"""``venus inspect``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import print_json, printable
from venus_toolkit.core.errors import EXIT_DONE, EXIT_FAILED, UsageError
from venus_toolkit.core.records import MIB

if TYPE_CHECKING:
    from venus_toolkit.builders.inspection import InspectedSpec


@click.command(
    "inspect",
    epilog="""\b
Examples:
  venus inspect build/venus
  venus inspect build/venus --json
  venus inspect build/venus --spec --problem largest-sum
  venus inspect problems/largest-sum --spec
""",
)
@click.argument("folder", type=shared.PATH)
@click.option(
    "--spec",
    "of_inputs",
    is_flag=True,
    help=(
        "Print what the inputs of each problem look like, in sentences to hold against its "
        "statement. FOLDER may also be a problem folder: its statement is read as a build would."
    ),
)
@click.option("--problem", "name", metavar="NAME", help="With --spec: only this problem.")
@shared.json_option
def command(folder: Path, of_inputs: bool, name: str | None, as_json: bool) -> None:
    """Show what is in a release folder, and check every file.

    Lists configs, splits, rows and sizes, and compares every file with the SHA-256 in
    manifest.json. The exit code is 1 where a file is missing, changed, unreadable or not listed,
    and with --spec where a problem has no specification.
    """
    if of_inputs:
        sys.exit(_show_specs(folder, name, as_json))
    if name:
        problem, reason = "--problem needs --spec", "files are checked for all problems together"
        raise UsageError(problem, reason, f"venus inspect {folder} --spec --problem {name}")
    from venus_toolkit.dataset.release import inspect_release, open_release

    inspection = inspect_release(open_release(folder))
    complaints = inspection["complaints"]
    if as_json:
        print_json({"folder": str(folder), **inspection, "ok": not complaints})
    else:
        width = max((len(split["config"]) for split in inspection["splits"]), default=0)
        click.echo(f"{'config':<{width}}  {'split':<8}  {'rows':>9}  {'files':>5}  {'MiB':>9}")
        for split_facts in inspection["splits"]:
            rows = "?" if split_facts["rows"] is None else f"{split_facts['rows']:,}"
            size = f"{split_facts['size_bytes'] / MIB:.1f}"
            click.echo(
                f"{split_facts['config']:<{width}}  {split_facts['split']:<8}  {rows:>9}  {split_facts['files']:>5}  "
                f"{size:>9}"
            )
        click.echo(
            f"\nwritten by the toolkit {inspection['toolkit'] or '?'}, manifest format {inspection['format']}"
        )
        for complaint in complaints:
            click.echo(f"damaged    {complaint}")
        if not complaints:
            click.echo("Every file is as its manifest says.")
    sys.exit(EXIT_FAILED if complaints else EXIT_DONE)


def _show_specs(folder: Path, name: str | None, as_json: bool) -> int:
    from venus_toolkit.builders.inputs.spec.sentences import sentences
    from venus_toolkit.builders.inputs.spec.specification import to_plain

    inspected = _specs(folder)
    names = [one.name for one in inspected]
    inspected = [one for one in inspected if name in (None, one.name)]
    if not inspected:
        reason = (
            f"it has {', '.join(names[:10])}{' …' * (len(names) > 10)}" if names else "it is empty"
        )
        problem = f"{folder} has no problem{f' {name}' if name else ''}"
        fix = (
            f"venus inspect {folder} --spec" if names else "dropped.jsonl says what became of them"
        )
        raise UsageError(problem, reason, fix)
    if as_json:
        specs = {one.name: to_plain(one.spec) for one in inspected if one.spec}
        missing = {one.name: one.reason for one in inspected if not one.spec}
        print_json({"folder": str(folder), "specifications": specs, "missing": missing})
    for one in () if as_json else inspected:
        click.echo(printable(one.name))
        for line in sentences(one.spec) if one.spec else [f"no specification: {one.reason}"]:
            click.echo(f"  {printable(line)}")
    return EXIT_DONE if all(one.spec for one in inspected) else EXIT_FAILED


def _specs(folder: Path) -> list[InspectedSpec]:
    from venus_toolkit.builders.inspection import specs_of_folder, specs_of_release
    from venus_toolkit.core.store import MANIFEST
    from venus_toolkit.dataset.release import open_release

    if (folder / MANIFEST).exists():
        return list(specs_of_release(open_release(folder)))
    if not [*folder.glob("problem.toml"), *folder.glob("*/problem.toml")]:
        reason = "there is no manifest.json or problem.toml in it"
        reason = reason if folder.is_dir() else "there is no such folder"
        fix = "name the folder of a release or of a problem: venus inspect FOLDER --spec"
        raise UsageError(f"{folder} has no specifications", reason, fix)
    return list(specs_of_folder(folder))
