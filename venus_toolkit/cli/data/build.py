"""``venus build``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.plots import draw_funnel
from venus_toolkit.cli.printing import (
    log_line,
    print_json,
    print_loading,
    print_model_costs,
    stage_progress,
)
from venus_toolkit.core.errors import MachineError
from venus_toolkit.core.formatting import count_with_noun
from venus_toolkit.core.records import MIB
from venus_toolkit.execution.measuring.counting import KINDS
from venus_toolkit.execution.measuring.ranking import TIMES

if TYPE_CHECKING:
    from venus_toolkit.dataset.funnel import Funnel

PICTURE = "funnel.png"
MAX_LOST = 0.1  # share of problems or solutions that the machine may lose before the command fails
SHOWN_REASONS = 12  # the manifest has all reasons, dropped.jsonl every row


@click.command(
    "build",
    epilog="""\b
Examples:
  venus build --lang cpp
  venus build --lang python --lang go --source my-problems --min-solutions 4 --out build/mine
  venus build --lang cpp --plan demo --out build/demo
  venus build --lang python --source my.csv --min-solutions 1 --out build/table
  venus build --lang python --source taco:my-copy --max-solutions 100 --out build/taco --report
  venus build --lang cpp --source my-problems --model NAME --base-url http://localhost:8000/v1 --max-requests 500 \\
      --out build/with-model
  venus build --lang cpp --engine ray --ray-address auto --out build/venus
  python -c "from datasets import load_dataset; print(load_dataset('build/venus', 'cpp'))"

