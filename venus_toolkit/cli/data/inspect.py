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
        "Describe the inputs of each problem in sentences to compare with its statement. FOLDER "
        "may also be a problem folder, whose statement is read as in a build."
    ),
)
@click.option("--problem", "name", metavar="NAME", help="With --spec: only this problem.")
@shared.json_option
def command(folder: Path, of_inputs: bool, name: str | None, as_json: bool) -> None:
    """Show what is in a release folder, and check every file.

    Lists configs, splits, rows and sizes, and compares every file with the SHA-256 in
    manifest.json. The exit code is 1 if a file is missing, changed, unreadable or not listed, and
    with --spec if a problem has no specification.
    """
    if of_inputs:
        sys.exit(_show_specs(folder, name, as_json))
    if name:
        reason = "files are checked for all problems at once"
        fix = f"venus inspect {folder} --spec --problem {name}"
        raise UsageError("--problem needs --spec", reason, fix)
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
            click.echo("Every file agrees with the manifest.")
    sys.exit(EXIT_FAILED if complaints else EXIT_DONE)


def _show_specs(folder: Path, name: str | None, as_json: bool) -> int:
    from venus_toolkit.builders.inputs.spec.sentences import sentences
    from venus_toolkit.builders.inputs.spec.specification import to_plain

    inspected = _specs(folder)
    names = [problem.name for problem in inspected]
    problems = [problem for problem in inspected if name in (None, problem.name)]
    if not problems:
        reason = (
            f"it has {', '.join(names[:10])}{' …' * (len(names) > 10)}" if names else "it is empty"
        )
        fix = f"venus inspect {folder} --spec" if names else "see the reasons in dropped.jsonl"
        raise UsageError(f"{folder} has no problem{f' {name}' if name else ''}", reason, fix)
    if as_json:
        specs = {problem.name: to_plain(problem.spec) for problem in problems if problem.spec}
        missing = {problem.name: problem.reason for problem in problems if not problem.spec}
        print_json({"folder": str(folder), "specifications": specs, "missing": missing})
    for problem in () if as_json else problems:
        click.echo(printable(problem.name))
        for line in (
            sentences(problem.spec) if problem.spec else [f"no specification: {problem.reason}"]
        ):
            click.echo(f"  {printable(line)}")
    return EXIT_DONE if all(problem.spec for problem in problems) else EXIT_FAILED


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
