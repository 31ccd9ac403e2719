"""``venus run``: one program, judged on each of its tests and measured beside the reference program."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from venus_toolkit.cli.options import json_option, languages_option, print_json, sandbox_option
from venus_toolkit.errors import EXIT_DONE, EXIT_FAILED, UsageError
from venus_toolkit.judge import Checker, ending, judge
from venus_toolkit.language import Language, find_language, find_toolchain, language_of_file, load_languages
from venus_toolkit.measure import MeasureOptions, environment_facts, measure, quiet_cores
from venus_toolkit.records import (
    MIB,
    NS_PER_MS,
    NS_PER_S,
    Comparison,
    Judgement,
    Limits,
    Measurement,
    Run,
    TestCase,
    Verdict,
    to_plain,
)
from venus_toolkit.sandbox import Compiled, Program, Sandbox, Session, open_sandbox
from venus_toolkit.supervisor import Cores, Sampling

EPILOG = """\b
Examples:
  venus run solution.py --stdin input.txt
  venus run main.cpp --tests tests --repeats 5
  venus run Main.java --tests tests --limit-memory-mib 256 --plot memory.png
  python3 make_input.py | venus run main.rs --stdin - --interval-us 100 --json

\b
Exit code 0 accepted, 1 judged and failed, 2 the request makes no sense, 3 this machine cannot do it.

A line of the table is the fastest repeat of one test. Below, wall, cpu and integral add up the smallest figure that
each test had, so they may be a little less than the lines together; peak is the largest of all tests. A program that
does not end by itself with exit code 0 in every test is judged but not measured: its lines are the runs that decided.
"""
SHOWN_BYTES = 64 << 10
SHOWN_REASONS = 12
HEADINGS = ("test", "verdict", "wall ms", "cpu ms", "peak MiB", "integral MiB*ms", "samples", "gap ms")
NOISE = {
    "stolen_time": "the hypervisor gave processor time to others",
    "reference_drift": "the reference program changed its speed: so did the machine",
    "involuntary_switches": "others took the core from the program",
    "failed_repeat": "a repeat did not run to its end",
}
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Request:
    """What to judge and measure, and how."""

    program: Program
    tests: tuple[TestCase, ...]
    limits: Limits
    options: MeasureOptions
    sandbox: str
    trace: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test: its verdict, whether an expected output was compared, and a run (the fastest one, once measured).

    Of the run's outputs the first 64 KiB are kept.
    """

    test_id: str
    verdict: Verdict
    reason: str
    compared: bool
    run: Run


@dataclass(frozen=True, slots=True)
class Tried:
    """The verdict on a program, its first failing test, every test, and its cost (None where it was not measured)."""

    verdict: Verdict
    reason: str
    failing_test: str | None
    outcomes: tuple[Outcome, ...]
    measurement: Measurement | None


@dataclass(frozen=True, slots=True)
class Report:
    """What came out, and everything that it depends on."""

    request: Request
    compile_log: str
    tried: Tried
    cores: Cores
    sandbox: Mapping[str, str | bool | int | None]
    environment: Mapping[str, object]


# ------------------------------------------------------------------ the command


