"""``venus languages list|check|install``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import print_json
from venus_toolkit.core.errors import EXIT_FAILED, ToolchainError
from venus_toolkit.core.language import Language


@click.group(
    "languages",
    epilog="""\b
Examples:
  venus languages list
  venus languages check cpp
  venus languages check c --languages my-languages
  venus languages install javascript
""",
)
def command() -> None:
    """List the languages, check them, install their libraries."""


@command.command("list", epilog="Example: venus languages list --json")
@shared.languages_option
@shared.json_option
def list_languages(extra_languages: Path | None, as_json: bool) -> None:
    """List all languages, with aliases, versions and libraries."""
    from venus_toolkit.core.toolchain import find_toolchain
    from venus_toolkit.execution.judging.libraries import installed

    rows = []
    for language in shared.named_languages((), extra_languages):
        try:
            version, fix = find_toolchain(language).version, ""
        except ToolchainError as error:
            version, fix = None, error.fix
        row = {
            "id": language.id,
            "name": language.name,
            "aliases": language.aliases,
            "version": version,
            "fix": fix,
        }
        libraries = installed(language)
        rows.append({**row, "libraries": libraries})
        if as_json:
            continue
        click.echo(
            f"{language.id:<12} {', '.join(language.aliases):<32} "
            f"{version or f'not installed; {fix}'}"
        )
        for name, present in libraries.items():
            click.echo(
                f"{'':<12} {name:<32} "
                f"{'library' if present else 'not installed; type: venus languages install'}"
            )
    if as_json:
        print_json(rows)


@command.command(
    "install",
    epilog="\b\nExamples:\n  venus languages install\n  venus languages install javascript python",
)
@click.argument("names", nargs=-1, metavar="[ID]...")
@shared.languages_option
def install_libraries(names: tuple[str, ...], extra_languages: Path | None) -> None:
    """Install the libraries that online judges provide.

    Installs those of the named languages, or of all; language.toml pins their versions. They are
    kept in $VENUS_CACHE/libraries (by default below ~/.cache/venus) and copied next to the programs
    that use them.
    """
    from venus_toolkit.execution.judging.libraries import install, installed

    failed = False
    for language in shared.named_languages(names, extra_languages):
        for library in language.libraries:
            try:
                install(language, library)
            except ToolchainError as error:
                failed = True
                click.echo(str(error), err=True)
        if language.libraries:
            present_names = [name for name, present in installed(language).items() if present]
            click.echo(f"{language.id:<12} {', '.join(present_names) or 'none'}")
    if failed:
        sys.exit(EXIT_FAILED)


def check_counts(
    languages: Sequence[Language], runs: int, sandbox: str | None, as_json: bool
) -> None:
    """Count the instructions of each language's reference program and print their spread."""
    from venus_toolkit.execution.machine.language_check import check_spread
    from venus_toolkit.execution.measuring.counting import open_counter
    from venus_toolkit.execution.sandbox.opening import open_sandbox

    counter, report, failed = open_counter("emulated"), {}, False
    assert counter
    with open_sandbox(sandbox or "local", languages) as backend:
        for language in languages:
            spread = check_spread(backend, language, counter, runs)
            failed = failed or spread.complaint is not None
            report[language.id] = {**spread._asdict(), "stated": language.counting.spread}
            if not as_json:
                result = (
                    spread.complaint
                    or f"ok: {spread.counts[0]:,} instructions, spread {spread.spread:.1e}"
                )
                click.echo(f"{language.id:<12} {result}")
    if as_json:
        print_json({"runs": runs, **counter.facts(), "languages": report})
    if failed:
        sys.exit(EXIT_FAILED)


@command.command(
    "check",
    epilog="\b\nExamples:\n  venus languages check rust\n  venus languages check --count 20 --json",
)
@click.argument("names", nargs=-1, metavar="[ID]...")
@click.option(
    "--count",
    "runs",
    type=click.IntRange(min=2),
    metavar="RUNS",
    help=(
        "Count the instructions of the reference program RUNS times instead, and check their "
        "spread."
    ),
)
@shared.sandbox_option
@shared.languages_option
@shared.json_option
def check(
    names: tuple[str, ...],
    runs: int | None,
    sandbox: str | None,
    extra_languages: Path | None,
    as_json: bool,
) -> None:
    """Compile and judge self-test programs.

    Checks the named languages, or all. Each has one self-test program for every verdict. If a
    language has signatures and runners, a small function checks them.

    --count counts the instructions of the reference program under emulation, and compares their
    spread with the one in language.toml. A busy machine does not change the counts.
    """
    from venus_toolkit.execution.machine.language_check import check_language
    from venus_toolkit.execution.sandbox.opening import open_sandbox

    languages = shared.named_languages(names, extra_languages)
    if runs:
        check_counts(languages, runs, sandbox, as_json)
        return
    failed, report = False, {}
    with open_sandbox(sandbox or "auto", languages) as backend:
        for language in languages:
            verdicts, complaints = check_language(backend, language)
            failed = failed or bool(complaints)
            report[language.id] = verdicts or {"error": "; ".join(complaints)}
            if not as_json:
                click.echo(
                    f"{language.id:<12} {'; '.join(complaints) or 'ok: ' + ', '.join(verdicts)}"
                )
    if as_json:
        print_json(report)
    if failed:
        sys.exit(EXIT_FAILED)
