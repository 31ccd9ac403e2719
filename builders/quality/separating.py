"""Inputs that separate: the few, of a problem's large inputs, on which accepted solutions differ most in cost.

panel     accepted solutions of one language, spread from the cheapest to the costliest
cost      instructions where something counts them, else CPU time, of a short run the mean of several
apart     two programs whose costs over a set of inputs differ by more than a measurement is uncertain (ranking.py)

A set of inputs is better than another where it brings more pairs of the panel apart; of equals,
where costs net of the floor, that of an empty program, are further from each other. The panel runs
on candidates, and inputs are taken greedily. Then the best one is varied: other seeds, patterns and
sizes for as long as that makes a better set. The search ends as soon as every pair is apart beyond
doubt. All runs together are bounded by a budget in the unit of the costs, so that a choice by
counts is the same on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from venus_toolkit.builders.quality.coverage import RunMode, observe
from venus_toolkit.builders.quality.minimal import size_of
from venus_toolkit.core.records import EFFICIENCY, NS_PER_MS, NS_PER_S, Limits, TestCase
from venus_toolkit.execution.judging.generators import Request
from venus_toolkit.execution.measuring.counting import open_counter
from venus_toolkit.execution.measuring.estimator import Floats
from venus_toolkit.execution.measuring.ranking import Costs, costlier
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

# accepted solutions that run on one input, and those of them that run on all
PROGRAMS, PANEL = 10, 6
CANDIDATES, BATCH = 30, 6  # inputs that the panel runs on, so many at a time
FEWEST = 4  # inputs that are taken though the first ones alone are as good: one input is no figure
INSTRUCTIONS = 20e9  # for a problem: about a minute of a core under emulation
CPU_NS = 6.0 * NS_PER_S  # for a problem where nothing counts
# standard error of one timed run, as a share of it: sums over inputs do what repeats would
SINGLE_RUN = 0.03
SEPARATES, CLIMBED = "separates", "separates, by search"


@dataclass(frozen=True)
class Search:
    """What inputs that separate are sought with.

    Attributes:
        programs: Accepted solutions of one language.
        empty: The program of that language that does nothing; None: the floor is not known.
        read: Returns what a program costs on the first inputs: it ends with the first one that has
            no cost.
        make: Makes inputs that the problem allows; those that cannot be made are left out.
        sizes: The sizes of large inputs that the generator takes.
        budget: What all runs may cost together.
        seed: Of the variations.
    """

    programs: Sequence[Program]
    empty: Program | None
    read: Callable[[Program, Sequence[TestCase]], Costs]
    make: Callable[[Sequence[Request]], Sequence[TestCase]]
    sizes: Sequence[str]
    budget: float
    seed: str


def separating(search: Search, candidates: Sequence[TestCase], count: int) -> list[TestCase]:
    """Return at most `count` tests for efficiency that tell accepted solutions apart best, the best one first.

    Each says in `adds` whether it is a candidate or was found by the search. None where fewer than
    two solutions have costs on the candidates: then there is nothing to tell apart.
    """
    if len(search.programs) < 2 or not candidates or count <= 0:
        return []
    largest = max(map(size_of, candidates))
    large_share = 0.1  # of the bytes of the largest candidate: smaller ones come last
    ordered = sorted(candidates, key=lambda test: size_of(test) < large_share * largest)[
        :CANDIDATES
    ]
    trial = _PanelCosts(search, ordered[0])
    best = _InputSet()
    # Of the budget, after which no more of them are run: the rest is for the climb
    candidates_share = 0.6
    for first in range(0, len(ordered), BATCH):
        if trial.settled(best) or trial.used > candidates_share * search.budget:
            break
        trial.run(ordered[first : first + BATCH])
        best = trial.choose(count)
    if best.places and search.sizes and not trial.settled(best):
        best = _climbed(trial, best, count)
    known = {test.test_id for test in candidates}
    return [
        replace(test, role=EFFICIENCY, adds=SEPARATES if test.test_id in known else CLIMBED)
        for test in (trial.tests[place] for place in best.places)
    ]


class _InputSet(NamedTuple):
    """Places of inputs, how many pairs they bring apart, and how far.

    distance is that of log net costs, the mean over all pairs.
    """

    places: tuple[int, ...] = ()
    apart: int = -1
    distance: float = 0.0

    def better_than(self, other: _InputSet) -> bool:
        """Whether it is worth an input or a change."""
        mine, theirs = (min(len(each.places), FEWEST) for each in (self, other))
        wider = 1.01  # times the distance between costs: less is not worth an input
        if (mine, self.apart) == (theirs, other.apart):
            return self.distance > wider * other.distance
        return (mine, self.apart) > (theirs, other.apart)


def _climbed(trial: _PanelCosts, best: _InputSet, count: int) -> _InputSet:
    """Vary the best input as long as that makes a better set."""
    draw = random.Random(trial.search.seed)
    waited = 0
    period = 180  # seeds after which most generators begin with the same pattern again
    seeds = 1_000_000
    # of the climb, inputs in each, rounds in a row without a better set
    rounds, variations, patience = 6, 4, 2
    for _ in range(rounds):
        parent = trial.tests[best.places[0]]
        seed = parent.seed or 0
        own, other = parent.size or draw.choice(trial.search.sizes), draw.choice(trial.search.sizes)
        asked = [
            # the same pattern, drawn anew
            Request(own, seed + period * draw.randrange(1, seeds // period)),
            Request(own, draw.randrange(seeds)),
            Request(other, draw.randrange(seeds)),
            Request(other, seed + period),
        ][:variations]
        known = {test.stdin for test in trial.tests}
        trial.run([test for test in trial.search.make(asked) if test.stdin not in known])
        found = trial.choose(count)
        waited = 0 if found.better_than(best) else waited + 1
        best = found if found.better_than(best) else best
        if waited == patience or trial.spent:
            break
    return best


class _PanelCosts:
    """What the panel costs on the inputs that it ran on.

    Attributes:
        tests: The inputs.
        floor: What an empty program costs.
        panel: The programs, chosen by what they cost on the probe.
        costs: For each of them what it costs on the inputs, a batch at a time; nan where that is
            not known.
    """

    def __init__(self, search: Search, probe: TestCase) -> None:
        self.search, self.used, self.tests = search, 0.0, list[TestCase]()
        self.floor = self._read(search.empty, [probe]).value[0] if search.empty else np.nan
        self.panel = list(search.programs[:PROGRAMS])
        if len(self.panel) > PANEL:
            costs = [self._read(program, [probe]).value[0] for program in self.panel]
            ranked = [
                self.panel[place]
                for place in np.argsort(costs, kind="stable")
                if np.isfinite(costs[place])
            ]
            spread = np.linspace(0, max(0, len(ranked) - 1), min(PANEL, len(ranked)))
            self.panel = [ranked[round(place)] for place in spread]
        self.costs: list[list[Costs]] = [[] for _ in self.panel]
        self.failures = [0] * len(self.panel)

    @property
    def spent(self) -> bool:
        """Whether the budget is used up."""
        return self.used >= self.search.budget

    def run(self, tests: Sequence[TestCase]) -> None:
        """Run the panel on more inputs, as long as there is something left of the budget."""
        if not tests or self.spent:
            return
        self.tests += tests
        failures = 2  # runs without a cost after which a program runs no more
        for number, program in enumerate(self.panel):
            nothing = Costs(np.full(len(tests), np.nan), np.full(len(tests), np.nan))
            found = self._read(program, tests) if self.failures[number] < failures else nothing
            self.failures[number] += bool(np.isnan(found.value).any())
            self.costs[number].append(found)

    def _read(self, program: Program, tests: Sequence[TestCase]) -> Costs:
        found = self.search.read(program, tests)
        self.used += float(found.value.sum())
        missing = len(tests) - len(found.value)
        return Costs(*(np.append(column, np.full(missing, np.nan)) for column in found))

    def choose(self, count: int) -> _InputSet:
        """Return the best set of at most `count` inputs that a greedy choice finds.

        None where nothing can be told.
        """
        if not self.tests:
            return _InputSet()
        value, se = self._telling()
        left = [int(place) for place in np.flatnonzero(np.isfinite(value).all(axis=0))]
        best = _InputSet()
        while len(value) > 1 and left and len(best.places) < count:
            sets = [self._judged(value, se, (*best.places, place)) for place in left]
            # Of equals the costliest: its time is the surest.
            found = max(
                sets, key=lambda each: (each.apart, each.distance, value[:, each.places[-1]].sum())
            )
            if not found.better_than(best):
                break
            best = found
            left.remove(found.places[-1])
        return best

    def settled(self, chosen: _InputSet) -> bool:
        """Whether no better set is worth looking for.

        Then every pair is apart, even if errors were larger than they are.
        """
        if len(chosen.places) < FEWEST:
            return False
        value, se = self._telling()
        # Times the error of a cost: programs that are apart even so need no better inputs
        doubt_factor = 3.0
        sure = self._judged(value, se, chosen.places, doubt_factor)
        return sure.apart == len(value) * (len(value) - 1) // 2

    def _telling(self) -> tuple[Floats, Floats]:
        """Return costs and standard errors, a row for each program of the panel that has a cost on most inputs.

        The others say nothing.
        """
        value, se = (
            np.array([np.concatenate([each[n] for each in row]) for row in self.costs])
            for n in (0, 1)
        )
        telling = np.isfinite(value).mean(axis=1) > 0.5
        return value[telling], se[telling]

    def _judged(
        self, value: Floats, se: Floats, places: tuple[int, ...], doubt: float = 1.0
    ) -> _InputSet:
        chosen = list(places)
        total = value[:, chosen].sum(axis=1)
        # standard error of a measured time, as a share of it, on a busy machine: counts have none
        # of their own
        noise = 0.02
        error = doubt * np.hypot(np.sqrt((se[:, chosen] ** 2).sum(axis=1)), noise * total)
        floor = len(places) * float(np.nan_to_num(self.floor))
        logs = np.log(np.maximum(total - floor, noise * total))
        costs = Costs(total, error)
        apart = costlier(costs, costs)
        # A tie has no distance: how far two are apart that no measurement tells apart is no reason
        # for anything.
        distances = np.where(apart, logs[:, None] - logs[None, :], 0.0)
        pairs = len(total) * (len(total) - 1) / 2
        return _InputSet(places, int(apart.sum()), float(distances.sum() / pairs))


def count_each(
    sandbox: Sandbox,
    cores: Cores,
    program: Program,
    stdins: Sequence[str],
    limits: Limits,
    kind: str,
) -> Costs:
    """Return the instructions of a program on the first inputs.

    The last is the one before an input that it fails on, or that cannot be counted.

    It runs without the counter first: what runs into a limit under emulation takes so many times as
    long. `kind` is what `open_counter` takes.

    Raises:
        SandboxError: The sandbox failed.
    """
    compiled, counter = sandbox.compile(program, cores), open_counter(kind)
    counts: list[int] = []
    if counter and compiled.ok:
        seen = observe(sandbox, cores, program, stdins, limits, RunMode.ALONE)
        good = len(list(takewhile(lambda each: each.output is not None, seen)))
        inputs = [text.encode("utf-8", "surrogatepass") for text in stdins[:good]]
        for run in counter.count(sandbox, compiled, inputs, limits, cores):
            if run.instructions is None:
                break
            counts.append(run.instructions)
    error = program.language.counting.standard_error
    errors = [error(count, counter.kind) or 0.0 for count in counts] if counter else []
    return Costs(np.array(counts, np.float64), np.array(errors, np.float64))


def time_each(
    sandbox: Sandbox, cores: Cores, program: Program, stdins: Sequence[str], limits: Limits
) -> Costs:
    """Return the CPU time in ns of a program on the first inputs, up to one that it fails on.

    Short runs are repeated.

    Raises:
        SandboxError: The sandbox failed.
    """

    def times(inputs: Sequence[str]) -> list[float]:
        seen = observe(sandbox, cores, program, inputs, limits, RunMode.ALONE)
        return [
            float(each.cpu_ns) for each in takewhile(lambda each: each.output is not None, seen)
        ]

    value = np.array(times(stdins), np.float64)
    error = SINGLE_RUN * value
    # runs that are mostly the start of the program tell little, and cost little
    short_ns, repeats = 30 * NS_PER_MS, 3
    short = [int(place) for place in np.flatnonzero(value < short_ns)]
    again = [times([stdins[place] for place in short]) for _ in range(repeats - 1)] if short else []
    if again and all(len(each) == len(short) for each in again):
        value[short] = (value[short] + np.sum(again, axis=0)) / repeats
        error[short] /= np.sqrt(repeats)
    return Costs(value, error)
