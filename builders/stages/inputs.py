"""Test inputs for every problem: those that came with it first, then generated ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from venus_toolkit import __version__
from venus_toolkit.builders.build_context import SANDBOX, BuildContext
from venus_toolkit.builders.functions import Completed, complete
from venus_toolkit.builders.generation.inputs import Inputs, make_inputs
from venus_toolkit.builders.problem_state import ProblemState
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.step import Step, Where
from venus_toolkit.core.records import Problem, TestCase, from_plain, to_plain
from venus_toolkit.dataset.funnel import Dropped
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.executor import SandboxFailure

STAGE = "generate"
ASKED = 3  # canonical solutions that try a model's inputs
SOURCES = 10  # canonical solutions whose source says what is read


def make_test_inputs(context: BuildContext, entries: Sequence[Entry]) -> list[ProblemState]:
    """Return each problem with its inputs, in the order given."""
    step = Step[Completed, Inputs](
        name=STAGE,
        problem=lambda each: each.entry.problem.slug,
        work=partial(_inputs, context),
        where=Where.HERE,
        depends_on=partial(_depends_on, context),
        plain=lambda made: to_plain(made._asdict()),
        read=_read,
        # A model that failed is asked again by the next build.
        keeps=lambda made: context.model is None or made.way in ("own", "model"),
        drops=_drops,
    )
    todo = []
    for entry in entries:
        completed = complete(entry, context.executor.languages)
        context.no_runner |= {(entry.problem.slug, name): why for name, why in completed.missing.items()}
        todo.append(completed)
    found: dict[str, ProblemState] = {}
    for (entry, *_), made in context.results(step, todo):
        # The generator and the validator that were used are published with the problem.
        generator = made.generator_source or entry.problem.generator
        problem = replace(entry.problem, generator=generator, validator=made.validator_source)
        found[problem.slug] = ProblemState(entry._replace(problem=problem), made, made.tests)
    return [found[entry.problem.slug] for entry in entries if entry.problem.slug in found]


def _drops(completed: Completed, made: Inputs) -> Iterator[Dropped]:
    slug = completed.entry.problem.slug
    for test_id, reason in {**completed.unfit, **made.dropped}.items():
        yield Dropped(STAGE, slug, test_id, reason)
    if not made.tests:
        # First why there are no runners, where that is so: both need the signature.
        whys = [f"no runner: {reason}".replace("\n", "; ") for reason in dict.fromkeys(completed.missing.values())]
        whys.append("no inputs: " + ("; ".join(made.reasons) or "there is no way to make inputs for it"))
        yield Dropped(STAGE, slug, slug, "; ".join(whys))


def _problem(completed: Completed) -> Problem:
    """Return the problem as inputs are made for it: with all types in its starter code, where they are known."""
    problem = completed.entry.problem
    if completed.typed:
        return replace(problem, starter_code={**problem.starter_code, "python": completed.typed})
    return problem


def _depends_on(context: BuildContext, completed: Completed) -> object:
    plan, problem = context.plan, _problem(completed)
    # A problem's own generator sees neither statement nor model: changing those makes no new inputs.
    own = problem.generator and plan.generation.ways[0] == "own"
    sources = [unit.solution.code for unit in context.canonical(completed.entry)[:SOURCES]]
    matters = [problem.generator, problem.validator] if own else [problem, plan.model, sources]
    python = context.executor.version(context.languages["python"])
    return [__version__, matters, completed.entry.tests, plan.generation, python]


def _read(kept: Mapping[str, Any]) -> Inputs:
    tests = tuple(from_plain(TestCase, test) for test in kept["tests"])
    return Inputs(**{**kept, "tests": tests, "reasons": tuple(kept["reasons"])})


def _inputs(context: BuildContext, completed: Completed, worker: Worker) -> Inputs:
    sandbox, options, entry = context.executor.sandbox, context.plan.generation, completed.entry

    def refused(tests: Sequence[TestCase]) -> dict[str, str]:
        """Return, by test id, why a canonical solution cannot take an input; a limit is no reason."""
        found: dict[str, str] = {}
        # Before the vote of all solutions: a model can still be told what is wrong with its generator.
        for unit in context.canonical(entry)[:ASKED]:
            program = context.program(unit)
            suite = context.suite(entry.problem, tests, unit.solution.language)
            votes = context.executor.vote(worker, suite, program) if program else None
            if isinstance(votes, SandboxFailure):
                context.drop(SANDBOX, entry.problem.slug, unit.solution.solution_id, votes.reason)
            elif votes:
                for test, vote in zip(tests, votes.of_each, strict=True):
                    if vote.kind == "fails":
                        found.setdefault(test.test_id, vote.reason)
        return found

    programs = [unit.solution for unit in context.canonical(entry)[:SOURCES]]
    return make_inputs(
        sandbox, _problem(completed), entry.tests, options, worker.cores, context.model, refused, programs
    )
