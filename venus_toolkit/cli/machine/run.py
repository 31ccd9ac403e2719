"""``venus run``: judges and measures one program on its tests, or compares several."""

from __future__ import annotations

import dataclasses
import math
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.machine.run_export import (
    FORMATS,
    check_exports,
    runs_of,
    write_exports,
)
from venus_toolkit.cli.machine.run_programs import ProgramGroup, read_groups
from venus_toolkit.cli.machine.run_report import (
    ComparedProgram,
    Repeats,
    RunReport,
    plain_report,
    plain_result,
    print_comparison,
    print_report,
)
from venus_toolkit.cli.plots import MemoryCurve, check_plot, plot_memory
from venus_toolkit.cli.printing import line_progress, print_json
from venus_toolkit.core.errors import EXIT_DONE, EXIT_FAILED, UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import MIB, Limits, Run, Verdict
from venus_toolkit.execution.engine.assessment import (
    RANKED_BY,
    Panel,
    assess_each_test,
    assess_panel,
    panel_of,
    shortened,
)
from venus_toolkit.execution.judging.files import read_text
from venus_toolkit.execution.measuring.agreement import (
    OTHER_TASK,
    band_of,
    like_reference,
    objection,
)
from venus_toolkit.execution.measuring.counting import (
    Counter,
    count_tests,
    open_counter,
    require_counting,
    total,
)
from venus_toolkit.execution.measuring.measure import environment_facts
from venus_toolkit.execution.measuring.ranking import ERRORS
from venus_toolkit.execution.measuring.rounds import MeasureOptions, Rounds
from venus_toolkit.execution.measuring.scaling import SizeGrowth, measure_growth
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.cores import quiet_cores
from venus_toolkit.execution.sandbox.opening import open_sandbox

EPILOG = """\b
Examples:
  venus run solution.py --stdin input.txt
  venus run main.cpp --tests tests --repeats 5
  venus run two_sum.py --starter two_sum.cpp --tests tests
  venus run Main.java --tests tests --limit-memory-mib 256 --plot memory.png
  python3 make_input.py | venus run main.rs --stdin - --interval-us 100 --json
  venus run main.cpp --tests tests --counter emulated
  venus run slow.py --file data.txt -- 3 --fast          the program's arguments follow --
  venus run a.py b.py c.cpp --stdin input.txt            compare outputs and rank by time
  venus run --cmd "sort -n" --cmd "sort -g" --stdin numbers.txt --warmup 1 --until 2%
  venus run sum.py --parameter-scan n 1000 5000 1000 --export-json runs.json -- {n}
  venus run --project app --cmd "python3 main.py" --stdin input.txt
  venus run --project app --compile "g++ -O2 *.cpp -o app" --cmd "./app --fast" --tests tests

Exit code 0 accepted, 1 judged and failed, 2 usage error, 3 this machine cannot do it.

Each line of the table is the fastest repeat of one test. The totals of wall, cpu and integral add the smallest figure
of each test, so they may be a little less than the sum of the lines; peak is the largest of all tests. A program that
does not end with exit code 0 in every test is judged but not measured: its lines show the judged runs.
"""


SCAN = "--parameter-scan"
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
MAX_REPEATS = 100  # with --until, unless --repeats is set


class WithArguments(click.Command):
    """A command that passes on all words after ``--`` unchanged."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words before ``--``; the others are in ``ctx.meta`` under this class."""
        end = args.index("--") if "--" in args else len(args)
        ctx.meta[WithArguments.__name__] = tuple(args[end + 1 :])
        return super().parse_args(ctx, _with_scan_as_one_word(args[:end]))


def _with_scan_as_one_word(words: list[str]) -> list[str]:
    """Join NAME MIN MAX and, if present, STEP, because click has no option of 3 or 4 words."""
    if SCAN not in words[:-1]:
        return words
    first = words.index(SCAN) + 1
    last = min(first + 3, len(words))
    last += last < len(words) and bool(NUMBER.fullmatch(words[last]))
    return [*words[:first], " ".join(words[first:last]), *words[last:]]


