"""Are the tests good? Mutants and known wrong solutions; more tests while that helps, fewer where it does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from venus_toolkit.builders.case import Case
from venus_toolkit.builders.curation.placement import draw
from venus_toolkit.builders.quality.assess import Assessment, assess
from venus_toolkit.builders.quality.kills import Workbench
from venus_toolkit.builders.quality.score import true_positives
from venus_toolkit.builders.stages.agreement import count, record, vote
from venus_toolkit.builders.workshop import Unit, Workshop
from venus_toolkit.engine import Seat
from venus_toolkit.records import Expectation, Solution, TestCase, Verdict

STAGE = "quality"


def examine(shop: Workshop, cases: Sequence[Case]) -> list[Case]:
    """Return the cases with the tests that are worth keeping, and how good these are, in the order given."""
    found: dict[str, Case] = {}
    with shop.stage(STAGE):
        work = lambda case, seat: _Examination(shop, case, seat).run()  # noqa: E731
        for number, (case, examined) in enumerate(shop.engine.judging(work, cases), 1):
            found[case.slug] = examined
            shop.report(STAGE, number, len(cases))
    return [found[case.slug] for case in cases]


class _Examination:
    """The tests of one problem, as they grow."""

    def __init__(self, shop: Workshop, case: Case, seat: Seat) -> None:
        self.shop = shop
        self.case = case
        self.seat = seat

    def run(self) -> Case:
        verdicts = self._verdicts()
        found = self._assess(verdicts)
        kept = {test.test_id for test in found.tests}
        for test in self.case.tests:
            if test.test_id not in kept:
                reason = "kills nothing that the other tests do not kill"
                self.shop.drop(STAGE, self.case.slug, test.test_id, reason)
        record(self.shop, self.case)
        quality = replace(found.quality, positive=true_positives(self.case.entry.solutions, verdicts))
        return replace(self.case, agreement=replace(self.case.agreement, tests=found.tests), quality=quality)

    def _assess(self, verdicts: Mapping[str, Verdict]) -> Assessment:
        shop, solutions, problem = self.shop, self.case.entry.solutions, self.case.problem
        options, limits = shop.plan.quality, shop.limits(problem)
        here = {name: shop.languages[name] for name in shop.toolchains}
        with Workbench(self.seat, problem, limits, here, shop.identity, shop.store) as bench:
            trusted = [each for each in solutions if verdicts.get(each.solution_id) == Verdict.ACCEPTED]
            return assess(bench, [*trusted, *self._wrong()], self.case.tests, self._agree, options)

    def _wrong(self) -> list[Solution]:
        """Return known wrong solutions in all languages that are here: the tests must not depend on what is built."""
        here, options = self.shop.toolchains, self.shop.plan.quality
        wrong = [s for s in self.case.entry.solutions if s.expected == Expectation.WRONG and s.language in here]
        return sorted(wrong, key=lambda s: draw(s.solution_id, options.seed))[: options.wrong]

    def _verdicts(self) -> dict[str, Verdict]:
        """Return the verdicts of the canonical solutions in every language, quarantined ones too."""
        said = {each.solution_id: self.case.judgement(each.solution_id) for each in self.case.entry.solutions}
        return {name: judgement.verdict for name, judgement in said.items() if judgement}

    def _agree(self, more: Sequence[TestCase]) -> tuple[TestCase, ...]:
        """Return those inputs that all canonical solutions agree on; one that shakes an agreed test is not taken."""
        case = self.case
        units = [Unit(case.entry, each) for each in case.entry.solutions if each.solution_id in case.votes]
        said = {unit.solution.solution_id: vote(self.shop, unit, more, self.seat) for unit in units}
        votes = {name: [*case.votes[name], *votes] for name, votes in said.items() if votes is not None}
        grown = count(self.shop, replace(case, inputs=(*case.inputs, *more), votes=votes), self.seat)
        if not {test.test_id for test in case.tests} <= {test.test_id for test in grown.tests}:
            return ()
        self.case = grown
        asked = {test.test_id for test in more}
        return tuple(test for test in grown.tests if test.test_id in asked)
