"""Try one program: judge it on each of its tests and measure it beside the reference program.

All tests share one judging session; where the program ends well in every one of them, one measurement follows. The
figures of a test are then those of its fastest repeat, and those of the run that was judged otherwise.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from venus_toolkit.judge import Checker, difference, ending, judge
from venus_toolkit.language import Language
from venus_toolkit.measure import MeasureOptions, environment_facts, measure, out_of_the_way, quiet_cores
from venus_toolkit.records import Comparison, Judgement, Limits, Measurement, Run, TestCase, Verdict, to_plain
from venus_toolkit.sandbox import Compiled, Program, Sandbox, open_sandbox
from venus_toolkit.supervisor import Cores, Sampling

SHOWN_BYTES = 64 << 10
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Request:
    """What to judge and measure, and how; `trace` keeps the samples of memory over time."""

    program: Program
    tests: tuple[TestCase, ...]
    limits: Limits
    options: MeasureOptions
    sandbox: str = "auto"
    trace: bool = False


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
class Report:
    """What came out, and everything that it depends on; `measurement` is None where nothing was measured."""

    request: Request
    judgement: Judgement
    outcomes: tuple[Outcome, ...]
    measurement: Measurement | None
    cores: Cores
    sandbox: Mapping[str, str | bool | int | None]
    environment: Mapping[str, object]

    @property
    def measurable(self) -> bool:
        """Whether the program compiled and ended by itself with exit code 0, inside all limits, in every test."""
        return bool(self.outcomes) and all(outcome.run.clean for outcome in self.outcomes)


def judge_and_measure(request: Request, say: Say = lambda _: None) -> Report:
    """Compile, judge and, where the program ends well in every test, measure; `say` is told what is being done.

    Raises:
        ToolchainError: The language is not installed.
        SandboxError: The sandbox failed.
        SourceError: There are no tests.
    """
    language = request.program.language
    with open_sandbox(request.sandbox, [language]) as sandbox:
        say(f"compiling ({language.name})")
        compiled = sandbox.compile(request.program)
        report = _judged(sandbox, compiled, request, say)
        if not report.measurable:
            return report
        say(f"measuring, {request.options.repeats} times")
        return _measured(sandbox, compiled, report)


def _judged(sandbox: Sandbox, compiled: Compiled, request: Request, say: Say) -> Report:
    """Judge on every test in one session; a test without expected output is decided by how the program ended."""
    language, cores = request.program.language, quiet_cores()
    runs: list[Run] = []
    complaints: list[str] = []

    def on_run(index: int, run: Run) -> None:
        runs.append(shortened(run))
        complaints.append(complaint(run, request.tests[index], language))
        say(f"judged {request.tests[index].test_id}")

    with out_of_the_way(cores):
        judgement = judge(
            sandbox,
            compiled,
            request.tests,
            Checker(Comparison(), sandbox),
            request.limits,
            cores=cores,
            sampling=Sampling(request.options.interval_ns, request.trace),
            every_test=True,
            compare=False,
            on_run=on_run,
        )
    ran = zip(request.tests, judgement.verdicts, complaints, runs, strict=False)  # nothing ran if it did not compile
    outcomes = tuple(_outcome(*one) for one in ran)
    environment = environment_facts([language], {language.id: sandbox.toolchain(language).version})
    return Report(request, judgement, outcomes, None, cores, sandbox.facts(), environment)


def _outcome(test: TestCase, verdict: Verdict, reason: str, run: Run) -> Outcome:
    reason = "" if verdict == Verdict.ACCEPTED else reason
    return Outcome(test.test_id, verdict, reason, test.stdout is not None, run)


def complaint(run: Run, test: TestCase, language: Language) -> str:
    """Return what there is to say of a run if it failed its test: how it ended, or else where its output differs.

    A judgement gives the reason of its first failing test only; these are the same words for every test.
    """
    verdict, reason = ending(run, language)
    if verdict or test.stdout is None:
        return reason
    return difference(test.stdout, run.stdout.decode("utf-8", "replace"))


def shortened(run: Run) -> Run:
    """Return a run with no more of its outputs than is shown."""
    return dataclasses.replace(run, stdout=run.stdout[:SHOWN_BYTES], stderr=run.stderr[:SHOWN_BYTES])


def _measured(sandbox: Sandbox, compiled: Compiled, report: Report) -> Report:
    """Return the report with its measurement, and with the fastest run of each test."""
    request = report.request
    fastest: dict[int, Run] = {}
    (measurement,) = measure(
        sandbox,
        [compiled],
        request.tests,
        request.limits,
        request.options,
        cores=report.cores,
        trace=request.trace,
        on_run=lambda _, index, run: keep_fastest(fastest, index, run),
    )
    outcomes = tuple(
        dataclasses.replace(outcome, run=fastest.get(index, outcome.run))
        for index, outcome in enumerate(report.outcomes)
    )
    return dataclasses.replace(report, outcomes=outcomes, measurement=measurement)


def keep_fastest(fastest: dict[int, Run], index: int, run: Run) -> None:
    """Keep in `fastest` the run of the test `index` if it is clean and faster than the one there."""
    if run.clean and (index not in fastest or run.wall_ns < fastest[index].wall_ns):
        fastest[index] = shortened(run)


def plain_report(report: Report, file: Path) -> dict[str, Any]:
    """Return the report as plain JSON values; what is unknown is None."""
    figures = to_plain(report.measurement) if report.measurement else {}
    return {
        "file": str(file),
        "language": report.request.program.language.id,
        "verdict": report.judgement.verdict,
        "reason": report.judgement.reason,
        "failing_test": report.judgement.failing_test,
        "compile_log": report.judgement.compile_log,
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
        "tests": [_plain_outcome(outcome) for outcome in report.outcomes],
    }


def _plain_outcome(outcome: Outcome) -> dict[str, Any]:
    plain: dict[str, Any] = to_plain(outcome)
    run = plain.pop("run")
    return {**plain, **run}
