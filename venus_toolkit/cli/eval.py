"""``venus eval``: how well, and how cheaply, a model solves the problems of a release."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from venus_toolkit.cli.options import (
    asking_options,
    base_url_option,
    engine_options,
    json_option,
    languages_option,
    loop_options,
    model_option,
    model_options,
    print_json,
    print_table,
    prompts_option,
    sandbox_option,
)
from venus_toolkit.errors import EXIT_MACHINE

EPILOG = """\b
Examples:
  venus eval --model NAME --base-url http://localhost:8000/v1 --data build/venus --lang cpp,go --out build/eval
  venus eval --model replay:completions.jsonl --data build/venus --lang python --samples 4 --out build/replayed
  venus eval --model NAME --base-url http://localhost:8000/v1 --data build/venus --lang cpp --objective memory \\
      --tasks 50 --references cached --out build/memory
  venus eval --model NAME --base-url http://localhost:8000/v1 --data build/venus --lang cpp --iterations 8 \\
      --out build/loop
  venus eval --suite mercury --model NAME --base-url http://localhost:8000/v1 --out build/mercury

A stopped evaluation goes on where it was when the same command is typed again; nothing is asked of the model twice.
Exit code 0 done, 2 the request makes no sense, 3 something is missing: the results are kept and marked partial.
"""
PER_CENT = 100.0
SHOWN_GROUPS = ("all", "language", "difficulty")
SHOWN_MISSING = 6
NAMES = {"time": "T", "memory": "M", "integral": "I"}


@click.command("eval", epilog=EPILOG)
@model_option
@base_url_option
@click.option("--suite", metavar="NAME|FILE", help="A benchmark: where its data come from, its prompt, its limits.")
@click.option("--data", metavar="FOLDER|NAME@VERSION", help="A release: folder or name on the Hub.")
@click.option("--lang", "-l", multiple=True, metavar="ID[,ID]", help="Languages; any name or alias.")
@click.option("--out", "-o", type=click.Path(path_type=Path), required=True, help="The run folder.")
@click.option("--objective", help="What the prompt asks for: time (default), memory or integral.")
@click.option("--split", help="The split to evaluate on (test).")
@click.option("--iterations", type=int, help="Let the model better each program so often (docs/optimize.md).")
@click.option("--start", default="generated", help="Where that begins: generated (default), efficient or inefficient.")
@loop_options
@click.option("--samples", "-n", type=int, help="Answers to each task (1).")
@click.option("--tasks", type=int, help="Only so many problems, drawn with the seed; the same in every language.")
@click.option("--seed", default=0, show_default=True, help="Of the sample of tasks, the answers and the intervals.")
@asking_options
@click.option("--price-prompt", type=float, help="Price of a million tokens of prompts.")
@click.option("--price-completion", type=float, help="Price of a million tokens of answers.")
@click.option("--form", help="Form of the answer: block (default) or thinking.")
@prompts_option
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
@click.option("--model-card", default="", metavar="FILE", help="The model's card; default: the one beside its weights.")
@click.option("--allow-contaminated", is_flag=True, help="Go on if the card says it was trained on this split.")
@click.option("--jobs", "-j", type=int, help="Programs judged at the same time on a machine; default: one per core.")
@engine_options
@click.option("--share-cores", is_flag=True, help="Measure on every core at once: faster, less true.")
@sandbox_option
@languages_option
@json_option
def command(out: Path, extra_languages: Path | None, reference_cache: Path | None, as_json: bool, **flags: Any) -> None:
    """Evaluate a model: is its code right, and how cheap is it?

    Asks for programs, judges them like every program here, measures those that pass in turns with the human solutions
    of the same tasks, and writes a row a sample to OUT/results.parquet. Scores come with 95 % intervals.

    With --iterations each program is bettered step by step, on public tests, and scored on private ones, with a row for
    each iteration. The modes: single-turn shows the current code and what it costs, history what was tried before too,
    no-feedback not what it costs, no-original not the code.
    """
    from venus_toolkit.cli.progress import stage_progress
    from venus_toolkit.language import load_languages

    languages = load_languages(extra_languages)
    server = model_options(flags)
    release = _release(flags, languages)
    loop = _loop(flags)
    options = _options(flags, languages)
    with stage_progress(enabled=sys.stderr.isatty() and not as_json) as progress:
        evaluation = _evaluation(loop, options, release, out, languages, server, reference_cache, progress)
        manifest = evaluation.run()
    if as_json:
        print_json({**manifest, "out": str(out)})
    else:
        print_scores(manifest, out)
    if manifest["partial"]:
        sys.exit(EXIT_MACHINE)


def _release(flags: dict[str, Any], languages: Mapping[str, Any]) -> Any:
    """Take --suite out of the flags, fill in what it says and they do not; returns the release.

    Raises:
        UsageError: There is no such suite, no data or no language.
    """
    from venus_toolkit.errors import UsageError
    from venus_toolkit.hub import locate

    name, data = flags.pop("suite"), flags["data"]
    if name is None:
        if not data or not flags["lang"]:
            lacking = "--data" if not data else "--lang"
            raise UsageError("there is nothing to evaluate on", f"{lacking} is missing", "add it, or --suite NAME")
        return locate(data)
    release = _of_suite(name, data, flags, languages)
    flags["data"] = data or str(release.folder)
    return release


def _of_suite(name: str, data: str | None, flags: dict[str, Any], languages: Mapping[str, Any]) -> Any:
    """Return the data of a suite, and fill in the flags what it says; its source is read where that was not done.

    Raises:
        UsageError: There is no such suite, or it has no data of its own and nobody says where they are.
    """
    from venus_toolkit.builders.given import release_of_given
    from venus_toolkit.errors import UsageError
    from venus_toolkit.eval.suite import filled, read_suite
    from venus_toolkit.hub import locate

    suite = read_suite(name)
    flags.update(filled(suite, flags))
    if suite.source:
        folder = Path(data) if data else suite.folder
        chosen = _languages(flags["lang"], languages)
        return release_of_given(suite.source, folder, languages, chosen, suite.limits, _say)
    if not data:
        raise UsageError(f"the suite {suite.name} has no data of its own", suite.about, "add --data FOLDER")
    return locate(data)


def _say(line: str) -> None:
    click.echo(line, err=True)


def _languages(words: Sequence[str], languages: Mapping[str, Any]) -> tuple[str, ...]:
    from venus_toolkit.language import find_languages

    return tuple(language.id for language in find_languages(words, languages))


def _evaluation(loop: Any, *told: Any) -> Any:
    """Return an evaluation, iterative where there is a loop."""
    from venus_toolkit.eval.iterations import Iterated
    from venus_toolkit.eval.run import Evaluation

    make: Any = Evaluation if loop is None else partial(Iterated, loop=loop)
    return make(*told)


def _loop(flags: dict[str, Any]) -> Any:
    """Take the options of the loop out of the flags; None without --iterations.

    Raises:
        UsageError: They make no sense, or there is no loop that they could be of.
    """
    from venus_toolkit.errors import UsageError
    from venus_toolkit.eval.optimise import LoopOptions

    told = {name: flags.pop(name) for name in ("iterations", "mode", "start", "min_gain", "remembered")}
    asked = LoopOptions(**{**told, "iterations": 1 if told["iterations"] is None else told["iterations"]})
    if told["iterations"] is None and asked != LoopOptions(1):
        why = "without --iterations there is no loop"
        raise UsageError("--mode, --start, --min-gain and --remembered change nothing", why, "add --iterations N")
    return None if told["iterations"] is None else asked


def _options(flags: dict[str, Any], languages: Mapping[str, Any]) -> Any:
    from venus_toolkit.eval.options import EvalOptions, Prices
    from venus_toolkit.measure import MeasureOptions

    chosen = _languages(flags.pop("lang"), languages)
    flags = {name: value for name, value in flags.items() if value is not None}  # what is not said has its default
    flags["prompts"] = str(flags.get("prompts", ""))
    prices = Prices(flags.pop("price_prompt", None), flags.pop("price_completion", None))
    measure = MeasureOptions(repeats=flags.pop("repeats"))
    return EvalOptions(lang=chosen, prices=prices, measure=measure, **flags)


# ------------------------------------------------------------------ what is printed


def print_scores(manifest: Mapping[str, Any], out: Path) -> None:
    """Print a finished evaluation's manifest for a person."""
    options = manifest["options"]
    shown = [scores for scores in manifest["scores"] if scores["by"] in SHOWN_GROUPS]
    print_table([_headings(options["objective"]), *(_cells(scores, options["objective"]) for scores in shown)])
    click.echo(f"\nintervals  95 %, problems resampled; {options['measure']['repeats']} repeats")
    click.echo(f"objective  {options['objective']}; places and ratio are of it")
    if "iterations" in manifest:
        _print_iterations(manifest)
    _print_outcomes(manifest["scores"][0])
    if manifest["contamination"]:
        click.echo(f"CAUTION    {manifest['contamination']}")
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


def _print_iterations(manifest: Mapping[str, Any]) -> None:
    """Print a line for each iteration; the table before is of the last one."""
    loop = manifest["loop"]
    rows = [["iteration", "public %", "private %", *(f"Beyond-{name} %" for name in NAMES.values()), "accepted"]]
    for each in manifest["iterations"]:
        private = each["private"]
        public = "-" if each["public_passed"] is None else f"{PER_CENT * each['public_passed']:.1f}"
        beyond = [_interval(private["efficiency"][name]["beyond"]) for name in NAMES]
        accepted = str(each["decisions"].get("accepted", 0))
        rows.append([str(each["iteration"]), public, _interval(private["pass_at_1"]), *beyond, accepted])
    click.echo("")
    print_table(rows)
    click.echo(f"\nloop       {loop['mode']}, start {loop['start']}; public: share that passes the tests of the loop,")
    click.echo("           private and Beyond: on tests that the loop never saw")
    for name, found in manifest["gained"].items():
        if found:
            shown = _interval(found["difference"])
            click.echo(f"gained     {name}: {shown} %, p {found['p_value']:.3g}, {found['problems']} problems")


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
