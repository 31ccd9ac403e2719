"""``venus run``: one program, judged on each of its tests and measured beside the reference program; or several."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.cli.plots import MemoryCurve, check_plot, plot_memory
from venus_toolkit.cli.printing import line_progress, print_json, print_table, printable
from venus_toolkit.core.errors import EXIT_DONE, EXIT_FAILED, UsageError
from venus_toolkit.core.language import Language, find_language, language_of_file, load_languages
from venus_toolkit.core.records import (
    MIB,
    NS_PER_MS,
    NS_PER_S,
    REPEATS_DISAGREE,
    Measurement,
    TestCase,
    Verdict,
    to_plain,
)
from venus_toolkit.execution.judging.files import program_runner, read_tests, read_text
from venus_toolkit.execution.judging.libraries import program_of
from venus_toolkit.execution.measuring.complexity import Complexity, Growth
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.measuring.scaling import Growing
from venus_toolkit.execution.measuring.trial import (
    Outcome,
    Report,
    Request,
    plain_report,
    try_program,
)
from venus_toolkit.execution.sandbox import File, Program

if TYPE_CHECKING:
    from venus_toolkit.execution.measuring.compare import Compared

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
SHOWN_REASONS = 12  # a program that fails one test often fails hundreds; the table has them all
SHOWN_LINES, SHOWN_CHARACTERS = 10, 160  # of what a program printed
MIB_MS = MIB * NS_PER_MS
HEADINGS = (
    "test",
    "verdict",
    "wall ms",
    "cpu ms",
    "peak MiB",
    "integral MiB*ms",
    "samples",
    "gap ms",
)
NOISE = {
    "stolen_time": "the hypervisor gave processor time to others",
    "reference_drift": "the speed of the reference program changed, and so of the machine",
    "involuntary_switches": "other processes took the core from the program",
    "cpu_pressure": "processes waited for a processor at least a quarter of the time",
    "failed_repeat": "a repeat did not run to its end",
    "sources_disagree": "two sources of a run's figures contradict each other, so they are left out",
    "repeats_disagree": "later runs are far cheaper than the first on the same inputs, so the first one counts",
    "wrong_output": "the program printed something else when measured than when judged",
}


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
    type=click.Choice(["wall", "cpu", "memory", "integral"]),
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
    if len(files) > 1:
        alone = {
            "--plot": plot,
            "--complexity": flags["complexity"],
            "--counter": flags["counter"] != "off",
        }
        if refused := [name for name, given in alone.items() if given]:
            raise UsageError(
                f"{refused[0]} is for one program", f"{len(files)} were named", "leave it out"
            )
        compare(files, programs, sandbox or "auto", flags)
    file, program = files[0], programs[0]
    request = Request(
        program=program,
        tests=asked_tests(flags["tests"], flags["stdin"]),
        limits=shared.limits_from(flags["limit_wall_s"], flags["limit_memory_mib"]),
        options=MeasureOptions(repeats=flags["repeats"], interval_ns=1000 * flags["interval_us"]),
        sandbox=sandbox or "auto",
        trace=plot is not None,
        counter=flags["counter"],
        generator=read_text(flags["complexity"], "generator") if flags["complexity"] else None,
    )
    if plot:
        check_plot(plot)
    report = try_program(request, line_progress(flags["as_json"]))
    if plot and report.outcomes:
        curves = [
            MemoryCurve(each.test_id, each.run.trace, each.run.peak_bytes)
            for each in report.outcomes
        ]
        plot_memory(plot, curves, request.limits.memory_bytes, file.name)
    if flags["as_json"]:
        print_json(plain_report(report, file))
    else:
        print_report(report)
    sys.exit(EXIT_DONE if report.judgement.verdict == Verdict.ACCEPTED else EXIT_FAILED)


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


def compare(
    files: Sequence[Path], programs: Sequence[Program], sandbox: str, flags: Mapping[str, Any]
) -> NoReturn:
    """Compare several programs and end: with 0 where all are accepted."""
    from venus_toolkit.execution.measuring.compare import compare_programs

    found = compare_programs(
        programs,
        asked_tests(flags["tests"], flags["stdin"]),
        shared.limits_from(flags["limit_wall_s"], flags["limit_memory_mib"]),
        MeasureOptions(repeats=flags["repeats"], interval_ns=1000 * flags["interval_us"]),
        figure=flags["rank"],
        sandbox=sandbox,
        say=line_progress(flags["as_json"]),
    )
    ordered = sorted(
        zip(files, programs, found, strict=True), key=lambda each: each[2].ratio or math.inf
    )
    if flags["as_json"]:
        print_json([_plain_compared(file, program, each) for file, program, each in ordered])
    else:
        print_comparison([(str(file), each) for file, _, each in ordered], flags["rank"])
    accepted = all(each.judgement.verdict == Verdict.ACCEPTED for each in found)
    sys.exit(EXIT_DONE if accepted else EXIT_FAILED)


def _plain_compared(file: Path, program: Program, each: Compared) -> dict[str, Any]:
    return {
        "file": str(file),
        "language": program.language.id,
        "verdict": each.judgement.verdict,
        "reason": each.judgement.reason,
        "failing_test": each.judgement.failing_test,
        "rank": each.standing and each.standing.rank,
        "tie_group": each.standing and each.standing.tie_group,
        "ratio": each.ratio,
        "ratio_within": each.within,
        "measurement": to_plain(each.measurement) if each.measurement else None,
    }


def print_comparison(ordered: Sequence[tuple[str, Compared]], figure: str) -> None:
    """Print a table of programs, the best first, and a sentence on each of the others."""
    rows = [
        (
            "rank",
            "program",
            "verdict",
            "wall ms",
            "cpu ms",
            "peak MiB",
            f"times the least ({figure})",
        )
    ]
    for name, each in ordered:
        rank = str(each.standing.rank) if each.standing else "-"
        total = each.measurement
        if total is None:
            rows.append((rank, name, str(each.judgement.verdict), "", "", "", ""))
            continue
        times = (
            _in(NS_PER_MS, total.wall_ns),
            _in(NS_PER_MS, total.cpu_ns),
            _in(MIB, total.peak_bytes),
        )
        rows.append((rank, name, str(each.judgement.verdict), *times, _ratio(each)))
    print_table(rows, left=3)
    click.echo()
    for name, each in ordered:
        if each.measurement is None:
            click.echo(f"{name}: {each.judgement.reason}")
        elif each.standing is None:
            click.echo(f"{name}: not ranked: {NOISE[REPEATS_DISAGREE]}")
    measured = [(name, each) for name, each in ordered if each.standing]
    word = "least" if figure in ("memory", "integral") else "fastest"
    for name, each in measured[1:]:
        best = measured[0][0]
        if each.standing and each.standing.lowest == 1:
            click.echo(f"{best} and {name}: no significant difference; more --repeats may show one")
        elif word == "fastest":
            click.echo(f"{best} is {_ratio(each)} times as fast as {name}")
        else:
            click.echo(f"{name} takes {_ratio(each)} times the {figure} of {best}")
    noise = sorted(
        {flag for _, each in ordered if each.measurement for flag in each.measurement.noise}
    )
    click.echo(
        "noise      "
        + ("; ".join(f"{flag}: {NOISE.get(flag, '')}" for flag in noise) or "none seen")
    )


def _ratio(each: Compared) -> str:
    if each.ratio is None:
        return ""
    within = f" ± {each.within:.2f}" if each.within else ""
    return f"{each.ratio:.2f}{within}"


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


def print_report(report: Report) -> None:
    """Print verdict, table and totals."""
    language, judgement, outcomes = (
        report.request.program.language,
        report.judgement,
        report.outcomes,
    )
    if judgement.verdict == Verdict.COMPILE_ERROR:
        # The command that compiles; the language where there is none.
        click.echo(
            f"verdict    {judgement.verdict} ({(*language.version_argv, language.name)[0]})\n"
        )
        click.echo(judgement.compile_log.rstrip() or judgement.reason)
        return
    failed = [outcome for outcome in outcomes if outcome.verdict != Verdict.ACCEPTED]
    compared = sum(outcome.compared for outcome in outcomes)
    how = (
        f"{compared} with an expected output"
        if compared
        else "no expected output: judged by how it ended"
    )
    passed = f"{len(outcomes) - len(failed)} of {len(outcomes)} tests passed"
    click.echo(f"verdict    {judgement.verdict}, {passed} ({how})\n")
    print_table([HEADINGS, *map(_row, outcomes)], left=2)
    click.echo()
    if len(outcomes) == 1 and not outcomes[0].compared:
        _print_output(outcomes[0].run.stdout)
    for outcome in failed[:SHOWN_REASONS]:
        click.echo(f"failed     {outcome.test_id}: {outcome.verdict}: {outcome.reason}")
    if len(failed) > SHOWN_REASONS:
        click.echo(f"failed     ... and {len(failed) - SHOWN_REASONS} more: see the table")
    if not failed and judgement.verdict != Verdict.ACCEPTED:
        # right when it was judged, and not when it was measured
        click.echo(f"failed     {judgement.reason}")
    if report.measurement:
        _print_totals(report.measurement, language.name)
    else:
        click.echo("measured   no: a program is measured if it ends with exit code 0 in every test")
    _print_count(report)
    for each in report.growing:
        _print_growing(each)
    _print_conditions(report)


def _print_output(stdout: bytes) -> None:
    """Print the first lines that the program printed, without what would steer a terminal."""
    lines = printable(stdout.decode("utf-8", "replace")).splitlines()
    for line in lines[:SHOWN_LINES]:
        click.echo(f"printed    {line[:SHOWN_CHARACTERS]}")
    if len(lines) > SHOWN_LINES:
        click.echo(f"printed    ... and {len(lines) - SHOWN_LINES} more lines")


def _row(outcome: Outcome) -> tuple[str, ...]:
    run = outcome.run
    verdict = outcome.verdict if outcome.compared else f"{outcome.verdict} (not compared)"
    times = (_in(NS_PER_MS, run.wall_ns), _in(NS_PER_MS, run.cpu_ns))
    memory = (_in(MIB, run.peak_bytes), _in(MIB_MS, run.integral_byte_ns))
    return (
        outcome.test_id,
        verdict,
        *times,
        *memory,
        str(run.samples),
        _in(NS_PER_MS, run.largest_gap_ns),
    )


def _print_totals(total: Measurement, name: str) -> None:
    if not total.repeats:
        click.echo("measured   no repeat ran to its end: the program does not always do the same")
    else:
        within = (
            f"within {_in(MIB_MS, total.integral_error_byte_ns)}{_spread(total.integral_spread)}"
        )
        beside = (
            f"the CPU time of the {name} reference program beside "
            f"it{_spread(total.relative_spread)}"
        )
        click.echo(f"wall       {_in(NS_PER_MS, total.wall_ns)} ms{_spread(total.wall_spread)}")
        click.echo(f"cpu        {_in(NS_PER_MS, total.cpu_ns)} ms{_spread(total.cpu_spread)}")
        click.echo(f"peak       {_in(MIB, total.peak_bytes)} MiB")
        click.echo(f"integral   {_in(MIB_MS, total.integral_byte_ns)} MiB*ms, {within}")
        click.echo(f"relative   {total.relative_time:.3f} times {beside}")
    said = "; ".join(
        f"{flag}: {NOISE.get(flag, 'see docs/measurement.md')}" for flag in total.noise
    )
    click.echo(f"noise      {said or 'none seen'}")


def _print_count(report: Report) -> None:
    if report.counted is None or report.counter is None:
        if report.request.counter != "off" and report.counter is None:
            click.echo(
                "counted    no instructions: nothing here can count them; type: venus doctor"
            )
        return
    count, error, reason = report.counted[:3]
    if count is None:
        click.echo(f"counted    no instructions: {reason}")
        return
    within = (
        ""
        if error is None
        else ", the same in every run"
        if not error
        else f", standard error {error:,.0f}"
    )
    by = report.counter["emulator"] or report.counter["cpu"]
    click.echo(f"counted    {count:,} instructions{within} ({report.counter['counter']}: {by})")


def _print_growing(growing: Growing) -> None:
    name = f" with {growing.name}" if growing.name else ""
    if growing.instructions is None or growing.memory is None:
        click.echo(f"grows{name:<6}not known: {growing.reason}")
        return
    fits = f"instructions {_growth(growing.instructions)}, memory {_growth(growing.memory)}"
    ended = f"; {growing.reason}" if growing.reason else ""
    click.echo(f"grows{name:<6}{fits} (sizes {growing.sizes[0]} to {growing.sizes[-1]}{ended})")


def _growth(fit: Complexity) -> str:
    if fit.growth is Growth.CONSTANT:
        return fit.growth
    power = "e^{:.2f}n" if fit.growth is Growth.EXPONENTIAL else "n^{:.2f}"
    return f"{fit.growth}, {power.format(fit.exponent)} ({fit.low:.2f} to {fit.high:.2f})"


def _print_conditions(report: Report) -> None:
    options, cores, limits = report.request.options, report.cores, report.request.limits
    where = f"program on core {cores.program}, sampler on core {cores.sampler}"
    times = "1 repeat" if options.repeats == 1 else f"{options.repeats} repeats"
    repeats = times if report.measurement else "one run of each test"
    click.echo(
        f"figures    {repeats}, memory read every {options.interval_ns / 1000:g} us, {where}"
    )
    click.echo(
        f"limits     {limits.wall_ns / NS_PER_S:g} s, {limits.memory_bytes // MIB} MiB for each "
        "test"
    )
    click.echo(f"sandbox    {report.sandbox['sandbox']}, isolation {report.sandbox['isolation']}")


def _in(unit: int, value: int | None) -> str:
    return "unknown" if value is None else f"{value / unit:.2f}"


def _spread(value: float | None) -> str:
    return "" if value is None else f" (spread {100 * value:.1f} %)"