Rerun the same command to resume an interrupted build.
""",
)
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
    type=shared.PATH,
    default=Path("build/venus"),
    show_default=True,
    help="Output folder: Parquet, README.md, manifest.json.",
)
@click.option(
    "--source",
    metavar="NAME[:LOCATION]|FOLDER|FILE",
    help=(
        "'corpus' (the bundled problems), a folder of problems, a table (Parquet, JSON lines, "
        "CSV), or a source: see venus sources list."
    ),
)
@click.option(
    "--plan",
    "plan_name",
    metavar="NAME|FILE.toml",
    help="A plan: bundled, demo, default, or a TOML file. Flags take precedence.",
)
@click.option(
    "--problem",
    "problems",
    multiple=True,
    metavar="SLUG",
    help="Use only this problem; may be repeated.",
)
@click.option(
    "--tests",
    type=int,
    help="Number of inputs for each problem: the given ones first, then generated ones.",
)
@click.option(
    "--repeats",
    type=lambda value: int(value) if value.isdecimal() else value,
    metavar="N|adaptive",
    help=(
        "Number of times each solution is measured; 'adaptive': up to five times, as long as its "
        "rank is open."
    ),
)
@click.option(
    "--min-solutions", type=int, help="Drop problems with fewer passing solutions (the paper: 16)."
)
@click.option(
    "--rank",
    type=click.Choice(["auto", *TIMES]),
    help=(
        "Rank by time relative to the reference program, by wall time, by instructions, or by "
        "time and instructions combined (--counter)."
    ),
)
@click.option(
    "--counter",
    type=click.Choice(list(KINDS)),
    help="Also count the instructions of accepted solutions.",
)
@click.option(
    "--runs",
    is_flag=True,
    default=None,
    help="Also publish what each solution costs on each test, as the config runs.",
)
@click.option(
    "--limit-wall-s", type=float, help="Wall time limit of one test; default: the problem's own."
)
@click.option("--limit-cpu-s", type=float, help="CPU time limit of one test.")
@click.option("--limit-memory-mib", type=int, help="Memory limit of one test.")
@click.option("--limit-output-mib", type=int, help="Output limit of one test.")
@shared.jobs_option
@shared.engine_options
@click.option(
    "--share-cores",
    is_flag=True,
    default=None,
    help=(
        "Measure on every core at once, with the supervisor on the program's own core: faster, "
        "less accurate."
    ),
)
@click.option(
    "--replay-measurements",
    "replay",
    type=click.Path(exists=True, file_okay=False),
    help="Reuse the measurements that a finished build has of the same code on the same tests.",
)
@click.option(
    "--seed", type=int, help="Seed of the generators, the mutants, the sample and the split."
)
@click.option(
    "--max-solutions",
    type=int,
    help="Maximum number of passing solutions of a problem, sampled evenly over their costs.",
)
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    metavar="NAME=PATH",
    help="Drop problems that also occur in this benchmark; may be repeated.",
)
@click.option(
    "--test-from",
    metavar="YYYY-MM-DD",
    help="Put problems first published on or after this day into the test split.",
)
@click.option(
    "--earlier",
    type=click.Path(exists=True, file_okay=False),
    help="The previous release; its problems stay in their splits.",
)
@click.option(
    "--large-inputs",
    type=click.Choice(["embed", "reference"]),
    help="Publish inputs over 64 kB in full (default), or by generator, seed and SHA-256.",
)
@click.option(
    "--title", help="Title of the dataset on its card; default: its name, or that of its folder."
)
@click.option(
    "--name",
    metavar="[OWNER/]NAME",
    help="Name in the card's example of load_dataset until the dataset is published.",
)
@click.option(
    "--license",
    metavar="SPDX",
    help="Licence of the whole dataset; default: the licences of its problems and solutions.",
)
@click.option(
    "--mutants", type=int, help="Number of mutants of each problem on which its tests are tried."
)
@click.option(
    "--min-grade",
    type=click.Choice(["A", "B", "C", "D"]),
    help="Drop problems whose tests have a worse grade; default: D, which keeps all.",
)
@click.option(
    "--model", metavar="NAME", help="Ask this model for generators, validators and evaluators."
)
@shared.asking_options
@click.option(
    "--report",
    is_flag=True,
    help=f"Print how much each stage dropped, and draw it as OUT/{PICTURE}.",
)
@shared.sandbox_option
@shared.languages_option
@shared.json_option
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

    Reads problems and solutions from a source and drops duplicates. Generates test inputs, keeps
    those on which the canonical solutions of all languages agree, and tries them on mutants. Judges
    and measures every solution in the chosen languages. Writes train and test splits as Parquet,
    with a card and a manifest.
    """
    from venus_toolkit.core.memory import keep_one_heap

    keep_one_heap()
    from venus_toolkit.builders.build import Build
    from venus_toolkit.builders.plan import read_plan
    from venus_toolkit.builders.sources import choose_source
    from venus_toolkit.builders.sources.columns import guess
    from venus_toolkit.core.language import find_languages, load_languages

    languages = load_languages(extra_languages)
    language_ids = tuple(language.id for language in find_languages(lang, languages))
    # The bundled corpus has few solutions per problem, so it has a plan with smaller thresholds.
    name = plan_name or ("bundled" if flags["source"] in (None, "corpus") else "default")
    # Flags that belong to a table of the plan.
    flags_of_tables = {
        "curation": ("max_solutions", "benchmarks", "test_from"),
        "quality": ("mutants", "min_grade"),
        "card": ("title", "name", "license"),
    }
    tables = {
        table: {key: flags.pop(key) for key in keys} for table, keys in flags_of_tables.items()
    }
    tables["model"] = {"model": flags.pop("model"), **shared.pop_asking_options(flags)}
    # None keeps the value of the plan; an empty list would replace it.
    tables["curation"]["benchmarks"] = list(tables["curation"]["benchmarks"]) or None
    plan = read_plan(name, lang=language_ids, problems=problems or None, **flags, **tables)
    source = choose_source(plan.source)
    # Print the guessed meanings of the columns of a table without a map.
    column_guess = (
        guess(source.location, languages) if source.name == "columns" and not as_json else None
    )
    if column_guess and not column_guess.doubts:
        columns = ", ".join(
            f"{part.column} ({part.key.rpartition('.')[2]})" for part in column_guess.parts
        )
        log_line(f"columns    guessed: {columns}; venus sources show {source.location} explains it")
    with stage_progress(as_json) as progress:
        manifest = Build(plan, out, languages, progress).run()
    funnel = draw_report(out) if report else None
    if as_json:
        print_json(
            {**manifest, "out": str(out), **({"funnel": funnel._asdict()} if funnel else {})}
        )
    else:
        print_summary(manifest, out)
        if funnel:
            print_report(funnel, out)
    check_losses(manifest)


def check_losses(manifest: Mapping[str, Any]) -> None:
    """Fail if a finished build lost too much because of the machine.

    Raises:
        MachineError: More than a tenth of the problems or of the solutions is missing.
    """
    lost = manifest.get("lost")
    if lost and lost["share"] > MAX_LOST:
        raise MachineError(
            f"{100 * lost['share']:.0f} % of the data are missing",
            "the sandbox failed, even in the retry at the end",
            "type: venus doctor, then the same command: finished work is kept",
        )


def draw_report(out: Path) -> Funnel:
    """Draw the funnel of a finished build into its folder, and return the funnel."""
    from venus_toolkit.dataset.funnel import read_funnel

    funnel = read_funnel(out)
    draw_funnel(out / PICTURE, funnel, out.resolve().name)
    return funnel


def print_report(funnel: Funnel, out: Path) -> None:
    """Print a funnel and the path of its picture."""
    from venus_toolkit.dataset.funnel import render

    click.echo("\n" + render(funnel))
    log_line(f"drawn in {out / PICTURE}")