def export_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add an option for each format of exports."""
    for name in reversed(FORMATS):
        text = "Write every single run to this file, with a summary."
        if name == "csv":
            text = "Write every single run to this file, one per line."
        option = click.option(f"--export-{name}", type=shared.PATH, metavar="FILE", help=text)
        command = option(command)
    return command


@click.command("run", epilog=EPILOG, cls=WithArguments)
@click.argument("files", type=shared.PATH, nargs=-1, metavar="FILE... [-- ARGUMENT...]")
@click.option(
    "--project",
    type=shared.PATH,
    metavar="DIR",
    help="A program of several files: --cmd runs in this folder.",
)
@click.option(
    "--cmd",
    multiple=True,
    metavar="COMMAND",
    help="A command to run and measure, such as 'sort -n'; with --project in its folder. No shell.",
)
@click.option(
    "--compile",
    "compiling",
    metavar="COMMAND",
    help="With --project: a shell command to run once before.",
)
@shared.program_options
@click.option(
    "--tests",
    type=shared.PATH,
    metavar="DIR",
    help="A folder of tests: NAME.in, each with or without NAME.out.",
)
@click.option(
    "--stdin", metavar="FILE", help="A file with one input; '-' is standard input; default: empty."
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    show_default=True,  # shows the default of a project file
    help=f"Number of times each program is measured (3); with --until at most ({MAX_REPEATS}).",
)
@click.option(
    "--min-runs",
    type=click.IntRange(min=1),
    help="Minimum number of times each program is measured (3).",
)
@click.option(
    "--until",
    metavar="PERCENT",
    help="Measure until the 95 % interval of the figure of --rank is this narrow, for example 2%.",
)
@click.option(
    "--warmup",
    type=click.IntRange(0, 1000),
    default=0,
    help="Number of runs before the measured ones (0).",
)
@click.option(
    SCAN,
    metavar="NAME MIN MAX [STEP]",
    help="Run for each value of a parameter, which replaces {NAME} in arguments, input, --env and "
    "--cmd.",
)
@export_options
@shared.limit_options
@click.option(
    "--limit-output-mib",
    type=click.IntRange(1, 4096),
    help="Limit of the output of a program in one test (64 MiB).",
)
@click.option(
    "--interval-us",
    type=click.IntRange(100, 10**6),
    default=100,
    help="Interval between samples of memory (100).",
)
@click.option(
    "--file",
    "extra_files",
    multiple=True,
    metavar="PATH[=NAME]",
    help="A file to put next to the program, read-only.",
)
@click.option(
    "--env", multiple=True, metavar="NAME=VALUE", help="An environment variable of the program."
)
@click.option(
    "--rank",
    type=click.Choice(list(RANKED_BY)),
    default="wall",
    show_default=True,
    help="Figure that ranks several programs, and that --until refers to.",
)
@shared.counter_option
@click.option("--plot", type=shared.PATH, metavar="FILE.png|svg", help="Draw memory over time.")
@click.option(
    "--complexity",
    type=shared.PATH,
    metavar="GENERATOR.py",
    help="Estimate the growth of cost with input size, on inputs of a generator that lists SIZES.",
)
@shared.sandbox_option
@shared.languages_option
@shared.json_option
def command(
    files: tuple[Path, ...],
    lang: str | None,
    extra_languages: Path | None,
    sandbox: str | None,
    plot: Path | None,
    **flags: Any,
) -> None:
    """Measure one program, or compare several.

    Compiles FILE, judges it on each test, measures it interleaved with the reference program of its
    language, and prints time, memory and the integral of memory over time. Outputs are compared
    exactly except for trailing white space; without an expected output, a test passes if the
    program ends with exit code 0.

    With --starter, FILE is a function or class that completes starter code, which may be in any
    language. A runner reads its arguments from standard input as JSON, one per line, and prints its
    result as JSON.

    Several FILEs and commands are judged on the same tests, and measured interleaved. Differences
    between their outputs are printed first. They are ranked by cost relative to the fastest;
    programs that noise cannot separate share a rank.

    With --project, the program is a folder of files: --cmd runs in a copy of it in the sandbox and
    is measured. Without --project, --cmd runs any installed command in the same sandbox.
    """
    languages = load_languages(extra_languages)
    exports = {name: flags[f"export_{name}"] for name in FORMATS}
    extra_files = (Path(text.partition("=")[0]) for text in flags["extra_files"])
    inputs = (flags[name] for name in ("starter", "stdin", "complexity"))
    check_exports(exports, [*files, *extra_files, *map(Path, filter(None, inputs))])
    repeats = _repeats(flags["repeats"], flags["min_runs"], flags["until"], flags["rank"])
    arguments = click.get_current_context().meta[WithArguments.__name__]
    groups = read_groups(files, lang, languages, arguments, flags)
    programs = [named for group in groups for named in group.programs]
    limits = dataclasses.replace(
        shared.limits_from(flags["limit_wall_s"], flags["limit_memory_mib"]),
        output_bytes=(flags["limit_output_mib"] or Limits().output_bytes // MIB) * MIB,
    )
    options = MeasureOptions(repeats=repeats.most, interval_ns=1000 * flags["interval_us"])
    figure = RANKED_BY[flags["rank"]] if len(programs) > 1 else ""
    panels = [
        panel_of([named.program for named in group.programs], group.tests, limits, options, figure)
        for group in groups
    ]
    used_languages = {named.program.language.id: named.program.language for named in programs}
    opening = open_sandbox(sandbox or "auto", list(used_languages.values()))
    say = line_progress(flags["as_json"])
    if len(programs) > 1:
        single_options = {
            "--plot": plot,
            "--complexity": flags["complexity"],
            "--counter": flags["counter"] != "off",
        }
        if invalid := [name for name, used in single_options.items() if used]:
            raise UsageError(
                f"{invalid[0]} is for one program", f"{len(programs)} were named", "leave it out"
            )
        comparisons: list[list[ComparedProgram]] = []
        with opening as backend:
            for group, panel in zip(groups, panels, strict=True):
                comparisons.append(_compare(backend, group, panel, repeats, flags["warmup"], say))
        if flags["as_json"]:
            print_json([plain_result(row) for rows in comparisons for row in rows])
        else:
            print_comparison(comparisons, flags["rank"], repeats)
        program_runs = [row.runs for rows in comparisons for row in rows]
        write_exports(exports, program_runs)
        passed = all(runs.result.passed for runs in program_runs)
        sys.exit(EXIT_DONE if passed else EXIT_FAILED)
    (panel,), (named,) = panels, programs
    generator = read_text(flags["complexity"], "generator") if flags["complexity"] else None
    if plot:
        check_plot(plot)
    with opening as backend:
        report = run_program(
            backend,
            panel,
            flags["counter"],
            generator,
            plot is not None,
            say,
            repeats=repeats,
            warmup=flags["warmup"],
        )
    if plot and report.assessment.outcomes:
        curves = [
            MemoryCurve(outcome.test_id, outcome.run.trace, outcome.run.peak_bytes)
            for outcome in report.assessment.outcomes
        ]
        plot_memory(plot, curves, panel.suite.rules.limits.memory_bytes, Path(named.name).name)
    if flags["as_json"]:
        print_json(plain_report(report, named.name))
    else:
        print_report(report, named)
    write_exports(exports, runs_of([named], panel.suite.tests, report.assessment))
    sys.exit(EXIT_DONE if report.result.passed else EXIT_FAILED)


def _repeats(repeats: int | None, min_runs: int | None, until: str | None, rank: str) -> Repeats:
    """Return the number of repeats.

    Raises:
        UsageError: The numbers contradict each other, or `until` is not a percentage.
    """
    if repeats is not None and min_runs is not None and min_runs > repeats:
        raise UsageError(
            f"--min-runs {min_runs} is more than --repeats {repeats}",
            "--repeats is the maximum",
            f"type: --repeats {min_runs}, or leave one of them out",
        )
    least = min_runs or min(3, repeats or 3)
    if until is None:
        return Repeats(repeats or least, repeats or least, None, "")
    digits, sign, rest = until.replace(" ", "").partition("%")
    share = float(digits) / 100 if NUMBER.fullmatch(digits) else math.nan
    if not sign or rest or not 0 < share < 1:
        reason = "it is a percentage above 0% and below 100%"
        raise UsageError(f"--until {until} is not an interval", reason, "type: --until 2%")
    if RANKED_BY[rank] not in ERRORS:
        raise UsageError(
            f"--until cannot be combined with --rank {rank}",
            "the interval of a peak does not get narrower",
            "type: --rank wall, cpu or integral",
        )
    if repeats == 1:
        reason = "one repeat has no interval"
        raise UsageError("--until cannot be combined with --repeats 1", reason, "use --repeats 100")
    return Repeats(repeats or max(MAX_REPEATS, least), max(2, least), share, RANKED_BY[rank])


def _enough(repeats: Repeats, say: Callable[[str], None]) -> Callable[[Rounds], bool] | None:
    """Return a function that ends a measurement at narrow intervals; None: fixed repeats."""
    if repeats.until is None:
        return None

    def enough(rounds: Rounds) -> bool:
        count = max(map(len, rounds.of_each))
        totals = [rounds.measured(place).total for place in range(len(rounds.of_each))]
        width = repeats.interval(totals)
        if width is not None:
            say(f"repeat {count}: {repeats.name} ± {100 * width:.1f} %")
        return repeats.reached(totals, count)

    return enough


def _compare(
    sandbox: Sandbox,
    group: ProgramGroup,
    panel: Panel,
    repeats: Repeats,
    warmup: int,
    say: Callable[[str], None],
) -> list[ComparedProgram]:
    """Return the results of several programs, the best first."""
    numbers, most, errors = count(1), len(panel.programs), list[bytes]()
    names = iter(group.programs)

    def on_program(_: object) -> None:
        errors.append(b"")
        say(f"judging {next(numbers)} of {most} ({next(names).label})")

    def on_judged(_: int, run: Run) -> None:
        if not run.clean:
            errors[-1] = errors[-1] or shortened(run).stderr

    assessment = assess_panel(
        sandbox,
        quiet_cores(),
        panel,
        warmup=warmup,
        enough=_enough(repeats, say),
        on_program=on_program,
        on_judged=on_judged,
        on_measuring=lambda number: say(f"measuring {number} programs interleaved, {repeats}"),
    )
    rows = [
        ComparedProgram(runs, error.decode("utf-8", "replace"), panel.suite.rules.limits)
        for runs, error in zip(
            runs_of(group.programs, panel.suite.tests, assessment), errors, strict=True
        )
    ]
    rows = [row.with_other(group.programs) for row in rows]
    return sorted(rows, key=lambda row: row.runs.result.ratio or math.inf)


def run_program(
    sandbox: Sandbox,
    panel: Panel,
    kind: str = "off",
    generator: str | None = None,
    trace: bool = False,
    say: Callable[[str], None] = lambda _: None,
    *,
    repeats: Repeats | None = None,
    warmup: int = 0,
) -> RunReport:
    """Judge the one program of a panel, measure it if every test succeeds, and count instructions.

    Args:
        sandbox: The sandbox that runs it.
        panel: The program with its tests and options.
        kind: The counter, as for `open_counter`; counting runs each test once more.
        generator: The code of a generator of inputs of growing sizes, which are also counted.
        trace: Whether to keep the samples of memory.
        say: Receives lines of progress.
        repeats: The number of repeats; None: that of the panel.
        warmup: The number of runs before the measured ones.

    Raises:
        ToolchainError: The language is not installed.
        SandboxError: The sandbox failed.
        SourceError: The panel has no tests.
        MachineError: The requested counter does not work on this machine.
        UsageError: The sandbox cannot count.
    """
    language = panel.programs[0].language
    counter = open_counter(kind)
    if counter is None and generator is not None:
        counter = open_counter("emulated")
    if counter:
        require_counting(sandbox)
    cores = quiet_cores()
    # A command without a language has no reference program.
    if not language.reference:
        measuring = dataclasses.replace(panel.measuring, reference=False)
        panel = dataclasses.replace(panel, measuring=measuring)
    assessment = assess_each_test(
        sandbox,
        cores,
        panel,
        trace=trace,
        warmup=warmup,
        enough=_enough(repeats, say) if repeats else None,
        say=say,
    )
    languages = [language] if language.reference else []
    versions = {entry.id: sandbox.toolchain(entry).version for entry in languages}
    report = RunReport(
        panel,
        assessment,
        cores,
        sandbox.facts(),
        environment_facts(languages, versions),
        kind,
        counted_by=counter.facts() if counter else None,
        repeats=repeats,
    )
    if counter is None or report.result.judgement.verdict == Verdict.COMPILE_ERROR:
        return report
    return _with_counts(sandbox, report, counter, generator, say)


def _with_counts(
    sandbox: Sandbox,
    report: RunReport,
    counter: Counter,
    generator: str | None,
    say: Callable[[str], None],
) -> RunReport:
    """Return a report with the instructions of the program and the growth of its costs.

    A count that contradicts the CPU time of the program is left out.
    """
    panel, result = report.panel, report.result
    (program,) = panel.programs
    language, limits, tests = program.language, panel.suite.rules.limits, panel.suite.tests
    compiled = sandbox.compile(program)
    say(f"counting instructions ({counter.kind})")
    checker = panel.suite.rules.checker(sandbox) if result.passed else None
    counts = list(count_tests(counter, sandbox, compiled, tests, limits, checker))
    growths: tuple[SizeGrowth, ...] = ()
    if generator is not None:
        say("counting at growing sizes")
        growths = tuple(measure_growth(sandbox, compiled, generator, counter, limits))
    reason = ""
    if (count_of_tests := total(counts, language, counter.kind)).instructions:
        say("comparing the count with CPU time")
        own = result.measured and count_of_tests.added_to(result.measured).total
        reference = own and like_reference(sandbox, language, counter, own)
        if own and reference:
            reason = objection(own, (), band_of([reference], OTHER_TASK))
        else:
            reason = "no CPU time of the program and of the reference confirms the count"
    if reason:
        counts = [replace(run, instructions=None, uncounted=reason) for run in counts]
        growths = tuple(fit._replace(instructions=None, reason=reason) for fit in growths)
    outcomes = tuple(
        outcome._replace(
            run=replace(outcome.run, instructions=counted.instructions, uncounted=counted.uncounted)
        )
        for outcome, counted in zip(report.assessment.outcomes, counts, strict=True)
    )
    return report._replace(
        assessment=report.assessment._replace(outcomes=outcomes),
        counted=total(counts, language, counter.kind),
        growths=growths,
    )
