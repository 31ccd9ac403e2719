"""How long and how much: repeats spread over the session, solutions taken in turn, a reference program beside each.

The machine's speed drifts. So every round runs each solution once over all its tests, and right before and after it a
short program of the same language on the same core; the ratio of the two is what the drift cannot touch.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.errors import SandboxError
from venus_toolkit.language import Language
from venus_toolkit.records import KIB, NS_PER_MS, NS_PER_S, Limits, Measurement, Run, TestCase
from venus_toolkit.sandbox import Compiled, Program, Sandbox, Session
from venus_toolkit.supervisor import Cores, Sampling

REFERENCE_LIMITS = Limits(wall_ns=20 * NS_PER_S, cpu_ns=20 * NS_PER_S)
DENSE_START_NS = 3 * NS_PER_MS
NOISY_DRIFT = 0.10
NOISY_STEAL = 0.02
NOISY_PRESSURE = 0.25  # share of the time in which somebody waited for a processor; we ourselves cause some
NOISY_SWITCHES_PER_S = 200


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """How to measure: repeats, how per-test repeats become one figure (``min`` or ``median``), how often to sample."""

    repeats: int = 3
    aggregate: str = "min"
    interval_ns: int = NS_PER_MS


class Round(NamedTuple):
    """One pass of one solution over all tests, with the reference's CPU time beside it; None where that did not run."""

    runs: tuple[Run, ...]
    reference_cpu_ns: float | None
    clean: bool

    @property
    def relative_time(self) -> float | None:
        """The CPU time of all runs, divided by that of the reference."""
        cpu_ns = sum(run.cpu_ns for run in self.runs)
        return cpu_ns / self.reference_cpu_ns if self.reference_cpu_ns else None


class Rounds(NamedTuple):
    """All passes over some programs: for each program its rounds, in order, and the noise of the whole time."""

    of_each: tuple[tuple[Round, ...], ...]
    noise: tuple[str, ...]


def measure(
    sandbox: Sandbox,
    programs: Sequence[Compiled],
    tests: Sequence[TestCase],
    limits: Limits,
    options: MeasureOptions,
    *,
    cores: Cores | None = None,
    trace: bool = False,
    reference: bool = True,
    on_run: Callable[[int, int, Run], None] = lambda *_: None,
    on_round: Callable[[], None] = lambda: None,
) -> list[Measurement]:
    """Measure compiled programs of one language on the same tests, taking turns.

    `on_run` is told the index of the program, that of the test, and the run, with its samples where `trace` is set;
    `on_round` that one program has run all its tests once. Without `reference` no reference program runs beside them,
    and relative times are None: enough where one of the programs is what the others are compared with.

    Returns a Measurement for each program, in order; its figures are None where no repeat ran to its end.

    Raises:
        SandboxError: The sandbox or the reference program failed.
    """
    rounds = take_turns(
        sandbox,
        programs,
        tests,
        limits,
        options,
        cores=cores,
        trace=trace,
        reference=reference,
        on_run=on_run,
        on_round=on_round,
    )
    return [summarise(each, len(tests), options, rounds.noise) for each in rounds.of_each]


def take_turns(
    sandbox: Sandbox,
    programs: Sequence[Compiled],
    tests: Sequence[TestCase],
    limits: Limits,
    options: MeasureOptions,
    *,
    cores: Cores | None = None,
    trace: bool = False,
    reference: bool = True,
    on_run: Callable[[int, int, Run], None] = lambda *_: None,
    on_round: Callable[[], None] = lambda: None,
) -> Rounds:
    """Like measure, and returns every round instead of what they add up to.

    Raises:
        SandboxError: The sandbox or the reference program failed.
    """
    if not programs:
        return Rounds((), ())
    cores = cores or quiet_cores()
    sampling = Sampling(options.interval_ns, trace)
    rounds: list[list[Round]] = [[] for _ in programs]
    before = Pressure.now()
    with ExitStack() as stack:
        stack.enter_context(out_of_the_way(cores))
        beside = _nobody
        if reference:
            beside = stack.enter_context(reference_runner(sandbox, programs[0].program.language, cores))
        cpu_before = beside()
        for repeat in range(options.repeats):
            for index in _turn(len(programs), repeat):
                with sandbox.session(programs[index], limits, cores, sampling) as session:
                    runs = _all_tests(session, tests, partial(on_run, index))
                cpu_after = beside()
                clean = len(runs) == len(tests) and all(run.clean for run in runs)
                rounds[index].append(Round(runs, _mean(cpu_before, cpu_after), clean))
                cpu_before = cpu_after
                on_round()
    return Rounds(tuple(map(tuple, rounds)), tuple(before.since()))


