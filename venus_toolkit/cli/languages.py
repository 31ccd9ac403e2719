"""``venus languages list|check``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import print_json
from venus_toolkit.core.errors import EXIT_FAILED, ToolchainError

EPILOG = """\b
Examples:
  venus languages list
  venus languages check cpp
  venus languages check c --languages my-languages
"""


@click.group("languages", epilog=EPILOG)
def command() -> None:
    """List the languages, or check that one works here."""


@command.command("list", epilog="Example: venus languages list --json")
@shared.languages_option
@shared.json_option
def list_languages(extra_languages: Path | None, as_json: bool) -> None:
    """List all languages, with their aliases and installed versions."""
    from venus_toolkit.core.language import find_toolchain

    rows = []
    for language in shared.named_languages((), extra_languages):
        try:
            version, fix = find_toolchain(language).version, ""
        except ToolchainError as error:
            version, fix = None, error.fix
        row = {"id": language.id, "name": language.name, "aliases": language.aliases, "version": version, "fix": fix}
        rows.append(row)
        if not as_json:
            click.echo(f"{language.id:<12} {', '.join(language.aliases):<32} {version or f'not installed; {fix}'}")
    if as_json:
        print_json(rows)


@command.command("check", epilog="Example: venus languages check rust")
@click.argument("names", nargs=-1, metavar="[ID]...")
@shared.sandbox_option
@shared.languages_option
@shared.json_option
def check(names: tuple[str, ...], sandbox: str | None, extra_languages: Path | None, as_json: bool) -> None:
    """Compile and judge self-test programs.

    Each language that is named, or every language, has one program for each verdict. Where a language has signatures
    and runners, they are checked with a small function.
    """
    from venus_toolkit.execution.language_check import check_language
    from venus_toolkit.execution.sandbox.opening import open_sandbox

    chosen = shared.named_languages(names, extra_languages)
    failed, report = False, {}
    with open_sandbox(sandbox or "auto", chosen) as opened:
        for language in chosen:
            verdicts, complaints = check_language(opened, language)
            failed = failed or bool(complaints)
            report[language.id] = verdicts or {"error": "; ".join(complaints)}
            if not as_json:
                click.echo(f"{language.id:<12} {'; '.join(complaints) or 'ok: ' + ', '.join(verdicts)}")
    if as_json:
        print_json(report)
    if failed:
        sys.exit(EXIT_FAILED)
