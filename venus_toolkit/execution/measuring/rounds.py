"""What the rounds of a measuring session add up to.

The figures of each program, with their standard errors.

measure.py runs the rounds. Here is what they mean: what a program cost in each, on each test and
altogether, and which programs have to run again before their ranks are known.
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

# the version of what figures mean: those of another one in a journal or cache are measured again
FIGURES = 2
# figures that are sums over the tests, and have standard errors
MODELLED = ("wall_ns", "cpu_ns", "integral_byte_ns")
FLOOR_RUNS = 3  # of the empty program in each repeat
NOISY_DRIFT = 0.10  # how much the reference program itself may move between rounds
NOISY_SWITCHES_PER_S = 200
NS_BETWEEN_SAMPLES = 100_000  # of memory, by a supervisor with a core of its own
DISAGREEMENT = "sources_disagree"  # noise flag: two sources of a run's figures cannot both be right
# Repeats disagree beyond what noise does once in a thousand times, noise having tails as heavy as
# Student's distribution with five degrees of freedom. docs/measurement.md has false alarms.
SURELY, HEAVY_TAILS = 0.999, 5
# A judged run that shared the machine with others may cost so many times more: at a load of 7 to 12
# on two cores, up to 1.7 times (docs/measurement.md).
SHARED = 2.5
WORTH = 0.03  # share of the cost that one test has to save to be looked at by itself
# noise flag: what was measured is not what was judged, and has no figures
WRONG_OUTPUT = "wrong_output"


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """How to measure.

    Attributes:
        repeats: How often each program runs all tests; with `adaptive` at most.
        aggregate: How the repeats of a test become one figure, ``min`` or ``median``. With
            `adaptive` the figures are those of the model of the session: the minimum of two does
            not compare with the minimum of five.
        interval_ns: Between two samples of memory.
        adaptive: Only programs whose rank is open run again (adaptive.py).
    """

    repeats: int = 3
    aggregate: str = "min"
    interval_ns: int = NS_BETWEEN_SAMPLES
    adaptive: bool = False

    def sampling(self, cores: Cores, trace: bool = False) -> Sampling:
        """Return how memory is sampled.

        On the program's own core more than once a millisecond would disturb it.
        """
        return Sampling(
            self.interval_ns if cores.apart else max(self.interval_ns, NS_PER_MS), trace
        )


class Round(NamedTuple):
    """One pass of one program over all tests, with the reference's CPU time beside it.

    None where that did not run.

    clean says whether it counts: all tests ran and ended well, and no sources disagree about
    figures. at_ns is the middle of the time that it took, by a clock that never goes back.
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
    """What a program cost in one round over all tests.

    All None where it did not end well in each.
    """

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
    """What the model of a session says of a program (see `Measurement`).

    None where it is not known.
    """

    relative_time: float | None = None
    relative_se: float | None = None
    wall_se: float | None = None
    cpu_se: float | None = None
    integral_se: float | None = None


class Rejection(NamedTuple):
    """Why a program that was judged right fails after all.

    How a measured run of it ended, or what it printed.
    """

    verdict: Verdict
    reason: str


class CostOnTest(NamedTuple):
    """What a program costs on one test, each figure by itself the smallest or the median of the clean repeats.

    Over the tests, the largest peak is that of the measurement, and the sums of the others are its
    other figures.
    """

    wall_ns: int
    cpu_ns: int
    peak_bytes: int
    integral_byte_ns: int


class FirstRuns(NamedTuple):
    """What a program cost on each test when it was judged, its first run on these inputs.

    `shared`: other programs ran on the machine at the same time.
    """

    costs: tuple[CostOnTest, ...]
    shared: bool


def costs_of_runs(runs: Iterable[Run]) -> tuple[CostOnTest, ...]:
    """Return what runs cost, one on each test."""
    return tuple(
        CostOnTest(run.wall_ns, run.cpu_ns, run.peak_bytes, run.integral_byte_ns) for run in runs
    )


