"""``venus report``: the results of evaluations as HTML, Markdown and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import print_json


@click.command(
    "report",
    epilog="""\b
Examples:
  venus report build/eval --out build/report
  venus report build/model-a build/model-b build/model-c --by memory --out build/report
  venus report build/eval --export inspect --export lm-eval --out build/report
""",
)
@click.argument("runs", nargs=-1, required=True, type=shared.PATH, metavar="RUN...")
@shared.out_option("Output folder; existing files are replaced.")
@click.option(
    "--by",
    default="time",
    show_default=True,
    help="Order of the leaderboard: passed, time, memory or integral.",
)
@click.option(
    "--programs",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    help="Number of programs shown per run and task.",
)
@click.option(
    "--title", default="Evaluation of models", show_default=True, help="Title of the page."
)
@click.option("--seed", default=0, show_default=True, help="Seed of the resampling.")
@click.option(
    "--export", "formats", multiple=True, type=click.Choice(["inspect", "lm-eval"]),
    help="Also write each run as a log of inspect_ai, or as results of the LM Evaluation Harness.",
)  # fmt: skip
@shared.json_option
def command(
    runs: tuple[Path, ...], formats: tuple[str, ...], as_json: bool, **options: Any
) -> None:
    """Report the results of evaluations.

    RUN is the --out folder of a venus eval. Writes report.html (one page that needs no network),
    report.md and pictures. Several runs are compared on their common tasks.
    """
    from venus_toolkit.core.formatting import count_with_noun, one_line, percent, percent_range
    from venus_toolkit.eval.report.exports import write_exports
    from venus_toolkit.eval.report.report_facts import METRICS, metric_of
    from venus_toolkit.eval.report.report_page import write_report

    pages, facts = write_report(runs, **options)
    files = [*pages, *write_exports(runs, options["out"], formats, options["seed"])]
    if as_json:
        print_json({"files": [str(file) for file in files], "facts": facts})
        return
    click.echo(f"tasks  {facts.tasks}, of {count_with_noun(facts.problems, 'problems')}")
    click.echo(f"order  {METRICS[facts.by]} in %, with 95 % intervals")
    for line in facts.leaderboard:
        value = metric_of(line.scores, facts.by)
        score = (
            f"{percent(value.estimate)} [{percent_range(value.low, value.high)}]"
            if value
            else "not known"
        )
        click.echo(f"{line.place:>3}  {one_line(line.name)}  {score}")
    for note in facts.notes:
        click.echo(f"note   {one_line(note)}")
    for check in facts.checks:
        click.echo(f"check  {one_line(check)}")
    for file in files:
        click.echo(f"wrote  {file}")
