"""``venus eval``: evaluates a model's solutions for correctness and efficiency."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.printing import (
    log_line,
    print_json,
    print_notices,
    print_table,
    printable,
    stage_progress,
)
from venus_toolkit.core.errors import EXIT_MACHINE, UsageError
from venus_toolkit.core.formatting import price, share_with_range

SHOWN_MISSING = 6  # number of reasons printed; the manifest has all
BEYOND = {"time": "Beyond-T %", "memory": "Beyond-M %", "integral": "Beyond-I %"}


@click.command(
    "eval",
    epilog="""\b
Examples:
  venus eval --model NAME --base-url http://localhost:8000/v1 --data build/venus --lang cpp,go --out build/eval
  venus eval --model smollm2 --data build/venus --lang python --out build/smollm2
  venus eval --model human:median --data build/venus --lang cpp --out build/human
  venus eval --model replay:completions.jsonl --data build/venus --lang python --samples 4 --out build/replayed
  venus eval --model NAME --base-url http://localhost:8000/v1 --data build/venus --lang cpp --objective memory \\
      --tasks 50 --references cached --out build/memory
  venus eval --model NAME --base-url http://localhost:8000/v1 --data build/venus --lang cpp --iterations 8 \\
      --out build/loop
  venus eval --model NAME --base-url http://localhost:8000/v1 --data build/venus --lang cpp --iterations 8 \\
      --start spectrum --analysis ceiling,correlation,gains --out build/spectrum
  venus eval --suite mercury --model NAME --base-url http://localhost:8000/v1 --out build/mercury

Rerun the same command to resume an interrupted evaluation; answers already received are reused.
Exit code 0 done, 2 usage error, 3 something is missing: the results are marked partial.
""",
)
@shared.model_option
@click.option(
    "--suite", metavar="NAME|FILE", help="A benchmark with its own data, prompt and limits."
)
@click.option("--data", metavar="FOLDER|NAME@VERSION", help="A release: folder or name on the Hub.")
@click.option(
    "--lang", "-l", multiple=True, metavar="ID[,ID]", help="Languages; any name or alias."
)
@shared.out_option("Output folder.")
@shared.objective_option(
    "Objective in the prompt", text="default: that of the model's training, else time"
)
@click.option("--split", help="The split to evaluate on (test).")
@click.option(
    "--iterations",
    type=int,
    help="Number of times the model improves each program (docs/optimize.md).",
)
@click.option(
    "--start",
    default="generated",
    help=(
        "First program: generated (default), efficient, inefficient, or spectrum (human solutions "
        "from 0 to 100 % in steps of 10 %)."
    ),
)
@shared.loop_options
@click.option("--samples", "-n", type=int, help="Number of answers to each task (1).")
@click.option(
    "--tasks",
    type=int,
    help="Number of problems, sampled with the seed; the same in every language.",
)
@click.option(
    "--seed", default=0, show_default=True, help="Seed of the tasks, the answers and the intervals."
)
@shared.asking_options
@click.option("--price-prompt", type=float, help="Price of a million tokens of prompts.")
@click.option("--price-completion", type=float, help="Price of a million tokens of answers.")
@click.option(
    "--form",
    help=(
        "Form of the answer: block or thinking; default: that of the model's training, else block."
    ),
)
@shared.prompts_option
@click.option(
    "--references",
    default="fresh",
    show_default=True,
    help="Figures of the human solutions: fresh (measured interleaved with the programs), cached "
    "(from an earlier evaluation on this machine, if possible) or published (those of the dataset, "
    "from another machine).",
)
@click.option(
    "--reference-cache",
    type=shared.PATH,
    help="Folder in which evaluations share fresh figures (docs/eval.md).",
)
@click.option(
    "--min-references", type=int, help="Minimum number of human solutions for a rank (2)."
)
@click.option(
    "--max-references",
    type=int,
    help="Maximum number of human solutions of each task, spread over their costs.",
)
@shared.repeats_option
@click.option(
    "--reseed/--no-reseed",
    default=True,
    show_default=True,
    help="Use new inputs in each repeat, if the problem has a generator.",
)
@shared.rank_options
@click.option(
    "--curves", is_flag=True, help="Record memory over time of samples that pass, for samples.html."
)
@click.option(
    "--complexity",
    is_flag=True,
    help=(
        "Estimate the growth of each sample's cost, if the data have it for human solutions "
        "(docs/eval.md)."
    ),
)
@shared.rule_option
@click.option(
    "--ties",
    default="midrank",
    show_default=True,
    help=(
        "How percentile ranks treat ties: midrank (count half) or at_least (count whole, as in "
        "the paper)."
    ),
)
@click.option(
    "--intervals", default="problems", show_default=True,
    help="Intervals: problems (resample them), or paper (128 draws, as in the paper: too narrow).",
)  # fmt: skip
@click.option(
    "--batch",
    is_flag=True,
    help=(
        "Ask all questions through the server's batch endpoint: cheaper, and answered within a day."
    ),
)
@click.option(
    "--model-card",
    default="",
    metavar="FILE",
    help="The model's card; default: the one next to its weights.",
)
@click.option(
    "--allow-contaminated",
    is_flag=True,
    help="Continue if the card says that the model was trained on this split.",
)
@shared.jobs_option
@shared.engine_options
@click.option(
    "--share-cores", is_flag=True, help="Measure on every core at once: faster, less accurate."
)
@shared.sandbox_option
@shared.languages_option
@shared.json_option
def command(
    out: Path,
    extra_languages: Path | None,
    reference_cache: Path | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Evaluate a model: is its code correct, and how efficient is it?

    Asks for programs, judges them, measures those that pass interleaved with the human solutions of
    the same tasks, and writes one row per sample to OUT/results.parquet. Scores come with 95 %
    intervals.

    With --iterations, the model improves each program step by step on public tests. The result is
    scored on private tests, with a row for each iteration. The modes: single-turn shows the current
    code and its cost; history also shows earlier attempts; no-feedback hides the cost; no-original
    hides the code; independent repeats the first question and keeps the best answer.
    """
    from venus_toolkit.api.suites import find_release
    from venus_toolkit.core.language import find_languages, load_languages
    from venus_toolkit.eval.asking.prompting import make_eval_options
    from venus_toolkit.eval.evaluate import Evaluation
    from venus_toolkit.eval.loop.iterations import IterativeEvaluation

    languages = load_languages(extra_languages)
    server = shared.model_options(flags, temperature=0.8, concurrency=8)
    with stage_progress(as_json) as progress:
        release = find_release(flags.pop("suite"), flags, languages, log_line, progress)
    loop = _loop(flags)
    options = make_eval_options(find_languages(flags.pop("lang"), languages), **flags)
    with stage_progress(as_json) as progress:
        arguments = (options, release, out, languages, server, reference_cache, progress)
        manifest = (
            Evaluation(*arguments) if loop is None else IterativeEvaluation(*arguments, loop=loop)
        ).run()
    if as_json:
        print_json({**manifest, "out": str(out)})
    else:
        print_scores(manifest, out)
    if manifest["partial"]:
        sys.exit(EXIT_MACHINE)