class Measured(NamedTuple):
    """A program's figures over all repeats, and those of each.

    Rejection: a measured run of it failed its test.

    uncounted: why its instructions are not known, where they were to be counted.
    on_tests: its figures on each test, in their order; empty where it has none, or nobody asked for
    them.
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
        own_inputs: The tests, by index, on which each repeat had an input of its own.
        references: The runs of the reference program, between the programs; none: there was no
            reference.
        floor: The runs of the empty program, by repeat; none: there was none.
        judged: For each program its first run on each test, where it was judged on these inputs
            before; None: that is not known. Empty: of no program.
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
        """On how many tests each repeat had an input of its own."""
        return len(self.own_inputs)

    def measured(self, index: int) -> Measured:
        """Return what one program costs.

        A program that failed a test while it was measured has no figures: it may be quick because
        it cheats.
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
        # What did not compile has no rounds, and yet an entry for each repeat.
        lost = [] if self.options.adaptive else [Repeat()] * (self.options.repeats - len(rounds))
        figures = (*(this_round.figures for this_round in rounds), *lost)
        return Measured(total, figures, rejection, on_tests=on_tests)

    def _disagreement(self, index: int, rounds: Sequence[Round]) -> tuple[CostOnTest, ...] | None:
        """Return what a program cost in its first run, where a later one is surely cheaper.

        Else None.

        A program that remembers inputs, by whatever channel, computes in its first run and looks up
        in later ones. That is the judged run; where this is not known, or agrees, the first repeat.
        All tests are compared together, and each by itself where it is worth anything: a figure is
        the sum of each test's cheapest repeat, so a program may look up another test in each.
        """
        clean = [item for item in rounds if item.clean]
        tests = [test for test in range(self.tests) if test not in self.own_inputs]
        if not clean or not tests:
            return None
        repeats = [costs_of_runs(item.runs) for item in clean]
        later = np.array([max(min(item[test].cpu_ns for item in repeats), 1) for test in tests])
        judged = self.judged[index] if self.judged else None
        firsts = [(judged.costs, math.log(SHARED) if judged.shared else 0.0)] if judged else []
        for costs, more in [*firsts, (repeats[0], 0.0)]:
            first = np.array([max(costs[test].cpu_ns, 1) for test in tests])
            # Neighbours come for a moment, and make a run twice as long at most: one, and of every
            # five further ones another.
            saved = first - later
            bursts = np.clip(saved, 0, later)
            item = np.flatnonzero(saved - bursts > WORTH * later.sum())
            for chosen in ([*range(len(tests))], *([place] for place in item)):
                cost_ns = int(later[chosen].sum())
                most = 1 + len(chosen) // 5
                noise_ns = np.sort(bursts[chosen])[-most:].sum()
                gain = math.log((first[chosen].sum() - noise_ns) / cost_ns)
                allowed = self._noise_between(index, [tests[place] for place in chosen], cost_ns)
                if allowed is not None and gain > allowed + more:
                    return costs
        return None

    def _noise_between(self, index: int, tests: Sequence[int], cost_ns: int) -> float | None:
        """Return by how much the logarithms of two repeats may differ; None: no noise was seen.

        A program under suspicion says nothing of it. The reference program does, or the others
        where there is none, and the empty program of what does not grow with the cost.
        """
        others = [
            [sum(item.runs[test].cpu_ns for test in tests) for item in rounds if item.clean]
            for place, rounds in enumerate(self.of_each)
            if place != index and place not in self.rejections
        ]
        seen = [[item.cpu_ns for item in self.references]] if self.references else others
        logs = [np.log(np.maximum(costs, 1)) for costs in seen if len(costs) > 1]
        if not logs:
            return None
        variance, freedom = (
            float(np.median([item.var(ddof=1) for item in logs])),
            min(map(len, logs)) - 1,
        )
        empty = np.array([run.cpu_ns for runs in self.floor for run in runs], dtype=np.float64)
        if len(empty) > 1:
            if freedom < HEAVY_TAILS:  # few repeats: as many runs of the reference say too little
                more = len(empty) - 1
                variance = freedom * variance + more * float(np.log(empty).var(ddof=1))
                freedom += more
                variance /= freedom
            variance += len(tests) * float(empty.var(ddof=1)) / cost_ns**2
        freedom = min(HEAVY_TAILS, freedom)
        return student_quantile(SURELY, freedom) * math.sqrt(2 * variance)

    def _of_first_run(self, total: Measurement, first: Sequence[CostOnTest]) -> Measurement:
        """Return the figures of a single run, which have no spread and no error."""
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
        clean, pick = (
            [this_round for this_round in rounds if this_round.clean],
            picked(self.options, self.reseeded),
        )
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
    def modelled(self) -> tuple[Modelled, ...]:
        """What the model of the whole session says of each program.

        A rejected program has no part in it.
        """
        cpu = estimate(self._session("cpu_ns", self.references))
        columns = [cpu.relative, np.where(np.isnan(cpu.relative), np.nan, cpu.se)]
        columns += [self._modelled[name].se for name in MODELLED]
        return tuple(
            Modelled(*(None if np.isnan(value) else float(value) for value in row))
            for row in zip(*columns, strict=True)
        )

    @cached_property
    def _modelled(self) -> Mapping[str, Estimate]:
        # Programs that ran in other rounds met another machine: what it drifted is taken out of
        # their figures.
        return {
            name: estimate(self._session(name), drift=self.options.adaptive) for name in MODELLED
        }

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
            for repeat, item in enumerate(rounds):
                at[program, repeat] = item.at_ns
                if item.clean and program not in self.rejections:
                    # No clock shows nothing; a logarithm must not either.
                    costs[program, repeat] = [max(getattr(run, figure), 1) for run in item.runs]
        cpu_ns, when = (np.array([item[part] for item in references]) for part in range(2))
        return MeasuringSession(costs, at, cpu_ns, when, self.reseeded > 0, self.options.adaptive)

    @cached_property
    def _floor(self) -> tuple[int, int, int] | None:
        """Wall time, CPU time and peak of the empty program on as many tests, taken as those of any program are."""
        if not self.floor:
            return None
        empty = [Round(runs, None, True) for runs in self.floor]
        floor = summarise(empty, FLOOR_RUNS, self.options, reseeded=self.reseeded)
        wall_ns, cpu_ns = (
            round((value or 0) / FLOOR_RUNS * self.tests) for value in (floor.wall_ns, floor.cpu_ns)
        )
        return wall_ns, cpu_ns, floor.peak_bytes or 0


