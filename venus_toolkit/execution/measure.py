"""How long and how much: repeats spread over the session, solutions taken in turn, a reference program beside each.

The machine's speed drifts. So every round runs each solution once over all its tests, and right before and after it a
short program of the same language on the same core; the ratio of the two is what the drift cannot touch.
"""

from __future__ import annotations

import hashlib
import os
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import KIB, NS_PER_MS, NS_PER_S, Judgement, Limits, Measurement, Run, TestCase, Verdict
from venus_toolkit.core.store import read_lines
from venus_toolkit.execution.comparison import same_text
from venus_toolkit.execution.cores import quiet_cores, usable_cores
from venus_toolkit.execution.judge import WAITING_BYTES, Answer, Checker, ending
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox, Session
from venus_toolkit.execution.starvation import Pressure, fair
from venus_toolkit.execution.supervisor import Cores, Sampling

# A reference program takes 20 to 100 ms: one that needs this long says that the sandbox is stuck.
REFERENCE_LIMITS = Limits(wall_ns=20 * NS_PER_S, cpu_ns=20 * NS_PER_S)
NOISY_DRIFT = 0.10  # how much the reference program itself may move between rounds
NOISY_SWITCHES_PER_S = 200
NS_BETWEEN_SAMPLES = 100_000  # of memory, by a supervisor with a core of its own
DISAGREEMENT = "sources_disagree"  # noise flag: two sources of a run's figures cannot both be right
WRONG_OUTPUT = "wrong_output"  # noise flag: what was measured is not what was judged, and has no figures


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """How to measure: repeats, how per-test repeats become one figure (``min`` or ``median``), how often to sample."""

    repeats: int = 3
    aggregate: str = "min"
    interval_ns: int = NS_BETWEEN_SAMPLES

    def sampling(self, cores: Cores, trace: bool = False) -> Sampling:
        """Return how memory is sampled; on the program's own core more than once a millisecond would disturb it."""
        return Sampling(self.interval_ns if cores.apart else max(self.interval_ns, NS_PER_MS), trace)


class Round(NamedTuple):
    """One pass of one program over all tests, with the reference's CPU time beside it; None where that did not run.

    clean says whether it counts: all tests ran and ended well, and no sources disagree about figures.
    """

    runs: tuple[Run, ...]
    reference_cpu_ns: float | None
    clean: bool

    @property
    def relative_time(self) -> float | None:
        """The CPU time of all runs, divided by that of the reference."""
        cpu_ns = sum(run.cpu_ns for run in self.runs)
        return cpu_ns / self.reference_cpu_ns if self.reference_cpu_ns else None

    @property
    def figures(self) -> Repeat:
        """What the program cost in it."""
        if not self.clean:
            return Repeat()
        return Repeat(
            wall_ns=sum(run.wall_ns for run in self.runs),
            cpu_ns=sum(run.cpu_ns for run in self.runs),
            peak_bytes=max(run.peak_bytes for run in self.runs),
            integral_byte_ns=sum(run.integral_byte_ns for run in self.runs),
            relative_time=self.relative_time,
        )


class Repeat(NamedTuple):
    """What a program cost in one round over all tests; all None where it did not end well in each."""

    wall_ns: int | None = None
    cpu_ns: int | None = None
    peak_bytes: int | None = None
    integral_byte_ns: int | None = None
    relative_time: float | None = None


class Rejection(NamedTuple):
    """Why a program that was judged right fails after all: how a measured run of it ended, or what it printed."""

    verdict: Verdict
    reason: str


class Measured(NamedTuple):
    """A program's figures over all repeats, and those of each; rejection: a measured run of it failed its test."""

    total: Measurement
    repeats: tuple[Repeat, ...]
    rejection: Rejection | None = None

    def decided(self, judged: Judgement) -> Judgement:
        """Return the judgement on the program, now that its measured runs are judged as well."""
        if self.rejection is None:
            return judged
        return replace(judged, verdict=self.rejection.verdict, reason=self.rejection.reason)


