"""``venus build``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from venus_toolkit.cli.funnel import draw_report, print_report, report_option
from venus_toolkit.cli.options import engine_options, json_option, languages_option, print_json, sandbox_option

TABLES = {
    "curation": ("max_solutions", "benchmarks", "test_from"),
    "quality": ("mutants",),
    "model": ("model", "base_url", "max_requests", "max_tokens"),
}
EPILOG = """\b
Examples:
  venus build --lang cpp --out build/venus
  venus build --lang python --lang go --source my-problems --min-solutions 4 --out build/mine
  venus build --lang cpp --plan demo --out build/demo
  venus build --lang python --source taco:my-copy --max-solutions 100 --out build/taco --report
  venus build --lang cpp --source my-problems --model NAME --base-url http://localhost:8000/v1 --max-requests 500 \\
      --out build/with-model
  venus build --lang cpp --engine ray --ray-address auto --out build/venus
  python -c "from datasets import load_dataset; print(load_dataset('build/venus', 'cpp'))"

A stopped build goes on where it was when the same command is typed again.
"""


@click.command("build", epilog=EPILOG)
@click.option(
    "--lang",
    "-l",
    multiple=True,
    required=True,
    metavar="ID[,ID]",
    help="Languages to judge and measure; any name or alias.",
)
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path),
    required=True,
    help="Output folder: Parquet, README.md, manifest.json.",
)
@click.option(
    "--source",
    metavar="NAME[:LOCATION]|FOLDER",
    help="'corpus' (the bundled problems), a folder of problems, or a source: see venus sources list.",
)
@click.option(
    "--plan",
    "plan_name",
    metavar="NAME|FILE.toml",
    help="A plan: bundled, demo, default, or a TOML file. Flags win over it.",
)
@click.option("--problem", "problems", multiple=True, metavar="SLUG", help="Only this problem; may be repeated.")
@click.option("--tests", type=int, help="Inputs of each problem: those that came with it first, then generated ones.")
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
@click.option("--jobs", "-j", type=int, help="Programs judged at the same time on a machine; default: one per core.")
@engine_options
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
@click.option("--seed", type=int, help="Seed of the generators, the mutants, the sample and the split.")
@click.option("--max-solutions", type=int, help="Keep at most so many passing solutions of a problem, over all costs.")
@click.option("--benchmark", "benchmarks", multiple=True, metavar="NAME=PATH", help="Drop problems found in this file.")
@click.option("--test-from", metavar="YYYY-MM-DD", help="Problems first published then or later are test problems.")
@click.option(
    "--earlier",
    type=click.Path(exists=True, file_okay=False),
    help="A release that this one follows: its problems stay in their splits.",
)
@click.option(
    "--large-inputs",
    type=click.Choice(["embed", "reference"]),
    help="Publish inputs over 64 kB in full (default), or by generator, seed and SHA-256.",
)
@click.option("--mutants", type=int, help="Mutants of each problem that its tests have to tell from right programs.")
@click.option("--model", "model", metavar="NAME", help="Ask this model for generators, validators and evaluators.")
@click.option("--base-url", metavar="URL", help="Where the model is: any server with OpenAI's chat completions.")
@click.option("--max-requests", type=int, help="Ask the model at most so often; what was asked before is free.")
@click.option("--max-tokens", type=int, help="And for at most so many tokens, prompts included.")
@report_option
@sandbox_option
@languages_option
@json_option
def command(
    lang: tuple[str, ...],
    out: Path,
    plan_name: str | None,
    problems: tuple[str, ...],
    extra_languages: Path | None,
    report: bool,
    as_json: bool,
    **flags: Any,
) -> None:
    """Build a dataset folder that datasets.load_dataset reads.

    Reads problems and solutions from any source and drops copies, makes test inputs and keeps those on which every
    canonical solution of every language agrees, finds out by mutants whether the tests are good, judges and measures
    every solution of the chosen languages, and writes train and test splits as Parquet with a card and a manifest.
    """
    from venus_toolkit.builders.build import Build
    from venus_toolkit.builders.plan import read_plan
    from venus_toolkit.cli.progress import stage_progress
    from venus_toolkit.cli.summary import print_summary
    from venus_toolkit.language import find_languages, load_languages

    languages = load_languages(extra_languages)
    chosen = tuple(language.id for language in find_languages(lang, languages))
    name = plan_name or ("bundled" if flags["source"] in (None, "corpus") else "default")
    plan = read_plan(name, lang=chosen, problems=problems or None, **_in_tables(flags))
    with stage_progress(enabled=sys.stderr.isatty() and not as_json) as progress:
        manifest = Build(plan, out, languages, progress).run()
    funnel = draw_report(out) if report else None
    if as_json:
        print_json({**manifest, "out": str(out), **({"funnel": funnel._asdict()} if funnel else {})})
        return
    print_summary(manifest, out)
    if funnel:
        print_report(funnel, out)


def _in_tables(flags: dict[str, Any]) -> dict[str, Any]:
    """Return the flags with those that belong to a table of the plan under its name."""
    tables = {table: {key: flags.pop(key) for key in keys} for table, keys in TABLES.items()}
    tables["curation"]["benchmarks"] = list(tables["curation"]["benchmarks"]) or None
    return {**flags, **tables}
