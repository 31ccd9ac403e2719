"""Turns inputs into tests: a panel of canonical solutions runs on every input and has to agree.

The panel has some dissimilar solutions of each language. If it does not agree on every input, it is
doubled until it has a clear majority on each, or contains all canonical solutions. The tests judge
the canonical solutions outside the panel like any other solution.

If several answers are right and the source does not say how to compare them, the stage tries
comparisons: any order of the elements, a checker derived from the answers of accepted programs, or
an evaluator written by a model. If none helps, the comparison is marked as accepting too few
answers (`several`), and only inputs on which many programs agree become tests.
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
    """Run canonical solutions, keep the tests on which they agree, and drop everything else.

    Returns:
        The problems that have tests, in the given order.
    """
    by_slug = {state.slug: state for state in states if state.inputs}
    canonical = {slug: context.canonical(state.entry) for slug, state in by_slug.items()}
    votes: dict[str, dict[str, Sequence[Vote]]] = {slug: {} for slug in by_slug}
    preview = Step[ProblemState, validate.Agreement](
        name=STAGE,
        problem=lambda state: state.slug,
        work=lambda state, worker: count_votes(context, state, worker).agreement,
        counted=False,
    )
    growing, voters = dict(canonical), context.plan.voters
    while growing:
        panels = {slug: panel(context, units, voters) for slug, units in growing.items()}
        expandable = [slug for slug, units in panels.items() if len(units) < len(canonical[slug])]
        new = {
            slug: [unit for unit in units if unit.solution.solution_id not in votes[slug]]
            for slug, units in panels.items()
        }
        for slug, new_votes in _collect_votes(context, by_slug, new).items():
            votes[slug] |= new_votes
        agreements = context.results(
            preview,
            [replace(by_slug[slug], votes=votes[slug]) for slug in expandable if votes[slug]],
        )
        # The first panel has to agree on everything, a larger one only needs a clear majority on
        # each input.
        first = voters == context.plan.voters
        settled = {
            state.slug
            for state, agreement in agreements
            if not (agreement.open or (first and (agreement.dropped or agreement.quarantined)))
        }
        growing = {
            slug: canonical[slug] for slug in expandable if slug not in settled and votes[slug]
        }
        voters *= 2
    settle = Step[ProblemState, ProblemState](
        name=STAGE,
        problem=lambda state: state.slug,
        work=partial(_settle, context),
        drops=lambda _, settled: drops_of(settled),
        counted=False,
    )
    todo = [replace(state, votes=votes[slug]) for slug, state in by_slug.items() if votes[slug]]
    agreed = {
        state.slug: settled for state, settled in context.results(settle, todo) if settled.tests
    }
    reasons = {
        slug: uninformative(agreed[slug]) if slug in agreed else "no test is left"
        for slug in by_slug
    }
    for slug, reason in reasons.items():
        if reason:
            context.drop(STAGE, slug, slug, reason)
            agreed.pop(slug, None)
    # Results arrive in any order, but equal builds write equal bytes.
    return [agreed[state.slug] for state in states if state.slug in agreed]


def _collect_votes(
    context: BuildContext, states: Mapping[str, ProblemState], units: Mapping[str, Sequence[Unit]]
) -> dict[str, dict[str, Sequence[Vote]]]:
    """Return the votes of the given solutions of each problem, by slug and solution id."""
    step = Step[Unit, "Sequence[Vote] | None"](
        name=STAGE,
        problem=lambda unit: unit.entry.problem.slug,
        subject=lambda unit: unit.solution.solution_id,
        work=lambda unit, worker: vote(
            context, unit, states[unit.entry.problem.slug].inputs, worker
        ),
    )
    votes: dict[str, dict[str, Sequence[Vote]]] = {slug: {} for slug in units}
    for unit, unit_votes in context.results(
        step, [unit for listed in units.values() for unit in listed]
    ):
        if unit_votes is not None:
            votes[unit.entry.problem.slug][unit.solution.solution_id] = unit_votes
    return votes


def panel(context: BuildContext, units: Sequence[Unit], size: int) -> list[Unit]:
    """Return the canonical solutions of a problem that vote first, in the given order.

    The panel has two dissimilar solutions of every language, as far as they exist; the rest is
    distributed evenly over the languages. A larger panel contains every smaller one. It does not
    depend on the languages of the build, because the builds of all languages share the tests.

    Args:
        context: Its plan has the seed.
        units: The canonical solutions.
        size: The number of solutions, more if two of every language exceed it; 0: all.
    """
    if not size or len(units) <= size:
        return list(units)
    by_language: dict[str, list[Unit]] = defaultdict(list)
    for unit in sorted(units, key=lambda unit: draw(unit.solution.solution_id, context.plan.seed)):
        by_language[unit.solution.language].append(unit)
    chosen: list[Unit] = []
    ranked = [
        _order_by_difference(context, by_language[name], size) for name in sorted(by_language)
    ]
    minimum_per_language = 2
    for position in range(max(map(len, ranked))):
        row = [units[position] for units in ranked if position < len(units)]
        room = len(row) if position < minimum_per_language else size - len(chosen)
        chosen += row[: max(0, room)]
    names = {unit.solution.solution_id for unit in chosen}
    return [unit for unit in units if unit.solution.solution_id in names]


def _order_by_difference(context: BuildContext, units: Sequence[Unit], size: int) -> list[Unit]:
    """Return at most `size` solutions of one language, the most dissimilar ones first."""
    most_compared = 100  # solutions; the time is quadratic in their number
    left = {unit.solution.solution_id: unit for unit in units[:most_compared]}
    language = context.languages[units[0].solution.language]
    shingles = {}
    shingle = 5  # tokens
    for name, unit in left.items():
        words = [token.group() for token in tokens(masked(unit.solution.code, language))]
        shingles[name] = {
            tuple(words[at : at + shingle]) for at in range(max(1, len(words) - shingle + 1))
        }
    ordered: list[Unit] = []
    # The highest Jaccard index with a chosen solution. The units are shuffled, so the first choice
    # is random.
    nearest = dict.fromkeys(left, 0.0)
    while left and len(ordered) < size:
        name = min(left, key=nearest.__getitem__)
        ordered.append(left.pop(name))
        for other in left:
            mine, theirs = shingles[name], shingles[other]
            nearest[other] = max(nearest[other], len(mine & theirs) / len(mine | theirs))
    return ordered


def uninformative(state: ProblemState) -> str:
    """Return why the tests of a problem cannot tell programs apart; empty if they can.

    If all tests expect one output, a program passes that prints it without reading its input. A
    single test is exempt, and so are tests whose evaluator reads the input.
    """
    outputs = {output_key(test.stdout or "") for test in state.tests}
    # An evaluator that reads the input has three parameters.
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
    """Return the votes of a canonical solution on the tests; None if it has no runner.

    Tests share a process if the runner supports that, unless `alone` is set.
    """
    program, problem = context.program(unit), unit.entry.problem
    if program is None:
        return None
    lines = None if alone else context.batch_lines(unit, tests)
    result = context.executor.vote(
        worker, context.suite(problem, tests, unit.solution.language), program, lines
    )
    if isinstance(result, SandboxFailure):
        return result
    if result.carries_state:
        context.stateful.add((problem.slug, unit.solution.solution_id))
    return result.of_each


def _settle(context: BuildContext, state: ProblemState, worker: Worker) -> ProblemState:
    """Return the problem with the agreement of its votes, under the best comparison."""
    state = count_votes(context, state, worker)
    # Sharing a process between tests can change answers, so dissenters vote again, one by one.
    dissenters = {
        name for dissent_by_name in state.agreement.dissent.values() for name in dissent_by_name
    } | set(state.agreement.quarantined)
    votes = dict(state.votes)
    for solution in state.entry.solutions:
        unit = Unit(state.entry, solution)
        if (
            solution.solution_id in dissenters & set(votes)
            and context.batch_lines(unit, state.inputs) is not None
        ):
            new_votes = vote(context, unit, state.inputs, worker, alone=True)
            if new_votes and not isinstance(new_votes, SandboxFailure):
                votes[solution.solution_id] = new_votes
    if votes != state.votes:
        state = count_votes(context, replace(state, votes=votes), worker)
    for change_comparison in (_with_free_order, _with_views, _with_evaluator):
        other = change_comparison(context, state)
        if other.problem.evaluator != state.problem.evaluator:
            other = count_votes(context, other, worker)
            # Prefer more tests, then fewer quarantined solutions. If both are equal, keep the
            # current comparison, unless it accepts too few of several right answers.
            either = [other, state] if state.problem.comparison.several else [state, other]
            other = max(
                either,
                key=lambda candidate: (len(candidate.tests), -len(candidate.agreement.quarantined)),
            )
        state = other
    comparison = state.problem.comparison
    undisputed = DISAGREE not in state.agreement.dropped.values()
    if comparison.several and undisputed and not freedom_of(state.problem.statement).sure:
        # No program gives the other answers that the statement suggests, so there likely are none.
        comparison = replace(comparison, several=False)
        problem = replace(state.problem, comparison=comparison)
        state = count_votes(
            context, replace(state, entry=state.entry._replace(problem=problem)), worker
        )
    return state


def count_votes(context: BuildContext, state: ProblemState, worker: Worker) -> ProblemState:
    """Return the problem with the agreement of its votes."""
    votes = {name: state.votes[name] for name in sorted(state.votes)}
    problem, executor, sure = state.problem, context.executor, state.generation.confidence
    rules = context.suite(problem, state.inputs).rules

    def find_agreement() -> dict[str, Any] | SandboxFailure:
        # Votes have only digests of outputs, which suffice for the key below. The outputs are read
        # only here, when the journal does not have the agreement.
        outputs = context.outputs(
            {vote.output for voter in votes.values() for vote in voter if vote.kind == "answer"}
        )
        agreement: validate.Agreement | SandboxFailure
        # Outputs may be large, so only those for an evaluator are sent to a worker.
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

    fields = known(
        executor.once("agree", key, find_agreement),
        f"the answers to {state.slug} could not be compared",
    )
    tests = tuple(from_plain(TestCase, test) for test in fields["tests"])
    return replace(state, agreement=validate.Agreement(**{**fields, "tests": tests}))


def drops_of(state: ProblemState) -> Iterator[Dropped]:
    """Yield the tests on which canonical solutions disagree, and the quarantined solutions."""
    agreement = state.agreement
    for test_id, reason in agreement.dropped.items():
        yield Dropped(STAGE, state.slug, test_id, reason, agreement.dissent.get(test_id))
    for name, reason in agreement.quarantined.items():
        yield Dropped("quarantine", state.slug, name, reason)


def _with_free_order(context: BuildContext, state: ProblemState) -> ProblemState:
    """Return the problem with a comparison that ignores order, if answers differ only in order.

    Only function-style problems are changed, and none with several right answers: the order may
    matter there.
    """
    agreement, problem = state.agreement, state.problem
    disputed = agreement.quarantined or DISAGREE in agreement.dropped.values()
    exact = problem.comparison == replace(OutputComparison(), source=problem.comparison.source)
    if problem.style != "function" or not exact or not disputed:
        return state
    orders = []
    for index, test in enumerate(state.inputs):
        digests = set(_answers(state, index))
        given_outputs = [] if test.stdout is None else [test.stdout]
        if len(digests | {output_key(text) for text in given_outputs}) > 1:
            orders.append(order_of_dissent([*given_outputs, *context.outputs(digests).values()]))
    # A comparison without order does not settle a dispute about anything else.
    if not orders or not all(orders):
        return state
    free = sorted({depth for order in orders for depth in order or ()})
    return _with_comparison(state, evaluator_for(free))


def _with_views(context: BuildContext, state: ProblemState) -> ProblemState:
    """Give a problem with several right answers a checker under which accepted programs agree.

    If their answers differ on fewer than `FEWEST` inputs, the checker may still be too strict, and
    the comparison keeps the mark `several`.
    """
    problem = state.problem
    undisputed = DISAGREE not in state.agreement.dropped.values()
    if not problem.comparison.several or (undisputed and not freedom_of(problem.statement).sure):
        return state
    answers = []
    for index, test in enumerate(state.inputs):
        digests = sorted(set(_answers(state, index)))
        given_outputs = (
            [] if test.stdout is None or output_key(test.stdout) in digests else [test.stdout]
        )
        if digests:
            answers.append(
                AcceptedAnswers(test.stdin, [*given_outputs, *context.outputs(digests).values()])
            )
    answers.sort(key=lambda answer: len(answer.outputs) == 1)
    words = problem.style != "function"
    views = agreed_views(problem.statement, answers, words)
    several = sum(len(answer.outputs) > 1 for answer in answers) < FEWEST
    if not views:
        return state
    return _with_comparison(state, evaluator_for(views=views, words=words), several)


def _with_evaluator(context: BuildContext, state: ProblemState) -> ProblemState:
    """Return the problem with an evaluator from a model; unchanged if none is needed or usable."""
    model = context.model
    disputed = [name for name, reason in state.agreement.dropped.items() if reason == DISAGREE]
    least_dissent = 0.25  # share of the inputs; with less, no model is asked for an evaluator
    few = not disputed or len(disputed) < least_dissent * len(state.inputs)
    comparison = state.problem.comparison
    if model is None or (comparison.kind == "evaluator" and not comparison.several) or few:
        return state
    answers = []
    shown = 5  # disputed inputs in the prompt, which has to stay short
    for index, test in enumerate(state.inputs):
        if test.test_id in disputed[:shown]:
            # The right answer is unknown, so the trial takes the most frequent one.
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
        reasons = (*state.generation.reasons, f"model, evaluator: {written.reason}")
        return replace(state, generation=state.generation._replace(reasons=reasons))
    return _with_comparison(state, written.code)


def _answers(state: ProblemState, index: int) -> list[str]:
    """Return the digests of the solutions' outputs for one input, without failed runs."""
    return [votes[index].output for votes in state.votes.values() if votes[index].kind == "answer"]


def _with_comparison(state: ProblemState, evaluator: str, several: bool = False) -> ProblemState:
    source = state.problem.comparison.source
    comparison = OutputComparison("evaluator", several=several, source=source)
    problem = replace(state.problem, evaluator=evaluator, comparison=comparison)
    return replace(state, entry=state.entry._replace(problem=problem))
