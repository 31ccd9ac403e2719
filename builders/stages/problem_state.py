"""A problem at work: what the stages between reading and measuring learn of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from venus_toolkit.builders.inputs.make_inputs import ProblemInputs
from venus_toolkit.builders.quality.score import Quality
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.stages.build_context import Unit
from venus_toolkit.builders.stages.validate import DISSENTING, Agreement, condemned
from venus_toolkit.core.records import Judgement, Problem, TestCase, Verdict
from venus_toolkit.execution.engine.work import UNTRIED, Vote


@dataclass(frozen=True, slots=True)
class ProblemState:
    """A problem at work.

    Attributes:
        entry: The problem, with the generator, validator and evaluator that are used, and its
            solutions.
        made: How its inputs were made.
        inputs: What the canonical solutions ran on.
        votes: What each canonical solution said of each input, by solution id.
        agreement: Which of the inputs are tests, and what became of the others.
        witnesses: Solutions without a claim that pass the given tests, where the inputs are in
            doubt.
        disputed: Tests that are left out for what witnesses say, with the reasons.
        quality: How good the tests are; None until that is known.
    """

    entry: Entry
    made: ProblemInputs
    inputs: tuple[TestCase, ...]
    votes: Mapping[str, Sequence[Vote]] = field(default_factory=dict)
    agreement: Agreement = field(default_factory=Agreement)
    witnesses: tuple[str, ...] = ()
    disputed: Mapping[str, str] = field(default_factory=dict)
    quality: Quality | None = None

    @property
    def problem(self) -> Problem:
        """The problem."""
        return self.entry.problem

    @property
    def slug(self) -> str:
        """The problem's name."""
        return self.entry.problem.slug

    @property
    def tests(self) -> tuple[TestCase, ...]:
        """The tests that are kept."""
        return self.agreement.tests

    def units(self, language: str) -> list[Unit]:
        """Return the solutions in a language."""
        return [
            Unit(self.entry, each) for each in self.entry.solutions if each.language == language
        ]

    def judgement(self, solution_id: str) -> Judgement | None:
        """Return what judge() would say of a canonical solution.

        Its runs are over, only the comparison is left.

        None where it was not run on every test that counts, on the same machine: then it has to be
        judged; and where the tests that it fails are not enough to call it wrong.
        """
        said = self.votes.get(solution_id)
        if said is None:
            return None
        by_test = {test.test_id: vote for test, vote in zip(self.inputs, said, strict=True)}
        first: Judgement | None = None
        failed: list[TestCase] = []
        for test in self.tests:
            vote = by_test[test.test_id]
            if vote == UNTRIED and not first:
                return None
            if vote.verdict:
                # A vote has its verdict in front of the reason (execution/engine/work.py), a
                # judgement beside it.
                why = vote.reason.removeprefix(f"{vote.verdict}: ")
                first = first or Judgement(Verdict(vote.verdict), why, test.test_id)
            elif vote != UNTRIED and vote.output not in self.agreement.right[test.test_id]:
                first = first or Judgement(
                    Verdict.WRONG_ANSWER, "not the output that the others agree on", test.test_id
                )
            else:
                continue
            failed += [test] * (vote.kind != "abstains")
        several = self.problem.comparison.several
        dissents = first is not None and first.verdict in DISSENTING
        if dissents and not condemned(failed, self.made.confidence, several=several):
            return None
        return first or Judgement(Verdict.ACCEPTED)
