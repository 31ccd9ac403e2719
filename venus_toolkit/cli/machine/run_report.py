"""The output of ``venus run`` as text and JSON: a report on one program, or a table of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import click

from venus_toolkit.cli.machine.run_export import ProgramRuns
from venus_toolkit.cli.machine.run_failures import explanation
from venus_toolkit.cli.machine.run_programs import NamedProgram
from venus_toolkit.cli.printing import print_table, printable
from venus_toolkit.core.formatting import count_with_noun
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import (
    MIB,
    NS_PER_MS,
    NS_PER_S,
    REPEATS_DISAGREE,
    Limits,
    Measurement,
    Verdict,
    to_plain,
)
from venus_toolkit.execution.engine.assessment import (
    RANKED_BY,
    Assessment,
    Outcome,
    Panel,
    ProgramAssessment,
)
from venus_toolkit.execution.measuring.complexity import Complexity, Growth
from venus_toolkit.execution.measuring.counting import InstructionCount
from venus_toolkit.execution.measuring.estimator import NORMAL_95
from venus_toolkit.execution.measuring.ranking import ERRORS
from venus_toolkit.execution.measuring.scaling import SizeGrowth
from venus_toolkit.execution.sandbox.supervisor import Cores

MIB_MS = MIB * NS_PER_MS
NOISE = {
    "stolen_time": "the hypervisor gave CPU time to other machines",
    "reference_drift": "the speed of the machine changed, as the reference program shows",
    "involuntary_switches": "other processes interrupted the program on its core",
    "cpu_pressure": "the machine was busy: tasks waited for a CPU at least 25 % of the time",
    "failed_repeat": "a repeat failed",
    "sources_disagree": "two sources of a run's figures contradict each other, so they are left out",
    "repeats_disagree": "later runs are far cheaper than the first on the same inputs, so the first one counts",
    "wrong_output": "the output in a measured run differs from that in the judged run",
}


class Repeats(NamedTuple):
    """The number of repeats: fixed, or until intervals are narrow enough.

    Attributes:
        most: The largest number of repeats.
        least: The smallest number of repeats.
        until: The target half-width of the 95 % interval, relative to the figure; None: `most`
            times.
        figure: The field of `Measurement` that the interval refers to.
    """

    most: int
    least: int
    until: float | None
    figure: str

    def __str__(self) -> str:
        if self.until is None:
            return f"{self.most} times"
        return f"until {self.name} ± {100 * self.until:g} %, at most {self.most} times"

    @property
    def name(self) -> str:
        """The name of the figure in --rank."""
        return next(name for name, figure in RANKED_BY.items() if figure == self.figure)

    def _widths(self, totals: Sequence[Measurement]) -> list[float | None]:
        # Programs that fail or whose later runs are cheaper do not get narrower intervals.
        known = [total for total in totals if total.repeats and total.repeats_agree]
        errors = [getattr(total, ERRORS[self.figure]) for total in known]
        return [None if error is None else NORMAL_95 * error for error in errors]

    def interval(self, totals: Sequence[Measurement]) -> float | None:
        """Return the largest relative half-width of a 95 % interval, or None if none is known."""
        return max((width for width in self._widths(totals) if width is not None), default=None)

    def reached(self, totals: Sequence[Measurement], count: int) -> bool:
        """Whether `count` repeats are enough."""
        until = self.until
        return count >= self.least and all(
            until is not None and width is not None and width <= until
            for width in self._widths(totals)
        )

    def sentence(self, totals: Sequence[Measurement]) -> str:
        """Return the width of the interval as text, with advice if the target was not reached."""
        count = max((total.repeats for total in totals), default=0)
        width = self.interval(totals)
        if self.until is None or width is None:
            return "not known"
        text = f"{self.name} ± {100 * width:.1f} % after {count} repeats"
        if self.reached(totals, max(count, self.least)):
            return text
        return f"{text}, not ± {100 * self.until:g} %; more --repeats may reach it"


class ComparedProgram(NamedTuple):
    """A program in a comparison of several.

    Attributes:
        runs: Its results and its runs.
        error: Its stderr in the first test that failed.
        limits: The limits of a test.
        other: The label of a program with different output; empty: there is none.
    """

    runs: ProgramRuns
    error: str
    limits: Limits
    other: str = ""

    def with_other(self, programs: Sequence[NamedProgram]) -> ComparedProgram:
        """Return the program with the label of the one that its output differs from.

        A program with another parameter value is ignored, because its output may differ.
        """
        difference, named = self.runs.result.difference, self.runs.named
        if difference is None:
            return self
        other = programs[difference.other]
        return self._replace(other=other.label if other.parameters == named.parameters else "")


class RunReport(NamedTuple):
    """The results of one program, and everything that they depend on.

    Attributes:
        panel: The program, and how it was measured.
        assessment: Its results, with the outcome of each test.
        cores: The cores of the program and the sampler.
        sandbox: Facts about the sandbox and its isolation.
        environment: The machine and its tools.
        counter: The requested counter, as for `open_counter`.
        counted: The instructions of all tests; None if nothing was counted.
        counted_by: Facts about the counter; None without a counter.
        growths: The growth of the costs with each input size, if requested.
        repeats: The number of repeats; None: that of the panel.
    """

    panel: Panel
    assessment: Assessment
    cores: Cores
    sandbox: Mapping[str, str | bool | int | None]
    environment: Mapping[str, object]
    counter: str = "off"
    counted: InstructionCount | None = None
    counted_by: Mapping[str, str | None] | None = None
    growths: tuple[SizeGrowth, ...] = ()
    repeats: Repeats | None = None

    @property
    def result(self) -> ProgramAssessment:
        """The results of the program."""
        return self.assessment.programs[0]

    @property
    def total(self) -> Measurement | None:
        """The figures of the program, even if a measured run is wrong."""
        return self.result.measured.total if self.result.measured else None


def plain_report(report: RunReport, name: str) -> dict[str, Any]:
    """Return the report on a file, folder or command as plain JSON values; None: unknown."""
    judgement, counted, panel = report.result.judgement, report.counted, report.panel
    figures = to_plain(report.total) if report.total else {}
    return {
        "file": name,
        "language": _language_id(panel.programs[0].language),
        "verdict": judgement.verdict,
        "reason": judgement.reason,
        "failing_test": judgement.failing_test,
        "compile_log": judgement.compile_log,
        "time_ns": figures.get("wall_ns"),
        "cpu_ns": figures.get("cpu_ns"),
        "peak_bytes": figures.get("peak_bytes"),
        "integral_byte_ns": figures.get("integral_byte_ns"),
        "relative_time": figures.get("relative_time"),
        "instructions": counted.instructions if counted else None,
        "instructions_standard_error": counted.standard_error if counted else None,
        "uncounted": counted.reason if counted else None,
        "counter": dict(report.counted_by) if report.counted_by else None,
        "complexity": [_plain_growth(growth) for growth in report.growths],
        "measurement": figures or None,
        "limits": to_plain(panel.suite.rules.limits),
        "interval_ns": panel.measuring.options.interval_ns,
        "cores": {"program": report.cores.program, "sampler": report.cores.sampler},
        "sandbox": dict(report.sandbox),
        "environment": dict(report.environment),
        "tests": [
            {
                "test_id": outcome.test_id,
                "verdict": outcome.verdict,
                "reason": outcome.reason,
                "compared": outcome.compared,
                **to_plain(outcome.run),
            }
            for outcome in report.assessment.outcomes
        ],
    }


def _plain_growth(growth: SizeGrowth) -> dict[str, Any]:
    fits = {"instructions": growth.instructions, "memory": growth.memory}
    return {
        "size": growth.name,
        "points": [
            {"size": n, **cost._asdict()}
            for n, cost in zip(growth.sizes, growth.costs, strict=True)
        ],
        **{name: fit._asdict() if fit else None for name, fit in fits.items()},
        "reason": growth.reason,
    }


def _language_id(language: Language) -> str | None:
    return language.id if language.reference else None


def plain_result(row: ComparedProgram) -> dict[str, Any]:
    """Return the results of one of several programs as plain JSON values."""
    named, result = row.runs.named, row.runs.result
    difference = result.difference if row.other else None
    return {
        "file": named.name,
        "parameters": dict(named.parameters),
        "language": _language_id(named.program.language),
        "verdict": result.judgement.verdict,
        "reason": result.judgement.reason,
        "failing_test": result.judgement.failing_test,
        "difference": difference
        and {"test_id": difference.test_id, "from": row.other, "where": difference.where},
        "rank": result.standing and result.standing.rank,
        "tie_group": result.standing and result.standing.tie_group,
        "ratio": result.ratio,
        "ratio_within": result.within,
        "measurement": to_plain(result.measurement) if result.measurement else None,
    }


def print_comparison(
    groups: Sequence[Sequence[ComparedProgram]], figure: str, repeats: Repeats
) -> None:
    """Print a comparison of outputs, a table of programs, and a sentence on each slower program.

    Args:
        groups: Groups of programs with the same tests, the best first. Groups of one program form a
            single table without ranks.
        figure: The figure that ranks them.
        repeats: The number of repeats.
    """
    rows = [row for group in groups for row in group]
    ranked = any(len(group) > 1 for group in groups)
    has_printed = [_print_outputs(group) for group in groups]
    if any(has_printed):
        click.echo()
    for group in groups if ranked else [rows]:
        _print_ranks(group, figure if ranked else "")
        click.echo()
    totals = [row.runs.result.measurement for row in rows if row.runs.result.measurement]
    if repeats.until is not None:
        click.echo(f"interval   {repeats.sentence(totals)}")
    noise = sorted({flag for total in totals for flag in total.noise})
    reasons = "; ".join(f"{flag}: {NOISE.get(flag, '')}" for flag in noise)
    click.echo(f"noise      {reasons or 'none seen'}")


def _print_outputs(group: Sequence[ComparedProgram]) -> bool:
    """Print which outputs differ, or that all are the same; return whether anything was printed."""
    passed = [row for row in group if row.runs.result.passed]
    comparable = len({tuple(row.runs.named.parameters.items()) for row in group}) == 1
    if not comparable or all(test.stdout is not None for test in group[0].runs.tests):
        return False
    differing = [row for row in group if row.other]
    for row in differing:
        difference = row.runs.result.difference
        assert difference is not None
        click.echo(
            f"outputs    {row.other} and {row.runs.named.label} differ on test "
            f"{difference.test_id}: {printable(difference.where)}"
        )
    if not differing and len(passed) > 1:
        click.echo("outputs    identical for all programs that ran successfully")
    return bool(differing) or len(passed) > 1


def _print_ranks(group: Sequence[ComparedProgram], figure: str) -> None:
    """Print a table of programs, and a sentence on each; ranks need a figure."""
    ordered = [(row.runs.named.label, row.runs.result) for row in group]
    best_word = "least" if figure in ("memory", "integral") else "fastest"
    rows = [
        (
            "rank",
            "program",
            "verdict",
            "wall ms",
            "cpu ms",
            "peak MiB",
            f"relative to {best_word} ({figure})",
        )
    ]
    for name, result in ordered:
        rank = str(result.standing.rank) if result.standing else "-"
        total = result.measurement
        if total is None:
            rows.append((rank, name, str(result.judgement.verdict), "", "", "", ""))
            continue
        times = (
            _in(NS_PER_MS, total.wall_ns),
            _in(NS_PER_MS, total.cpu_ns),
            _in(MIB, total.peak_bytes),
        )
        rows.append((rank, name, str(result.judgement.verdict), *times, _ratio(result)))
    complete = all(result.measurement for _, result in ordered)
    print_table(rows if figure else [row[1:-1] for row in rows], left=3 if figure else 2)
    if figure or not complete:
        click.echo()
    for row, (name, result) in zip(group, ordered, strict=True):
        if result.measurement is None:
            click.echo(f"{name}: {printable(result.judgement.reason)}")
            _print_explanation(row.runs.named, result, row.error, row.limits)
        elif result.standing is None:
            click.echo(f"{name}: not ranked: {NOISE[REPEATS_DISAGREE]}")
    ranked = [(name, result) for name, result in ordered if result.standing and figure]
    for name, result in ranked[1:]:
        best = ranked[0][0]
        if result.standing and result.standing.lowest == 1:
            click.echo(f"{best} and {name}: no significant difference; more --repeats may show one")
        elif best_word == "fastest":
            click.echo(f"{best} is {_ratio(result)} times as fast as {name}")
        else:
            click.echo(f"{name} takes {_ratio(result)} times the {figure} of {best}")


def _print_explanation(
    named: NamedProgram, result: ProgramAssessment, error: str, limits: Limits
) -> None:
    for label, line in explanation(named.program, result.judgement, error, limits, named.file):
        click.echo(f"{label:<11}{printable(line)}")


def _ratio(result: ProgramAssessment) -> str:
    if result.ratio is None:
        return ""
    error = f" ± {result.within:.2f}" if result.within else ""
    return f"{result.ratio:.2f}{error}"


def print_report(report: RunReport, named: NamedProgram) -> None:
    """Print verdict, table and totals of a program."""
    language, judgement = report.panel.programs[0].language, report.result.judgement
    outcomes = report.assessment.outcomes
    if judgement.verdict == Verdict.COMPILE_ERROR:
        # The compiler's command, or the name of the language if there is none.
        tools = language.version_argv if language.reference else ()
        click.echo(f"verdict    {judgement.verdict} ({(*tools, language.name)[0]})\n")
        click.echo(printable(judgement.compile_log.rstrip() or judgement.reason))
        _print_explanation(named, report.result, "", report.panel.suite.rules.limits)
        return
    failed = [outcome for outcome in outcomes if outcome.verdict != Verdict.ACCEPTED]
    compared = sum(outcome.compared for outcome in outcomes)
    basis = (
        f"{compared} with an expected output"
        if compared
        else "no expected output: only the exit code was checked"
    )
    passed = f"{len(outcomes) - len(failed)} of {len(outcomes)} tests passed"
    click.echo(f"verdict    {judgement.verdict}, {passed} ({basis})\n")
    headings = (
        "test",
        "verdict",
        "wall ms",
        "cpu ms",
        "peak MiB",
        "integral MiB*ms",
        "samples",
        "gap ms",
    )
    print_table([headings, *map(_row, outcomes)], left=2)
    click.echo()
    if len(outcomes) == 1 and not outcomes[0].compared:
        _print_output(outcomes[0].run.stdout)
    most = 12  # a program that fails one test often fails hundreds; the table has them all
    for outcome in failed[:most]:
        reason = printable(outcome.reason)
        click.echo(f"failed     {outcome.test_id}: {outcome.verdict}: {reason}")
        if outcome is failed[0]:
            error = outcome.run.stderr.decode("utf-8", "replace")
            _print_explanation(named, report.result, error, report.panel.suite.rules.limits)
    if len(failed) > most:
        click.echo(f"failed     ... and {len(failed) - most} more: see the table")
    if not failed and judgement.verdict != Verdict.ACCEPTED:
        # The program passed when it was judged, but not when it was measured.
        click.echo(f"failed     {judgement.reason}")
    if report.total:
        _print_totals(report.total, language.name)
        if report.repeats and report.repeats.until is not None:
            click.echo(f"interval   {report.repeats.sentence([report.total])}")
    else:
        click.echo("measured   no: a program is measured if it ends with exit code 0 in every test")
    _print_count(report)
    for growth in report.growths:
        _print_growth(growth)
    _print_conditions(report)


def _print_output(stdout: bytes) -> None:
    """Print the first lines of the program's output, without terminal control characters."""
    lines, most = printable(stdout.decode("utf-8", "replace")).splitlines(), 10
    for line in lines[:most]:
        click.echo(f"printed    {line[:160]}")
    if len(lines) > most:
        click.echo(f"printed    ... and {len(lines) - most} more lines")


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
        click.echo(
            "measured   no repeat succeeded: the program does not behave the same every time"
        )
    else:
        error = _in(MIB_MS, total.integral_error_byte_ns)
        click.echo(f"wall       {_in(NS_PER_MS, total.wall_ns)} ms{_spread(total.wall_spread)}")
        click.echo(f"cpu        {_in(NS_PER_MS, total.cpu_ns)} ms{_spread(total.cpu_spread)}")
        click.echo(f"peak       {_in(MIB, total.peak_bytes)} MiB")
        click.echo(
            f"integral   {_in(MIB_MS, total.integral_byte_ns)} MiB*ms, within "
            f"{error}{_spread(total.integral_spread)}"
        )
        if total.relative_time is not None:
            click.echo(
                f"relative   {total.relative_time:.3f} times the CPU time of the {name} reference "
                f"program{_spread(total.relative_spread)}"
            )
    reasons = "; ".join(
        f"{flag}: {NOISE.get(flag, 'see docs/measurement.md')}" for flag in total.noise
    )
    click.echo(f"noise      {reasons or 'none seen'}")


