"""Which tests are good: a panel of canonical solutions runs on every input, and they have to agree.

The panel has some solutions of each language, as different from each other as there are. Where it
does not agree on every input, all canonical solutions of the problem run; everywhere else those
that are not in it are judged by the tests, as any other solution is.

Where several answers are right and nobody said how to compare them, the order may be free, accepted
programs may show what makes an answer right, or a model is asked for an evaluator. Where none of
these helps, the comparison says that other answers are right, too, and only inputs on which many
programs agree are tests.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from venus_toolkit.builders.curation.placement import draw
from venus_toolkit.builders.inputs.answers import freedom_of
from venus_toolkit.builders.inputs.checkers import FEWEST, AcceptedAnswers, agreed_views
from venus_toolkit.builders.inputs.model import try_evaluator, write_program
from venus_toolkit.builders.quality.lexer import masked, tokens
from venus_toolkit.builders.stages import validate
from venus_toolkit.builders.stages.build_context import BuildContext, Unit
from venus_toolkit.builders.stages.problem_state import ProblemState
from venus_toolkit.builders.stages.step import Step
from venus_toolkit.core import __version__
from venus_toolkit.core.records import OutputComparison, TestCase, digest, from_plain, to_plain
from venus_toolkit.dataset.funnel import DISAGREE, Dropped
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import SandboxFailure, known
from venus_toolkit.execution.engine.work import Vote
from venus_toolkit.execution.judging.checker import Answer
from venus_toolkit.execution.judging.comparison import output_key
from venus_toolkit.signatures import evaluator_for, order_of_dissent

STAGE = "validate"


def agree(context: BuildContext, states: Sequence[ProblemState]) -> list[ProblemState]:
    """Run canonical solutions and keep the tests on which they agree; everything else is dropped.

    Returns the problems that have tests, in the order given.
    """
    by_slug = {state.slug: state for state in states if state.inputs}
    canonical = {slug: context.canonical(state.entry) for slug, state in by_slug.items()}
    votes: dict[str, dict[str, Sequence[Vote]]] = {slug: {} for slug in by_slug}
    look = Step[ProblemState, validate.Agreement](
        name=STAGE,
        problem=lambda state: state.slug,
        work=lambda state, worker: count(context, state, worker).agreement,
        counted=False,
    )
    growing, voters = dict(canonical), context.plan.voters
    while growing:
        asked = {slug: panel(context, units, voters) for slug, units in growing.items()}
        partial_votes = [slug for slug, units in asked.items() if len(units) < len(canonical[slug])]
        new = {
            slug: [unit for unit in units if unit.solution.solution_id not in votes[slug]]
            for slug, units in asked.items()
        }
        for slug, said in _ask(context, by_slug, new).items():
            votes[slug] |= said
        found = context.results(
            look,
            [replace(by_slug[slug], votes=votes[slug]) for slug in partial_votes if votes[slug]],
        )
        # The first panel has to agree on everything; a larger one only has to have a clear majority
        # on each input. The solutions outside are judged by the tests like any other.
        first = voters == context.plan.voters
        settled = {
            state.slug
            for state, each in found
            if not (each.open or (first and (each.dropped or each.quarantined)))
        }
        growing = {
            slug: canonical[slug] for slug in partial_votes if slug not in settled and votes[slug]
        }
        voters *= 2
    settle = Step[ProblemState, ProblemState](
        name=STAGE,
        problem=lambda state: state.slug,
        work=partial(_settled, context),
        drops=lambda _, settled: drops_of(settled),
        counted=False,
    )
    todo = [replace(state, votes=votes[slug]) for slug, state in by_slug.items() if votes[slug]]
    kept = {
        state.slug: settled for state, settled in context.results(settle, todo) if settled.tests
    }
    whys = {slug: alike(kept[slug]) if slug in kept else "no test is left" for slug in by_slug}
    for slug, why in whys.items():
        if why:
            context.drop(STAGE, slug, slug, why)
            kept.pop(slug, None)
    # In the order given: results come in any order, and releases have to be the same to the byte.
    return [kept[state.slug] for state in states if state.slug in kept]


def _ask(
    context: BuildContext, states: Mapping[str, ProblemState], units: Mapping[str, Sequence[Unit]]
) -> dict[str, dict[str, Sequence[Vote]]]:
    """Return the votes of some solutions of each problem, by their ids."""
    ask = Step[Unit, "Sequence[Vote] | None"](
        name=STAGE,
        problem=lambda unit: unit.entry.problem.slug,
        subject=lambda unit: unit.solution.solution_id,
        work=lambda unit, worker: vote(
            context, unit, states[unit.entry.problem.slug].inputs, worker
        ),
    )
    votes: dict[str, dict[str, Sequence[Vote]]] = {slug: {} for slug in units}
    for unit, said in context.results(ask, [unit for asked in units.values() for unit in asked]):
        if said is not None:
            votes[unit.entry.problem.slug][unit.solution.solution_id] = said
    return votes


def panel(context: BuildContext, units: Sequence[Unit], wanted: int) -> list[Unit]:
    """Return `wanted` canonical solutions of a problem, those that vote first, in the order given.

    With 0 they are all.

    There are two of every language, and where there is room for more the languages
    take turns. A larger panel has all that are in a smaller one. It does not depend on the
    languages that are built: all of them share the tests.
    """
    if not wanted or len(units) <= wanted:
        return list(units)
    by_language: dict[str, list[Unit]] = defaultdict(list)
    for unit in sorted(units, key=lambda unit: draw(unit.solution.solution_id, context.plan.seed)):
        by_language[unit.solution.language].append(unit)
    chosen: list[Unit] = []
    ranked = [_most_different(context, by_language[name], wanted) for name in sorted(by_language)]
    of_each = 2  # language, where there are as many
    for place in range(max(map(len, ranked))):
        row = [units[place] for units in ranked if place < len(units)]
        room = len(row) if place < of_each else wanted - len(chosen)
        chosen += row[: max(0, room)]
    names = {unit.solution.solution_id for unit in chosen}
    return [unit for unit in units if unit.solution.solution_id in names]


def _most_different(context: BuildContext, units: Sequence[Unit], wanted: int) -> list[Unit]:
    """Return so many solutions of one language in an order in which each is as unlike all before it as can be."""
    # Solutions of a language that a panel is chosen from, by lot: all pairs of them are compared
    considered = 100
    left = {unit.solution.solution_id: unit for unit in units[:considered]}
    language = context.languages[units[0].solution.language]
    shingles = {}
    shingle = 5  # tokens
    for name, unit in left.items():
        words = [token.group() for token in tokens(masked(unit.solution.code, language))]
        shingles[name] = {
            tuple(words[at : at + shingle]) for at in range(max(1, len(words) - shingle + 1))
        }
    ordered: list[Unit] = []
    # By the Jaccard index with the most alike of those that are chosen; the first is drawn.
    nearest = dict.fromkeys(left, 0.0)
    while left and len(ordered) < wanted:
        name = min(left, key=nearest.__getitem__)
        ordered.append(left.pop(name))
        for other in left:
            mine, theirs = shingles[name], shingles[other]
            nearest[other] = max(nearest[other], len(mine & theirs) / len(mine | theirs))
    return ordered


def alike(state: ProblemState) -> str:
    """Return why the tests of a problem tell nothing; empty where they do.

    They tell nothing where all expect one output, which a program can print unread. A single test
    may; and where an evaluator reads the input, what is expected may say nothing at
    all.
    """
    outputs = {output_key(test.stdout or "") for test in state.tests}
    # An evaluator with a third argument
    reads_input = re.compile(r"^def evaluate\((?:[^,()]*,){2}", re.MULTILINE)
    if (
        len(state.tests) < 2
        or len(outputs) > 1
        or reads_input.search(state.problem.evaluator or "")
    ):
        return ""
    return (
        f"all {len(state.tests)} tests expect the same output: "
        f"{(state.tests[0].stdout or '').strip()[:60]}"
    )


def vote(
    context: BuildContext,
    unit: Unit,
    tests: Sequence[TestCase],
    worker: Worker,
    alone: bool = False,
) -> Sequence[Vote] | SandboxFailure | None:
    """Return what a canonical solution says of each test, or None where there is no runner for it.

    Tests share a process where the runner can do that, unless each is to run `alone`.
    """
    program, problem = context.program(unit), unit.entry.problem
    if program is None:
        return None
    lines = None if alone else context.batch_lines(unit, tests)
    found = context.executor.vote(
        worker, context.suite(problem, tests, unit.solution.language), program, lines
    )
    if isinstance(found, SandboxFailure):
        return found
    if found.carries_state:
        context.stateful.add((problem.slug, unit.solution.solution_id))
    return found.of_each


def _settled(context: BuildContext, state: ProblemState, worker: Worker) -> ProblemState:
    """Return the problem with what its votes come to, by another comparison where that finds more agreement."""
    found = count(context, state, worker)
    # A solution that shares a process between tests may dissent only because of that: it votes
    # again, one by one.
    dissent = {name for said in found.agreement.dissent.values() for name in said} | set(
        found.agreement.quarantined
    )
    votes = dict(found.votes)
    for solution in found.entry.solutions:
        unit = Unit(found.entry, solution)
        if (
            solution.solution_id in dissent & set(votes)
            and context.batch_lines(unit, found.inputs) is not None
        ):
            alone = vote(context, unit, found.inputs, worker, alone=True)
            if alone and not isinstance(alone, SandboxFailure):
                votes[solution.solution_id] = alone
    if votes != found.votes:
        found = count(context, replace(found, votes=votes), worker)
    for compared in (_with_free_order, _with_views, _with_evaluator):
        other = compared(context, found)
        if other.problem.evaluator != found.problem.evaluator:
            other = count(context, other, worker)
            # More tests first, then more solutions that still have a say; of equals the simpler
            # comparison, but for several right answers the one that looks at more than the letter.
            either = [other, found] if found.problem.comparison.several else [found, other]
            other = max(
                either, key=lambda each: (len(each.tests), -len(each.agreement.quarantined))
            )
        found = other
    comparison = found.problem.comparison
    undisputed = DISAGREE not in found.agreement.dropped.values()
    if comparison.several and undisputed and not freedom_of(found.problem.statement).sure:
        # Another answer that a note shows is one that accepted programs would give, too.
        comparison = replace(comparison, several=False)
        problem = replace(found.problem, comparison=comparison)
        found = count(context, replace(found, entry=found.entry._replace(problem=problem)), worker)
    return found


def count(context: BuildContext, state: ProblemState, worker: Worker) -> ProblemState:
    """Return the problem with what its votes come to."""
    votes = {name: state.votes[name] for name in sorted(state.votes)}
    problem, executor, sure = state.problem, context.executor, state.made.confidence
    rules = context.suite(problem, state.inputs).rules

    def find() -> dict[str, Any] | SandboxFailure:
        # Votes name outputs by digest; the key below needs no more, so nothing large is read for
        # what is known.
        outputs = context.outputs(
            {each.output for voter in votes.values() for each in voter if each.kind == "answer"}
        )
        agreement: validate.Agreement | SandboxFailure
        # Outputs may be large: they are compared here, and sent to a worker only where an evaluator
        # has to run.
        if rules.comparison.kind == "evaluator":
            agreement = executor.run(
                worker.at(state.slug), validate.decide, state.inputs, votes, outputs, rules, sure
            )
        else:
            agreement = validate.decide(
                executor.sandbox, worker.cores, state.inputs, votes, outputs, rules, sure
            )
        plain: dict[str, Any] | SandboxFailure
        plain = agreement if isinstance(agreement, SandboxFailure) else to_plain(agreement)
        return plain

    def key() -> str:
        compared_by = [problem.comparison, problem.evaluator, sure]
        return digest(__version__, to_plain(list(state.inputs)), to_plain(votes), *compared_by)

    found = known(
        executor.once("agree", key, find), f"the answers to {state.slug} could not be compared"
    )
    tests = tuple(from_plain(TestCase, test) for test in found["tests"])
    return replace(state, agreement=validate.Agreement(**{**found, "tests": tests}))


def drops_of(state: ProblemState) -> Iterator[Dropped]:
    """Yield the tests that canonical solutions disagree on, and the solutions that have no say any more."""
    agreement = state.agreement
    for test_id, reason in agreement.dropped.items():
        yield Dropped(STAGE, state.slug, test_id, reason, agreement.dissent.get(test_id))
    for name, reason in agreement.quarantined.items():
        yield Dropped("quarantine", state.slug, name, reason)


def _with_free_order(context: BuildContext, state: ProblemState) -> ProblemState:
    """Return a function-style problem compared without order where solutions differ in nothing else.

    Of several right answers some are often the same but for the order, which matters all the same.
    """
    agreement, problem = state.agreement, state.problem
    disputed = agreement.quarantined or DISAGREE in agreement.dropped.values()
    exact = problem.comparison == replace(OutputComparison(), source=problem.comparison.source)
    if problem.style != "function" or not exact or not disputed:
        return state
    orders = []
    for index, test in enumerate(state.inputs):
        said, given = set(_answers(state, index)), [] if test.stdout is None else [test.stdout]
        if len(said | {output_key(text) for text in given}) > 1:
            orders.append(order_of_dissent([*given, *context.outputs(said).values()]))
    # One dispute about more than the order is enough: an evaluator without order would not settle
    # it.
    if not orders or not all(orders):
        return state
    free = sorted({depth for order in orders for depth in order or ()})
    return _compared_by(state, evaluator_for(free))


def _with_views(context: BuildContext, state: ProblemState) -> ProblemState:
    """Return a problem with several right answers with a checker that accepted programs agree on.

    Where they hardly differ, other answers may be right all the same.
    """
    problem = state.problem
    undisputed = DISAGREE not in state.agreement.dropped.values()
    if not problem.comparison.several or (undisputed and not freedom_of(problem.statement).sure):
        return state
    answers = []
    for index, test in enumerate(state.inputs):
        said = sorted(set(_answers(state, index)))
        given = [] if test.stdout is None or output_key(test.stdout) in said else [test.stdout]
        if said:
            answers.append(AcceptedAnswers(test.stdin, [*given, *context.outputs(said).values()]))
    answers.sort(key=lambda each: len(each.outputs) == 1)
    words = problem.style != "function"
    views = agreed_views(problem.statement, answers, words)
    several = sum(len(each.outputs) > 1 for each in answers) < FEWEST
    return _compared_by(state, evaluator_for(views=views, words=words), several) if views else state


def _with_evaluator(context: BuildContext, state: ProblemState) -> ProblemState:
    """Return the problem with an evaluator that a model wrote, or as it is where none is wanted, allowed or usable."""
    model = context.model
    disputed = [name for name, why in state.agreement.dropped.items() if why == DISAGREE]
    least_dissent = 0.25  # of the inputs: with less of it no model is asked for an evaluator
    few = not disputed or len(disputed) < least_dissent * len(state.inputs)
    comparison = state.problem.comparison
    if model is None or (comparison.kind == "evaluator" and not comparison.several) or few:
        return state
    answers = []
    shown = 5  # disputed inputs that a model sees: a prompt has to stay short
    for index, test in enumerate(state.inputs):
        if test.test_id in disputed[:shown]:
            # Nothing is known to be right here: the trial takes what most solutions printed.
            ((most, _),) = Counter(_answers(state, index)).most_common(1)
            (text,) = context.outputs([most]).values()
            answers.append(Answer(text, text, test.stdin))
    written = write_program(
        "evaluator",
        model,
        state.problem,
        [answer.stdin for answer in answers],
        lambda code: try_evaluator(context.executor.sandbox, code, answers),
        context.plan.generation.rounds,
    )
    if written.code is None:
        reasons = (*state.made.reasons, f"model, evaluator: {written.reason}")
        return replace(state, made=state.made._replace(reasons=reasons))
    return _compared_by(state, written.code)


def _answers(state: ProblemState, index: int) -> list[str]:
    """Return the digests of what the solutions that answered printed for one input."""
    return [votes[index].output for votes in state.votes.values() if votes[index].kind == "answer"]


def _compared_by(state: ProblemState, evaluator: str, several: bool = False) -> ProblemState:
    source = state.problem.comparison.source
    comparison = OutputComparison("evaluator", several=several, source=source)
    problem = replace(state.problem, evaluator=evaluator, comparison=comparison)
    return replace(state, entry=state.entry._replace(problem=problem))