@dataclass(frozen=True, slots=True)
class Rounds:
    """All passes over some programs of one problem.

    Attributes:
        options: How they were measured.
        tests: On how many tests.
        of_each: For each program its rounds, in order.
        noise: What was noticed over the whole time.
        rejections: By the index of a program: why a measured run of it is wrong.
        reseeded: On how many tests each repeat had an input of its own.
    """

    options: MeasureOptions
    tests: int
    of_each: tuple[tuple[Round, ...], ...]
    noise: tuple[str, ...] = ()
    rejections: Mapping[int, Rejection] = field(default_factory=dict)
    reseeded: int = 0

    def measured(self, index: int) -> Measured:
        """Return what one program costs.

        A program that failed a test while it was measured has no figures: it may be quick because it cheats.
        """
        rounds, rejection = self.of_each[index], self.rejections.get(index)
        wrong = rejection is not None and rejection.verdict == Verdict.WRONG_ANSWER
        if rejection:
            rounds = tuple(each._replace(clean=False) for each in rounds)
        noise = (*self.noise, *([WRONG_OUTPUT] if wrong else []))
        total = summarise(rounds, self.tests, self.options, noise, self.reseeded)
        # What did not compile has no rounds, and yet an entry for each repeat.
        lost = [Repeat()] * (self.options.repeats - len(rounds))
        return Measured(total, (*(each.figures for each in rounds), *lost), rejection)


def measure_interleaved(
    sandbox: Sandbox,
    programs: Sequence[Compiled],
    tests: Sequence[TestCase],
    limits: Limits,
    options: MeasureOptions,
    *,
    reseeded: Sequence[Sequence[TestCase]] = (),
    checker: Checker | None = None,
    cores: Cores | None = None,
    trace: bool = False,
    reference: bool = True,
    on_run: Callable[[int, int, Run], None] = lambda *_: None,
    on_round: Callable[[], None] = lambda: None,
) -> Rounds:
    """Measure compiled programs of one language on the same tests, taking turns.

    `reseeded` has the tests of each repeat, where these have other inputs (execution/held_out.py): what a program
    remembers of earlier runs is then worth nothing. In a repeat all programs have the same ones.

    The `checker` compares every output with the expected one, as the judge does: a program that is right when it is
    judged and quick when it is measured gains nothing. Without it nothing is expected.

    With `reference` the reference program of the language runs beside them. Without it relative times are None: enough
    where one of the programs is what the others are compared with.

    `on_run` is called with the index of the program, that of the test, and the run with its outputs and, if `trace`,
    the samples of memory over time; `on_round` when a program has run all its tests once.

    Raises:
        SandboxError: The sandbox or the reference program failed.
    """
    if not programs:
        return Rounds(options, len(tests), ())
    cores = cores or quiet_cores()
    language = programs[0].program.language
    rounds: list[list[Round]] = [[] for _ in programs]
    check = _OutputCheck(checker, language) if checker else None

    def seen(program: int, tests: Sequence[TestCase], test: int, run: Run) -> None:
        if check:
            check.look(program, tests[test], run)
        on_run(program, test, run)

    before = Pressure.now()
    runner: AbstractContextManager[Callable[[], float | None]] = (
        reference_runner(sandbox, language, cores) if reference else nullcontext(lambda: None)
    )
    with out_of_the_way(cores), runner as beside:
        # One run of the reference serves two neighbours: it is after the one and before the other.
        cpu_before = beside()
        for repeat in range(options.repeats):
            inputs = reseeded[repeat] if reseeded else tests
            # Every other round backwards, so that nobody always follows the same neighbour.
            for index in range(len(programs))[:: 1 if repeat % 2 == 0 else -1]:
                with fair(sandbox).session(programs[index], limits, cores, options.sampling(cores, trace)) as session:
                    runs = _all_tests(session, inputs, partial(seen, index, inputs))
                if check and check.waiting > WAITING_BYTES:
                    check.ask()  # no program runs now
                cpu_after = beside()
                clean = len(runs) == len(tests) and all(run.clean and not run.disagreement for run in runs)
                mean = None if cpu_before is None or cpu_after is None else (cpu_before + cpu_after) / 2
                rounds[index].append(Round(runs, mean, clean))
                cpu_before = cpu_after
                on_round()
    noise = tuple(before.since())
    rejections = check.ask() if check else {}
    return Rounds(options, len(tests), tuple(map(tuple, rounds)), noise, rejections, count_reseeded(tests, reseeded))


