"""A problem at work: what the stages between reading and measuring learn of it, stage by stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from venus_toolkit.builders import validate
from venus_toolkit.builders.generation.inputs import Inputs
from venus_toolkit.builders.quality.score import Quality
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.workshop import Unit
from venus_toolkit.records import Judgement, Problem, TestCase


@dataclass(frozen=True, slots=True)
class Case:
    """A problem at work.

    Attributes:
        entry: The problem, with the generator, validator and evaluator that are used, and its solutions.
        made: How its inputs were made.
        inputs: What the canonical solutions ran on.
        votes: What each canonical solution said of each input, by solution id.
        agreement: Which of the inputs are tests, and what became of the others.
        quality: How good the tests are; None until that is known.
    """

    entry: Entry
    made: Inputs
    inputs: tuple[TestCase, ...]
    votes: Mapping[str, Sequence[validate.Vote]] = field(default_factory=dict)
    agreement: validate.Agreement = field(default_factory=validate.Agreement)
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
        return [Unit(self.entry, each) for each in self.entry.solutions if each.language == language]

    def judgement(self, solution_id: str) -> Judgement | None:
        """Return the judgement of a canonical solution: it ran on every test already, on the same machine."""
        said = self.votes.get(solution_id)
        if said is None:
            return None
        by_test = {test.test_id: vote for test, vote in zip(self.inputs, said, strict=True)}
        kept = {test.test_id: by_test[test.test_id] for test in self.tests}
        return validate.judgement_of(kept, self.agreement.right)
