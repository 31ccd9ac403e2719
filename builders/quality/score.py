"""Figures on tests: rates with counts, separation of slow from fast solutions, and grades.

A rate always comes with its n, and is None if n is 0. The grade of a problem, from A to D, is the
worst of four criteria:

- the share of killed held-out mutants, which did not influence the choice of tests;
- the share of refused known wrong programs;
- the confidence that the inputs are allowed (that of the generator; 1 if the problem has its own
  inputs);
- the number of wrong programs tried: fewer than four show little, none shows nothing.

Tests that all expect the same output get a D, whatever they kill, because they distinguish hardly
anything. A problem with a D is called thin.
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
    """A count out of a total."""

    hits: int
    n: int

    @property
    def value(self) -> float | None:
        """The share, from 0 to 1, or None if the total is 0."""
        return self.hits / self.n if self.n else None

    def __str__(self) -> str:
        """Return the printed form: ``0.971 (33/34)``, or ``- (0/0)``."""
        return f"{'-' if self.value is None else format(self.value, '.3f')} ({self.hits}/{self.n})"


NOTHING = Rate(0, 0)
GRADES = ("A", "B", "C", "D")  # of a problem's tests, best first
THIN = GRADES[-1]


def add(rates: Iterable[Rate]) -> Rate:
    """Return the pooled rate: the sum of the counts out of the sum of the totals."""
    listed = list(rates)
    return Rate(sum(rate.hits for rate in listed), sum(rate.n for rate in listed))


class MutantCounts(NamedTuple):
    """Numbers of mutants by outcome; `rate` covers those that are known to be wrong.

    A mutant is ``broken`` if it does not compile, ``same`` if no input distinguishes it from its
    parent, ``undecided`` without an input to compare on, and ``unjudged`` if the sandbox
    failed, which says nothing about the tests.
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
        """Killed out of killed and differing; 0 out of 0 while a survivor is undecided."""
        return NOTHING if self.undecided else Rate(self.killed, self.killed + self.differing)


def count(outcomes: Iterable[str]) -> MutantCounts:
    """Return the numbers of mutants by outcome."""
    tally = Counter(outcomes)
    # The outcomes are the names of the fields.
    return MutantCounts(made=tally.total(), **tally)


def add_counts(counts: Iterable[MutantCounts]) -> MutantCounts:
    """Return the sums; the rate of the sum is undecided if one part is."""
    return (
        MutantCounts(*map(sum, zip(*counts, strict=True)))
        if (counts := list(counts))
        else MutantCounts()
    )


class SolutionTime(NamedTuple):
    """The CPU time of a solution over the tests in ns, infinite if it exceeded the time limit."""

    language: str
    expected: Expectation
    cpu_ns: float


class TimeSeparation(NamedTuple):
    """How well times separate slow solutions from fast ones.

    auc is the probability that a slow solution takes longer than an accepted one of the same
    language, with ties as one half: the Mann-Whitney U divided by the number of pairs (Hanley and
    McNeil, "The Meaning and Use of the Area under a Receiver Operating Characteristic (ROC) Curve",
    1982). slow_refused is the share of slow solutions that exceed the time limit. spread is the
    ratio of the slowest to the fastest accepted time, as the median over the languages.
    """

    auc: float | None
    pairs: int
    slow_refused: Rate
    spread: float | None


def separate(costs: Sequence[SolutionTime]) -> TimeSeparation:
    """Return how well times separate slow from accepted solutions of the same language."""
    wins, pairs, spreads = 0.0, 0, []
    for language in sorted({cost.language for cost in costs}):
        fast = [
            c.cpu_ns for c in costs if (c.language, c.expected) == (language, Expectation.ACCEPTED)
        ]
        slow = [c.cpu_ns for c in costs if (c.language, c.expected) == (language, Expectation.SLOW)]
        wins += sum((s > f) + (s == f) / 2 for s in slow for f in fast)
        pairs += len(slow) * len(fast)
        # Solutions over the time limit have no time to divide.
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
    """Return the share of accepted solutions that pass, among those with a verdict.

    Canonical solutions agree on every test, so only limits, crashes and quarantined solutions can
    lower this rate: `verdicts` should include the quarantined ones.
    """
    accepted = [
        verdicts[solution.solution_id] == Verdict.ACCEPTED
        for solution in solutions
        if solution.expected == Expectation.ACCEPTED and solution.solution_id in verdicts
    ]
    return Rate(sum(accepted), len(accepted))


class Detection(NamedTuple):
    """Known wrong solutions and mutants that a set of tests detects."""

    tests: int
    wrong: Rate
    mutants: MutantCounts


