"""How long and how much: repeats spread over the session, solutions taken in turn, a reference program beside each.

The machine's speed drifts. So every round runs each solution once over all its tests, and right before and after it a
short program of the same language on the same core. What the drift was, and what each solution costs without it, is
estimated from all of these together (estimator.py). An empty program of the language, measured in the same session,
says what of a cost is the start of a process.
"""

from __future__ import annotations

import hashlib
import os
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import KIB, NS_PER_MS, NS_PER_S, Judgement, Limits, Measurement, Run, TestCase, Verdict
from venus_toolkit.core.store import read_lines
from venus_toolkit.execution.adaptive import unsettled
from venus_toolkit.execution.checker import WAITING_BYTES, Answer, Checker
from venus_toolkit.execution.comparison import same_text
from venus_toolkit.execution.cores import quiet_cores, usable_cores
from venus_toolkit.execution.estimator import Estimate, estimate
from venus_toolkit.execution.estimator import Session as MeasuringSession
from venus_toolkit.execution.judge import ending
from venus_toolkit.execution.libraries import installed
from venus_toolkit.execution.ranking import TIMES
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox, Session
from venus_toolkit.execution.starvation import Pressure, fair
from venus_toolkit.execution.supervisor import Cores, Sampling

# A reference program takes 20 to 100 ms: one that needs this long says that the sandbox is stuck.
REFERENCE_LIMITS = Limits(wall_ns=20 * NS_PER_S, cpu_ns=20 * NS_PER_S)
FIGURES = 2  # the version of what figures mean: those of another one in a journal or cache are measured again
MODELLED = ("wall_ns", "cpu_ns", "integral_byte_ns")  # figures that are sums over the tests, and have standard errors
FLOOR_RUNS = 3  # of the empty program in each repeat
NOISY_DRIFT = 0.10  # how much the reference program itself may move between rounds
NOISY_SWITCHES_PER_S = 200
NS_BETWEEN_SAMPLES = 100_000  # of memory, by a supervisor with a core of its own
DISAGREEMENT = "sources_disagree"  # noise flag: two sources of a run's figures cannot both be right
WRONG_OUTPUT = "wrong_output"  # noise flag: what was measured is not what was judged, and has no figures


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """How to measure.

    Attributes:
        repeats: How often each program runs all tests; with `adaptive` at most.
        aggregate: How the repeats of a test become one figure, ``min`` or ``median``. With `adaptive` the figures are
            those of the model of the session: the minimum of two does not compare with the minimum of five.
        interval_ns: Between two samples of memory.
        adaptive: Only programs whose rank is open run again (adaptive.py).
    """

    repeats: int = 3
    aggregate: str = "min"
    interval_ns: int = NS_BETWEEN_SAMPLES
    adaptive: bool = False

    def sampling(self, cores: Cores, trace: bool = False) -> Sampling:
        """Return how memory is sampled; on the program's own core more than once a millisecond would disturb it."""
        return Sampling(self.interval_ns if cores.apart else max(self.interval_ns, NS_PER_MS), trace)


class Round(NamedTuple):
    """One pass of one program over all tests, with the reference's CPU time beside it; None where that did not run.

    clean says whether it counts: all tests ran and ended well, and no sources disagree about figures. at_ns is the
    middle of the time that it took, by a clock that never goes back.
    """

    runs: tuple[Run, ...]
    reference_cpu_ns: float | None
    clean: bool
    at_ns: float = 0

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


class Reference(NamedTuple):
    """A run of the reference program: its CPU time, and when it was."""

    cpu_ns: float
    at_ns: float


class Modelled(NamedTuple):
    """What the model of a session says of a program (see `Measurement`); None where it is not known."""

    relative_time: float | None = None
    relative_se: float | None = None
    wall_se: float | None = None
    cpu_se: float | None = None
    integral_se: float | None = None


NOT_MODELLED = Modelled()


class Rejection(NamedTuple):
    """Why a program that was judged right fails after all: how a measured run of it ended, or what it printed."""

    verdict: Verdict
    reason: str


class CostOnTest(NamedTuple):
    """What a program costs on one test, each figure by itself the smallest or the median of the clean repeats.

    Over the tests, the largest peak is that of the measurement, and the sums of the others are its other figures.
    """

    wall_ns: int
    cpu_ns: int
    peak_bytes: int
    integral_byte_ns: int


class Measured(NamedTuple):
    """A program's figures over all repeats, and those of each; rejection: a measured run of it failed its test.

    uncounted: why its instructions are not known, where they were to be counted.
    on_tests: its figures on each test, in their order; empty where it has none, or nobody asked for them.
    """

    total: Measurement
    repeats: tuple[Repeat, ...]
    rejection: Rejection | None = None
    uncounted: str = ""
    on_tests: tuple[CostOnTest, ...] = ()

    def decided(self, judged: Judgement) -> Judgement:
        """Return the judgement on the program, now that its measured runs are judged as well."""
        if self.rejection is None:
            return judged
        return replace(judged, verdict=self.rejection.verdict, reason=self.rejection.reason)


