"""Chooses the few large inputs of a problem on which the costs of accepted solutions differ most.

panel     accepted solutions of one language, spread from the cheapest to the costliest
cost      instructions if a counter is available, else CPU time (the mean of several short runs)
apart     two programs whose costs over a set of inputs differ by more than the measurement
          uncertainty (ranking.py)
floor     the cost of an empty program

A set of inputs is better than another if it brings more pairs of the panel apart. If two sets bring
equally many apart, the better one has the larger differences between costs net of the floor. The
panel runs on candidates, and a greedy choice picks inputs. Then the best input is varied in seed,
pattern and size for as long as the set improves. The search ends as soon as every pair is clearly
apart. A budget in the unit of the costs bounds all runs, so that a choice by counts is the same on
every machine.
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

# the number of accepted solutions that run on a probe input, and of those that run on all inputs
PROGRAMS, PANEL = 10, 6
CANDIDATES, BATCH = 30, 6  # inputs for the panel, and the number that runs between two choices
FEWEST = 4  # inputs to choose even if fewer separate equally well: one input is not a sample
INSTRUCTIONS = 20e9  # budget of a problem: about a minute of a core under emulation
CPU_NS = 6.0 * NS_PER_S  # budget of a problem without a counter
# standard error of one timed run, as a share of it: summing over inputs replaces repeats
SINGLE_RUN = 0.03
SEPARATES, CLIMBED = "separates", "separates, by search"


@dataclass(frozen=True)
class Search:
    """The programs, functions and bounds of a search for separating inputs.

    Attributes:
        programs: Accepted solutions of one language.
        empty: A program of that language that does nothing; None: the floor is unknown.
        read: Returns the costs of a program on the inputs, up to the first input without a cost.
        make: Makes allowed inputs, omitting those that cannot be made.
        sizes: The large sizes that the generator accepts.
        budget: Bound on the total cost of all runs.
        seed: Seed of the variations.
    """

    programs: Sequence[Program]
    empty: Program | None
    read: Callable[[Program, Sequence[TestCase]], Costs]
    make: Callable[[Sequence[Request]], Sequence[TestCase]]
    sizes: Sequence[str]
    budget: float
    seed: str


def separating(search: Search, candidates: Sequence[TestCase], count: int) -> list[TestCase]:
    """Return up to `count` efficiency tests that best separate accepted solutions, best first.

    `adds` of a test says whether it is a candidate or a variation. The list is empty if fewer than
    two solutions have costs on the candidates.
    """
    if len(search.programs) < 2 or not candidates or count <= 0:
        return []
    largest = max(map(size_of, candidates))
    large_share = 0.1  # share of the largest candidate's bytes below which candidates come last
    ordered = sorted(candidates, key=lambda test: size_of(test) < large_share * largest)[
        :CANDIDATES
    ]
    panel_costs = _PanelCosts(search, ordered[0])
    best = _InputSet()
    candidates_share = 0.6  # share of the budget for candidates; the rest is for variations
    for first in range(0, len(ordered), BATCH):
        if panel_costs.settled(best) or panel_costs.used > candidates_share * search.budget:
            break
        panel_costs.run(ordered[first : first + BATCH])
        best = panel_costs.choose(count)
    if best.places and search.sizes and not panel_costs.settled(best):
        best = _climb(panel_costs, best, count)
    known = {test.test_id for test in candidates}
    return [
        replace(test, role=EFFICIENCY, adds=SEPARATES if test.test_id in known else CLIMBED)
        for test in (panel_costs.tests[place] for place in best.places)
    ]


class _InputSet(NamedTuple):
    """Indices of inputs, the number of pairs that they bring apart, and the distance.

    The distance is the mean difference of log net costs over all pairs.
    """

    places: tuple[int, ...] = ()
    apart: int = -1
    distance: float = 0.0

    def better_than(self, other: _InputSet) -> bool:
        """Whether the improvement justifies one more input or a change."""
        mine, theirs = (min(len(inputs.places), FEWEST) for inputs in (self, other))
        wider = 1.01  # smallest ratio of distances that justifies it
        if (mine, self.apart) == (theirs, other.apart):
            return self.distance > wider * other.distance
        return (mine, self.apart) > (theirs, other.apart)


def _climb(panel_costs: _PanelCosts, best: _InputSet, count: int) -> _InputSet:
    """Vary the best input for as long as the set improves."""
    draw = random.Random(panel_costs.search.seed)
    waited = 0
    period = 180  # seeds after which most generators repeat their patterns
    seeds = 1_000_000
    # patience: rounds in a row without an improvement
    rounds, variations, patience = 6, 4, 2
    for _ in range(rounds):
        parent = panel_costs.tests[best.places[0]]
        seed = parent.seed or 0
        own, other = (
            parent.size or draw.choice(panel_costs.search.sizes),
            draw.choice(panel_costs.search.sizes),
        )
        asked = [
            # the same pattern with new values
            Request(own, seed + period * draw.randrange(1, seeds // period)),
            Request(own, draw.randrange(seeds)),
            Request(other, draw.randrange(seeds)),
            Request(other, seed + period),
        ][:variations]
        known = {test.stdin for test in panel_costs.tests}
        panel_costs.run(
            [test for test in panel_costs.search.make(asked) if test.stdin not in known]
        )
        candidate = panel_costs.choose(count)
        waited = 0 if candidate.better_than(best) else waited + 1
        best = candidate if candidate.better_than(best) else best
        if waited == patience or panel_costs.spent:
            break
    return best


class _PanelCosts:
    """The costs of the panel on the inputs so far.

    Attributes:
        tests: The inputs.
        floor: The cost of an empty program.
        panel: The programs, spread by their cost on the probe.
        costs: For each program its costs by batch of inputs; nan if unknown.
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
        """Run the panel on more inputs, unless the budget is used up."""
        if not tests or self.spent:
            return
        self.tests += tests
        failures = 2  # batches with a missing cost after which a program is not run again
        for number, program in enumerate(self.panel):
            nothing = Costs(np.full(len(tests), np.nan), np.full(len(tests), np.nan))
            costs = self._read(program, tests) if self.failures[number] < failures else nothing
            self.failures[number] += bool(np.isnan(costs.value).any())
            self.costs[number].append(costs)

    def _read(self, program: Program, tests: Sequence[TestCase]) -> Costs:
        costs = self.search.read(program, tests)
        self.used += float(costs.value.sum())
        missing = len(tests) - len(costs.value)
        return Costs(*(np.append(column, np.full(missing, np.nan)) for column in costs))

    def choose(self, count: int) -> _InputSet:
        """Return the best set of up to `count` inputs that a greedy choice finds.

        The set is empty if fewer than two programs have costs.
        """
        if not self.tests:
            return _InputSet()
        value, se = self._usable_costs()
        left = [int(place) for place in np.flatnonzero(np.isfinite(value).all(axis=0))]
        best = _InputSet()
        while len(value) > 1 and left and len(best.places) < count:
            sets = [self._evaluate(value, se, (*best.places, place)) for place in left]
            # Ties go to the costliest input: its time is the most certain.
            longer = max(
                sets,
                key=lambda input_set: (
                    input_set.apart,
                    input_set.distance,
                    value[:, input_set.places[-1]].sum(),
                ),
            )
            if not longer.better_than(best):
                break
            best = longer
            left.remove(longer.places[-1])
        return best

    def settled(self, chosen: _InputSet) -> bool:
        """Whether every pair is apart even with inflated errors, so that the search can end."""
        if len(chosen.places) < FEWEST:
            return False
        value, se = self._usable_costs()
        doubt_factor = 3.0  # factor on the error of a cost
        sure = self._evaluate(value, se, chosen.places, doubt_factor)
        return sure.apart == len(value) * (len(value) - 1) // 2

    def _usable_costs(self) -> tuple[Floats, Floats]:
        """Return costs and standard errors, a row for each program with costs on most inputs."""
        value, se = (
            np.array([np.concatenate([batch[n] for batch in row]) for row in self.costs])
            for n in (0, 1)
        )
        telling = np.isfinite(value).mean(axis=1) > 0.5
        return value[telling], se[telling]

    def _evaluate(
        self, value: Floats, se: Floats, places: tuple[int, ...], doubt: float = 1.0
    ) -> _InputSet:
        chosen = list(places)
        total = value[:, chosen].sum(axis=1)
        # Standard error of a time on a busy machine, as a share of it. Counts, which have no error
        # of their own, get it too.
        noise = 0.02
        error = doubt * np.hypot(np.sqrt((se[:, chosen] ** 2).sum(axis=1)), noise * total)
        floor = len(places) * float(np.nan_to_num(self.floor))
        logs = np.log(np.maximum(total - floor, noise * total))
        costs = Costs(total, error)
        apart = costlier(costs, costs)
        # A tie has distance 0: a difference within the noise must not affect the choice.
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
    """Return the instruction counts of a program on the inputs, up to the first failure.

    An input fails if the program fails on it or the counter does. The program first runs without
    the counter, because a run into a limit takes far longer under emulation. `kind` is the argument
    of `open_counter`.

    Raises:
        SandboxError: The sandbox failed.
    """
    compiled, counter = sandbox.compile(program, cores), open_counter(kind)
    counts: list[int] = []
    if counter and compiled.ok:
        seen = observe(sandbox, cores, program, stdins, limits, RunMode.ALONE)
        good = len(list(takewhile(lambda run: run.output is not None, seen)))
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
    """Return the CPU times in ns of a program on the inputs, up to the first failure.

    Short runs are repeated.

    Raises:
        SandboxError: The sandbox failed.
    """

    def times(inputs: Sequence[str]) -> list[float]:
        seen = observe(sandbox, cores, program, inputs, limits, RunMode.ALONE)
        return [float(run.cpu_ns) for run in takewhile(lambda run: run.output is not None, seen)]

    value = np.array(times(stdins), np.float64)
    error = SINGLE_RUN * value
    # Runs this short are mostly the start of the program, and cheap to repeat.
    short_ns, repeats = 30 * NS_PER_MS, 3
    short = [int(place) for place in np.flatnonzero(value < short_ns)]
    again = [times([stdins[place] for place in short]) for _ in range(repeats - 1)] if short else []
    if again and all(len(values) == len(short) for values in again):
        value[short] = (value[short] + np.sum(again, axis=0)) / repeats
        error[short] /= np.sqrt(repeats)
    return Costs(value, error)