class Survivor(NamedTuple):
    """A mutant that the final tests accept.

    `differs_on` is an input of the pool that proves it wrong, or None.
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

    `shown` is the number of programs in the prompt, `inputs` the number in the answer. `refused`
    inputs failed the validator, were known already, or could not be made; on `disputed` ones right
    solutions disagreed. `added` are the new tests, `kills` the programs that they kill, and
    `killers` the killed ones among the model's own `programs`. `reason` says why there was no
    answer.
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
        languages: The languages of the mutants.
        before: Detection of the original tests.
        after: Detection of the kept tests.
        held_out: Detection of mutants that steered neither the search nor the choice of tests.
        operators: `after` and `held_out` combined, by operator.
        survivors: The mutants that the kept tests accept.
        missed: The known wrong solutions that the kept tests accept.
        added: Number of added tests.
        dropped: Number of dropped tests.
        batches: Number of batches of inputs tried.
        rounds: The rounds in which a model attacked the tests.
        positive: Share of the accepted solutions that pass, once they are judged.
        separation: Separation of slow from fast by time, once times are measured.
        grade: The grade of the tests, from A to D.
        caveats: The reasons why the grade is not A.
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
    """Return the quality with the grade of a problem's tests and its caveats.

    `confidence`, from 0 to 1, is that of the generator of the tests.
    """

    def level(rate: Rate) -> str:
        # An empty rate does not count against the tests here: `tried` below covers that case.
        return GRADES[0] if rate.value is None else _level(rate.value, (0.95, 0.8, 0.5))

    held_out, wrong = quality.held_out.rate, quality.after.wrong
    tried = held_out.n + wrong.n
    # Each tuple holds the lowest values for an A, a B and a C.
    graded = [
        (
            _level(confidence, (0.9, 0.5, 0.25)),
            f"confidence {confidence:g} that its inputs are allowed",
        ),
        (level(held_out), f"{held_out.hits} of {held_out.n} held-out mutants killed"),
        (level(wrong), f"{wrong.hits} of {wrong.n} known wrong programs refused"),
    ]
    enough = 4  # tried wrong programs: held-out mutants and known ones
    if tried < enough:
        graded.append(("C" if tried else THIN, f"{tried} wrong programs were tried"))
    if len(tests) < 5:
        graded.append(("C", f"{len(tests)} tests"))
    if len(tests) > 1 and len({test.stdout for test in tests}) == 1:
        graded.append((THIN, "all tests expect the same output"))
    worst = max((letter for letter, _ in graded), key=GRADES.index)
    caveats = tuple(reason for letter, reason in graded if letter != GRADES[0])
    return replace(quality, grade=worst, caveats=caveats)


def below(letter: str, least: str) -> bool:
    """Whether a grade is worse than the lowest acceptable one."""
    return GRADES.index(letter) > GRADES.index(least)


def _level(value: float, least: Sequence[float]) -> str:
    return next(
        (letter for letter, bound in zip(GRADES, least, strict=False) if value >= bound), THIN
    )


def plain_rate(rate: Rate) -> dict[str, float | int | None]:
    """Return a rate with its counts, ready for a column or a card."""
    return {"rate": rate.value, "hits": rate.hits, "n": rate.n}


# Reported for each problem, and pooled over all problems.
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
    """Return the figures of a problem as plain values: rates with counts, None for unknown."""
    return {
        "grade": quality.grade,
        "caveats": list(quality.caveats),
        **{name: plain_rate(rate(quality)) for name, rate in RATES.items()},
        **{name: number(quality) for name, number in TESTS.items()},
        "mutants": quality.after.mutants._asdict(),
        "mutant_languages": list(quality.languages),
        "model_rounds": [to_plain(model_round._asdict()) for model_round in quality.rounds],
        "slow_auc": quality.separation.auc,
        "slow_pairs": quality.separation.pairs,
        "accepted_spread": quality.separation.spread,
    }


def quality_facts(
    qualities: Sequence[Quality], calibration: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the figures over all problems, with every differing survivor, for manifest and card.

    `calibration` has the figures that the test recipe reached on other problems (calibration.py).
    """
    operators = sorted({name for q in qualities for name in q.operators})
    # Sums over all rounds with a model: counts and tokens.
    rounds = [model_round for q in qualities for model_round in q.rounds]
    sums = dict.fromkeys(ModelRound._fields[1:-1], 0)
    for name, model_round in product(sums, rounds):
        value = getattr(model_round, name)
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
