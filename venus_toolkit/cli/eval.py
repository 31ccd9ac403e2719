"""``venus eval``: how well, and how cheaply, a model solves the problems of a release."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from venus_toolkit.cli.options import json_option, languages_option, print_json, sandbox_option
from venus_toolkit.errors import EXIT_MACHINE

EPILOG = """\b
Examples:
  venus eval --model NAME --base-url http://localhost:8000/v1 --data build/venus --lang cpp,go --out build/eval
  venus eval --model replay:completions.jsonl --data build/venus --lang python --samples 4 --out build/replayed
  venus eval --model NAME --base-url http://localhost:8000/v1 --data build/venus --lang cpp --objective memory \\
      --tasks 50 --references cached --out build/memory

A stopped evaluation goes on where it was when the same command is typed again; nothing is asked of the model twice.
Exit code 0 done, 2 the request makes no sense, 3 something is missing: the results are kept and marked partial.
"""
PER_CENT = 100.0
SHOWN_GROUPS = ("all", "language", "difficulty")
SHOWN_MISSING = 6
NAMES = {"time": "T", "memory": "M", "integral": "I"}


@click.command("eval", epilog=EPILOG)
@click.option("--model", required=True, metavar="NAME|replay:FILE", help="The model, or a file with its completions.")
@click.option("--base-url", metavar="URL", help="Where the model is: any server with OpenAI's chat completions.")
@click.option("--data", required=True, metavar="FOLDER|NAME@VERSION", help="A release: folder or name on the Hub.")
@click.option("--lang", "-l", required=True, multiple=True, metavar="ID[,ID]", help="Languages; any name or alias.")
@click.option("--out", "-o", type=click.Path(path_type=Path), required=True, help="The run folder.")
@click.option("--objective", default="time", help="What the prompt asks for: time (default), memory or integral.")
@click.option("--split", default="test", show_default=True, help="The split to evaluate on.")
@click.option("--samples", "-n", default=1, show_default=True, help="Answers to each task.")
@click.option("--tasks", type=int, help="Only so many problems, drawn with the seed; the same in every language.")
@click.option("--seed", default=0, show_default=True, help="Of the sample of tasks, the answers and the intervals.")
@click.option("--temperature", default=0.8, show_default=True, help="Of the model; 0 makes all samples alike.")
@click.option("--answer-tokens", default=4096, show_default=True, help="How long an answer may be.")
@click.option("--concurrency", default=8, show_default=True, help="Questions that are asked at the same time.")
@click.option("--max-requests", type=int, help="Ask the model at most so often; what was asked before is free.")
@click.option("--max-tokens", type=int, help="And for at most so many tokens, prompts included.")
@click.option("--price-prompt", type=float, help="Price of a million tokens of prompts.")
@click.option("--price-completion", type=float, help="Price of a million tokens of answers.")
@click.option("--form", default="block", show_default=True, help="Form of the answer: block or thinking.")
@click.option(
    "--references",
    default="fresh",
    show_default=True,
    help="Figures of the human solutions: fresh (measured beside the programs), cached (by an earlier evaluation on"
    " this machine, where there are any) or published (the dataset's own, of another machine).",
)
@click.option("--reference-cache", type=click.Path(path_type=Path), help="Where fresh ones are kept; see docs/eval.md.")
@click.option("--max-references", type=int, help="Only so many human solutions of each task, spread over their cost.")
@click.option("--repeats", default=3, show_default=True, help="Times that each program is measured.")
@click.option(
    "--rank", default="relative", show_default=True, help="Time: relative to the reference program, or absolute."
)
@click.option(
    "--ties", default="at_least", show_default=True, help="Percentile ranks: at_least (the paper's) or midrank."
)
@click.option("--jobs", "-j", type=int, help="Programs judged at the same time; default: one per core.")
@click.option("--share-cores", is_flag=True, help="Measure on every core at once: faster, less true.")
@sandbox_option
@languages_option
@json_option
def command(out: Path, extra_languages: Path | None, reference_cache: Path | None, as_json: bool, **flags: Any) -> None:
    """Evaluate a model: is its code right, and how cheap is it?

    Asks for programs, judges them like every program here, measures those that pass in turns with the human solutions
    of the same tasks, and writes a row a sample to OUT/results.parquet. Scores come with 95 % intervals.
    """
    from venus_toolkit.cli.progress import stage_progress
    from venus_toolkit.eval.run import Evaluation
    from venus_toolkit.hub import locate
    from venus_toolkit.language import load_languages

    languages = load_languages(extra_languages)
    server = _server(flags)
    options = _options(flags, languages)
    release = locate(options.data)
    with stage_progress(enabled=sys.stderr.isatty() and not as_json) as progress:
        manifest = Evaluation(options, release, out, languages, server, reference_cache, progress).run()
    if as_json:
        print_json({**manifest, "out": str(out)})
    else:
        print_scores(manifest, out)
    if manifest["partial"]:
        sys.exit(EXIT_MACHINE)


def _server(flags: dict[str, Any]) -> Any:
    """Take the options of the server out of the flags; None without a URL."""
    from venus_toolkit.llm import ModelOptions

    names = ("temperature", "answer_tokens", "concurrency", "max_requests", "max_tokens")
    told = {name: flags.pop(name) for name in names}
    base_url = flags.pop("base_url")
    return ModelOptions(base_url, flags["model"], seed=flags["seed"], **told) if base_url else None


def _options(flags: dict[str, Any], languages: Mapping[str, Any]) -> Any:
    from venus_toolkit.eval.options import EvalOptions, Prices
    from venus_toolkit.language import find_language
    from venus_toolkit.measure import MeasureOptions

    named = [name for words in flags.pop("lang") for name in words.split(",") if name.strip()]
    chosen = tuple(dict.fromkeys(find_language(name, languages).id for name in named))
    prices = Prices(flags.pop("price_prompt"), flags.pop("price_completion"))
    measure = MeasureOptions(repeats=flags.pop("repeats"))
    sandbox = flags.pop("sandbox") or "auto"
    return EvalOptions(lang=chosen, prices=prices, measure=measure, sandbox=sandbox, **flags)


# ------------------------------------------------------------------ what is printed


def print_scores(manifest: Mapping[str, Any], out: Path) -> None:
    """Print a finished evaluation's manifest for a person."""
    options = manifest["options"]
    shown = [scores for scores in manifest["scores"] if scores["by"] in SHOWN_GROUPS]
    for line in _table([_headings(options["objective"]), *(_cells(scores, options["objective"]) for scores in shown)]):
        click.echo(line)
    click.echo(f"\nintervals  95 %, problems resampled; {options['measure']['repeats']} repeats")
    click.echo(f"objective  {options['objective']}; places and ratio are of it")
    _print_outcomes(manifest["scores"][0])
    if options["references"] == "published":
        click.echo("references published with the dataset, not measured here: ranks compare machines as well")
    for name, why in list(manifest["unranked"].items())[:SHOWN_MISSING]:
        click.echo(f"unranked   {name}: {why}")
    costs, answers = manifest["model_costs"], manifest["answers"]
    said = [f"{costs['requests']} requests, {costs['failures']} failed, {costs['cached']} answers known before"]
    if answers["completion_tokens"] is not None:
        said.append(f"{answers['prompt_tokens']} + {answers['completion_tokens']} tokens")
    if answers["cost"] is not None:
        said.append(f"cost {answers['cost']:.2f}")
    click.echo("model      " + "; ".join(said))
    _print_missing(manifest)
    click.echo(f"results    {out}/results.parquet, a row a sample")