def _loop(flags: dict[str, Any]) -> Any:
    """Remove the options of the loop from the flags; return None without --iterations."""
    from venus_toolkit.eval.loop.iterative_loop import SPECTRUM, LoopOptions
    from venus_toolkit.eval.loop.trajectories import STEPS

    iterations = flags.pop("iterations")
    loop_flags = {
        name: flags.pop(name)
        for name in ("mode", "start", "min_gain", "remembered", "feedback", "analysis")
    }
    settings = {name: value for name, value in loop_flags.items() if value is not None}
    loop = LoopOptions(iterations=1 if iterations is None else iterations, **settings)
    if loop.start == SPECTRUM and flags["samples"] is None:
        flags["samples"] = STEPS
    # These flags have defaults, so only a different value shows that one was set.
    if iterations is None and loop != LoopOptions(1):
        message = (
            "--mode, --start, --min-gain, --remembered, --feedback and --analysis change nothing"
        )
        raise UsageError(message, "without --iterations there is no loop", "add --iterations N")
    return None if iterations is None else loop


def print_scores(manifest: Mapping[str, Any], out: Path) -> None:
    """Print a summary of a finished evaluation."""
    from venus_toolkit.dataset.card.published_scores import format_scores
    from venus_toolkit.eval.scoring.controls import lines, pair_lines
    from venus_toolkit.eval.scoring.hacks import Hacks, in_words
    from venus_toolkit.eval.scoring.statistics import FEWEST_PROBLEMS

    options, total = manifest["options"], manifest["scores"][0]
    objective = options["objective"]
    groups = [
        scores for scores in manifest["scores"] if scores["by"] in ("all", "language", "difficulty")
    ]
    headings = ["", "tasks", "Pass@1 %", *BEYOND.values(), "B/M/W/F %", f"best/{objective}"]
    print_table([headings, *(_cells(scores, objective) for scores in groups)])
    paper = options["intervals"] == "paper"
    method = "of 128 draws, as in the paper" if paper else "problems resampled"
    click.echo(f"\nintervals  95 %, {method}; {options['measure']['repeats']} repeats")
    if paper:
        click.echo(
            "CAUTION    these intervals are too narrow: they cover the error of 128 draws, but not "
            "the choice of problems"
        )
    if total["problems"] < FEWEST_PROBLEMS:
        click.echo(
            f"CAUTION    too few problems to rank models: {total['problems']}, at least "
            f"{FEWEST_PROBLEMS} are needed"
        )
    click.echo(f"objective  {objective}: B/M/W/F and best/{objective} refer to it")
    for line in options["prompting"]:
        click.echo(f"prompting  {line}")
    if "iterations" in manifest:
        _print_iterations(manifest)
    if (reseeded := manifest["reseeded"])["of_tasks"]:
        tasks, tests = (
            f"{reseeded[name]} of {reseeded[f'of_{name}']} {name}" for name in ("tasks", "tests")
        )
        click.echo(f"reseeded   fresh inputs for each repeat: {tests}, in {tasks}")
    for line in lines(manifest["controls"]):
        click.echo(f"control    {line}")
    for line in pair_lines(manifest["pairs"], options["rank"]):
        click.echo(f"pairs      {line}")
    for line in manifest["distrust"]:
        click.echo(f"CAUTION    {line}")
    if counted := manifest.get("counted"):
        ranked = (f"{figure}: {count}" for figure, count in counted["ranked_by"].items())
        click.echo(f"ranked by  {', '.join(ranked) or 'nothing: no sample has a rank'}")
        for reason, count in list(counted["objections"].items())[:SHOWN_MISSING]:
            click.echo(f"by time    {count}: {reason}")
    click.echo(
        "samples    "
        + ", ".join(f"{count} {outcome}" for outcome, count in total["outcomes"].items())
    )
    if hacks := in_words(Hacks(**manifest["hacks"])):
        click.echo(f"hacks      {hacks}")
    if at_k := ", ".join(
        f"pass@{k} {100 * value:.1f} %" for k, value in total["pass_at_k"].items()
    ):
        click.echo(f"pass@k     {at_k}")
    by_benchmark: dict[str, list[str]] = {}
    for benchmark, metric, value in format_scores(total["published"]):
        by_benchmark.setdefault(benchmark, []).append(f"{metric} {value}")
    for benchmark, metrics in by_benchmark.items():
        click.echo(f"{benchmark:<11}{', '.join(metrics)}")
    if options.get("complexity") and not any(
        name.startswith("best_time") for name in total["published"]
    ):
        click.echo(
            "complexity unknown: the dataset does not have the growth of cost of human solutions "
            "(docs/eval.md)"
        )
    if manifest["contamination"]:
        click.echo(f"CAUTION    {manifest['contamination']}")
    if options["references"] == "published":
        click.echo(
            "references published figures, measured on another machine: ranks also compare machines"
        )
    for name, reason in list(manifest["unranked"].items())[:SHOWN_MISSING]:
        click.echo(f"unranked   {name}: {reason}")
    costs, answers = manifest["model_costs"], manifest["answers"]
    usage = [
        f"{costs['requests']} requests, {costs['failures']} failed, {costs['cached']} cached "
        "answers"
    ]
    if answers["completion_tokens"] is not None:
        reasoning = (
            f" ({answers['reasoning_tokens']} of reasoning)" if answers["reasoning_tokens"] else ""
        )
        usage.append(
            f"{answers['prompt_tokens']} + {answers['completion_tokens']} tokens{reasoning}"
        )
    if answers["cost"] is not None:
        usage.append(f"cost {price(answers['cost'])}")
    click.echo("model      " + "; ".join(usage))
    print_notices(manifest["notices"])
    if manifest["partial"]:
        click.echo("PARTIAL    missing samples are not counted; type the same command to continue")
        if manifest["given_up"]:
            click.echo(f"           {manifest['given_up']}")
        for reason, count in list(manifest["missing"].items())[:SHOWN_MISSING]:
            click.echo(f"missing    {count} {reason}".replace("\n", "; "))
    click.echo(f"results    {out}/results.parquet, one row per sample")


