"""``venus run``: one program, judged on each of its tests and measured beside the reference program; or several."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.machine.run_report import (
    RunReport,
    plain_report,
    plain_result,
    print_comparison,
    print_report,
)
from venus_toolkit.cli.plots import MemoryCurve, check_plot, plot_memory
from venus_toolkit.cli.printing import line_progress, print_json
from venus_toolkit.core.errors import EXIT_DONE, EXIT_FAILED, UsageError
from venus_toolkit.core.language import Language, find_language, language_of_file, load_languages
from venus_toolkit.core.records import TestCase, Verdict
from venus_toolkit.execution.engine.assessment import (
    RANKED_BY,
    Panel,
    ProgramAssessment,
    assess_each_test,
    assess_panel,
    panel_of,
)
from venus_toolkit.execution.judging.files import program_runner, read_tests, read_text
from venus_toolkit.execution.judging.libraries import program_of
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
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.measuring.scaling import Growing, grow
from venus_toolkit.execution.sandbox import File, Program, Sandbox
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
  venus run a.py b.py c.cpp --stdin input.txt            which is faster, and by how much
  venus run --project app --cmd "python3 main.py" --stdin input.txt
  venus run --project app --compile "g++ -O2 *.cpp -o app" --cmd "./app --fast" --tests tests

Exit code 0 accepted, 1 judged and failed, 2 usage error, 3 this machine cannot do it.

Each line of the table is the fastest repeat of one test. The totals of wall, cpu and integral below add the smallest
figure of each test, so they may be a little less than the sum of the lines; peak is the largest of all tests. A program
that does not end with exit code 0 in every test is judged but not measured: its lines show the runs that were judged.
"""


class WithArguments(click.Command):
    """A command that passes on what follows ``--``, whatever it looks like."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what comes before it; the rest is in ``ctx.meta`` under this class."""
        end = args.index("--") if "--" in args else len(args)
        ctx.meta[WithArguments.__name__] = tuple(args[end + 1 :])
        return super().parse_args(ctx, args[:end])