@click.command("run", epilog=EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--lang", "-l", metavar="ID", help="Language, any name or alias; default: by the file's extension.")
@click.option("--tests", type=click.Path(path_type=Path), metavar="DIR", help="NAME.in, each with NAME.out or alone.")
@click.option("--stdin", metavar="FILE", help="One input; '-' is standard input. Without it and --tests: empty.")
@click.option("--repeats", type=click.IntRange(min=1), default=3, show_default=True, help="Times that it is measured.")
@click.option("--limit-wall-s", type=click.FloatRange(0, 86400, min_open=True), help="Time of one test (10 s).")
@click.option("--limit-memory-mib", type=click.IntRange(1, 1 << 20), help="Memory of one test (512 MiB).")
@click.option(
    "--interval-us",
    type=click.IntRange(100, 1_000_000),
    default=1000,
    show_default=True,
    help="Microseconds between two readings of memory.",
)
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
    """
    languages = load_languages(extra_languages)
    language = find_language(lang, languages) if lang else language_of_file(file, languages)
    request = Request(
        program=Program(language, read_text(file, "program")),
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
    sys.exit(EXIT_DONE if report.tried.verdict == Verdict.ACCEPTED else EXIT_FAILED)


def _progress(as_json: bool) -> Say:
    """Plain lines on stderr: a live bar would be redrawn on the core that is being measured."""
    quiet = as_json or not sys.stderr.isatty()
    return (lambda line: None) if quiet else (lambda line: click.echo(line, err=True))


# ------------------------------------------------------------------ what was asked for


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


# ------------------------------------------------------------------ judging and measuring


def judge_and_measure(request: Request, say: Say) -> Report:
    """Compile, judge and, where the program ends well in every test, measure.

    Raises:
        ToolchainError: The language is not installed.
        SandboxError: The sandbox failed.
    """
    language, cores = request.program.language, quiet_cores()
    environment = environment_facts([language], {language.id: find_toolchain(language).version})
    with open_sandbox(request.sandbox) as place:
        say(f"compiling ({language.name})")
        compiled = place.compile(request.program)
        if compiled.ok:
            tried = _try(place, compiled, request, cores, say)
        else:
            tried = _refused(judge(place, compiled, (), Checker(Comparison(), place), request.limits))
        return Report(request, compiled.log, tried, cores, place.facts(), environment)


def _refused(judgement: Judgement) -> Tried:
    return Tried(judgement.verdict, judgement.reason, None, (), None)


def _try(place: Sandbox, compiled: Compiled, request: Request, cores: Cores, say: Say) -> Tried:
    recorder = Recorder(place, compiled, Sampling(request.options.interval_ns, request.trace))
    outcomes, measurement = [], None
    for test in request.tests:
        say(f"judging {test.test_id}")
        outcomes.append(judge_test(recorder, compiled, test, request.limits, cores))
    if all(outcome.run.clean for outcome in outcomes):
        say(f"measuring, {request.options.repeats} times")
        recorder.fastest.clear()
        (measurement,) = measure(recorder, [compiled], request.tests, request.limits, request.options, cores=cores)
        outcomes = [
            dataclasses.replace(outcome, run=recorder.fastest.get(index, outcome.run))
            for index, outcome in enumerate(outcomes)
        ]
    failed = next((outcome for outcome in outcomes if outcome.verdict != Verdict.ACCEPTED), None)
    if failed:
        return Tried(failed.verdict, failed.reason, failed.test_id, tuple(outcomes), measurement)
    return Tried(Verdict.ACCEPTED, "", None, tuple(outcomes), measurement)


def judge_test(sandbox: Sandbox, compiled: Compiled, test: TestCase, limits: Limits, cores: Cores) -> Outcome:
    """Judge a program on one test; without an expected output the way it ended is the verdict."""
    if test.stdout is None:
        with sandbox.session(compiled, limits, cores) as session:
            (run,) = session.run([test.stdin.encode()])
        verdict, reason = ending(run, compiled.program.language)
        return Outcome(test.test_id, verdict or Verdict.ACCEPTED, reason, False, shortened(run))
    runs: list[Run] = []
    checker = Checker(Comparison(), sandbox)
    judgement = judge(sandbox, compiled, [test], checker, limits, cores=cores, on_run=lambda _, run: runs.append(run))
    return Outcome(test.test_id, judgement.verdict, judgement.reason, True, shortened(runs[0]))


def shortened(run: Run) -> Run:
    """Return a run with no more of its outputs than is shown."""
    return dataclasses.replace(run, stdout=run.stdout[:SHOWN_BYTES], stderr=run.stderr[:SHOWN_BYTES])


class Recorder:
    """A sandbox around another one that remembers the fastest run of a program on each of its inputs.

    `measure` and `judge` keep sums and verdicts only, and take no sampling of ours.

    Args:
        sandbox: Where things happen.
        compiled: The program whose runs are remembered; others (the reference program) pass through.
        sampling: How often its memory is read.
    """

    def __init__(self, sandbox: Sandbox, compiled: Compiled, sampling: Sampling) -> None:
        self.name = sandbox.name
        self.fastest: dict[int, Run] = {}
        self._sandbox = sandbox
        self._compiled = compiled
        self._sampling = sampling

    def session(
        self, compiled: Compiled, limits: Limits, cores: Cores | None = None, sampling: Sampling | None = None
    ) -> Session:
        """Return a session of the other sandbox, listened to if it is our program's."""
        if compiled is not self._compiled:
            return self._sandbox.session(compiled, limits, cores, sampling)
        return RecordedSession(self._sandbox.session(compiled, limits, cores, self._sampling), self.fastest)

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        """Compile in the other sandbox."""
        return self._sandbox.compile(program, cores)

    def discard(self, compiled: Compiled) -> None:
        """Discard in the other sandbox."""
        self._sandbox.discard(compiled)

    def facts(self) -> Mapping[str, str | bool | int | None]:
        """Return the other sandbox's facts."""
        return self._sandbox.facts()

    def close(self) -> None:
        """Close the other sandbox."""
        self._sandbox.close()

    def __enter__(self) -> Sandbox:
        """Return the recorder."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the other sandbox."""
        self.close()


class RecordedSession:
    """A session that writes the fastest run of each input into `fastest`."""

    def __init__(self, session: Session, fastest: dict[int, Run]) -> None:
        self._session = session
        self._fastest = fastest

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        """Run the program on each input and yield each run unchanged."""
        for index, run in enumerate(self._session.run(stdins)):
            before = self._fastest.get(index)
            if run.clean and (before is None or run.wall_ns < before.wall_ns):
                self._fastest[index] = shortened(run)
            yield run

    def close(self) -> None:
        """Close the other session."""
        self._session.close()

    def __enter__(self) -> Session:
        """Return the session itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the other session."""
        self.close()


# ------------------------------------------------------------------ for a program to read


def plain_report(report: Report, file: Path) -> dict[str, Any]:
    """Return the report as plain values; what is unknown is None."""
    figures = to_plain(report.tried.measurement) if report.tried.measurement else {}
    return {
        "file": str(file),
        "language": report.request.program.language.id,
        "verdict": report.tried.verdict,
        "reason": report.tried.reason,
        "failing_test": report.tried.failing_test,
        "compile_log": report.compile_log,
        "time_ns": figures.get("wall_ns"),
        "cpu_ns": figures.get("cpu_ns"),
        "peak_bytes": figures.get("peak_bytes"),
        "integral_byte_ns": figures.get("integral_byte_ns"),
        "relative_time": figures.get("relative_time"),
        "measurement": figures or None,
        "limits": to_plain(report.request.limits),
        "interval_ns": report.request.options.interval_ns,
        "cores": {"program": report.cores.program, "sampler": report.cores.sampler},
        "sandbox": dict(report.sandbox),
        "environment": dict(report.environment),
        "tests": [_plain_outcome(outcome) for outcome in report.tried.outcomes],
    }


def _plain_outcome(outcome: Outcome) -> dict[str, Any]:
    plain: dict[str, Any] = to_plain(outcome)
    run = plain.pop("run")
    return {**plain, **run}


# ------------------------------------------------------------------ for a person to read


def print_report(report: Report) -> None:
    """Print verdict, table and totals."""
    language, count = report.request.program.language, len(report.request.tests)
    if report.tried.verdict == Verdict.COMPILE_ERROR:
        click.echo(f"verdict    {report.tried.verdict} ({_compiler(language)})\n")
        click.echo(report.compile_log.rstrip() or report.tried.reason)
        return
    passed = sum(outcome.verdict == Verdict.ACCEPTED for outcome in report.tried.outcomes)
    compared = sum(outcome.compared for outcome in report.tried.outcomes)
    how = f"{compared} with an expected output" if compared else "no expected output: judged by how it ended"
    click.echo(f"verdict    {report.tried.verdict}, {passed} of {count} tests passed ({how})\n")
    _print_table(report.tried.outcomes)
    click.echo()
    _print_reasons(report.tried.outcomes)
    if report.tried.measurement:
        _print_totals(report.tried.measurement, language.name)
    else:
        click.echo("measured   no: only a program that ends well in every test is")
    _print_conditions(report)


def _compiler(language: Language) -> str:
    return " ".join(language.compile_argv[:1]) or language.name


def _print_table(outcomes: Sequence[Outcome]) -> None:
    rows = [HEADINGS, *map(_row, outcomes)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    for row in rows:
        words = [word.ljust(width) for word, width in zip(row[:2], widths[:2], strict=True)]
        words += [word.rjust(width) for word, width in zip(row[2:], widths[2:], strict=True)]
        click.echo("  ".join(words).rstrip())


def _row(outcome: Outcome) -> tuple[str, ...]:
    run = outcome.run
    verdict = outcome.verdict if outcome.compared else f"{outcome.verdict} (not compared)"
    figures = (_ms(run.wall_ns), _ms(run.cpu_ns), _mib(run.peak_bytes), _mib_ms(run.integral_byte_ns))
    return (outcome.test_id, verdict, *figures, str(run.samples), _ms(run.largest_gap_ns))


def _print_reasons(outcomes: Sequence[Outcome]) -> None:
    failed = [outcome for outcome in outcomes if outcome.verdict != Verdict.ACCEPTED]
    for outcome in failed[:SHOWN_REASONS]:
        click.echo(f"failed     {outcome.test_id}: {outcome.verdict}: {outcome.reason}")
    if len(failed) > SHOWN_REASONS:
        click.echo(f"failed     ... and {len(failed) - SHOWN_REASONS} more: see the table")


def _print_totals(total: Measurement, name: str) -> None:
    if total.wall_ns is None or total.cpu_ns is None or total.peak_bytes is None or total.integral_byte_ns is None:
        click.echo("measured   no repeat ran to its end: the program does not always do the same")
    else:
        error = _mib_ms(total.integral_error_byte_ns or 0)
        click.echo(f"wall       {_ms(total.wall_ns)} ms{_spread(total.wall_spread)}")
        click.echo(f"cpu        {_ms(total.cpu_ns)} ms{_spread(total.cpu_spread)}")
        click.echo(f"peak       {_mib(total.peak_bytes)} MiB")
        integral = f"{_mib_ms(total.integral_byte_ns)} MiB*ms, within {error}"
        click.echo(f"integral   {integral}{_spread(total.integral_spread)}")
    if total.relative_time is not None:
        beside = f"the CPU time of the {name} reference program beside it"
        click.echo(f"relative   {total.relative_time:.3f} times {beside}{_spread(total.relative_spread)}")
    said = "; ".join(f"{flag}: {NOISE.get(flag, 'see docs')}" for flag in total.noise)
    click.echo(f"noise      {said or 'none seen'}")


def _print_conditions(report: Report) -> None:
    options, cores, limits = report.request.options, report.cores, report.request.limits
    where = f"program on core {cores.program}, sampler on core {cores.sampler}"
    times = "1 repeat" if options.repeats == 1 else f"{options.repeats} repeats"
    repeats = times if report.tried.measurement else "one run of each test"
    click.echo(f"figures    {repeats}, memory read every {options.interval_ns / 1000:g} us, {where}")
    click.echo(f"limits     {limits.wall_ns / NS_PER_S:g} s, {limits.memory_bytes // MIB} MiB for each test")
    click.echo(f"sandbox    {report.sandbox['sandbox']}, isolation {report.sandbox['isolation']}")


def _ms(nanoseconds: int) -> str:
    return f"{nanoseconds / NS_PER_MS:.2f}"


def _mib(size: int) -> str:
    return f"{size / MIB:.2f}"


def _mib_ms(byte_ns: int) -> str:
    return f"{byte_ns / MIB / NS_PER_MS:.2f}"


def _spread(value: float | None) -> str:
    return "" if value is None else f" (spread {100 * value:.1f} %)"


# ------------------------------------------------------------------ plot


def check_plot(file: Path) -> None:
    """Refuse a plot that could not be written, before anything is measured.

    Raises:
        UsageError: The ending is not known or the folder does not exist.
    """
    if file.suffix not in (".png", ".svg"):
        raise UsageError(f"cannot draw {file.name}", "plots end in .png or .svg", "type: --plot memory.png")
    if not file.parent.is_dir():
        raise UsageError(f"cannot draw {file}", f"{file.parent} is not a folder", f"type: mkdir -p {file.parent}")


def draw(report: Report, file: Path, title: str) -> None:
    """Draw memory over time of every test that ran."""
    from venus_toolkit.cli.plot import Curve, plot_memory

    curves = [Curve(each.test_id, each.run.trace, each.run.peak_bytes) for each in report.tried.outcomes]
    if curves:
        plot_memory(file, curves, report.request.limits.memory_bytes, title)
