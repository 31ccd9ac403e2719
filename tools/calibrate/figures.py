"""What generated tests did to human programs: the figures of a corpus, and their table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from venus_toolkit.builders.quality.calibration import recipe
from venus_toolkit.builders.quality.score import NOTHING, Rate, plain_rate
from venus_toolkit.core.records import Expectation, Verdict

FEW = 30  # tests, the first that were chosen
SLOWER = 3  # times the slowest accepted program of the language
TIMED = (Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT, Verdict.OUTPUT_LIMIT)
NOT_JUDGED = "not judged"  # what became of a program on which the sandbox failed
HEADINGS = (
    "problem", "way", "confidence", "validator", "inputs", "tests", "wrong rejected", f"by {FEW} tests",
    "slow exposed", "right accepted", "break an oracle", "CPU s",
)  # fmt: skip


class HeldOutOutcome(NamedTuple):
    """What became of a program that was held out.

    Attributes:
        name: Its id.
        expected: What it is said to be.
        how: The verdict; NOT_JUDGED where the sandbox failed, ``slower`` where it was accepted and
            took SLOWER times as long as the accepted programs, and ``disputed`` where the tests
            that a right one fails are not enough to call it wrong (validate.condemned).
        few: Whether the first FEW tests show that.
    """

    name: str
    expected: str
    how: str
    few: bool


class Figures(NamedTuple):
    """What the tests of one problem did; without tests `reason` says why.

    Attributes:
        slug: The problem.
        way: How its inputs were made.
        confidence: How sure the generator is.
        validator: Whether a validator is published with it.
        samples_refused: How many of the statement's samples that validator refuses.
        inputs: How many inputs the accepted programs ran on.
        tests: How many were kept.
        oracle_breaks: How many of these an oracle refuses; None where there is no oracle.
        outcomes: What became of the programs that were held out.
        cpu_s: Processor time to make and choose the tests.
        reason: Why there are none.
        sandbox_failed: Whether the sandbox failed while tests were made, or on every program held
            out: nothing is known of such a problem.
    """

    slug: str
    way: str = ""
    confidence: float = 0.0
    validator: bool = False
    samples_refused: int = 0
    inputs: int = 0
    tests: int = 0
    oracle_breaks: int | None = None
    outcomes: tuple[HeldOutOutcome, ...] = ()
    cpu_s: float = 0.0
    reason: str = ""
    sandbox_failed: bool = False

    def rate(self, expected: Expectation, counts: Callable[[HeldOutOutcome], bool]) -> Rate:
        """Return how many of the judged programs that are said to be `expected` count."""
        mine = [
            each for each in self.outcomes if each.expected == expected and each.how != NOT_JUDGED
        ]
        return Rate(sum(map(counts, mine)), len(mine))


def _rejected(outcome: HeldOutOutcome) -> bool:
    return outcome.how not in ("accepted", "slower")


RATES: Mapping[str, tuple[Expectation, Callable[[HeldOutOutcome], bool]]] = {
    "wrong_rejected": (Expectation.WRONG, _rejected),
    "wrong_rejected_by_few": (Expectation.WRONG, lambda each: _rejected(each) and each.few),
    "wrong_rejected_by_output": (
        Expectation.WRONG,
        lambda each: _rejected(each) and each.how not in TIMED,
    ),
    # Of programs that are said to be faulty some are only slow: their own verdict was a time limit.
    "wrong_rejected_or_slower": (Expectation.WRONG, lambda each: each.how != "accepted"),
    "slow_exposed": (Expectation.SLOW, lambda each: each.how != "accepted"),
    "slow_over_the_limit": (Expectation.SLOW, lambda each: each.how == Verdict.TIME_LIMIT),
    "right_accepted": (Expectation.ACCEPTED, lambda each: not _rejected(each)),
    "right_accepted_limits_apart": (
        Expectation.ACCEPTED,
        lambda each: not _rejected(each) or each.how in TIMED,
    ),
    "right_disputed": (Expectation.ACCEPTED, lambda each: each.how == "disputed"),
    "right_condemned": (
        Expectation.ACCEPTED,
        lambda each: each.how not in ("accepted", "slower", "disputed", *TIMED),
    ),
}


class Calibration(NamedTuple):
    """The figures of a corpus, problem by problem."""

    problems: tuple[Figures, ...]

    def rate(self, name: str) -> Rate:
        """Return a rate of RATES over the problems that have tests.

        A build does not publish the others.
        """
        found = [each.rate(*RATES[name]) for each in self.problems if each.tests]
        return Rate(sum(each.hits for each in found), sum(each.n for each in found))

    def facts(self) -> dict[str, Any]:
        """Return the figures over all problems, as plain values."""
        tested = [each for each in self.problems if each.tests]
        checked = [each for each in self.problems if each.oracle_breaks is not None]
        return {
            "problems": len(self.problems),
            "with_tests": len(tested),
            "with_generator": sum(
                each.way not in ("", "given", "mutated", "types") for each in self.problems
            ),
            "with_validator": sum(each.validator for each in self.problems),
            "validators_refusing_samples": sum(each.samples_refused > 0 for each in self.problems),
            "sandbox_failed": sum(each.sandbox_failed for each in self.problems),
            "not_judged": sum(
                outcome.how == NOT_JUDGED for each in self.problems for outcome in each.outcomes
            ),
            "tests": sum(each.tests for each in self.problems),
            "most_tests": max((each.tests for each in self.problems), default=0),
            **{name: plain_rate(self.rate(name)) for name in RATES},
            "oracles": len(checked),
            "oracle_inputs": sum(each.tests for each in checked),
            "oracle_breaks": sum(each.oracle_breaks or 0 for each in checked),
            "cpu_s": round(sum(each.cpu_s for each in self.problems), 1),
            "most_cpu_s": round(max((each.cpu_s for each in self.problems), default=0.0), 1),
        }

    def plain(self) -> dict[str, Any]:
        """Return everything as plain values."""
        problems = [
            {**each._asdict(), "outcomes": [o._asdict() for o in each.outcomes]}
            for each in self.problems
        ]
        return {**self.facts(), "by_problem": problems}

    def markdown(self) -> str:
        """Return the table, one line for each problem, and the lines over all of them."""
        facts, rows = self.facts(), [HEADINGS, ("---",) * len(HEADINGS), *map(_row, self.problems)]
        rates = [f"- {name.replace('_', ' ')}: {self.rate(name)}" for name in RATES]
        oracles = (
            f"{facts['oracle_breaks']} of {facts['oracle_inputs']} inputs of {facts['oracles']} "
            "problems"
        )
        lines = [
            f"{facts['problems']} problems: {facts['with_tests']} have tests, "
            f"{facts['with_generator']} a generator, "
            f"{facts['with_validator']} a validator ({facts['validators_refusing_samples']} "
            "refuse a sample).",
            "",
            "Of the programs of problems with tests:",
            "",
            *rates,
            f"- inputs that break an oracle: {oracles}",
            f"- the sandbox failed on {facts['not_judged']} programs, which no rate counts, and on "
            f"{facts['sandbox_failed']} whole problems",
            f"- CPU time: {facts['cpu_s']} s, at most {facts['most_cpu_s']} s for a problem",
            "",
            *(f"| {' | '.join(row)} |" for row in rows),
        ]
        missed = [
            o
            for each in self.problems
            if each.tests
            for o in each.outcomes
            if o.how == NOT_JUDGED
            or (_rejected(o) if o.expected == Expectation.ACCEPTED else o.how == "accepted")
        ]
        if missed:
            lines += ["", "Not as they are said to be:", ""]
            lines += [
                f"- {each.name}: said to be {each.expected}, is {each.how}" for each in missed
            ]
        return "\n".join(lines) + "\n"

    def record(self, command: str, corpus: str) -> dict[str, Any]:
        """Return what ships with the recipe.

        The figures over all problems, and how they were taken.
        """
        return {
            "corpus": corpus,
            "command": command,
            "recipe": recipe(),
            "few": FEW,
            **self.facts(),
        }


def _row(each: Figures) -> Iterable[str]:
    if not each.tests:
        # A bar would end the cell.
        return (
            each.slug,
            each.reason.replace("|", "/").replace("\n", " "),
            *[""] * (len(HEADINGS) - 3),
            f"{each.cpu_s:.0f}",
        )
    names = ("wrong_rejected", "wrong_rejected_by_few", "slow_exposed", "right_accepted")
    rates = [each.rate(*RATES[name]) for name in names]
    said = [f"{rate.hits}/{rate.n}" if rate != NOTHING else "-" for rate in rates]
    refuses = f", refuses {each.samples_refused} samples" * (each.samples_refused > 0)
    validator = "yes" + refuses if each.validator else "no"
    breaks = "-" if each.oracle_breaks is None else f"{each.oracle_breaks}/{each.tests}"
    counts = (str(each.inputs), str(each.tests))
    return (
        each.slug,
        each.way,
        f"{each.confidence:g}",
        validator,
        *counts,
        *said,
        breaks,
        f"{each.cpu_s:.0f}",
    )
