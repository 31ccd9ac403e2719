"""``venus build``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from venus_toolkit.cli.options import json_option, languages_option, print_json, sandbox_option

EPILOG = """\b
Examples:
  venus build --lang cpp --out build/venus
  venus build --lang python --lang go --source my-problems --min-solutions 4 --out build/mine
  venus build --lang cpp --plan demo --out build/demo
  python -c "from datasets import load_dataset; print(load_dataset('build/venus', 'cpp'))"

A stopped build goes on where it was when the same command is typed again.
"""


@click.command("build", epilog=EPILOG)
@click.option(
    "--lang",
    "-l",
    multiple=True,
    required=True,
    metavar="ID",
    help="Language to judge and measure; may be repeated. Any name or alias.",
)
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path),
    required=True,
    help="Output folder: Parquet, README.md, manifest.json.",
)
@click.option("--source", help="'corpus' (the bundled problems) or a folder of problems (docs/problems.md).")
@click.option(
    "--plan",
    "plan_name",
    metavar="NAME|FILE.toml",
    help="A plan: bundled, demo, default, or a TOML file. Flags win over it.",
)
@click.option("--problem", "problems", multiple=True, metavar="SLUG", help="Only this problem; may be repeated.")
@click.option("--tests", type=int, help="Inputs to generate for each problem.")
@click.option("--repeats", type=int, help="Times that each solution is measured.")
@click.option("--min-solutions", type=int, help="Drop problems with fewer passing solutions (the paper: 16).")
@click.option(
    "--rank",
    type=click.Choice(["auto", "relative", "absolute"]),
    help="Rank by time relative to the reference program, or by wall time.",
)
@click.option("--limit-wall-s", type=float, help="Wall time of one test, instead of the problem's own.")
@click.option("--limit-cpu-s", type=float, help="CPU time of one test.")
@click.option("--limit-memory-mib", type=int, help="Memory of one test.")
@click.option("--limit-output-mib", type=int, help="Output of one test.")
@click.option("--jobs", "-j", type=int, help="Programs judged at the same time; default: one per core.")
@click.option(
    "--share-cores",
    is_flag=True,
    default=None,
    help="Measure on every core at once, the supervisor on the program's own core: faster, less true.",
)
@click.option(
    "--replay-measurements",
    "replay",
    type=click.Path(exists=True, file_okay=False),
    help="Take measurements from a finished build, for the same code on the same tests, instead of measuring.",
)
@click.option("--seed", type=int, help="Seed of the generators and of the split.")
@sandbox_option
@languages_option
@json_option
def command(
    lang: tuple[str, ...],
    out: Path,
    plan_name: str | None,
    problems: tuple[str, ...],
    extra_languages: Path | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Build a dataset folder that datasets.load_dataset reads.

    Generates test inputs, keeps those on which every canonical solution of every language agrees, judges and measures
    every solution of the chosen languages, and writes train and test splits as Parquet with a card and a manifest.
    """
    from venus_toolkit.builders.build import Build
    from venus_toolkit.builders.plan import read_plan
    from venus_toolkit.cli.progress import stage_progress
    from venus_toolkit.cli.summary import print_summary
    from venus_toolkit.language import find_language, load_languages

    languages = load_languages(extra_languages)
    chosen = tuple(dict.fromkeys(find_language(name, languages).id for name in lang))
    name = plan_name or ("bundled" if flags["source"] in (None, "corpus") else "default")
    plan = read_plan(name, lang=chosen, problems=problems or None, **flags)
    with stage_progress(enabled=sys.stderr.isatty() and not as_json) as progress:
        manifest = Build(plan, out, languages, progress).run()
    if as_json:
        print_json({**manifest, "out": str(out)})
    else:
        print_summary(manifest, out)