def _print_iterations(manifest: Mapping[str, Any]) -> None:
    """Print a line for each iteration; the table above shows the last one."""
    from venus_toolkit.eval.loop.analysis import in_words

    loop = manifest["loop"]
    rows = [["iteration", "public %", "private %", *BEYOND.values(), "accepted"]]
    for iteration in manifest["iterations"]:
        private = iteration["private"]
        public = (
            "-" if iteration["public_passed"] is None else f"{100 * iteration['public_passed']:.1f}"
        )
        beyond = [share_with_range(private["efficiency"][name]["beyond"]) for name in BEYOND]
        accepted = str(iteration["decisions"].get("accepted", 0))
        rows.append(
            [
                str(iteration["iteration"]),
                public,
                share_with_range(private["pass_at_1"]),
                *beyond,
                accepted,
            ]
        )
    click.echo("")
    print_table(rows)
    click.echo(
        f"\nloop       {loop['mode']}, start {loop['start']}; public: share that passes the "
        "tests of the loop,"
    )
    click.echo("           private and Beyond: on tests that the loop never used")
    for name, gain in manifest["gained"].items():
        if gain:
            difference = share_with_range(gain["difference"])
            click.echo(
                f"gain       {name}: {difference} %, p {gain['p_value']:.3g}, {gain['problems']} "
                "problems"
            )
    for line in in_words(manifest["analysis"]):
        click.echo(f"analysis   {printable(line)}")


def _cells(scores: Mapping[str, Any], objective: str) -> list[str]:
    efficiency = scores["efficiency"]
    beyond = [share_with_range(efficiency[name]["beyond"]) for name in BEYOND]
    own = efficiency[objective]
    places = "/".join(f"{100 * share:.0f}" for share in own["places"]) if own["places"] else "-"
    ratio = "-" if own["ratio_to_best"] is None else f"{own['ratio_to_best']:.2f}"
    return [
        scores["name"],
        str(scores["tasks"]),
        share_with_range(scores["pass_at_1"]),
        *beyond,
        places,
        ratio,
    ]
