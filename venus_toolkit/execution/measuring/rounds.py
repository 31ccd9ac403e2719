"""Computes the figures of programs, with standard errors, from the rounds of a measuring session.

measure.py runs the rounds. This module aggregates them by round, by test and in total, and selects
the programs that need another round.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from venus_toolkit.core.records import (
    NS_PER_MS,
    NS_PER_S,
    REPEATS_DISAGREE,
    Judgement,
    Measurement,
    Run,
    Verdict,
)
from venus_toolkit.execution.measuring.adaptive import unsettled
from venus_toolkit.execution.measuring.estimator import (
    Estimate,
    MeasuringSession,
    estimate,
    student_quantile,
)
from venus_toolkit.execution.sandbox.supervisor import Cores, Sampling

# The version of the definition of figures: journals and caches with another version are not used.
FIGURES = 2
# Figures that are sums over the tests and have standard errors.
MODELLED = ("wall_ns", "cpu_ns", "integral_byte_ns")
FLOOR_RUNS = 3  # runs of the empty program in each repeat
NOISY_DRIFT = 0.10  # spread of the reference program's time between rounds
NOISY_SWITCHES_PER_S = 200
NS_BETWEEN_SAMPLES = 100_000  # of memory, by a supervisor with its own core
DISAGREEMENT = (
    "sources_disagree"  # noise flag: two sources of a run's figures contradict each other
)
# Repeats disagree if noise explains their difference with a probability below 0.001. Noise is
# assumed to have the tails of Student's distribution with five degrees of freedom.
# docs/measurement.md has the rate of false alarms.
SIGNIFICANCE, HEAVY_TAILS = 0.999, 5
# The factor by which other programs on the machine may slow a judged run: with a load of 7 to 16 on
# two cores, up to 1.9 was measured (docs/measurement.md).
SHARED = 2.5
MIN_SAVING = 0.03  # share of the cost that a test must save to be examined separately
# Noise flag: a measured run printed a wrong output, so the program has no figures.
WRONG_OUTPUT = "wrong_output"


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """The options for measuring.

    Attributes:
        repeats: The number of rounds of each program, each over all tests; with `adaptive`, the
            maximum.
        aggregate: How the repeats of a test become one figure, ``min`` or ``median``. With
            `adaptive`, the figures come from the model of the session, since the minimum of two
            repeats is not comparable with the minimum of five.
        interval_ns: The time between two samples of memory.
        adaptive: Only programs whose rank is open run again (adaptive.py).
    """

    repeats: int = 3
    aggregate: str = "min"
    interval_ns: int = NS_BETWEEN_SAMPLES
    adaptive: bool = False

    def sampling(self, cores: Cores, trace: bool = False) -> Sampling:
        """Return how memory is sampled: at most once a millisecond on the program's own core."""
        return Sampling(
            self.interval_ns if cores.apart else max(self.interval_ns, NS_PER_MS), trace
        )


class Round(NamedTuple):
    """One pass of one program over all tests.

    Attributes:
        runs: The runs, one for each test.
        reference_cpu_ns: The mean CPU time of the reference program before and after; None: it did
            not run.
        clean: Whether the round counts: all tests ran successfully, and no sources of figures
            contradict each other.
        at_ns: The middle of the round, by a monotonic clock.
    """

    runs: tuple[Run, ...]
    reference_cpu_ns: float | None
    clean: bool
    at_ns: float = 0

    @property
    def relative_time(self) -> float | None:
        """The CPU time of all runs as a multiple of the reference's."""
        cpu_ns = sum(run.cpu_ns for run in self.runs)
        return cpu_ns / self.reference_cpu_ns if self.reference_cpu_ns else None

    @property
    def figures(self) -> Repeat:
        """The cost of the program in this round."""
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
    """The cost of a program in one round over all tests; all None if the round does not count."""

    wall_ns: int | None = None
    cpu_ns: int | None = None
    peak_bytes: int | None = None
    integral_byte_ns: int | None = None
    relative_time: float | None = None


class Reference(NamedTuple):
    """A run of the reference program: its CPU time, and the middle of the run."""

    cpu_ns: float
    at_ns: float


class ModelFigures(NamedTuple):
    """The figures of a program from the model of a session (see `Measurement`); None: unknown."""

    relative_time: float | None = None
    relative_se: float | None = None
    wall_se: float | None = None
    cpu_se: float | None = None
    integral_se: float | None = None


class Rejection(NamedTuple):
    """The verdict on a measured run of a program that was accepted before, and its reason."""

    verdict: Verdict
    reason: str