def _headings(objective: str) -> list[str]:
    beyond = [f"Beyond-{letter} %" for letter in NAMES.values()]
    return ["", "tasks", "Pass@1 %", *beyond, "B/M/W/F %", f"best/{objective}"]


def _cells(scores: Mapping[str, Any], objective: str) -> list[str]:
    efficiency = scores["efficiency"]
    beyond = [_interval(efficiency[name]["beyond"]) for name in NAMES]
    own = efficiency[objective]
    places = "/".join(f"{PER_CENT * share:.0f}" for share in own["places"]) if own["places"] else "-"
    ratio = "-" if own["ratio_to_best"] is None else f"{own['ratio_to_best']:.2f}"
    return [scores["name"], str(scores["tasks"]), _interval(scores["pass_at_1"]), *beyond, places, ratio]


def _interval(interval: Sequence[float] | None) -> str:
    if interval is None:
        return "-"
    estimate, low, high = (PER_CENT * value for value in interval[:3])
    return f"{estimate:.1f} [{low:.1f}, {high:.1f}]"


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _print_outcomes(scores: Mapping[str, Any]) -> None:
    click.echo("samples    " + ", ".join(f"{count} {outcome}" for outcome, count in scores["outcomes"].items()))
    at_k = ", ".join(f"pass@{k} {PER_CENT * value:.1f} %" for k, value in scores["pass_at_k"].items())
    if at_k:
        click.echo(f"pass@k     {at_k}")


def _print_missing(manifest: Mapping[str, Any]) -> None:
    if not manifest["partial"]:
        return
    click.echo("PARTIAL    what is missing counts nowhere; type the same command to go on")
    if manifest["given_up"]:
        click.echo(f"           {manifest['given_up']}")
    for reason, count in list(manifest["missing"].items())[:SHOWN_MISSING]:
        click.echo(f"missing    {count} {reason}".replace("\n", "; "))
