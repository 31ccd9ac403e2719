"""``venus sources list|show``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import print_json
from venus_toolkit.core.errors import EXIT_FAILED, UsageError
from venus_toolkit.core.language import Language


@click.group(
    "sources",
    epilog="""\b
Examples:
  venus sources list
  venus sources show apps --limit 100
  venus sources show my-table.csv --map my-map.toml
  venus sources show "my-table.jsonl?map=my-map.toml"
  venus sources show kattis:my-packages --json
""",
)
def command() -> None:
    """List the sources of problems, or inspect one."""


@command.command("list", epilog="Example: venus sources list --json")
@shared.json_option
def list_sources(as_json: bool) -> None:
    """List all sources, with default locations and licences."""
    from venus_toolkit.builders.sources import find_source, source_names

    rows = [find_source(name) for name in source_names()]
    if as_json:
        print_json(
            [
                {key: getattr(row, key) for key in ("name", "about", "location", "license")}
                for row in rows
            ]
        )
        return
    for row in rows:
        click.echo(f"{row.name:<16} {row.about}")
        click.echo(f"{'':<16} {row.location or 'LOCATION is required'} · {row.license}")


@command.command(
    "show", epilog="Example: venus sources show livecodebench:my-copy.parquet --limit 10"
)
@click.argument("source", metavar="NAME[:LOCATION]")
@click.option("--limit", type=click.IntRange(min=1), help="Maximum number of problems to read.")
@click.option(
    "--map", "map_file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.toml",
    help="Write the guessed column map of a table here.",
)  # fmt: skip
@shared.languages_option
@shared.json_option
def show(
    source: str,
    limit: int | None,
    map_file: Path | None,
    extra_languages: Path | None,
    as_json: bool,
) -> None:
    """Read a source and show the input of a build.

    Shows numbers of problems, solutions and tests, rejected rows with reasons, and one example. For
    a table without a column map it first shows the guessed map with its reasons. The exit code is 1
    without any problem.
    """
    from venus_toolkit.builders.sources import choose_source
    from venus_toolkit.builders.survey import survey
    from venus_toolkit.core.language import load_languages

    problem_source, languages = choose_source(source), load_languages(extra_languages)
    if problem_source.name == "columns":
        _show_guess(problem_source.location, languages, map_file, as_json)
    elif map_file:
        raise UsageError(
            "--map writes nothing", f"{problem_source.name} needs no column map", "leave it out"
        )
    overview = survey(problem_source.read(languages), limit)
    if as_json:
        print_json(overview)
        return
    more = "" if overview.complete else " and there are more"
    click.echo(
        f"problems   {overview.problems}{more}: {_counts(overview.styles)}; {_counts(overview.categories)}"
    )
    for language, counts in overview.solutions.items():
        click.echo(f"solutions  {language}: {_counts(counts)}")
    click.echo(f"tests      {overview.tests}; problems without any: {overview.without_tests}")
    for reason, count in overview.rejected.items():
        click.echo(f"rejected   {count} x {reason}")
    click.echo(f"time       {overview.seconds} s")
    example_lines = 8  # enough to check whether the text was read correctly
    if overview.example:
        problem = overview.example["problem"]
        facts = f"id {problem.problem_id}, {problem.difficulty}, {problem.license}"
        click.echo(f"\n{problem.slug} ({facts}): {problem.title}")
        for line in problem.statement.strip().splitlines()[:example_lines]:
            click.echo(f"  {line[:100]}")
    if not overview.problems:
        sys.exit(EXIT_FAILED)


def _show_guess(
    location: str, languages: Mapping[str, Language], map_file: Path | None, quiet: bool
) -> None:
    """Print the guessed meanings of a table's columns, and write them to `map_file` if given."""
    from venus_toolkit.builders.sources.columns import guess

    column_guess = guess(location, languages)
    if column_guess is None:
        if map_file:
            raise UsageError(
                "--map writes nothing", f"{location} names a map already", "leave one of them out"
            )
        return
    if map_file:
        try:
            map_file.write_text(column_guess.toml(), encoding="utf-8")
        except OSError as error:
            raise UsageError(
                f"{map_file} cannot be written", str(error), "choose another --map"
            ) from error
    if not quiet:
        for part in column_guess.parts:
            click.echo(f"{part.key:<22} {part.column}: {part.reason}")
        for doubt in column_guess.doubts:
            click.echo(f"{'NOT CERTAIN':<22} {doubt}")
        click.echo(f"\n{column_guess.toml()}" if map_file is None else f"\nwritten to {map_file}\n")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"