class CostOnTest(NamedTuple):
    """The cost of a program on one test: of each figure, the minimum or median of clean repeats.

    The peak of a measurement is the maximum over the tests; its other figures are sums.
    """

    wall_ns: int
    cpu_ns: int
    peak_bytes: int
    integral_byte_ns: int


class FirstRuns(NamedTuple):
    """The cost of a program on each test while it was judged, which is its first run on the inputs.

    `shared`: other programs ran on the machine at the same time.
    """

    costs: tuple[CostOnTest, ...]
    shared: bool


def costs_of_runs(runs: Iterable[Run]) -> tuple[CostOnTest, ...]:
    """Return the cost of each run."""
    return tuple(
        CostOnTest(run.wall_ns, run.cpu_ns, run.peak_bytes, run.integral_byte_ns) for run in runs
    )


class Measured(NamedTuple):
    """The figures of a program.

    Attributes:
        total: Its figures over all repeats.
        repeats: Its figures in each repeat.
        rejection: A measured run failed its test.
        uncounted: Why its instructions could not be counted.
        on_tests: Its figures on each test; empty if it has none, or if they are not kept.
    """

    total: Measurement
    repeats: tuple[Repeat, ...]
    rejection: Rejection | None = None
    uncounted: str = ""
    on_tests: tuple[CostOnTest, ...] = ()

    def decided(self, judged: Judgement) -> Judgement:
        """Return the final judgement on the program, which includes its measured runs."""
        if self.rejection is None:
            return judged
        return replace(judged, verdict=self.rejection.verdict, reason=self.rejection.reason)


