"""``venus card``: write the card of a release or of an evaluation, or check it against the data."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import log_line, print_json
from venus_toolkit.core.errors import EXIT_DONE, EXIT_FAILED, UsageError


@click.command(
    "card",
    epilog="""\b
Examples:
  venus card build/venus            write README.md and its pictures
  venus card build/venus --check    fail if the card disagrees with the data
  venus card build/eval             the card of a venus eval, with a model-index for the Hub
""",
)
@click.argument("folder", type=shared.PATH)
@click.option(
    "--check",
    is_flag=True,
    help="Change nothing; exit with 1 if the card disagrees with the data.",
)
@shared.json_option
def command(folder: Path, check: bool, as_json: bool) -> None:
    """Write the card of a release or of an evaluation.

    Computes its numbers from the Parquet files of FOLDER. Your own text in README.md, outside of
    the venus markers, and your own keys in the header are kept. The checksums in a release's
    manifest are updated.
    """
    from venus_toolkit.dataset.card.dataset_card import check_dataset_card, write_dataset_card
    from venus_toolkit.dataset.card.evaluation_card import is_evaluation, write_evaluation_card

    card, evaluated = folder / "README.md", is_evaluation(folder)
    if check and evaluated:
        raise UsageError(
            f"{folder} is an evaluation",
            "--check is for releases",
            "leave out --check to write the card",
        )
    if check:
        findings = check_dataset_card(folder)
        if as_json:
            print_json({"findings": [finding._asdict() for finding in findings]})
        elif findings:
            for finding in findings:
                click.echo(f"{card}: {finding}")
            log_line(f"{len(findings)} found; type: venus card {folder}")
        else:
            click.echo(f"{card} agrees with the data")
        sys.exit(EXIT_FAILED if findings else EXIT_DONE)
    changed = write_evaluation_card(folder) if evaluated else write_dataset_card(folder)
    if as_json:
        print_json({"card": str(card), "changed": changed}, indent=None)
    else:
        click.echo(f"{card} {'is written' if changed else 'is up to date'}")