@dataclass(frozen=True)  # without slots, where a cached property has no place
class Rounds:
    """All passes over some programs of one problem.

    Attributes:
        options: How they were measured.
        tests: On how many tests.
        of_each: For each program its rounds, in order.
        noise: What was noticed over the whole time.
        rejections: By the index of a program: why a measured run of it is wrong.
        reseeded: On how many tests each repeat had an input of its own.
        references: The runs of the reference program, between the programs; none: there was no reference.
        floor: The runs of the empty program, by repeat; none: there was none.
    """

    options: MeasureOptions
    tests: int
    of_each: tuple[tuple[Round, ...], ...]
    noise: tuple[str, ...] = ()
    rejections: Mapping[int, Rejection] = field(default_factory=dict)
    reseeded: int = 0
    references: tuple[Reference, ...] = ()
    floor: tuple[tuple[Run, ...], ...] = ()

    def measured(self, index: int) -> Measured:
        """Return what one program costs.

        A program that failed a test while it was measured has no figures: it may be quick because it cheats.
        """
        rounds, rejection = self.of_each[index], self.rejections.get(index)
        wrong = rejection is not None and rejection.verdict == Verdict.WRONG_ANSWER
        if rejection:
            rounds = tuple(each._replace(clean=False) for each in rounds)
        noise = (*self.noise, *([WRONG_OUTPUT] if wrong else []))
        total = summarise(rounds, self.tests, self.options, noise, self.reseeded, self.modelled[index])
        on_tests = self._on_tests(rounds, index)
        if self.options.adaptive and on_tests:
            total = replace(total, **{name: sum(getattr(each, name) for each in on_tests) for name in MODELLED})
        if total.repeats and self._floor:
            wall_ns, cpu_ns, peak_bytes = self._floor
            total = replace(total, floor_wall_ns=wall_ns, floor_cpu_ns=cpu_ns, floor_peak_bytes=peak_bytes)
        # What did not compile has no rounds, and yet an entry for each repeat.
        lost = [] if self.options.adaptive else [Repeat()] * (self.options.repeats - len(rounds))
        figures = (*(each.figures for each in rounds), *lost)
        return Measured(total, figures, rejection, on_tests=on_tests)

    def _on_tests(self, rounds: Sequence[Round], index: int) -> tuple[CostOnTest, ...]:
        clean, pick = [each for each in rounds if each.clean], picked(self.options, self.reseeded)
        if not clean:
            return ()

        def figure(name: str, test: int) -> int:
            if self.options.adaptive and name in MODELLED:
                return round(float(self._modelled[name].of_tests[index, test]))
            return round(pick([int(getattr(each.runs[test], name)) for each in clean]))

        return tuple(CostOnTest(*(figure(name, test) for name in CostOnTest._fields)) for test in range(self.tests))

    @cached_property
    def modelled(self) -> tuple[Modelled, ...]:
        """What the model of the whole session says of each program; a rejected program has no part in it."""
        cpu = estimate(self._session("cpu_ns", self.references))
        columns = [cpu.relative, np.where(np.isnan(cpu.relative), np.nan, cpu.se)]
        columns += [self._modelled[name].se for name in MODELLED]
        return tuple(
            Modelled(*(None if np.isnan(value) else float(value) for value in row))
            for row in zip(*columns, strict=True)
        )

    @cached_property
    def _modelled(self) -> Mapping[str, Estimate]:
        # Programs that ran in other rounds met another machine: what it drifted is taken out of their figures.
        return {name: estimate(self._session(name), drift=self.options.adaptive) for name in MODELLED}

    @property
    def unsettled(self) -> list[int]:
        """The programs for which another round would say more of their rank in time."""
        session = self._session("cpu_ns", self.references)
        return unsettled(session, estimate(session), self.options.repeats)

    def _session(self, figure: str, references: Sequence[Reference] = ()) -> MeasuringSession:
        repeats = max(map(len, self.of_each), default=0)
        costs = np.full((len(self.of_each), repeats, self.tests), np.nan)
        at = np.zeros(costs.shape[:2])
        for program, rounds in enumerate(self.of_each):
            for repeat, each in enumerate(rounds):
                at[program, repeat] = each.at_ns
                if each.clean and program not in self.rejections:
                    # No clock shows nothing; a logarithm must not either.
                    costs[program, repeat] = [max(getattr(run, figure), 1) for run in each.runs]
        cpu_ns, when = (np.array([each[part] for each in references]) for part in range(2))
        return MeasuringSession(costs, at, cpu_ns, when, self.reseeded > 0, self.options.adaptive)

    @cached_property
    def _floor(self) -> tuple[int, int, int] | None:
        """Wall time, CPU time and peak of the empty program on as many tests, taken as those of any program are."""
        if not self.floor:
            return None
        empty = [Round(runs, None, True) for runs in self.floor]
        found = summarise(empty, FLOOR_RUNS, self.options, reseeded=self.reseeded)
        wall_ns, cpu_ns = (round((value or 0) / FLOOR_RUNS * self.tests) for value in (found.wall_ns, found.cpu_ns))
        return wall_ns, cpu_ns, found.peak_bytes or 0


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
        ValueError: Adaptive repeats with other inputs: what ran more often would have been run on more of them.
    """
    if options.adaptive and reseeded:
        raise ValueError("adaptive repeats have the same inputs")
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

    before, sampling = Pressure.now(), options.sampling(cores, trace)
    with out_of_the_way(cores), ExitStack() as stack:
        ours = _OwnPrograms(stack, sandbox, language, cores, options, wanted=reference)
        turns: Sequence[int] = range(len(programs))
        for repeat in range(options.repeats):
            if repeat and options.adaptive:
                rejected = check.rejections if check else {}
                known = Rounds(options, len(tests), tuple(map(tuple, rounds)), (), rejected, 0, tuple(ours.references))
                turns = known.unsettled
            if not turns:
                break
            inputs = reseeded[repeat] if reseeded else tests
            ours.run_empty()
            # One run of the reference serves two neighbours: it is after the one and before the other.
            cpu_before = ours.run_reference()
            # Every other round backwards, so that nobody always follows the same neighbour.
            for index in turns[:: 1 if repeat % 2 == 0 else -1]:
                begun = time.monotonic_ns()
                with fair(sandbox).session(programs[index], limits, cores, sampling) as session:
                    runs = _all_tests(session, inputs, partial(seen, index, inputs))
                at_ns = (begun + time.monotonic_ns()) / 2
                if check and check.waiting > WAITING_BYTES:
                    check.ask()  # no program runs now
                cpu_after = ours.run_reference()
                clean = len(runs) == len(tests) and all(run.clean and not run.disagreement for run in runs)
                mean = None if cpu_before is None or cpu_after is None else (cpu_before + cpu_after) / 2
                rounds[index].append(Round(runs, mean, clean, at_ns))
                cpu_before = cpu_after
                on_round()
    noise, rejections = tuple(before.since()), check.ask() if check else {}
    count, of_each = count_reseeded(tests, reseeded), tuple(map(tuple, rounds))
    return Rounds(options, len(tests), of_each, noise, rejections, count, tuple(ours.references), tuple(ours.floor))


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
        self.rejections: dict[int, Rejection] = {}  # as far as is known: see `ask`
        self._pending: dict[int, list[Answer]] = {}
        self._known: set[tuple[int, str, str]] = set()  # repeats print the same: it is asked about each output once

    def look(self, program: int, test: TestCase, run: Run) -> None:
        if program in self.rejections:
            return
        verdict, reason = ending(run, self._language)
        if verdict:
            self.rejections[program] = Rejection(verdict, f"while it was measured: {reason}")
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
            if program not in self.rejections:
                self._compare(program, answers)
        self._pending.clear()
        return self.rejections

    def _compare(self, program: int, answers: Sequence[Answer]) -> None:
        if not all(self._checker.passes(answers)):
            why = "it printed something else while it was measured"
            self.rejections[program] = Rejection(Verdict.WRONG_ANSWER, why)


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
def reference_runner(sandbox: Sandbox, language: Language, cores: Cores) -> Iterator[Callable[[], float]]:
    """Give a function that runs the language's reference program once and returns its CPU time in nanoseconds.

    Raises:
        SandboxError: The reference program does not compile or does not run.
    """
    what = f"the reference program of {language.name}"
    with _own_program(sandbox, Program(language.usual, language.reference), what, cores) as once:
        yield lambda: once().cpu_ns


class _OwnPrograms:
    """Our own programs beside the measured ones: the reference between them, the empty one once in each repeat.

    Where they are not `wanted`, or the language has no empty program, nothing is run. They are closed by the stack.

    Raises:
        SandboxError: One of them does not compile or does not run.
    """

    def __init__(
        self,
        stack: ExitStack,
        sandbox: Sandbox,
        language: Language,
        cores: Cores,
        options: MeasureOptions,
        *,
        wanted: bool,
    ) -> None:
        self.references: list[Reference] = []
        self.floor: list[tuple[Run, ...]] = []
        self._reference = stack.enter_context(reference_runner(sandbox, language, cores)) if wanted else None
        self._empty = None
        if wanted and language.empty:
            program, what = Program(language.usual, language.empty), f"the empty program of {language.name}"
            opened = _own_program(sandbox, program, what, cores, options.sampling(cores))
            self._empty = stack.enter_context(opened)

    def run_reference(self) -> float | None:
        """Run the reference once and return its CPU time in nanoseconds."""
        if self._reference is None:
            return None
        begun, cpu_ns = time.monotonic_ns(), self._reference()
        self.references.append(Reference(cpu_ns, (begun + time.monotonic_ns()) / 2))
        return cpu_ns

    def run_empty(self) -> None:
        """Run the empty program as often as the floor wants it."""
        if self._empty is not None:
            self.floor.append(tuple(self._empty() for _ in range(FLOOR_RUNS)))


@contextmanager
def _own_program(
    sandbox: Sandbox, program: Program, what: str, cores: Cores, sampling: Sampling | None = None
) -> Iterator[Callable[[], Run]]:
    """Give a function that runs a program of ours once: where it fails, the machine is at fault, no other program."""
    fix = f"venus languages check {program.language.id}"
    compiled = sandbox.compile(program)
    if not compiled.ok:
        raise SandboxError(f"{what} does not compile", compiled.log[-300:], fix)
    with sandbox.session(compiled, REFERENCE_LIMITS, cores, sampling) as session:

        def once() -> Run:
            (run,) = session.run([b""])
            if not run.clean:
                why = f"exit code {run.exit_code}, signal {run.signal}, limit {run.limit}"
                raise SandboxError(f"{what} failed", why, fix)
            return run.without_output()

        once()  # the first run reads files that later ones find in memory
        yield once


def picked(options: MeasureOptions, reseeded: int) -> Callable[[Sequence[int]], float]:
    """Return what makes one figure of those of the repeats."""
    # Of other inputs the minimum would be the figure of the easiest one, a prize for being quick on few of them; of
    # more repeats it is lower.
    fair_minimum = options.aggregate == "min" and not reseeded and not options.adaptive
    return min if fair_minimum else statistics.median


def summarise(
    rounds: Sequence[Round],
    tests: int,
    options: MeasureOptions,
    noise: Sequence[str] = (),
    reseeded: int = 0,
    modelled: Modelled = NOT_MODELLED,
) -> Measurement:
    """Return the measurement that the rounds of one program add up to, with what the model of the session says."""
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
    pick = picked(options, reseeded)

    def total(figure: Callable[[Run], int]) -> int:
        # Each test has a minimum of its own: a disturbance rarely hits the same test in every repeat.
        return round(sum(pick([figure(r.runs[t]) for r in clean]) for t in range(tests)))

    ratios = [ratio for r in clean if (ratio := r.relative_time) is not None]
    return Measurement(
        wall_ns=total(lambda run: run.wall_ns),
        cpu_ns=total(lambda run: run.cpu_ns),
        peak_bytes=max(round(pick([r.runs[t].peak_bytes for r in clean])) for t in range(tests)),
        integral_byte_ns=total(lambda run: run.integral_byte_ns),
        integral_error_byte_ns=total(lambda run: run.integral_error_byte_ns),
        wall_spread=spread([sum(run.wall_ns for run in r.runs) for r in clean]),
        cpu_spread=spread([sum(run.cpu_ns for run in r.runs) for r in clean]),
        integral_spread=spread([sum(run.integral_byte_ns for run in r.runs) for r in clean]),
        relative_spread=spread(ratios),
        repeats=len(clean),
        tests=tests,
        noise=tuple(flags),
        reseeded=reseeded,
        **modelled._asdict(),
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
    figure: float | None = getattr(measurement, TIMES[rank])
    return figure


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
    """Return what a reader needs to know of the machine that measured: kernel, processor, toolchains, libraries."""
    models = [line.split(":", 1)[1].strip() for line in read_lines("/proc/cpuinfo") if line.startswith("model name")]
    uname, chosen = os.uname(), list(languages)
    there = {each.id: [name for name, found in installed(each).items() if found] for each in chosen}
    return {
        "cpu": next(iter(models), None),
        "cores": len(usable_cores()),
        "architecture": uname.machine,
        "kernel": uname.release,
        "governor": next(iter(read_lines("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")), None),
        "smt": next(iter(read_lines("/sys/devices/system/cpu/smt/active")), None),
        "toolchains": {language.id: versions[language.id] for language in chosen if language.id in versions},
        **({"libraries": {name: libraries for name, libraries in there.items() if libraries}} if chosen else {}),
    }


def own_peak_bytes() -> int:
    """Return the largest resident set this process has had.

    Not `ru_maxrss`: exec keeps the peak of what it replaces, so the child of a large process would start with that.
    """
    peak = next(line for line in read_lines("/proc/self/status") if line.startswith("VmHWM:"))
    return int(peak.split()[1]) * KIB