@click.command("run", epilog=EPILOG, cls=WithArguments)
@click.argument("files", type=shared.PATH, nargs=-1, metavar="FILE... [-- ARGUMENT...]")
@click.option(
    "--project",
    type=shared.PATH,
    metavar="DIR",
    help="A program of several files: --cmd runs in this folder.",
)
@click.option("--cmd", metavar="COMMAND", help="With --project: the command to run and measure.")
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
    default=3,
    show_default=True,
    help="Number of times each program is measured.",
)
@shared.limit_options
@click.option(
    "--interval-us",
    type=click.IntRange(100, 10**6),
    default=100,
    help="Interval between samples of memory (100).",
)
@click.option(
    "--file",
    "beside",
    multiple=True,
    metavar="PATH[=NAME]",
    help="A file to put beside the program, read-only.",
)
@click.option(
    "--env", multiple=True, metavar="NAME=VALUE", help="An environment variable of the program."
)
@click.option(
    "--rank",
    type=click.Choice(list(RANKED_BY)),
    default="wall",
    show_default=True,
    help="Figure by which several programs are ranked.",
)
@shared.counter_option
@click.option("--plot", type=shared.PATH, metavar="FILE.png|svg", help="Draw memory over time.")
@click.option(
    "--complexity",
    type=shared.PATH,
    metavar="GENERATOR.py",
    help="Estimate how cost grows with input size, on inputs of a generator that lists SIZES.",
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

    Compiles FILE, judges it on each test, measures it beside the reference program of its language,
    and prints time, memory and the integral of memory over time. Outputs are compared exactly
    except for trailing white space; without an expected output a test passes if the program ends
    with exit code 0.

    With --starter, FILE is a function or class that fills in starter code, which may be in any
    language. It gets a runner, which reads its arguments from standard input as JSON, one a line,
    and prints its result as JSON.

    Several FILEs are judged on the same tests and measured in turns. They are ranked by cost, in
    multiples of the smallest; programs whose difference is within the uncertainty of measurement
    share a rank.

    With --project, the program is a folder of files: --cmd runs in a copy of it in the sandbox and
    is measured.
    """
    languages = load_languages(extra_languages)
    surroundings = Invocation.of(
        click.get_current_context().meta[WithArguments.__name__], flags["beside"], flags["env"]
    )
    if project := flags["project"]:
        programs = [_read_project(files, lang, languages, flags, surroundings)]
        files = (project,)
    else:
        programs = _read_programs(files, lang, languages, flags, surroundings)
    several = len(files) > 1
    if several:
        alone = {
            "--plot": plot,
            "--complexity": flags["complexity"],
            "--counter": flags["counter"] != "off",
        }
        if refused := [name for name, given in alone.items() if given]:
            raise UsageError(
                f"{refused[0]} is for one program", f"{len(files)} were named", "leave it out"
            )
    panel = panel_of(
        programs,
        asked_tests(flags["tests"], flags["stdin"]),
        shared.limits_from(flags["limit_wall_s"], flags["limit_memory_mib"]),
        MeasureOptions(repeats=flags["repeats"], interval_ns=1000 * flags["interval_us"]),
        RANKED_BY[flags["rank"]] if several else "",
    )
    known = {program.language.id: program.language for program in programs}
    opening = open_sandbox(sandbox or "auto", list(known.values()))
    say = line_progress(flags["as_json"])
    if several:
        with opening as opened:
            results = _compare(opened, panel, say)
        ordered = sorted(
            zip(files, programs, results, strict=True), key=lambda row: row[2].ratio or math.inf
        )
        if flags["as_json"]:
            print_json([plain_result(*row) for row in ordered])
        else:
            print_comparison([(str(file), result) for file, _, result in ordered], flags["rank"])
        sys.exit(EXIT_DONE if all(result.passed for result in results) else EXIT_FAILED)
    generator = read_text(flags["complexity"], "generator") if flags["complexity"] else None
    if plot:
        check_plot(plot)
    with opening as opened:
        report = run_program(opened, panel, flags["counter"], generator, plot is not None, say)
    if plot and report.assessment.outcomes:
        curves = [
            MemoryCurve(outcome.test_id, outcome.run.trace, outcome.run.peak_bytes)
            for outcome in report.assessment.outcomes
        ]
        plot_memory(plot, curves, panel.suite.rules.limits.memory_bytes, files[0].name)
    if flags["as_json"]:
        print_json(plain_report(report, files[0]))
    else:
        print_report(report)
    sys.exit(EXIT_DONE if report.result.passed else EXIT_FAILED)


def _compare(
    sandbox: Sandbox, panel: Panel, say: Callable[[str], None]
) -> tuple[ProgramAssessment, ...]:
    """Return the results of several programs, in their order."""
    numbers, most, repeats = count(1), len(panel.programs), panel.measuring.options.repeats
    return assess_panel(
        sandbox,
        quiet_cores(),
        panel,
        on_program=lambda each: say(f"judging {next(numbers)} of {most} ({each.language.name})"),
        on_measuring=lambda number: say(f"measuring {number} in turns, {repeats} times"),
    ).programs


def run_program(
    sandbox: Sandbox,
    panel: Panel,
    kind: str = "off",
    generator: str | None = None,
    trace: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> RunReport:
    """Judge the one program of a panel, measure it if it ends well in every test, and count it.

    Args:
        sandbox: Where it runs.
        panel: The program.
        kind: What `open_counter` takes; each test is run once more and its instructions counted.
        generator: The code of a generator of inputs of growing sizes, which are counted, too.
        trace: The samples of memory are kept.
        say: Told what is being done.

    Raises:
        ToolchainError: The language is not installed.
        SandboxError: The sandbox failed.
        SourceError: There are no tests.
        MachineError: The counter that was asked for does not work here.
        UsageError: The sandbox does not count.
    """
    language = panel.programs[0].language
    counter = open_counter(kind)
    if counter is None and generator is not None:
        counter = open_counter("emulated")
    if counter:
        require_counting(sandbox)
    cores = quiet_cores()
    assessment = assess_each_test(sandbox, cores, panel, trace=trace, say=say)
    versions = {language.id: sandbox.toolchain(language).version}
    report = RunReport(
        panel,
        assessment,
        cores,
        sandbox.facts(),
        environment_facts([language], versions),
        kind,
        counted_by=counter.facts() if counter else None,
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
    """Return a report with the instructions of the program, and with how its costs grow.

    A count that the CPU time of the program contradicts is left out.
    """
    panel, result = report.panel, report.result
    (program,) = panel.programs
    language, limits, tests = program.language, panel.suite.rules.limits, panel.suite.tests
    compiled = sandbox.compile(program)
    say(f"counting instructions ({counter.kind})")
    checker = panel.suite.rules.checker(sandbox) if result.passed else None
    counts = list(count_tests(counter, sandbox, compiled, tests, limits, checker))
    growing: tuple[Growing, ...] = ()
    if generator is not None:
        say("counting at growing sizes")
        growing = tuple(grow(sandbox, compiled, generator, counter, limits))
    why = ""
    if (claimed := total(counts, language, counter.kind)).instructions:
        say("comparing the count with CPU time")
        own = result.measured and claimed.added_to(result.measured).total
        trusted = own and like_reference(sandbox, language, counter, own)
        if own and trusted:
            why = objection(own, (), band_of([trusted], OTHER_TASK))
        else:
            why = "no CPU time of the program and of the reference confirms the count"
    if why:
        counts = [replace(run, instructions=None, uncounted=why) for run in counts]
        growing = tuple(fit._replace(instructions=None, reason=why) for fit in growing)
    outcomes = tuple(
        outcome._replace(
            run=replace(outcome.run, instructions=counted.instructions, uncounted=counted.uncounted)
        )
        for outcome, counted in zip(report.assessment.outcomes, counts, strict=True)
    )
    return report._replace(
        assessment=report.assessment._replace(outcomes=outcomes),
        counted=total(counts, language, counter.kind),
        growing=growing,
    )


class Invocation(NamedTuple):
    """What a program finds: arguments, files beside it, environment variables."""

    arguments: tuple[str, ...]
    files: tuple[File, ...]
    environment: Mapping[str, str]

    @classmethod
    def of(
        cls, arguments: tuple[str, ...], beside: Sequence[str], variables: Sequence[str]
    ) -> Invocation:
        """Read what ``--``, ``--file`` and ``--env`` say.

        Raises:
            UsageError: A file cannot be read, or a variable has no ``=``.
        """
        files = []
        for each in beside:
            path, _, name = each.partition("=")
            try:
                files.append(File(name or Path(path).name, Path(path).read_bytes()))
            except OSError as error:
                why = error.strerror or str(error)
                raise UsageError(f"cannot read the file {path}", why, "check the path") from error
        pairs = [each.partition("=") for each in variables]
        if wrong := next((name for name, sign, _ in pairs if not sign or not name), None):
            raise UsageError(f"--env {wrong} sets nothing", "it has no =", "write --env NAME=VALUE")
        return cls(arguments, tuple(files), {name: value for name, _, value in pairs})


def _read_project(
    files: tuple[Path, ...],
    lang: str | None,
    languages: Mapping[str, Language],
    flags: Mapping[str, Any],
    surroundings: Invocation,
) -> Program:
    """Return the program that --project, --cmd and --compile describe."""
    from venus_toolkit.execution.judging.project import read_project

    if files or flags["starter"]:
        given = f"the file {files[0]}" if files else "--starter"
        why = "--cmd names the command that runs the project"
        raise UsageError(f"--project cannot be combined with {given}", why, "leave one of them out")
    if flags["cmd"] is None:
        raise UsageError(
            "--project needs --cmd",
            "--cmd is the command that runs the program",
            'type: --cmd "python3 main.py"',
        )
    program = read_project(
        flags["project"], flags["cmd"], languages, compile=flags["compiling"] or "", lang=lang,
        beside=surroundings.files,
    )  # fmt: skip
    called = program.language.called_with(surroundings.arguments, surroundings.environment)
    return program._replace(language=called)


def _read_programs(
    files: tuple[Path, ...],
    lang: str | None,
    languages: Mapping[str, Language],
    flags: Mapping[str, Any],
    surroundings: Invocation,
) -> list[Program]:
    if not files:
        raise UsageError(
            "no program was named",
            "there is no FILE and no --project",
            "type: venus run solution.py",
        )
    if flags["cmd"] is not None or flags["compiling"] is not None:
        raise UsageError(
            "--cmd and --compile change nothing", "they are for --project", "add --project DIR"
        )
    return [read_program(file, lang, languages, flags["starter"], surroundings) for file in files]


def read_program(
    file: Path,
    lang: str | None,
    languages: Mapping[str, Language],
    starter: Path | None,
    surroundings: Invocation,
) -> Program:
    """Return the program in a file, in a runner where there is starter code.

    Raises:
        UsageError: It cannot be read.
        LanguageError: Its language is not known.
    """
    if file.is_dir():
        why = "a program of several files needs a command that runs it"
        raise UsageError(
            f"{file} is a folder", why, f'type: --project {file} --cmd "python3 main.py"'
        )
    language = find_language(lang, languages) if lang else language_of_file(file, languages)
    code = read_text(file, "program")
    runner = program_runner(starter, language, languages) if starter else None
    called = language.called_with(surroundings.arguments, surroundings.environment)
    return program_of(called, code, surroundings.files, runner)


def asked_tests(folder: Path | None, stdin: str | None) -> tuple[TestCase, ...]:
    """Return the tests of a folder, or one made of a file, of standard input or of nothing."""
    if folder and stdin is not None:
        why = "inputs come either from a folder or from one file"
        raise UsageError("--tests and --stdin were given together", why, "leave one of them out")
    if folder:
        return read_tests(folder)
    if stdin is None:
        return (TestCase("empty", "", kind="given"),)
    if stdin != "-":
        return (TestCase(Path(stdin).name, read_text(Path(stdin), "input"), kind="given"),)
    try:
        # The buffer, since sys.stdin would translate line ends.
        return (TestCase("stdin", sys.stdin.buffer.read().decode("utf-8"), kind="given"),)
    except UnicodeDecodeError as error:
        raise UsageError(
            "the standard input is not UTF-8 text", str(error), "give text on standard input"
        ) from error