def _nobody() -> float | None:
    return None


def _mean(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else (before + after) / 2


def _turn(count: int, repeat: int) -> Iterable[int]:
    """Every other round backwards, so that nobody always follows the same neighbour."""
    return range(count) if repeat % 2 == 0 else range(count - 1, -1, -1)


def _all_tests(session: Session, tests: Sequence[TestCase], on_run: Callable[[int, Run], None]) -> tuple[Run, ...]:
    runs = []
    for index, run in enumerate(session.run([test.stdin.encode() for test in tests])):
        on_run(index, run)
        runs.append(run.without_output())
        if not run.clean:
            break
    return tuple(runs)


@contextmanager
def reference_runner(sandbox: Sandbox, language: Language, cores: Cores) -> Iterator[Callable[[], float | None]]:
    """Give a function that runs the language's reference program once and returns its CPU time in nanoseconds.

    Raises:
        SandboxError: The reference program does not compile or does not run.
    """
    compiled = sandbox.compile(Program(language, language.reference))
    if not compiled.ok:
        raise SandboxError(
            f"the reference program of {language.name} does not compile",
            compiled.log[-300:],
            f"venus languages check {language.id}",
        )
    with sandbox.session(compiled, REFERENCE_LIMITS, cores) as session:

        def once() -> float:
            (run,) = session.run([b""])
            if not run.clean:
                why = f"exit code {run.exit_code}, signal {run.signal}, limit {run.limit}"
                raise SandboxError(
                    f"the reference program of {language.name} failed", why, f"venus languages check {language.id}"
                )
            return run.cpu_ns

        once()  # the first run reads files that later ones find in memory
        yield once


# ------------------------------------------------------------------ summing up


def summarise(rounds: Sequence[Round], tests: int, options: MeasureOptions, noise: Sequence[str] = ()) -> Measurement:
    """Return the measurement that the rounds of one program add up to."""
    clean = [r for r in rounds if r.clean]
    flags = [*noise, *(["failed_repeat"] if len(clean) < len(rounds) else []), *_drift(clean)]
    if not clean:
        return Measurement(*(None,) * 10, repeats=0, tests=tests, noise=tuple(flags))
    pick = min if options.aggregate == "min" else statistics.median

    def total(figure: Callable[[Run], int]) -> int:
        return round(sum(pick(figure(r.runs[t]) for r in clean) for t in range(tests)))

    ratios = [ratio for r in clean if (ratio := r.relative_time) is not None]
    return Measurement(
        wall_ns=total(lambda run: run.wall_ns),
        cpu_ns=total(lambda run: run.cpu_ns),
        peak_bytes=max(round(pick(r.runs[t].peak_bytes for r in clean)) for t in range(tests)),
        integral_byte_ns=total(lambda run: run.integral_byte_ns),
        integral_error_byte_ns=total(lambda run: run.integral_error_byte_ns),
        relative_time=statistics.median(ratios) if ratios else None,
        wall_spread=spread([sum(run.wall_ns for run in r.runs) for r in clean]),
        cpu_spread=spread([sum(run.cpu_ns for run in r.runs) for r in clean]),
        integral_spread=spread([sum(run.integral_byte_ns for run in r.runs) for r in clean]),
        relative_spread=spread(ratios),
        repeats=len(clean),
        tests=tests,
        noise=tuple(flags),
    )


def spread(values: Sequence[float]) -> float | None:
    """Return (largest - smallest) / smallest, or None where there is nothing to compare."""
    return (max(values) - min(values)) / min(values) if len(values) > 1 and min(values) > 0 else None


def _drift(rounds: Sequence[Round]) -> list[str]:
    moved = spread([r.reference_cpu_ns for r in rounds if r.reference_cpu_ns is not None])
    wall = sum(run.wall_ns for r in rounds for run in r.runs)
    switches = sum(run.involuntary_switches for r in rounds for run in r.runs)
    flags = ["reference_drift"] if moved is not None and moved > NOISY_DRIFT else []
    return [*flags, *(["involuntary_switches"] if wall and switches * NS_PER_S / wall > NOISY_SWITCHES_PER_S else [])]


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


# ------------------------------------------------------------------ where to measure, and how quiet it is


@contextmanager
def out_of_the_way(cores: Cores) -> Iterator[None]:
    """Keep the calling thread, and what it starts, off the program's core."""
    before = os.sched_getaffinity(0)
    if cores.apart:
        os.sched_setaffinity(0, before - {cores.program} or before)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def usable_cores() -> list[int]:
    """Return the processors this process may use."""
    return sorted(os.sched_getaffinity(0))


def quiet_cores() -> Cores:
    """Return the cores to measure on: the program on the last one, the supervisor on another where there is one."""
    cores = usable_cores()
    return Cores(cores[-1], cores[-2] if len(cores) > 1 else cores[-1], DENSE_START_NS)


class Pressure(NamedTuple):
    """What the kernel says of others wanting the processor: stolen and total ticks, and time waited in µs."""

    stolen: int
    total: int
    waiting_us: int | None
    at_ns: int

    @classmethod
    def now(cls) -> Pressure:
        """Read /proc/stat and /proc/pressure/cpu."""
        ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
        return cls(ticks[7] if len(ticks) > 7 else 0, sum(ticks[:8]), _waiting_us(), time.monotonic_ns())

    def since(self) -> list[str]:
        """Return the noise flags for the time since this reading."""
        after = Pressure.now()
        stolen = (after.stolen - self.stolen) / max(after.total - self.total, 1)
        waited = 1000 * ((after.waiting_us or 0) - (self.waiting_us or 0)) / max(after.at_ns - self.at_ns, 1)
        found = {"stolen_time": stolen > NOISY_STEAL, "cpu_pressure": waited > NOISY_PRESSURE}
        return [flag for flag, seen in found.items() if seen]


def _waiting_us() -> int | None:
    try:
        return int(Path("/proc/pressure/cpu").read_text().split("total=")[1].split()[0])
    except (OSError, IndexError, ValueError):
        return None


def environment_facts(languages: Iterable[Language], versions: Mapping[str, str]) -> dict[str, object]:
    """Return what a reader needs to know of the machine that measured: kernel, processor, toolchain versions."""
    cpu = next(
        (line.split(":", 1)[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")), None
    )
    uname = os.uname()
    return {
        "cpu": cpu,
        "cores": len(usable_cores()),
        "architecture": uname.machine,
        "kernel": uname.release,
        "governor": _first("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "smt": _first("/sys/devices/system/cpu/smt/active"),
        "toolchains": {language.id: versions[language.id] for language in languages if language.id in versions},
    }


def own_peak_bytes() -> int:
    """Return the largest resident set this process has had.

    Not `ru_maxrss`: exec keeps the peak of what it replaces, so the child of a large process would start with that.
    """
    peak = next(line for line in _lines("/proc/self/status") if line.startswith("VmHWM:"))
    return int(peak.split()[1]) * KIB


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def _first(path: str) -> str | None:
    lines = _lines(path)
    return lines[0] if lines else None
