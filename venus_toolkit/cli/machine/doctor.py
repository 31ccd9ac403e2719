"""``venus doctor``."""

from __future__ import annotations

import shutil
import sys
import textwrap
from pathlib import Path

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import print_json
from venus_toolkit.core.errors import EXIT_DONE, EXIT_MACHINE


@click.command(
    "doctor",
    epilog="""\b
Examples:
  venus doctor
  venus doctor --quick
  venus doctor --json > machine.json

Exit code 0 if programs can be isolated and at least one language works, else 3.
""",
)
@click.option("--quick", is_flag=True, help="Skip the noise test, which takes a few seconds.")
@shared.languages_option
@shared.json_option
def command(quick: bool, extra_languages: Path | None, as_json: bool) -> None:
    """Check isolation and measurement noise on this machine.

    Each line is marked ok, no (a problem, with the fix below it) or - (optional, unknown or not
    tested). --json prints a list of {name, ok, sentence, fix}.
    """
    from venus_toolkit.core.language import load_languages
    from venus_toolkit.execution.machine.doctor import can_work, examine

    findings = examine(load_languages(extra_languages), quick)
    works = can_work(findings)
    if as_json:
        print_json(findings)
    else:
        marks = {True: "ok", False: "no", None: "-"}
        margin = max(len(finding.name) for finding in findings) + 5
        for finding in findings:
            _print_wrapped(f"{marks[finding.ok]:<3}{finding.name}".ljust(margin), finding.sentence)
            if finding.fix and not finding.ok:
                _print_wrapped(" " * margin, f"fix: {finding.fix}")
        problems = sum(finding.ok is False for finding in findings)
        verdict = (
            "can isolate, judge and measure programs"
            if works
            else "cannot isolate and run programs"
        )
        click.echo(f"\nThis machine {verdict}; problems above (marked no): {problems}.")
    sys.exit(EXIT_DONE if works else EXIT_MACHINE)


def _print_wrapped(margin: str, text: str) -> None:
    width = max(60, shutil.get_terminal_size((120, 24)).columns)
    wrapped = textwrap.wrap(
        text, width - len(margin), break_long_words=False, break_on_hyphens=False
    )
    click.echo(margin + ("\n" + " " * len(margin)).join(wrapped))