def _print_count(report: RunReport) -> None:
    if report.counted is None or report.counted_by is None:
        if report.counter != "off" and report.counted_by is None:
            click.echo(
                "counted    no instructions: this machine has no counter; type: venus doctor"
            )
        return
    count, error, reason = report.counted[:3]
    if count is None:
        click.echo(f"counted    no instructions: {reason}")
        return
    precision = f", standard error {error:,.0f}" if error else ""
    facts = report.counted_by
    tool = facts["emulator"] or facts["cpu"]
    click.echo(f"counted    {count:,} instructions{precision} ({facts['counter']}: {tool})")


def _print_growth(growth: SizeGrowth) -> None:
    name = f" with {growth.name}" if growth.name else ""
    if growth.instructions is None or growth.memory is None:
        click.echo(f"grows{name:<6}not known: {growth.reason}")
        return
    fits = f"instructions {_growth(growth.instructions)}, memory {_growth(growth.memory)}"
    note = f"; {growth.reason}" if growth.reason else ""
    click.echo(f"grows{name:<6}{fits} (sizes {growth.sizes[0]} to {growth.sizes[-1]}{note})")


def _growth(fit: Complexity) -> str:
    if fit.growth is Growth.CONSTANT:
        return fit.growth
    power = "e^{:.2f}n" if fit.growth is Growth.EXPONENTIAL else "n^{:.2f}"
    return f"{fit.growth}, {power.format(fit.exponent)} ({fit.low:.2f} to {fit.high:.2f})"


def _print_conditions(report: RunReport) -> None:
    options, cores = report.panel.measuring.options, report.cores
    limits = report.panel.suite.rules.limits
    placement = f"program on core {cores.program}, sampler on core {cores.sampler}"
    rounds = report.assessment.rounds
    count = rounds.options.repeats if rounds else options.repeats
    repeats = count_with_noun(count, "repeats") if report.total else "one run of each test"
    click.echo(
        f"figures    {repeats}, memory read every {options.interval_ns / 1000:g} us, {placement}"
    )
    click.echo(
        f"limits     {limits.wall_ns / NS_PER_S:g} s, {limits.memory_bytes // MIB} MiB, output "
        f"{limits.output_bytes // MIB} MiB for each test"
    )
    click.echo(f"sandbox    {report.sandbox['sandbox']}, isolation {report.sandbox['isolation']}")


def _in(unit: int, value: int | None) -> str:
    return "unknown" if value is None else f"{value / unit:.2f}"


def _spread(value: float | None) -> str:
    return "" if value is None else f" (spread {100 * value:.1f} %)"