def count_reseeded(tests: Sequence[TestCase], repeats: Sequence[Sequence[TestCase]]) -> int:
    """Return on how many tests no two of the repeats have the same input, nor any that of the test itself."""
    if not repeats:
        return 0
    inputs = ([test.stdin for test in of_each] for of_each in zip(tests, *repeats, strict=True))
    return sum(len(set(each)) == len(each) for each in inputs)


class _OutputCheck:
    """Compares what programs print while they are measured; an evaluator is asked between two runs, see `ask`.

    A test without an expected output is decided by how the program ends.
    """

    def __init__(self, checker: Checker, language: Language) -> None:
        self._checker, self._language = checker, language
        self._rejections: dict[int, Rejection] = {}
        self._pending: dict[int, list[Answer]] = {}
        self._known: set[tuple[int, str, str]] = set()  # repeats print the same: it is asked about each output once

    def look(self, program: int, test: TestCase, run: Run) -> None:
        if program in self._rejections:
            return
        verdict, reason = ending(run, self._language)
        if verdict:
            self._rejections[program] = Rejection(verdict, f"while it was measured: {reason}")
            return
        if test.stdout is None:
            return
        answer = Answer(test.stdout, run.stdout, test.stdin)
        if self._checker.comparison.kind != "evaluator":
            self._compare(program, [answer])
        elif not same_text(answer.expected, answer.actual):
            output = (program, test.stdin, hashlib.sha256(run.stdout).hexdigest())
            if output not in self._known:
                self._known.add(output)
                self._pending.setdefault(program, []).append(answer)

    @property
    def waiting(self) -> int:
        """How many bytes of answers wait for the evaluator."""
        return sum(len(answer.actual) for answers in self._pending.values() for answer in answers)

    def ask(self) -> Mapping[int, Rejection]:
        """Ask the evaluator about all that waits; returns why programs are rejected so far."""
        for program, answers in self._pending.items():
            if program not in self._rejections:
                self._compare(program, answers)
        self._pending.clear()
        return self._rejections

    def _compare(self, program: int, answers: Sequence[Answer]) -> None:
        if not all(self._checker.passes(answers)):
            why = "it printed something else while it was measured"
            self._rejections[program] = Rejection(Verdict.WRONG_ANSWER, why)


def _all_tests(session: Session, tests: Sequence[TestCase], on_run: Callable[[int, Run], None]) -> tuple[Run, ...]:
    runs = []
    for index, run in enumerate(session.run([test.stdin.encode() for test in tests])):
        on_run(index, run)
        runs.append(run.without_output())
        # Without all tests the round has no figures: the rest of it would be time for nothing.
        if not run.clean:
            break
    return tuple(runs)


@contextmanager
def reference_runner(sandbox: Sandbox, language: Language, cores: Cores) -> Iterator[Callable[[], float | None]]:
    """Give a function that runs the language's reference program once and returns its CPU time in nanoseconds.

    Raises:
        SandboxError: The reference program does not compile or does not run.
    """
    what, fix = f"the reference program of {language.name}", f"venus languages check {language.id}"
    compiled = sandbox.compile(Program(language, language.reference))
    # The program is ours: where it fails, the machine is at fault and no measured program.
    if not compiled.ok:
        raise SandboxError(f"{what} does not compile", compiled.log[-300:], fix)
    with sandbox.session(compiled, REFERENCE_LIMITS, cores) as session:

        def once() -> float:
            (run,) = session.run([b""])
            if not run.clean:
                why = f"exit code {run.exit_code}, signal {run.signal}, limit {run.limit}"
                raise SandboxError(f"{what} failed", why, fix)
            return run.cpu_ns

        once()  # the first run reads files that later ones find in memory
        yield once


