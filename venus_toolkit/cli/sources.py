"""``venus sources list|show``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from venus_toolkit.cli.options import json_option, languages_option, print_json

if TYPE_CHECKING:
    from pathlib import Path

    from venus_toolkit.builders.survey import Survey

EPILOG = """\b
Examples:
  venus sources list
  venus sources show apps --limit 100
  venus sources show "columns:my-table.parquet?map=my-map.toml"
  venus sources show kattis:my-packages --json
"""
EXAMPLE_LINES = 8


@click.group("sources", epilog=EPILOG)
def command() -> None:
    """List where problems can come from, or look into a source."""


@command.command("list", epilog="Example: venus sources list --json")
@json_option
def list_sources(as_json: bool) -> None:
    """List all sources.

    What each reads, from where if nothing is said, and under which licence.
    """
    from venus_toolkit.builders.sources import find_source, source_names

    rows = [find_source(name) for name in source_names()]
    if as_json:
        print_json([{key: getattr(row, key) for key in ("name", "about", "location", "license")} for row in rows])
        return
    for row in rows:
        click.echo(f"{row.name:<16} {row.about}")
        click.echo(f"{'':<16} {row.location or 'LOCATION has to be said'} · {row.license}")


@command.command("show", epilog="Example: venus sources show livecodebench:my-copy.parquet --limit 10")
@click.argument("source", metavar="NAME[:LOCATION]")
@click.option("--limit", type=click.IntRange(min=1), help="Read no more than so many problems.")
@languages_option
@json_option
def show(source: str, limit: int | None, extra_languages: Path | None, as_json: bool) -> None:
    """Read a source and say what one would get.

    Problems, solutions, tests, what is set aside and why, one example.
    """
    from venus_toolkit.builders.sources import choose_source
    from venus_toolkit.builders.survey import survey
    from venus_toolkit.language import load_languages

    found = survey(choose_source(source).read(load_languages(extra_languages)), limit)
    if as_json:
        print_json(found)
    else:
        _print(found)


def _print(found: Survey) -> None:
    more = "" if found.complete else " and there are more"
    click.echo(f"problems   {found.problems}{more}: {_counts(found.styles)}; {_counts(found.categories)}")
    for language, counts in found.solutions.items():
        click.echo(f"solutions  {language}: {_counts(counts)}")
    click.echo(f"tests      {found.tests}, {found.without_tests} problems have none")
    for reason, count in found.set_aside.items():
        click.echo(f"set aside  {count} x {reason}")
    click.echo(f"time       {found.seconds} s")
    if found.example:
        problem = found.example.problem
        click.echo(
            f"\n{problem.slug} (id {problem.problem_id}, {problem.difficulty}, {problem.license}): {problem.title}"
        )
        for line in problem.statement.strip().splitlines()[:EXAMPLE_LINES]:
            click.echo(f"  {line[:100]}")


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"
