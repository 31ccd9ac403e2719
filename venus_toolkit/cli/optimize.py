"""``venus optimize``: a model makes somebody's own program cheaper, step by step."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from venus_toolkit.cli.options import (
    asking_options,
    base_url_option,
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
from venus_toolkit.cli.run import limits_from, read_tests, read_text
from venus_toolkit.errors import EXIT_DONE, EXIT_FAILED, EXIT_MACHINE
from venus_toolkit.records import MIB, NS_PER_MS

EPILOG = """\b
Examples:
  venus optimize sum.py --tests tests --model NAME --base-url http://localhost:8000/v1 -n 10
  venus optimize sum.py --tests tests --model replay:answers.jsonl -n 3 --out build/sum
  venus optimize two_sum.cpp --starter two_sum.py --tests tests --about task.md --objective memory \\
      --model NAME --base-url http://localhost:8000/v1

\b
The modes, what a question shows:
  single-turn   the current program and what it costs
  history       and what was tried before
  no-feedback   not what it costs
  no-original   what it costs, but not the program

Stopped, it goes on where it was when the same command is typed again; nothing is asked of the model twice.
Exit code 0 a better program was found, 1 none was, 2 the request makes no sense, 3 the model or this machine failed:
what was found until then is kept.
"""
MIB_MS = MIB * NS_PER_MS
SHOWN_REASON = 60
FIGURES = (
    ("wall ms", "wall_ns", NS_PER_MS),
    ("cpu ms", "cpu_ns", NS_PER_MS),
    ("peak MiB", "peak_bytes", MIB),
    ("integral MiB*ms", "integral_byte_ns", MIB_MS),
    ("relative", "relative_time", 1),
)


@click.command("optimize", epilog=EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--tests", type=click.Path(path_type=Path), required=True, help="A folder: NAME.in, NAME.out or none.")
@click.option(
    "--private-tests", type=click.Path(path_type=Path), help="Tests for the end only; default: half of --tests."
)
@click.option("--about", type=click.Path(path_type=Path), metavar="FILE", help="What the program does, in words.")
@click.option("--lang", "-l", metavar="ID", help="Language, any name or alias; default: by the file's extension.")
@click.option("--starter", type=click.Path(path_type=Path), metavar="FILE", help="Starter code: FILE is a function.")
@model_option
@base_url_option
@click.option("--iterations", "-n", default=10, show_default=True, help="Questions to the model.")
@click.option("--objective", default="time", show_default=True, help="What to save: time, memory or integral.")
@loop_options
@click.option("--repeats", default=3, show_default=True, help="Times that each program is measured.")
@click.option(
    "--rank", default="relative", show_default=True, help="Time: relative to the reference program, or absolute."
)
@click.option(
    "--out", "-o", type=click.Path(path_type=Path), help="The run folder; default: FILE.venus beside the file."
)
@click.option("--form", default="block", show_default=True, help="Form of the answer: block or thinking.")
@prompts_option
@click.option("--seed", default=0, show_default=True, help="Of the answers.")
@asking_options
@click.option("--limit-wall-s", type=click.FloatRange(0, 86400, min_open=True), help="Time of one test (10 s).")
@click.option("--limit-memory-mib", type=click.IntRange(1, 1 << 20), help="Memory of one test (512 MiB).")
@sandbox_option
@languages_option
@json_option
def command(file: Path, extra_languages: Path | None, as_json: bool, **flags: Any) -> None:
    """Let a model make a program cheaper, step by step.

    Shows the model FILE and what it costs, judges and measures each answer beside the best program so far, and keeps it
    if it passes and is better beyond the noise, twice. Half of the tests are kept back; at the end the best program
    that passes these too is in OUT, with a diff and a table of before and after.
    """
    out = flags.pop("out") or file.with_name(file.name + ".venus")
    quiet = as_json or not sys.stderr.isatty()
    manifest = _optimisation(file, out, extra_languages, flags, quiet).run()
    if as_json:
        print_json({**manifest, "out": str(out)})
    else:
        print_result(manifest, out)
    if manifest["partial"]:
        sys.exit(EXIT_MACHINE)
    sys.exit(EXIT_DONE if manifest["best"]["changed"] else EXIT_FAILED)


def _optimisation(file: Path, out: Path, extra: Path | None, flags: dict[str, Any], quiet: bool) -> Any:
    from venus_toolkit.eval.optimise import LoopOptions
    from venus_toolkit.eval.options import EvalOptions
    from venus_toolkit.eval.program import Optimisation
    from venus_toolkit.language import find_language, language_of_file, load_languages
    from venus_toolkit.measure import MeasureOptions

    languages = load_languages(extra)
    lang, starter, about, private = (flags.pop(name) for name in ("lang", "starter", "about", "private_tests"))
    language = find_language(lang, languages) if lang else language_of_file(file, languages)
    server = model_options(flags)
    loop = LoopOptions(**{name: flags.pop(name) for name in ("iterations", "mode", "min_gain", "remembered")})
    options = EvalOptions(
        model=flags["model"],
        data=str(file),
        lang=(language.id,),
        objective=flags["objective"],
        seed=flags["seed"],
        form=flags["form"],
        prompts=str(flags["prompts"] or ""),
        rank=flags["rank"],
        measure=MeasureOptions(repeats=flags["repeats"]),
        sandbox=flags["sandbox"] or "auto",
    )
    return Optimisation(
        file=file,
        code=read_text(file, "program"),
        language=language,
        about=read_text(about, "description") if about else "",
        starter=read_text(starter, "starter code") if starter else "",
        runner=_runner(starter, language, languages) if starter else None,
        tests=read_tests(flags["tests"]),
        private=read_tests(private) if private else (),
        limits=limits_from(flags["limit_wall_s"], flags["limit_memory_mib"]),
        options=options,
        loop=loop,
        out=out,
        server=server,
        progress=(lambda turn: None) if quiet else (lambda turn: click.echo(_line(turn), err=True)),
    )


def _runner(starter: Path, language: Any, languages: Mapping[str, Any]) -> str:
    from venus_toolkit.language import language_of_file
    from venus_toolkit.signatures import parse_signature, render_runner

    code = read_text(starter, "starter code")
    return render_runner(parse_signature(code, language_of_file(starter, languages)), language)


def _line(turn: Any) -> str:
    return printable(f"{turn.number}: {turn.decision}: {turn.reason}".rstrip(": ")).replace("\n", " ")


# ------------------------------------------------------------------ what is printed


def print_result(manifest: Mapping[str, Any], out: Path) -> None:
    """Print a finished manifest for a person: the iterations, before and after, the diff."""
    rows = [["iteration", "decision", "saved", "why"], *map(_iteration, manifest["iterations"])]
    print_table(rows)
    click.echo("")
    _print_table(manifest)
    best, tests, options = manifest["best"], manifest["tests"], manifest["options"]
    for each in best["refused"]:
        click.echo(f"refused    iteration {each['iteration']} fails a private test: {printable(each['reason'])}")
    if not best["passed"]:
        click.echo("private    no program passes the private tests: the original is kept")
    noise = f"{options['measure']['repeats']} repeats, twice; by chance once in {1 / manifest['false_alarms']:.0f}"
    click.echo(f"accepted   {noise} iterations")
    click.echo(f"tests      {tests['public']} public, {tests['private']} private ({tests['private_from']})")
    costs = manifest["model_costs"]
    said = f"{costs['prompt_tokens']} + {costs['completion_tokens']} tokens, {costs['cached']} answers known before"
    click.echo(f"model      {costs['requests']} requests, {costs['failures']} failed; {said}")
    if manifest["partial"]:
        click.echo(f"PARTIAL    {manifest['stopped']}\n           type the same command to go on")
    where = f"{out / best['file']}, from iteration {best['iteration']}" if best["changed"] else "none is better"
    click.echo(f"best       {where}")
    if manifest["patch"]:
        click.echo(f"\n{printable(manifest['patch'].rstrip())}")


def printable(text: str) -> str:
    """Return what a model or its program wrote, without what would steer a terminal."""
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def _iteration(row: Mapping[str, Any]) -> list[str]:
    gain = "" if row["gain"] is None else f"{100 * row['gain']:.1f} %"
    reason = printable(row["reason"]).replace("\n", " ")
    return [str(row["iteration"]), row["decision"], gain, reason[:SHOWN_REASON]]


def _print_table(manifest: Mapping[str, Any]) -> None:
    """Print what the original and the best program cost, on the tests of the loop and on those that it never saw."""
    headings = ["", *(name for name, _, _ in FIGURES)]
    rows = [headings]
    for tests in ("public", "private"):
        found = manifest[tests]
        rows += [[f"{tests} {when}", *_cells(found[when])] for when in ("before", "after")]
        rows.append([f"{tests} saved", *_saved(found["before"], found["after"])])
    print_table(rows)
    click.echo("")


def _cells(figures: Mapping[str, Any] | None) -> list[str]:
    values = [None if figures is None else figures[name] for _, name, _ in FIGURES]
    return [
        "-" if value is None else f"{value / unit:.2f}" for value, (_, _, unit) in zip(values, FIGURES, strict=True)
    ]


def _saved(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[str]:
    return [_share((before or {}).get(name), (after or {}).get(name)) for _, name, _ in FIGURES]


def _share(before: float | None, after: float | None) -> str:
    return f"{100 * (before - after) / before:.1f} %" if before and after is not None else "-"
