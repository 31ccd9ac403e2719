"""Where several answers are right and nobody said how to compare them: the order may be free, or a model is asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from venus_toolkit.builders.case import Case
from venus_toolkit.builders.generation.model import try_evaluator, write_program
from venus_toolkit.builders.validate import DISAGREE, output_key
from venus_toolkit.builders.workshop import Workshop
from venus_toolkit.judge import Answer
from venus_toolkit.records import Comparison
from venus_toolkit.signatures import evaluator_for, level_of_dissent

DISSENT = 0.25  # of the inputs
SHOWN = 5


def with_evaluator(shop: Workshop, case: Case) -> Case:
    """Return the case with an evaluator of a model's, or as it is where none is wanted, allowed or usable."""
    answers = _answers(shop, case)
    if shop.model is None or case.problem.comparison.kind == "evaluator" or not answers:
        return case
    written = write_program(
        "evaluator",
        shop.model,
        case.problem,
        [answer.stdin for answer in answers],
        lambda code: try_evaluator(shop.sandbox, code, answers),
        shop.plan.generation.rounds,
    )
    if written.code is None:
        reasons = (*case.made.reasons, f"model, evaluator: {written.reason}")
        return replace(case, made=case.made._replace(reasons=reasons))
    problem = replace(case.problem, evaluator=written.code, comparison=Comparison("evaluator"))
    return replace(case, entry=case.entry._replace(problem=problem))


def with_free_order(shop: Workshop, case: Case) -> Case:
    """Return a function-style case compared without order where that, and nothing else, is what solutions differ in."""
    problem = case.problem
    outputs = _disputed(shop, case)
    if problem.style != "function" or problem.comparison.kind != "exact" or not outputs:
        return case
    levels = [level_of_dissent(texts) for texts in outputs]
    if not all(levels):
        return case
    evaluator = evaluator_for(max(level or 0 for level in levels))
    problem = replace(problem, evaluator=evaluator, comparison=Comparison("evaluator"))
    return replace(case, entry=case.entry._replace(problem=problem))


def _disputed(shop: Workshop, case: Case) -> list[list[str]]:
    """Return the different outputs of each test on which solutions disagree, the expected one included."""
    if not (case.agreement.quarantined or DISAGREE in case.agreement.dropped.values()):
        return []
    found = []
    for index, test in enumerate(case.inputs):
        said = {votes[index].output for votes in case.votes.values() if votes[index].kind == "answer"}
        given = [] if test.stdout is None else [test.stdout]
        if len(said | {output_key(text) for text in given}) > 1:
            found.append(given + [shop.store.get("output", name) for name in sorted(said)])
    return found


def _answers(shop: Workshop, case: Case) -> list[Answer]:
    """Return what most solutions say of some of the inputs on which others say otherwise; none where few do."""
    inputs = {test.test_id: (index, test) for index, test in enumerate(case.inputs)}
    dissent = [name for name, why in case.agreement.dropped.items() if why == DISAGREE]
    if len(dissent) < DISSENT * len(case.inputs):
        return []
    answers = []
    for name in dissent[:SHOWN]:
        index, test = inputs[name]
        said = Counter(votes[index].output for votes in case.votes.values() if votes[index].kind == "answer")
        text = shop.store.get("output", said.most_common(1)[0][0])
        answers.append(Answer(text, text, test.stdin))
    return answers