@dataclass(frozen=True)  # without slots, which cached properties do not support
class Rounds:
    """All rounds of some programs of one problem.

    Attributes:
        options: The options of the session.
        tests: The number of tests.
        of_each: The rounds of each program, in order.
        noise: Noise flags for the whole session.
        rejections: Why a measured run was wrong, by the index of its program.
        own_inputs: The indices of the tests whose input differs between all repeats.
        references: The runs of the reference program between the rounds, if any.
        floor: The runs of the empty program in each repeat, if any.
        judged: The first runs of each program, from judging it on these inputs; None: unknown.
            Empty: unknown for all programs.
    """

    options: MeasureOptions
    tests: int
    of_each: tuple[tuple[Round, ...], ...]
    noise: tuple[str, ...] = ()
    rejections: Mapping[int, Rejection] = field(default_factory=dict)
    own_inputs: frozenset[int] = frozenset()
    references: tuple[Reference, ...] = ()
    floor: tuple[tuple[Run, ...], ...] = ()
    judged: tuple[FirstRuns | None, ...] = ()

    @property
    def reseeded(self) -> int:
        """The number of tests whose input differs between all repeats."""
        return len(self.own_inputs)

    def measured(self, index: int) -> Measured:
        """Return the figures of one program.

        A program that failed a test while it was measured has none: it may be fast because it
        cheats.
        """
        rounds, rejection = self.of_each[index], self.rejections.get(index)
        wrong = rejection is not None and rejection.verdict == Verdict.WRONG_ANSWER
        if rejection:
            rounds = tuple(this_round._replace(clean=False) for this_round in rounds)
        noise = (*self.noise, *([WRONG_OUTPUT] if wrong else []))
        total = summarise(
            rounds, self.tests, self.options, noise, self.reseeded, self.modelled[index]
        )
        on_tests = self._on_tests(rounds, index)
        if self.options.adaptive and on_tests:
            total = replace(
                total,
                **{
                    name: sum(getattr(this_round, name) for this_round in on_tests)
                    for name in MODELLED
                },
            )
        if first := self._disagreement(index, rounds):
            total = self._of_first_run(total, first)
            on_tests = first
        if total.repeats and self._floor:
            wall_ns, cpu_ns, peak_bytes = self._floor
            total = replace(
                total, floor_wall_ns=wall_ns, floor_cpu_ns=cpu_ns, floor_peak_bytes=peak_bytes
            )
        # A program that did not compile has no rounds, but an entry for each repeat.
        missing = 0 if self.options.adaptive else self.options.repeats - len(rounds)
        figures = (*(this_round.figures for this_round in rounds), *[Repeat()] * missing)
        return Measured(total, figures, rejection, on_tests=on_tests)

    def _disagreement(self, index: int, rounds: Sequence[Round]) -> tuple[CostOnTest, ...] | None:
        """Return the cost of a program's first run if later ones are significantly cheaper.

        A program that stores answers, by whatever channel, computes them in its first run and looks
        them up later. The first run is the judged one and, if that is unknown or agrees, the first
        repeat. All tests are compared together, and each one alone if it saves enough: a figure is
        the sum of each test's cheapest repeat, so a program may look up another test in each.
        """
        clean = [this_round for this_round in rounds if this_round.clean]
        tests = [test for test in range(self.tests) if test not in self.own_inputs]
        if not clean or not tests:
            return None
        repeats = [costs_of_runs(this_round.runs) for this_round in clean]
        later = np.array([max(min(costs[test].cpu_ns for costs in repeats), 1) for test in tests])
        judged = self.judged[index] if self.judged else None
        firsts = [(judged.costs, math.log(SHARED) if judged.shared else 0.0)] if judged else []
        for costs, sharing in [*firsts, (repeats[0], 0.0)]:
            first = np.array([max(costs[test].cpu_ns, 1) for test in tests])
            # A burst of other load at most doubles the time of a run. One run is allowed a burst,
            # and one more out of every five.
            saved = first - later
            bursts = np.clip(saved, 0, later)
            suspects = np.flatnonzero(saved - bursts > MIN_SAVING * later.sum())
            for chosen in ([*range(len(tests))], *([place] for place in suspects)):
                cost_ns = int(later[chosen].sum())
                allowed_bursts = 1 + len(chosen) // 5
                noise_ns = np.sort(bursts[chosen])[-allowed_bursts:].sum()
                gain = math.log((first[chosen].sum() - noise_ns) / cost_ns)
                allowed = self._noise_between(index, [tests[place] for place in chosen], cost_ns)
                if allowed is not None and gain > allowed + sharing:
                    return costs
        return None

    def _noise_between(self, index: int, tests: Sequence[int], cost_ns: int) -> float | None:
        """Return how much the logarithms of two repeats may differ due to noise; None: unknown.

        The program itself is under suspicion, so the noise is that of the reference program, or of
        the other programs if there is none. The empty program adds the noise that does not grow
        with the cost.
        """
        others = [
            [
                sum(this_round.runs[test].cpu_ns for test in tests)
                for this_round in rounds
                if this_round.clean
            ]
            for place, rounds in enumerate(self.of_each)
            if place != index and place not in self.rejections
        ]
        samples = [[run.cpu_ns for run in self.references]] if self.references else others
        logs = [np.log(np.maximum(costs, 1)) for costs in samples if len(costs) > 1]
        if not logs:
            return None
        variance = float(np.median([values.var(ddof=1) for values in logs]))
        freedom = min(map(len, logs)) - 1
        empty = np.array([run.cpu_ns for runs in self.floor for run in runs], dtype=np.float64)
        if len(empty) > 1:
            if freedom < HEAVY_TAILS:  # too few runs of the reference: pool with the empty program
                more = len(empty) - 1
                variance = freedom * variance + more * float(np.log(empty).var(ddof=1))
                freedom += more
                variance /= freedom
            variance += len(tests) * float(empty.var(ddof=1)) / cost_ns**2
        freedom = min(HEAVY_TAILS, freedom)
        return student_quantile(SIGNIFICANCE, freedom) * math.sqrt(2 * variance)

    def _of_first_run(self, total: Measurement, first: Sequence[CostOnTest]) -> Measurement:
        """Return the figures of the first run, which have no spread and no standard error."""
        cpu_ns = sum(run.cpu_ns for run in first)
        reference = [run.cpu_ns for run in self.references]
        return replace(
            total,
            wall_spread=None,
            cpu_spread=None,
            integral_spread=None,
            relative_spread=None,
            wall_se=None,
            cpu_se=None,
            integral_se=None,
            relative_se=None,
            wall_ns=sum(run.wall_ns for run in first),
            cpu_ns=cpu_ns,
            peak_bytes=max(run.peak_bytes for run in first),
            integral_byte_ns=sum(run.integral_byte_ns for run in first),
            relative_time=cpu_ns / statistics.median(reference) if reference else None,
            repeats=1,
            noise=(*total.noise, REPEATS_DISAGREE),
        )

    def _on_tests(self, rounds: Sequence[Round], index: int) -> tuple[CostOnTest, ...]:
        clean = [this_round for this_round in rounds if this_round.clean]
        pick = aggregator(self.options, self.reseeded)
        if not clean:
            return ()

        def figure(name: str, test: int) -> int:
            if self.options.adaptive and name in MODELLED:
                return round(float(self._modelled[name].of_tests[index, test]))
            return round(pick([int(getattr(this_round.runs[test], name)) for this_round in clean]))

        return tuple(
            CostOnTest(*(figure(name, test) for name in CostOnTest._fields))
            for test in range(self.tests)
        )

    @cached_property
    def modelled(self) -> tuple[ModelFigures, ...]:
        """The figures of each program from the model of the session, without rejected programs."""
        cpu = estimate(self._session("cpu_ns", self.references))
        columns = [cpu.relative, np.where(np.isnan(cpu.relative), np.nan, cpu.se)]
        columns += [self._modelled[name].se for name in MODELLED]
        return tuple(
            ModelFigures(*(None if np.isnan(value) else float(value) for value in row))
            for row in zip(*columns, strict=True)
        )

    @cached_property
    def _modelled(self) -> Mapping[str, Estimate]:
        # With `adaptive`, programs run in different rounds, so the drift of the machine is removed
        # from their figures.
        return {
            name: estimate(self._session(name), drift=self.options.adaptive) for name in MODELLED
        }

    @property
    def unsettled(self) -> list[int]:
        """The indices of the programs whose rank in time another round may decide."""
        session = self._session("cpu_ns", self.references)
        return unsettled(session, estimate(session), self.options.repeats)

    def _session(self, figure: str, references: Sequence[Reference] = ()) -> MeasuringSession:
        repeats = max(map(len, self.of_each), default=0)
        costs = np.full((len(self.of_each), repeats, self.tests), np.nan)
        at = np.zeros(costs.shape[:2])
        for program, rounds in enumerate(self.of_each):
            for repeat, this_round in enumerate(rounds):
                at[program, repeat] = this_round.at_ns
                if this_round.clean and program not in self.rejections:
                    # at least 1, because logarithms are taken
                    costs[program, repeat] = [
                        max(getattr(run, figure), 1) for run in this_round.runs
                    ]
        cpu_ns, when = (np.array([run[part] for run in references]) for part in range(2))
        return MeasuringSession(costs, at, cpu_ns, when, self.reseeded > 0, self.options.adaptive)

    @cached_property
    def _floor(self) -> tuple[int, int, int] | None:
        """Wall time, CPU time and peak of the empty program, over the same number of tests."""
        if not self.floor:
            return None
        empty = [Round(runs, None, True) for runs in self.floor]
        floor = summarise(empty, FLOOR_RUNS, self.options, reseeded=self.reseeded)
        wall_ns, cpu_ns = (
            round((value or 0) / FLOOR_RUNS * self.tests) for value in (floor.wall_ns, floor.cpu_ns)
        )
        return wall_ns, cpu_ns, floor.peak_bytes or 0


