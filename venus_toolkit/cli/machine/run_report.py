"""What ``venus run`` prints and writes as JSON: the report on one program, or a table of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from venus_toolkit.cli.printing import print_table, printable
from venus_toolkit.core.records import (
    MIB,
    NS_PER_MS,
    NS_PER_S,
    REPEATS_DISAGREE,
    Measurement,
    Verdict,
    to_plain,
)
from venus_toolkit.execution.engine.assessment import (
    Assessment,
    Outcome,
    Panel,
    ProgramAssessment,
)
from venus_toolkit.execution.measuring.complexity import Complexity, Growth
from venus_toolkit.execution.measuring.counting import InstructionCount
from venus_toolkit.execution.measuring.scaling import Growing
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.supervisor import Cores

MIB_MS = MIB * NS_PER_MS
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


class RunReport(NamedTuple):
    """The results of one program, and everything that they depend on.

    Attributes:
        panel: The program, and how it was measured.
        assessment: Its results, with the outcome of each test.
        cores: Where it ran.
        sandbox: What the sandbox enforced, and how.
        environment: The machine and its tools.
        counter: What `open_counter` was given.
        counted: The instructions of all tests; None where nothing was counted.
        counted_by: What the count depends on; None where nothing counts here.
        growing: How the costs grow with each size of the input, where that was asked for.
    """

    panel: Panel
    assessment: Assessment
    cores: Cores
    sandbox: Mapping[str, str | bool | int | None]
    environment: Mapping[str, object]
    counter: str = "off"
    counted: InstructionCount | None = None
    counted_by: Mapping[str, str | None] | None = None
    growing: tuple[Growing, ...] = ()

    @property
    def result(self) -> ProgramAssessment:
        """The results of the program."""
        return self.assessment.programs[0]

    @property
    def total(self) -> Measurement | None:
        """Its figures, also those of a program whose measured runs are wrong."""
        return self.result.measured.total if self.result.measured else None


def plain_report(report: RunReport, file: Path) -> dict[str, Any]:
    """Return the report as plain JSON values; what is unknown is None."""
    judgement, counted, panel = report.result.judgement, report.counted, report.panel
    figures = to_plain(report.total) if report.total else {}
    return {
        "file": str(file),
        "language": panel.programs[0].language.id,
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
        "complexity": [_plain_growing(growing) for growing in report.growing],
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


def _plain_growing(growing: Growing) -> dict[str, Any]:
    fits = {"instructions": growing.instructions, "memory": growing.memory}
    return {
        "size": growing.name,
        "points": [
            {"size": n, **cost._asdict()}
            for n, cost in zip(growing.sizes, growing.costs, strict=True)
        ],
        **{name: fit._asdict() if fit else None for name, fit in fits.items()},
        "reason": growing.reason,
    }


def plain_result(file: Path, program: Program, result: ProgramAssessment) -> dict[str, Any]:
    """Return the results of one of several programs as plain JSON values."""
    return {
        "file": str(file),
        "language": program.language.id,
        "verdict": result.judgement.verdict,
        "reason": result.judgement.reason,
        "failing_test": result.judgement.failing_test,
        "rank": result.standing and result.standing.rank,
        "tie_group": result.standing and result.standing.tie_group,
        "ratio": result.ratio,
        "ratio_within": result.within,
        "measurement": to_plain(result.measurement) if result.measurement else None,
    }


def print_comparison(ordered: Sequence[tuple[str, ProgramAssessment]], figure: str) -> None:
    """Print a table of programs, the best first, and a sentence on result of the others."""
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
    print_table(rows, left=3)
    click.echo()
    for name, result in ordered:
        if result.measurement is None:
            click.echo(f"{name}: {result.judgement.reason}")
        elif result.standing is None:
            click.echo(f"{name}: not ranked: {NOISE[REPEATS_DISAGREE]}")
    measured = [(name, result) for name, result in ordered if result.standing]
    word = "least" if figure in ("memory", "integral") else "fastest"
    for name, result in measured[1:]:
        best = measured[0][0]
        if result.standing and result.standing.lowest == 1:
            click.echo(f"{best} and {name}: no significant difference; more --repeats may show one")
        elif word == "fastest":
            click.echo(f"{best} is {_ratio(result)} times as fast as {name}")
        else:
            click.echo(f"{name} takes {_ratio(result)} times the {figure} of {best}")
    noise = sorted(
        {flag for _, result in ordered if result.measurement for flag in result.measurement.noise}
    )
    click.echo(
        "noise      "
        + ("; ".join(f"{flag}: {NOISE.get(flag, '')}" for flag in noise) or "none seen")
    )


def _ratio(result: ProgramAssessment) -> str:
    if result.ratio is None:
        return ""
    within = f" ± {result.within:.2f}" if result.within else ""
    return f"{result.ratio:.2f}{within}"


def print_report(report: RunReport) -> None:
    """Print verdict, table and totals."""
    language, judgement = report.panel.programs[0].language, report.result.judgement
    outcomes = report.assessment.outcomes
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
    shown = 12  # a program that fails one test often fails hundreds; the table has them all
    for outcome in failed[:shown]:
        click.echo(f"failed     {outcome.test_id}: {outcome.verdict}: {outcome.reason}")
    if len(failed) > shown:
        click.echo(f"failed     ... and {len(failed) - shown} more: see the table")
    if not failed and judgement.verdict != Verdict.ACCEPTED:
        # right when it was judged, and not when it was measured
        click.echo(f"failed     {judgement.reason}")
    if report.total:
        _print_totals(report.total, language.name)
    else:
        click.echo("measured   no: a program is measured if it ends with exit code 0 in every test")
    _print_count(report)
    for each in report.growing:
        _print_growing(each)
    _print_conditions(report)


def _print_output(stdout: bytes) -> None:
    """Print the first lines that the program printed, without what would steer a terminal."""
    lines, shown = printable(stdout.decode("utf-8", "replace")).splitlines(), 10
    for line in lines[:shown]:
        click.echo(f"printed    {line[:160]}")
    if len(lines) > shown:
        click.echo(f"printed    ... and {len(lines) - shown} more lines")


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


def _print_count(report: RunReport) -> None:
    if report.counted is None or report.counted_by is None:
        if report.counter != "off" and report.counted_by is None:
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
    facts = report.counted_by
    by = facts["emulator"] or facts["cpu"]
    click.echo(f"counted    {count:,} instructions{within} ({facts['counter']}: {by})")


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


def _print_conditions(report: RunReport) -> None:
    options, cores = report.panel.measuring.options, report.cores
    limits = report.panel.suite.rules.limits
    where = f"program on core {cores.program}, sampler on core {cores.sampler}"
    times = "1 repeat" if options.repeats == 1 else f"{options.repeats} repeats"
    repeats = times if report.total else "one run of each test"
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