def picked(options: MeasureOptions, reseeded: int) -> Callable[[Sequence[int]], float]:
    """Return what makes one figure of those of the repeats."""
    # Of other inputs the minimum would be the figure of the easiest one, a prize for being quick on
    # few of them; of more repeats it is lower.
    fair_minimum = options.aggregate == "min" and not reseeded and not options.adaptive
    return min if fair_minimum else statistics.median


def summarise(
    rounds: Sequence[Round],
    tests: int,
    options: MeasureOptions,
    noise: Sequence[str] = (),
    reseeded: int = 0,
    modelled: Modelled | None = None,
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
        "involuntary_switches": wall_ns > 0
        and switches * NS_PER_S / wall_ns > NOISY_SWITCHES_PER_S,
    }
    flags = [*noise, *(flag for flag, noisy in seen.items() if noisy)]
    if not clean:
        return Measurement(repeats=0, tests=tests, noise=tuple(flags), reseeded=reseeded)
    pick = picked(options, reseeded)

    def total(figure: Callable[[Run], int]) -> int:
        # Each test has a minimum of its own: a disturbance rarely hits the same test in every
        # repeat.
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
        **(modelled or Modelled())._asdict(),
    )


def spread(values: Sequence[float]) -> float | None:
    """Return (largest - smallest) / smallest, or None where there is nothing to compare."""
    return (
        (max(values) - min(values)) / min(values) if len(values) > 1 and min(values) > 0 else None
    )
