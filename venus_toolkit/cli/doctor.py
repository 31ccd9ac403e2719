"""``venus doctor``."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from venus_toolkit.cli.options import json_option, languages_option, print_json
from venus_toolkit.errors import EXIT_MACHINE

if TYPE_CHECKING:
    from venus_toolkit.doctor import Finding

EPILOG = """\b
Examples:
  venus doctor
  venus doctor --quick
  venus doctor --json > machine.json

Exit code 0 when programs can be isolated and at least one language works, else 3.
"""
MARKS = {True: "ok", False: "no", None: "-"}


@click.command("doctor", epilog=EPILOG)
@click.option("--quick", is_flag=True, help="Leave out the noise test, which takes a few seconds.")
@languages_option
@json_option
def command(quick: bool, extra_languages: Path | None, as_json: bool) -> None:
    """Say what this machine can enforce and how well it can measure.

    Each line is marked ok, no (a lack, with what to type below it) or - (optional, unknown or not tried).
    With --json a list of {name, ok, sentence, fix}.
    """
    from venus_toolkit.doctor import can_work, examine
    from venus_toolkit.language import load_languages

    findings = examine(load_languages(extra_languages), quick)
    if as_json:
        print_json(findings)
    else:
        _print(findings, can_work(findings))
    if not can_work(findings):
        sys.exit(EXIT_MACHINE)


def _print(findings: Sequence[Finding], works: bool) -> None:
    margin = max(len(finding.name) for finding in findings) + 5
    for finding in findings:
        _say(f"{MARKS[finding.ok]:<3}{finding.name}".ljust(margin), finding.sentence)
        if finding.fix and not finding.ok:
            _say(" " * margin, f"mend it: {finding.fix}")
    lacks = sum(finding.ok is False for finding in findings)
    verdict = "can isolate, judge and measure programs" if works else "cannot isolate and run programs"
    click.echo(f"\nThis machine {verdict}; lacks above (marked no): {lacks}.")


def _say(margin: str, text: str) -> None:
    width = max(60, shutil.get_terminal_size((120, 24)).columns)
    wrapped = textwrap.wrap(text, width - len(margin), break_long_words=False, break_on_hyphens=False)
    click.echo(margin + ("\n" + " " * len(margin)).join(wrapped))
