"""``venus run``: one program, judged on each of its tests and measured beside the reference program."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from venus_toolkit.cli.options import json_option, languages_option, print_json, sandbox_option
from venus_toolkit.cli.plot import check_plot, draw
from venus_toolkit.errors import EXIT_DONE, EXIT_FAILED, UsageError
from venus_toolkit.language import Language, find_language, language_of_file, load_languages
from venus_toolkit.measure import MeasureOptions
from venus_toolkit.records import MIB, NS_PER_MS, NS_PER_S, Limits, Measurement, TestCase, Verdict
from venus_toolkit.sandbox import Program
from venus_toolkit.trial import Outcome, Report, Request, judge_and_measure, plain_report

EPILOG = """\b
Examples:
  venus run solution.py --stdin input.txt
  venus run main.cpp --tests tests --repeats 5
  venus run two_sum.py --starter two_sum.cpp --tests tests
  venus run Main.java --tests tests --limit-memory-mib 256 --plot memory.png
  python3 make_input.py | venus run main.rs --stdin - --interval-us 100 --json

Exit code 0 accepted, 1 judged and failed, 2 the request makes no sense, 3 this machine cannot do it.

A line of the table is the fastest repeat of one test. Below, wall, cpu and integral add up the smallest figure that
each test had, so they may be a little less than the lines together; peak is the largest of all tests. A program that
does not end by itself with exit code 0 in every test is judged but not measured: its lines are the runs that decided.
"""
SHOWN_REASONS = 12
MIB_MS = MIB * NS_PER_MS
HEADINGS = ("test", "verdict", "wall ms", "cpu ms", "peak MiB", "integral MiB*ms", "samples", "gap ms")
NOISE = {
    "stolen_time": "the hypervisor gave processor time to others",
    "reference_drift": "the reference program changed its speed: so did the machine",
    "involuntary_switches": "others took the core from the program",
    "cpu_pressure": "somebody waited for a processor a quarter of the time or more",
    "failed_repeat": "a repeat did not run to its end",
}


@click.command("run", epilog=EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--lang", "-l", metavar="ID", help="Language, any name or alias; default: by the file's extension.")
@click.option("--starter", type=click.Path(path_type=Path), metavar="FILE", help="Starter code: FILE is a function.")
@click.option("--tests", type=click.Path(path_type=Path), metavar="DIR", help="NAME.in, each with NAME.out or alone.")
@click.option("--stdin", metavar="FILE", help="One input; '-' is standard input. Without it and --tests: empty.")
@click.option("--repeats", type=click.IntRange(min=1), default=3, show_default=True, help="Times that it is measured.")
@click.option("--limit-wall-s", type=click.FloatRange(0, 86400, min_open=True), help="Time of one test (10 s).")
@click.option("--limit-memory-mib", type=click.IntRange(1, 1 << 20), help="Memory of one test (512 MiB).")
@click.option("--interval-us", type=click.IntRange(100, 10**6), default=1000, help="Between readings of memory (1000).")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE.png|svg", help="Draw memory over time.")
@sandbox_option
@languages_option
@json_option
def command(
    file: Path, lang: str | None, extra_languages: Path | None, sandbox: str | None, plot: Path | None, **flags: Any
) -> None:
    """Measure one program in any of the languages.

    Compiles FILE, judges it on each test (exact comparison but for trailing white space; a test without expected
    output is judged by how the program ended), measures it beside the reference program of its language, and prints
    time, memory and the integral of memory over time.

    With --starter, FILE is a function or class that fills in starter code, which may be in any language. It gets a
    runner: its arguments are JSON on standard input, one a line, and its result is JSON.
    """
    languages = load_languages(extra_languages)
    language = find_language(lang, languages) if lang else language_of_file(file, languages)
    request = Request(
        program=Program(language, program_text(file, language, flags["starter"], languages)),
        tests=asked_tests(flags["tests"], flags["stdin"]),
        limits=limits_from(flags["limit_wall_s"], flags["limit_memory_mib"]),
        options=MeasureOptions(repeats=flags["repeats"], interval_ns=1000 * flags["interval_us"]),
        sandbox=sandbox or "auto",
        trace=plot is not None,
    )
    if plot:
        check_plot(plot)
    report = judge_and_measure(request, _progress(flags["as_json"]))
    if plot:
        draw(report, plot, file.name)
    if flags["as_json"]:
        print_json(plain_report(report, file))
    else:
        print_report(report)
    sys.exit(EXIT_DONE if report.judgement.verdict == Verdict.ACCEPTED else EXIT_FAILED)


def program_text(file: Path, language: Language, starter: Path | None, languages: Mapping[str, Language]) -> str:
    """Return the program in a file, in the runner that starter code asks for where there is some.

    Raises:
        UsageError: A file cannot be read.
        SignatureError: The starter code has no function that a runner can be made for.
    """
    code = read_text(file, "program")
    if starter is None:
        return code
    from venus_toolkit.signatures import parse_signature
    from venus_toolkit.signatures.runner import place, render_runner

    signature = parse_signature(read_text(starter, "starter code"), language_of_file(starter, languages))
    return place(render_runner(signature, language), code, language)


def _progress(as_json: bool) -> Callable[[str], None]:
    """Plain lines on stderr: a live bar would be redrawn on the core that is being measured."""
    quiet = as_json or not sys.stderr.isatty()
    return (lambda line: None) if quiet else (lambda line: click.echo(line, err=True))


def read_text(file: Path, what: str) -> str:
    """Return a file's text as it is, line ends included.

    Raises:
        UsageError: It cannot be read or is not text.
    """
    try:
        return file.read_bytes().decode("utf-8")
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"cannot read the {what} {file}", why, f"check the path: ls -l {file.parent}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the {what} {file} is not UTF-8 text", str(error), f"type: file {file}") from error


def asked_tests(folder: Path | None, stdin: str | None) -> tuple[TestCase, ...]:
    """Return the tests of a folder, or one made of a file, of standard input or of nothing.

    Raises:
        UsageError: Both were given, or there is nothing to be read.
    """
    if folder and stdin is not None:
        why = "the inputs come from a folder or from one file"
        raise UsageError("--tests and --stdin were given together", why, "leave one of them out")
    if folder:
        return read_tests(folder)
    if stdin == "-":
        return (TestCase("stdin", _standard_input(), kind="given"),)
    text = read_text(Path(stdin), "input") if stdin is not None else ""
    return (TestCase(Path(stdin).name if stdin is not None else "empty", text, kind="given"),)


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError("the standard input is not UTF-8 text", str(error), "give text on standard input") from error


def read_tests(folder: Path) -> tuple[TestCase, ...]:
    """Return the tests NAME.in, with NAME.out where there is one, in the order in which people count.

    Raises:
        UsageError: It is no folder, or has no NAME.in.
    """
    if not folder.is_dir():
        why = "there is no such folder" if not folder.exists() else "it is not a folder"
        raise UsageError(f"cannot read the tests in {folder}", why, "give a folder with NAME.in and NAME.out")
    inputs = sorted(folder.glob("*.in"), key=lambda file: _counting_order(file.stem))
    if not inputs:
        names = ", ".join(sorted(file.name for file in folder.iterdir())[:4]) or "nothing"
        why = f"no file there is called NAME.in; it holds {names}"
        raise UsageError(f"no tests in {folder}", why, "name the inputs 1.in, 2.in, ... and their outputs 1.out, 2.out")
    return tuple(_read_test(file) for file in inputs)


def _read_test(file: Path) -> TestCase:
    expected = file.with_suffix(".out")
    stdout = read_text(expected, "expected output") if expected.exists() else None
    return TestCase(file.stem, read_text(file, "input"), stdout, kind="given")


def _counting_order(name: str) -> list[tuple[int, str]]:
    return [(int(word), "") if word.isdigit() else (-1, word) for word in re.split(r"([0-9]+)", name)]


def limits_from(wall_s: float | None, memory_mib: int | None) -> Limits:
    """Return the limits of one test; CPU time may be as long as wall time, since the program has one core.

    Raises:
        UsageError: The time is not a number.
    """
    if wall_s is not None and not wall_s > 0:
        raise UsageError(f"--limit-wall-s {wall_s} is no time", "it is not a number", "type: --limit-wall-s 10")
    wall_ns = round(wall_s * NS_PER_S) if wall_s is not None else None
    return Limits().changed(wall_ns=wall_ns, cpu_ns=wall_ns, memory_bytes=memory_mib * MIB if memory_mib else None)


def print_report(report: Report) -> None:
    """Print verdict, table and totals."""
    language, judgement, outcomes = report.request.program.language, report.judgement, report.outcomes
    if judgement.verdict == Verdict.COMPILE_ERROR:
        click.echo(f"verdict    {judgement.verdict} ({(*language.compile_argv, language.name)[0]})\n")
        click.echo(judgement.compile_log.rstrip() or judgement.reason)
        return
    passed = sum(outcome.verdict == Verdict.ACCEPTED for outcome in outcomes)
    compared = sum(outcome.compared for outcome in outcomes)
    how = f"{compared} with an expected output" if compared else "no expected output: judged by how it ended"
    click.echo(f"verdict    {judgement.verdict}, {passed} of {len(outcomes)} tests passed ({how})\n")
    _print_table(outcomes)
    click.echo()
    _print_reasons(outcomes)
    if report.measurement:
        _print_totals(report.measurement, language.name)
    else:
        click.echo("measured   no: only a program that ends well in every test is")
    _print_conditions(report)


def _print_table(outcomes: Sequence[Outcome]) -> None:
    rows = [HEADINGS, *map(_row, outcomes)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(f"{word:{'<' if i < 2 else '>'}{widths[i]}}" for i, word in enumerate(row)).rstrip())


def _row(outcome: Outcome) -> tuple[str, ...]:
    run = outcome.run
    verdict = outcome.verdict if outcome.compared else f"{outcome.verdict} (not compared)"
    times = (_in(NS_PER_MS, run.wall_ns), _in(NS_PER_MS, run.cpu_ns))
    memory = (_in(MIB, run.peak_bytes), _in(MIB_MS, run.integral_byte_ns))
    return (outcome.test_id, verdict, *times, *memory, str(run.samples), _in(NS_PER_MS, run.largest_gap_ns))


def _print_reasons(outcomes: Sequence[Outcome]) -> None:
    failed = [outcome for outcome in outcomes if outcome.verdict != Verdict.ACCEPTED]
    for outcome in failed[:SHOWN_REASONS]:
        click.echo(f"failed     {outcome.test_id}: {outcome.verdict}: {outcome.reason}")
    if len(failed) > SHOWN_REASONS:
        click.echo(f"failed     ... and {len(failed) - SHOWN_REASONS} more: see the table")


def _print_totals(total: Measurement, name: str) -> None:
    if not total.repeats:
        click.echo("measured   no repeat ran to its end: the program does not always do the same")
    else:
        within = f"within {_in(MIB_MS, total.integral_error_byte_ns)}{_spread(total.integral_spread)}"
        beside = f"the CPU time of the {name} reference program beside it{_spread(total.relative_spread)}"
        click.echo(f"wall       {_in(NS_PER_MS, total.wall_ns)} ms{_spread(total.wall_spread)}")
        click.echo(f"cpu        {_in(NS_PER_MS, total.cpu_ns)} ms{_spread(total.cpu_spread)}")
        click.echo(f"peak       {_in(MIB, total.peak_bytes)} MiB")
        click.echo(f"integral   {_in(MIB_MS, total.integral_byte_ns)} MiB*ms, {within}")
        click.echo(f"relative   {total.relative_time:.3f} times {beside}")
    said = "; ".join(f"{flag}: {NOISE.get(flag, 'see docs/measurement.md')}" for flag in total.noise)
    click.echo(f"noise      {said or 'none seen'}")


def _print_conditions(report: Report) -> None:
    options, cores, limits = report.request.options, report.cores, report.request.limits
    where = f"program on core {cores.program}, sampler on core {cores.sampler}"
    times = "1 repeat" if options.repeats == 1 else f"{options.repeats} repeats"
    repeats = times if report.measurement else "one run of each test"
    click.echo(f"figures    {repeats}, memory read every {options.interval_ns / 1000:g} us, {where}")
    click.echo(f"limits     {limits.wall_ns / NS_PER_S:g} s, {limits.memory_bytes // MIB} MiB for each test")
    click.echo(f"sandbox    {report.sandbox['sandbox']}, isolation {report.sandbox['isolation']}")


def _in(unit: int, value: int | None) -> str:
    return "unknown" if value is None else f"{value / unit:.2f}"


def _spread(value: float | None) -> str:
    return "" if value is None else f" (spread {100 * value:.1f} %)"
