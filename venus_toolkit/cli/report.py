"""``venus report``: the results of evaluations as a page, as Markdown and as pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venus_toolkit.cli.options import json_option, print_json

if TYPE_CHECKING:
    from venus_toolkit.eval.report.writing import Written

EPILOG = """\b
Examples:
  venus report build/eval --out build/report
  venus report build/model-a build/model-b build/model-c --by memory --out build/report
"""


@click.command("report", epilog=EPILOG)
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "--out", "-o", type=click.Path(path_type=Path), required=True, help="Where to; what is there is replaced."
)
@click.option(
    "--by", default="time", show_default=True, help="Order of the leaderboard: passed, time, memory or integral."
)
@click.option(
    "--programs", type=click.IntRange(min=0), default=2, show_default=True, help="Programs of each run and task shown."
)
@click.option("--title", default="Evaluation of models", show_default=True, help="Title of the page.")
@click.option("--seed", default=0, show_default=True, help="Of everything that is resampled.")
@json_option
def command(runs: tuple[Path, ...], as_json: bool, **options: Any) -> None:
    """Show what evaluations found.

    Each RUN is the --out folder of a venus eval. Writes report.html, one page that needs no network, report.md and
    pictures. Several runs are compared on the tasks that all of them have.
    """
    from venus_toolkit.eval.report import write_report

    written = write_report(runs, **options)
    if as_json:
        print_json({"files": [str(file) for file in written.files], "facts": written.facts})
    else:
        _print(written)


def _print(written: Written) -> None:
    from venus_toolkit.eval.report.comparing import METRICS
    from venus_toolkit.eval.report.facts import metric_of
    from venus_toolkit.eval.report.words import interval, one_line, percent

    facts = written.facts
    click.echo(f"tasks  {facts.tasks}, of {facts.problems} problems")
    click.echo(f"order  {METRICS[facts.by]} in %, with 95 % intervals")
    for line in facts.leaderboard:
        value = metric_of(line.scores, facts.by)
        said = f"{percent(value.estimate)} [{interval(value)}]" if value else "not known"
        click.echo(f"{line.place:>3}  {one_line(line.name)}  {said}")
    for note in facts.notes:
        click.echo(f"note   {one_line(note)}")
    for file in written.files:
        click.echo(f"wrote  {file}")