def aggregator(options: MeasureOptions, reseeded: int) -> Callable[[Sequence[int]], float]:
    """Return the function that turns the figures of all repeats into one, `min` or `median`."""
    # If repeats have different inputs, the minimum would be the figure of the easiest one. If
    # programs have different numbers of repeats, it would be lower for more repeats.
    fair_minimum = options.aggregate == "min" and not reseeded and not options.adaptive
    return min if fair_minimum else statistics.median


def summarise(
    rounds: Sequence[Round],
    tests: int,
    options: MeasureOptions,
    noise: Sequence[str] = (),
    reseeded: int = 0,
    modelled: ModelFigures | None = None,
) -> Measurement:
    """Return the measurement of one program from its rounds and the model of the session."""
    clean = [r for r in rounds if r.clean]
    drift = spread([r.reference_cpu_ns for r in clean if r.reference_cpu_ns is not None])
    wall_ns = sum(run.wall_ns for r in clean for run in r.runs)
    switches = sum(run.involuntary_switches for r in clean for run in r.runs)
    checks = {
        "failed_repeat": len(clean) < len(rounds),
        DISAGREEMENT: any(run.disagreement for r in rounds for run in r.runs),
        "reference_drift": drift is not None and drift > NOISY_DRIFT,
        "involuntary_switches": wall_ns > 0
        and switches * NS_PER_S / wall_ns > NOISY_SWITCHES_PER_S,
    }
    flags = [*noise, *(flag for flag, noisy in checks.items() if noisy)]
    if not clean:
        return Measurement(repeats=0, tests=tests, noise=tuple(flags), reseeded=reseeded)
    pick = aggregator(options, reseeded)

    def total(figure: Callable[[Run], int]) -> int:
        # The minimum of each test, since a disturbance rarely hits the same test in every repeat.
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
        **(modelled or ModelFigures())._asdict(),
    )


def spread(values: Sequence[float]) -> float | None:
    """Return (largest - smallest) / smallest, or None for fewer than two values or zeros."""
    return (
        (max(values) - min(values)) / min(values) if len(values) > 1 and min(values) > 0 else None
    )
