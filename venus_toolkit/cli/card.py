"""``venus card``: write the card of a release or of an evaluation, or say where it is not what the data say."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from venus_toolkit.errors import EXIT_FAILED

if TYPE_CHECKING:
    from venus_toolkit.card import Finding

EPILOG = """\b
Examples:
  venus card build/venus            write README.md and its pictures
  venus card build/venus --check    fail where the card says what the data do not
  venus card build/eval             the card of a venus eval, with a model-index for the Hub
"""


@click.command("card", epilog=EPILOG)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 where the card is not what the data say.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found or done as JSON.")
def command(folder: Path, check: bool, as_json: bool) -> None:
    """Write the card of a release or of an evaluation.

    Its numbers are computed from the Parquet files of FOLDER. What people wrote into the README.md stays: text outside
    of the venus markers, and keys of the header. The checksums in a release's manifest follow.
    """
    from venus_toolkit.card import check_dataset_card, write_dataset_card
    from venus_toolkit.errors import UsageError
    from venus_toolkit.eval.card import is_evaluation, write_evaluation_card

    evaluated = is_evaluation(folder)
    if check and evaluated:
        raise UsageError(f"{folder} is an evaluation", "--check is for releases", "leave it out: the card is written")
    if check:
        findings = check_dataset_card(folder)
        _report(folder, findings, as_json)
        sys.exit(EXIT_FAILED if findings else 0)
    changed = write_evaluation_card(folder) if evaluated else write_dataset_card(folder)
    if as_json:
        click.echo(json.dumps({"card": str(folder / "README.md"), "changed": changed}))
    else:
        click.echo(f"{folder / 'README.md'} " + ("is written" if changed else "is up to date"))


def _report(folder: Path, findings: Sequence[Finding], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"findings": [each._asdict() for each in findings]}, ensure_ascii=False, indent=1))
    elif findings:
        for each in findings:
            click.echo(f"{folder / 'README.md'}: {each}")
        click.echo(f"{len(findings)} found; type: venus card {folder}", err=True)
    else:
        click.echo(f"{folder / 'README.md'} says what the data say")
