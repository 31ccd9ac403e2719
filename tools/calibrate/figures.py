"""The outcomes of human programs on generated tests: the figures of a corpus, and their table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from venus_toolkit.builders.quality.calibration import recipe
from venus_toolkit.builders.quality.score import NOTHING, Rate, plain_rate
from venus_toolkit.core.records import Expectation, Verdict

FEW = 30  # chosen tests, the first ones
SLOWER = 3  # factor on the time of the slowest accepted program in the language
TIMED = (Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT, Verdict.OUTPUT_LIMIT)
NOT_JUDGED = "not judged"  # the outcome of a program on which the sandbox failed
HEADINGS = (
    "problem", "way", "confidence", "validator", "inputs", "tests", "wrong rejected", f"by {FEW} tests",
    "slow exposed", "right accepted", "break an oracle", "CPU s",
)  # fmt: skip


class HeldOutOutcome(NamedTuple):
    """The outcome of a held-out program.

    Attributes:
        name: Its id.
        expected: Its label.
        how: The verdict; NOT_JUDGED if the sandbox failed, ``slower`` if it was accepted and took
            SLOWER times as long as the accepted programs, and ``disputed`` if it is labelled
            accepted and fails tests, but too few to call it wrong (validate.condemned).
        few: Whether the first FEW tests are enough for that outcome.
    """

    name: str
    expected: str
    how: str
    few: bool


class Figures(NamedTuple):
    """The figures of one problem.

    Attributes:
        slug: The problem.
        way: The method that generated its inputs.
        confidence: The confidence in the inputs, from 0 to 1.
        validator: Whether a validator is published with it.
        samples_refused: The number of the statement's samples that the validator refuses.
        inputs: The number of inputs that the accepted programs ran on.
        tests: The number of inputs that became tests.
        oracle_breaks: The number of tests that an oracle refuses; None without an oracle.
        outcomes: The outcomes of the held-out programs.
        cpu_s: The CPU time to make and choose the tests.
        reason: The reason for the lack of tests; empty with tests.
        sandbox_failed: Whether the sandbox failed while making tests, or on every held-out program,
            which leaves the problem unmeasured.
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
        """Return the share of outcomes that count, of the judged programs labelled `expected`."""
        judged = [o for o in self.outcomes if o.expected == expected and o.how != NOT_JUDGED]
        return Rate(sum(map(counts, judged)), len(judged))


def _rejected(outcome: HeldOutOutcome) -> bool:
    return outcome.how not in ("accepted", "slower")


RATES: Mapping[str, tuple[Expectation, Callable[[HeldOutOutcome], bool]]] = {
    "wrong_rejected": (Expectation.WRONG, _rejected),
    "wrong_rejected_by_few": (
        Expectation.WRONG,
        lambda outcome: _rejected(outcome) and outcome.few,
    ),
    "wrong_rejected_by_output": (
        Expectation.WRONG,
        lambda outcome: _rejected(outcome) and outcome.how not in TIMED,
    ),
    # Some programs labelled wrong are only slow: their original verdict was a time limit.
    "wrong_rejected_or_slower": (Expectation.WRONG, lambda outcome: outcome.how != "accepted"),
    "slow_exposed": (Expectation.SLOW, lambda outcome: outcome.how != "accepted"),
    "slow_over_the_limit": (Expectation.SLOW, lambda outcome: outcome.how == Verdict.TIME_LIMIT),
    "right_accepted": (Expectation.ACCEPTED, lambda outcome: not _rejected(outcome)),
    "right_accepted_limits_apart": (
        Expectation.ACCEPTED,
        lambda outcome: not _rejected(outcome) or outcome.how in TIMED,
    ),
    "right_disputed": (Expectation.ACCEPTED, lambda outcome: outcome.how == "disputed"),
    "right_condemned": (
        Expectation.ACCEPTED,
        lambda outcome: outcome.how not in ("accepted", "slower", "disputed", *TIMED),
    ),
}


