"""One program, judged on each test and, where it ends well in all of them, measured beside the reference program.

`judge_and_measure` does it for the server as well, `try_program` for ``venus run``. All tests share
one judging session; one measurement follows. In a report the figures of a test are those of its
fastest repeat, and those of the run that was judged where nothing was measured.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.core.language import Language
from venus_toolkit.core.records import (
    Comparison,
    Judgement,
    Limits,
    Measurement,
    Run,
    TestCase,
    Verdict,
    to_plain,
)
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.judging.comparison import difference
from venus_toolkit.execution.judging.judge import ending, judge
from venus_toolkit.execution.measuring.agreement import OTHER_TASK, band_of, objection
from venus_toolkit.execution.measuring.counting import (
    Counter,
    Total,
    count_tests,
    open_counter,
    require_counting,
    total,
)
from venus_toolkit.execution.measuring.measure import (
    REFERENCE_LIMITS,
    environment_facts,
    measure_interleaved,
    out_of_the_way,
)
from venus_toolkit.execution.measuring.rounds import FirstRuns, MeasureOptions, Round, costs_of_runs
from venus_toolkit.execution.measuring.scaling import Growing, grow
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox
from venus_toolkit.execution.sandbox.cores import quiet_cores
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

SHOWN_BYTES = 64 << 10
OnRun = Callable[[int, Run], None]


class JudgedAndMeasured(NamedTuple):
    """What became of a program; measurement is None where it was not measured.

    rounds are empty there too, and where a measured run was rejected.
    """

    judgement: Judgement
    measurement: Measurement | None = None
    rounds: tuple[Round, ...] = ()


def judge_and_measure(
    sandbox: Sandbox,
    compiled: Compiled,
    tests: Sequence[TestCase],
    checker: Checker,
    limits: Limits,
    options: MeasureOptions,
    *,
    cores: Cores,
    trace: bool = False,
    every_test: bool = True,
    on_judged: OnRun = lambda *_: None,
    on_measured: OnRun = lambda *_: None,
    on_measuring: Callable[[], None] = lambda: None,
) -> JudgedAndMeasured:
    """Judge a program and measure it where it ended by itself with exit code 0, inside all limits, in every test.

    A wrong answer is measured too. What an accepted program does while it is measured is judged as
    well: where that is something else, the verdict is what it did then.

    A test without an expected output is decided by how the program ends; `every_test` goes on after
    a failure, and no repeats in the `options` mean that nothing is measured. `on_judged` and
    `on_measured` are called with the index of a test and its run, outputs included and, if `trace`,
    the samples of memory; `on_measuring` before measuring begins.

    Raises:
        SandboxError: The sandbox failed.
        SourceError: There are no tests.
    """
    with out_of_the_way(cores):
        judgement = judge(
            sandbox,
            compiled,
            tests,
            checker,
            limits,
            cores=cores,
            # their figures are the report where nothing is measured
            sampling=options.sampling(cores, trace),
            every_test=every_test,
            compare=False,
            on_run=on_judged,
        )
    runs = judgement.runs
    if not options.repeats or len(runs) < len(tests) or not all(run.clean for run in runs):
        return JudgedAndMeasured(judgement)
    on_measuring()
    accepted = judgement.verdict == Verdict.ACCEPTED
    taken = measure_interleaved(
        sandbox,
        [compiled],
        tests,
        limits,
        options,
        # known to be wrong: the figures are what is asked for
        checker=checker if accepted else None,
        cores=cores,
        trace=trace,
        on_run=lambda _, index, run: on_measured(index, run),
        judged=[FirstRuns(costs_of_runs(runs), shared=False)],
    )
    measured = taken.measured(0)
    # A rejected program has no figures, and its rounds would be some.
    rounds = () if measured.rejection else taken.of_each[0]
    return JudgedAndMeasured(measured.decided(judgement), measured.total, rounds)


@dataclass(frozen=True, slots=True)
class Request:
    """What to judge and measure, and how; `trace` keeps the samples of memory over time.

    counter is what `open_counter` takes: each test is run once more and its instructions are
    counted. With the code of a generator it is found out how they grow with the size of the input.
    """

    program: Program
    tests: tuple[TestCase, ...]
    limits: Limits
    options: MeasureOptions
    sandbox: str = "auto"
    trace: bool = False
    counter: str = "off"
    generator: str | None = None


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
    """What came out, and everything that it depends on.

    `measurement` is None where nothing was measured.

    counted and counter are the instructions of all tests and what they depend on; None where
    nothing was counted. growing is how the costs grow with each size of the input, where that was
    asked for.
    """

    request: Request
    judgement: Judgement
    outcomes: tuple[Outcome, ...]
    measurement: Measurement | None
    cores: Cores
    sandbox: Mapping[str, str | bool | int | None]
    environment: Mapping[str, object]
    counted: Total | None = None
    counter: Mapping[str, str | None] | None = None
    growing: tuple[Growing, ...] = ()


def try_program(request: Request, say: Callable[[str], None] = lambda _: None) -> Report:
    """Compile, judge and, where the program ends well in every test, measure.

    `say` is told what is being done.

    Raises:
        ToolchainError: The language is not installed.
        SandboxError: The sandbox failed.
        SourceError: There are no tests.
        MachineError: The counter that was asked for does not work here.
        UsageError: The sandbox does not count.
    """
    language, tests, options = request.program.language, request.tests, request.options
    counter = open_counter(request.counter)
    if counter is None and request.generator is not None:
        counter = open_counter("emulated")
    counts: list[Run] = []
    growing: tuple[Growing, ...] = ()
    runs: list[Run] = []
    reasons: list[str] = []
    fastest: dict[int, Run] = {}

    def on_judged(index: int, run: Run) -> None:
        runs.append(shortened(run))
        reasons.append(complaint(run, tests[index], language))
        say(f"judged {tests[index].test_id}")

    with open_sandbox(request.sandbox, [language]) as sandbox:
        if counter:
            require_counting(sandbox)
        say(f"compiling ({language.name})")
        compiled, checker = sandbox.compile(request.program), Checker(Comparison(), sandbox)
        cores = quiet_cores()
        found = judge_and_measure(
            sandbox,
            compiled,
            tests,
            checker,
            request.limits,
            options,
            cores=cores,
            trace=request.trace,
            on_judged=on_judged,
            on_measured=lambda index, run: keep_fastest(fastest, index, run),
            on_measuring=lambda: say(f"measuring, {options.repeats} times"),
        )
        if counter and compiled.ok:
            say(f"counting instructions ({counter.kind})")
            expected = checker if found.judgement.verdict == Verdict.ACCEPTED else None
            counts = list(count_tests(counter, sandbox, compiled, tests, request.limits, expected))
        if counter and compiled.ok and request.generator is not None:
            say("counting at growing sizes")
            growing = tuple(grow(sandbox, compiled, request.generator, counter, request.limits))
        why = ""
        if counter and counts and (claimed := total(counts, language, counter.kind)).instructions:
            say("comparing the count with CPU time")
            like_reference = _expected(sandbox, language, counter, found.measurement)
            if like_reference and found.measurement:
                own = dataclasses.replace(found.measurement, instructions=claimed.instructions)
                why = objection(own, (), band_of([like_reference], OTHER_TASK))
            else:
                why = "no CPU time of the program and of the reference confirms the count"
        if why:
            counts = [dataclasses.replace(run, instructions=None, uncounted=why) for run in counts]
            growing = tuple(each._replace(instructions=None, reason=why) for each in growing)
        environment = environment_facts(
            [language], {language.id: sandbox.toolchain(language).version}
        )
        facts = sandbox.facts()
    if found.rounds and found.measurement and found.measurement.repeats_agree:
        runs = [fastest.get(index, run) for index, run in enumerate(runs)]
    outcomes = _outcomes(tests, found.judgement, reasons, _with_counts(runs, counts))
    counted = total(counts, language, counter.kind) if counter and counts else None
    counted_by = counter.facts() if counter else None
    return Report(
        request,
        found.judgement,
        outcomes,
        found.measurement,
        cores,
        facts,
        environment,
        counted,
        counted_by,
        growing,
    )


def _expected(
    sandbox: Sandbox,
    language: Language,
    counter: Counter,
    measured: Measurement | None,
) -> Measurement | None:
    """Return what a program of the same CPU time would count if it were like the reference program.

    Up to the time of the empty program it starts, and then executes as many instructions in a
    nanosecond as the reference after its start (all the time where there is no empty program). None
    where it was not measured, or what it is compared with cannot be counted.
    """
    if measured is None or not (measured.cpu_ns and measured.relative_time):
        return None
    counts: list[int | None] = []
    for code in (language.reference, language.empty):
        if not code:
            counts.append(0)
            continue
        compiled = sandbox.compile(Program(language.usual, code))
        (run,) = counter.count(sandbox, compiled, [b""], REFERENCE_LIMITS)
        counts.append(run.instructions)
    reference, empty = counts
    floor_ns = measured.floor_cpu_ns or 0
    start_ns = floor_ns / measured.tests
    work_ns = measured.cpu_ns / measured.relative_time - start_ns
    if reference is None or empty is None or work_ns <= 0:
        return None
    rate = (reference - empty) / work_ns
    executed = empty * measured.tests + rate * max(0, measured.cpu_ns - floor_ns)
    return Measurement(cpu_ns=measured.cpu_ns, instructions=round(executed))


def _with_counts(runs: Sequence[Run], counts: Sequence[Run]) -> Iterator[Run]:
    for run, count in zip_longest(runs, counts[: len(runs)]):
        if count is None:
            yield run
        else:
            yield dataclasses.replace(
                run, instructions=count.instructions, uncounted=count.uncounted
            )


def _outcomes(
    tests: Sequence[TestCase], judgement: Judgement, reasons: Sequence[str], runs: Iterable[Run]
) -> tuple[Outcome, ...]:
    """Return what became of each test; none where nothing ran, as the program did not compile."""
    return tuple(
        Outcome(
            test.test_id,
            verdict,
            "" if verdict == Verdict.ACCEPTED else reason,
            test.stdout is not None,
            run,
        )
        for test, verdict, reason, run in zip(
            tests, judgement.verdicts, reasons, runs, strict=False
        )
    )


def complaint(run: Run, test: TestCase, language: Language) -> str:
    """Return what there is to say of a run if it failed its test.

    How it ended, or else where its output differs.

    A judgement gives the reason of its first failing test only; these are the same words for every
    test.
    """
    verdict, reason = ending(run, language)
    if verdict or test.stdout is None:
        return reason
    return difference(test.stdout, run.stdout)


def shortened(run: Run, size: int = SHOWN_BYTES) -> Run:
    """Return a run with no more than the first `size` bytes of each of its outputs."""
    return dataclasses.replace(run, stdout=run.stdout[:size], stderr=run.stderr[:size])


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
        "instructions": report.counted.instructions if report.counted else None,
        "instructions_standard_error": report.counted.standard_error if report.counted else None,
        "uncounted": report.counted.reason if report.counted else None,
        "counter": dict(report.counter) if report.counter else None,
        "complexity": [_plain_growing(each) for each in report.growing],
        "measurement": figures or None,
        "limits": to_plain(report.request.limits),
        "interval_ns": report.request.options.interval_ns,
        "cores": {"program": report.cores.program, "sampler": report.cores.sampler},
        "sandbox": dict(report.sandbox),
        "environment": dict(report.environment),
        "tests": [
            {**{name: value for name, value in plain.items() if name != "run"}, **plain["run"]}
            for plain in map(to_plain, report.outcomes)
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
