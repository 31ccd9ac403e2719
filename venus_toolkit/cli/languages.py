"""``venus languages list|check``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import click

from venus_toolkit.cli.options import json_option, languages_option, print_json, sandbox_option
from venus_toolkit.errors import EXIT_FAILED, ToolchainError, VenusError

EPILOG = """\b
Examples:
  venus languages list
  venus languages check cpp
  venus languages check c --languages my-languages
"""


class Row(NamedTuple):
    """One line of the list: a language and the version that is installed here, or what to type to install it."""

    id: str
    name: str
    aliases: tuple[str, ...]
    version: str | None
    fix: str


@click.group("languages", epilog=EPILOG)
def command() -> None:
    """List the languages, or check that one works here."""


@command.command("list", epilog="Example: venus languages list --json")
@languages_option
@json_option
def list_languages(extra_languages: Path | None, as_json: bool) -> None:
    """List all languages.

    With their aliases and the version that is installed here.
    """
    from venus_toolkit.language import find_toolchain, load_languages

    rows = []
    for language in load_languages(extra_languages).values():
        try:
            version, fix = find_toolchain(language).version, ""
        except ToolchainError as error:
            version, fix = None, error.fix
        rows.append(Row(language.id, language.name, language.aliases, version, fix))
    if as_json:
        print_json([row._asdict() for row in rows])
        return
    for row in rows:
        click.echo(f"{row.id:<12} {', '.join(row.aliases):<32} {row.version or f'not installed; {row.fix}'}")


@command.command("check", epilog="Example: venus languages check rust")
@click.argument("names", nargs=-1, metavar="[ID]...")
@sandbox_option
@languages_option
@json_option
def check(names: tuple[str, ...], sandbox: str | None, extra_languages: Path | None, as_json: bool) -> None:
    """Compile and judge self-test programs.

    Those of the languages that are named, else of all: one for each verdict, which it has to get. Where a language has
    signatures and runners they are tried with a small function.
    """
    from venus_toolkit.function_check import check_functions, has_functions
    from venus_toolkit.judge import self_check
    from venus_toolkit.language import find_language, load_languages
    from venus_toolkit.records import Verdict
    from venus_toolkit.sandbox import open_sandbox

    languages = load_languages(extra_languages)
    chosen = [find_language(name, languages) for name in names] or list(languages.values())
    failed, report = False, {}
    with open_sandbox(sandbox or "auto", chosen) as place:
        for language in chosen:
            try:
                verdicts = self_check(place, language)
                function = check_functions(place, language) if has_functions(language) else None
            except VenusError as error:
                failed, report[language.id] = True, {"error": str(error)}
                _say(as_json, f"{language.id:<12} {error}")
                continue
            wrong = [f"{want} is {got.verdict}: {got.reason}" for want, got in verdicts.items() if got.verdict != want]
            report[language.id] = {str(want): str(got.verdict) for want, got in verdicts.items()}
            if function:
                report[language.id]["function"] = str(function.verdict)
                if function.verdict != Verdict.ACCEPTED:
                    wrong.append(f"a function in its runner is {function.verdict}: {function.reason}")
            failed = failed or bool(wrong)
            _say(as_json, f"{language.id:<12} {'; '.join(wrong) or 'ok: ' + ', '.join(report[language.id])}")
    if as_json:
        print_json(report)
    if failed:
        sys.exit(EXIT_FAILED)


def _say(as_json: bool, line: str) -> None:
    if not as_json:
        click.echo(line)