class Calibration(NamedTuple):
    """The figures of a corpus, problem by problem."""

    problems: tuple[Figures, ...]

    def rate(self, name: str) -> Rate:
        """Return a rate of RATES over the problems with tests; a build does not publish others."""
        rates = [figures.rate(*RATES[name]) for figures in self.problems if figures.tests]
        return Rate(sum(rate.hits for rate in rates), sum(rate.n for rate in rates))

    def facts(self) -> dict[str, Any]:
        """Return the figures of all problems as JSON values."""
        tested = [figures for figures in self.problems if figures.tests]
        checked = [figures for figures in self.problems if figures.oracle_breaks is not None]
        return {
            "problems": len(self.problems),
            "with_tests": len(tested),
            "with_generator": sum(
                figures.way not in ("", "given", "mutated", "types") for figures in self.problems
            ),
            "with_validator": sum(figures.validator for figures in self.problems),
            "validators_refusing_samples": sum(
                figures.samples_refused > 0 for figures in self.problems
            ),
            "sandbox_failed": sum(figures.sandbox_failed for figures in self.problems),
            "not_judged": sum(
                outcome.how == NOT_JUDGED
                for figures in self.problems
                for outcome in figures.outcomes
            ),
            "tests": sum(figures.tests for figures in self.problems),
            "most_tests": max((figures.tests for figures in self.problems), default=0),
            **{name: plain_rate(self.rate(name)) for name in RATES},
            "oracles": len(checked),
            "oracle_inputs": sum(figures.tests for figures in checked),
            "oracle_breaks": sum(figures.oracle_breaks or 0 for figures in checked),
            "cpu_s": round(sum(figures.cpu_s for figures in self.problems), 1),
            "most_cpu_s": round(max((figures.cpu_s for figures in self.problems), default=0.0), 1),
        }

    def plain(self) -> dict[str, Any]:
        """Return the figures of all problems and of each one as JSON values."""
        problems = [
            {**figures._asdict(), "outcomes": [o._asdict() for o in figures.outcomes]}
            for figures in self.problems
        ]
        return {**self.facts(), "by_problem": problems}

    def markdown(self) -> str:
        """Return the totals and the table with one line for each problem, as Markdown."""
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
            for figures in self.problems
            if figures.tests
            for o in figures.outcomes
            if o.how == NOT_JUDGED
            or (_rejected(o) if o.expected == Expectation.ACCEPTED else o.how == "accepted")
        ]
        if missed:
            lines += ["", "Programs whose outcome differs from their label:", ""]
            lines += [
                f"- {outcome.name}: labelled {outcome.expected}, outcome {outcome.how}"
                for outcome in missed
            ]
        return "\n".join(lines) + "\n"

    def record(self, command: str, corpus: str) -> dict[str, Any]:
        """Return the record that ships with the recipe: the figures of all problems and origin."""
        return {
            "corpus": corpus,
            "command": command,
            "recipe": recipe(),
            "few": FEW,
            **self.facts(),
        }


def _row(figures: Figures) -> Iterable[str]:
    if not figures.tests:
        # A bar would end the cell.
        return (
            figures.slug,
            figures.reason.replace("|", "/").replace("\n", " "),
            *[""] * (len(HEADINGS) - 3),
            f"{figures.cpu_s:.0f}",
        )
    names = ("wrong_rejected", "wrong_rejected_by_few", "slow_exposed", "right_accepted")
    rates = [figures.rate(*RATES[name]) for name in names]
    shares = [f"{rate.hits}/{rate.n}" if rate != NOTHING else "-" for rate in rates]
    refuses = f", refuses {figures.samples_refused} samples" * (figures.samples_refused > 0)
    validator = "yes" + refuses if figures.validator else "no"
    breaks = "-" if figures.oracle_breaks is None else f"{figures.oracle_breaks}/{figures.tests}"
    counts = (str(figures.inputs), str(figures.tests))
    return (
        figures.slug,
        figures.way,
        f"{figures.confidence:g}",
        validator,
        *counts,
        *shares,
        breaks,
        f"{figures.cpu_s:.0f}",
    )
