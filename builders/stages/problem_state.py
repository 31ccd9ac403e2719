"""The state of a problem between ingestion and measurement, extended by each stage."""

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
    """The state of a problem during a build.

    Attributes:
        entry: The problem with its solutions and the generator, validator and evaluator in use.
        generation: How its inputs were made, and with which confidence.
        inputs: The inputs that the canonical solutions ran on.
        votes: The vote of each canonical solution on each input, by solution id.
        agreement: The inputs that became tests, and the reasons for dropping the others.
        witnesses: Ids of solutions outside the panel that pass the given tests; empty unless the
            inputs are in doubt.
        disputed: The reason of each test that witnesses dispute, by test id.
        quality: The quality of the tests; None before the stage that examines them.
    """

    entry: Entry
    generation: ProblemInputs
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
        """The inputs that became tests."""
        return self.agreement.tests

    def units(self, language: str) -> list[Unit]:
        """Return the solutions in a language."""
        return [
            Unit(self.entry, solution)
            for solution in self.entry.solutions
            if solution.language == language
        ]

    def judgement(self, solution_id: str) -> Judgement | None:
        """Return the judgement of a canonical solution, derived from its votes without running it.

        Returns:
            None if it did not run on every test up to its first failure, so that it has to be
            judged; None also if the tests that it fails are not enough to call it wrong.
        """
        votes = self.votes.get(solution_id)
        if votes is None:
            return None
        by_test = {test.test_id: vote for test, vote in zip(self.inputs, votes, strict=True)}
        first: Judgement | None = None
        failed: list[TestCase] = []
        for test in self.tests:
            vote = by_test[test.test_id]
            if vote == UNTRIED and not first:
                return None
            if vote.verdict:
                # The reason of a vote starts with the verdict (execution/engine/work.py); a
                # judgement has a field for it.
                reason = vote.reason.removeprefix(f"{vote.verdict}: ")
                first = first or Judgement(Verdict(vote.verdict), reason, test.test_id)
            elif vote != UNTRIED and vote.output not in self.agreement.right[test.test_id]:
                first = first or Judgement(
                    Verdict.WRONG_ANSWER, "not the output that the others agree on", test.test_id
                )
            else:
                continue
            failed += [test] * (vote.kind != "abstains")
        several = self.problem.comparison.several
        dissents = first is not None and first.verdict in DISSENTING
        if dissents and not condemned(failed, self.generation.confidence, several=several):
            return None
        return first or Judgement(Verdict.ACCEPTED)