def summarise(
    rounds: Sequence[Round], tests: int, options: MeasureOptions, noise: Sequence[str] = (), reseeded: int = 0
) -> Measurement:
    """Return the measurement that the rounds of one program add up to."""
    clean = [r for r in rounds if r.clean]
    moved = spread([r.reference_cpu_ns for r in clean if r.reference_cpu_ns is not None])
    wall_ns = sum(run.wall_ns for r in clean for run in r.runs)
    switches = sum(run.involuntary_switches for r in clean for run in r.runs)
    seen = {
        "failed_repeat": len(clean) < len(rounds),
        DISAGREEMENT: any(run.disagreement for r in rounds for run in r.runs),
        "reference_drift": moved is not None and moved > NOISY_DRIFT,
        "involuntary_switches": wall_ns > 0 and switches * NS_PER_S / wall_ns > NOISY_SWITCHES_PER_S,
    }
    flags = [*noise, *(flag for flag, noisy in seen.items() if noisy)]
    if not clean:
        return Measurement(repeats=0, tests=tests, noise=tuple(flags), reseeded=reseeded)
    # Of other inputs the minimum would be the figure of the easiest one, a prize for being quick on few of them.
    pick = min if options.aggregate == "min" and not reseeded else statistics.median

    def total(figure: Callable[[Run], int]) -> int:
        # Each test has a minimum of its own: a disturbance rarely hits the same test in every repeat.
        return round(sum(pick(figure(r.runs[t]) for r in clean) for t in range(tests)))

    ratios = [ratio for r in clean if (ratio := r.relative_time) is not None]
    return Measurement(
        wall_ns=total(lambda run: run.wall_ns),
        cpu_ns=total(lambda run: run.cpu_ns),
        peak_bytes=max(round(pick(r.runs[t].peak_bytes for r in clean)) for t in range(tests)),
        integral_byte_ns=total(lambda run: run.integral_byte_ns),
        integral_error_byte_ns=total(lambda run: run.integral_error_byte_ns),
        # Not the minimum: a ratio is also small where the reference beside it was disturbed.
        relative_time=statistics.median(ratios) if ratios else None,
        wall_spread=spread([sum(run.wall_ns for run in r.runs) for r in clean]),
        cpu_spread=spread([sum(run.cpu_ns for run in r.runs) for r in clean]),
        integral_spread=spread([sum(run.integral_byte_ns for run in r.runs) for r in clean]),
        relative_spread=spread(ratios),
        repeats=len(clean),
        tests=tests,
        noise=tuple(flags),
        reseeded=reseeded,
    )


def spread(values: Sequence[float]) -> float | None:
    """Return (largest - smallest) / smallest, or None where there is nothing to compare."""
    return (max(values) - min(values)) / min(values) if len(values) > 1 and min(values) > 0 else None


def ranking_key(measurement: Measurement, objective: str, rank: str) -> float | None:
    """Return what solutions are ranked by, lower is better; None ranks nowhere.

    Args:
        measurement: The figures.
        objective: ``time``, ``memory`` or ``integral``.
        rank: ``relative`` (to the reference program) or ``absolute``, for time; the others have one figure.
    """
    if objective == "memory":
        return measurement.peak_bytes
    if objective == "integral":
        return measurement.integral_byte_ns
    return measurement.relative_time if rank == "relative" else measurement.wall_ns


@contextmanager
def out_of_the_way(cores: Cores) -> Iterator[None]:
    """Keep the calling thread, and what it starts, off the program's core."""
    before = os.sched_getaffinity(0)
    if cores.apart:
        os.sched_setaffinity(0, before - {cores.program} or before)  # or share it, where there is no other
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def environment_facts(languages: Iterable[Language], versions: Mapping[str, str]) -> dict[str, object]:
    """Return what a reader needs to know of the machine that measured: kernel, processor, toolchain versions."""
    models = [line.split(":", 1)[1].strip() for line in read_lines("/proc/cpuinfo") if line.startswith("model name")]
    uname = os.uname()
    return {
        "cpu": next(iter(models), None),
        "cores": len(usable_cores()),
        "architecture": uname.machine,
        "kernel": uname.release,
        "governor": next(iter(read_lines("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")), None),
        "smt": next(iter(read_lines("/sys/devices/system/cpu/smt/active")), None),
        "toolchains": {language.id: versions[language.id] for language in languages if language.id in versions},
    }


def own_peak_bytes() -> int:
    """Return the largest resident set this process has had.

    Not `ru_maxrss`: exec keeps the peak of what it replaces, so the child of a large process would start with that.
    """
    peak = next(line for line in read_lines("/proc/self/status") if line.startswith("VmHWM:"))
    return int(peak.split()[1]) * KIB
