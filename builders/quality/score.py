"""The figures: rates with the counts behind them, how well times tell slow from fast, and the grade of a problem.

A rate is never given without its n, and is None where n is 0. Four things are asked for a grade, A
to D, and the worst of them is the grade:

- how many of the held-out mutants, which no choice of tests used, the tests kill;
- how many of the known wrong programs they refuse;
- how sure it is that the inputs are allowed (the confidence of the generator; 1 where the problem
  brings its own);
- whether there was enough to try: fewer than four wrong programs show little, none shows
  nothing.

Tests that all expect the same output tell hardly anything apart, whatever they kill. A problem
graded D is called thin.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

from venus_toolkit.core.records import Expectation, Solution, TestCase, Verdict, to_plain


class Rate(NamedTuple):
    """So many of so many."""

    hits: int
    n: int

    @property
    def value(self) -> float | None:
        """The share, or None where there is nothing to take a share of."""
        return self.hits / self.n if self.n else None

    def __str__(self) -> str:
        """Return the rate as it is printed: ``0.971 (33/34)``, or ``- (0/0)``."""
        return f"{'-' if self.value is None else format(self.value, '.3f')} ({self.hits}/{self.n})"


NOTHING = Rate(0, 0)
GRADES = ("A", "B", "C", "D")  # of the tests of a problem
THIN = GRADES[-1]


def add(rates: Iterable[Rate]) -> Rate:
    """Return the rate over everything that several rates are about."""
    listed = list(rates)
    return Rate(sum(rate.hits for rate in listed), sum(rate.n for rate in listed))


class MutantCounts(NamedTuple):
    """How many mutants came to which outcome; `rate` is over those that are known to be wrong.

    One is ``broken`` where it does not compile, ``same`` where nothing tells it from its parent,
    ``undecided`` where there is no input to compare on, and ``unjudged`` where the sandbox failed,
    which says nothing about the tests.
    """

    made: int = 0
    broken: int = 0
    killed: int = 0
    differing: int = 0
    same: int = 0
    undecided: int = 0
    unjudged: int = 0

    @property
    def rate(self) -> Rate:
        """Killed of killed and differing.

        Without n while a survivor is undecided, for it would leave survivors out.
        """
        return NOTHING if self.undecided else Rate(self.killed, self.killed + self.differing)


def count(outcomes: Iterable[str]) -> MutantCounts:
    """Return how many mutants came to which outcome."""
    tally = Counter(outcomes)
    # An outcome is spelt as its field.
    return MutantCounts(made=tally.total(), **tally)


def add_counts(counts: Iterable[MutantCounts]) -> MutantCounts:
    """Return the sums; the rate of the sum is undecided if one part is."""
    return (
        MutantCounts(*map(sum, zip(*counts, strict=True)))
        if (counts := list(counts))
        else MutantCounts()
    )


class SolutionTime(NamedTuple):
    """The CPU time of a solution over the tests; infinite where it ran into the time limit."""

    language: str
    expected: Expectation
    cpu_ns: float


class TimeSeparation(NamedTuple):
    """How well times tell slow from fast.

    auc is the probability that a slow solution takes longer than an accepted one of the same
    language, ties counting half: the Mann-Whitney U over its number of pairs (Hanley and McNeil,
    "The Meaning and Use of the Area under a Receiver Operating Characteristic (ROC) Curve", 1982).
    slow_refused is the share of slow ones that the tests refuse for their time. spread is the
    slowest accepted time over the fastest: the median over the languages.
    """

    auc: float | None
    pairs: int
    slow_refused: Rate
    spread: float | None


def separate(costs: Sequence[SolutionTime]) -> TimeSeparation:
    """Return how well the times of slow and accepted solutions tell them apart, always within one language."""
    wins, pairs, spreads = 0.0, 0, []
    for language in sorted({cost.language for cost in costs}):
        fast = [
            c.cpu_ns for c in costs if (c.language, c.expected) == (language, Expectation.ACCEPTED)
        ]
        slow = [c.cpu_ns for c in costs if (c.language, c.expected) == (language, Expectation.SLOW)]
        wins += sum((s > f) + (s == f) / 2 for s in slow for f in fast)
        pairs += len(slow) * len(fast)
        # A time limit is no time: a ratio to it would be infinite.
        finite = [value for value in fast if math.isfinite(value)]
        if len(finite) > 1 and min(finite) > 0:
            spreads.append(max(finite) / min(finite))
    slow_ones = [cost for cost in costs if cost.expected == Expectation.SLOW]
    refused = Rate(sum(math.isinf(cost.cpu_ns) for cost in slow_ones), len(slow_ones))
    return TimeSeparation(
        wins / pairs if pairs else None,
        pairs,
        refused,
        statistics.median(spreads) if spreads else None,
    )


def true_positives(solutions: Iterable[Solution], verdicts: Mapping[str, Verdict]) -> Rate:
    """Return how many of the solutions that are said to be accepted are.

    Those without a verdict are left out.

    Tests are made of what canonical solutions agree on, so this can only fall short through limits,
    crashes and solutions that were quarantined: give the verdicts of those too.
    """
    found = [
        verdicts[solution.solution_id] == Verdict.ACCEPTED
        for solution in solutions
        if solution.expected == Expectation.ACCEPTED and solution.solution_id in verdicts
    ]
    return Rate(sum(found), len(found))


class Detection(NamedTuple):
    """What a set of tests catches: known wrong solutions, and mutants."""

    tests: int
    wrong: Rate
    mutants: MutantCounts


class Survivor(NamedTuple):
    """A mutant that the final tests accept.

    `differs_on` is an input of the pool that shows it wrong, or None.
    """

    mutant_id: str
    operator: str
    line: int
    before: str
    after: str
    outcome: str
    differs_on: str | None


class ModelRound(NamedTuple):
    """One round in which a model attacked the tests.

    It was shown so many programs, and gave inputs, of which some were refused (by the validator, or
    because they are known or broken) and some disputed. added are the tests that came of it, kills
    the programs that these kill, killers those of its own `programs` among them. reason: why there
    was no answer.
    """

    number: int
    shown: int = 0
    inputs: int = 0
    refused: int = 0
    disputed: int = 0
    added: tuple[str, ...] = ()
    kills: tuple[str, ...] = ()
    programs: int = 0
    killers: tuple[str, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reason: str = ""


NOT_MEASURED = TimeSeparation(auc=None, pairs=0, slow_refused=NOTHING, spread=None)


@dataclass(frozen=True, slots=True)
class Quality:
    """How good the tests of one problem are.

    Attributes:
        slug: The problem.
        languages: Those of the mutants.
        before: What the tests caught as they came.
        after: What the tests that are kept catch.
        held_out: The same for mutants that steered neither the search nor the choice of tests.
        operators: `after` and `held_out` together, by operator.
        survivors: The mutants that the kept tests accept.
        missed: The known wrong solutions that the kept tests accept.
        added: How many tests were added.
        dropped: How many were dropped.
        batches: How many batches of inputs were tried.
        rounds: Those in which a model attacked the tests.
        positive: How many of the accepted solutions pass, once they are judged.
        separation: How well times tell slow from fast, once they are measured.
        grade: What the tests were shown to be worth, from A to D, and `caveats`: why it is not A.
    """

    slug: str
    languages: tuple[str, ...]
    before: Detection
    after: Detection
    held_out: MutantCounts
    operators: Mapping[str, MutantCounts]
    survivors: tuple[Survivor, ...]
    missed: tuple[str, ...]
    added: int
    dropped: int
    batches: int
    rounds: tuple[ModelRound, ...] = ()
    positive: Rate = NOTHING
    separation: TimeSeparation = NOT_MEASURED
    grade: str = ""
    caveats: tuple[str, ...] = ()


def grade(quality: Quality, confidence: float, tests: Sequence[TestCase]) -> Quality:
    """Return the quality with the grade of a problem's tests, and why it is not A.

    `confidence` is that of their generator.
    """

    def level(rate: Rate) -> str:
        # Nothing to take a share of is no fault of the tests: that too little was tried is counted
        # below.
        return GRADES[0] if rate.value is None else _level(rate.value, (0.95, 0.8, 0.5))

    held_out, wrong = quality.held_out.rate, quality.after.wrong
    tried = held_out.n + wrong.n
    # Each tuple is the least that makes an A, a B, a C.
    found = [
        (
            _level(confidence, (0.9, 0.5, 0.25)),
            f"confidence {confidence:g} that its inputs are allowed",
        ),
        (level(held_out), f"{held_out.hits} of {held_out.n} held-out mutants killed"),
        (level(wrong), f"{wrong.hits} of {wrong.n} known wrong programs refused"),
    ]
    enough = 4  # wrong programs that have been tried: mutants that were held out, and known ones
    if tried < enough:
        found.append(("C" if tried else THIN, f"{tried} wrong programs were tried"))
    if len(tests) < 5:
        found.append(("C", f"{len(tests)} tests"))
    if len(tests) > 1 and len({test.stdout for test in tests}) == 1:
        found.append((THIN, "all tests expect the same output"))
    worst = max((letter for letter, _ in found), key=GRADES.index)
    caveats = tuple(reason for letter, reason in found if letter != GRADES[0])
    return replace(quality, grade=worst, caveats=caveats)


def below(letter: str, least: str) -> bool:
    """Whether a grade is worse than the least that is wanted."""
    return GRADES.index(letter) > GRADES.index(least)


def _level(value: float, least: Sequence[float]) -> str:
    return next(
        (letter for letter, bound in zip(GRADES, least, strict=False) if value >= bound), THIN
    )


def plain_rate(rate: Rate) -> dict[str, float | int | None]:
    """Return a rate with its counts, ready for a column or a card."""
    return {"rate": rate.value, "hits": rate.hits, "n": rate.n}


# Of a problem, and over all problems.
RATES: Mapping[str, Callable[[Quality], Rate]] = {
    "true_positive": lambda quality: quality.positive,
    "true_negative_wrong": lambda quality: quality.after.wrong,
    "true_negative_mutants": lambda quality: quality.after.mutants.rate,
    "true_negative_held_out": lambda quality: quality.held_out.rate,
    "true_negative_wrong_before": lambda quality: quality.before.wrong,
    "true_negative_mutants_before": lambda quality: quality.before.mutants.rate,
    "slow_refused": lambda quality: quality.separation.slow_refused,
}
TESTS: Mapping[str, Callable[[Quality], int]] = {
    "tests_before": lambda quality: quality.before.tests,
    "tests_added": lambda quality: quality.added,
    "tests_dropped": lambda quality: quality.dropped,
    "tests_after": lambda quality: quality.after.tests,
}


def quality_row(quality: Quality) -> dict[str, Any]:
    """Return the figures of a problem as plain values: rates with their counts, unknown is None."""
    return {
        "grade": quality.grade,
        "caveats": list(quality.caveats),
        **{name: plain_rate(rate(quality)) for name, rate in RATES.items()},
        **{name: number(quality) for name, number in TESTS.items()},
        "mutants": quality.after.mutants._asdict(),
        "mutant_languages": list(quality.languages),
        "model_rounds": [to_plain(each._asdict()) for each in quality.rounds],
        "slow_auc": quality.separation.auc,
        "slow_pairs": quality.separation.pairs,
        "accepted_spread": quality.separation.spread,
    }


def quality_facts(
    qualities: Sequence[Quality], calibration: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the figures over all problems, for the manifest and the card, with every survivor that differs.

    `calibration` is what the recipe that makes tests reached elsewhere (calibration.py).
    """
    operators = sorted({name for q in qualities for name in q.operators})
    # What the rounds with a model came to: counts, and the tokens that they took.
    rounds = [each for q in qualities for each in q.rounds]
    sums = dict.fromkeys(ModelRound._fields[1:-1], 0)
    for name, each in product(sums, rounds):
        value = getattr(each, name)
        sums[name] += value if isinstance(value, int) else len(value)
    return {
        "problems": len(qualities),
        "grades": dict(sorted(Counter(q.grade for q in qualities).items())),
        "calibration": calibration,
        "thin": {q.slug: list(q.caveats) for q in qualities if q.grade == THIN},
        **{name: plain_rate(add(map(rate, qualities))) for name, rate in RATES.items()},
        **{name: sum(map(number, qualities)) for name, number in TESTS.items()},
        "mutants": add_counts(q.after.mutants for q in qualities)._asdict(),
        "operators": {
            name: add_counts(q.operators[name] for q in qualities if name in q.operators)._asdict()
            for name in operators
        },
        "model": {"rounds": len(rounds), **sums},
        "missed": [name for q in qualities for name in q.missed],
        "survivors": [
            to_plain(s._asdict())
            for q in qualities
            for s in q.survivors
            if s.outcome == "differing"
        ],
    }