def print_summary(manifest: Mapping[str, Any], out: Path) -> None:
    """Print a summary of a finished build."""
    if manifest.get("unchanged"):
        click.echo(f"Nothing changed since the last build: {out} is up to date.")
    for name, config in manifest["configs"].items():
        _print_config(name, config, manifest.get("plan", {}).get("repeats"))
    tests = manifest["tests"]
    click.echo(f"tests      {tests['kept']} kept of {tests['found']}")
    quality = {
        "true_positive": "correct solutions accepted",
        "true_negative_wrong": "known wrong ones rejected",
        "true_negative_mutants": "mutants killed",
        "true_negative_held_out": "held-out mutants killed",
    }
    rates = {words: manifest["quality"][name] for name, words in quality.items()}
    if rates_text := ", ".join(
        f"{rate['hits']} of {rate['n']} {words}" for words, rate in rates.items() if rate["n"]
    ):
        click.echo(f"           {rates_text}")
    if grades := manifest["quality"].get("grades"):
        click.echo(
            "grades     " + ", ".join(f"{count} {letter}" for letter, count in grades.items())
        )
    if (model := manifest["quality"].get("model", {})).get("rounds"):
        contribution = (
            "{added} tests in {rounds} rounds, which refute {kills} programs, {killers} of them "
            "its own"
        )
        click.echo("model      added " + contribution.format(**model))
    for stage, reasons in manifest["dropped"].items():
        for reason, count in list(reasons.items())[:SHOWN_REASONS]:
            click.echo(f"dropped    {count} at {stage}: {reason}")
        if stage == "sandbox":
            click.echo("           type the same command again to retry what the sandbox failed at")
    for name, reason in manifest["lacking"].items():
        click.echo(f"missing    {name}: {reason.splitlines()[0]}")
    if "seconds" in manifest:
        times = ", ".join(
            f"{stage} {value:.0f} s" for stage, value in manifest["seconds"].items() if value >= 0.5
        )
        click.echo(f"time       {times}")
        click.echo(
            f"memory     {manifest['toolkit_peak_bytes'] // MIB} MiB, the toolkit itself at its "
            "peak"
        )
    click.echo(
        f"sandbox    {manifest['sandbox']['sandbox']}, isolation {manifest['sandbox']['isolation']}"
    )
    if "model_costs" in manifest:
        print_model_costs(manifest["model_costs"])
    print_loading(out, next(iter(manifest["configs"])))


def _print_config(name: str, config: Mapping[str, Any], repeats: int | str | None) -> None:
    repeat = config["repeatability"]
    sizes = [
        f"{part} {count_with_noun(facts['problems'], 'problems')} with "
        f"{count_with_noun(facts['solutions'], 'solutions')}"
        for part, facts in config["splits"].items()
    ]
    click.echo(f"{name:<10} {', '.join(sizes)}")
    click.echo(
        "verdicts   "
        + ", ".join(f"{count} {verdict}" for verdict, count in config["verdicts"].items())
    )
    rank_names = {
        "relative": "relative time",
        "absolute": "absolute time",
        "instructions": "instructions",
        "joint": "time and instructions combined",
    }
    if repeat["measured"]:
        spreads = {kind: repeat[f"median_{kind}_spread"] for kind in ("wall", "cpu", "relative")}
        spreads_text = ", ".join(
            f"{kind} {100 * value:.1f} %" for kind, value in spreads.items() if value is not None
        )
        click.echo(
            f"measured   {repeat['measured']}, {repeat['noisy']} with a noise flag, ranked "
            f"by {rank_names[config['rank']]}"
        )
        if spreads_text:
            click.echo(f"spread     {spreads_text} (median over solutions)")
    separation = config.get("separation", {})
    if problems := separation.get("separable", 0) + separation.get("all_ties", 0):
        click.echo(
            f"separation {separation['separable']} of {count_with_noun(problems, 'problems')} tell solutions "
            "apart in time"
        )
    if separation.get("all_ties"):
        # a single repeat does not show noise
        single = repeats == 1 and config["rank"] != "instructions"
        fix = "--repeats adaptive" if single else "larger inputs, or --repeats 9"
        click.echo(f"warning    in {separation['all_ties']} of them every solution is a tie: {fix}")
    if separation.get("unranked"):
        click.echo(
            f"unranked   {count_with_noun(separation['unranked'], 'problems')} below min_separation"
        )
    for solution, reason in list(config["unexpected"].items())[:SHOWN_REASONS]:
        click.echo(f"unexpected {solution} {reason}")
    if len(config["unexpected"]) > SHOWN_REASONS:
        click.echo(
            f"unexpected … and {len(config['unexpected']) - SHOWN_REASONS} more, all in "
            "manifest.json"
        )
